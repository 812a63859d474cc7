//! ISUCON11 final (isucholar): the last `score:` pair, and the breakdown that only it has.
//!
//! ```text
//! 15:01:51.000100 score: 44890 (= 45240 - 350) : passed
//! 15:01:51.000110 deductionCount: 1, timeoutCount: 312
//! 15:01:51.000120 raw score (45240) breakdown:
//! 15:01:51.000121 SubmitAssignment    : 11080 回 (33240 点)
//! 15:01:51.000122 GetAnnouncementList : 12000 回 (12000 点)
//! ```
//! Format: `benchmarker/main.go` of isucon/isucon11-final. Progress pairs are printed every 3 s. On a fail the score is not
//! set to 0: only the reason tells.

use super::ErrorKind;
use super::go_log::{self, Log, Reader, bad_line, between, contradiction, number, split};
use super::outcome::{Claim, Invalid};

/// `benchmarker/fails/fails.go`
const CODES: [&str; 8] = [
    "critical-error",
    "application-error",
    "http-error",
    "json-error",
    "invalid-status-code",
    "invalid-content-type",
    "invalid-resource",
    "timeout",
];
/// The breakdown's lines in order, with the points of each.
const TAGS: [(&str, i64); 2] = [("SubmitAssignment", 3), ("GetAnnouncementList", 1)];
const POINTS_PER_ERROR: i64 = 50;
/// 100 points per 100 timeouts, counted in whole hundreds.
const TIMEOUT_STEP: i64 = 100;

struct Pair {
    score: i64,
    raw: i64,
    deduction: i64,
    reason: String,
    /// Counts of errors and timeouts, once the second line has come.
    counts: Option<(i64, i64)>,
}

#[derive(Default)]
pub(super) struct Isucholar {
    starts: u32,
    /// The last pair so far; progress until the breakdown follows it.
    pair: Option<Result<Pair, Invalid>>,
    /// The raw score of the breakdown, how many tags came, and their points.
    breakdown: Option<(i64, usize, i64)>,
    error: Option<Invalid>,
}

impl Reader for Isucholar {
    const RESULT_LINES: &'static [&'static str] =
        &["score: ", "deductionCount: ", "raw score (", "SubmitAssignment", "GetAnnouncementList"];

    fn see(&mut self, text: &str, log: &mut Log) {
        if let Err(error) = self.see_line(text, log) {
            self.error.get_or_insert(error);
        }
    }

    fn conclude(self, log: &mut Log) -> Result<Option<Claim>, Invalid> {
        if self.starts > 1 {
            return Err(go_log::several_runs());
        }
        if let Some(error) = self.error {
            return Err(error);
        }
        let Some((raw, tags, points)) = self.breakdown else {
            return Ok(None);
        };
        if tags < TAGS.len() {
            return Err(Invalid::new(ErrorKind::Truncated, "the breakdown at the end of the log is not whole"));
        }
        let Some(pair) = self.pair.transpose()? else {
            return Err(Invalid::new(ErrorKind::Truncated, "the breakdown has no score before it"));
        };
        check(&pair, raw, points)?;
        let passed = pair.reason == "passed";
        let reason = match pair.reason.as_str() {
            "passed" => "",
            "致命的なエラーが発生しました" if log.initialize_failed && !log.loaded => "initialize",
            "致命的なエラーが発生しました" => "critical",
            "スコアが0点以下でした" => "score_not_positive",
            other if other.starts_with("エラーの発生回数が") || other.starts_with("エラーが100回以上") => {
                "too_many_errors"
            }
            other => return Err(bad_line(other)),
        };
        if passed && pair.score <= 0 {
            return Err(contradiction("the run passed with the score 0, which this benchmarker cannot say".to_owned()));
        }
        Ok(Some(log.claim(passed, pair.score, reason)))
    }
}

