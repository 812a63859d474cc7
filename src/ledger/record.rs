//! What is recorded of a run and of what was decided about it: the shapes of `run.json` and `decision.json`.
//!
//! Readers accept newer minor versions and keep the fields that they do not know.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{
    config::shape::{Intent, Preset},
    result::Parsed,
    verdict::Verdict,
};

/// `major.minor` of the shapes in this file. A reader refuses another major version.
pub const SCHEMA_VERSION: &str = "1.0";

/// One execution of the benchmarker against one deployed commit: `runs/<id>/run.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunRecord {
    /// [`SCHEMA_VERSION`] of the writer.
    pub schema_version: String,
    /// The run's id.
    pub id: String,
    /// The commit, 40 hex digits.
    pub commit: String,
    /// First line of the commit's message.
    #[serde(default)]
    pub subject: String,
    /// The branch that was checked out or named, if one was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// Who started it: `user@machine`, or the actor of a workflow.
    #[serde(default)]
    pub by: String,
    /// RFC 3339, UTC.
    pub started_at: String,
    /// RFC 3339, UTC.
    pub finished_at: String,
    /// What makes runs comparable.
    pub series: Series,
    /// `isugate` version that wrote it.
    #[serde(default)]
    pub isugate: String,
    /// What was deployed where, and whether it stayed so.
    #[serde(default)]
    pub hosts: BTreeMap<String, HostRecord>,
    /// How the benchmarker ran.
    pub bench: BenchRecord,
    /// What it said.
    pub result: Parsed,
    /// isutools' evidence, one entry an admin server.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub isutools: Vec<IsutoolsRecord>,
    /// Files kept beside the run, not in git.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<EvidenceFile>,
    /// What spoils the run, found without looking at the score.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub violations: Vec<String>,
    /// Seconds that each stage took.
    #[serde(default)]
    pub stages: BTreeMap<String, f64>,
    /// Fields of newer writers.
    #[serde(flatten)]
    pub unknown: serde_json::Map<String, serde_json::Value>,
}

/// What makes runs comparable. Two runs are of one series when `key` is equal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Series {
    /// SHA-256 over the other fields, first 12 hex digits.
    pub key: String,
    /// The contest.
    pub contest: String,
    /// SHA-256 of the benchmarker's program file, if it could be told.
    pub benchmarker: Option<String>,
    /// Its command line before ports and paths are filled in.
    pub command: String,
    /// The hosts with their roles.
    pub hosts: BTreeMap<String, Vec<String>>,
    /// Whether isutools collects during the run.
    pub collectors: bool,
}

/// What was on a host.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct HostRecord {
    /// The deployed commit, if this host gets the tree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision: Option<String>,
    /// SHA-256 of what the build made, by path relative to the release.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub artifacts: BTreeMap<String, String>,
    /// Units after the restart, before the benchmark.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub units: BTreeMap<String, UnitState>,
    /// SHA-256 of what each probe printed before the benchmark, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub probes: BTreeMap<String, String>,
    /// Whether objects were sent to it.
    #[serde(default)]
    pub shipped: bool,
    /// Whether something was built on it.
    #[serde(default)]
    pub built: bool,
}

/// A systemd unit's state.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnitState {
    /// `ActiveState`.
    pub active: String,
    /// `ExecMainStartTimestampMonotonic`, microseconds since the host's boot.
    pub started_us: u64,
    /// `NRestarts`.
    pub restarts: u64,
    /// `MainPID`.
    pub pid: u64,
}

/// How the benchmarker ran.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct BenchRecord {
    /// Host it ran on.
    pub host: String,
    /// The command line as it was run.
    pub command: String,
    /// How its result was read.
    pub format: String,
    /// Exit status, if it exited.
    pub exit_code: Option<i32>,
    /// Signal, if one ended it.
    pub signal: Option<i32>,
    /// Whether the wall-clock limit ended it.
    pub timed_out: bool,
    /// Seconds from start to end, by the host's clock.
    pub seconds: f64,
    /// Ports that were chosen for it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub ports: BTreeMap<String, u16>,
}

/// What isutools gave.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct IsutoolsRecord {
    /// Host of the admin server.
    pub host: String,
    /// isutools' own run id (`run-…`).
    pub run_id: Option<String>,
    /// The snapshot's file name on the host.
    pub snapshot: Option<String>,
    /// SHA-256 that `/save` answered and the pulled file has.
    pub sha256: Option<String>,
    /// `meta.run.validity`.
    pub validity: Option<String>,
    /// Figures for the report.
    pub summary: Option<crate::isutools::Summary>,
    /// What is missing or not to be trusted, and why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<String>,
}

/// One file kept beside the run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EvidenceFile {
    /// Path relative to the run's directory.
    pub path: String,
    /// Bytes.
    pub size: u64,
    /// SHA-256 of its content, hex.
    pub sha256: String,
}

/// What was decided about a run: `runs/<id>/decision.json`. The first entry is the gate's verdict; overrides follow.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DecisionRecord {
    /// [`SCHEMA_VERSION`] of the writer.
    pub schema_version: String,
    /// The run.
    pub run: String,
    /// The run that it was compared with.
    pub baseline: Option<String>,
    /// What was asked for.
    pub intent: Intent,
    /// What a decision might cost.
    pub preset: Preset,
    /// The gate's verdict, then what people made of it, in time order.
    pub decisions: Vec<Decision>,
    /// Fields of newer writers.
    #[serde(flatten)]
    pub unknown: serde_json::Map<String, serde_json::Value>,
}

impl DecisionRecord {
    /// The decision that holds: the last one.
    pub fn current(&self) -> Option<&Decision> {
        self.decisions.last()
    }

    /// The gate's own verdict.
    pub fn verdict(&self) -> Option<Verdict> {
        self.decisions.first().filter(|d| !d.by_person).map(|d| d.verdict)
    }
}

/// One decision.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Decision {
    /// What was decided.
    pub verdict: Verdict,
    /// Sentences.
    pub reasons: Vec<String>,
    /// Who: `isugate`, or a person.
    pub by: String,
    /// Whether a person decided.
    pub by_person: bool,
    /// RFC 3339, UTC.
    pub at: String,
}
