//! The stage judge: what the gate is asked, and what of its answer is recorded. `isugate judge --step` asks the same function.

use super::{BenchOptions, Setting};
use crate::{
    config::shape::{Intent, Language, Preset},
    exit::{Exit, Failure},
    ledger::{Decision, DecisionRecord, Entry, Ledger, RunRecord, SCHEMA_VERSION},
    report::CodeRow,
    result::{self, Outcome},
    verdict::{
        RunFacts, Verdict,
        correctness::{Effect, Rule},
        step::{self, Request},
    },
};

pub use crate::verdict::Side;

/// What is asked.
pub struct Question<'a> {
    /// The configuration, for policy and language.
    pub setting: &'a Setting,
    /// All runs of the ledger.
    pub entries: &'a [Entry],
    /// The last accepted run of the series.
    pub baseline: Option<&'a Entry>,
    /// What the change must do.
    pub intent: Intent,
    /// How bold to be.
    pub preset: Preset,
    /// Runs that the decision may cost.
    pub budget: usize,
}

/// The gate's answer.
#[derive(Debug, Clone, Default)]
pub struct Judged {
    /// The verdict, if there is one yet.
    pub verdict: Option<Verdict>,
    /// Which side to run next, if there is none yet.
    pub next: Option<Side>,
    /// Sentences.
    pub reasons: Vec<String>,
    /// Error codes on both sides.
    pub codes: Vec<CodeRow>,
    /// What the score was compared by.
    pub noise: Vec<String>,
}

impl Judged {
    fn ends(verdict: Verdict, reason: String) -> Judged {
        Judged { verdict: Some(verdict), reasons: vec![reason], ..Judged::default() }
    }
}

/// Judges the runs of a comparison, in their time order. Integrity comes first and never looks at a score.
pub fn judge(question: &Question<'_>, today: &[(Side, RunRecord)]) -> Judged {
    let Some((_, run)) = today.iter().rev().find(|(side, _)| *side == Side::Candidate) else {
        return Judged::default();
    };
    let ja = question.setting.config.report.language == Language::Ja;
    let spoiled = today.iter().find(|(_, run)| !run.violations.is_empty() || run.result.outcome == Outcome::Invalid);
    if let Some((_, spoiled)) = spoiled {
        return invalid(spoiled, ja);
    }
    let proposed = question.setting.proposal.is_some();
    let Some(baseline) = question.baseline else { return first(run, proposed, ja) };
    if baseline.run.commit == run.commit {
        return same_commit(run, &baseline.run, ja);
    }
    let codes = &question.setting.config.verdict.codes;
    let request = Request {
        history: history(question, &run.series.key, today),
        baseline: Some(baseline.run.commit.clone()),
        candidate: run.commit.clone(),
        today: today.iter().map(|(_, run)| facts(run)).collect(),
        preset: question.preset,
        intent: question.intent,
        budget_runs: Some(question.budget),
        codes: codes.clone(),
        contest: Some(question.setting.config.contest.clone()),
        language: question.setting.config.report.language,
    };
    let answer = step::answer(&request);
    let rows = answer.codes.iter().map(|row| code_row(row, &run.bench.format, ja)).collect();
    Judged { verdict: answer.verdict, next: answer.next, reasons: answer.reasons, codes: rows, noise: answer.noise }
}

fn invalid(run: &RunRecord, ja: bool) -> Judged {
    let reasons = match (&run.result.error, run.violations.is_empty()) {
        (_, false) => run.violations.clone(),
        (Some(error), true) => vec![error.message.clone()],
        (None, true) => vec!["no result".into()],
    };
    let says_nothing = match ja {
        true => "この計測はコードについて何も示していません。もう一度計測してください",
        false => "this run says nothing about the code; run it again",
    };
    Judged {
        verdict: Some(Verdict::Invalid),
        reasons: reasons.into_iter().chain([says_nothing.into()]).collect(),
        ..Judged::default()
    }
}

fn first(run: &RunRecord, proposed: bool, ja: bool) -> Judged {
    let score = crate::report::number::thousands(run.result.score.unwrap_or(0));
    match (run.result.outcome, ja) {
        (Outcome::Pass, false) if proposed => Judged::ends(
            Verdict::Accept,
            format!("the first run of this series passes with {score}: it is the baseline once it is merged"),
        ),
        (Outcome::Pass, true) if proposed => Judged::ends(
            Verdict::Accept,
            format!("この系列の最初の計測が {score} 点で合格: マージされると基準になります"),
        ),
        (Outcome::Pass, false) => Judged::ends(
            Verdict::Accept,
            format!("the first run of this series passes with {score}: it is the baseline now"),
        ),
        (Outcome::Pass, true) => {
            Judged::ends(Verdict::Accept, format!("この系列の最初の計測が {score} 点で合格: これが基準になります"))
        }
        (_, false) => Judged::ends(Verdict::Revert, format!("fail ({})", reason(run))),
        (_, true) => Judged::ends(Verdict::Revert, format!("不合格 ({})", reason(run))),
    }
}

/// The accepted commit once more: there is nothing to take or to leave, but a failure of it is worth knowing.
fn same_commit(run: &RunRecord, baseline: &RunRecord, ja: bool) -> Judged {
    let number = |run: &RunRecord| crate::report::number::thousands(run.result.score.unwrap_or(0));
    let (new, old) = (number(run), number(baseline));
    match (run.result.outcome, ja) {
        (Outcome::Pass, false) => Judged::ends(
            Verdict::Accept,
            format!("the accepted commit, measured again: {new}, before {old}; it tells how much scores scatter"),
        ),
        (Outcome::Pass, true) => Judged::ends(
            Verdict::Accept,
            format!("採用済みのコミットの再計測: {new} (前回 {old})。スコアのばらつきの記録になります"),
        ),
        (_, false) => Judged::ends(
            Verdict::Inconclusive,
            format!("the accepted commit fails now ({}): it fails at times, or the hosts have changed", reason(run)),
        ),
        (_, true) => Judged::ends(
            Verdict::Inconclusive,
            format!("採用済みのコミットが不合格 ({}): 時々失敗するか、ホストの状態が変わっています", reason(run)),
        ),
    }
}

