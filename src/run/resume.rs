//! `isugate resume`: a run whose isugate was killed, finished from its journal. A benchmark that was started is waited for and
//! read; one that had ended is read; a record without a verdict is judged; before that there is nothing to finish, and the last
//! accepted commit is put back.

use std::{collections::BTreeMap, path::PathBuf};

use serde::{Deserialize, Serialize};

use super::{
    BenchOptions, Commit, Finished, Phase, Session, Setting, Way,
    bench::{conclude, give_up, open_ledger},
    journal, measure, preset, resolve, rollback,
    stage_bench::Started,
};
use crate::{
    exit::{Exit, Failure},
    isutools::Client,
    lease::Claim,
    ledger::{HostRecord, IsutoolsRecord, RunRecord},
    report::Stage,
};

/// What the journal keeps of a benchmark when it is started, so that it can be picked up.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct PickUp {
    /// The benchmark.
    pub started: Started,
    /// What was known of the hosts.
    pub hosts: BTreeMap<String, HostRecord>,
    /// The isutools runs that were opened.
    pub isutools: Vec<IsutoolsRecord>,
}

/// How far a run was.
enum Left {
    /// Its benchmark was started.
    Bench(Box<PickUp>),
    /// It is recorded and not judged.
    Record(Box<RunRecord>),
    /// Nothing was measured.
    Nothing,
}

/// Finishes an interrupted run, or says that there is none.
///
/// # Errors
/// What kept it from being finished, with the state of every host.
pub async fn resume(setting: &Setting, run: Option<&str>, options: &BenchOptions) -> Result<Option<Finished>, Failure> {
    let Some(directory) = find(setting, run)? else { return Ok(None) };
    let lines = journal::read(&directory).map_err(|e| {
        Failure::new(Exit::Failed, format!("{}: no journal: {e}", directory.display()), "there is nothing to resume")
    })?;
    let text = |key: &str| lines.iter().find_map(|line| line.data[key].as_str().map(str::to_string));
    let (Some(id), Some(commit)) = (text("run"), text("commit")) else {
        let message = format!("{}: its journal has no beginning", directory.display());
        return Err(Failure::new(Exit::Failed, message, "there is nothing to resume"));
    };
    let done = |stage: Stage| lines.iter().any(|line| line.stage == stage && line.phase == Phase::Done);
    let noted = |stage: Stage| lines.iter().rev().find(|line| line.stage == stage && line.phase == Phase::Note);
    let recorded = std::fs::read(directory.join("run.json")).ok().filter(|_| done(Stage::Record));
    let record = recorded.and_then(|bytes| serde_json::from_slice::<RunRecord>(&bytes).ok());
    let picked = noted(Stage::Bench).and_then(|line| serde_json::from_value::<PickUp>(line.data.clone()).ok());
    let left = match (record, picked) {
        (Some(record), _) => Left::Record(Box::new(record)),
        (None, Some(picked)) => Left::Bench(Box::new(picked)),
        (None, None) => Left::Nothing,
    };
    let commit: Commit = resolve(&setting.work_tree, Some(&commit))?;
    let mut way = Way::again(setting, &id, directory, commit)?;
    let mut session = Session::open(setting, Some(&way.commit.id.clone())).await?;
    // The run's id is the lease's token: a lease that the killed isugate still holds is ours.
    let claim = Claim { holder: setting.by.clone(), reason: "resume".into(), run: id };
    session.take(&claim).await?;
    let result = go_on(&mut way, &mut session, options, left).await;
    match result {
        Ok(finished) => Ok(Some(finished)),
        Err(failure) => Err(give_up(way, session, failure).await),
    }
}

async fn go_on(
    way: &mut Way<'_>,
    session: &mut Session,
    options: &BenchOptions,
    left: Left,
) -> Result<Finished, Failure> {
    let plan = preset::plan(&way.setting.config)?;
    let record = match left {
        Left::Record(record) => *record,
        Left::Bench(picked) => {
            way.hosts = picked.hosts;
            for record in &picked.isutools {
                let client: Option<&Client> = session.isutools.iter().find(|client| client.host() == record.host);
                if let (Some(client), Some(run)) = (client, &record.run_id) {
                    way.open.isutools.push((client.clone(), run.clone()));
                }
            }
            measure::pick_up(way, session, &plan, &picked.started, picked.isutools).await?
        }
        Left::Nothing => return Err(nothing(way, session).await),
    };
    let ledger = open_ledger(way.setting)?;
    conclude(way, session, &plan, options, &ledger, Some(record)).await
}

/// Nothing was measured: what is open is closed, the last accepted commit is put back.
async fn nothing(way: &mut Way<'_>, session: &mut Session) -> Failure {
    for client in &session.isutools {
        // Whatever run is open is nobody's.
        let _ = client.abort().await;
    }
    let message = "the run was interrupted before its benchmark: there is no result to finish";
    let accepted = super::last_accepted(way.setting);
    let deploys = way.setting.config.deploy.is_some();
    let put = match accepted {
        Ok(commit) if deploys => {
            let shown = commit.id[..12].to_string();
            rollback::put(way, session, commit).await.map(|()| format!("{shown} was put back"))
        }
        _ => Ok("nothing was accepted yet, so nothing was put back".into()),
    };
    match put {
        Ok(put) => Failure::new(Exit::Failed, format!("{message}; {put}"), "`isugate bench` starts anew"),
        Err(failure) => Failure { message: format!("{message}\n  {}", failure.message), ..failure },
    }
}

/// The run that is meant: by its id's beginning, or the newest that was not finished.
fn find(setting: &Setting, run: Option<&str>) -> Result<Option<PathBuf>, Failure> {
    let mut directories: Vec<_> =
        std::fs::read_dir(setting.runs()).into_iter().flatten().flatten().map(|e| e.path()).collect();
    directories.sort();
    if let Some(prefix) = run {
        let named = |path: &&PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(prefix));
        let found: Vec<_> = directories.iter().filter(named).collect();
        return match found.as_slice() {
            [one] => Ok(Some((*one).clone())),
            [] => Err(Failure::new(
                Exit::Usage,
                format!("no run here begins with `{}`", prefix.escape_debug()),
                "see .isugate/runs",
            )),
            many => {
                let message = format!("{} runs here begin with `{}`", many.len(), prefix.escape_debug());
                Err(Failure::new(Exit::Usage, message, "give more of the id; see .isugate/runs"))
            }
        };
    }
    // A run that failed and said so is over; one that was killed has a stage that began and never ended.
    let Some(newest) = directories.pop() else { return Ok(None) };
    let lines = journal::read(&newest).unwrap_or_default();
    let over = |line: &journal::Line| {
        matches!((line.stage, line.phase), (_, Phase::Failed) | (Stage::Report | Stage::Release, Phase::Done))
    };
    Ok((!lines.is_empty() && !lines.iter().any(over)).then_some(newest))
}
