//! Paths of the test without stopping: what the gate's three probits are after each run, in many simulated comparisons.
//!
//! The order of the runs does not depend on where the stopping lines lie, so one set of paths serves any lines.

use super::comparison::Comparison;
use super::parallel::in_parallel;
use super::random::Random;
use super::spec::Spec;
use crate::verdict::lines::{Look, Table};
use crate::verdict::model::posterior::Told;
use crate::verdict::sequential::Test;

/// A cell of a table: how often each verdict was reached, and with how many runs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Ended {
    pub(crate) accept: f64,
    pub(crate) revert: f64,
    pub(crate) runs: f64,
}

/// Paths for every world and effect of a spec.
pub(crate) struct Paths {
    pub(crate) trials: usize,
    pub(crate) budget: usize,
    deltas: usize,
    told: Vec<[f32; 3]>,
}

impl Paths {
    /// Simulates `trials` paths a cell, `budget` runs long; `least` as in the intent.
    pub(crate) fn new(spec: &Spec, trials: usize, budget: usize, least: f64, seed: u64) -> Self {
        let deltas = spec.deltas.len();
        let cells = spec.worlds.len() * deltas;
        let told = in_parallel(cells * trials, |i| {
            let (cell, trial) = (i / trials, i % trials);
            let world = &spec.worlds[cell / deltas];
            let random = Random::new(seed, trial as u64);
            path(Comparison::new(world, spec.deltas[cell % deltas], random), budget, least)
        });
        Self { trials, budget, deltas, told: told.into_iter().flatten().collect() }
    }

    /// How the paths of one cell end under the given lines.
    pub(crate) fn end(&self, world: usize, delta: usize, table: &Table) -> Ended {
        let lines: Vec<_> = (1..=self.budget).map(|k| table.at(k as f64)).collect();
        let size = self.trials * self.budget;
        let start = (world * self.deltas + delta) * size;
        let mut ended = Ended::default();
        for path in self.told[start..start + size].chunks_exact(self.budget) {
            let mut runs = self.budget;
            for (k, [z, safe, big]) in path.iter().enumerate() {
                let told = Told { z: f64::from(*z), safe: f64::from(*safe), big: f64::from(*big) };
                match lines[k].look(&told) {
                    Look::Accept => ended.accept += 1.0,
                    Look::GiveUp if told.z < 0.0 => ended.revert += 1.0,
                    Look::GiveUp => {}
                    Look::GoOn => continue,
                }
                runs = k + 1;
                break;
            }
            ended.runs += runs as f64;
        }
        let n = self.trials as f64;
        Ended { accept: ended.accept / n, revert: ended.revert / n, runs: ended.runs / n }
    }
}

fn path(mut comparison: Comparison<'_>, budget: usize, least: f64) -> Vec<[f32; 3]> {
    let zero = comparison.baseline.first().copied().unwrap_or_default();
    let own: Vec<f64> = comparison.baseline.iter().map(|x| x - zero).collect();
    let mut test = Test::new(&comparison.others, &own);
    (0..budget)
        .map(|_| {
            let candidate = test.candidate_next();
            test.push(comparison.run(candidate) - zero, candidate);
            let told = test.told(least);
            [told.z as f32, told.safe as f32, told.big as f32]
        })
        .collect()
}