fn reason(run: &RunRecord) -> &str {
    run.result.reason.as_deref().unwrap_or("no reason given")
}

/// Earlier runs of the series that say something, each a deploy of its own.
fn history(question: &Question<'_>, series: &str, today: &[(Side, RunRecord)]) -> Vec<RunFacts> {
    let told = |entry: &&Entry| {
        entry.run.series.key == series
            && entry.run.violations.is_empty()
            && entry.run.result.outcome != Outcome::Invalid
            && today.iter().all(|(_, run)| run.id != entry.run.id)
    };
    question.entries.iter().filter(told).map(|entry| facts(&entry.run)).collect()
}

fn facts(run: &RunRecord) -> RunFacts {
    RunFacts {
        commit: run.commit.clone(),
        score: run.result.score,
        pass: Some(run.result.outcome == Outcome::Pass),
        codes: run.result.codes.clone(),
        id: Some(run.id.clone()),
    }
}

fn code_row(row: &crate::verdict::correctness::CodeRow, format: &str, ja: bool) -> CodeRow {
    let known = format.parse().ok().and_then(|format| result::code_name(format, &row.code));
    let rule = match (row.rule, ja) {
        (Rule::Deny, false) => "denied".to_string(),
        (Rule::Deny, true) => "禁止".into(),
        (Rule::Allow, false) => format!("at most {} a run", row.allowed.unwrap_or(0)),
        (Rule::Allow, true) => format!("1 計測あたり {} 件まで", row.allowed.unwrap_or(0)),
        (Rule::NoMoreThanBaseline, false) => match row.p {
            Some(p) => format!("no more than the baseline (p = {p:.2})"),
            None => "no more than the baseline".into(),
        },
        (Rule::NoMoreThanBaseline, true) => match row.p {
            Some(p) => format!("基準より増えないこと (p = {p:.2})"),
            None => "基準より増えないこと".into(),
        },
        (Rule::Ignore, false) => "ignored".into(),
        (Rule::Ignore, true) => "無視".into(),
    };
    CodeRow {
        code: row.code.clone(),
        name: known.map(|info| info.name.to_string()).or_else(|| row.name.clone()),
        baseline: if row.old_runs == 0 { 0.0 } else { row.old as f64 / row.old_runs as f64 },
        candidate: row.new,
        rule,
        vetoes: row.effect == Effect::Revert,
    }
}

/// The answer in one line.
pub fn one_line(judged: &Judged) -> String {
    let first = judged.reasons.first().map(String::as_str).unwrap_or_default();
    match (judged.verdict, judged.next) {
        (Some(verdict), _) => format!("{verdict}: {first}"),
        (None, Some(Side::Candidate)) => format!("not decided, the candidate again: {first}"),
        (None, Some(Side::Baseline)) => format!("not decided, the baseline again: {first}"),
        (None, None) => first.to_string(),
    }
}

fn decision_record(
    run: &RunRecord,
    baseline: Option<&Entry>,
    options: &BenchOptions,
    verdict: Verdict,
    reasons: Vec<String>,
) -> DecisionRecord {
    DecisionRecord {
        schema_version: SCHEMA_VERSION.into(),
        run: run.id.clone(),
        baseline: baseline.map(|entry| entry.run.id.clone()),
        intent: options.intent,
        preset: options.preset,
        decisions: vec![Decision {
            verdict,
            reasons,
            by: "isugate".into(),
            by_person: false,
            at: jiff::Timestamp::now().to_string(),
        }],
        unknown: serde_json::Map::new(),
    }
}

/// Records a run with its verdict.
///
/// # Errors
/// The repository.
pub fn append(
    ledger: &Ledger,
    run: &RunRecord,
    baseline: Option<&Entry>,
    options: &BenchOptions,
    judged: &Judged,
) -> Result<DecisionRecord, Failure> {
    let verdict = judged.verdict.unwrap_or(Verdict::Inconclusive);
    let record = decision_record(run, baseline, options, verdict, judged.reasons.clone());
    ledger.append(run, &record).map_err(broken)?;
    Ok(record)
}

/// Records a run that is part of a comparison which another run decides.
///
/// # Errors
/// The repository.
pub fn append_part(
    ledger: &Ledger,
    run: &RunRecord,
    baseline: Option<&Entry>,
    options: &BenchOptions,
    why: &str,
) -> Result<(), Failure> {
    let verdict = if run.result.outcome == Outcome::Invalid { Verdict::Invalid } else { Verdict::Inconclusive };
    ledger.append(run, &decision_record(run, baseline, options, verdict, vec![why.into()])).map_err(broken)
}

fn broken(e: crate::ledger::LedgerError) -> Failure {
    let next = "the run's files are kept; see `git log` of the ledger's branch";
    Failure::new(Exit::Failed, format!("the ledger: {e}"), next)
}

/// Shares the ledger; what could not be shared is a warning, never a failure.
pub fn share(ledger: &Ledger) -> Vec<String> {
    match ledger.sync() {
        Ok(report) => report.warning.into_iter().collect(),
        Err(error) => vec![format!("the ledger is not shared: {error}; it goes with the next run")],
    }
}
