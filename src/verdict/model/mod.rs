//! A Bayesian model of the scores: what the noise of a series looks like, and what today's runs say of a candidate.
//!
//! The log score of run `k` of today is `level + effect [candidate only] + drift k - depth [in the low mode] + deploy +
//! noise`. The modes are a Markov chain that both sides share; its probability and persistence, the spread and the tail
//! of the noise lie on a grid ([`prior`]); the rest is Gaussian given these ([`bank`]).

pub(crate) mod bank;
pub(crate) mod habit;
pub(crate) mod information;
pub(crate) mod ledger;
mod merge;
pub(crate) mod normal;
pub(crate) mod posterior;
pub(crate) mod prior;
mod thin;
pub(crate) mod today;
