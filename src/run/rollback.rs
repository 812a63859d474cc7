//! The way back: the last accepted commit on all hosts, or what ran before the run where nothing was ever accepted.

use super::{BenchOptions, Commit, Session, Way};
use crate::{
    deploy::{self, Current, Site},
    exit::{Exit, Failure, gather},
    ledger::RunRecord,
    report::Stage,
    verdict::Verdict,
};

/// Puts the baseline back, or where there is none, what ran before this run. Says what state each host is in.
///
/// # Errors
/// What failed, with the state of every host.
pub async fn back(
    way: &mut Way<'_>,
    session: &mut Session,
    baseline: Option<&RunRecord>,
) -> Result<Vec<String>, Failure> {
    match baseline {
        Some(run) => {
            let commit =
                Commit { id: run.commit.clone(), subject: run.subject.clone(), branch: None, uncommitted: false };
            put(way, session, commit).await?;
            Ok(way.states(session).await)
        }
        None => {
            let Some(deployment) = way.deployment() else { return Ok(Vec::new()) };
            if way.open.activation.is_empty() {
                return Ok(Vec::new());
            }
            Ok(deploy::undo(&deployment, &session.sites, &way.open.activation).await)
        }
    }
}

/// Deploys a commit that was deployed before: usually everything is still there and only the switch is made.
///
/// # Errors
/// What failed, with the state of every host.
pub async fn put(way: &mut Way<'_>, session: &mut Session, commit: Commit) -> Result<(), Failure> {
    let shown = commit.id[..12].to_string();
    way.note(Stage::Rollback, serde_json::json!({"to": commit.id}))?;
    session.look_again(way.setting, &commit.id).await?;
    let own = std::mem::replace(&mut way.commit, commit);
    let result = async {
        let Some(deployment) = way.deployment() else {
            return Err(Failure::new(
                Exit::Usage,
                "isugate.yml has no deploy part: there is nothing to put back",
                "add one",
            ));
        };
        let targets = session.sites.iter().filter(|site| site.deploys);
        gather(futures::future::join_all(targets.map(|site| deploy::prepare(&deployment, site))).await)?;
        deploy::activate(&deployment, &session.sites).await?;
        deploy::ready::wait(&deployment, &session.sites).await
    }
    .await;
    let put = std::mem::replace(&mut way.commit, own);
    if result.is_ok() {
        session.deployed(&put.id);
    }
    result.map_err(|mut failure| {
        failure.message = format!("putting {shown} back: {}", failure.message);
        failure
    })
}

/// What a person should know of the hosts after this verdict about `commit`.
pub fn advice(verdict: Verdict, options: &BenchOptions, commit: &str, baseline: Option<&RunRecord>) -> Option<String> {
    // The accepted commit measured again is where it belongs.
    let baseline = baseline.map(|run| run.commit.as_str()).filter(|accepted| *accepted != commit)?;
    let shown = &baseline[..12];
    match verdict {
        Verdict::Revert if options.keep || !options.deploy => {
            Some(format!("the reverted commit was kept; `isugate rollback` puts {shown} back"))
        }
        Verdict::Inconclusive | Verdict::Invalid => {
            Some(format!("not accepted and still deployed; `isugate rollback` puts {shown} back"))
        }
        _ => None,
    }
}

/// Removes what no host needs any more: all but the newest releases, the running one and the baseline's.
pub async fn prune(way: &Way<'_>, session: &Session, baseline: Option<&str>) {
    let Some(deployment) = way.deployment() else { return };
    let one = async |site: &Site| {
        let mut stay: Vec<String> = baseline.map(str::to_string).into_iter().collect();
        if let Current::Release(name) = &site.facts.current {
            stay.push(name.clone());
        }
        // Old releases cost space only; the next run tries again.
        let _ = deploy::prune(&deployment, site, &stay).await;
    };
    futures::future::join_all(session.sites.iter().filter(|site| site.deploys).map(one)).await;
}
