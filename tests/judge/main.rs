//! The gate from outside: over single comparisons, over a replay, over a contest's real scores, and what spoils a run.

mod contest;
mod integrity;
mod replay;
mod step;
