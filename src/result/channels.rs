//! Where a benchmarker's output comes from: the channels, how each is opened, and how the process ended.

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use super::error::ErrorKind;
use super::outcome::Invalid;

/// A clock tick of the kernel: file times may lag behind the clock by as much.
const CLOCK_TICK: Duration = Duration::from_millis(10);

/// How the benchmarker's process ended. `None` in an `Option<Ended>` means that nobody saw it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// It exited by itself with this status.
    Exited(i32),
    /// This signal ended it.
    Signaled(i32),
    /// It was ended at the wall-clock limit.
    TimedOut,
}

/// One channel's content: a file, bytes in memory, or something to read from once.
pub enum Source {
    /// A file. Its kind, size and age are checked where the format needs it.
    Path(PathBuf),
    /// Bytes in memory.
    Bytes(Vec<u8>),
    /// A stream. It can be read once.
    Reader(Mutex<Option<Box<dyn Read + Send>>>),
}

impl Source {
    /// A channel that is read from `reader`, once.
    pub fn reader(reader: impl Read + Send + 'static) -> Self {
        Self::Reader(Mutex::new(Some(Box::new(reader))))
    }

    /// What to call this channel in a message.
    pub(super) fn name(&self) -> String {
        match self {
            Self::Path(path) => crate::text::terminal_line(&path.display().to_string()),
            Self::Bytes(_) | Self::Reader(_) => "the given data".to_owned(),
        }
    }

    /// Opens the channel as a stream of any size.
    pub(super) fn open(&self, started_at: Option<SystemTime>) -> Result<Opened<'_>, Invalid> {
        match self {
            Self::Path(path) => open_file(path, started_at),
            Self::Bytes(bytes) => Ok(Opened { reader: Box::new(bytes.as_slice()), len: Some(bytes.len() as u64) }),
            Self::Reader(slot) => match slot.lock().unwrap_or_else(PoisonError::into_inner).take() {
                Some(reader) => Ok(Opened { reader, len: None }),
                None => {
                    Err(Invalid::new(ErrorKind::Unreadable, "this stream was read before; give each channel its own"))
                }
            },
        }
    }
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Path(path) => f.debug_tuple("Path").field(path).finish(),
            Self::Bytes(bytes) => write!(f, "Bytes({} bytes)", bytes.len()),
            Self::Reader(_) => f.write_str("Reader"),
        }
    }
}

impl From<PathBuf> for Source {
    fn from(path: PathBuf) -> Self {
        Self::Path(path)
    }
}

impl From<Vec<u8>> for Source {
    fn from(bytes: Vec<u8>) -> Self {
        Self::Bytes(bytes)
    }
}

/// An open channel.
pub(super) struct Opened<'a> {
    pub reader: Box<dyn Read + 'a>,
    /// Size in bytes, where it can be known before reading.
    pub len: Option<u64>,
}

/// Everything that a run of a benchmarker left behind. A format reads the channels that it knows.
#[derive(Debug, Default)]
pub struct Channels {
    /// Standard output alone.
    pub stdout: Option<Source>,
    /// Standard error alone.
    pub stderr: Option<Source>,
    /// Standard output and error in one file, as `2>&1` makes it.
    pub merged: Option<Source>,
    /// The file that the benchmarker was told to write its result to.
    pub result_file: Option<Source>,
    /// What was written to the descriptor named by `ISUXBENCH_REPORT_FD`.
    pub report_fd: Option<Source>,
}

impl Channels {
    /// Standard output, or what holds it: the merged stream.
    pub(super) fn output(&self) -> Option<&Source> {
        self.stdout.as_ref().or(self.merged.as_ref())
    }
}

fn open_file(path: &Path, started_at: Option<SystemTime>) -> Result<Opened<'_>, Invalid> {
    let name = crate::text::terminal_line(&path.display().to_string());
    let fail = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound => {
            Invalid::new(ErrorKind::MissingResult, format!("{name} does not exist: the benchmarker did not write it"))
        }
        _ => Invalid::new(ErrorKind::Unreadable, format!("{name} cannot be read: {error}")),
    };
    // Looked at before it is opened: opening a pipe without a writer would wait for ever.
    let seen = std::fs::metadata(path).map_err(fail)?;
    if seen.is_dir() {
        return Err(Invalid::new(ErrorKind::NotAFile, format!("{name} is a directory")));
    }
    let file = File::open(path).map_err(fail)?;
    let facts = file.metadata().map_err(fail)?;
    if !facts.is_file() {
        return Ok(Opened { reader: Box::new(file), len: None });
    }
    if let (Some(start), Ok(modified)) = (started_at, facts.modified())
        && is_stale(modified, start)
    {
        return Err(Invalid::new(
            ErrorKind::StaleResult,
            format!("{name} was last written before this run began: it belongs to an earlier run"),
        ));
    }
    Ok(Opened { reader: Box::new(file), len: Some(facts.len()) })
}

/// Whether a file that was last written at `modified` is older than a run that began at `start`.
fn is_stale(modified: SystemTime, start: SystemTime) -> bool {
    let epoch = SystemTime::UNIX_EPOCH;
    let (Ok(modified), Ok(start)) = (modified.duration_since(epoch), start.duration_since(epoch)) else {
        return true;
    };
    if modified.subsec_nanos() == 0 {
        // A file system that keeps whole seconds only: compare those.
        return modified.as_secs() < start.as_secs();
    }
    modified + CLOCK_TICK < start
}

/// Whether the path is something else than a regular file, where a result document must be one.
pub(super) fn require_regular(source: &Source) -> Result<(), Invalid> {
    if let Source::Path(path) = source
        && let Ok(facts) = std::fs::metadata(path)
        && !facts.is_file()
    {
        return Err(Invalid::new(
            ErrorKind::NotAFile,
            format!("{} is not a regular file; a result file must be one", source.name()),
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_from_before_the_run_is_stale() {
        let start = SystemTime::UNIX_EPOCH + Duration::from_millis(1_000_500);
        assert!(is_stale(start - Duration::from_millis(400), start));
        assert!(!is_stale(start - Duration::from_millis(5), start));
        assert!(!is_stale(start + Duration::from_millis(5), start));
    }

    #[test]
    fn whole_second_file_times_are_compared_by_the_second() {
        let start = SystemTime::UNIX_EPOCH + Duration::from_millis(1_000_500);
        assert!(!is_stale(SystemTime::UNIX_EPOCH + Duration::from_secs(1_000), start));
        assert!(is_stale(SystemTime::UNIX_EPOCH + Duration::from_secs(999), start));
    }

    #[test]
    fn a_stream_is_read_once() {
        let source = Source::reader(&b"x"[..]);
        assert!(source.open(None).is_ok());
        assert!(matches!(source.open(None), Err(e) if e.kind == ErrorKind::Unreadable));
    }
}
