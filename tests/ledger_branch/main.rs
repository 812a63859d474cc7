//! The ledger on real git repositories: written, read, shared, shown.

mod commands;
mod fixture;
mod local;
mod shared;
mod speed;
