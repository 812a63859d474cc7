//! Lines of Go's `log` package, `15:04:05.000000 text`, as the benchmarkers built on isucandar write them.
//!
//! The text is not escaped: a message of several lines goes on in lines without a time, and a text of the application
//! may look like a line of the benchmarker. So a line counts only with its time at its beginning, the last result
//! counts, and its arithmetic must be right. Lines for the organisers begin with `[ADMIN] ` and are passed over.

use std::collections::HashSet;

use super::channels::Channels;
use super::error::ErrorKind;
use super::lines::MAX_LOG_LINE;
use super::outcome::{Claim, Codes, Invalid, Notes};
use super::{Context, Format, report_fd, text};

/// How many different error texts are kept.
const KEPT_MESSAGES: usize = 50;
/// The codes that isucandar itself puts into an error's chain: the phase, and what the network said.
const GENERIC: [&str; 8] = ["prepare", "load", "validation", "panic", "timeout", "temporary", "canceled", "unknown"];

/// What one format looks for in the lines.
pub(super) trait Reader: Default {
    /// The beginnings of lines that make up a result; a cut line with one of them is a cut result.
    const RESULT_LINES: &'static [&'static str];

    /// Sees the text of one whole line, without its time.
    fn see(&mut self, text: &str, log: &mut Log);

    /// Concludes from what was seen. `Ok(None)`: there is no result.
    fn conclude(self, log: &mut Log) -> Result<Option<Claim>, Invalid>;
}

/// What every format notes on the way.
#[derive(Default)]
pub(super) struct Log {
    pub notes: Notes,
    pub codes: Codes,
    /// Whether the load phase began.
    pub loaded: bool,
    /// Whether an error of prepare speaks of the initialize request.
    pub initialize_failed: bool,
    kept: HashSet<String>,
}

impl Log {
    /// Notes an error: its text, and its code among `codes` by the chain in front of the text.
    pub(super) fn error(&mut self, chain: &str, codes: &[&'static str]) {
        if let Some(code) = code_of(chain, codes) {
            *self.codes.entry(code.to_owned()).or_default() += 1;
        }
        if chain.starts_with("prepare: ") && text::contains_ignoring_case(chain, "initialize") {
            self.initialize_failed = true;
        }
        self.keep(chain);
    }

    /// Keeps a text for the report, once, up to a number.
    pub(super) fn keep(&mut self, message: &str) {
        if self.kept.len() < KEPT_MESSAGES && self.kept.insert(message.to_owned()) {
            self.notes.message(message);
        }
    }

    /// A finished claim with what was noted.
    pub(super) fn claim(&mut self, pass: bool, score: i64, reason: &str) -> Claim {
        Claim {
            pass,
            score: Some(score),
            codes: Some(std::mem::take(&mut self.codes)),
            reason: Some(reason.to_owned()),
            notes: std::mem::take(&mut self.notes),
        }
    }
}

/// Reads the text channels by `R`, and holds them against the report descriptor.
pub(super) fn read<'c, R: Reader>(channels: &'c Channels, context: &Context<'c>) -> Result<Claim, Invalid> {
    let text = channels.output().map(|_| read_text::<R>(channels, context));
    let report = match context.options.format {
        Format::Kayac2022 => None,
        _ => channels.report_fd.as_ref().map(|source| report_fd::read(source, context.options.started_at)),
    };
    report_fd::cross_check(text, report)
}

fn read_text<'c, R: Reader>(channels: &'c Channels, context: &Context<'c>) -> Result<Claim, Invalid> {
    let Some(source) = channels.output() else {
        return Err(super::no_channel("the standard output"));
    };
    let mut lines = context.lines(source, MAX_LOG_LINE)?;
    let mut reader = R::default();
    let mut log = Log::default();
    let (mut torn, mut torn_result) = (false, false);
    while let Some(line) = lines.next().map_err(super::unreadable)? {
        if line.over_long {
            log.notes.warn("over_long_line");
            continue;
        }
        if line.crlf {
            log.notes.warn("crlf");
        }
        let body = after_clock(line.bytes);
        if line.whole {
            if let Some(body) = body {
                reader.see(&String::from_utf8_lossy(body), &mut log);
            }
        } else {
            torn = true;
            torn_result = body.is_some_and(|body| {
                R::RESULT_LINES.iter().any(|start| {
                    let length = body.len().min(start.len());
                    length > 0 && body[..length] == start.as_bytes()[..length]
                })
            });
        }
    }
    let invalid = |kind, message: &str| Err(Invalid::new(kind, message));
    let found = if torn_result {
        invalid(ErrorKind::Truncated, "a line of the result has no end: it may be cut")
    } else {
        match reader.conclude(&mut log) {
            Ok(Some(claim)) => Ok(claim),
            Ok(None) if torn => {
                invalid(ErrorKind::Truncated, "the log ends in the middle of a line, before any result")
            }
            Ok(None) => invalid(
                ErrorKind::MissingResult,
                "the log has no result lines: the benchmarker ended before them; see its standard error",
            ),
            Err(error) => Err(error),
        }
    };
    found.map_err(|error| error.with(log.notes))
}

