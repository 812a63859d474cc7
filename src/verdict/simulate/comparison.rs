//! One simulated comparison: a ledger, and hosts on which candidate and baseline can be run today.

use super::random::Random;
use super::world::{Hosts, World};

/// A comparison in a world, for a candidate with a known true effect.
pub struct Comparison<'w> {
    world: &'w World,
    delta: f64,
    hosts: Hosts<'w>,
    random: Random,
    last: Option<bool>,
    /// Log scores of the earlier commits but the baseline.
    pub others: Vec<Vec<f64>>,
    /// Log scores of the baseline in the ledger; the first is near 0.
    pub baseline: Vec<f64>,
    /// Runs of today so far.
    pub runs: usize,
}

impl<'w> Comparison<'w> {
    /// Draws the ledger; `delta` is the candidate's true effect (0.05 is +5 %).
    pub fn new(world: &'w World, delta: f64, mut random: Random) -> Self {
        let mut others = world.ledger(&mut random);
        let baseline = others.pop().unwrap_or_default();
        let hosts = Hosts::new(world, &mut random);
        Self { world, delta, hosts, random, last: None, others, baseline, runs: 0 }
    }

    /// The log score of one run of either side, deployed for it unless it ran last.
    pub fn run(&mut self, candidate: bool) -> f64 {
        let (effect, p) = self.world.side(candidate, self.delta);
        let fresh = self.last != Some(candidate);
        self.last = Some(candidate);
        self.runs += 1;
        self.hosts.run(effect, p, fresh, true, &mut self.random)
    }

    /// Every group of runs in the ledger, the baseline's last.
    pub fn groups(&self) -> impl Iterator<Item = &Vec<f64>> {
        self.others.iter().chain(std::iter::once(&self.baseline))
    }
}
