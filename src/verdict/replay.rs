//! Judging a file of runs in time order, each against the last accepted one.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::facts::{Language, RunFacts, Verdict};
use super::gate::Gate;
use super::step::Request;
use crate::config::shape::CodePolicy;

/// One run of the file, with what a person decided, if anything.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Entry {
    /// The run's id.
    pub id: Option<String>,
    /// What was deployed; absent where nobody wrote it down, and then like no other.
    pub commit: Option<String>,
    /// Score as it may be compared.
    pub score: Option<i64>,
    /// What the benchmarker said.
    pub pass: Option<bool>,
    /// Error codes with their counts.
    pub codes: Option<BTreeMap<String, u64>>,
    /// What a person decided: `accept` moves the baseline here, anything else leaves it where it is.
    pub decision: Option<String>,
}

/// What the gate says of one run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// The run's id.
    pub id: Option<String>,
    /// The verdict.
    pub verdict: Verdict,
    /// The run that it was compared with: the last accepted one's id (or commit, if it has none).
    pub baseline: Option<String>,
    /// The commit of that run.
    pub baseline_commit: Option<String>,
    /// Why.
    pub reasons: Vec<String>,
    /// What the person decided, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decision: Option<String>,
}

/// How a file is judged.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Options {
    /// Rules for error codes.
    pub codes: CodePolicy,
    /// Which contest's names the error codes have.
    pub contest: Option<String>,
    /// Language of the reasons.
    pub lang: Language,
}

/// A replay under way. Feed it the runs in time order.
#[derive(Clone, Debug, Default)]
pub struct Replay {
    options: Options,
    gate: Gate,
    history: Vec<RunFacts>,
    /// Runs since the baseline was accepted.
    since: Vec<RunFacts>,
    baseline: Option<Entry>,
    baseline_key: Option<String>,
    seen: usize,
}

impl Replay {
    /// Before the first run.
    pub fn new(options: Options) -> Self {
        Self { options, ..Self::default() }
    }

    /// Judges the next run: the runs of this commit and of the baseline since that was accepted are one comparison, and
    /// it ends here.
    pub fn next(&mut self, entry: Entry) -> Line {
        self.seen += 1;
        let run = RunFacts {
            // No commit is named with a control character, so an unnamed one is like no other.
            commit: entry.commit.clone().unwrap_or_else(|| format!("\u{1}{}", self.seen)),
            score: entry.score,
            pass: entry.pass,
            codes: entry.codes.clone(),
            id: entry.id.clone(),
        };
        let of_comparison = |r: &&RunFacts| r.commit == run.commit || self.baseline_key.as_ref() == Some(&r.commit);
        let mut today: Vec<RunFacts> = self.since.iter().filter(of_comparison).cloned().collect();
        let usable = |r: &RunFacts| r.log_score().is_some();
        today.retain(usable);
        today.push(run.clone());
        let request = Request {
            history: self.history.clone(),
            baseline: self.baseline_key.clone(),
            candidate: run.commit.clone(),
            budget_runs: Some(today.len()),
            today,
            codes: self.options.codes.clone(),
            contest: self.options.contest.clone(),
            lang: self.options.lang,
            ..Request::default()
        };
        let answer = self.gate.answer(&request);
        let verdict = answer.verdict.unwrap_or(Verdict::Inconclusive);
        let line = Line {
            id: entry.id.clone(),
            verdict,
            baseline: self.baseline.as_ref().and_then(|b| b.id.clone().or(b.commit.clone())),
            baseline_commit: self.baseline.as_ref().and_then(|b| b.commit.clone()),
            reasons: answer.reasons,
            decision: entry.decision.clone(),
        };
        let accepted = match entry.decision.as_deref() {
            Some(decision) => decision == "accept",
            None => verdict == Verdict::Accept,
        };
        self.since.push(run.clone());
        if accepted {
            self.history.append(&mut self.since);
            self.baseline_key = Some(run.commit);
            self.baseline = Some(entry);
        }
        line
    }
}
