//! What happens during a run, as it happens. The run emits events and prints nothing; views consume them.

use std::{sync::Arc, time::Duration};

/// A stage of the way of a run, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Stage {
    /// What will be done, from configuration and repository alone.
    Plan,
    /// Connections, tools, disk, units, isutools.
    Check,
    /// Taking the hosts.
    Lease,
    /// Ship, build, verify, activate, restart.
    Deploy,
    /// Waiting until everything answers.
    Ready,
    /// Opening an isutools run.
    Reset,
    /// The benchmarker.
    Bench,
    /// Reading its result.
    Parse,
    /// Closing the isutools run.
    Save,
    /// Fetching evidence.
    Pull,
    /// Whether the run was disturbed.
    Integrity,
    /// Writing the record.
    Record,
    /// The verdict.
    Judge,
    /// Showing it.
    Report,
    /// Putting the baseline back.
    Rollback,
    /// Giving the hosts back.
    Release,
}

impl Stage {
    /// The stage's name as in the journal.
    pub fn name(self) -> &'static str {
        match self {
            Stage::Plan => "plan",
            Stage::Check => "check",
            Stage::Lease => "lease",
            Stage::Deploy => "deploy",
            Stage::Ready => "ready",
            Stage::Reset => "reset",
            Stage::Bench => "bench",
            Stage::Parse => "parse",
            Stage::Save => "save",
            Stage::Pull => "pull",
            Stage::Integrity => "integrity",
            Stage::Record => "record",
            Stage::Judge => "judge",
            Stage::Report => "report",
            Stage::Rollback => "rollback",
            Stage::Release => "release",
        }
    }
}

/// One thing that happened. Texts may hold foreign bytes: a view makes them safe for its medium.
#[derive(Debug, Clone)]
pub enum Event {
    /// A run was given its id.
    RunBegan {
        /// The run.
        id: String,
        /// The commit, 40 hex digits.
        commit: String,
        /// First line of its message.
        subject: String,
    },
    /// A stage began.
    Began {
        /// Which.
        stage: Stage,
    },
    /// A stage ended.
    Ended {
        /// Which.
        stage: Stage,
        /// How long it took.
        took: Duration,
        /// What came out, one line.
        outcome: String,
        /// Whether it did what it was to do.
        ok: bool,
    },
    /// Something worth a line.
    Note {
        /// Host it is about, if one.
        host: Option<String>,
        /// One line.
        text: String,
    },
    /// Something a person should see even in a quiet view.
    Warning {
        /// One line.
        text: String,
    },
    /// Time of the benchmarker.
    BenchProgress {
        /// Since it started.
        elapsed: Duration,
        /// Its wall-clock limit.
        limit: Duration,
    },
    /// A line that the benchmarker or a build printed (without its newline).
    Output {
        /// Host it came from.
        host: String,
        /// The line, raw.
        line: String,
    },
}

/// Where events go; cheap to clone.
#[derive(Clone)]
pub struct Events(Arc<dyn Fn(&Event) + Send + Sync>);

impl Events {
    /// Events go to `sink`, which must not block for long.
    pub fn to(sink: impl Fn(&Event) + Send + Sync + 'static) -> Self {
        Events(Arc::new(sink))
    }

    /// Events go nowhere.
    pub fn none() -> Self {
        Events::to(|_| {})
    }

    /// Tells what happened.
    pub fn emit(&self, event: Event) {
        (self.0)(&event);
    }

    /// A note about one host.
    pub fn note(&self, host: &str, text: impl Into<String>) {
        self.emit(Event::Note { host: Some(host.into()), text: text.into() });
    }

    /// A warning.
    pub fn warn(&self, text: impl Into<String>) {
        self.emit(Event::Warning { text: text.into() });
    }
}
