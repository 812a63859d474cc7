//! ISUCON14 (isuride): the one line `msg=結果` on standard output, and the report descriptor.
//!
//! Format: `bench/benchmarker/scenario/validation.go` of isucon/isucon14. Standard output is the contestant's log,
//! standard error holds the same kind of lines with `source=`; in a merged stream those are passed over. A failed
//! prepare prints no result line at all, and the exit status is 0 either way.

use super::channels::Channels;
use super::error::ErrorKind;
use super::lines::{Line, MAX_LOG_LINE};
use super::outcome::{Claim, Codes, Invalid, Notes};
use super::slog::{self, Level};
use super::{Context, report_fd};

mod record;

use record::{CodeFinder, ResultLine};

const RESULT: &[u8] = "msg=結果".as_bytes();
const STARTED: &[u8] = "msg=負荷走行を開始します".as_bytes();
const PREPARE_ONLY: &[u8] = "msg=prepareのみを実行します".as_bytes();
const VALIDATION_ONLY: &[u8] = "msg=\"post validationを実行します\"".as_bytes();
const CRITICAL: &[u8] = "msg=クリティカルエラーが発生しました".as_bytes();
const TOO_MANY: &str = "発生しているエラーが多すぎます";
/// The steps of prepare, by the line that says that they failed.
const STEPS: [(&[u8], &str); 3] = [
    ("msg=initializeに失敗しました".as_bytes(), "initialize"),
    ("msg=静的ファイルのチェックに失敗しました".as_bytes(), "static_check"),
    ("msg=初期データのチェックに失敗しました".as_bytes(), "initial_data"),
];
/// More counted errors than this end the run.
const ERROR_LIMIT: u64 = 200;
/// One more than the largest code.
const CODES: usize = 36;
/// How many different error texts are kept.
const KEPT_MESSAGES: usize = 50;

pub(super) fn read<'c>(channels: &'c Channels, context: &Context<'c>) -> Result<Claim, Invalid> {
    let text = channels.output().map(|source| {
        let mut lines = context.lines(source, MAX_LOG_LINE)?;
        let mut log = Log::new();
        while let Some(line) = lines.next().map_err(super::unreadable)? {
            log.see(&line);
        }
        log.conclude()
    });
    let report = channels.report_fd.as_ref().map(|source| report_fd::read(source, context.options.started_at));
    report_fd::cross_check(text, report)
}

/// What the log has shown so far.
struct Log {
    starts: u32,
    prepare_only: bool,
    validation_only: bool,
    /// The first result line; how many there were.
    result: Option<Result<ResultLine, Invalid>>,
    results: u32,
    failed_step: Option<&'static str>,
    critical: bool,
    too_many: bool,
    other_error: bool,
    /// Soft errors as they went by, by code; what the result counts must have been seen.
    seen: [u64; CODES],
    /// A line that mentions a result but is none.
    suspicious: bool,
    torn: bool,
    torn_result: bool,
    notes: Notes,
    /// The texts that were kept. A log has few different ones, mostly repeated: comparing beats hashing.
    kept: Vec<Vec<u8>>,
    finder: CodeFinder,
}

impl Log {
    fn new() -> Self {
        Self {
            starts: 0,
            prepare_only: false,
            validation_only: false,
            result: None,
            results: 0,
            failed_step: None,
            critical: false,
            too_many: false,
            other_error: false,
            seen: [0; CODES],
            suspicious: false,
            torn: false,
            torn_result: false,
            notes: Notes::default(),
            kept: Vec::new(),
            finder: CodeFinder::new(),
        }
    }

    fn see(&mut self, line: &Line<'_>) {
        if line.over_long {
            self.notes.warn("over_long_line");
            return;
        }
        if line.crlf {
            self.notes.warn("crlf");
        }
        if !line.whole {
            self.torn = true;
            self.torn_result = slog::head(line.bytes).is_some_and(|(_, rest)| begins_like_result(rest));
            return;
        }
        let Some((level, rest)) = slog::head(line.bytes) else {
            self.suspicious |= memchr::memmem::find(line.bytes, RESULT).is_some();
            return;
        };
        if rest.starts_with(b"source=") {
            return;
        }
        if rest.starts_with(RESULT) || rest.starts_with("msg=\"結果\"".as_bytes()) {
            self.results += 1;
            self.result.get_or_insert_with(|| ResultLine::read(level, rest));
            return;
        }
        match level {
            Level::Warn => self.see_soft_error(rest),
            Level::Error => self.see_error(rest),
            Level::Info if rest == STARTED => self.starts += 1,
            Level::Info if rest == PREPARE_ONLY => self.prepare_only = true,
            Level::Info if rest == VALIDATION_ONLY => self.validation_only = true,
            Level::Info | Level::Debug => {}
        }
    }

    fn see_soft_error(&mut self, rest: &[u8]) {
        if let Some(count) = self.finder.code_of(rest).and_then(|code| self.seen.get_mut(code)) {
            *count += 1;
        }
        self.keep(rest);
    }

    fn see_error(&mut self, rest: &[u8]) {
        if let Some((_, step)) = STEPS.iter().find(|(text, _)| rest.starts_with(text)) {
            self.failed_step.get_or_insert(step);
        } else if rest.starts_with(CRITICAL) {
            self.critical = true;
            self.too_many |= memchr::memmem::find(rest, TOO_MANY.as_bytes()).is_some();
        } else {
            self.other_error = true;
        }
        self.keep(rest);
    }

