//! ISUCON12 final (isuconquest): two lines at the end of standard output.
//!
//! ```text
//! 14:01:28.300110 [PASSED]: true
//! 14:01:28.300120 [SCORE] 20970 (addition: 21000, deduction: 30)
//! ```
//! Format: `benchmarker/main.go` of isucon/isucon12-final. A scenario error costs 15 points; any other error is fatal.
//! The organisers' own `[SCORE] map[…]` follows on standard error, after `[ADMIN] `.

use super::ErrorKind;
use super::go_log::{self, Log, Reader, between, boolean, contradiction, number, split};
use super::outcome::{Claim, Invalid, Notes};

/// `benchmarker/apperror.go`
const CODES: [&str; 13] = [
    "initialize-error-failed-to-load-json",
    "initialize-error-failed",
    "initialize-error-invalid-req",
    "scenario-error-status-code",
    "scenario-error-invalid-request",
    "scenario-error-invalid-json",
    "scenario-error-invalid-response",
    "validation-error-failed-to-load-json",
    "validation-error-invalid-request",
    "validation-error-invalid-status-code",
    "validation-error-invalid-response-body",
    "internal-error-creating-agent",
    "internal-error-cannot-refresh-master",
];
const POINTS_PER_ERROR: i64 = 15;
/// The classes of fatal errors, by the beginning of their lines, and the reason that they give.
const FATAL: [(&str, &str); 4] = [
    ("[INITIALIZATION_ERR] ", "initialize"),
    ("[VALIDATION_ERR] ", "pretest"),
    ("[INTERNAL] ", "critical"),
    ("[UNEXPECTED] ", "critical"),
];

struct Score {
    total: i64,
    addition: i64,
    deduction: i64,
}

#[derive(Default)]
pub(super) struct Isuconquest {
    starts: u32,
    fatal: Option<&'static str>,
    stopped: bool,
    listed: i64,
    passed: Option<Result<bool, Invalid>>,
    score: Option<Result<Score, Invalid>>,
    results: u32,
}

impl Reader for Isuconquest {
    const RESULT_LINES: &'static [&'static str] = &["[PASSED]: ", "[SCORE] "];

    fn see(&mut self, text: &str, log: &mut Log) {
        if let Some(rest) = text.strip_prefix("[SCORE] ") {
            // Without its time the organisers' line would look like this one.
            if !rest.starts_with("map[") {
                self.score = Some(score(rest));
                self.results += 1;
            }
        } else if let Some(rest) = text.strip_prefix("[PASSED]: ") {
            self.passed = Some(boolean(rest));
            self.score = None;
        } else if let Some((chain, reason)) =
            FATAL.iter().find_map(|(start, why)| Some((text.strip_prefix(start)?, *why)))
        {
            // Initialize comes first, and what follows from it later.
            self.fatal = Some(if self.fatal == Some("initialize") { "initialize" } else { reason });
            log.error(chain, &CODES);
        } else if let Some((_, chain)) = text.strip_prefix("ERROR[").and_then(|rest| rest.split_once("] ")) {
            self.listed += 1;
            log.error(chain, &CODES);
        } else if text.starts_with("続行不可能なエラーが検出されたので") {
            self.stopped = true;
        } else if text.starts_with("アプリケーションへの負荷走行を開始します") {
            log.loaded = true;
            self.starts += 1;
        }
    }

    fn conclude(self, log: &mut Log) -> Result<Option<Claim>, Invalid> {
        if self.starts > 1 {
            return Err(go_log::several_runs());
        }
        let (Some(passed), Some(score)) = (self.passed, self.score) else {
            return Ok(None);
        };
        let (passed, score) = (passed?, score?);
        let fatal = self.stopped || self.fatal.is_some();
        if passed && fatal {
            return Err(contradiction("the log reports a fatal error, and yet the run passed".to_owned()));
        }
        if score.total != score.addition.saturating_sub(score.deduction).max(0) {
            return Err(contradiction(format!(
                "the score {} is not {} minus {}",
                score.total, score.addition, score.deduction
            )));
        }
        if score.deduction % POINTS_PER_ERROR != 0 {
            return Err(contradiction(format!("a deduction of {} is no multiple of 15", score.deduction)));
        }
        if passed && score.addition == 0 && !log.loaded {
            let mut notes = Notes::default();
            notes.warn("prepare_only");
            return Err(Invalid::new(
                ErrorKind::NotALoadRun,
                "no line `アプリケーションへの負荷走行を開始します` and no points: this was not a load run",
            )
            .with(notes));
        }
        go_log::single(self.results, passed)?;
        if passed && self.listed != score.deduction / POINTS_PER_ERROR {
            // At most 50 are listed.
            log.notes.warn("codes_are_incomplete");
        }
        Ok(Some(log.claim(passed, score.total, self.fatal.unwrap_or("critical"))))
    }
}

/// `20970 (addition: 21000, deduction: 30)`
fn score(rest: &str) -> Result<Score, Invalid> {
    let (total, rest) = split(rest, " (addition: ")?;
    let (addition, deduction) = split(rest, ", deduction: ")?;
    let score =
        Score { total: number(total)?, addition: number(addition)?, deduction: number(between(deduction, "", ")")?)? };
    if score.total < 0 || score.addition < 0 || score.deduction < 0 {
        return Err(Invalid::new(ErrorKind::OutOfRange, "a figure of the score is below 0"));
    }
    Ok(score)
}
