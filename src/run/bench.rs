//! `isugate bench`: the whole way of a run, from the plan to the verdict and back to a known state of every host.

use std::time::Duration;

use serde_json::json;

use super::{
    Commit, Session, Setting, Way, commit, judge,
    judge::{Judged, Side},
    measure::measure,
    preset::{self, BenchPlan},
    rollback, show,
};
use crate::{
    config::shape::{Intent, Preset},
    exit::{Exit, Failure},
    lease::Claim,
    ledger::{Entry, Ledger, RunRecord},
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
    /// Runs that the decision may cost at most, the baseline's among them.
    pub runs: usize,
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
    let result = decide(&mut way, &mut session, &plan, options, &ledger).await;
    match result {
        Ok(judged) => finish(way, session, options, &ledger, judged).await,
        Err(failure) => Err(give_up(way, session, failure).await),
    }
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

/// What was decided, and by which runs.
struct Decided {
    /// The run that the decision is about.
    run: RunRecord,
    baseline: Option<Entry>,
    judged: Judged,
    warnings: Vec<String>,
}

/// Measures until the gate has a verdict or the budget is spent.
async fn decide(
    way: &mut Way<'_>,
    session: &mut Session,
    plan: &BenchPlan,
    options: &BenchOptions,
    ledger: &Ledger,
) -> Result<Decided, Failure> {
    let mut candidate = measure(way, session, plan, options.deploy).await?;
    let listing =
        ledger.runs().map_err(|e| Failure::new(Exit::Failed, e.to_string(), "see `git log` of the ledger's branch"))?;
    let baseline = crate::ledger::baseline_of(&listing.entries, &candidate.series.key, |_| true).cloned();
    let question = judge::Question {
        setting: way.setting,
        entries: &listing.entries,
        baseline: baseline.as_ref(),
        intent: options.intent,
        preset: options.preset,
        budget: options.runs,
    };
    let mut today = vec![(Side::Candidate, candidate.clone())];
    let mut warnings = std::mem::take(&mut way.warnings);
    loop {
        let judged = way.stage(Stage::Judge, async |_: &mut Way| {
            let judged = judge::judge(&question, &today);
            let outcome = judge::one_line(&judged);
            Ok((judged, outcome))
        });
        let judged = judged.await?;
        let (Some(side), None) = (judged.next, judged.verdict) else {
            return Ok(Decided { run: candidate, baseline, judged, warnings });
        };
        let other = match (side, &baseline) {
            (Side::Baseline, Some(entry)) => commit_of(&entry.run),
            _ => commit_of(&candidate),
        };
        let last = today.last().map(|(side, _)| *side);
        let mut next = Way::begin(way.setting, other)?;
        session.look_again(way.setting, &next.commit.id.clone()).await?;
        let result = measure(&mut next, session, plan, options.deploy && last != Some(side)).await;
        warnings.append(&mut next.warnings);
        way.open = std::mem::take(&mut next.open);
        let record = result?;
        // Each run is in the ledger before the next begins: a later failure must not lose it.
        if side == Side::Candidate {
            judge::append_part(ledger, &candidate, baseline.as_ref(), options, "measured again; see the later run")?;
            candidate = record.clone();
        } else {
            judge::append_part(
                ledger,
                &record,
                baseline.as_ref(),
                options,
                "the baseline, measured again for a comparison",
            )?;
        }
        today.push((side, record));
    }
}

fn commit_of(run: &RunRecord) -> Commit {
    Commit { id: run.commit.clone(), subject: run.subject.clone(), branch: run.branch.clone(), uncommitted: false }
}

/// After a verdict: the ledger, the way back if there is one to go, the hosts given back, the report.
async fn finish(
    mut way: Way<'_>,
    mut session: Session,
    options: &BenchOptions,
    ledger: &Ledger,
    decided: Decided,
) -> Result<Finished, Failure> {
    let Decided { run, baseline, judged, mut warnings } = decided;
    let verdict = judged.verdict.unwrap_or(Verdict::Inconclusive);
    let recorded = judge::append(ledger, &run, baseline.as_ref(), options, &judged).and_then(|decision| {
        way.note(Stage::Judge, json!({"verdict": verdict, "recorded": true}))?;
        Ok(decision)
    });
    let decision = match recorded {
        Ok(decision) => decision,
        Err(failure) => return Err(give_up(way, session, failure).await),
    };
    warnings.extend(judge::share(ledger));
    let mut hosts = Vec::new();
    if options.deploy && verdict == Verdict::Revert && !options.keep {
        let result = way
            .stage(Stage::Rollback, async |way: &mut Way| {
                let states = rollback::back(way, &mut session, baseline.as_ref().map(|entry| &entry.run)).await?;
                let outcome = states.join("; ");
                Ok((states, outcome))
            })
            .await;
        match result {
            Ok(states) => hosts = states,
            Err(failure) => warnings.push(format!("ROLLBACK FAILED: {failure}")),
        }
    }
    if hosts.is_empty() {
        hosts = way.states(&session).await;
    }
    let told = rollback::advice(verdict, options, baseline.as_ref().map(|entry| &entry.run));
    hosts.extend(told);
    way.stage(Stage::Release, async |_: &mut Way| {
        let left = session.give_back().await;
        let outcome = if left.is_empty() { "hosts are free".into() } else { left.join("; ") };
        warnings.extend(left);
        Ok(((), outcome))
    })
    .await?;
    warnings.append(&mut way.warnings);
    let report = show::report(&way, run, baseline.map(|entry| entry.run), decision, judged, hosts, warnings);
    way.stage(Stage::Report, async |way: &mut Way| {
        let path = show::write(way, &report)?;
        Ok(((), path))
    })
    .await?;
    let exit = match verdict {
        Verdict::Accept => Exit::Done,
        Verdict::Revert => Exit::Revert,
        Verdict::Inconclusive => Exit::Inconclusive,
        Verdict::Invalid => Exit::Invalid,
    };
    Ok(Finished { report, exit })
}

/// After a failure or an interruption: everything closed, the hosts given back, and what state each one is in.
async fn give_up(mut way: Way<'_>, mut session: Session, mut failure: Failure) -> Failure {
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
