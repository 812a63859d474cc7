//! What a benchmarker's output comes to, and the one place where it may become a pass.
//!
//! **The invariant.** An outcome is [`Outcome::Pass`] only if a reader has found one result that is whole, fresh,
//! single and typed (a [`Claim`]: every reader returns an [`Invalid`] for anything less), if that result says so itself, if its
//! score can be compared, and if the way the process ended does not contradict it. [`conclude`] is the only function
//! that writes `Outcome::Pass`; [`Parsed`] cannot be built outside of this module.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

use super::channels::Ended;
use super::error::{ErrorKind, ReadError};
use super::format::Format;

/// How many messages a [`Parsed`] keeps. ISUCON13 can list tens of thousands.
const MAX_MESSAGES: usize = 1_000;
/// How many bytes of one message a [`Parsed`] keeps.
const MAX_MESSAGE_BYTES: usize = 4_000;

/// What the benchmarker said, after all checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// One whole, fresh, single, typed result says that the run passed, and nothing contradicts it.
    Pass,
    /// The benchmarker judged the application as failed.
    Fail,
    /// The output says nothing that may be trusted about the application.
    Invalid,
}

/// Counts of error codes, or of error classes where the benchmarker has no codes.
pub type Codes = BTreeMap<String, u64>;

/// A benchmarker's output, read. In JSON it has the shape that `isugate parse --json` prints.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parsed {
    /// The outcome after all checks.
    pub outcome: Outcome,
    /// What the benchmarker itself said; `None` where it said nothing or cannot be trusted.
    pub reported_pass: Option<bool>,
    /// The score as printed; some benchmarkers print one with a fail.
    pub reported_score: Option<i64>,
    /// The score that may be compared: 0 for a fail, `None` for an invalid run.
    pub score: Option<i64>,
    /// Error codes with counts; `None` where the channel cannot carry them.
    pub codes: Option<Codes>,
    /// Why a fail is one, as a stable word.
    pub reason: Option<String>,
    /// Why the outcome is invalid.
    pub error: Option<ReadError>,
    /// What a person should know though it does not change the outcome; stable words.
    pub warnings: Vec<String>,
    /// The benchmarker's own messages. Foreign text: render it with [`crate::text`].
    pub messages: Vec<String>,
    #[serde(skip)]
    sealed: Sealed,
}

/// Keeps [`Parsed`] from being built anywhere but here.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Sealed;

/// Warnings and messages, as they are found.
#[derive(Debug, Clone, Default)]
pub(super) struct Notes {
    warnings: Vec<String>,
    messages: Vec<String>,
    left_out: usize,
}

impl Notes {
    /// Adds a warning, once.
    pub(super) fn warn(&mut self, warning: impl Into<String>) {
        let warning = warning.into();
        if !self.warnings.contains(&warning) {
            self.warnings.push(warning);
        }
    }

    /// Adds a message of the benchmarker, within limits.
    pub(super) fn message(&mut self, message: &str) {
        if self.messages.len() < MAX_MESSAGES {
            self.messages.push(super::text::head(message, MAX_MESSAGE_BYTES).to_owned());
        } else {
            self.left_out += 1;
        }
    }

    fn into_parts(mut self) -> (Vec<String>, Vec<String>) {
        if self.left_out > 0 {
            self.warnings.push(format!("messages_left_out:{}", self.left_out));
        }
        (self.warnings, self.messages)
    }
}

/// One whole, fresh, single, typed result, as a reader found it. Not yet held against the way the process ended.
#[derive(Debug, Clone)]
pub(super) struct Claim {
    pub pass: bool,
    /// The printed score, if one was printed.
    pub score: Option<i64>,
    pub codes: Option<Codes>,
    /// Why it failed; ignored for a pass.
    pub reason: Option<String>,
    pub notes: Notes,
}

/// What a reader returns when there is no result to trust.
#[derive(Debug, Clone)]
pub(super) struct Invalid {
    pub kind: ErrorKind,
    pub message: String,
    pub notes: Notes,
}

impl Invalid {
    pub(super) fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), notes: Notes::default() }
    }

    /// Adds what was noted before the error was found.
    pub(super) fn with(mut self, notes: Notes) -> Self {
        let own = std::mem::replace(&mut self.notes, notes);
        own.warnings.into_iter().for_each(|w| self.notes.warn(w));
        self
    }
}

/// Holds a reader's finding against the way the process ended.
///
/// `trace` tells whether a Go crash trace was seen in the text channels.
pub(super) fn conclude(format: Format, found: Result<Claim, Invalid>, ended: Option<Ended>, trace: bool) -> Parsed {
    match bad_end(format, &found, ended, trace) {
        Some((kind, message)) => {
            let notes = match found {
                Ok(claim) => claim.notes,
                Err(invalid) => invalid.notes,
            };
            Invalid { kind, message, notes }.into()
        }
        None => match found {
            Err(invalid) => invalid.into(),
            Ok(claim) if claim.pass => pass(claim, ended),
            Ok(claim) => fail(format, claim, ended),
        },
    }
}

