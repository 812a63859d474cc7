//! How often the gate would be wrong: the gate and its rivals over simulated worlds.
//!
//! Seeded, and the same on any number of cores.

mod calibrate;
pub mod clairvoyant;
pub mod comparison;
mod parallel;
mod paths;
pub mod random;
pub mod rivals;
pub mod spec;
pub mod table;
pub mod world;

pub use calibrate::calibrated;
pub use spec::{Limit, Spec};
pub use table::{Cell, Options, Row, Rule, table};
pub use world::World;
