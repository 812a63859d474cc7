//! The ledger on real git repositories: written, read, shared, shown.

#[path = "../rig/mod.rs"]
pub mod rig;

mod commands;
mod fixture;
mod local;
mod shared;
mod speed;
mod team;
