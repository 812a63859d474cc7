//! The gate: integrity, correctness, noise, the sequential test, and the simulation that says how often it errs.
//!
//! Everything here is pure: no I/O, no clock, no randomness that is not passed in.

mod binomial;
pub mod code_names;
pub mod correctness;
pub mod facts;
pub mod gate;
pub mod integrity;
mod integrity_words;
mod line_tables;
pub mod lines;
pub(crate) mod model;
pub mod noise;
pub mod replay;
pub mod sequential;
pub mod simulate;
pub mod state;
pub mod step;
pub mod words;
mod words_en;
mod words_ja;

pub use crate::config::shape::{Code, CodeDefault, CodePolicy};
pub use binomial::unseen_failure_bound;
pub use facts::{Intent, Language, Preset, RunFacts, Side, Verdict};
pub use gate::Gate;
