//! The report for a terminal: the verdict and its reason in the first lines, then what they rest on.

use super::{
    Report, content,
    layout::{self, Column},
    number, text,
    words::{Words, fill},
};
use crate::{result::Outcome, verdict::Verdict};

/// Narrower terminals are served as if they had so many columns: below, tables are no help.
pub const NARROWEST: usize = 60;
/// Lines of the benchmarker's output that are shown when its result is no pass.
const TAIL_LINES: usize = 15;
/// Rows of long lists.
const ROWS: usize = 12;

/// The report for a terminal of `width` columns; with `colour`, verdict, headings and warnings are coloured. No line is wider
/// than `width` but that of the directory's path, which is kept whole so that it can be copied.
pub fn terminal(report: &Report, width: usize, colour: bool) -> String {
    let mut screen =
        Screen { report, words: Words::of(report.language), width: width.max(NARROWEST), colour, out: String::new() };
    screen.verdict();
    screen.outline();
    screen.codes();
    screen.list(screen.words.disturbances, &content::disturbances(report), Paint::Bad);
    screen.list(screen.words.noise, &report.noise, Paint::None);
    screen.evidence();
    screen.output();
    screen.list(screen.words.hosts, &report.hosts, Paint::None);
    screen.list(screen.words.warnings, &content::warnings(report, screen.words), Paint::Warning);
    screen.files();
    screen.out
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Paint {
    None,
    Bold,
    Good,
    Bad,
    Warning,
}

struct Screen<'a> {
    report: &'a Report,
    words: &'static Words,
    width: usize,
    colour: bool,
    out: String,
}

