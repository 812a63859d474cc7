//! Correctness before score: a failed run, and error codes by count against the baseline and the policy.
//!
//! Counts decide, not presence: an application in which nothing is wrong shows a soft code once or twice, and a wrong
//! page shows dozens.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::binomial::more_frequent;
use super::code_names::NameOf;
use super::facts::RunFacts;
use crate::config::shape::{Code, CodeDefault, CodePolicy};

/// A code is more frequent than chance allows if its p-value is below this (after Holm's correction over the codes).
pub const LEVEL: f64 = 0.01;

/// Which rule holds for a code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// One occurrence reverts.
    Deny,
    /// Allowed up to a number a run.
    Allow,
    /// Not more often than in the baseline's runs.
    NoMoreThanBaseline,
    /// Of no effect.
    Ignore,
}

/// What a code does to the verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Effect {
    /// Nothing.
    None,
    /// It is said, and one more run is asked for if the baseline never showed it.
    Warn,
    /// The candidate is taken back.
    Revert,
}

/// One error code on both sides.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CodeRow {
    /// As the benchmarker prints it.
    pub code: String,
    /// Its name, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Occurrences in the baseline's runs.
    pub old: u64,
    /// The baseline's runs whose codes are known.
    pub old_runs: usize,
    /// Occurrences in the candidate's runs.
    pub new: u64,
    /// The candidate's runs whose codes are known.
    pub new_runs: usize,
    /// Which rule was applied.
    pub rule: Rule,
    /// The limit of an `allow` rule.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allowed: Option<u64>,
    /// One-sided p-value of "no more frequent than in the baseline", where that can be tested.
    pub p: Option<f64>,
    /// What follows.
    pub effect: Effect,
}

/// What the runs say about correctness.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Findings {
    /// Index among the candidate's runs of the first that failed.
    pub failed: Option<usize>,
    /// Every code that either side showed, sorted by code.
    pub rows: Vec<CodeRow>,
    /// Whether one more run of the candidate is asked for, because a code is new and was seen in a single run.
    pub one_more: bool,
}

impl Findings {
    /// Whether the candidate is taken back whatever it scored.
    pub fn reverts(&self) -> bool {
        self.failed.is_some() || self.rows.iter().any(|r| r.effect == Effect::Revert)
    }
}

/// Judges the candidate's runs against the baseline's (earlier ones and today's). Runs whose codes nobody wrote down
/// count on neither side.
pub fn judge(candidate: &[&RunFacts], baseline: &[&RunFacts], policy: &CodePolicy, name_of: NameOf) -> Findings {
    let failed = candidate.iter().position(|r| r.pass == Some(false));
    let codes: BTreeSet<&str> = candidate
        .iter()
        .chain(baseline)
        .filter_map(|r| r.codes.as_ref())
        .flat_map(|c| c.keys().map(String::as_str))
        .collect();
    let (new_runs, old_runs) = (known(candidate), known(baseline));
    let mut rows: Vec<CodeRow> = codes
        .into_iter()
        .map(|code| row(code, candidate, baseline, policy, name_of))
        .filter(|r| r.new > 0 || r.old > 0)
        .collect();
    rows.sort_by_key(|r| (r.code.parse::<u64>().unwrap_or(u64::MAX), r.code.clone()));
    holm(&mut rows);
    let one_more = new_runs == 1 && old_runs > 0 && rows.iter().any(|r| r.effect == Effect::Warn && r.old == 0);
    Findings { failed, rows, one_more }
}

fn known(runs: &[&RunFacts]) -> usize {
    runs.iter().filter(|r| r.codes.is_some()).count()
}

fn counts(runs: &[&RunFacts], code: &str) -> (u64, u64) {
    runs.iter()
        .filter_map(|r| r.codes.as_ref()?.get(code).copied())
        .fold((0, 0), |(sum, most): (u64, u64), n| (sum.saturating_add(n), most.max(n)))
}

