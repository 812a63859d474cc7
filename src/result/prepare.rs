//! Reads a run that only prepares: initialize and the checks before the load, no score.
//!
//! Such a run is never a result ([`read`](super::read) calls it invalid, not a load run), but it tells within seconds that
//! a commit is broken. It proves nothing about a load run, so there is no pass here either.

use std::cell::Cell;

use super::channels::{Channels, Ended, Source};
use super::lines::MAX_LOG_LINE;
use super::outcome::{Outcome, Parsed};
use super::{Context, ErrorKind, Format, ReadOptions};

/// What a prepare-only run showed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Prepared {
    /// The benchmarker says that it is ready for the load.
    Ready,
    /// The benchmarker judged the application as broken; the reason is in it.
    Broken(Box<Parsed>),
    /// The output says neither.
    Unknown(Box<Parsed>),
}

/// Reads what a prepare-only run left behind.
pub fn read_prepare(options: &ReadOptions, channels: &Channels, ended: Option<Ended>) -> Prepared {
    // Read first and once: a stream is gone afterwards, so it is kept here where it is needed twice.
    let said_ready = says_ready(options, channels);
    let parsed = super::read(options, channels, ended);
    let fine = matches!(ended, None | Some(Ended::Exited(0)));
    let kind = parsed.error.as_ref().map(|error| error.kind);
    match (parsed.outcome, kind) {
        // The final round of ISUCON11 calls its prepare-only run a fail for having no points.
        (Outcome::Fail, _) if options.format == Format::Isucon11Final && no_fault(&parsed) && fine => Prepared::Ready,
        (Outcome::Fail, _) => Prepared::Broken(Box::new(parsed)),
        (Outcome::Invalid, Some(ErrorKind::NotALoadRun))
            if fine && parsed.warnings.iter().any(|w| w == "prepare_only") =>
        {
            Prepared::Ready
        }
        (Outcome::Invalid, Some(ErrorKind::MissingResult)) if fine && said_ready => Prepared::Ready,
        _ => Prepared::Unknown(Box::new(parsed)),
    }
}

fn no_fault(parsed: &Parsed) -> bool {
    parsed.reason.as_deref() == Some("score_not_positive")
        && parsed.codes.as_ref().is_some_and(|codes| codes.is_empty())
}

/// The line by which a benchmarker that prints no result says that all checks before the load were fine.
fn ready_line(format: Format) -> Option<&'static str> {
    match format {
        Format::Isucon13 => Some("整合性チェックが成功しました"),
        Format::Isucon12Qualify | Format::Kayac2022 => Some("整合性チェックに成功しました"),
        _ => None,
    }
}

fn says_ready(options: &ReadOptions, channels: &Channels) -> bool {
    let Some(line) = ready_line(options.format) else { return false };
    // Only a file or bytes can be read twice.
    let Some(source @ (Source::Path(_) | Source::Bytes(_))) = channels.output() else { return false };
    let trace = Cell::new(false);
    let context = Context { options, ended: None, trace: &trace };
    let Ok(mut lines) = context.lines(source, MAX_LOG_LINE) else { return false };
    while let Ok(Some(seen)) = lines.next() {
        if seen.whole && seen.bytes.ends_with(line.as_bytes()) {
            return true;
        }
    }
    false
}
