//! isutools: its admin API, spoken from the host itself, and the snapshot that it writes.

mod summary;

pub use summary::{HttpRow, SqlRow, Summary};