impl Isucholar {
    fn see_line(&mut self, text: &str, log: &mut Log) -> Result<(), Invalid> {
        if let Some(rest) = text.strip_prefix("score: ") {
            if self.breakdown.is_some() {
                return Err(go_log::several_runs());
            }
            self.pair = Some(pair(rest));
        } else if let Some(rest) = text.strip_prefix("deductionCount: ") {
            let (errors, timeouts) = split(rest, ", timeoutCount: ")?;
            if let Some(Ok(pair)) = &mut self.pair {
                pair.counts = Some((number(errors)?, number(timeouts)?));
            }
        } else if let Some(rest) = text.strip_prefix("raw score (") {
            if self.breakdown.is_some() {
                return Err(go_log::several_runs());
            }
            self.breakdown = Some((number(between(rest, "", ") breakdown:")?)?, 0, 0));
        } else if let Some((raw, tags, points)) = self.breakdown
            && TAGS.iter().any(|(name, _)| text.starts_with(name))
        {
            self.breakdown = Some((raw, tags + 1, tag(text, tags, points)?));
        } else if let Some(chain) = text.strip_prefix("ERR: ") {
            log.error(chain, &CODES);
        } else if text == "===> PREPARE" {
            self.starts += 1;
        } else if text == "===> LOAD" {
            log.loaded = true;
        }
        Ok(())
    }
}

/// `44890 (= 45240 - 350) : passed`
fn pair(rest: &str) -> Result<Pair, Invalid> {
    let (score, rest) = split(rest, " (= ")?;
    let (raw, rest) = split(rest, " - ")?;
    let (deduction, reason) = split(rest, ") : ")?;
    let pair = Pair {
        score: number(score)?,
        raw: number(raw)?,
        deduction: number(deduction)?,
        reason: reason.to_owned(),
        counts: None,
    };
    if pair.score < 0 || pair.raw < 0 || pair.deduction < 0 {
        return Err(Invalid::new(ErrorKind::OutOfRange, "a figure of the score is below 0"));
    }
    Ok(pair)
}

/// `SubmitAssignment    : 11080 回 (33240 点)`; returns the points so far.
fn tag(text: &str, index: usize, points: i64) -> Result<i64, Invalid> {
    let (name, weight) = *TAGS.get(index).ok_or_else(|| bad_line(text))?;
    let (found, rest) = split(text, ": ")?;
    if found.trim_end_matches(' ') != name {
        return Err(bad_line(text));
    }
    let (count, own) = split(rest, " 回 (")?;
    let (count, own) = (number(count)?, number(between(own, "", " 点)")?)?);
    if count < 0 || count.checked_mul(weight) != Some(own) {
        return Err(contradiction(format!("{count} × {weight} for {name} is not {own}")));
    }
    points
        .checked_add(own)
        .ok_or_else(|| Invalid::new(ErrorKind::OutOfRange, "the points of the breakdown are beyond 64 bits"))
}

fn check(pair: &Pair, raw: i64, points: i64) -> Result<(), Invalid> {
    let Some((errors, timeouts)) = pair.counts else {
        return Err(Invalid::new(ErrorKind::Truncated, "the final score has no line `deductionCount:` after it"));
    };
    if raw != pair.raw || points != raw {
        return Err(contradiction(format!("raw scores differ: {}, {raw}, and {points} by the breakdown", pair.raw)));
    }
    let deduction =
        errors.checked_mul(POINTS_PER_ERROR).and_then(|sum| sum.checked_add(timeouts / TIMEOUT_STEP * TIMEOUT_STEP));
    if errors < 0 || timeouts < 0 || deduction != Some(pair.deduction) {
        return Err(contradiction(format!(
            "{errors} errors and {timeouts} timeouts do not make a deduction of {}",
            pair.deduction
        )));
    }
    if pair.score != raw.saturating_sub(pair.deduction).max(0) {
        return Err(contradiction(format!("the score {} is not {raw} minus {}", pair.score, pair.deduction)));
    }
    Ok(())
}
