//! What the model believes before it has seen a run.
//!
//! The numbers are broad on purpose, and a thin ledger must not be able to wash them out. `docs/verdict.md` lists them
//! and says where they come from.

use std::sync::OnceLock;

/// Run-to-run standard deviation (log scale): this many values, evenly spaced on the log scale between the two ends.
const SIGMA_STEPS: usize = 12;
const SIGMA_FROM: f64 = 0.008;
const SIGMA_TO: f64 = 0.2;
/// Its weight: log-normal around this centre with this spread.
const SIGMA_CENTRE: f64 = 0.045;
const SIGMA_SPREAD: f64 = 0.8;

/// A class of noise: three normal distributions mixed, by variance (in units of sigma squared) and probability.
pub(crate) struct Tail {
    pub(crate) weight: f64,
    pub(crate) variance: [f64; 3],
    pub(crate) share: [f64; 3],
}

/// Nearly normal, and like Student's t with four degrees of freedom.
pub(crate) const TAILS: [Tail; 2] = [
    Tail { weight: 0.75, variance: [1.0, 9.0, 9.0], share: [0.985, 0.0149, 0.0001] },
    Tail { weight: 0.25, variance: [0.55, 1.3, 7.0], share: [0.57, 0.37, 0.06] },
];

/// Centres of the depth of the low mode (log scale), each with the same weight.
pub(crate) const DEPTHS: [f64; 4] = [0.1, 0.2, 0.4, 0.8];
/// Relative standard deviation of the depth around its centre.
pub(crate) const DEPTH_SPREAD: f64 = 0.33;

/// Level of one session against another: standard deviation (log scale) with its weight.
pub(crate) const SESSION: [(f64, f64); 3] = [(0.012, 0.40), (0.03, 0.45), (0.07, 0.15)];
/// Share of the run-to-run variance that a whole deploy has in common; it holds until the other side is deployed.
pub(crate) const DEPLOY_SHARE: f64 = 0.25;
/// Effect of the candidate (log scale): normal around 0 with this standard deviation.
pub(crate) const EFFECT: f64 = 0.35;
/// Drift of today's session, log scale per run: normal around 0 with this standard deviation.
pub(crate) const DRIFT: f64 = 0.008;
/// Variance that stands for "not known at all".
pub(crate) const VAGUE: f64 = 100.0;

/// One size and class of the noise within a mode.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Noise {
    /// Standard deviation from run to run, log scale.
    pub(crate) sigma: f64,
    /// Index into [`TAILS`].
    pub(crate) tail: usize,
    /// Prior probability.
    pub(crate) weight: f64,
}

impl Noise {
    /// Variance of a run within a mode.
    pub(crate) fn variance(&self) -> f64 {
        self.sigma * self.sigma
    }
}

/// Every size and class of noise; the weights sum to one.
pub(crate) fn noises() -> &'static [Noise] {
    static GRID: OnceLock<Vec<Noise>> = OnceLock::new();
    GRID.get_or_init(|| {
        let step = (SIGMA_TO / SIGMA_FROM).ln() / (SIGMA_STEPS - 1) as f64;
        let mut grid = Vec::new();
        for i in 0..SIGMA_STEPS {
            let log = SIGMA_FROM.ln() + step * i as f64;
            let z = (log - SIGMA_CENTRE.ln()) / SIGMA_SPREAD;
            for (tail, class) in TAILS.iter().enumerate() {
                let weight = class.weight * (-0.5 * z * z).exp();
                grid.push(Noise { sigma: log.exp(), tail, weight });
            }
        }
        let total: f64 = grid.iter().map(|n| n.weight).sum();
        for noise in &mut grid {
            noise.weight /= total;
        }
        grid
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_prior_is_a_probability() {
        let total: f64 = noises().iter().map(|n| n.weight).sum();
        assert!((total - 1.0).abs() < 1e-12, "{total}");
        for class in &TAILS {
            assert!((class.share.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        }
        assert!((SESSION.iter().map(|s| s.1).sum::<f64>() - 1.0).abs() < 1e-12);
    }
}
