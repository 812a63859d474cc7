//! One model of what happened, many views of it: terminal, Markdown, JSON.

mod event;
mod model;

pub use event::{Event, Events, Stage};
pub use model::*;
