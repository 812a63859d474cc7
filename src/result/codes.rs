//! Error codes and classes by name, with their meaning in English and Japanese.

mod classes;
mod isucon14;

use super::format::Format;

pub(super) use isucon14::known as known_isucon14;

/// What an error code or class means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CodeInfo {
    /// The benchmarker's own name for it, without prefix.
    pub name: &'static str,
    pub meaning_en: &'static str,
    pub meaning_ja: &'static str,
    /// Whether one of it ends or fails the run.
    pub critical: bool,
}

/// Looks up a key of [`Parsed::codes`](super::Parsed::codes).
pub fn code_name(format: Format, code: &str) -> Option<CodeInfo> {
    match format {
        Format::Isucon14 => isucon14::info(code),
        other => classes::info(other, code),
    }
}
