//! isutools: its admin API, spoken from the host itself, and the snapshot that it writes.

mod answer;
mod client;
pub mod snapshot;
mod summary;

pub use answer::Answer;
pub use client::{Client, IsutoolsError, Saved};
pub use summary::{HttpRow, SqlRow, Summary};
