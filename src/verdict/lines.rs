//! The stopping lines: how sure the test must be, after how many of how many runs, to end it.
//!
//! All values are probits of the posterior (`model::posterior`). They come from a search over simulated paths
//! (`isugate simulate --calibrate` repeats it) and hold the error rates that `docs/verdict.md` lists.

use serde::{Deserialize, Serialize};

use super::facts::Intent;
use super::model::posterior::Told;

/// With the intent `no-regression`, a loss up to this much (log scale) is no regression.
const MARGIN: f64 = -0.03;

/// The effect (log scale) that a candidate must exceed.
pub(crate) fn least(intent: Intent) -> f64 {
    match intent {
        Intent::Gain => 0.0,
        Intent::NoRegression => MARGIN,
    }
}

/// Lines for one budget; between its knots they are linear.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Table {
    /// The budget, in runs.
    pub budget: f64,
    /// Numbers of runs at the knots.
    pub at: Vec<f64>,
    /// Accept where `safe` is at least this.
    pub accept: Vec<f64>,
    /// Give up where `z` is at most this and `big` at most `not_big`.
    pub give_up: Vec<f64>,
    /// See `give_up`.
    pub not_big: Vec<f64>,
    /// From the second run on, a win that is probably large is accepted with less: `safe` at least this …
    pub sure: f64,
    /// … and `big` at least this.
    pub clear: f64,
}

/// The lines that hold for one look.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lines {
    /// Accept where `safe` is at least this.
    pub accept: f64,
    /// Give up where `z` is at most this.
    pub give_up: f64,
    /// And `big` at most this.
    pub not_big: f64,
    /// Accept a large win where `safe` is at least this.
    pub sure: f64,
    /// And `big` at least this.
    pub clear: f64,
}

/// What a look at the test brings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Look {
    Accept,
    GiveUp,
    GoOn,
}

impl Table {
    /// The lines after so many runs of this budget.
    pub(crate) fn at(&self, runs: f64) -> Lines {
        Lines {
            accept: linear(&self.at, &self.accept, runs),
            give_up: linear(&self.at, &self.give_up, runs),
            not_big: linear(&self.at, &self.not_big, runs),
            sure: if runs >= 2.0 || self.budget <= 1.0 { self.sure } else { f64::INFINITY },
            clear: self.clear,
        }
    }
}

/// Numbers of runs at the knots, for a share of the budget that is nearly the same for every budget.
fn knots(budget: usize) -> Vec<f64> {
    let mut at: Vec<f64> = vec![1.0, 2.0, 3.0, 4.0];
    at.extend([0.5, 0.667, 0.833, 1.0].map(|share| (share * budget as f64).round()));
    at.retain(|k| *k <= budget as f64);
    at.sort_by(f64::total_cmp);
    at.dedup();
    at
}

impl Table {
    /// The gate's lines for a budget, as a table of its own.
    pub(crate) fn now(budget: usize, intent: Intent) -> Self {
        let at = knots(budget);
        let lines: Vec<Lines> = at.iter().map(|k| Lines::after(*k as usize, budget, intent)).collect();
        let last = Lines::after(budget, budget, intent);
        Self {
            budget: budget as f64,
            accept: lines.iter().map(|l| l.accept).collect(),
            give_up: lines.iter().map(|l| l.give_up).collect(),
            not_big: lines.iter().map(|l| l.not_big).collect(),
            sure: last.sure.min(9.0),
            clear: last.clear,
            at,
        }
    }
}

impl Lines {
    /// The lines after `runs` of at most `budget` runs: those of the calibrated budgets around it, at the same share.
    pub fn after(runs: usize, budget: usize, intent: Intent) -> Self {
        let tables = match intent {
            Intent::Gain => gain(),
            Intent::NoRegression => no_regression(),
        };
        let budget = budget.max(runs).max(1) as f64;
        let share = runs as f64 / budget;
        let last = &tables[tables.len() - 1];
        if budget >= last.budget {
            return last.at(share * last.budget);
        }
        let upper = tables.iter().position(|t| t.budget > budget).unwrap_or(tables.len() - 1);
        let (a, b) = (&tables[upper.saturating_sub(1)], &tables[upper]);
        let mix = ((budget / a.budget).ln() / (b.budget / a.budget).ln()).clamp(0.0, 1.0);
        let (x, y) = (a.at(share * a.budget), b.at(share * b.budget));
        if mix <= 0.0 {
            return x;
        }
        let between = |p: f64, q: f64| p + mix * (q - p);
        Self {
            accept: between(x.accept, y.accept),
            give_up: between(x.give_up, y.give_up),
            not_big: between(x.not_big, y.not_big),
            sure: if runs >= 2 { between(x.sure.min(9.0), y.sure.min(9.0)) } else { f64::INFINITY },
            clear: between(x.clear, y.clear),
        }
    }

    pub(crate) fn look(&self, told: &Told) -> Look {
        if told.safe >= self.accept || (told.safe >= self.sure && told.big >= self.clear) {
            Look::Accept
        } else if told.z <= self.give_up && told.big <= self.not_big {
            Look::GiveUp
        } else {
            Look::GoOn
        }
    }
}

fn linear(at: &[f64], values: &[f64], x: f64) -> f64 {
    let last = at.len().min(values.len()) - 1;
    if x <= at[0] {
        return values[0];
    }
    for i in 1..=last {
        if x <= at[i] {
            let u = (x - at[i - 1]) / (at[i] - at[i - 1]);
            return values[i - 1] + u * (values[i] - values[i - 1]);
        }
    }
    values[last]
}

/// Calibrated lines for the intent `gain`, by rising budget.
fn gain() -> &'static [Table] {
    static TABLES: std::sync::OnceLock<Vec<Table>> = std::sync::OnceLock::new();
    TABLES.get_or_init(|| {
        vec![
            Table {
                budget: 1.0,
                at: vec![1.0],
                accept: vec![2.5],
                give_up: vec![-2.5],
                not_big: vec![-2.6],
                sure: 2.5,
                clear: 1.2,
            },
            Table {
                budget: 4.0,
                at: vec![1.0, 2.0, 3.0, 4.0],
                accept: vec![3.0, 2.6, 2.3, 2.0],
                give_up: vec![-2.5, -2.2, -1.5, 0.0],
                not_big: vec![-2.6, -2.6, -2.1, 9.0],
                sure: 2.2,
                clear: 1.2,
            },
            Table {
                budget: 12.0,
                at: vec![1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 10.0, 12.0],
                accept: vec![3.0, 2.7, 2.7, 2.6, 2.5, 2.37, 2.22, 1.93],
                give_up: vec![-2.5, -2.4, -2.2, -1.7, -1.0, 0.3, 1.0, 1.7],
                not_big: vec![-2.6, -2.6, -2.6, -2.1, 9.0, 9.0, 9.0, 9.0],
                sure: 2.2,
                clear: 1.2,
            },
        ]
    })
}

/// Calibrated lines for the intent `no-regression`, by rising budget.
fn no_regression() -> &'static [Table] {
    gain()
}
