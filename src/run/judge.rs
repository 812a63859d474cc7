//! The stage judge: what the gate is asked, and what of its answer is recorded. `isugate judge --step` asks the same function.

use super::{BenchOptions, Setting, noise};
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
    /// The commit to compare with: the last accepted one of the series, usually.
    pub baseline: Option<String>,
    /// What the change must do.
    pub intent: Intent,
    /// How bold to be.
    pub preset: Preset,
    /// Runs that the decision may cost; the preset's where it is not said.
    pub budget: Option<usize>,
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
    let codes = &question.setting.config.verdict.codes;
    let request = Request {
        history: history(question, &run.series.key, today),
        baseline: question.baseline.as_deref().map(short),
        candidate: short(&run.commit),
        today: today.iter().map(|(_, run)| facts(run)).collect(),
        preset: question.preset,
        intent: question.intent,
        budget_runs: question.budget,
        codes: codes.clone(),
        contest: Some(question.setting.config.contest.clone()),
        lang: question.setting.config.report.language,
        run_seconds: Some(run.stages.values().sum()),
    };
    let mut answer = step::answer(&request);
    if question.setting.proposal.is_some() && request.baseline.is_none() && answer.verdict == Some(Verdict::Accept) {
        answer.reasons.push(match ja {
            true => "まだマージされていません。マージされると main の基準になります".into(),
            false => "nobody has merged it yet: it is a baseline once it is merged".into(),
        });
    }
    let rows = answer.codes.iter().map(|row| code_row(row, &run.bench.format, ja)).collect();
    Judged {
        verdict: answer.verdict,
        next: answer.next,
        reasons: answer.reasons,
        codes: rows,
        noise: noise::sentences(&answer.state, ja),
    }
}

fn invalid(run: &RunRecord, ja: bool) -> Judged {
    let reasons = match (&run.result.error, run.violations.is_empty()) {
        (_, false) => run.violations.clone(),
        (Some(error), true) => vec![error.message.clone()],
        (None, true) => vec!["no result".into()],
    };
    let says_nothing = match ja {
        true => "この計測はコードについて何も示していません。もう一度計測してください (--rerun 2 で自動)",
        false => "this run says nothing about the code; run it again (--rerun 2 does so by itself)",
    };
    Judged {
        verdict: Some(Verdict::Invalid),
        reasons: reasons.into_iter().chain([says_nothing.into()]).collect(),
        ..Judged::default()
    }
}

/// Commits as reasons show them: twelve digits tell any two apart here.
fn short(commit: &str) -> String {
    commit.chars().take(12).collect()
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

/// The runs of the newest run's series that say something, for simulating with a team's own noise.
///
/// # Errors
/// The repository; no run yet.
pub fn newest_series(work_tree: &std::path::Path, config: &crate::config::Config) -> Result<Vec<RunFacts>, Failure> {
    let ledger = Ledger::open(work_tree, &config.ledger.branch, config.ledger.remote.as_deref()).map_err(broken)?;
    let entries = ledger.runs().map_err(broken)?.entries;
    let Some(newest) = entries.last() else {
        return Err(Failure::new(Exit::Failed, "the ledger holds no run yet", "`isugate bench` makes the first"));
    };
    let tells = |entry: &&Entry| {
        entry.run.series.key == newest.run.series.key
            && entry.run.violations.is_empty()
            && entry.run.result.outcome != Outcome::Invalid
    };
    Ok(entries.iter().filter(tells).map(|entry| facts(&entry.run)).collect())
}

fn facts(run: &RunRecord) -> RunFacts {
    RunFacts {
        commit: short(&run.commit),
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

/// Said when the time is up before the gate has decided.
pub fn time_is_up(setting: &Setting) -> String {
    match setting.config.report.language {
        Language::En => "the time for this comparison is used up: inconclusive".into(),
        Language::Ja => "この比較のための時間を使い切りました: 判定できません".into(),
    }
}

/// The answer in one line.
pub fn one_line(judged: &Judged) -> String {
    let first = judged.reasons.first().map(String::as_str).unwrap_or_default();
    match (judged.verdict, judged.next) {
        (Some(verdict), _) => format!("{}: {first}", crate::ledger::verdict_word(verdict)),
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

/// Records the last run of a comparison of two commits of somebody's choice: what came out, and no change of what is accepted.
///
/// # Errors
/// The repository.
pub fn append_comparison(
    ledger: &Ledger,
    run: &RunRecord,
    against: &super::Commit,
    options: &BenchOptions,
    judged: &Judged,
) -> Result<DecisionRecord, Failure> {
    let verdict = judged.verdict.unwrap_or(Verdict::Inconclusive);
    let word = crate::ledger::verdict_word(verdict);
    let mut reasons = vec![format!("compared with {} {}: {word}", &against.id[..12], against.subject)];
    reasons.extend(judged.reasons.iter().cloned());
    let recorded = if verdict == Verdict::Invalid { Verdict::Invalid } else { Verdict::Inconclusive };
    let record = decision_record(run, None, options, recorded, reasons);
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