/// What follows `15:04:05.000000 `.
fn after_clock(line: &[u8]) -> Option<&[u8]> {
    let (clock, rest) = line.split_at_checked(16)?;
    let right = clock.iter().enumerate().all(|(at, b)| match at {
        2 | 5 => *b == b':',
        8 => *b == b'.',
        15 => *b == b' ',
        _ => b.is_ascii_digit(),
    });
    right.then_some(rest)
}

/// The code that an error counts under: the outermost of `codes` in the chain in front of the text. Texts hold `: `
/// themselves, so the chain ends at the first word that is no code. `validation` is a phase before it is a code, and
/// `timeout` counts only where there is nothing better.
fn code_of(chain: &str, codes: &[&'static str]) -> Option<&'static str> {
    let mut last_resort = None;
    for word in chain.split(": ") {
        let known = codes.iter().find(|code| **code == word);
        match known {
            Some(code) if matches!(word, "validation" | "timeout") => last_resort = last_resort.or(Some(*code)),
            Some(code) => return Some(code),
            None if GENERIC.contains(&word) => {}
            None => break,
        }
    }
    last_resort
}

/// A number as Go's `%d` prints it, within 64 bits.
pub(super) fn number(digits: &str) -> Result<i64, Invalid> {
    let shown = || super::json::field_name(digits);
    let plain = digits.strip_prefix('-').unwrap_or(digits);
    let canonical = plain == "0" && digits == "0"
        || !plain.is_empty() && !plain.starts_with('0') && plain.bytes().all(|b| b.is_ascii_digit());
    if canonical {
        return digits
            .parse()
            .map_err(|_| Invalid::new(ErrorKind::OutOfRange, format!("{} in the result is beyond 64 bits", shown())));
    }
    let kind = if plain.starts_with(|c: char| c.is_ascii_digit()) && plain.contains(['.', 'e']) {
        ErrorKind::NonInteger
    } else {
        ErrorKind::Syntax
    };
    Err(Invalid::new(kind, format!("`{}` in the result is not an integer as the benchmarker prints it", shown())))
}

/// `true` or `false`.
pub(super) fn boolean(word: &str) -> Result<bool, Invalid> {
    match word {
        "true" => Ok(true),
        "false" => Ok(false),
        _ => Err(Invalid::new(
            ErrorKind::WrongType,
            format!("`{}` is neither true nor false", super::json::field_name(word)),
        )),
    }
}

/// What stands before and after a separator, which must be there.
pub(super) fn split<'t>(text: &'t str, separator: &str) -> Result<(&'t str, &'t str), Invalid> {
    text.split_once(separator).ok_or_else(|| bad_line(text))
}

/// `text` without what it must begin and end with.
pub(super) fn between<'t>(text: &'t str, start: &str, end: &str) -> Result<&'t str, Invalid> {
    text.strip_prefix(start).and_then(|rest| rest.strip_suffix(end)).ok_or_else(|| bad_line(text))
}

pub(super) fn bad_line(text: &str) -> Invalid {
    Invalid::new(
        ErrorKind::Syntax,
        format!(
            "a result line is not as the benchmarker writes it: `{}`",
            crate::text::terminal_line(text::head(text, 200))
        ),
    )
}

pub(super) fn contradiction(message: String) -> Invalid {
    Invalid::new(ErrorKind::Contradiction, message)
}

/// Several results in one log. The last one would count, but a pass must be the only one.
pub(super) fn single(results: u32, pass: bool) -> Result<(), Invalid> {
    if results > 1 && pass { Err(several_runs()) } else { Ok(()) }
}

pub(super) fn several_runs() -> Invalid {
    Invalid::new(ErrorKind::MultipleResults, "the log holds more than one result: each run needs a fresh file")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_counts_only_with_its_time() {
        assert_eq!(after_clock(b"13:10:07.000101 x"), Some(&b"x"[..]));
        for other in ["[ADMIN] 13:10:07.000101 x", "x", " 13:10:07.000101 x", "13:10:07 x", "13:10:07.00010a x"] {
            assert_eq!(after_clock(other.as_bytes()), None, "{other}");
        }
    }

    #[test]
    fn the_outermost_known_code_counts() {
        let codes = ["http", "critical", "status-code", "validation", "timeout"];
        assert_eq!(code_of("prepare: timeout: http: timeout: Post \"x\": y", &codes), Some("http"));
        assert_eq!(code_of("load: validation: status-code: GET", &codes), Some("status-code"));
        assert_eq!(code_of("load: validation: GET: critical: x", &codes), Some("validation"));
        assert_eq!(code_of("load: some text: critical: x", &codes), None);
        assert_eq!(code_of("load: timeout: x", &codes), Some("timeout"));
    }

    #[test]
    fn numbers_are_those_of_go() {
        assert_eq!(number("-12").ok(), Some(-12));
        for (text, kind) in [
            ("012", ErrorKind::Syntax),
            ("-0", ErrorKind::Syntax),
            ("", ErrorKind::Syntax),
            ("+1", ErrorKind::Syntax),
            ("1.5", ErrorKind::NonInteger),
            ("99999999999999999999", ErrorKind::OutOfRange),
        ] {
            assert_eq!(number(text).map_err(|e| e.kind), Err(kind), "{text}");
        }
    }
}
