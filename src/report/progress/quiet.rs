//! Progress for those who asked for none: warnings only.

use std::io::Write;

use super::View;
use crate::report::{Event, text};

pub(super) struct Quiet<W> {
    out: W,
}

impl<W> Quiet<W> {
    pub(super) fn new(out: W) -> Self {
        Quiet { out }
    }
}

impl<W: Write + Send + 'static> View for Quiet<W> {
    fn show(&mut self, _at: &str, event: &Event) {
        if let Event::Warning { text } = event {
            let _ = writeln!(self.out, "{}", text::workflow_line(&format!("warning: {text}")));
        }
    }

    fn lost(&mut self, _at: &str, _count: usize) {}
}
