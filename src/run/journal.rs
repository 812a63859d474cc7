//! The journal of a run: one JSON line before and one after each stage, on disk before the next thing happens. Whatever kills
//! us, it says how far we were.

use std::{
    fs::{File, OpenOptions},
    io::Write,
    path::Path,
};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    exit::{Exit, Failure},
    report::Stage,
};

/// One line of a journal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// RFC 3339, UTC.
    pub at: String,
    /// The stage.
    pub stage: Stage,
    /// Before or after it, or in it.
    pub phase: Phase,
    /// What is known then: ids, places, what came out.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub data: Value,
}

/// Where in its stage a line stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// Before it.
    Begin,
    /// Something that whoever finishes the run must know.
    Note,
    /// After it, done.
    Done,
    /// After it, failed.
    Failed,
}

/// A journal that is being written.
pub struct Journal {
    file: File,
    path: String,
}

impl Journal {
    /// Opens a run's journal in its directory.
    ///
    /// # Errors
    /// The disk.
    pub fn open(directory: &Path) -> Result<Journal, Failure> {
        let path = directory.join("journal.jsonl");
        let file = OpenOptions::new().create(true).append(true).open(&path);
        let file = file.map_err(|e| broken(&path.to_string_lossy(), &e))?;
        Ok(Journal { file, path: path.to_string_lossy().into_owned() })
    }

    /// Writes one line and waits until it is on disk.
    ///
    /// # Errors
    /// The disk: a run that cannot be journalled does not go on.
    pub fn write(&mut self, stage: Stage, phase: Phase, data: Value) -> Result<(), Failure> {
        let line = Line { at: jiff::Timestamp::now().to_string(), stage, phase, data };
        let mut bytes = serde_json::to_vec(&line).unwrap_or_default();
        bytes.push(b'\n');
        self.file.write_all(&bytes).and_then(|()| self.file.sync_data()).map_err(|e| broken(&self.path, &e))
    }
}

/// The lines of a journal; a last line that a kill cut short is left out.
///
/// # Errors
/// The disk.
pub fn read(directory: &Path) -> std::io::Result<Vec<Line>> {
    let text = std::fs::read_to_string(directory.join("journal.jsonl"))?;
    Ok(text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect())
}

fn broken(path: &str, error: &std::io::Error) -> Failure {
    Failure::new(Exit::Failed, format!("the journal {path} cannot be written: {error}"), "is the disk full?")
}