/// The ends that make a run invalid whatever was printed before.
fn bad_end(
    format: Format,
    found: &Result<Claim, Invalid>,
    ended: Option<Ended>,
    trace: bool,
) -> Option<(ErrorKind, String)> {
    match ended {
        Some(Ended::TimedOut) => {
            Some((ErrorKind::TimedOut, "the benchmarker was ended at its wall-clock limit; raise `bench.timeout` if it is too short".to_owned()))
        }
        Some(Ended::Signaled(signal)) => Some((ErrorKind::Signaled, format!("signal {signal} ended the benchmarker"))),
        Some(Ended::Exited(status)) if signal_of_status(status).is_some() => Some((
            ErrorKind::Signaled,
            format!("exit status {status} is a shell's way to say that signal {} ended the benchmarker", status - 128),
        )),
        Some(Ended::Exited(0)) => None,
        Some(Ended::Exited(2)) if format.exit_2_is_a_crash() => Some((
            ErrorKind::Crashed,
            "the benchmarker ended with exit status 2: a crash, or an option that it does not know; see its standard error"
                .to_owned(),
        )),
        // A judged fail of private-isu also exits 2, so a whole result outweighs the status there.
        Some(Ended::Exited(status)) if found.is_err() && (trace || (format == Format::PrivateIsu && status == 2)) => {
            Some((ErrorKind::Crashed, format!("the benchmarker crashed (exit status {status}) before it wrote a result")))
        }
        None if trace => Some((ErrorKind::Crashed, "the output holds a crash trace of the benchmarker".to_owned())),
        _ => None,
    }
}

/// The signal that a shell reports by this exit status, for those that end a process by default.
fn signal_of_status(status: i32) -> Option<i32> {
    let signal = status - 128;
    matches!(signal, 1 | 2 | 3 | 4 | 6 | 7 | 8 | 9 | 11 | 13 | 14 | 15 | 24 | 25).then_some(signal)
}

fn pass(claim: Claim, ended: Option<Ended>) -> Parsed {
    let refuse = |kind, message: String, notes| Parsed::from(Invalid { kind, message, notes });
    if let Some(Ended::Exited(status)) = ended
        && status != 0
    {
        let message = format!("the result says pass, but the benchmarker ended with exit status {status}");
        return refuse(ErrorKind::Contradiction, message, claim.notes);
    }
    let Some(score) = claim.score else {
        return refuse(ErrorKind::MissingField, "the result says pass but has no score".to_owned(), claim.notes);
    };
    if score < 0 {
        let message = format!("the result says pass with the score {score}; no benchmarker passes below 0");
        return refuse(ErrorKind::OutOfRange, message, claim.notes);
    }
    let mut notes = claim.notes;
    if score == 0 {
        notes.warn("score_zero");
    }
    let (warnings, messages) = notes.into_parts();
    Parsed {
        outcome: Outcome::Pass,
        reported_pass: Some(true),
        reported_score: Some(score),
        score: Some(score),
        codes: claim.codes,
        reason: None,
        error: None,
        warnings,
        messages,
        sealed: Sealed,
    }
}

fn fail(format: Format, claim: Claim, ended: Option<Ended>) -> Parsed {
    let mut notes = claim.notes;
    if let Some(Ended::Exited(status)) = ended
        && !format.can_fail_with(status)
    {
        notes.warn(format!("unexpected_exit_status:{status}"));
    }
    let (warnings, messages) = notes.into_parts();
    Parsed {
        outcome: Outcome::Fail,
        reported_pass: Some(false),
        reported_score: claim.score,
        score: Some(0),
        codes: claim.codes,
        reason: Some(claim.reason.unwrap_or_else(|| "reported_fail".to_owned())),
        error: None,
        warnings,
        messages,
        sealed: Sealed,
    }
}

impl From<Invalid> for Parsed {
    fn from(invalid: Invalid) -> Self {
        let (warnings, messages) = invalid.notes.into_parts();
        Self {
            outcome: Outcome::Invalid,
            reported_pass: None,
            reported_score: None,
            score: None,
            codes: Some(Codes::new()),
            reason: None,
            error: Some(ReadError { kind: invalid.kind, message: invalid.message }),
            warnings,
            messages,
            sealed: Sealed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claim(pass: bool, score: Option<i64>) -> Result<Claim, Invalid> {
        Ok(Claim { pass, score, codes: Some(Codes::new()), reason: None, notes: Notes::default() })
    }

    #[test]
    fn a_pass_needs_an_end_that_does_not_contradict_it() {
        let outcome = |ended| conclude(Format::Isucon14, claim(true, Some(5)), ended, false).outcome;
        assert_eq!(outcome(Some(Ended::Exited(0))), Outcome::Pass);
        assert_eq!(outcome(None), Outcome::Pass);
        for status in [1, 2, 3, 126, 127, 137, 143, -1] {
            assert_eq!(outcome(Some(Ended::Exited(status))), Outcome::Invalid, "exit status {status}");
        }
        assert_eq!(outcome(Some(Ended::Signaled(15))), Outcome::Invalid);
        assert_eq!(outcome(Some(Ended::TimedOut)), Outcome::Invalid);
    }

    #[test]
    fn a_pass_needs_a_score_that_is_not_negative() {
        assert_eq!(conclude(Format::Isucon14, claim(true, None), None, false).outcome, Outcome::Invalid);
        assert_eq!(conclude(Format::Isucon14, claim(true, Some(-1)), None, false).outcome, Outcome::Invalid);
    }

    #[test]
    fn a_fail_never_becomes_a_pass() {
        for format in Format::ALL {
            for ended in
                [None, Some(Ended::Exited(0)), Some(Ended::Exited(1)), Some(Ended::Exited(2)), Some(Ended::TimedOut)]
            {
                assert_ne!(conclude(format, claim(false, Some(9)), ended, false).outcome, Outcome::Pass);
            }
        }
    }

    #[test]
    fn a_fail_has_the_score_zero_and_keeps_the_printed_one() {
        let parsed = conclude(Format::Isucon14, claim(false, Some(777)), None, false);
        assert_eq!((parsed.score, parsed.reported_score), (Some(0), Some(777)));
    }
}
