//! Where a comparison stands, for views and for the record.

use serde::{Deserialize, Serialize};

use super::lines::Lines;
use super::model::posterior::{Effect, Told};
use super::noise::Summary;

/// The test between its bounds. Probits are of posterior probabilities; effects are shares of the score.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// Runs of today, of both sides, that count towards the budget.
    pub runs: usize,
    /// Runs that the comparison may take.
    pub budget: usize,
    /// Where the score stands; absent before the first run that can be compared.
    pub score: Option<Score>,
    /// Noise of the series as it was known before today.
    pub noise: Option<Summary>,
    /// How many more runs it would take to tell, at the end of a comparison that did not.
    pub more: Option<More>,
}

/// The score part of the test.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Score {
    /// Probit of "the candidate is better" (by the intent's margin).
    pub z: f64,
    /// Probit of "an accept costs nothing", at most `z`: this must reach `accept_at`.
    pub safe: f64,
    /// Probit of "the candidate is better by 8 % or more".
    pub big: f64,
    /// Accept at this.
    pub accept_at: f64,
    /// Give up at this.
    pub give_up_at: f64,
    /// Probability that the candidate is better.
    pub p_better: f64,
    /// Expected effect of the candidate (0.05 is +5 %).
    pub effect: f64,
    /// One standard deviation of the effect, log scale.
    pub effect_deviation: f64,
    /// Probability that the candidate is in the low mode more often than the baseline.
    pub more_often_low: f64,
    /// Expected change of a single run's score, the low mode included.
    pub net_effect: f64,
}

impl Score {
    pub(crate) fn new(told: &Told, effect: &Effect, lines: &Lines, p: f64) -> Self {
        Self {
            z: told.z,
            safe: told.safe,
            big: told.big,
            accept_at: lines.accept.min(9.0),
            give_up_at: lines.give_up,
            p_better: p,
            effect: effect.mean.exp_m1(),
            effect_deviation: effect.deviation,
            more_often_low: effect.more_often_low,
            net_effect: effect.net.exp_m1(),
        }
    }
}

/// What it would cost to know.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct More {
    /// Further runs of both sides together, about.
    pub runs: usize,
    /// How long they last, minutes, where the length of a run is known.
    pub minutes: Option<f64>,
    /// The effect that they would tell from nothing (0.05 is +5 %).
    pub to_tell: f64,
}

/// Effects smaller than this (log scale) are not worth telling from nothing.
const SMALLEST: f64 = 0.02;
/// Probits of 5 % and 10 %, the error rates of a test that would tell.
const BOTH: f64 = 1.645 + 1.282;

impl More {
    /// From how well the effect is known after `runs` runs: its variance falls about as one over their number.
    pub(crate) fn new(effect: &Effect, runs: usize, run_seconds: Option<f64>) -> Self {
        let size = effect.mean.abs().max(SMALLEST);
        let needed = runs as f64 * (BOTH * effect.deviation / size).powi(2);
        let more = (needed.min(1e6) - runs as f64).ceil().max(2.0);
        let to_tell = if effect.mean < 0.0 { -size } else { size };
        Self { runs: more as usize, minutes: run_seconds.map(|s| more * s / 60.0), to_tell: to_tell.exp_m1() }
    }
}
