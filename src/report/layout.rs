//! Lines and tables that fit a terminal's width, wide (East Asian) characters counted as two columns.

use tabled::{
    builder::Builder,
    settings::{Alignment, Padding, Style, object::Columns},
};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Marks that close a word or a sentence in Japanese.
const CLOSING: &str = "。、」』）)】";

/// Breaks a line into lines of at most `width` columns, at spaces where there are some, else between characters.
pub fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        let Some(line) = lines.last_mut() else { break };
        let gap = usize::from(!line.is_empty());
        if line.width() + gap + word.width() <= width {
            line.push_str(&" "[..gap]);
            line.push_str(word);
            continue;
        }
        // Japanese has no spaces: such a run of characters goes on in the line that is there.
        let breakable = word.chars().any(|c| c.width() == Some(2));
        if word.width() <= width && !breakable {
            lines.push(word.into());
            continue;
        }
        if breakable && gap == 1 && line.width() + 3 <= width {
            line.push(' ');
        } else if gap == 1 {
            lines.push(String::new());
        }
        for c in word.chars() {
            let Some(line) = lines.last_mut() else { break };
            line.push(c);
            if line.width() > width && line.chars().nth(1).is_some() {
                line.pop();
                let mut next = String::new();
                // Japanese lines do not begin with a closing mark: the character before it comes along.
                if CLOSING.contains(c) && line.chars().nth(1).is_some() {
                    next.extend(line.pop());
                }
                next.push(c);
                lines.push(next);
            }
        }
    }
    lines
}

/// Cuts the end off what is wider than `width` columns, and shows that by `…`.
pub fn fit(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.into();
    }
    let mut out = String::new();
    for c in text.chars() {
        out.push(c);
        if out.width() >= width {
            while out.width() >= width && out.pop().is_some() {}
            break;
        }
    }
    out.push('…');
    out
}

/// How a column of a table stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Column {
    /// Words, to the left.
    Left,
    /// Figures, to the right.
    Right,
    /// Words, to the left, cut where the table would be too wide.
    Flexible,
}

/// A table without lines, at most `width` columns wide, its cells already safe and without newlines.
pub fn table(columns: &[Column], head: &[&str], rows: &[Vec<String>], width: usize) -> Vec<String> {
    const GAP: usize = 2;
    let wide = |at: usize| {
        let cells = rows.iter().filter_map(|row| row.get(at)).map(|cell| cell.width());
        cells.chain(head.get(at).map(|cell| cell.width())).max().unwrap_or(0)
    };
    let fixed: usize = (0..columns.len()).filter(|at| columns[*at] != Column::Flexible).map(wide).sum();
    let flexible = columns.iter().filter(|column| **column == Column::Flexible).count().max(1);
    let left = width.saturating_sub(fixed + GAP * columns.len().saturating_sub(1)) / flexible;
    let cell = |at: usize, cell: &str| match columns[at] {
        Column::Flexible => fit(cell, left.max(8)),
        _ => cell.to_owned(),
    };
    let mut builder = Builder::default();
    builder.push_record(head.iter().enumerate().map(|(at, text)| cell(at, text)));
    for row in rows {
        builder.push_record(row.iter().take(columns.len()).enumerate().map(|(at, text)| cell(at, text)));
    }
    let mut table = builder.build();
    table.with(Style::empty()).with(Padding::new(0, GAP, 0, 0)).with(Alignment::left());
    for (at, column) in columns.iter().enumerate().filter(|(_, column)| **column == Column::Right) {
        let _ = column;
        table.modify(Columns::one(at), Alignment::right());
    }
    table.to_string().lines().map(|line| fit(line.trim_end(), width)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_at_spaces_and_japanese_between_characters_and_none_is_too_wide() {
        assert_eq!(wrap("one two three", 8), ["one two", "three"]);
        let lines = wrap("スコアは基準より 12.4 % 高く、誤差の範囲を超えています。", 20);
        assert!(lines.iter().all(|line| line.width() <= 20), "{lines:?}");
        assert_eq!(lines.concat().replace(' ', ""), "スコアは基準より12.4%高く、誤差の範囲を超えています。");
        assert_eq!(wrap("aaaaaaaaaa", 4), ["aaaa", "aaaa", "aa"]);
    }

    #[test]
    fn a_cut_text_says_so_and_never_splits_a_wide_character() {
        assert_eq!(fit("abcdef", 4), "abc…");
        assert_eq!(fit("日本語です", 6), "日本…");
        assert_eq!(fit("abc", 3), "abc");
    }

    #[test]
    fn only_the_flexible_column_of_a_table_is_cut() {
        let rows = [vec!["1,234".into(), "SELECT something long from somewhere".into()]];
        let lines = table(&[Column::Right, Column::Flexible], &["n", "statement"], &rows, 24);
        assert_eq!(lines, ["    n  statement", "1,234  SELECT something…"]);
    }
}
