//! Verdict (first version).
mod binomial;
pub mod code_names;
pub mod correctness;
pub mod facts;
pub mod policy;
pub mod step;
pub use facts::*;
