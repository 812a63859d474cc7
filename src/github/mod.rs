//! What GitHub tells us and what GitHub is told. The verdict and the ledger never depend on it: what cannot be sent is kept in
//! the [`outbox`] and is a warning.

pub mod annotations;
pub mod check;
pub mod client;
pub mod commands;
pub mod comment;
pub mod error;
pub mod event;
pub mod guard;
pub mod outbox;
pub mod outputs;
pub mod retry;
pub mod runner;
pub mod token;

pub use client::{Client, Options};
pub use error::{ApiError, Need};
pub use event::{Context, Event};
