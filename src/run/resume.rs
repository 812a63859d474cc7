//! `isugate resume`: a run whose isugate was killed, finished from its journal. A benchmark that was started is waited for and
//! read; one that had ended is read; a record without a verdict is judged; before that there is nothing to finish, and the last
//! accepted commit is put back. Of a comparison that was cut off in a later run, all runs are recorded, and it is begun anew with
//! them in the ledger.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use super::{
    BenchOptions, Commit, Finished, Phase, Session, Setting, Way,
    bench::{conclude, give_up, open_ledger},
    compare::PART_OF,
    journal, judge, measure, preset, resolve, rollback,
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
    let Some(Interrupted { directory, first }) = find(setting, run)? else { return Ok(None) };
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
    // The id of the comparison's first run is the lease's token: a lease that the killed isugate still holds is ours.
    let token = first.as_ref().and_then(|first| first.file_name()).map(|name| name.to_string_lossy().into_owned());
    let claim = Claim { holder: setting.by.clone(), reason: "resume".into(), run: token.unwrap_or(id) };
    session.take(&claim).await?;
    let result = match first {
        None => go_on(&mut way, &mut session, options, left).await,
        Some(first) => Err(broken_off(&mut way, &mut session, options, left, &first).await),
    };
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
    let Some(record) = measured(way, session, &plan, left).await? else { return Err(nothing(way, session).await) };
    let ledger = open_ledger(way.setting)?;
    conclude(way, session, &plan, options, &ledger, Some(record)).await
}

/// The record of the run, once its benchmark has ended; `None` if it was never started.
async fn measured(
    way: &mut Way<'_>,
    session: &Session,
    plan: &preset::BenchPlan,
    left: Left,
) -> Result<Option<RunRecord>, Failure> {
    let picked = match left {
        Left::Record(record) => return Ok(Some(*record)),
        Left::Nothing => return Ok(None),
        Left::Bench(picked) => picked,
    };
    way.hosts = picked.hosts;
    for record in &picked.isutools {
        let client: Option<&Client> = session.isutools.iter().find(|client| client.host() == record.host);
        if let (Some(client), Some(run)) = (client, &record.run_id) {
            way.open.isutools.push((client.clone(), run.clone()));
        }
    }
    measure::pick_up(way, session, plan, &picked.started, picked.isutools).await.map(Some)
}

/// A comparison that was cut off in a later run than its first: all that was measured goes into the ledger, and the last accepted
/// commit is put back.
async fn broken_off(
    way: &mut Way<'_>,
    session: &mut Session,
    options: &BenchOptions,
    left: Left,
    first: &Path,
) -> Failure {
    let result = async {
        let plan = preset::plan(&way.setting.config)?;
        let last = measured(way, session, &plan, left).await?;
        let bytes = std::fs::read(first.join("run.json"));
        let first = bytes.ok().and_then(|bytes| serde_json::from_slice::<RunRecord>(&bytes).ok());
        let ledger = open_ledger(way.setting)?;
        for record in first.iter().chain(&last) {
            judge::append_part(&ledger, record, None, options, "a run of a comparison that was interrupted")?;
        }
        let warnings = judge::share(&ledger);
        warnings.into_iter().for_each(|warning| way.warn(warning));
        Ok(first.map_or_else(|| way.commit.id.clone(), |first| first.commit))
    };
    let commit: String = match result.await {
        Ok(commit) => commit,
        Err(failure) => return failure,
    };
    let message = "the comparison was interrupted; what was measured is in the ledger".to_string();
    let next = format!("`isugate bench {}` goes on with what is known", &commit[..12.min(commit.len())]);
    put_back(way, session, Failure::new(Exit::Inconclusive, message, next)).await
}

/// Nothing was measured: what is open is closed, the last accepted commit is put back.
async fn nothing(way: &mut Way<'_>, session: &mut Session) -> Failure {
    for client in &session.isutools {
        // Whatever run is open is nobody's.
        let _ = client.abort().await;
    }
    let message = "the run was interrupted before its benchmark: there is no result to finish";
    put_back(way, session, Failure::new(Exit::Failed, message, "`isugate bench` starts anew")).await
}

/// Puts the last accepted commit back and says so after `told`. The journal shows that the run is over.
async fn put_back(way: &mut Way<'_>, session: &mut Session, told: Failure) -> Failure {
    let result = way.stage(Stage::Rollback, async |way: &mut Way| {
        let deploys = way.setting.config.deploy.is_some();
        let put = match super::last_accepted(way.setting) {
            Ok(commit) if deploys => {
                let shown = commit.id[..12].to_string();
                rollback::put(way, session, commit).await.map(|()| format!("{shown} was put back"))
            }
            _ => Ok("nothing was accepted yet, so nothing was put back".into()),
        };
        Err::<((), String), Failure>(match put {
            Ok(put) => Failure { message: format!("{}; {put}", told.message), ..told },
            Err(failure) => Failure { message: format!("{}\n  {}", told.message, failure.message), ..failure },
        })
    });
    match result.await {
        Ok(()) => Failure::new(Exit::Failed, "nothing was put back", "`isugate rollback`"),
        Err(failure) => failure,
    }
}

/// A run that was not finished.
struct Interrupted {
    /// Its directory.
    directory: PathBuf,
    /// The directory of the comparison's first run, if it is a later one.
    first: Option<PathBuf>,
}

/// The run that is meant: by its id's beginning, or the newest that was not finished.
fn find(setting: &Setting, run: Option<&str>) -> Result<Option<Interrupted>, Failure> {
    let mut directories: Vec<_> =
        std::fs::read_dir(setting.runs()).into_iter().flatten().flatten().map(|e| e.path()).collect();
    directories.sort();
    if let Some(prefix) = run {
        let named = |path: &&PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(prefix));
        let found: Vec<_> = directories.iter().filter(named).collect();
        return match found.as_slice() {
            [one] => {
                let (found, lines) = look(setting, (*one).clone());
                let ended = |line: &journal::Line| matches!((line.stage, line.phase), (Stage::Report, Phase::Done));
                if lines.iter().any(ended) {
                    let message = format!("the run that begins with `{}` is finished", prefix.escape_debug());
                    return Err(Failure::new(Exit::Usage, message, "`isugate show` has its verdict"));
                }
                Ok(Some(found))
            }
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
    // A run that failed and said so is over; one that was killed has a stage that began and never ended. One that never had the
    // hosts, such as a try while the killed run still held them, has changed nothing about an earlier one.
    let over = |line: &journal::Line| {
        matches!((line.stage, line.phase), (_, Phase::Failed) | (Stage::Report | Stage::Release, Phase::Done))
    };
    let held = |line: &journal::Line| matches!((line.stage, line.phase), (Stage::Lease, Phase::Done));
    for directory in directories.into_iter().rev() {
        let (found, lines) = look(setting, directory);
        match (lines.iter().any(over), lines.iter().any(held)) {
            (false, _) if !lines.is_empty() => return Ok(Some(found)),
            (true, true) => return Ok(None),
            _ => {}
        }
    }
    Ok(None)
}

/// A run with its journal. After a later run's own lines stand those of its comparison's first run, which holds the lease and gets
/// the verdict.
fn look(setting: &Setting, directory: PathBuf) -> (Interrupted, Vec<journal::Line>) {
    let mut lines = journal::read(&directory).unwrap_or_default();
    let first = lines.iter().find_map(|line| line.data[PART_OF].as_str()).map(|id| setting.runs().join(id));
    lines.extend(first.iter().flat_map(|first| journal::read(first).unwrap_or_default()));
    (Interrupted { directory, first }, lines)
}
