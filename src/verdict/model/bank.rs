//! The posterior as a bank of small Kalman filters: one filter for each noise with each path of modes.
//!
//! Given the noise and the modes of the runs so far, everything that is left (level, depth of the low mode, effect,
//! drift, level of the deploy) is Gaussian. A run splits every component: "this run was in the high mode", "it was in the
//! low one". Both are updated, and the bank is thinned back to its size. A component that has not met the low mode knows
//! nothing of its depth; it takes on every depth of the prior when it first does.

use super::habit::{Before, HABITS, Weights, habits};
use super::merge::Cells;
use super::normal::exp_neg;
use super::prior::{DEPTH_SPREAD, DEPTHS, TAILS, noises};
use super::thin;

/// Children lighter than this share of the bank are thinned before anything else is done with them.
const FAINT: f64 = 1e-4;

/// Index of the level of the baseline in the state.
pub(crate) const LEVEL: usize = 0;
/// Index of the depth of the low mode.
pub(crate) const DEPTH: usize = 1;
/// Index of the candidate's effect (today only).
pub(crate) const EFFECT: usize = 2;
/// Index of the drift a run (today only).
pub(crate) const DRIFT: usize = 3;
/// Index of the level of what is deployed now (today only).
pub(crate) const DEPLOY: usize = 4;

/// Mean and covariance of the Gaussian part of a component.
#[derive(Clone, Copy, Debug)]
pub(crate) struct State<const N: usize> {
    pub(crate) mean: [f64; N],
    pub(crate) cov: [[f64; N]; N],
}

/// One supposition with its weight.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Component<const N: usize> {
    /// Sum over the habits.
    pub(crate) weight: f64,
    /// Weight with each habit, as shares of `weight`.
    pub(crate) habits: Weights,
    /// Index into [`noises`].
    pub(crate) noise: usize,
    /// Mode of the run before.
    pub(crate) before: Before,
    /// Whether the low mode was met, so that the state says how deep it is.
    pub(crate) met_low: bool,
    pub(crate) state: State<N>,
}

/// How a run looks at the state.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View<const N: usize> {
    /// Loadings of the state; the depth's is set by the mode.
    pub(crate) loading: [f64; N],
    /// Whether the candidate ran.
    pub(crate) candidate: bool,
    /// Whether it was deployed for this run, so that the level of the deploy is a new one.
    pub(crate) fresh: bool,
    /// Share of the run-to-run variance that belongs to the deploy.
    pub(crate) deploy_share: f64,
}

/// What a state expects of the next run.
#[derive(Clone, Copy)]
pub(crate) struct Outlook<const N: usize> {
    /// Expected log score.
    pub(crate) mean: f64,
    /// Its variance, without the run's own noise.
    pub(crate) variance: f64,
    /// Covariance of the state with the log score.
    pub(crate) covariance: [f64; N],
}

impl<const N: usize> State<N> {
    /// The state just before a run: a new deploy has a level of its own.
    #[inline(always)]
    pub(crate) fn before(&self, view: &View<N>, variance: f64) -> Self {
        let mut s = *self;
        if N > DEPLOY && view.fresh {
            for i in 0..N {
                s.cov[i][N - 1] = 0.0;
                s.cov[N - 1][i] = 0.0;
            }
            s.mean[N - 1] = 0.0;
            s.cov[N - 1][N - 1] = view.deploy_share * variance;
        }
        s
    }

    /// The state with a low mode of the prior's depth number `i`, not met before.
    #[inline(always)]
    pub(crate) fn with_depth(mut self, i: usize) -> Self {
        self.mean[DEPTH] = DEPTHS[i];
        self.cov[DEPTH][DEPTH] = (DEPTH_SPREAD * DEPTHS[i]) * (DEPTH_SPREAD * DEPTHS[i]);
        self
    }

    /// What this state expects of a run in the given mode.
    #[inline(always)]
    pub(crate) fn outlook(&self, view: &View<N>, low: bool) -> Outlook<N> {
        let mut h = view.loading;
        h[DEPTH] = if low { -1.0 } else { 0.0 };
        let mut covariance = [0.0; N];
        let (mut mean, mut variance) = (0.0, 0.0);
        for i in 0..N {
            let mut sum = 0.0;
            for (cov, loading) in self.cov[i].iter().zip(&h) {
                sum += cov * loading;
            }
            covariance[i] = sum;
            mean += h[i] * self.mean[i];
            variance += h[i] * sum;
        }
        Outlook { mean, variance, covariance }
    }
}

impl<const N: usize> Component<N> {
    /// Probability that the coming run is in the low mode.
    #[inline(always)]
    pub(crate) fn chance_of_low(&self, candidate: bool) -> f64 {
        let chance = habits().chance(self.before, candidate);
        let mut lanes = [0.0; 4];
        for (w, c) in self.habits.chunks(4).zip(chance.chunks(4)) {
            for (lane, (w, c)) in lanes.iter_mut().zip(w.iter().zip(c)) {
                *lane += w * c;
            }
        }
        lanes.iter().sum()
    }

    /// The weights of the habits after a run in the given mode, which had probability `p`.
    #[inline(always)]
    pub(crate) fn habits_after(&self, candidate: bool, low: bool, p: f64) -> Weights {
        let chance = habits().chance(self.before, candidate);
        let (base, slope) = if low { (0.0, 1.0 / p) } else { (1.0 / p, -1.0 / p) };
        let mut after = [0.0; HABITS];
        for i in 0..HABITS {
            after[i] = self.habits[i] * (base + slope * chance[i]);
        }
        after
    }
}

