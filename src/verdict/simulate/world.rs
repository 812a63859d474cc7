//! Worlds: ways in which scores scatter, and the runs that come out of them.

use serde::{Deserialize, Serialize};

use super::random::Random;

/// A way in which scores scatter. All spreads are on the log scale.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct World {
    /// What it is called in tables.
    pub name: String,
    /// Standard deviation from run to run.
    pub sigma: f64,
    /// Standard deviation of a session's level (the ledger's sessions and today's).
    #[serde(default)]
    pub tau: f64,
    /// Standard deviation of a deploy's own level.
    #[serde(default)]
    pub tau_deploy: f64,
    /// Probability of the low mode.
    #[serde(default)]
    pub p: f64,
    /// Factor of the low mode on the score.
    #[serde(default = "one")]
    pub drop: f64,
    /// Chance that a run keeps the mode of the run before it.
    #[serde(default)]
    pub persist: f64,
    /// Degrees of freedom of Student's t; 0 means normal.
    #[serde(default)]
    pub tail: f64,
    /// Drift of today's session per run.
    #[serde(default)]
    pub drift: f64,
    /// Another probability of the low mode for the candidate.
    #[serde(default)]
    pub p_candidate: Option<f64>,
    /// Runs of each earlier commit; the last is the baseline.
    #[serde(default = "three_each")]
    pub history: Vec<usize>,
}

fn one() -> f64 {
    1.0
}

fn three_each() -> Vec<usize> {
    vec![3; 5]
}

/// Each earlier commit is this much faster than the one before it (log scale).
const STEP: f64 = 0.22;

/// Hosts on one day: the session's level, the weather that persists, and each deploy's own level.
#[derive(Clone, Debug)]
pub struct Hosts<'w> {
    world: &'w World,
    session: f64,
    deploy: f64,
    low: Option<bool>,
    runs: usize,
}

impl<'w> Hosts<'w> {
    /// A new session.
    pub fn new(world: &'w World, random: &mut Random) -> Self {
        let session = world.tau * random.normal();
        Self { world, session, deploy: 0.0, low: None, runs: 0 }
    }

    /// The log score of one run: `effect` on top of the world's noise, the low mode with probability `p`.
    pub fn run(&mut self, effect: f64, p: f64, redeployed: bool, today: bool, r: &mut Random) -> f64 {
        let w = self.world;
        if redeployed {
            self.deploy = w.tau_deploy * r.normal();
        }
        let low = match self.low {
            Some(low) if r.uniform() < w.persist => low,
            _ => r.uniform() < p,
        };
        self.low = Some(low);
        let drift = if today { w.drift * self.runs as f64 } else { 0.0 };
        self.runs += 1;
        let noise = w.sigma * r.student(w.tail);
        effect + self.session + self.deploy + noise + drift + if low { w.drop.ln() } else { 0.0 }
    }
}

impl World {
    /// Log scores of every earlier commit, the baseline's last.
    pub fn ledger(&self, random: &mut Random) -> Vec<Vec<f64>> {
        let commits = self.history.len();
        self.history
            .iter()
            .enumerate()
            .map(|(k, size)| {
                let mut hosts = Hosts::new(self, random);
                let effect = -STEP * (commits - 1 - k) as f64;
                (0..*size).map(|_| hosts.run(effect, self.p, true, false, random)).collect()
            })
            .collect()
    }

    /// Effect and probability of the low mode of a side, for a candidate that is `delta` faster (0.05 is +5 %).
    pub fn side(&self, candidate: bool, delta: f64) -> (f64, f64) {
        if candidate { (delta.ln_1p(), self.p_candidate.unwrap_or(self.p)) } else { (0.0, self.p) }
    }
}

impl World {
    /// Whether either side has a low mode.
    pub fn p_any(&self) -> bool {
        self.p > 0.0 || self.p_candidate.is_some_and(|p| p > 0.0)
    }

    /// A world with the noise that a series' own ledger shows.
    pub fn from_noise(name: &str, noise: &crate::verdict::noise::Summary) -> Self {
        let modes = noise.two_modes > 0.5;
        Self {
            name: name.to_owned(),
            sigma: noise.within,
            tau: noise.between_sessions,
            tau_deploy: 0.0,
            p: if modes { noise.p_low } else { 0.0 },
            drop: if modes { noise.low_factor } else { 1.0 },
            persist: if modes { noise.stays } else { 0.0 },
            tail: if noise.heavy_tails > 0.5 { 4.0 } else { 0.0 },
            drift: 0.0,
            p_candidate: None,
            history: three_each(),
        }
    }
}
