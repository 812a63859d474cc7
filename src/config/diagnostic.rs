//! One mistake in a configuration file, and how it is shown: place, source line, caret, help.

use std::fmt::Write as _;

use unicode_width::UnicodeWidthChar as _;

/// How many columns of a source line are shown.
const SHOWN_WIDTH: usize = 100;
/// How much of a text from the file is repeated in a message, in characters.
const QUOTED: usize = 60;

/// Where something stands in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// How many characters of the line are meant.
    pub width: usize,
}

impl Place {
    /// The beginning of the file.
    pub const START: Place = Place { line: 1, column: 1, width: 1 };
}

/// One mistake. All texts are safe to print: control characters from the file are escaped.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
pub struct Diagnostic {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// How many characters from there are meant, at least 1.
    pub width: usize,
    /// Which value is meant, such as `hosts.app1.roles[0]`; empty for the file as a whole.
    pub path: String,
    /// What is wrong.
    pub message: String,
    /// What would be right.
    pub help: Option<String>,
}

impl Diagnostic {
    /// Shows the mistake as a compiler would, with the line of `source` in which it is.
    pub(super) fn render(&self, file: &str, source: &[&str]) -> String {
        let mut out = format!("{file}:{}:{}: {}\n", self.line, self.column, self.message);
        if let Some(line) = self.line.checked_sub(1).and_then(|index| source.get(index)) {
            let (shown, before, under) = excerpt(line, self.column.saturating_sub(1), self.width);
            // Writing to a String cannot fail.
            let _ = writeln!(out, "{:>5} | {}", self.line, shown.trim_end());
            let _ = writeln!(out, "      | {}{}", " ".repeat(before), "^".repeat(under.max(1)));
        }
        if let Some(help) = &self.help {
            let _ = writeln!(out, "   help: {help}");
        }
        out
    }
}

/// The part of a line around `column` (from 0) that is shown, how many terminal columns stand before the place, and
/// how many the place takes.
fn excerpt(line: &str, column: usize, width: usize) -> (String, usize, usize) {
    let cells: Vec<(String, usize)> = line
        .chars()
        .take(column + SHOWN_WIDTH)
        .map(|c| {
            let mut text = String::new();
            push_safe(&mut text, c);
            let columns = if text.chars().count() == 1 { c.width().unwrap_or(1) } else { text.len() };
            (text, columns)
        })
        .collect();
    let columns = |range: &[(String, usize)]| range.iter().map(|(_, columns)| columns).sum::<usize>();
    let column = column.min(cells.len());
    // Begin late enough that the place and something after it fit.
    let reach = (column + width.min(40)).min(cells.len());
    let mut first = column;
    let mut needed = columns(&cells[column..reach]);
    while first > 0 && needed + cells[first - 1].1 <= SHOWN_WIDTH - 20 {
        first -= 1;
        needed += cells[first].1;
    }
    let mut shown = String::from(if first > 0 { "…" } else { "" });
    let mut used = shown.chars().count();
    let before = used + columns(&cells[first..column]);
    let mut last = first;
    while last < cells.len() && used + cells[last].1 < SHOWN_WIDTH {
        shown.push_str(&cells[last].0);
        used += cells[last].1;
        last += 1;
    }
    if last < line.chars().count() {
        shown.push('…');
    }
    let under = columns(&cells[column..(column + width).clamp(column, last.max(column))]);
    (shown, before, under)
}

/// A text from the file, safe to print within a message, shortened when long.
pub(super) fn quoted(text: &str) -> String {
    let mut out = String::from("`");
    for c in text.chars().take(QUOTED) {
        push_safe(&mut out, c);
    }
    if text.chars().nth(QUOTED).is_some() {
        out.push('…');
    }
    out.push('`');
    out
}

/// A text that is safe to print: control characters, and those that reorder or hide text, are escaped.
pub(super) fn safe(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    text.chars().for_each(|c| push_safe(&mut out, c));
    out
}

fn push_safe(out: &mut String, c: char) {
    let hides = matches!(c, '\u{ad}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}');
    match c {
        _ if c.is_control() || hides => out.extend(c.escape_default()),
        _ => out.push(c),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(line: &str, column: usize, width: usize) -> String {
        let d = Diagnostic { line: 1, column, width, path: String::new(), message: "m".into(), help: None };
        d.render("f", &[line])
    }

    #[test]
    fn the_caret_stands_under_wide_characters_and_escapes() {
        assert_eq!(shown("名前: x", 5, 1), "f:1:5: m\n    1 | 名前: x\n      |       ^\n");
        assert_eq!(shown("\u{1b}[31m: x", 7, 1), "f:1:7: m\n    1 | \\u{1b}[31m: x\n      |            ^\n");
    }

    #[test]
    fn a_long_line_is_cut_around_the_place() {
        let line = format!("{}HERE{}", "a".repeat(500), "b".repeat(500));
        let out = shown(&line, 501, 4);
        let lines: Vec<&str> = out.lines().collect();
        let at = lines[2].find('^').unwrap();
        let characters: Vec<char> = lines[1].chars().collect();
        assert_eq!(characters[at..at + 4].iter().collect::<String>(), "HERE");
        assert!(characters.len() < 120);
    }

    #[test]
    fn a_place_outside_of_the_line_is_no_trouble() {
        for column in [0, 1, 3, 4, 1000] {
            assert!(shown("abc", column, 10).contains('^'));
        }
    }
}
