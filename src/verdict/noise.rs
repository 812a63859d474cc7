//! The noise ledger: what a series' own runs say of its scatter, shrunk to a stated prior.

use serde::{Deserialize, Serialize};

use super::facts::RunFacts;
use super::model::bank::DEPTH;
use super::model::habit::habits;
use super::model::ledger::{Learned, learn};
use super::model::prior;

/// At most so many earlier commits, the latest, are read; older noise says little of today's.
const COMMITS: usize = 24;
/// At most so many runs of each, the latest.
const RUNS: usize = 16;

/// Noise of a series, as the model sees it after the ledger. Spreads are shares of the score (0.04 is 4 %).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Runs that it rests on: those of commits that ran more than once.
    pub runs: usize,
    /// Commits that ran more than once.
    pub commits: usize,
    /// Spread from run to run within a mode (standard deviation).
    pub within: f64,
    /// Central 90 % of what the spread may be.
    pub within_range: [f64; 2],
    /// Spread from deploy to deploy, the part of `within` that a whole deploy shares. Stated, not learned.
    pub between_deploys: f64,
    /// Spread from session to session. Stated, not learned.
    pub between_sessions: f64,
    /// Probability that the scatter has heavy tails.
    pub heavy_tails: f64,
    /// Probability that the series has a low mode.
    pub two_modes: f64,
    /// How often a run is in the low mode, if there is one.
    pub p_low: f64,
    /// Factor of the low mode on the score, if there is one.
    pub low_factor: f64,
    /// Chance that a run keeps the mode of the run before it, if there is a low mode.
    pub stays: f64,
    /// What all of this was before the first run.
    pub prior: String,
}

/// The stated prior, in words.
pub const PRIOR: &str = "within 4.5 % (a factor of 2.2 either way), a low mode in 75 % of series, in about one run \
of four, to 0.9, 0.8, 0.67 or 0.45 of the score; a deploy holds 25 % of the variance; sessions 3 %";

/// Log scores of the ledger: each earlier commit's, and the baseline's own.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ledger {
    /// Of each commit but the baseline, in order of its first run.
    pub others: Vec<Vec<f64>>,
    /// The baseline's.
    pub baseline: Vec<f64>,
}

impl Ledger {
    /// Sorts earlier runs by commit. Failed runs and runs without a score are left out.
    pub fn new(history: &[RunFacts], baseline: Option<&str>) -> Self {
        let mut commits: Vec<(&str, Vec<f64>)> = Vec::new();
        let mut own = Vec::new();
        for run in history {
            let Some(x) = run.log_score() else { continue };
            if baseline == Some(run.commit.as_str()) {
                own.push(x);
            } else if let Some(group) = commits.iter_mut().rev().find(|g| g.0 == run.commit) {
                group.1.push(x);
            } else {
                commits.push((&run.commit, vec![x]));
            }
        }
        let latest = |mut runs: Vec<f64>| runs.split_off(runs.len().saturating_sub(RUNS));
        let mut others: Vec<Vec<f64>> = commits.into_iter().filter(|g| g.1.len() > 1).map(|g| latest(g.1)).collect();
        let others = others.split_off(others.len().saturating_sub(COMMITS));
        Self { others, baseline: latest(own) }
    }

    /// Runs that say something of the noise, and the commits they belong to.
    fn informative(&self) -> (usize, usize) {
        let groups = self.others.iter().chain([&self.baseline]).filter(|g| g.len() > 1);
        groups.fold((0, 0), |(runs, commits), g| (runs + g.len(), commits + 1))
    }
}

/// The noise of a series from its earlier runs.
pub fn summary(history: &[RunFacts], baseline: Option<&str>) -> Summary {
    let ledger = Ledger::new(history, baseline);
    let zero = ledger.baseline.first().copied().unwrap_or_default();
    let own: Vec<f64> = ledger.baseline.iter().map(|x| x - zero).collect();
    summarise(&learn(&ledger.others, &own), &ledger)
}

