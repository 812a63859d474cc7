//! What the ledger teaches: the noise and the low mode, from every earlier commit's runs, and the baseline's level.
//!
//! Each earlier commit has a level of its own, of which nothing is known beforehand; what is carried on from commit to
//! commit is the noise, the habit of the low mode and its depth. One run of an unknown level says nothing of the noise.

use super::bank::{Component, DEPTH, LEVEL, State, View, observe};
use super::habit::{Before, HABITS, Weights, habits};
use super::merge::class_of;
use super::prior::{DEPTHS, TAILS, VAGUE, noises};

/// Components kept while the ledger is read.
const KEEP: usize = 150;

const NEXT: View<2> = View { loading: [1.0, 0.0], candidate: false, fresh: true, deploy_share: 0.0 };

/// The bank after the ledger: state (level of the baseline, depth of the low mode).
#[derive(Clone, Debug)]
pub(crate) struct Learned {
    pub(crate) bank: Vec<Component<2>>,
    /// Whether the baseline had a run, so that its level is known at all.
    pub(crate) level_known: bool,
}

/// Reads the ledger: `groups` holds the log scores of each earlier commit in time order, `baseline` the baseline's own,
/// shifted so that its first run is 0.
pub(crate) fn learn(groups: &[Vec<f64>], baseline: &[f64]) -> Learned {
    let mut bank = prior();
    for runs in groups.iter().filter(|g| g.len() > 1) {
        bank = open(&bank);
        for x in &runs[1..] {
            bank = observe(&bank, x - runs[0], &NEXT, KEEP);
        }
        bank = forget_level(&bank);
    }
    if let Some((first, rest)) = baseline.split_first() {
        bank = open(&bank);
        for c in &mut bank {
            c.state.mean[LEVEL] += first;
        }
        for x in rest {
            bank = observe(&bank, *x, &NEXT, KEEP);
        }
    }
    Learned { bank, level_known: !baseline.is_empty() }
}

fn prior() -> Vec<Component<2>> {
    let state = State { mean: [0.0; 2], cov: [[VAGUE, 0.0], [0.0, 0.0]] };
    noises()
        .iter()
        .enumerate()
        .map(|(noise, n)| Component {
            weight: n.weight,
            habits: habits().prior(),
            noise,
            before: Before::Nothing,
            met_low: false,
            state,
        })
        .collect()
}

/// The first run of a commit, at 0: it fixes the level, once for a run in the high mode and once for one in the low.
/// Whatever it is, it is as likely under one noise as under another.
fn open(bank: &[Component<2>]) -> Vec<Component<2>> {
    let mut after = Vec::with_capacity(3 * bank.len());
    for c in bank {
        let noise = &noises()[c.noise];
        let tail = &TAILS[noise.tail];
        let spread: f64 = (0..3).map(|j| tail.share[j] * tail.variance[j]).sum();
        let own = spread * noise.variance();
        let p = c.chance_of_low(false);
        let mut push = |low: bool, chance: f64, share: f64, mut state: State<2>| {
            let (depth, vague) = if low { (state.mean[DEPTH], state.cov[DEPTH][DEPTH]) } else { (0.0, 0.0) };
            state.mean[LEVEL] = depth;
            state.cov[LEVEL] = [own + vague, vague];
            state.cov[DEPTH][LEVEL] = vague;
            after.push(Component {
                weight: c.weight * chance * share,
                habits: c.habits_after(false, low, chance),
                before: if low { Before::Low } else { Before::High },
                met_low: c.met_low || low,
                state,
                ..*c
            });
        };
        push(false, 1.0 - p, 1.0, c.state);
        if p > 0.0 && c.met_low {
            push(true, p, 1.0, c.state);
        } else if p > 0.0 {
            for d in 0..DEPTHS.len() {
                push(true, p, 1.0 / DEPTHS.len() as f64, c.state.with_depth(d));
            }
        }
    }
    after
}

/// Weight, sums of the depth and of its square, and weights of the habits.
type Moments = (f64, f64, f64, Weights);

/// Keeps what a commit taught of the noise, the habits and the depth, and forgets its level and its path of modes.
fn forget_level(bank: &[Component<2>]) -> Vec<Component<2>> {
    let classes = DEPTHS.len() + 1;
    let mut sums: Vec<Option<Moments>> = vec![None; noises().len() * classes];
    for c in bank {
        let depth = c.state.mean[DEPTH];
        let class = if c.met_low { 1 + class_of(depth) } else { 0 };
        let s = sums[c.noise * classes + class].get_or_insert((0.0, 0.0, 0.0, [0.0; HABITS]));
        s.0 += c.weight;
        s.1 += c.weight * depth;
        s.2 += c.weight * (c.state.cov[DEPTH][DEPTH] + depth * depth);
        for (sum, share) in s.3.iter_mut().zip(&c.habits) {
            *sum += c.weight * share;
        }
    }
    let mut after = Vec::new();
    for (i, sum) in sums.iter().enumerate() {
        let Some((weight, first, second, shares)) = sum else {
            continue;
        };
        let mean = first / weight;
        let met_low = i % classes > 0;
        let variance = if met_low { (second / weight - mean * mean).max(1e-8) } else { 0.0 };
        after.push(Component {
            weight: *weight,
            habits: shares.map(|s| s / weight),
            noise: i / classes,
            before: Before::Nothing,
            met_low,
            state: State { mean: [0.0, mean], cov: [[VAGUE, 0.0], [0.0, variance]] },
        });
    }
    after
}
