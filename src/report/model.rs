//! What a report says, before it has a form. Everything that came from a host or a benchmarker is still raw here: each view
//! makes it safe for its own medium.

use serde::{Deserialize, Serialize};

use crate::{
    config::shape::Language,
    ledger::{Decision, RunRecord},
    verdict::Verdict,
};

/// All that a view needs.
#[derive(Debug, Clone, Serialize)]
pub struct Report {
    /// The run.
    pub run: RunRecord,
    /// The run that it was compared with, if there was one.
    pub baseline: Option<RunRecord>,
    /// What was decided, the gate's verdict first.
    pub decisions: Vec<Decision>,
    /// Error codes, old and new.
    pub codes: Vec<CodeRow>,
    /// What the score was compared by: sentence on noise and the runs that it rests on.
    pub noise: Vec<String>,
    /// State each host was left in, one sentence a host.
    pub hosts: Vec<String>,
    /// What is missing or was noticed.
    pub warnings: Vec<String>,
    /// Last lines of the benchmarker's output (at most 48,000 bytes), raw.
    pub output_tail: String,
    /// Where the run's files are on this machine.
    pub directory: String,
    /// Language of the fixed words.
    #[serde(skip)]
    pub language: Language,
}

impl Report {
    /// The decision that holds.
    pub fn verdict(&self) -> Option<Verdict> {
        self.decisions.last().map(|d| d.verdict)
    }
}

/// One error code in the run and in the baseline.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CodeRow {
    /// As the benchmarker prints it.
    pub code: String,
    /// The dictionary's name, if it has one.
    pub name: Option<String>,
    /// Count in the baseline's runs (mean a run where there are several).
    pub baseline: f64,
    /// Count in the run.
    pub candidate: u64,
    /// The rule that applied, as a sentence.
    pub rule: String,
    /// Whether it speaks against the run.
    pub vetoes: bool,
}
