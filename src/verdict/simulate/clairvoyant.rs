//! What could be known at best: a test that knows the noise and the size of the effect that it looks for.
//!
//! It runs candidate and baseline in turn and uses the likelihood ratio of "effect = d" against "no effect". It knows the
//! spread, the tail, the low mode, the drift and the spread of sessions; only the level of the day is integrated out, over
//! a grid, with what the baseline's runs in the ledger say of it. The modes are summed over exactly (forward algorithm).
//! Its cut-off is the simulated 95 % point at no effect, so it wrongly accepts 5 % there by construction.

use super::comparison::Comparison;
use super::random::Random;
use super::world::World;

/// Points of the grid of levels for one standard deviation.
const FINE: f64 = 3.0;

/// A clairvoyant for one world and one effect.
pub struct Clairvoyant<'w> {
    world: &'w World,
    effect: f64,
    levels: Vec<f64>,
    walk: Vec<f64>,
    cut: f64,
}

impl<'w> Clairvoyant<'w> {
    /// Looks for `delta` (positive) with `runs` runs; the cut-off comes from `trials` simulated nulls.
    pub fn new(world: &'w World, delta: f64, runs: usize, trials: usize, seed: u64) -> Self {
        let effect = delta.max(0.005).ln_1p();
        let spread = world.sigma.hypot(world.tau_deploy);
        let reach = -world.drop.ln() + 6.0 * spread + 4.0 * world.tau + effect;
        let step = (spread / FINE).max(reach / 600.0);
        let half = (reach / step).ceil() as i64;
        let levels: Vec<f64> = (-half..=half).map(|i| i as f64 * step).collect();
        let deviation = (2.0f64).sqrt() * world.tau.max(step / 4.0);
        let width = ((4.0 * deviation / step).ceil() as i64).max(1);
        let mut walk: Vec<f64> =
            (-width..=width).map(|i| (-0.5 * (i as f64 * step / deviation).powi(2)).exp()).collect();
        let total: f64 = walk.iter().sum();
        walk.iter_mut().for_each(|w| *w /= total);
        let mut c = Self { world, effect, levels, walk, cut: 0.0 };
        let mut null: Vec<f64> = (0..trials).map(|i| c.ratio(0.0, runs, Random::new(seed, i as u64))).collect();
        null.sort_by(f64::total_cmp);
        c.cut = null.get(trials * 95 / 100).copied().unwrap_or(f64::INFINITY);
        c
    }

    /// Whether it accepts a candidate whose true effect is `delta`.
    pub fn accepts(&self, delta: f64, runs: usize, random: Random) -> bool {
        self.ratio(delta, runs, random) > self.cut
    }

    fn ratio(&self, delta: f64, runs: usize, random: Random) -> f64 {
        let w = self.world;
        let mut c = Comparison::new(w, delta, random);
        let ledger: Vec<(f64, f64)> = c.baseline.iter().map(|x| (*x, w.p)).collect();
        let known = self.likelihood(&ledger);
        let half = self.walk.len() / 2;
        let n = self.levels.len();
        let prior: Vec<f64> = (0..n)
            .map(|i| {
                let near = |k: usize| (i + k).checked_sub(half).and_then(|j| known.get(j));
                (0..self.walk.len()).filter_map(|k| Some(near(k)? * self.walk[k])).sum::<f64>() + 1e-12
            })
            .collect();
        let (mut with, mut without) = (Vec::new(), Vec::new());
        for k in 0..runs {
            let candidate = k % 2 == 0;
            let x = c.run(candidate) - w.drift * k as f64;
            let p = if candidate { w.p_candidate.unwrap_or(w.p) } else { w.p };
            without.push((x, p));
            with.push((if candidate { x - self.effect } else { x }, p));
        }
        let sum =
            |xs: &[(f64, f64)]| -> f64 { self.likelihood(xs).iter().zip(&prior).map(|(l, p)| l * p).sum::<f64>() };
        // Both likelihoods are scaled by the same factors, run by run.
        (sum(&with) + 1e-300).ln() - (sum(&without) + 1e-300).ln()
    }

    /// Likelihood of the runs at each level, up to a factor that depends on the number of runs only.
    fn likelihood(&self, runs: &[(f64, f64)]) -> Vec<f64> {
        let w = self.world;
        let depth = -w.drop.ln();
        self.levels
            .iter()
            .map(|level| {
                let (mut high, mut low) = (1.0, 0.0);
                for (k, (x, p)) in runs.iter().enumerate() {
                    let y = x - level;
                    let all = high + low;
                    let (stay_high, stay_low) = if k == 0 { (0.0, 0.0) } else { (w.persist * high, w.persist * low) };
                    let fresh = if k == 0 { 1.0 } else { (1.0 - w.persist) * all };
                    high = (stay_high + fresh * (1.0 - p)) * self.density(y);
                    low = if w.p_any() { (stay_low + fresh * p) * self.density(y + depth) } else { 0.0 };
                }
                high + low
            })
            .collect()
    }

    /// Density of the noise of a run, up to a constant.
    fn density(&self, x: f64) -> f64 {
        let w = self.world;
        let spread = w.sigma.hypot(w.tau_deploy);
        if w.tail <= 0.0 {
            return (-0.5 * (x / spread).powi(2)).exp();
        }
        let scale = if w.tail > 2.0 { spread * ((w.tail - 2.0) / w.tail).sqrt() } else { spread };
        (1.0 + (x / scale).powi(2) / w.tail).powf(-0.5 * (w.tail + 1.0))
    }
}
