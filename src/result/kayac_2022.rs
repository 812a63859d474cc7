//! kayac-isucon-2022 (Listen80): the line `SCORE:` on standard output. There is no word for pass: a score above 0 is one.
//!
//! ```text
//! 17:42:21.650368 SCORE: 640 (+650 -10)
//! 17:42:21.650445 RESULT: score.ScoreTable{…}
//! ```
//! Format: `bench/cmd/bench/main.go` of kayac/kayac-isucon-2022. Every error costs 10 points; 30 are listed at most.

use super::ErrorKind;
use super::go_log::{self, Log, Reader, between, contradiction, number, split};
use super::outcome::{Claim, Invalid};

const CODES: [&str; 9] =
    ["load-json", "agent", "request", "status-code", "cache-control", "broken-json", "path", "failed", "validation"];
const POINTS_PER_ERROR: i64 = 10;

struct Score {
    total: i64,
    addition: i64,
    deduction: i64,
}

#[derive(Default)]
pub(super) struct Listen80 {
    starts: u32,
    score: Option<Result<Score, Invalid>>,
    results: u32,
    listed: i64,
}

impl Reader for Listen80 {
    const RESULT_LINES: &'static [&'static str] = &["SCORE: "];

    fn see(&mut self, text: &str, log: &mut Log) {
        if let Some(rest) = text.strip_prefix("SCORE: ") {
            self.score = Some(score(rest));
            self.results += 1;
        } else if let Some((_, chain)) = text.strip_prefix("ERROR[").and_then(|rest| rest.split_once("] ")) {
            self.listed += 1;
            log.error(chain, &CODES);
        } else if text.starts_with("負荷テストを開始します") {
            log.loaded = true;
            self.starts += 1;
        }
    }

    fn conclude(self, log: &mut Log) -> Result<Option<Claim>, Invalid> {
        if self.starts > 1 {
            return Err(go_log::several_runs());
        }
        let Some(score) = self.score else {
            return Ok(None);
        };
        let score = score?;
        if score.total != score.addition.saturating_sub(score.deduction).max(0) {
            return Err(contradiction(format!(
                "the score {} is not {} minus {}",
                score.total, score.addition, score.deduction
            )));
        }
        if score.deduction % POINTS_PER_ERROR != 0 {
            return Err(contradiction(format!("a deduction of {} is no multiple of 10", score.deduction)));
        }
        let passed = score.total > 0;
        go_log::single(self.results, passed)?;
        if self.listed != score.deduction / POINTS_PER_ERROR {
            log.notes.warn("codes_are_incomplete");
        }
        let reason = if log.initialize_failed {
            "initialize"
        } else if score.addition == 0 && self.listed > 0 && !log.loaded {
            "pretest"
        } else {
            "score_not_positive"
        };
        Ok(Some(log.claim(passed, score.total, reason)))
    }
}

/// `640 (+650 -10)`; without deduction `610 (+610 0)`
fn score(rest: &str) -> Result<Score, Invalid> {
    let (total, rest) = split(rest, " (+")?;
    let (addition, deduction) = split(rest, " ")?;
    let deduction = number(between(deduction, "", ")")?)?;
    let score = Score {
        total: number(total)?,
        addition: number(addition)?,
        // Printed negated.
        deduction: deduction.checked_neg().ok_or_else(|| contradiction(format!("a deduction of {deduction}")))?,
    };
    if score.total < 0 || score.addition < 0 || score.deduction < 0 {
        return Err(Invalid::new(ErrorKind::OutOfRange, "a figure of the score is below 0"));
    }
    Ok(score)
}
