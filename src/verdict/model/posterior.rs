//! What the bank says about the candidate, as the few numbers that the stopping lines look at.

use super::bank::{DEPTH, EFFECT};
use super::habit::habits;
use super::normal::{cdf, probit};
use super::prior::noises;
use super::today::Bank;

/// Accepting a candidate that is not better costs 1; past each of these losses (log scale) it costs so much more: 2.5
/// in all below -3 %, 10 below -15 %. An unlucky mode weighs more than a near miss.
const WORSE: [(f64, f64); 2] = [(-0.03, 1.5), (-0.15, 7.5)];
/// A win beyond this (log scale) is settled differently from a small one.
const BIG: f64 = 0.08;

/// And one beyond this is what an unlucky low mode hides: as long as it is possible, nothing is given up.
const HUGE: f64 = 0.20;

/// In a noisy series the few runs of a ledger understate the spread more often than the prior expects, and the posterior
/// is too sure of itself. Above this spread `safe` is lowered by so much for each unit of it, up to a limit; found by
/// simulation (a spread of 8 % accepted 6.4 % at no effect without it).
const NOISY: (f64, f64, f64) = (0.055, 5.5, 0.3);

/// The state of the test, in probits.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Told {
    /// Of P(effect > least).
    pub(crate) z: f64,
    /// Of 1 - the expected cost of an accept, at most `z`.
    pub(crate) safe: f64,
    /// Of P(effect > [`BIG`]).
    pub(crate) big: f64,
    /// Of P(effect > [`HUGE`]).
    pub(crate) huge: f64,
}

/// The candidate's effect on the log scale, and how it meets the low mode.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Effect {
    pub(crate) mean: f64,
    pub(crate) deviation: f64,
    /// P(the candidate is in the low mode more often than the baseline, by .15 or more).
    pub(crate) more_often_low: f64,
    /// Expected effect on a single run's log score, the modes included.
    pub(crate) net: f64,
}

/// Reads the three probits off the bank; `least` is the effect (log scale) that a candidate must exceed.
pub(crate) fn told(bank: &Bank, least: f64) -> Told {
    let n = bank.len();
    let mut scaled = Vec::with_capacity(n);
    let mut inverse = Vec::with_capacity(n);
    let mut weight = Vec::with_capacity(n);
    for c in bank {
        let sd = c.state.cov[EFFECT][EFFECT].max(1e-12).sqrt();
        scaled.push(c.state.mean[EFFECT]);
        inverse.push(1.0 / sd);
        weight.push(c.weight);
    }
    let below = |x: f64| {
        let (mut under, mut over) = (0.0, 0.0);
        for i in 0..n {
            let p = cdf((x - scaled[i]) * inverse[i]);
            under += weight[i] * p;
            over += weight[i] * (1.0 - p);
        }
        (under, over)
    };
    let (under, over) = below(least);
    let total = (under + over).max(1e-300);
    let z = probit(over, under);
    let mut cost = under / total;
    for (loss, more) in WORSE {
        cost += more * below(least + loss).0 / total;
    }
    let cost = cost.clamp(1e-15, 1.0 - 1e-15);
    let spread: f64 = bank.iter().map(|c| c.weight * noises()[c.noise].sigma).sum::<f64>() / total;
    let (from, slope, most_lowered) = NOISY;
    let lowered = (slope * (spread - from)).clamp(0.0, most_lowered);
    let (small, large) = below(BIG);
    let (most, rest) = below(HUGE);
    Told { z, safe: z.min(probit(1.0 - cost, cost)) - lowered, big: probit(large, small), huge: probit(rest, most) }
}

/// Reads the effect off the bank.
pub(crate) fn effect(bank: &Bank) -> Effect {
    let (mut total, mut mean, mut square, mut more, mut net) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for c in bank {
        let m = c.state.mean[EFFECT];
        total += c.weight;
        mean += c.weight * m;
        square += c.weight * (m * m + c.state.cov[EFFECT][EFFECT]);
        net += c.weight * m;
        for (habit, share) in habits().all.iter().zip(&c.habits) {
            let rest = habit.candidate_low - habit.low;
            if habit.own && c.met_low {
                net -= c.weight * share * rest * c.state.mean[DEPTH];
            }
            if habit.own && rest >= 0.15 {
                more += c.weight * share;
            }
        }
    }
    let total = if total > 0.0 { total } else { 1.0 };
    let mean = mean / total;
    Effect {
        mean,
        deviation: (square / total - mean * mean).max(0.0).sqrt(),
        more_often_low: more / total,
        net: net / total,
    }
}

/// The effect (log scale) below which a share `q` of the posterior lies, to a thousandth.
pub(crate) fn quantile(bank: &Bank, q: f64) -> f64 {
    let total: f64 = bank.iter().map(|c| c.weight).sum();
    let below = |x: f64| -> f64 {
        bank.iter()
            .map(|c| {
                let sd = c.state.cov[EFFECT][EFFECT].max(1e-12).sqrt();
                c.weight * cdf((x - c.state.mean[EFFECT]) / sd)
            })
            .sum()
    };
    let spread = effect(bank);
    let reach = 12.0 * spread.deviation;
    let (mut low, mut high) = (spread.mean - reach, spread.mean + reach);
    while high - low > 1e-3 {
        let middle = 0.5 * (low + high);
        if below(middle) < q * total { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}
