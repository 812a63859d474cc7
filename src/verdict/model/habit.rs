//! How the low mode comes and goes: how often, how long it stays, and whether the candidate falls into it more often.
//!
//! A habit changes how likely a path of modes is, and nothing else. So one component of the bank carries the weights of
//! all habits side by side, and none of them is ever lost to thinning.

use std::sync::OnceLock;

/// That a series has a low mode at all.
const MODES: f64 = 0.75;
/// Probability of the low mode, with its weight.
const LOW: [(f64, f64); 4] = [(0.06, 0.25), (0.15, 0.30), (0.30, 0.25), (0.48, 0.20)];
/// Chance that a run keeps the mode of the run before it, with its weight.
const PERSIST: [(f64, f64); 3] = [(0.0, 0.6), (0.6, 0.2), (0.9, 0.2)];
/// The candidate: as the baseline (`None`), or with a probability of the low mode of its own.
const CANDIDATE: [(Option<f64>, f64); 3] = [(None, 0.88), (Some(0.2), 0.05), (Some(0.5), 0.07)];

/// Number of habits.
pub(crate) const HABITS: usize = CANDIDATE.len() * (1 + LOW.len() * PERSIST.len());

/// A weight for each habit.
pub(crate) type Weights = [f64; HABITS];

/// One habit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Habit {
    /// Probability of the low mode; 0 where there is none.
    pub(crate) low: f64,
    /// The candidate's.
    pub(crate) candidate_low: f64,
    /// Whether the candidate has a probability of its own.
    pub(crate) own: bool,
    /// Chance that a run keeps the mode of the run before it.
    pub(crate) persist: f64,
    /// Prior probability.
    pub(crate) weight: f64,
}

/// All habits and, for every situation, the chance that the coming run is in the low mode.
pub(crate) struct Habits {
    pub(crate) all: Vec<Habit>,
    chances: [Weights; 6],
}

/// What went before a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Before {
    /// No run of this session.
    Nothing,
    /// A run in the high mode.
    High,
    /// A run in the low mode.
    Low,
}

impl Habits {
    /// For each habit, the chance that the coming run is in the low mode.
    #[inline(always)]
    pub(crate) fn chance(&self, before: Before, candidate: bool) -> &Weights {
        &self.chances[2 * before as usize + usize::from(candidate)]
    }

    /// The prior weights.
    pub(crate) fn prior(&self) -> Weights {
        std::array::from_fn(|i| self.all[i].weight)
    }
}

/// The habits that the model knows; their weights sum to one.
pub(crate) fn habits() -> &'static Habits {
    static ALL: OnceLock<Habits> = OnceLock::new();
    ALL.get_or_init(|| {
        let mut all = Vec::with_capacity(HABITS);
        for (candidate, by_candidate) in CANDIDATE {
            let mut push = |low: f64, persist: f64, weight: f64| {
                let candidate_low = candidate.unwrap_or(low);
                let own = candidate.is_some();
                all.push(Habit { low, candidate_low, own, persist, weight: weight * by_candidate });
            };
            push(0.0, 0.0, 1.0 - MODES);
            for (low, by_low) in LOW {
                for (persist, by_persist) in PERSIST {
                    push(low, persist, MODES * by_low * by_persist);
                }
            }
        }
        let chance = |h: &Habit, before: usize, candidate: bool| {
            let p = if candidate { h.candidate_low } else { h.low };
            match before {
                0 => p,
                1 => (1.0 - h.persist) * p,
                _ => h.persist + (1.0 - h.persist) * p,
            }
        };
        let chances = std::array::from_fn(|s| std::array::from_fn(|i| chance(&all[i], s / 2, s % 2 == 1)));
        Habits { all, chances }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_weights_are_a_probability() {
        let total: f64 = habits().prior().iter().sum();
        assert_eq!(habits().all.len(), HABITS);
        assert!((total - 1.0).abs() < 1e-12, "{total}");
    }

    #[test]
    fn a_low_mode_that_stays_is_more_likely_after_a_low_run() {
        let h = habits();
        for (i, habit) in h.all.iter().enumerate() {
            let after_low = h.chance(Before::Low, false)[i];
            let after_high = h.chance(Before::High, false)[i];
            assert!((after_low - after_high - habit.persist).abs() < 1e-12);
        }
    }
}
