//! ISUCON12 qualifier (isuports): three lines at the end of standard output.
//!
//! ```text
//! 13:11:14.000010 Error 2 (Critical:1)
//! 13:11:14.000020 PASSED: true
//! 13:11:14.000033 SCORE: 17800 (+20000 -2200(11%))
//! ```
//! Format: `bench/cmd/bench/main.go` of isucon/isucon12-qualify. An error costs 1 %, a critical one 10 %.

use super::go_log::{self, Log, Reader, between, boolean, contradiction, number, split};
use super::outcome::{Claim, Invalid};

/// The whole line of errors, in numbers.
#[derive(Clone, Copy)]
struct Errors {
    normal: i64,
    critical: i64,
}

#[derive(Clone, Copy)]
struct Score {
    total: i64,
    addition: i64,
    deduction: i64,
    percent: i64,
}

#[derive(Default)]
pub(super) struct Isuports {
    starts: u32,
    pretest_failed: bool,
    cut_off: bool,
    errors: Option<Result<Errors, Invalid>>,
    passed: Option<Result<bool, Invalid>>,
    score: Option<Result<Score, Invalid>>,
    results: u32,
}

impl Reader for Isuports {
    const RESULT_LINES: &'static [&'static str] = &["Error ", "PASSED: ", "SCORE: "];

    fn see(&mut self, text: &str, log: &mut Log) {
        if let Some(rest) = text.strip_prefix("SCORE: ") {
            self.score = Some(score(rest));
            self.results += 1;
        } else if let Some(rest) = text.strip_prefix("PASSED: ") {
            // A new block: what belonged to an earlier one is over.
            self.passed = Some(boolean(rest));
            self.score = None;
        } else if let Some(rest) = text.strip_prefix("Error ") {
            self.errors = Some(errors(rest));
            (self.passed, self.score) = (None, None);
        } else if text.starts_with("初期化リクエストに成功しました") {
            self.starts += 1;
        } else if text.starts_with("初期化リクエストに失敗しました") {
            self.starts += 1;
            log.initialize_failed = true;
        } else if text.starts_with("整合性チェックに失敗しました") {
            self.pretest_failed = true;
        } else if text.starts_with("エラーによる減点が100%になったので") {
            self.cut_off = true;
        } else if let Some((_, chain)) = text.strip_prefix("ERROR[").and_then(|rest| rest.split_once("] ")) {
            log.keep(chain);
        }
    }

    fn conclude(self, log: &mut Log) -> Result<Option<Claim>, Invalid> {
        if self.starts > 1 {
            return Err(go_log::several_runs());
        }
        let (Some(errors), Some(passed), Some(score)) = (self.errors, self.passed, self.score) else {
            return Ok(None);
        };
        let (errors, passed, score) = (errors?, passed?, score?);
        check(errors, score)?;
        if passed && score.total == 0 {
            return Err(contradiction("the run passed with the score 0, which this benchmarker cannot say".to_owned()));
        }
        go_log::single(self.results, passed)?;
        for (code, count) in [("normal", errors.normal), ("critical", errors.critical)] {
            if count > 0 {
                log.codes.insert(code.to_owned(), count.unsigned_abs());
            }
        }
        let reason = if log.initialize_failed {
            "initialize"
        } else if self.pretest_failed {
            "pretest"
        } else if self.cut_off {
            "too_many_errors"
        } else if score.total == 0 {
            "score_not_positive"
        } else {
            "reported_fail"
        };
        Ok(Some(log.claim(passed, score.total, reason)))
    }
}

/// `2 (Critical:1)`
fn errors(rest: &str) -> Result<Errors, Invalid> {
    let (all, critical) = split(rest, " (Critical:")?;
    let (all, critical) = (number(all)?, number(between(critical, "", ")")?)?);
    match all.checked_sub(critical) {
        Some(normal) if critical >= 0 && normal >= 0 => Ok(Errors { normal, critical }),
        _ => Err(contradiction(format!("{critical} critical errors of {all} in all"))),
    }
}

/// `17800 (+20000 -2200(11%))`
fn score(rest: &str) -> Result<Score, Invalid> {
    let (total, rest) = split(rest, " (+")?;
    let (addition, rest) = split(rest, " ")?;
    let (deduction, rest) = split(rest, "(")?;
    let percent = between(rest, "", "%))")?;
    let deduction = number(deduction)?;
    let score = Score {
        total: number(total)?,
        addition: number(addition)?,
        // Printed negated.
        deduction: deduction.checked_neg().ok_or_else(|| contradiction(format!("a deduction of {deduction}")))?,
        percent: number(percent)?,
    };
    if score.total < 0 || score.addition < 0 || score.deduction < 0 || score.percent < 0 {
        return Err(Invalid::new(super::ErrorKind::OutOfRange, "a figure of the score is below 0"));
    }
    Ok(score)
}

fn check(errors: Errors, score: Score) -> Result<(), Invalid> {
    let (addition, percent) = (i128::from(score.addition), i128::from(score.percent));
    if percent != i128::from(errors.normal) + 10 * i128::from(errors.critical) {
        return Err(contradiction(format!("the deduction is {percent} %, which the errors do not add up to")));
    }
    if i128::from(score.deduction) != addition * percent / 100 {
        return Err(contradiction(format!("a deduction of {} is not {percent} % of {addition}", score.deduction)));
    }
    if score.total != score.addition.saturating_sub(score.deduction).max(0) {
        return Err(contradiction(format!("the score {} is not {addition} minus {}", score.total, score.deduction)));
    }
    Ok(())
}
