//! Today's runs: the bank that starts from the ledger and takes one run after the other.

use super::bank::{Component, DEPLOY, DEPTH, DRIFT, EFFECT, LEVEL, State, View, observe};
use super::habit::Before;
use super::ledger::Learned;
use super::{prior, thin};

/// Dimensions of today's state.
pub(crate) const DIM: usize = 5;
/// Components kept after each run of today.
const KEEP: usize = 200;

/// Components that describe today so far.
pub(crate) type Bank = Vec<Component<DIM>>;

/// Today before its first run: the ledger's level moved by an unknown session, effect and drift unknown.
pub(crate) fn start(learned: &Learned) -> Bank {
    let sessions = prior::SESSION.len();
    let mut weights = Vec::with_capacity(learned.bank.len() * sessions);
    for c in &learned.bank {
        weights.extend(prior::SESSION.iter().map(|s| c.weight * s.1));
    }
    let kept = thin::thin(&weights, KEEP);
    let from = |(i, weight): (usize, f64)| {
        let c = &learned.bank[i / sessions];
        let session = prior::SESSION[i % sessions].0;
        let mut state = State { mean: [0.0; DIM], cov: [[0.0; DIM]; DIM] };
        for i in [LEVEL, DEPTH] {
            state.mean[i] = c.state.mean[i];
            for j in [LEVEL, DEPTH] {
                state.cov[i][j] = c.state.cov[i][j];
            }
        }
        state.cov[LEVEL][LEVEL] += 2.0 * session * session;
        if !learned.level_known {
            state.cov[LEVEL][LEVEL] += prior::VAGUE;
        }
        state.cov[EFFECT][EFFECT] = prior::EFFECT * prior::EFFECT;
        state.cov[DRIFT][DRIFT] = prior::DRIFT * prior::DRIFT;
        state.cov[DEPLOY][DEPLOY] = prior::DEPLOY_SHARE * prior::noises()[c.noise].variance();
        Component { weight, habits: c.habits, noise: c.noise, before: Before::Nothing, met_low: c.met_low, state }
    };
    kept.into_iter().map(from).collect()
}

/// How run number `k` of today (from 0) looks at the state; `fresh` says whether the side was deployed for it.
pub(crate) fn view(candidate: bool, k: usize, fresh: bool) -> View<DIM> {
    let effect = if candidate { 1.0 } else { 0.0 };
    View { loading: [1.0, 0.0, effect, k as f64, 1.0], candidate, fresh, deploy_share: prior::DEPLOY_SHARE }
}

/// Takes run number `k`, whose log score is `x`.
pub(crate) fn after(bank: &Bank, x: f64, candidate: bool, k: usize, fresh: bool) -> Bank {
    observe(bank, x, &view(candidate, k, fresh), KEEP)
}
