//! `isugate deploy` and `isugate rollback`: the deploy part alone, under the lease, with the same way back when it fails.

use super::{Commit, Session, Setting, Way, open_ledger, stage_deploy};
use crate::{
    exit::{Exit, Failure},
    lease::Claim,
    ledger::Entry,
    report::Stage,
    verdict::Verdict,
};

/// Puts a commit onto the hosts; says what state each one is in.
///
/// # Errors
/// What failed, with the state of every host.
pub async fn deploy_only(setting: &Setting, commit: Commit) -> Result<Vec<String>, Failure> {
    if setting.config.deploy.is_none() {
        return Err(Failure::new(Exit::Usage, "isugate.yml has no deploy part", "add one; see docs/configuration.md"));
    }
    let mut way = Way::begin(setting, commit)?;
    let id = way.commit.id.clone();
    let mut session = way
        .stage(Stage::Check, async |_: &mut Way| {
            let session = Session::open(setting, Some(&id)).await?;
            let outcome = format!("{} hosts reached", session.sites.len());
            Ok((session, outcome))
        })
        .await?;
    let claim =
        Claim { holder: setting.by.clone(), reason: format!("deploy of {}", &id[..12]), run: way.id.to_string() };
    way.stage(Stage::Lease, async |_: &mut Way| {
        session.take(&claim).await?;
        Ok(((), format!("{} hosts", session.sites.len())))
    })
    .await?;
    let result = stage_deploy::deploy(&mut way, &session).await;
    let mut states = match &result {
        Ok(()) => way.states(&session).await,
        Err(_) => Vec::new(),
    };
    states.extend(session.give_back().await);
    match result {
        Ok(()) => Ok(states),
        Err(mut failure) => {
            failure.message = std::iter::once(failure.message).chain(states).collect::<Vec<_>>().join("\n  ");
            Err(failure)
        }
    }
}

/// The last commit that was accepted with these hosts and this benchmarker's command line.
///
/// # Errors
/// None was.
pub fn last_accepted(setting: &Setting) -> Result<Commit, Failure> {
    let ledger = open_ledger(setting)?;
    let listing = ledger.runs().map_err(|e| Failure::new(Exit::Failed, e.to_string(), "see the ledger's branch"))?;
    let accepted = |entry: &&Entry| {
        let decision = entry.decision.current();
        let at = decision.filter(|decision| decision.verdict == Verdict::Accept).map(|decision| decision.at.clone());
        let same = entry.run.series.contest == setting.config.contest
            && entry.run.series.hosts.keys().eq(setting.config.hosts.keys());
        at.filter(|_| same && crate::ledger::proposal::may_be_baseline(entry))
    };
    let newest =
        listing.entries.iter().filter_map(|entry| Some((accepted(&entry)?, entry))).max_by(|a, b| a.0.cmp(&b.0));
    let Some((_, entry)) = newest else {
        let next = "`isugate deploy REV` puts a commit of your choice onto the hosts";
        return Err(Failure::new(Exit::Failed, "no run was accepted yet: there is nothing to roll back to", next));
    };
    super::resolve(&setting.work_tree, Some(&entry.run.commit))
}
