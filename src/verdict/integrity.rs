//! Integrity of a run: facts about the hosts and the benchmarker, never the score.
//!
//! A run that something else has spoiled says nothing about the code. That is decided here, from facts that were there
//! before anybody looked at the score, so that no run is ever dropped because its score is disliked.

use serde::{Deserialize, Serialize};

/// A time in seconds since the benchmark began; negative before it.
pub type Second = f64;

/// Limits that the user can set.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Share of a host's CPU (0 to 1) that processes may take which belong to neither the application, its services,
    /// the benchmarker nor us. At 25–42 % ISUCON14 lost 15–40 % of its score.
    pub foreign_cpu: f64,
    /// Share of a host's CPU (0 to 1) that the hypervisor may take away (steal time).
    pub steal: f64,
    /// How far the benchmark's duration may be from what the series shows, in seconds.
    pub duration_slack: f64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { foreign_cpu: 0.25, steal: 0.15, duration_slack: 10.0 }
    }
}

impl Limits {
    /// From where on the load is worth a warning, though it does not spoil the run.
    pub fn doubtful() -> Self {
        Self { foreign_cpu: 0.10, steal: 0.05, ..Self::default() }
    }
}

/// Everything that is known about one run's surroundings. What was not measured is left out and proves nothing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Facts {
    /// Per host: hashes, units, load.
    pub hosts: Vec<HostFacts>,
    /// When the lease was lost, if it was.
    pub lease_lost_at: Option<Second>,
    /// How long the benchmark took, seconds.
    pub duration: Option<f64>,
    /// How long it takes in this series, seconds.
    pub expected_duration: Option<f64>,
    /// Why the result is not whole, if it is not.
    pub broken_result: Option<String>,
    /// The benchmarker of this run and of the series.
    pub bench: Option<BenchFacts>,
    /// isutools' windows.
    pub isutools: Vec<WindowFacts>,
}

/// One host.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct HostFacts {
    /// Its name in the configuration.
    pub host: String,
    /// What was deployed: name of each file or tree, its hash before the benchmark and after.
    pub deployed: Vec<HashPair>,
    /// Services.
    pub units: Vec<UnitFacts>,
    /// Samples of the load while the benchmark ran.
    pub load: Vec<LoadSample>,
}

/// The hash of something that was deployed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct HashPair {
    /// What was hashed.
    pub name: String,
    /// Hash right before the benchmark.
    pub before: String,
    /// Hash right after; absent if it could not be read.
    pub after: Option<String>,
}

/// A service before and after the benchmark.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct UnitFacts {
    /// Its name, as `isuride-go.service`.
    pub unit: String,
    /// When it was started, seconds since the benchmark began, read before the benchmark.
    pub started_before: Option<Second>,
    /// The same, read after the benchmark; absent if it does not run any more.
    pub started_after: Option<Second>,
    /// How often it was restarted, before.
    pub restarts_before: Option<u64>,
    /// And after.
    pub restarts_after: Option<u64>,
}

/// One sample of a host's load.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct LoadSample {
    /// When.
    pub at: Second,
    /// Length of the interval that the sample covers, seconds.
    pub seconds: f64,
    /// Share of the host's CPU (0 to 1) that went to foreign processes.
    pub foreign: f64,
    /// Share that was stolen.
    pub steal: f64,
    /// The foreign process that took most, if any.
    pub heaviest: Option<String>,
}

/// Which benchmarker ran, and which one the series has.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct BenchFacts {
    /// Hash of the program that ran.
    pub hash: String,
    /// Its flags.
    pub flags: String,
    /// Hash of the series' program.
    pub series_hash: String,
    /// The series' flags.
    pub series_flags: String,
}

/// isutools' run on a host. Evidence only: what is missing there spoils no run, another run's window does.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct WindowFacts {
    /// Host it was pulled from.
    pub host: String,
    /// Run id that a reset was given for.
    pub expected_id: Option<String>,
    /// Run id in the snapshot.
    pub seen_id: Option<String>,
    /// When its window began and ended; seconds since the benchmark began.
    pub window: Option<(Second, Second)>,
}

/// Something that spoils the run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Violation {
    /// On which host, where it is about one.
    pub host: Option<String>,
    /// Which unit, process or thing.
    pub subject: Option<String>,
    /// When, in seconds since the benchmark began, where that is known.
    pub second: Option<Second>,
    /// What happened.
    pub what: What,
}

impl Violation {
    /// Whether it is about what took a host's CPU.
    pub fn is_load(&self) -> bool {
        matches!(self.what, What::ForeignLoad { .. } | What::Steal { .. })
    }
}

