//! What isugate tells GitHub, against a GitHub of our own that keeps state and can be made to fail, directly and through
//! Prism, which holds both sides to GitHub's own description of its API.

#[path = "../rig/mod.rs"]
pub mod rig;

mod checks;
mod comments;
mod contract;
mod events;
mod fake;
mod job;
mod outbox;
pub mod samples;
mod workflows;
