//! Every run and decision, in a git branch that the team shares.
//!
//! The branch holds `runs/<id>/run.json` and `runs/<id>/decision.json`, one directory a run so that two machines never
//! conflict, and two pages made from them, `README.md` and `score.svg`, so that it reads well in a browser. Local work is
//! done on git's objects and on the branch's reference alone: the user's work tree, index and `HEAD` are never touched.

mod append;
mod error;
mod git_command;
mod merge;
mod pages;
pub mod proposal;
mod read;
mod readme;
mod record;
mod run_id;
mod score_svg;
mod store;
mod sync;
pub mod text;

pub use append::verdict_word;
pub use error::LedgerError;
pub use proposal::{Merged, Proposal};
pub use read::{Entry, Listing, Unreadable, baseline_of, usual_seconds};
pub use readme::{codes_text, outcome_word};
pub use record::*;
pub use run_id::RunId;
pub use score_svg::{MAX_RUNS as CHART_RUNS, render as render_chart};
pub use store::Ledger;
pub use sync::{SyncReport, SyncState};
