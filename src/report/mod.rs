//! One model of what happened, many views of it: terminal, Markdown, JSON; and the progress of a run while it goes on.
//!
//! The views are pure: what they show is in the [`Report`], and everything in it that came from outside is made safe for the
//! view's medium by [`text`].

mod content;
mod event;
mod headline;
mod json;
mod layout;
mod limited;
mod markdown;
mod model;
pub mod number;
pub mod progress;
mod specimen;
mod templates;
mod terminal;
mod words;

use crate::text;
pub use event::{Event, Events, Stage};
pub use headline::headline;
pub use json::{json, json_text};
pub use limited::{Limit, markdown_limited};
pub use markdown::markdown;
pub use model::*;
pub use templates::{TemplateError, Templates};
pub use terminal::terminal;
pub use words::verdict_word;
