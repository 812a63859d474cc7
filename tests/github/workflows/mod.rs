//! The action and the workflows that are shipped: looked at by linters, and executed.

mod act;
mod lint;
mod start;
