//! Why an output is not a result: the kinds of error that a reader can find, and the error itself.

use serde::{Deserialize, Serialize};
use std::fmt;

/// What was wrong with a benchmarker's output. The names in JSON are the snake_case ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorKind {
    /// The wall-clock limit was reached.
    TimedOut,
    /// A signal ended the process.
    Signaled,
    /// The process crashed: a Go trace, or the exit status of one.
    Crashed,
    /// The file could not be opened or read.
    Unreadable,
    /// The path is a directory, a device or a pipe where a file must be.
    NotAFile,
    /// The document is above the size limit.
    TooLarge,
    /// The file is older than the run.
    StaleResult,
    /// There is nothing in it.
    Empty,
    /// It begins with a UTF-8 byte order mark.
    Bom,
    /// It is not UTF-8.
    NotUtf8,
    /// It is nested too deeply.
    TooDeep,
    /// It does not follow the grammar of its format.
    Syntax,
    /// It ends too early.
    Truncated,
    /// Something that is not a result follows the result.
    TrailingData,
    /// There is more than one result.
    MultipleResults,
    /// The root of the document is not an object.
    NotObject,
    /// A key occurs twice.
    DuplicateKey,
    /// A field that the format always has is missing.
    MissingField,
    /// A field has another type than the format says.
    WrongType,
    /// A number that must be an integer is none.
    NonInteger,
    /// A number is outside of what the format allows.
    OutOfRange,
    /// An error code that the benchmarker does not have.
    UnknownCode,
    /// Two parts of the output, or the output and the exit status, disagree.
    Contradiction,
    /// The process ended and there is no result.
    MissingResult,
    /// A result of something else than a load run (prepare only, validation only).
    NotALoadRun,
    /// The report descriptor holds no report that is marked as finished.
    NoFinalReport,
    /// The reader was asked for something that cannot be: options or pattern are wrong.
    BadOptions,
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The serde name is the one that people see everywhere else.
        match serde_json::to_value(self) {
            Ok(serde_json::Value::String(name)) => f.write_str(&name),
            _ => write!(f, "{self:?}"),
        }
    }
}

/// Why the outcome is [`Invalid`](super::Outcome::Invalid).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{kind}: {message}")]
pub struct ReadError {
    /// The kind, stable, for programs.
    pub kind: ErrorKind,
    /// One sentence for a person: where, what, and what to do. Foreign text in it is already harmless.
    pub message: String,
}
