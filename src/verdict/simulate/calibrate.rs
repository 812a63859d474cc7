//! Where the stopping lines come from: a search over simulated paths for lines that keep every limit of a spec, and
//! within the limits accept real gains as often as they can.

use super::paths::{Ended, Paths};
use super::random::Random;
use super::spec::Spec;
use super::table::Options;
use crate::verdict::lines::{Table, least};

/// A limit that is kept by less than this share of itself counts as nearly broken, so that chance does not break it.
const MARGIN: f64 = 0.02;
/// How much a broken limit weighs against power.
const BROKEN: f64 = 40.0;
/// How much a bend in a line weighs: lines that jump fit the paths they were found on.
const BEND: f64 = 0.004;

/// Searches for better lines, starting from `start`; `rounds` attempts. Returns the lines and what they cost.
fn calibrate(spec: &Spec, paths: &Paths, start: &Table, rounds: usize, seed: u64) -> (Table, f64) {
    let mut random = Random::new(seed, 0);
    let (mut best, mut least) = (start.clone(), cost(spec, paths, start));
    for round in 0..rounds {
        let size = 0.25 * (1.0 - 0.8 * round as f64 / rounds as f64);
        let tried = changed(&best, size, &mut random);
        let costs = cost(spec, paths, &tried);
        if costs < least {
            (best, least) = (tried, costs);
        }
    }
    (best, least)
}

/// Lines near the given ones: a few neighbouring knots moved together.
fn changed(table: &Table, size: f64, random: &mut Random) -> Table {
    let mut t = table.clone();
    let knots = t.at.len();
    for _ in 0..1 + random.below(3) {
        let by = size * random.normal();
        match random.below(8) {
            0 => t.sure += by,
            1 => t.clear += by,
            2 => {
                let i = random.below(knots);
                if t.not_big[i] < 5.0 {
                    t.not_big[i] += by;
                }
            }
            side => {
                let (from, to) = (random.below(knots), random.below(knots));
                let line = if side % 2 == 0 { &mut t.accept } else { &mut t.give_up };
                line[from.min(to)..=from.max(to)].iter_mut().for_each(|v| *v += by);
            }
        }
    }
    for i in 1..knots {
        t.accept[i] = t.accept[i].min(t.accept[i - 1]);
        t.give_up[i] = t.give_up[i].max(t.give_up[i - 1]);
    }
    t
}

fn cost(spec: &Spec, paths: &Paths, table: &Table) -> f64 {
    let (mut broken, mut power, mut runs, mut cells) = (0.0, 0.0, 0.0, 0.0);
    for (w, world) in spec.worlds.iter().enumerate() {
        for (d, delta) in spec.deltas.iter().enumerate() {
            let ended = paths.end(w, d, table);
            for limit in spec.limits.iter().filter(|l| l.concerns(&world.name, *delta)) {
                broken += over(limit.accept_max, ended.accept, 1.0, paths.trials);
                broken += over(limit.revert_max, ended.revert, 1.0, paths.trials);
                broken += over(limit.accept_min, ended.accept, -1.0, paths.trials);
                broken += over(limit.revert_min, ended.revert, -1.0, paths.trials);
                broken += runs_over(limit.runs_max, &ended);
            }
            if *delta > 0.0 {
                power += ended.accept;
                runs += ended.runs;
                cells += 1.0;
            }
        }
    }
    let bends = |line: &[f64]| -> f64 {
        let ends: Vec<f64> = line.iter().copied().filter(|v| *v < 5.0).collect();
        ends.windows(3).map(|v| (v[0] - 2.0 * v[1] + v[2]).powi(2)).sum()
    };
    let cells: f64 = if cells > 0.0 { cells } else { 1.0 };
    BROKEN * broken + BEND * (bends(&table.accept) + bends(&table.give_up)) - power / cells + 0.003 * runs / cells
}

/// How far a share is over (sign 1) or under (sign -1) a limit, less half a standard error of the simulation.
fn over(limit: Option<f64>, share: f64, sign: f64, trials: usize) -> f64 {
    let Some(limit) = limit else { return 0.0 };
    let error = (limit * (1.0 - limit)).max(1e-4) / trials as f64;
    let by = sign * (share - limit) - 0.5 * error.sqrt() * sign.max(0.0);
    by.max(0.0).powi(2) * 20.0 + 0.1 * by.max(0.0)
}

fn runs_over(limit: Option<f64>, ended: &Ended) -> f64 {
    let Some(limit) = limit else { return 0.0 };
    let by = ended.runs / limit - (1.0 - MARGIN * 0.25);
    by.max(0.0).powi(2) * 20.0 + 0.1 * by.max(0.0)
}

/// Attempts of the search.
const ROUNDS: usize = 3_000;

/// Lines for a budget and an intent, found from those that the gate has now.
pub fn calibrated(spec: &Spec, options: &Options) -> Table {
    let paths = Paths::new(spec, options.trials, options.budget, least(options.intent), options.seed);
    let start = Table::now(options.budget, options.intent);
    calibrate(spec, &paths, &start, ROUNDS, options.seed).0
}
