//! What `isugate ci` does for each event: finds out which commit it is about, guards the hosts, benchmarks, and tells GitHub.

mod bench;
mod command;
mod merge;
mod page;
mod progress;
mod target;
mod tell;
mod words;

pub use bench::{Asked, FailOn, run};
pub use page::{verdict as comment, write_refusal};
pub use target::{Target, Work};
pub use tell::Teller;
