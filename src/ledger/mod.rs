//! Every run and decision, in a git branch that the team shares.

mod record;

pub use record::*;