/// Where a child comes from.
#[derive(Clone, Copy)]
struct Origin {
    parent: u32,
    low: bool,
    /// Which depth of the prior it takes on, if it meets the low mode for the first time.
    depth: Option<u8>,
    /// Probability of its mode.
    chance: f64,
}

/// The children of a bank after a run, in structure-of-arrays form.
struct Children {
    origin: Vec<Origin>,
    weight: Vec<f64>,
    residual: Vec<f64>,
    variance: Vec<f64>,
    noise: Vec<f64>,
    heavy: Vec<f64>,
    gain: Vec<f64>,
    shrink: Vec<f64>,
}

impl Children {
    fn with_capacity(n: usize) -> Self {
        let v = || Vec::with_capacity(n);
        Self {
            origin: Vec::with_capacity(n),
            weight: v(),
            residual: v(),
            variance: v(),
            noise: v(),
            heavy: v(),
            gain: v(),
            shrink: v(),
        }
    }

    /// Likelihood of each residual under the mixture of three normal distributions, and the update collapsed to its
    /// first two moments: `mean += covariance * gain`, `cov -= covariance * covariance' * shrink`.
    fn weigh(&mut self) {
        let n = self.weight.len();
        self.gain.resize(n, 0.0);
        self.shrink.resize(n, 0.0);
        let (weight, gain, shrink) = (&mut self.weight[..n], &mut self.gain[..n], &mut self.shrink[..n]);
        let (residual, variance) = (&self.residual[..n], &self.variance[..n]);
        let (noise, heavy) = (&self.noise[..n], &self.heavy[..n]);
        let [plain, tailed] = &TAILS;
        for i in 0..n {
            let half = -0.5 * residual[i] * residual[i];
            let (mut sum, mut first, mut second) = (0.0, 0.0, 0.0);
            for j in 0..3 {
                let times = plain.variance[j] + heavy[i] * (tailed.variance[j] - plain.variance[j]);
                let share = plain.share[j] + heavy[i] * (tailed.share[j] - plain.share[j]);
                let inverse = 1.0 / (times * noise[i] + variance[i]);
                let q = share * inverse.sqrt() * exp_neg(half * inverse);
                sum += q;
                first += q * inverse;
                second += q * inverse * inverse;
            }
            let g = first / sum;
            weight[i] *= sum;
            gain[i] = residual[i] * g;
            shrink[i] = g - residual[i] * residual[i] * (second / sum - g * g);
        }
    }
}

/// A run with log score `x`, seen through `view`, taken into the bank; about `keep` components stay at most.
pub(crate) fn observe<const N: usize>(bank: &[Component<N>], x: f64, view: &View<N>, keep: usize) -> Vec<Component<N>> {
    let mut children = split(bank, x, view);
    children.weigh();
    let kept = thin::thin_light(&children.weight, FAINT);
    let mut cells = Cells::new(kept.len());
    for (k, weight) in kept {
        let from = children.origin[k];
        let c = &bank[from.parent as usize];
        let mut state = c.state.before(view, noises()[c.noise].variance());
        if let Some(depth) = from.depth {
            state = state.with_depth(depth as usize);
        }
        let o = state.outlook(view, from.low);
        for i in 0..N {
            state.mean[i] += o.covariance[i] * children.gain[k];
            let scaled = o.covariance[i] * children.shrink[k];
            for j in 0..N {
                state.cov[i][j] -= scaled * o.covariance[j];
            }
        }
        cells.add(Component {
            weight,
            habits: c.habits_after(view.candidate, from.low, from.chance),
            noise: c.noise,
            before: if from.low { Before::Low } else { Before::High },
            met_low: c.met_low || from.low,
            state,
        });
    }
    let merged = cells.finish();
    let weights: Vec<f64> = merged.iter().map(|c| c.weight).collect();
    if merged.len() <= keep {
        return merged;
    }
    thin::thin(&weights, keep).into_iter().map(|(i, weight)| Component { weight, ..merged[i] }).collect()
}

fn split<const N: usize>(bank: &[Component<N>], x: f64, view: &View<N>) -> Children {
    let mut children = Children::with_capacity(3 * bank.len());
    let own_noise = 1.0 - if N > DEPLOY { view.deploy_share } else { 0.0 };
    for (i, c) in bank.iter().enumerate() {
        let noise = &noises()[c.noise];
        let state = c.state.before(view, noise.variance());
        let o = state.outlook(view, false);
        let low = c.chance_of_low(view.candidate);
        let mut push = |depth: Option<u8>, in_low: bool, chance: f64, share: f64, shift: f64, variance: f64| {
            children.origin.push(Origin { parent: i as u32, low: in_low, depth, chance });
            children.weight.push(c.weight * chance * share);
            children.residual.push(x - o.mean + shift);
            children.variance.push(variance);
            children.noise.push(own_noise * noise.variance());
            children.heavy.push(noise.tail as f64);
        };
        push(None, false, 1.0 - low, 1.0, 0.0, o.variance);
        if low <= 0.0 {
            continue;
        }
        if c.met_low {
            let variance = o.variance - 2.0 * o.covariance[DEPTH] + state.cov[DEPTH][DEPTH];
            push(None, true, low, 1.0, state.mean[DEPTH], variance);
        } else {
            for (d, depth) in DEPTHS.iter().enumerate() {
                let variance = o.variance + (DEPTH_SPREAD * depth) * (DEPTH_SPREAD * depth);
                push(Some(d as u8), true, low, 1.0 / DEPTHS.len() as f64, *depth, variance);
            }
        }
    }
    children
}
