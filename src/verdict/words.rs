//! The reasons for a verdict, in a contestant's words, English or Japanese.

use super::code_names::NameOf;
use super::correctness::CodeRow;
use super::facts::{Intent, Language, Side};
use super::{words_en, words_ja};

/// Why the gate says what it says. Effects and noise are shares (0.05 is 5 %), times are runs.
#[derive(Clone, Debug, PartialEq)]
pub enum Reason {
    /// The first run of a series becomes its baseline.
    FirstBaseline { score: Option<i64> },
    /// The candidate is the baseline.
    Same { commit: String },
    /// The benchmarker said `pass=false`.
    Failed { score: Option<i64>, codes: Vec<(String, u64)> },
    /// A run of the candidate gave no whole result.
    NoResult,
    /// The baseline itself fails today.
    BaselineFails { runs: usize },
    /// `pass=true` with nothing scored, where the baseline scores.
    ScoredNothing { baseline: Option<i64> },
    /// A code decides.
    Code { row: CodeRow, new_score: Option<i64>, old_score: Option<i64> },
    /// A code was seen once.
    CodeOnce { row: CodeRow, one_more: bool },
    /// Better.
    Better { effect: f64, least: f64, low: f64, runs: usize, p: f64, intent: Intent },
    /// Not better, or worse.
    NotBetter { effect: f64, low: f64, high: f64, runs: usize, p: f64, intent: Intent },
    /// Going on is not worth it, or the budget is used up.
    CannotTell { effect: f64, low: f64, high: f64, runs: usize, p: f64, capped: bool },
    /// What it would cost to know.
    MoreRuns { runs: usize, minutes: Option<f64>, to_tell: f64 },
    /// Where the test stands, and what comes next.
    GoOn { p: f64, runs: usize, budget: usize, next: Side },
    /// The candidate falls into the low mode more often.
    MoreOftenLow { p: f64, factor: f64, net: f64 },
    /// A baseline run of today that cannot be used.
    BaselineUnusable { runs: usize },
    /// A green run is not proof.
    Unseen { runs: usize, bound: f64 },
}

/// A whole number with its thousands apart: `637,737`.
pub fn grouped(n: i64) -> String {
    let digits = n.unsigned_abs().to_string();
    let mut out = String::new();
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(c);
    }
    if n < 0 { format!("-{out}") } else { out }
}

/// An effect on the log scale as a percentage with its sign: `+5.1 %`.
pub(crate) fn percent(log: f64) -> String {
    let x = 100.0 * log.exp_m1();
    let x = if x.abs() < 0.05 { 0.0 } else { x };
    if x.abs() >= 100.0 { format!("{x:+.0} %") } else { format!("{x:+.1} %") }
}

/// A probability that never claims to be certain.
pub(crate) fn chance(p: f64) -> String {
    let x = 100.0 * p;
    if x > 99.9 {
        ">99.9 %".to_owned()
    } else if x < 0.1 {
        "<0.1 %".to_owned()
    } else {
        format!("{x:.1} %")
    }
}

pub(crate) fn score(n: Option<i64>, lang: Language) -> String {
    match (n, lang) {
        (Some(n), _) => grouped(n),
        (None, Language::En) => "no score".to_owned(),
        (None, Language::Ja) => "スコアなし".to_owned(),
    }
}

pub(crate) fn code(code: &str, name: Option<&str>) -> String {
    match name {
        Some(name) => format!("{code} {name}"),
        None => code.to_owned(),
    }
}

pub(crate) fn list(codes: &[(String, u64)], name_of: NameOf) -> String {
    let named = codes.iter().map(|(c, n)| format!("{} ×{n}", code(c, name_of(c))));
    named.collect::<Vec<_>>().join(", ")
}

pub(crate) fn plural(n: usize, one: &str) -> String {
    if n == 1 { format!("1 {one}") } else { format!("{n} {one}s") }
}

impl Reason {
    /// The sentence.
    pub fn say(&self, lang: Language, name_of: NameOf) -> String {
        match lang {
            Language::En => words_en::say(self, name_of),
            Language::Ja => words_ja::say(self, name_of),
        }
    }
}

/// `637,737 > 567,276, but `, where the score alone would have spoken for the candidate.
pub(crate) fn head(new: Option<i64>, old: Option<i64>, but: &str) -> String {
    match (new, old) {
        (Some(n), Some(o)) if n > o => format!("{} > {}{but}", grouped(n), grouped(o)),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::code_names::isucon14;
    use super::super::correctness::{Effect, Rule};
    use super::*;

    fn thirteen() -> Reason {
        let row = CodeRow {
            code: "30".into(),
            name: isucon14("30").map(str::to_owned),
            old: 0,
            old_runs: 1,
            new: 13,
            new_runs: 1,
            rule: Rule::NoMoreThanBaseline,
            allowed: None,
            p: Some(1e-4),
            effect: Effect::Revert,
        };
        Reason::Code { row, new_score: Some(637_737), old_score: Some(567_276) }
    }

    #[test]
    fn a_contestant_would_say_it_so() {
        assert_eq!(
            thirteen().say(Language::En, isucon14),
            "637,737 > 567,276, but code 30 WrongNearbyChairs ×13 (baseline 0): revert"
        );
        assert_eq!(
            thirteen().say(Language::Ja, isucon14),
            "637,737 > 567,276 だが、コード 30 WrongNearbyChairs ×13 (基準 0): revert"
        );
    }

    #[test]
    fn numbers_read_well() {
        assert_eq!(grouped(1_234_567), "1,234,567");
        assert_eq!(grouped(-999), "-999");
        assert_eq!(percent(0.0002), "+0.0 %");
        assert_eq!(percent(-0.05), "-4.9 %");
        assert_eq!(chance(0.99999), ">99.9 %");
    }
}