/// Kinds of violation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum What {
    /// What was deployed is not what it was.
    Changed {
        /// Hash before.
        before: String,
        /// Hash after, if it could be read.
        after: Option<String>,
    },
    /// A unit was restarted, or died, in the middle.
    Restarted {
        /// Restart count before and after.
        restarts: Option<(u64, u64)>,
    },
    /// A unit does not run any more.
    Stopped,
    /// The lease was lost.
    LeaseLost,
    /// The benchmark took another time than it should.
    Duration {
        /// Seconds that it took.
        seconds: f64,
        /// Seconds that it should take.
        expected: f64,
    },
    /// The result is not whole.
    BrokenResult {
        /// Why.
        why: String,
    },
    /// Another benchmarker than the series'.
    OtherBenchmarker,
    /// Other flags than the series'.
    OtherFlags,
    /// isutools' snapshot belongs to another run.
    OtherWindow,
    /// Foreign processes took the CPU.
    ForeignLoad {
        /// Mean share over the run.
        share: f64,
        /// The limit.
        limit: f64,
    },
    /// The hypervisor took the CPU.
    Steal {
        /// Mean share over the run.
        share: f64,
        /// The limit.
        limit: f64,
    },
}

/// Whether the benchmark's own window saw something it must not see. Start times within this much are the same.
const SAME_START: f64 = 0.5;

/// Every violation, in the order of the checks. An empty answer means that the run may be judged.
pub fn check(facts: &Facts, limits: &Limits) -> Vec<Violation> {
    let mut found = Vec::new();
    let mut add = |host: Option<&str>, subject: Option<&str>, second: Option<Second>, what: What| {
        found.push(Violation { host: host.map(str::to_owned), subject: subject.map(str::to_owned), second, what });
    };
    for h in &facts.hosts {
        let host = Some(h.host.as_str());
        for d in h.deployed.iter().filter(|d| d.after.as_deref() != Some(d.before.as_str())) {
            let what = What::Changed { before: d.before.clone(), after: d.after.clone() };
            add(host, Some(&d.name), None, what);
        }
        for u in &h.units {
            if let Some((second, what)) = unit(u) {
                add(host, Some(&u.unit), second, what);
            }
        }
        if let Some((second, process, what)) = load(&h.load, limits) {
            add(host, process.as_deref(), second, what);
        }
    }
    if let Some(second) = facts.lease_lost_at {
        add(None, Some("lease"), Some(second), What::LeaseLost);
    }
    if let (Some(seconds), Some(expected)) = (facts.duration, facts.expected_duration)
        && (seconds - expected).abs() > limits.duration_slack
    {
        add(None, Some("benchmark"), None, What::Duration { seconds, expected });
    }
    if let Some(why) = &facts.broken_result {
        add(None, Some("result"), None, What::BrokenResult { why: why.clone() });
    }
    if let Some(b) = &facts.bench {
        if b.hash != b.series_hash {
            add(None, Some("benchmarker"), None, What::OtherBenchmarker);
        } else if b.flags != b.series_flags {
            add(None, Some("benchmarker"), None, What::OtherFlags);
        }
    }
    for w in &facts.isutools {
        let other_id = matches!((&w.expected_id, &w.seen_id), (Some(a), Some(b)) if a != b);
        let ended_before = w.window.is_some_and(|(_, end)| end <= 0.0);
        if other_id || ended_before {
            let second = w.window.map(|(start, _)| start);
            add(Some(&w.host), Some("isutools"), second, What::OtherWindow);
        }
    }
    found
}

fn unit(u: &UnitFacts) -> Option<(Option<Second>, What)> {
    let restarts = match (u.restarts_before, u.restarts_after) {
        (Some(a), Some(b)) if a != b => Some((a, b)),
        _ => None,
    };
    match (u.started_before, u.started_after) {
        (Some(_), None) => Some((None, What::Stopped)),
        (Some(a), Some(b)) if (a - b).abs() > SAME_START => Some((Some(b), What::Restarted { restarts })),
        (_, after) if restarts.is_some() => Some((after, What::Restarted { restarts })),
        _ => None,
    }
}

/// The mean over the run decides; the heaviest moment and its process are named.
fn load(samples: &[LoadSample], limits: &Limits) -> Option<(Option<Second>, Option<String>, What)> {
    let length: f64 = samples.iter().map(|s| s.seconds.max(0.0)).sum();
    if length <= 0.0 {
        return None;
    }
    let mean = |of: fn(&LoadSample) -> f64| samples.iter().map(|s| of(s) * s.seconds.max(0.0)).sum::<f64>() / length;
    let worst = |of: fn(&LoadSample) -> f64| samples.iter().max_by(|a, b| of(a).total_cmp(&of(b)));
    let (foreign, steal) = (mean(|s| s.foreign), mean(|s| s.steal));
    if foreign > limits.foreign_cpu {
        let at = worst(|s| s.foreign);
        let what = What::ForeignLoad { share: foreign, limit: limits.foreign_cpu };
        return Some((at.map(|s| s.at), at.and_then(|s| s.heaviest.clone()), what));
    }
    if steal > limits.steal {
        let what = What::Steal { share: steal, limit: limits.steal };
        return Some((worst(|s| s.steal).map(|s| s.at), None, what));
    }
    None
}
