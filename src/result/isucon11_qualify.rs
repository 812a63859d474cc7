//! ISUCON11 qualifier (isucondition): twelve `SCORE:` lines, then the final `score:` and `deduction:`.
//!
//! ```text
//! 12:41:08.903200 SCORE: 11.ReadCriticalCondition: 2
//! 12:41:08.923200 score: 0(8720 - 101) : Error count over 100
//! 12:41:08.923400 deduction: 101 / timeout: 5
//! ```
//! Format: `bench/main.go` of isucon/isucon11-qualify. Every 3 s a progress pair of the same shape is printed; only the
//! pair after all twelve `SCORE:` lines is the result, and its arithmetic can be checked.

use super::ErrorKind;
use super::go_log::{self, Log, Reader, bad_line, contradiction, number, split};
use super::outcome::{Claim, Invalid, Notes};

/// `bench/scenario/error.go`
const CODES: [&str; 13] = [
    "critical",
    "security incident",
    "panic",
    "status code",
    "content type",
    "json",
    "asset",
    "mismatch",
    "invalid",
    "bad-response",
    "http",
    "check-sum",
    "timeout",
];
/// The tags in the order in which they are printed, with the points of each.
const TAGS: [(&str, i64); 12] = [
    ("00.StartBenchmark", 1000),
    ("01.GraphGood", 150),
    ("02.GraphNormal", 100),
    ("03.GraphBad", 60),
    ("04.GraphWorst", 10),
    ("05.TodayGraphGood", 60),
    ("06.TodayGraphNormal", 40),
    ("07.TodayGraphBad", 24),
    ("08.TodayGraphWorst", 4),
    ("09.ReadInfoCondition", 20),
    ("10.ReadWarningCondition", 8),
    ("11.ReadCriticalCondition", 4),
];
/// So many timeouts cost one point.
const TIMEOUTS_PER_POINT: i64 = 10;

struct Final {
    score: i64,
    raw: i64,
    deduction: i64,
    reason: String,
}

/// How far the final block has come.
#[derive(Default)]
enum Block {
    /// Only progress lines so far.
    #[default]
    None,
    /// So many tags, and their points.
    Tags(usize, i64),
    /// The final `score:` line, and the points of the tags.
    Score(Final, i64),
    Whole(Final),
}

#[derive(Default)]
pub(super) struct Isucondition {
    starts: u32,
    block: Block,
    error: Option<Invalid>,
    step: Option<&'static str>,
    results: u32,
}

impl Reader for Isucondition {
    const RESULT_LINES: &'static [&'static str] = &["SCORE: ", "score: ", "deduction: "];

    fn see(&mut self, text: &str, log: &mut Log) {
        let seen = if let Some(rest) = text.strip_prefix("SCORE: ") {
            self.see_tag(rest)
        } else if let Some(rest) = text.strip_prefix("score: ") {
            self.see_score(rest)
        } else if let Some(rest) = text.strip_prefix("deduction: ") {
            self.see_deduction(rest)
        } else {
            self.see_other(text, log);
            Ok(())
        };
        if let Err(error) = seen {
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
        let last = match self.block {
            Block::Whole(last) => last,
            Block::None => return Ok(None),
            Block::Tags(..) | Block::Score(..) => {
                return Err(Invalid::new(ErrorKind::Truncated, "the final block of the log is not whole"));
            }
        };
        let passed = last.reason == "pass";
        let reason = match last.reason.as_str() {
            "pass" => "",
            "Critical error" => self.step.unwrap_or("critical"),
            "Error count over 100" => "too_many_errors",
            "Score" => "score_not_positive",
            _ => return Err(bad_line(&last.reason)),
        };
        // On a fail 0 is printed in place of the difference.
        let expected = if passed { last.raw.checked_sub(last.deduction) } else { Some(0) };
        if expected != Some(last.score) {
            return Err(contradiction(format!(
                "the score {} is not {} minus {}",
                last.score, last.raw, last.deduction
            )));
        }
        if passed && last.score <= 0 {
            let mut notes = Notes::default();
            notes.warn("prepare_only");
            return Err(
                Invalid::new(ErrorKind::NotALoadRun, "a pass without points: only -no-load does that").with(notes)
            );
        }
        go_log::single(self.results, passed)?;
        Ok(Some(log.claim(passed, last.score, reason)))
    }
}

impl Isucondition {
    /// `00.StartBenchmark       : 1`
    fn see_tag(&mut self, rest: &str) -> Result<(), Invalid> {
        let (tag, count) = split(rest, ": ")?;
        let (index, points) = match self.block {
            Block::Tags(index, points) if index < TAGS.len() => (index, points),
            // A second block would be a second result.
            _ => (0, 0),
        };
        let (name, weight) = TAGS[index];
        if tag.trim_end_matches(' ') != name {
            return Err(bad_line(rest));
        }
        let count = number(count)?;
        let points = count.checked_mul(weight).and_then(|more| points.checked_add(more)).filter(|_| count >= 0);
        let points = points
            .ok_or_else(|| Invalid::new(ErrorKind::OutOfRange, format!("{count} × {weight} points for {name}")))?;
        self.block = Block::Tags(index + 1, points);
        Ok(())
    }

    /// `2034(2040 - 6) : pass`
    fn see_score(&mut self, rest: &str) -> Result<(), Invalid> {
        let points = match self.block {
            Block::None => return Ok(()),
            Block::Tags(index, points) if index == TAGS.len() => points,
            Block::Tags(..) => return Err(bad_line(rest)),
            Block::Score(..) | Block::Whole(_) => return Err(go_log::several_runs()),
        };
        let (score, rest) = split(rest, "(")?;
        let (raw, rest) = split(rest, " - ")?;
        let (deduction, reason) = split(rest, ") : ")?;
        let last = Final {
            score: number(score)?,
            raw: number(raw)?,
            deduction: number(deduction)?,
            reason: reason.to_owned(),
        };
        if last.score < 0 || last.raw < 0 || last.deduction < 0 {
            return Err(Invalid::new(ErrorKind::OutOfRange, "a figure of the score is below 0"));
        }
        self.block = Block::Score(last, points);
        Ok(())
    }

    /// `3 / timeout: 812`
    fn see_deduction(&mut self, rest: &str) -> Result<(), Invalid> {
        let (last, points) = match std::mem::take(&mut self.block) {
            Block::Score(last, points) => (last, points),
            // The second line of a progress pair.
            other => {
                self.block = other;
                return Ok(());
            }
        };
        let (deduction, timeouts) = split(rest, " / timeout: ")?;
        let (deduction, timeouts) = (number(deduction)?, number(timeouts)?);
        if points != last.raw {
            return Err(contradiction(format!("the tags add up to {points} points, the score says {}", last.raw)));
        }
        if deduction.checked_add(timeouts / TIMEOUTS_PER_POINT) != Some(last.deduction) {
            return Err(contradiction(format!(
                "{deduction} errors and {timeouts} timeouts do not make a deduction of {}",
                last.deduction
            )));
        }
        self.block = Block::Whole(last);
        self.results += 1;
        Ok(())
    }

    fn see_other(&mut self, text: &str, log: &mut Log) {
        if let Some(chain) = text.strip_prefix("ERR: ") {
            if chain.ends_with("initializeに失敗しました") {
                self.step.get_or_insert("initialize");
            } else if chain.contains("アプリケーション互換性チェックに失敗しました") {
                self.step.get_or_insert("pretest");
            }
            log.error(chain, &CODES);
        } else if text == "===> PREPARE" {
            self.starts += 1;
        }
    }
}
