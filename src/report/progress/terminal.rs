//! Progress for a person at a terminal: what runs is drawn in place, what is done stays as a line.

use std::{collections::BTreeMap, time::Duration};

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::View;
use crate::report::{Event, Stage, number, text};

/// A stage that runs: spinner, name, time, what it says.
const STAGE: &str = "{spinner} {prefix:10} {elapsed:>4}  {wide_msg}";
/// The benchmarker: its time against the limit, and below it its last line.
const BENCH: &str = "{spinner} {prefix:10} [{bar:32}] {pos}s of at most {len}s\n  {wide_msg}";

pub(super) struct Terminal {
    bars: MultiProgress,
    running: BTreeMap<Stage, ProgressBar>,
}

impl Terminal {
    pub(super) fn new(target: ProgressDrawTarget) -> Self {
        let bars = MultiProgress::with_draw_target(target);
        Terminal { bars, running: BTreeMap::new() }
    }

    fn line(&self, line: &str) {
        let _ = self.bars.println(text::terminal_line(line).trim_end());
    }

    fn began(&mut self, stage: Stage) {
        let bar = self.bars.add(ProgressBar::new(0));
        bar.set_style(style(STAGE));
        bar.set_prefix(stage.name());
        bar.tick();
        if let Some(earlier) = self.running.insert(stage, bar) {
            self.remove(&earlier);
        }
    }

    fn remove(&self, bar: &ProgressBar) {
        bar.finish_and_clear();
        self.bars.remove(bar);
    }

    fn ended(&mut self, stage: Stage, took: Duration, outcome: &str, ok: bool) {
        if let Some(bar) = self.running.remove(&stage) {
            self.remove(&bar);
        }
        let sign = if ok { "✓" } else { "✗" };
        self.line(&format!("{sign} {:10} {:>6}  {outcome}", stage.name(), number::duration(took)));
    }

    /// The stage that began last says something.
    fn say(&self, message: &str) {
        if let Some(bar) = self.running.values().next_back() {
            bar.set_message(text::terminal_line(message));
        }
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar()).progress_chars("=> ")
}

impl View for Terminal {
    fn show(&mut self, _at: &str, event: &Event) {
        match event {
            Event::RunBegan { id, commit, subject } => {
                let commit: String = commit.chars().take(12).collect();
                self.line(&format!("run {id}: {commit} {subject}"));
            }
            Event::Began { stage } => self.began(*stage),
            Event::Ended { stage, took, outcome, ok } => self.ended(*stage, *took, outcome, *ok),
            Event::Note { host: Some(host), text } => self.line(&format!("  {host}: {text}")),
            Event::Note { host: None, text } => self.line(&format!("  {text}")),
            Event::Warning { text } => self.line(&format!("! {text}")),
            Event::BenchProgress { elapsed, limit } => {
                if let Some(bar) = self.running.get(&Stage::Bench) {
                    if bar.length() != Some(limit.as_secs()) {
                        bar.set_length(limit.as_secs());
                        bar.set_style(style(BENCH));
                    }
                    bar.set_position(elapsed.as_secs().min(limit.as_secs()));
                }
            }
            Event::Output { host, line } => self.say(&format!("{host} | {line}")),
        }
    }

    fn lost(&mut self, _at: &str, _count: usize) {
        // Only the last line is shown anyway.
    }

    fn tick(&mut self) {
        self.running.values().for_each(ProgressBar::tick);
    }

    fn finish(&mut self) {
        for bar in std::mem::take(&mut self.running).values() {
            self.remove(bar);
        }
        let _ = self.bars.clear();
    }
}
