//! What is wrong with a configuration file as a whole: it can't be read, or it has mistakes.

use std::fmt;

use super::diagnostic::{Diagnostic, Place, safe};

/// How many mistakes are kept; the rest are counted.
const KEPT: usize = 100;
/// How many mistakes are shown.
const SHOWN: usize = 20;

/// Why a configuration could not be loaded. Its `Display` is the complete text for a person.
#[derive(Debug)]
pub struct ConfigError(Box<Cause>);

#[derive(Debug)]
enum Cause {
    Unreadable { file: String, message: String, help: String },
    Mistakes { file: String, text: String, found: Findings },
}

impl ConfigError {
    pub(super) fn unreadable(file: &str, message: impl Into<String>, help: impl Into<String>) -> Self {
        ConfigError(Box::new(Cause::Unreadable { file: safe(file), message: message.into(), help: help.into() }))
    }

    pub(super) fn mistakes(file: &str, text: &str, mut found: Findings) -> Self {
        found.list.sort();
        // A value that is used through an alias twice is one mistake.
        found.list.dedup();
        ConfigError(Box::new(Cause::Mistakes { file: safe(file), text: text.into(), found }))
    }

    /// The mistakes in the order of the file; empty when the file could not be read at all. At most 100 are kept.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        match &*self.0 {
            Cause::Unreadable { .. } => &[],
            Cause::Mistakes { found, .. } => &found.list,
        }
    }

    /// The file's name as it was given, safe to print.
    pub fn file(&self) -> &str {
        match &*self.0 {
            Cause::Unreadable { file, .. } | Cause::Mistakes { file, .. } => file,
        }
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.0 {
            Cause::Unreadable { file, message, help } => write!(f, "{file}: {message}\n   help: {help}"),
            Cause::Mistakes { file, text, found } => {
                let source = lines(text);
                let shown: Vec<String> = found.list.iter().take(SHOWN).map(|d| d.render(file, &source)).collect();
                f.write_str(shown.join("\n").trim_end())?;
                let all = found.list.len() + found.more;
                match all.saturating_sub(shown.len()) {
                    0 if all > 1 => write!(f, "\n\n{all} mistakes in {file}"),
                    0 => Ok(()),
                    hidden => write!(f, "\n\n{all} mistakes in {file}; {hidden} more are not shown"),
                }
            }
        }
    }
}

impl std::error::Error for ConfigError {}

/// The lines of a YAML text: they end with CR, LF, or both.
pub(super) fn lines(text: &str) -> Vec<&str> {
    text.split('\n').flat_map(|line| line.strip_suffix('\r').unwrap_or(line).split('\r')).collect()
}

/// The mistakes found so far.
#[derive(Debug, Default)]
pub(super) struct Findings {
    list: Vec<Diagnostic>,
    more: usize,
}

impl Findings {
    /// Takes a mistake down. `message` and `help` must be safe to print already.
    pub(super) fn add(&mut self, place: Place, path: &str, message: impl Into<String>, help: Option<String>) {
        if self.is_full() {
            self.more += 1;
            return;
        }
        self.list.push(Diagnostic {
            line: place.line,
            column: place.column,
            width: place.width.max(1),
            path: safe(path),
            message: message.into(),
            help,
        });
    }

    /// Whether further mistakes are only counted, so that there is no use in looking for what could have been meant.
    pub(super) fn is_full(&self) -> bool {
        self.list.len() >= KEPT
    }

    pub(super) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }
}
