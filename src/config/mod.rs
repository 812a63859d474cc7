//! `isugate.yml`: its shape, how it is read, and what is wrong with it, said with file, line and column.

mod duration;
mod select;
pub mod shape;

pub use duration::parse_duration;
pub use shape::Config;
