//! The benchmarker: what is there before it, its command line, one execution of it.

mod command;
mod execute;
mod look;

pub use command::{Place, result_file};
pub use execute::{Executed, Execution, bring};
pub use look::{Look, look};