impl Screen<'_> {
    /// One line that is safe and fits already.
    fn line(&mut self, paint: Paint, line: &str) {
        let code = match paint {
            _ if !self.colour => None,
            Paint::None => None,
            Paint::Bold => Some("1"),
            Paint::Good => Some("1;32"),
            Paint::Bad => Some("1;31"),
            Paint::Warning => Some("33"),
        };
        match code {
            Some(code) => self.out.push_str(&format!("\x1b[{code}m{line}\x1b[0m\n")),
            None => self.out.push_str(&format!("{line}\n")),
        }
    }

    fn heading(&mut self, heading: &str) {
        self.out.push('\n');
        let heading = layout::fit(&text::terminal_line(heading), self.width);
        self.line(Paint::Bold, &heading);
    }

    /// Foreign text as an item of a list.
    fn item(&mut self, paint: Paint, raw: &str) {
        for (at, line) in layout::wrap(&text::terminal_line(raw), self.width - 4).iter().enumerate() {
            let start = if at == 0 { "  - " } else { "    " };
            self.line(paint, &format!("{start}{line}"));
        }
    }

    fn list<T: AsRef<str>>(&mut self, heading: &str, items: &[T], paint: Paint) {
        if !items.is_empty() {
            self.heading(heading);
            items.iter().for_each(|item| self.item(paint, item.as_ref()));
        }
    }

    fn more(&mut self, all: usize, shown: usize) {
        if all > shown {
            let more = fill(self.words.more, &number::count((all - shown) as u64));
            self.line(Paint::None, &format!("  {more}"));
        }
    }

    /// A table of foreign cells, indented.
    fn table(&mut self, columns: &[Column], head: &[&str], rows: &[Vec<String>]) {
        let rows: Vec<Vec<String>> =
            rows.iter().map(|row| row.iter().map(|cell| text::terminal_line(cell)).collect()).collect();
        for line in layout::table(columns, head, &rows, self.width - 2) {
            self.line(Paint::None, &format!("  {line}"));
        }
    }

    fn verdict(&mut self) {
        let (report, words) = (self.report, self.words);
        let paint = match report.verdict() {
            Some(Verdict::Accept) => Paint::Good,
            Some(Verdict::Revert | Verdict::Invalid) => Paint::Bad,
            Some(Verdict::Inconclusive) | None => Paint::Warning,
        };
        let holds = report.decisions.last();
        let mut line = format!("{}  {}", words.verdict(report.verdict()), content::score(&report.run, words));
        if let Some(change) = content::score_change(report) {
            line.push_str(&format!(" ({})", number::percent(change)));
        }
        if let Some(person) = holds.filter(|decision| decision.by_person) {
            line.push_str(&format!("  {}", fill(words.decided_by, &person.by)));
        }
        let line = layout::fit(&text::terminal_line(&line), self.width);
        self.line(paint, &line);
        holds.into_iter().flat_map(|d| &d.reasons).for_each(|reason| self.item(Paint::None, reason));
        if let Some(gate) = content::overruled(report) {
            self.line(Paint::None, &fill(words.in_place_of, words.verdict(Some(gate.verdict))));
            gate.reasons.iter().for_each(|reason| self.item(Paint::None, reason));
        }
    }

    fn outline(&mut self) {
        let (report, words) = (self.report, self.words);
        self.out.push('\n');
        let rows = content::outline(report, words);
        if report.baseline.is_some() {
            let rows: Vec<_> = rows.into_iter().map(|r| vec![r.label, r.now, r.before, r.change]).collect();
            let columns = [Column::Left, Column::Flexible, Column::Flexible, Column::Right];
            self.table(&columns, &["", words.this_run, words.baseline, words.change], &rows);
        } else {
            let rows: Vec<_> = rows.into_iter().map(|r| vec![r.label, r.now]).collect();
            self.table(&[Column::Left, Column::Flexible], &["", words.this_run], &rows);
            self.line(Paint::None, &format!("  {}", words.no_baseline));
        }
    }

    fn codes(&mut self) {
        let (report, words) = (self.report, self.words);
        if report.codes.is_empty() {
            return;
        }
        self.heading(words.codes);
        let row = |row: &super::CodeRow| {
            let mark = if row.vetoes { "✗" } else { "" };
            let name = row.name.clone().unwrap_or_default();
            let (before, now) = (content::code_before(report, row.baseline), number::count(row.candidate));
            vec![mark.into(), layout::fit(&text::terminal_line(&row.code), 16), before, now, name]
        };
        let rows: Vec<_> = report.codes.iter().map(row).collect();
        let columns = [Column::Left, Column::Left, Column::Right, Column::Right, Column::Flexible];
        self.table(&columns, &["", words.code, words.baseline, words.this_run, words.name], &rows);
        for row in report.codes.iter().filter(|row| row.vetoes) {
            self.item(Paint::None, &format!("{}: {}", row.code, row.rule));
        }
    }

    fn evidence(&mut self) {
        let words = self.words;
        for host in content::evidence(self.report, words) {
            self.heading(&fill(words.evidence_of, &host.host));
            for problem in &host.problems {
                self.item(Paint::Warning, problem);
            }
            let rows: Vec<_> = host.figures.into_iter().map(|r| vec![r.label, r.now, r.before, r.change]).collect();
            if !rows.is_empty() {
                let columns = [Column::Flexible, Column::Right, Column::Right, Column::Right];
                self.table(&columns, &[words.figure, words.this_run, words.baseline, words.change], &rows);
            }
            for (name, list) in [(words.statement, host.sql), (words.route, host.http)] {
                if list.is_empty() {
                    continue;
                }
                self.out.push('\n');
                let rows: Vec<_> =
                    list.into_iter().map(|b| vec![b.total, b.before, b.change, b.calls, b.p95, b.name]).collect();
                let right = Column::Right;
                let columns = [right, right, right, right, right, Column::Flexible];
                self.table(&columns, &[words.total, words.baseline, words.change, words.calls, "p95", name], &rows);
            }
        }
    }

    fn output(&mut self) {
        let (report, words) = (self.report, self.words);
        let messages = content::messages(report);
        if !messages.is_empty() {
            self.heading(words.messages);
            for (message, times) in messages.iter().take(ROWS) {
                let times = if *times > 1 { format!(" (×{})", number::count(*times as u64)) } else { String::new() };
                self.item(Paint::None, &format!("{message}{times}"));
            }
            self.more(messages.len(), ROWS);
        }
        if report.run.result.outcome != Outcome::Pass && !report.output_tail.trim().is_empty() {
            self.heading(words.output);
            let tail = text::terminal(&report.output_tail);
            let lines: Vec<_> = tail.trim_end().lines().collect();
            for line in &lines[lines.len().saturating_sub(TAIL_LINES)..] {
                let line = layout::fit(line, self.width - 2);
                self.line(Paint::None, &format!("  {line}"));
            }
        }
    }

    fn files(&mut self) {
        let (report, words) = (self.report, self.words);
        self.heading(words.files);
        let directory = text::terminal_line(&report.directory);
        self.line(Paint::None, &format!("  {directory}"));
        let evidence = &report.run.evidence;
        let rows: Vec<_> =
            evidence.iter().take(ROWS).map(|file| vec![number::bytes(file.size), file.path.clone()]).collect();
        if !rows.is_empty() {
            self.table(&[Column::Right, Column::Flexible], &[words.size, words.file], &rows);
        }
        self.more(evidence.len(), ROWS);
    }
}
