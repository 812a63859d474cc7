//! The way of a run: plan, check, lease, deploy, ready, reset, bench, parse, save, pull, integrity, record, judge, rollback, release,
//! report. Each stage is journalled before and after it happens.

mod bench;
mod check;
mod commit;
mod compare;
mod deploy_only;
mod dry_run;
mod journal;
mod judge;
mod measure;
mod noise;
mod portal;
mod preset;
mod resume;
mod rollback;
mod session;
mod setting;
mod show;
mod stage_bench;
mod stage_deploy;
mod stage_evidence;
mod stage_integrity;
mod stage_prepare;
mod way;

pub use bench::{BenchOptions, Finished, bench, open_ledger};
pub use check::{Finding, check, worst};
pub use commit::{Commit, resolve, work_tree};
pub use deploy_only::{deploy_only, last_accepted};
pub use dry_run::dry_run;
pub use journal::{Journal, Line, Phase, read as read_journal};
pub use judge::newest_series;
pub use portal::{Typed, record};
pub use preset::{BenchPlan, plan};
pub use resume::resume;
pub use session::Session;
pub use setting::Setting;
pub use show::again as reread;
pub use way::Way;
