//! Readers for what benchmarkers leave behind: is there a result, what does it say, may it be trusted.
//!
//! One file a format, one entry, [`read`]. It never fails: whatever is wrong becomes the outcome
//! [`Outcome::Invalid`] with a typed error. An outcome becomes [`Outcome::Pass`] at one place only, in `outcome`, which
//! states the invariant. Streams of any size are read in constant memory; result documents have a size limit.

mod channels;
mod codes;
mod error;
mod figure;
mod format;
mod generic;
mod go_log;
mod hyperfine;
mod isucon10_qualify;
mod isucon11_final;
mod isucon11_qualify;
mod isucon12_final;
mod isucon12_qualify;
mod isucon13;
mod isucon14;
mod isucon9_qualify;
mod json;
mod json_line;
mod k6;
mod kayac_2022;
mod lines;
mod oha;
mod outcome;
mod portal;
mod prepare;
mod preset;
mod private_isu;
mod report_fd;
mod slog;
pub mod text;
mod wrk;

use std::cell::Cell;
use std::io;
use std::time::SystemTime;

pub use channels::{Channels, Ended, Source};
pub use codes::{CodeInfo, code_name};
pub use error::{ErrorKind, ReadError};
pub use figure::{Better, ScoreSpec};
pub use format::{Channel, Format, UnknownFormat};
pub use generic::{GenericSpec, JsonSpec, Matches, Origin, PatternSpec};
pub use outcome::{Codes, Outcome, Parsed};
pub use portal::typed as portal;
pub use prepare::{Prepared, read_prepare};
pub use preset::{Port, Preset, Unit, preset};

use lines::Lines;
use outcome::{Claim, Invalid, conclude};

/// The largest result document that is read, in bytes, unless the caller says otherwise: 16 MiB.
/// The largest of an official benchmarker is about 0.4 MB.
pub const MAX_DOCUMENT: u64 = 16 << 20;

/// How an output is to be read.
#[derive(Debug, Clone)]
pub struct ReadOptions {
    pub format: Format,
    /// For [`Format::Generic`]: where the result is. Without it: a JSON object with `pass` and `score`.
    pub generic: Option<GenericSpec>,
    /// For [`Format::K6`], [`Format::Oha`], [`Format::Wrk`] and [`Format::Hyperfine`]: which figure is the score.
    /// Without it: requests per second, or the mean run time.
    pub score: Option<ScoreSpec>,
    /// When the run began: a file that was last written before is not its result.
    pub started_at: Option<SystemTime>,
    /// The largest result document, in bytes.
    pub max_document: u64,
}

impl ReadOptions {
    /// The options for a format, with defaults for the rest.
    pub fn new(format: Format) -> Self {
        Self { format, generic: None, score: None, started_at: None, max_document: MAX_DOCUMENT }
    }

    /// The options for a format and what the configuration says under `bench.result`.
    ///
    /// # Errors
    /// The description does not fit the format; the message says what was expected.
    pub fn described(format: Format, result: Option<serde_json::Value>) -> Result<Self, serde_json::Error> {
        let mut options = Self::new(format);
        if let Some(result) = result {
            match format {
                Format::K6 | Format::Oha | Format::Wrk | Format::Hyperfine => {
                    options.score = Some(serde_json::from_value(result)?);
                }
                Format::Generic => options.generic = Some(serde_json::from_value(result)?),
                other => {
                    return Err(serde::de::Error::custom(format!(
                        "the format {other} needs no description of its result: remove it, or use the format generic"
                    )));
                }
            }
        }
        Ok(options)
    }
}

/// What a reader needs besides the channels.
struct Context<'c> {
    options: &'c ReadOptions,
    /// How the process ended: `generic` may be told to judge by it.
    ended: Option<Ended>,
    /// Whether a Go crash trace went by.
    trace: &'c Cell<bool>,
}

impl<'c> Context<'c> {
    /// Opens a stream that holds the result: it must not be older than the run.
    fn lines(&self, source: &'c Source, longest: usize) -> Result<Lines<'c>, Invalid> {
        let opened = source.open(self.options.started_at)?;
        Ok(Lines::new(opened.reader, longest).watching(self.trace))
    }

    /// Opens a stream that only accompanies the result.
    fn lines_of_any_age(&self, source: &'c Source, longest: usize) -> Result<Lines<'c>, Invalid> {
        Ok(Lines::new(source.open(None)?.reader, longest).watching(self.trace))
    }
}

/// Reads what a benchmarker left behind.
pub fn read(options: &ReadOptions, channels: &Channels, ended: Option<Ended>) -> Parsed {
    let trace = Cell::new(false);
    let found = {
        let context = Context { options, ended, trace: &trace };
        let found = claim(channels, &context);
        // Standard error decides nothing but this: did the process crash? After exit status 0 it cannot have.
        if ended != Some(Ended::Exited(0))
            && let Some(stderr) = &channels.stderr
        {
            watch(stderr, &context);
        }
        found
    };
    conclude(options.format, found, ended, trace.get())
}

fn claim<'c>(channels: &'c Channels, context: &Context<'c>) -> Result<Claim, Invalid> {
    match context.options.format {
        Format::Isucon14 => isucon14::read(channels, context),
        Format::Isucon13 => isucon13::read(channels, context),
        Format::Isucon12Qualify => go_log::read::<isucon12_qualify::Isuports>(channels, context),
        Format::Isucon12Final => go_log::read::<isucon12_final::Isuconquest>(channels, context),
        Format::Isucon11Qualify => go_log::read::<isucon11_qualify::Isucondition>(channels, context),
        Format::Isucon11Final => go_log::read::<isucon11_final::Isucholar>(channels, context),
        Format::Kayac2022 => go_log::read::<kayac_2022::Listen80>(channels, context),
        Format::Isucon10Qualify => isucon10_qualify::read(channels, context),
        Format::Isucon9Qualify => isucon9_qualify::read(channels, context),
        Format::PrivateIsu => private_isu::read(channels, context),
        Format::Generic => generic::read(channels, context),
        Format::ReportFd => match &channels.report_fd {
            Some(source) => report_fd::cross_check(None, Some(report_fd::read(source, context.options.started_at))),
            None => Err(no_channel("the report descriptor")),
        },
        Format::Portal => portal::read(channels, context),
        Format::K6 => k6::read(channels, context),
        Format::Oha => oha::read(channels, context),
        Format::Wrk => wrk::read(channels, context),
        Format::Hyperfine => hyperfine::read(channels, context),
    }
}

/// Looks for a crash trace. A channel that cannot be read shows none.
fn watch<'c>(source: &'c Source, context: &Context<'c>) {
    if let Ok(mut lines) = context.lines_of_any_age(source, lines::MAX_LOG_LINE) {
        while let Ok(Some(_)) = lines.next() {}
    }
}

fn unreadable(error: io::Error) -> Invalid {
    Invalid::new(ErrorKind::Unreadable, format!("the output cannot be read: {error}"))
}

fn no_channel(what: &str) -> Invalid {
    Invalid::new(ErrorKind::MissingResult, format!("{what} is missing: this format has its result there"))
}
