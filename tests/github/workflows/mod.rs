//! The action and the workflows that are shipped: looked at by linters, and executed.

mod act;
mod bench;
mod demo;
mod lint;
mod reboot;
mod start;
mod upkeep;
