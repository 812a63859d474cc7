//! The sequential test of one comparison: takes today's runs one by one and says where the posterior stands.

use super::model::information::information;
use super::model::ledger::{Learned, learn};
use super::model::posterior::{Effect, Told, effect, quantile, told};
use super::model::today::{self, Bank};

/// Interleave unless a repeat of the side that ran last tells this much more.
const PREFER_OTHER: f64 = 1.4;

/// Today's runs so far and what they say.
#[derive(Clone, Debug)]
pub struct Test {
    bank: Bank,
    runs: Vec<bool>,
}

impl Test {
    /// Before today's first run. `groups`: log scores of each earlier commit but the baseline, in time order;
    /// `baseline`: the baseline's own. All log scores must be shifted so that the baseline lies near 0.
    pub fn new(groups: &[Vec<f64>], baseline: &[f64]) -> Self {
        Self::from_ledger(&learn(groups, baseline))
    }

    pub(crate) fn from_ledger(learned: &Learned) -> Self {
        Self { bank: today::start(learned), runs: Vec::new() }
    }

    /// Takes one run: its log score and whether the candidate ran.
    pub fn push(&mut self, x: f64, candidate: bool) {
        let fresh = self.runs.last() != Some(&candidate);
        self.bank = today::after(&self.bank, x, candidate, self.runs.len(), fresh);
        self.runs.push(candidate);
    }

    /// Where the test stands; `least` is the effect (log scale) that the candidate must exceed.
    pub(crate) fn told(&self, least: f64) -> Told {
        told(&self.bank, least)
    }

    /// Central 90 % of the effect, log scale.
    pub fn bounds(&self) -> (f64, f64) {
        (quantile(&self.bank, 0.05), quantile(&self.bank, 0.95))
    }

    pub(crate) fn effect(&self) -> Effect {
        effect(&self.bank)
    }

    /// Whether the candidate should run next.
    pub fn candidate_next(&self) -> bool {
        let Some(&last) = self.runs.last() else { return true };
        let k = self.runs.len();
        let same = information(&self.bank, last, k, false);
        let other = information(&self.bank, !last, k, true);
        if same > PREFER_OTHER * other { last } else { !last }
    }
}
