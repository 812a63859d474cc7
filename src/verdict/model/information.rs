//! Which side to run next: the one whose next score is expected to tell more about the sign of the effect.
//!
//! The measure is the mutual information between the next score and "the effect is positive", taken over a few outcomes
//! drawn evenly from what the bank expects.

use super::bank::{DEPTH, EFFECT};
use super::normal::{cdf, exp_neg};
use super::prior::{DEPTH_SPREAD, DEPTHS, noises};
use super::thin;
use super::today::{Bank, view};

/// Components looked at.
const COMPONENTS: usize = 48;
/// Outcomes looked at.
const OUTCOMES: usize = 12;
/// Normal scores of the outcomes, in a fixed mixed order so that outcome and component do not go together.
const SCORES: [f64; OUTCOMES] = [
    -1.731_664_396,
    -0.104_633_456,
    1.150_349_380,
    -1.150_349_380,
    0.104_633_456,
    1.731_664_396,
    -0.812_217_801,
    0.318_639_364,
    -0.548_522_283,
    0.548_522_283,
    -0.318_639_364,
    0.812_217_801,
];

/// Expected information (nats) about the sign of the effect from one more run.
pub(crate) fn information(bank: &Bank, candidate: bool, k: usize, fresh: bool) -> f64 {
    let seen = view(candidate, k, fresh);
    let weights: Vec<f64> = bank.iter().map(|c| c.weight).collect();
    let room = 2 * COMPONENTS + 2;
    let fields = || Vec::with_capacity(room);
    let (mut w, mut mean, mut precision): (Vec<f64>, Vec<f64>, Vec<f64>) = (fields(), fields(), fields());
    let (mut start, mut slope): (Vec<f64>, Vec<f64>) = (fields(), fields());
    let mut prior = 0.0;
    for (i, weight) in thin::thin(&weights, COMPONENTS) {
        let c = &bank[i];
        let variance = noises()[c.noise].variance();
        let state = c.state.before(&seen, variance);
        let o = state.outlook(&seen, false);
        let noise = variance * (1.0 - seen.deploy_share);
        let low = c.chance_of_low(candidate);
        let was = state.cov[EFFECT][EFFECT];
        prior += weight * cdf(state.mean[EFFECT] / was.sqrt());
        let mut push = |p: f64, m: f64, v: f64, with_effect: f64| {
            let total = v + noise;
            let left = (was - with_effect * with_effect / total).max(1e-12).sqrt();
            w.push(weight * p);
            mean.push(m);
            precision.push(1.0 / total);
            start.push(state.mean[EFFECT] / left);
            slope.push(with_effect / total / left);
        };
        push(1.0 - low, o.mean, o.variance, o.covariance[EFFECT]);
        if c.met_low {
            push(
                low,
                o.mean - state.mean[DEPTH],
                o.variance - 2.0 * o.covariance[DEPTH] + state.cov[DEPTH][DEPTH],
                o.covariance[EFFECT] - state.cov[EFFECT][DEPTH],
            );
        } else if low > 0.0 {
            for depth in DEPTHS {
                let spread = DEPTH_SPREAD * depth;
                let share = low / DEPTHS.len() as f64;
                push(share, o.mean - depth, o.variance + spread * spread, o.covariance[EFFECT]);
            }
        }
    }
    let picked = spread(&w);
    let n = w.len();
    let height: Vec<f64> = (0..n).map(|j| w[j] * precision[j].sqrt()).collect();
    let prior = prior.clamp(1e-9, 1.0 - 1e-9);
    let mut sum = 0.0;
    for (score, &i) in SCORES.iter().zip(&picked) {
        let y = mean[i] + score / precision[i].sqrt();
        let (mut all, mut up) = (0.0, 0.0);
        for j in 0..n {
            let d = y - mean[j];
            let q = height[j] * exp_neg(-0.5 * d * d * precision[j]);
            all += q;
            up += q * cdf(start[j] + slope[j] * d);
        }
        let p = (up / all).clamp(1e-9, 1.0 - 1e-9);
        sum += p * (p / prior).ln() + (1.0 - p) * ((1.0 - p) / (1.0 - prior)).ln();
    }
    sum / OUTCOMES as f64
}

/// One component for each outcome, evenly over the weights.
fn spread(weights: &[f64]) -> [usize; OUTCOMES] {
    let total: f64 = weights.iter().sum();
    let mut picked = [0; OUTCOMES];
    let (mut i, mut sum) = (0, 0.0);
    for (k, slot) in picked.iter_mut().enumerate() {
        let want = total * (k as f64 + 0.5) / OUTCOMES as f64;
        while i + 1 < weights.len() && sum + weights[i] < want {
            sum += weights[i];
            i += 1;
        }
        *slot = i;
    }
    picked
}
