//! Progress as lines, for pipes and for the log of a workflow.

use std::{io::Write, time::Duration};

use super::View;
use crate::report::{Event, Stage, number, text};

/// How often the benchmarker's time is worth a line.
const EVERY: Duration = Duration::from_secs(10);

pub(super) struct Plain<W> {
    out: W,
    actions: bool,
    open: Option<Stage>,
    said: Duration,
}

impl<W: Write + Send + 'static> Plain<W> {
    pub(super) fn new(out: W, actions: bool) -> Self {
        Plain { out, actions, open: None, said: Duration::ZERO }
    }

    /// A line of ours with foreign text in it. A log that cannot be written is no reason to stop a run.
    fn line(&mut self, line: &str) {
        let line = if self.actions { text::workflow_line(line) } else { text::terminal_line(line) };
        let _ = writeln!(self.out, "{}", line.trim_end());
    }

    /// A workflow command of our own.
    fn command(&mut self, command: &str) {
        let _ = writeln!(self.out, "{command}");
    }

    fn close(&mut self) {
        if self.open.take().is_some() && self.actions {
            self.command("::endgroup::");
        }
    }
}

impl<W: Write + Send + 'static> View for Plain<W> {
    fn show(&mut self, at: &str, event: &Event) {
        match event {
            Event::RunBegan { id, commit, subject } => {
                let commit: String = commit.chars().take(12).collect();
                self.line(&format!("{at} run {id}: {commit} {subject}"));
            }
            Event::Began { stage } => {
                // Groups cannot be nested.
                self.close();
                self.open = Some(*stage);
                self.said = Duration::ZERO;
                match self.actions {
                    true => self.command(&format!("::group::{}", stage.name())),
                    false => self.line(&format!("{at} {} …", stage.name())),
                }
            }
            Event::Ended { stage, took, outcome, ok } => {
                if self.open == Some(*stage) {
                    self.close();
                }
                let end = if *ok { "done in" } else { "FAILED after" };
                let outcome = if outcome.is_empty() { String::new() } else { format!(": {outcome}") };
                self.line(&format!("{at} {} … {end} {}{outcome}", stage.name(), number::duration(*took)));
            }
            Event::Note { host: Some(host), text } => self.line(&format!("{at}   {host}: {text}")),
            Event::Note { host: None, text } => self.line(&format!("{at}   {text}")),
            Event::Warning { text } if self.actions => {
                self.command(&format!("::warning title=isugate::{}", text::workflow_data(text)));
            }
            Event::Warning { text } => self.line(&format!("{at} warning: {text}")),
            Event::BenchProgress { elapsed, limit } => {
                if elapsed.saturating_sub(self.said) >= EVERY {
                    self.said = *elapsed;
                    self.line(&format!("{at}   {}s of at most {}s", elapsed.as_secs(), limit.as_secs()));
                }
            }
            Event::Output { host, line } => self.line(&format!("{at}   {host} | {line}")),
        }
        let _ = self.out.flush();
    }

    fn lost(&mut self, at: &str, count: usize) {
        self.line(&format!("{at}   ({count} lines came too fast to be shown)"));
    }

    fn finish(&mut self) {
        self.close();
        let _ = self.out.flush();
    }
}
