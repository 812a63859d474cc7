//! isugate turns "we pushed a change" into "keep it" or "take it back", with the evidence beside the answer.
//!
//! Dependencies point one way: `cli → ci → run → (deploy, bench, isutools, ledger, verdict, report, github) → host, result, config, text`.

pub mod bench;
pub mod ci;
pub mod cli;
pub mod config;
pub mod deploy;
pub mod exit;
pub mod github;
pub mod host;
pub mod isutools;
pub mod lease;
pub mod ledger;
pub mod load;
pub mod report;
pub mod result;
pub mod run;
pub mod text;
pub mod verdict;
