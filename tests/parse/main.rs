//! Readers of results: the samples, the command, the invariant, and properties that hold for any input.

mod command;
mod invariant;
mod properties;
mod samples;
