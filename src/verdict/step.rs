//! The gate as a pure function: what is known of a comparison in, a verdict or the next run out.
//!
//! Integrity was settled before (a spoiled run is not among today's). Here correctness comes first, then the score.

use serde::{Deserialize, Serialize};

use super::code_names::{self, NameOf};
use super::correctness::{self, CodeRow, Effect, Findings};
use super::facts::{Intent, Language, Preset, RunFacts, Side, Verdict};
use super::gate::Gate;
use super::state::State;
use super::words::Reason;
use crate::config::shape::CodePolicy;

/// A comparison: everything the verdict depends on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Request {
    /// Earlier runs of the series in time order, each a deploy of its own, the baseline's among them.
    pub history: Vec<RunFacts>,
    /// The last accepted commit; absent in a series that has none.
    pub baseline: Option<String>,
    /// The commit that is judged.
    pub candidate: String,
    /// The runs of this comparison in time order.
    pub today: Vec<RunFacts>,
    /// Sets the budget where none is given.
    pub preset: Preset,
    /// What the change is meant to do.
    pub intent: Intent,
    /// Runs of both sides together that the comparison may take.
    pub budget_runs: Option<usize>,
    /// Rules for error codes.
    pub codes: CodePolicy,
    /// Which contest's names the error codes have.
    pub contest: Option<String>,
    /// Language of the reasons.
    pub lang: Language,
    /// How long a run lasts with its deploy, seconds, so that more runs can be said in minutes.
    pub run_seconds: Option<f64>,
}

/// The answer: a verdict, or which side to run next. Never both, never neither.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// The verdict, if there is one.
    pub verdict: Option<Verdict>,
    /// Which side to deploy and run next, if there is no verdict yet.
    pub next: Option<Side>,
    /// Why, most important first.
    pub reasons: Vec<String>,
    /// Error codes on both sides.
    pub codes: Vec<CodeRow>,
    /// Where the test stands.
    pub state: State,
}

/// Answers one request. [`Gate::answer`] gives the same answers and remembers the ledger from one to the next.
pub fn answer(request: &Request) -> Answer {
    Gate::default().answer(request)
}

/// A decision before it is put in words.
pub(crate) struct Decision {
    pub(crate) verdict: Option<Verdict>,
    pub(crate) next: Option<Side>,
    pub(crate) reasons: Vec<Reason>,
}

impl Decision {
    pub(crate) fn verdict(verdict: Verdict, reasons: Vec<Reason>) -> Self {
        Self { verdict: Some(verdict), next: None, reasons }
    }

    pub(crate) fn next(side: Side, reasons: Vec<Reason>) -> Self {
        Self { verdict: None, next: Some(side), reasons }
    }
}

impl Request {
    /// Runs that the comparison may take; at least one.
    pub fn budget(&self) -> usize {
        self.budget_runs.unwrap_or_else(|| self.preset.budget()).max(1)
    }

    /// The baseline, unless the series has none.
    pub(crate) fn base(&self) -> Option<&str> {
        self.baseline.as_deref()
    }

    /// Which side a run of today belongs to.
    pub(crate) fn side(&self, run: &RunFacts) -> Option<Side> {
        if run.commit == self.candidate {
            Some(Side::Candidate)
        } else if self.base() == Some(run.commit.as_str()) {
            Some(Side::Baseline)
        } else {
            None
        }
    }

    fn todays(&self, side: Side) -> Vec<&RunFacts> {
        self.today.iter().filter(|r| self.side(r) == Some(side)).collect()
    }

    /// Runs of today that belong to either side.
    pub(crate) fn used(&self) -> usize {
        self.today.iter().filter(|r| self.side(r).is_some()).count()
    }

    /// The function that names this contest's codes.
    pub(crate) fn name_of(&self) -> NameOf {
        match self.contest.as_deref() {
            None | Some("isucon14") => code_names::isucon14,
            Some(_) => code_names::none,
        }
    }

    /// What the error codes say.
    pub(crate) fn findings(&self) -> Findings {
        let candidate = self.todays(Side::Candidate);
        let earlier = self.history.iter().filter(|r| self.base() == Some(r.commit.as_str()));
        let baseline: Vec<&RunFacts> =
            earlier.chain(self.todays(Side::Baseline)).filter(|r| r.pass != Some(false)).collect();
        correctness::judge(&candidate, &baseline, &self.codes, self.name_of())
    }

    /// The best-known score of the baseline: of its latest run that has one.
    fn baseline_score(&self) -> Option<i64> {
        let of_base = |r: &&RunFacts| self.base() == Some(r.commit.as_str());
        let runs = self.history.iter().chain(&self.today).filter(of_base);
        runs.filter(|r| r.log_score().is_some()).filter_map(|r| r.score).next_back()
    }

    /// The verdict that needs no look at the size of the score, if there is one.
    pub(crate) fn before_score(&self, findings: &Findings) -> Option<Decision> {
        let candidate = self.todays(Side::Candidate);
        if let Some(failed) = findings.failed.and_then(|i| candidate.get(i)) {
            let codes = failed.codes.iter().flatten().filter(|c| *c.1 > 0);
            let codes = codes.map(|(c, n)| (c.clone(), *n)).collect();
            let reason = Reason::Failed { score: failed.score, codes };
            return Some(Decision::verdict(Verdict::Revert, vec![reason]));
        }
        if self.base() == Some(self.candidate.as_str()) {
            let same = Reason::Same { commit: self.candidate.clone() };
            return Some(Decision::verdict(Verdict::Inconclusive, vec![same]));
        }
        let last = self.today.iter().rfind(|r| self.side(r).is_some());
        let empty = |r: &&RunFacts| r.score.is_none() && self.side(r) == Some(Side::Candidate);
        if last.filter(empty).is_some() {
            return Some(Decision::verdict(Verdict::Invalid, vec![Reason::NoResult]));
        }
        let old_score = self.baseline_score();
        if candidate.iter().any(|r| r.score.is_some_and(|s| s <= 0)) {
            return Some(match old_score {
                Some(_) => {
                    let reason = Reason::ScoredNothing { baseline: old_score };
                    Decision::verdict(Verdict::Revert, vec![reason])
                }
                None => Decision::verdict(Verdict::Invalid, vec![Reason::NoResult]),
            });
        }
        let new_score = candidate.iter().filter_map(|r| r.score).next_back();
        let reverting = findings.rows.iter().filter(|r| r.effect == Effect::Revert);
        let reasons: Vec<Reason> =
            reverting.map(|row| Reason::Code { row: row.clone(), new_score, old_score }).collect();
        if !reasons.is_empty() {
            return Some(Decision::verdict(Verdict::Revert, reasons));
        }
        let failing = self.todays(Side::Baseline).iter().filter(|r| r.pass == Some(false)).count();
        if failing >= 2 {
            let reason = Reason::BaselineFails { runs: failing };
            return Some(Decision::verdict(Verdict::Invalid, vec![reason]));
        }
        None
    }

    /// A series without a baseline: the first run that passes becomes it.
    pub(crate) fn first_of_series(&self) -> Decision {
        match self.todays(Side::Candidate).last() {
            None => Decision::next(Side::Candidate, Vec::new()),
            Some(run) => {
                let reason = Reason::FirstBaseline { score: run.score };
                Decision::verdict(Verdict::Accept, vec![reason])
            }
        }
    }
}