pub(crate) fn summarise(learned: &Learned, ledger: &Ledger) -> Summary {
    let noises = prior::noises();
    let mut by_noise = vec![0.0; noises.len()];
    let (mut total, mut heavy) = (0.0, 0.0);
    let (mut modes, mut low, mut stays, mut depth, mut met) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for c in &learned.bank {
        total += c.weight;
        by_noise[c.noise] += c.weight;
        heavy += c.weight * noises[c.noise].tail as f64;
        let mut with_mode = 0.0;
        for (habit, share) in habits().all.iter().zip(&c.habits).filter(|(h, _)| h.low > 0.0) {
            with_mode += share;
            low += c.weight * share * habit.low;
            stays += c.weight * share * habit.persist;
        }
        modes += c.weight * with_mode;
        if c.met_low {
            met += c.weight * with_mode;
            depth += c.weight * with_mode * c.state.mean[DEPTH];
        }
    }
    let mean_depth: f64 = prior::DEPTHS.iter().sum::<f64>() / prior::DEPTHS.len() as f64;
    let depth = (depth + (modes - met).max(0.0) * mean_depth) / modes.max(1e-300);
    let centre: f64 = noises.iter().zip(&by_noise).map(|(n, w)| w * n.sigma).sum::<f64>() / total;
    let (runs, commits) = ledger.informative();
    let session: f64 = prior::SESSION.iter().map(|s| s.1 * s.0 * s.0).sum();
    Summary {
        runs,
        commits,
        within: centre,
        within_range: [quantile(&by_noise, total, 0.05), quantile(&by_noise, total, 0.95)],
        between_deploys: centre * prior::DEPLOY_SHARE.sqrt(),
        between_sessions: session.sqrt(),
        heavy_tails: heavy / total,
        two_modes: modes / total,
        p_low: low / modes.max(1e-300),
        low_factor: (-depth).exp(),
        stays: stays / modes.max(1e-300),
        prior: PRIOR.to_owned(),
    }
}

/// The sigma below which a share `q` of the weight lies.
fn quantile(by_noise: &[f64], total: f64, q: f64) -> f64 {
    let mut sum = 0.0;
    for (noise, weight) in prior::noises().iter().zip(by_noise) {
        sum += weight;
        if sum >= q * total {
            return noise.sigma;
        }
    }
    prior::noises().last().map_or(0.0, |n| n.sigma)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs(scores: &[(&str, i64)]) -> Vec<RunFacts> {
        scores
            .iter()
            .map(|(commit, score)| RunFacts {
                commit: (*commit).to_owned(),
                score: Some(*score),
                pass: Some(true),
                ..RunFacts::default()
            })
            .collect()
    }

    #[test]
    fn an_empty_ledger_is_the_prior() {
        let s = summary(&[], None);
        assert_eq!((s.runs, s.commits), (0, 0));
        assert!((s.two_modes - 0.75).abs() < 0.01, "{}", s.two_modes);
        assert!(s.within > 0.04 && s.within < 0.08, "{}", s.within);
    }

    #[test]
    fn quiet_runs_make_a_quiet_series_and_one_low_run_in_three_a_second_mode() {
        let quiet: Vec<_> = (0..12).map(|i| (["a", "b", "c"][i / 4], 100_000 + 700 * (i as i64 % 4))).collect();
        let s = summary(&runs(&quiet), Some("c"));
        assert_eq!((s.runs, s.commits), (12, 3));
        assert!(s.within < 0.02 && s.two_modes < 0.5, "{s:?}");
        let modes: Vec<_> = (0..12)
            .map(|i| (["a", "b", "c"][i / 4], if i % 4 == 1 { 50_000 } else { 100_000 + 900 * (i as i64 % 3) }))
            .collect();
        let s = summary(&runs(&modes), Some("c"));
        assert!(s.two_modes > 0.98 && s.within < 0.05, "{s:?}");
        assert!(s.p_low > 0.1 && s.p_low < 0.45 && (s.low_factor - 0.5).abs() < 0.06, "{s:?}");
    }
}
