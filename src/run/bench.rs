//! `isugate bench`: the whole way of a run, from the plan to the verdict and back to a known state of every host.

use std::time::Duration;

use serde_json::json;

use super::{
    Commit, Session, Setting, Way, commit,
    compare::{Decided, commit_of, compare},
    judge::{self, Side},
    preset, rollback, show,
};
use crate::{
    config::shape::{Intent, Preset},
    exit::{Exit, Failure},
    lease::Claim,
    ledger::{Ledger, RunRecord},
    report::{Report, Stage},
    verdict::Verdict,
};

/// What is asked of a run.
#[derive(Debug, Clone)]
pub struct BenchOptions {
    /// The revision; `HEAD` by default.
    pub revision: Option<String>,
    /// Whether the commit is deployed first; else what is on the hosts is benchmarked as it is.
    pub deploy: bool,
    /// Whether a reverted commit stays on the hosts.
    pub keep: bool,
    /// Runs that the decision may cost at most, the baseline's among them; the preset's number where it is not said.
    pub runs: Option<usize>,
    /// Time after which no further run is begun.
    pub time: Option<Duration>,
    /// How often a run that was disturbed is measured again by itself.
    pub reruns: u8,
    /// A commit to compare with in the place of the last accepted one; the ledger's baseline stays what it is then.
    pub against: Option<Commit>,
    /// What the change must do.
    pub intent: Intent,
    /// How bold to be.
    pub preset: Preset,
    /// How long to wait for hosts that someone else holds.
    pub wait: Duration,
}

/// What a run came to.
pub struct Finished {
    /// All that there is to say.
    pub report: Report,
    /// The verdict's exit status.
    pub exit: Exit,
}

/// The whole way of a run.
///
/// # Errors
/// What made it impossible to get to a verdict, with the state that every host is in.
pub async fn bench(setting: &Setting, options: &BenchOptions) -> Result<Finished, Failure> {
    let plan = preset::plan(&setting.config)?;
    let commit = commit::resolve(&setting.work_tree, options.revision.as_deref())?;
    let ledger = open_ledger(setting)?;
    let mut way = Way::begin(setting, commit)?;
    if way.commit.uncommitted {
        way.warn("the working tree has changes that no commit holds; they are not in this run");
    }
    let id = way.commit.id.clone();
    let mut session = way
        .stage(Stage::Check, async |_: &mut Way| {
            let session = Session::open(setting, Some(&id)).await?;
            let names: Vec<_> = session.sites.iter().map(|site| site.host.name()).collect();
            let outcome = format!("{} reached", names.join(", "));
            Ok((session, outcome))
        })
        .await?;
    take_hosts(&mut way, &mut session, options.wait).await?;
    match conclude(&mut way, &mut session, &plan, options, &ledger, None).await {
        Ok(finished) => Ok(finished),
        Err(failure) => Err(give_up(way, session, failure).await),
    }
}

/// Measures (unless there is a record already), decides, and finishes.
///
/// # Errors
/// As [`bench`]; what is open is left in `way.open`.
pub(super) async fn conclude(
    way: &mut Way<'_>,
    session: &mut Session,
    plan: &preset::BenchPlan,
    options: &BenchOptions,
    ledger: &Ledger,
    first: Option<RunRecord>,
) -> Result<Finished, Failure> {
    let decided = compare(way, session, plan, options, ledger, first).await?;
    finish(way, session, options, ledger, decided).await
}

/// The ledger of the configuration.
///
/// # Errors
/// The repository.
pub fn open_ledger(setting: &Setting) -> Result<Ledger, Failure> {
    let config = &setting.config.ledger;
    Ledger::open(&setting.work_tree, &config.branch, config.remote.as_deref())
        .map_err(|e| Failure::new(Exit::Failed, e.to_string(), "see ledger.branch in isugate.yml and `git branch`"))
}

async fn take_hosts(way: &mut Way<'_>, session: &mut Session, wait: Duration) -> Result<(), Failure> {
    let claim = Claim {
        holder: way.setting.by.clone(),
        reason: format!("bench of {}", &way.commit.id[..12]),
        run: way.id.to_string(),
    };
    way.stage(Stage::Lease, async |way: &mut Way| {
        let began = tokio::time::Instant::now();
        loop {
            let failure = match session.take(&claim).await {
                Ok(()) => return Ok(((), format!("{} hosts", session.sites.len()))),
                Err(failure) => failure,
            };
            if failure.exit != Exit::Leased || began.elapsed() >= wait {
                return Err(failure);
            }
            way.setting.events.warn(format!("waiting: {}", failure.message));
            tokio::select! {
                () = tokio::time::sleep(Duration::from_secs(5).min(wait)) => {}
                () = way.setting.cancel.cancelled() => return Err(super::session::interrupted()),
            }
        }
    })
    .await
}