fn row(code: &str, candidate: &[&RunFacts], baseline: &[&RunFacts], policy: &CodePolicy, name_of: NameOf) -> CodeRow {
    let (new, most) = counts(candidate, code);
    let (old, _) = counts(baseline, code);
    let (new_runs, old_runs) = (known(candidate), known(baseline));
    let key = Code(code.to_owned());
    let (rule, allowed, p, effect) = if policy.deny.contains(&key) {
        (Rule::Deny, None, None, if new > 0 { Effect::Revert } else { Effect::None })
    } else if let Some(&limit) = policy.allow.get(&key) {
        (Rule::Allow, Some(limit), None, if most > limit { Effect::Revert } else { Effect::None })
    } else if policy.default == CodeDefault::Ignore {
        (Rule::Ignore, None, None, Effect::None)
    } else {
        let p = (old_runs > 0 && new > 0).then(|| more_frequent(new, new_runs, old, old_runs));
        let effect = if new > 0 && old == 0 { Effect::Warn } else { Effect::None };
        (Rule::NoMoreThanBaseline, None, p, effect)
    };
    let name = name_of(code).map(str::to_owned);
    CodeRow { code: code.to_owned(), name, old, old_runs, new, new_runs, rule, allowed, p, effect }
}

/// Holm's step-down correction: the smallest p-value against `LEVEL / m`, the next against `LEVEL / (m - 1)`, and so on.
fn holm(rows: &mut [CodeRow]) {
    let mut order: Vec<(f64, usize)> = rows.iter().enumerate().filter_map(|(i, r)| Some((r.p?, i))).collect();
    order.sort_by(|a, b| a.0.total_cmp(&b.0));
    let m = order.len();
    for (k, (p, i)) in order.into_iter().enumerate() {
        if p >= LEVEL / (m - k) as f64 {
            break;
        }
        rows[i].effect = Effect::Revert;
    }
}

#[cfg(test)]
mod tests {
    use super::super::code_names::isucon14;
    use super::*;

    fn run(codes: &[(&str, u64)]) -> RunFacts {
        let codes = codes.iter().map(|(c, n)| ((*c).to_owned(), *n)).collect();
        RunFacts { score: Some(100), pass: Some(true), codes: Some(codes), ..RunFacts::default() }
    }

    fn find(candidate: &[RunFacts], baseline: &[RunFacts], policy: &CodePolicy) -> Findings {
        let c: Vec<&RunFacts> = candidate.iter().collect();
        let b: Vec<&RunFacts> = baseline.iter().collect();
        judge(&c, &b, policy, isucon14)
    }

    #[test]
    fn thirteen_wrong_answers_revert_and_one_warns() {
        let base = [run(&[("17", 2)])];
        let f = find(&[run(&[("30", 13)])], &base, &CodePolicy::default());
        assert!(f.reverts());
        assert_eq!(f.rows[1].name.as_deref(), Some("WrongNearbyChairs"));
        let f = find(&[run(&[("26", 1)])], &base, &CodePolicy::default());
        assert!(!f.reverts() && f.one_more);
        let f = find(&[run(&[("26", 1)]), run(&[])], &base, &CodePolicy::default());
        assert!(!f.reverts() && !f.one_more);
    }

    #[test]
    fn a_code_that_the_baseline_shows_as_well_is_no_news() {
        let base = [run(&[("26", 1)]), run(&[]), run(&[("26", 2)])];
        let f = find(&[run(&[("26", 2)]), run(&[("26", 1)])], &base, &CodePolicy::default());
        assert!(!f.reverts() && !f.one_more);
        assert!(find(&[run(&[("26", 34)])], &base, &CodePolicy::default()).reverts());
    }

    #[test]
    fn a_baseline_whose_codes_nobody_wrote_down_proves_nothing() {
        let unknown = RunFacts { codes: None, ..run(&[]) };
        let f = find(&[run(&[("17", 6)])], &[unknown], &CodePolicy::default());
        assert!(!f.reverts() && !f.one_more);
        assert_eq!(f.rows[0].p, None);
    }

    #[test]
    fn the_policy_comes_first() -> Result<(), serde_json::Error> {
        let policy: CodePolicy = serde_json::from_str(r#"{"deny":[34],"allow":{"17":10}}"#)?;
        let base = [run(&[])];
        assert!(find(&[run(&[("34", 1)])], &base, &policy).reverts());
        assert!(!find(&[run(&[("17", 10)]), run(&[("17", 9)])], &base, &policy).reverts());
        assert!(find(&[run(&[("17", 11)])], &base, &policy).reverts());
        Ok(())
    }

    #[test]
    fn a_failed_run_reverts() {
        let failed = RunFacts { pass: Some(false), ..run(&[]) };
        let f = find(&[run(&[]), failed], &[run(&[])], &CodePolicy::default());
        assert_eq!(f.failed, Some(1));
        assert!(f.reverts());
    }
}