    /// Keeps an error's text, once each, up to a number.
    fn keep(&mut self, rest: &[u8]) {
        if self.kept.len() >= KEPT_MESSAGES || self.kept.iter().any(|kept| kept == rest) {
            return;
        }
        self.kept.push(rest.to_vec());
        self.notes.message(&record::error_text(rest));
    }

    fn conclude(mut self) -> Result<Claim, Invalid> {
        let notes = std::mem::take(&mut self.notes);
        self.claim(notes.clone()).map_err(|invalid| invalid.with(notes))
    }

    fn claim(mut self, mut notes: Notes) -> Result<Claim, Invalid> {
        let invalid = |kind, message: &str| Err(Invalid::new(kind, message));
        if self.prepare_only {
            notes.warn("prepare_only");
        }
        if self.results > 1 || self.starts > 1 {
            return invalid(ErrorKind::MultipleResults, "the log holds more than one run: each run needs a fresh file");
        }
        if self.torn_result {
            return invalid(ErrorKind::Truncated, "the result line has no end: it may be cut");
        }
        if let Some(step) = self.failed_step {
            return match self.result {
                Some(_) => invalid(ErrorKind::Contradiction, "prepare failed, and yet there is a result line"),
                None => Ok(failed(None, Codes::new(), step, notes)),
            };
        }
        let result = match self.result.take() {
            Some(result) => result,
            None if self.validation_only && self.other_error => {
                return Ok(failed(None, Codes::new(), "post_validation", notes));
            }
            None => return Err(self.no_result()),
        };
        let result = result.map_err(|invalid| invalid.with(notes.clone()))?;
        if self.prepare_only || self.validation_only || self.starts == 0 {
            return Err(not_a_load_run(notes));
        }
        let ResultLine { pass, score, codes } = result;
        if pass {
            if self.critical {
                return invalid(
                    ErrorKind::Contradiction,
                    "the log reports a critical error, and yet the result says pass",
                );
            }
            self.check_counts(&codes, &mut notes);
            return Ok(Claim { pass, score: Some(score), codes: Some(text_codes(&codes)), reason: None, notes });
        }
        let total: u64 = codes.iter().map(|(_, count)| *count).fold(0, u64::saturating_add);
        let reason = if self.too_many {
            "too_many_errors"
        } else if self.critical || codes.iter().any(|(code, _)| is_critical(*code)) {
            "critical"
        } else if total > ERROR_LIMIT {
            "too_many_errors"
        } else {
            "reported_fail"
        };
        Ok(failed(Some(score), text_codes(&codes), reason, notes))
    }

    fn no_result(&self) -> Invalid {
        if self.validation_only || self.prepare_only {
            return not_a_load_run(Notes::default()).with(if self.prepare_only {
                prepare_only()
            } else {
                Notes::default()
            });
        }
        if self.suspicious {
            return Invalid::new(ErrorKind::Syntax, "a line mentions 結果 but is not the benchmarker's own record");
        }
        if self.torn {
            return Invalid::new(ErrorKind::Truncated, "the log ends in the middle of a line, before any result");
        }
        Invalid::new(
            ErrorKind::MissingResult,
            "the log has no line `msg=結果`: the benchmarker ended before its result; see its standard error",
        )
    }

    /// Each counted soft error printed one line, so the lines of a whole log are at least as many as the counts.
    fn check_counts(&self, codes: &[(u64, u64)], notes: &mut Notes) {
        let total: u64 = codes.iter().map(|(_, count)| *count).fold(0, u64::saturating_add);
        if codes.iter().any(|(code, _)| is_critical(*code)) {
            notes.warn("critical_with_pass");
        }
        if total > ERROR_LIMIT {
            notes.warn("too_many_errors_with_pass");
        }
        let fewer = |(code, count): &(u64, u64)| {
            let seen = usize::try_from(*code).ok().and_then(|code| self.seen.get(code));
            *code != 0 && !is_critical(*code) && seen.copied().unwrap_or(0) < *count
        };
        if self.seen.iter().any(|count| *count > 0) && codes.iter().any(fewer) {
            notes.warn("fewer_error_lines_than_counted");
        }
    }
}

fn prepare_only() -> Notes {
    let mut notes = Notes::default();
    notes.warn("prepare_only");
    notes
}

fn not_a_load_run(notes: Notes) -> Invalid {
    Invalid::new(
        ErrorKind::NotALoadRun,
        "this was not a load run: no line `負荷走行を開始します` before the result (-t 0 or --only-post-validation?)",
    )
    .with(notes)
}

fn failed(score: Option<i64>, codes: Codes, reason: &str, notes: Notes) -> Claim {
    Claim { pass: false, score, codes: Some(codes), reason: Some(reason.to_owned()), notes }
}

/// Whether the beginning of a cut record may be that of a result.
fn begins_like_result(rest: &[u8]) -> bool {
    let length = rest.len().min(RESULT.len());
    length > b"msg=".len() && rest[..length] == RESULT[..length]
}

fn is_critical(code: u64) -> bool {
    super::codes::code_name(super::Format::Isucon14, &code.to_string()).is_some_and(|info| info.critical)
}

fn text_codes(codes: &[(u64, u64)]) -> Codes {
    codes.iter().map(|(code, count)| (code.to_string(), *count)).collect()
}