/// After a verdict: the ledger, the way back if there is one to go, the hosts given back, the report.
async fn finish(
    way: &mut Way<'_>,
    session: &mut Session,
    options: &BenchOptions,
    ledger: &Ledger,
    decided: Decided,
) -> Result<Finished, Failure> {
    let Decided { run, baseline, judged, mut warnings, last } = decided;
    let verdict = judged.verdict.unwrap_or(Verdict::Inconclusive);
    // A comparison of two commits of somebody's choice decides nothing about what is accepted.
    let decision = match &options.against {
        None => judge::append(ledger, &run, baseline.as_ref(), options, &judged)?,
        Some(commit) => judge::append_comparison(ledger, &run, commit, options, &judged)?,
    };
    way.note(Stage::Judge, json!({"verdict": verdict, "recorded": true}))?;
    warnings.extend(judge::share(ledger));
    let mut hosts = Vec::new();
    if options.deploy && verdict == Verdict::Revert && !options.keep && options.against.is_none() {
        let result = way
            .stage(Stage::Rollback, async |way: &mut Way| {
                let states = rollback::back(way, session, baseline.as_ref().map(|entry| &entry.run)).await?;
                let outcome = states.join("; ");
                Ok((states, outcome))
            })
            .await;
        match result {
            Ok(states) => hosts = states,
            Err(failure) => warnings.push(format!("ROLLBACK FAILED: {failure}")),
        }
    }
    if options.deploy && verdict == Verdict::Accept && last == Side::Baseline && options.against.is_none() {
        // The comparison ended with a run of the baseline: the accepted commit has to be put back.
        let commit = commit_of(&run);
        let result = way.stage(Stage::Deploy, async |way: &mut Way| {
            rollback::put(way, session, commit).await?;
            Ok(((), "the accepted commit is back".into()))
        });
        if let Err(failure) = result.await {
            warnings.push(format!("THE ACCEPTED COMMIT IS NOT DEPLOYED: {failure}"));
        }
    }
    let states = async {
        match hosts.is_empty() {
            true => way.states(session).await,
            false => hosts,
        }
    };
    let prune = async {
        if options.deploy {
            rollback::prune(way, session, baseline.as_ref().map(|entry| entry.run.commit.as_str())).await;
        }
    };
    let (mut hosts, ()) = tokio::join!(states, prune);
    let told = rollback::advice(verdict, options, &run.commit, baseline.as_ref().map(|entry| &entry.run));
    hosts.extend(told);
    way.stage(Stage::Release, async |_: &mut Way| {
        let left = session.give_back().await;
        let outcome = if left.is_empty() { "hosts are free".into() } else { left.join("; ") };
        warnings.extend(left);
        Ok(((), outcome))
    })
    .await?;
    warnings.append(&mut way.warnings);
    let report = show::report(way, run, baseline.map(|entry| entry.run), decision, judged, hosts, warnings);
    way.stage(Stage::Report, async |way: &mut Way| {
        let path = show::write(way, &report)?;
        Ok(((), path))
    })
    .await?;
    let exit = exit_of(Some(verdict));
    Ok(Finished { report, exit })
}

/// The exit status of a verdict.
pub(super) fn exit_of(verdict: Option<Verdict>) -> Exit {
    match verdict {
        Some(Verdict::Accept) => Exit::Done,
        Some(Verdict::Revert) => Exit::Revert,
        Some(Verdict::Inconclusive) | None => Exit::Inconclusive,
        Some(Verdict::Invalid) => Exit::Invalid,
    }
}

/// After a failure or an interruption: everything closed, the hosts given back, and what state each one is in.
pub(super) async fn give_up(mut way: Way<'_>, mut session: Session, mut failure: Failure) -> Failure {
    let mut lines = way.close().await;
    // At the same time: each waits for a host that may not answer, and a workflow's runner kills us soon.
    let held = session.lease.take();
    let (states, left) = tokio::join!(way.states(&session), async {
        match held {
            Some(lease) => lease.release().await,
            None => Vec::new(),
        }
    });
    lines.extend(states.into_iter().chain(left));
    if !lines.is_empty() {
        failure.message = format!("{}\n  {}", failure.message, lines.join("\n  "));
    }
    failure.message = format!("{}\n  files of this run: {}", failure.message, way.directory.display());
    failure
}
