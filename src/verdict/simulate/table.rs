//! The table: for every rule, world and true effect how often it accepts and reverts, and with how many runs.

use serde::{Deserialize, Serialize};

use super::clairvoyant::Clairvoyant;
use super::comparison::Comparison;
use super::parallel::in_parallel;
use super::random::Random;
use super::rivals::{Rival, Said};
use super::spec::Spec;
use super::world::World;
use crate::verdict::facts::Intent;
use crate::verdict::lines::{Lines, Look, least};
use crate::verdict::sequential::Test;

/// What is measured, and how.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// Comparisons a cell.
    pub trials: usize,
    /// Runs that a comparison may take.
    pub budget: usize,
    /// What the change is meant to do.
    pub intent: Intent,
    /// The same seed gives the same table.
    pub seed: u64,
    /// Whether the rivals are measured as well.
    pub rivals: bool,
}

/// Who decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// This gate.
    Gate,
    /// Another rule.
    Rival(Rival),
    /// A test that knows the noise.
    Clairvoyant,
}

impl Rule {
    /// What it is called in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Gate => "gate",
            Self::Rival(rival) => rival.name(),
            Self::Clairvoyant => "clairvoyant",
        }
    }
}

/// One cell. Shares are of all trials; the errors are one standard error of the simulation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Cell {
    /// The candidate's true effect.
    pub delta: f64,
    /// Share accepted.
    pub accept: f64,
    /// Its error.
    pub accept_error: f64,
    /// Share reverted.
    pub revert: f64,
    /// Its error.
    pub revert_error: f64,
    /// Mean number of runs.
    pub runs: f64,
    /// Its error.
    pub runs_error: f64,
}

/// One rule in one world.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// The world's name.
    pub world: String,
    /// The rule's name.
    pub rule: String,
    /// A cell for each effect.
    pub cells: Vec<Cell>,
}

/// Simulates the whole table.
pub fn table(spec: &Spec, options: &Options) -> Vec<Row> {
    let mut rows = Vec::new();
    for world in &spec.worlds {
        let mut rules = vec![Rule::Gate];
        if options.rivals {
            rules.extend(Rival::ALL.map(Rule::Rival));
            rules.push(Rule::Clairvoyant);
        }
        for rule in rules {
            let cells = spec.deltas.iter().map(|d| cell(rule, world, *d, options)).collect();
            rows.push(Row { world: world.name.clone(), rule: rule.name().to_owned(), cells });
        }
    }
    rows
}

fn cell(rule: Rule, world: &World, delta: f64, options: &Options) -> Cell {
    let budget = options.budget;
    let random = |i: usize| Random::new(options.seed, i as u64);
    let ends: Vec<(Said, usize)> = match rule {
        Rule::Gate => {
            in_parallel(options.trials, |i| gate(Comparison::new(world, delta, random(i)), budget, options.intent))
        }
        Rule::Rival(rival) => in_parallel(options.trials, |i| {
            let mut comparison = Comparison::new(world, delta, random(i));
            (rival.decide(&mut comparison, budget), comparison.runs)
        }),
        Rule::Clairvoyant => {
            let looked_for = if delta > 0.0 { delta } else { 0.05 };
            let seed = options.seed.wrapping_add(1);
            let sees = Clairvoyant::new(world, looked_for, budget, options.trials.max(1_000), seed);
            in_parallel(options.trials, |i| {
                let accepts = sees.accepts(delta, budget, random(i));
                (if accepts { Said::Accept } else { Said::Neither }, budget)
            })
        }
    };
    count(delta, &ends)
}

/// Runs one comparison to its end.
fn gate(mut comparison: Comparison<'_>, budget: usize, intent: Intent) -> (Said, usize) {
    let zero = comparison.baseline.first().copied().unwrap_or_default();
    let own: Vec<f64> = comparison.baseline.iter().map(|x| x - zero).collect();
    let mut test = Test::new(&comparison.others, &own);
    for runs in 1..=budget {
        let candidate = test.candidate_next();
        test.push(comparison.run(candidate) - zero, candidate);
        let told = test.told(least(intent));
        match Lines::after(runs, budget, intent).look(&told) {
            Look::Accept => return (Said::Accept, runs),
            Look::GiveUp if told.z < 0.0 => return (Said::Revert, runs),
            Look::GiveUp => return (Said::Neither, runs),
            Look::GoOn => {}
        }
    }
    (Said::Neither, budget)
}

fn count(delta: f64, ends: &[(Said, usize)]) -> Cell {
    let n = ends.len().max(1) as f64;
    let share = |what: Said| ends.iter().filter(|e| e.0 == what).count() as f64 / n;
    let error = |p: f64| (p * (1.0 - p) / n).sqrt();
    let (accept, revert) = (share(Said::Accept), share(Said::Revert));
    let runs = ends.iter().map(|e| e.1 as f64).sum::<f64>() / n;
    let spread = ends.iter().map(|e| (e.1 as f64 - runs).powi(2)).sum::<f64>() / n;
    Cell {
        delta,
        accept,
        accept_error: error(accept),
        revert,
        revert_error: error(revert),
        runs,
        runs_error: (spread / n).sqrt(),
    }
}
