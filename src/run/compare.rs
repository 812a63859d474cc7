//! Measuring until the gate has a verdict: one run, then baseline and candidate in turn, each really deployed, until the test
//! decides or the budget ends.

use std::time::Duration;

use super::{
    BenchOptions, Commit, Session, Way,
    judge::{self, Judged, Side},
    measure::measure,
    preset::BenchPlan,
};
use crate::{
    exit::{Exit, Failure},
    ledger::{Entry, Ledger, RunRecord},
    report::{Event, Stage},
    verdict::Verdict,
};

/// In the journal of a further run: the id of the first one, which the verdict is about.
pub(super) const PART_OF: &str = "part_of";

/// What was decided, and by which runs.
pub struct Decided {
    /// The run that the decision is about.
    pub run: RunRecord,
    /// The run that it was compared with.
    pub baseline: Option<Entry>,
    /// The gate's answer.
    pub judged: Judged,
    /// What was noticed in any of the runs.
    pub warnings: Vec<String>,
    /// Which side was deployed last.
    pub last: Side,
}

/// Measures until the gate has a verdict or the budget is spent. `first` is a run that was measured already.
///
/// # Errors
/// What made a run impossible. Every finished run is in the ledger.
pub async fn compare(
    way: &mut Way<'_>,
    session: &mut Session,
    plan: &BenchPlan,
    options: &BenchOptions,
    ledger: &Ledger,
    first: Option<RunRecord>,
) -> Result<Decided, Failure> {
    let began = tokio::time::Instant::now();
    let mut reruns = options.reruns;
    let mut candidate = match first {
        Some(record) => record,
        None => measure(way, session, plan, options.deploy).await?,
    };
    let mut warnings = std::mem::take(&mut way.warnings);
    while !candidate.violations.is_empty() && reruns > 0 {
        reruns -= 1;
        judge::append_part(ledger, &candidate, None, options, &why_again(&candidate))?;
        let (record, mut noticed) = once_more(way, session, plan, commit_of(&candidate), false).await?;
        warnings.append(&mut noticed);
        candidate = record;
    }
    let listing = ledger.runs().map_err(|e| Failure::new(Exit::Failed, e.to_string(), "see the ledger's branch"))?;
    let baseline = crate::ledger::baseline_of(&listing.entries, &candidate.series.key, |_| true).cloned();
    let against = options.against.as_ref().map(|commit| commit.id.clone());
    let question = judge::Question {
        setting: way.setting,
        entries: &listing.entries,
        baseline: against.clone().or_else(|| baseline.as_ref().map(|entry| entry.run.commit.clone())),
        intent: options.intent,
        preset: options.preset,
        // Without a deploy the baseline cannot be run again: what is on the hosts is all there is.
        budget: if options.deploy { options.runs } else { Some(1) },
    };
    let mut today = vec![(Side::Candidate, candidate.clone())];
    loop {
        let judged = way.stage(Stage::Judge, async |_: &mut Way| {
            let judged = judge::judge(&question, &today);
            let outcome = judge::one_line(&judged);
            Ok((judged, outcome))
        });
        let mut judged = judged.await?;
        for sentence in &judged.noise {
            way.setting.events.emit(Event::Note { host: None, text: sentence.clone() });
        }
        let last = today.last().map_or(Side::Candidate, |(side, _)| *side);
        let spent = options.time.is_some_and(|time| began.elapsed() >= time);
        if let (None, Some(_), true) = (judged.verdict, judged.next, spent) {
            judged.verdict = Some(Verdict::Inconclusive);
            judged.reasons.insert(0, judge::time_is_up(way.setting));
        }
        let (Some(side), None) = (judged.next, judged.verdict) else {
            return Ok(Decided { run: candidate, baseline, judged, warnings, last });
        };
        let other = match (side, &options.against, &baseline) {
            (Side::Baseline, Some(commit), _) => commit.clone(),
            (Side::Baseline, None, Some(entry)) => commit_of(&entry.run),
            _ => commit_of(&candidate),
        };
        let result = once_more(way, session, plan, other, options.deploy && last != side).await;
        let (record, mut noticed) = match result {
            Ok(measured) => measured,
            Err(failure) => {
                // The run that was to be decided on is finished, whatever happened to the next one.
                let why = format!("the comparison broke off: {}", failure.message.lines().next().unwrap_or_default());
                judge::append_part(ledger, &candidate, baseline.as_ref(), options, &why)?;
                return Err(failure);
            }
        };
        warnings.append(&mut noticed);
        if !record.violations.is_empty() && reruns > 0 {
            reruns -= 1;
            judge::append_part(ledger, &record, baseline.as_ref(), options, &why_again(&record))?;
            continue;
        }
        // Each run is in the ledger before the next begins: a later failure must not lose it.
        if side == Side::Candidate {
            judge::append_part(ledger, &candidate, baseline.as_ref(), options, "measured again; see the later run")?;
            candidate = record.clone();
        } else {
            let why = "the baseline, measured again for a comparison";
            judge::append_part(ledger, &record, baseline.as_ref(), options, why)?;
        }
        today.push((side, record));
    }
}

fn why_again(run: &RunRecord) -> String {
    format!("disturbed, measured again: {}", run.violations.join("; "))
}

/// One more run, with an id and a journal of its own.
async fn once_more(
    way: &mut Way<'_>,
    session: &mut Session,
    plan: &BenchPlan,
    commit: Commit,
    deploy: bool,
) -> Result<(RunRecord, Vec<String>), Failure> {
    let mut next = Way::begin(way.setting, commit)?;
    next.note(Stage::Plan, serde_json::json!({ PART_OF: way.id.as_str() }))?;
    if let Some(lease) = &session.lease {
        lease.hold_for(Duration::ZERO).await;
    }
    session.look_again(way.setting, &next.commit.id.clone()).await?;
    let result = measure(&mut next, session, plan, deploy).await;
    // What the last run has opened is what the caller has to close.
    way.open = std::mem::take(&mut next.open);
    way.samplers = std::mem::take(&mut next.samplers);
    Ok((result?, next.warnings))
}

/// The commit that a run was about.
pub fn commit_of(run: &RunRecord) -> Commit {
    Commit { id: run.commit.clone(), subject: run.subject.clone(), branch: run.branch.clone(), uncommitted: false }
}
