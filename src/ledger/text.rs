//! Foreign text cut to the room that a table has, and for an XML document. What makes it safe is [`crate::text`].

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// One line that is safe to show; white space of any length becomes one space.
pub fn one_line(foreign: &str) -> String {
    crate::text::terminal_line(foreign).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// One line for a terminal, at most `columns` wide; what is longer ends in `…`.
pub fn terminal(foreign: &str, columns: usize) -> String {
    cut(&one_line(foreign), columns)
}

/// The beginning of a text that is at most `columns` wide; what is longer ends in `…`.
pub fn cut(line: &str, columns: usize) -> String {
    if line.width() <= columns {
        return line.to_owned();
    }
    let (mut kept, mut width) = (String::new(), 0);
    for c in line.chars() {
        let wide = c.width().unwrap_or(0);
        if width + wide + 1 > columns {
            break;
        }
        width += wide;
        kept.push(c);
    }
    if columns > 0 {
        kept.push('…');
    }
    kept
}

/// One line for a cell of a Markdown table, at most `columns` wide before it is escaped.
pub fn markdown_cell(foreign: &str, columns: usize) -> String {
    crate::text::markdown(&terminal(foreign, columns))
}

/// Text for an XML document, inside an element or a quoted attribute.
pub fn xml(foreign: &str) -> String {
    one_line(foreign)
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
        .replace('\'', "&#39;")
}

/// A whole number with commas between thousands.
pub fn grouped(number: i64) -> String {
    let digits = number.unsigned_abs().to_string();
    let mut out = String::from(if number < 0 { "-" } else { "" });
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_sequences_and_direction_marks_do_not_reach_a_terminal() {
        let safe = terminal("a\u{1b}[31mred\u{202e}x\r\ny\u{7}\u{9b}z", 80);
        assert_eq!(safe, "ared\\u{202e}x y\\u{7}\\u{9b}z");
    }

    #[test]
    fn what_is_too_wide_is_cut_by_columns() {
        assert_eq!(terminal("日本語", 6), "日本語");
        assert_eq!(terminal("日本語です", 6), "日本…");
        assert_eq!(terminal("abc", 2), "a…");
        assert_eq!(terminal("abc", 0), "");
    }

    #[test]
    fn a_cell_stays_a_cell() {
        let cell = markdown_cell("a|b <img src=x> `c` [l](http://e.example) @team #1 www.e.example\n| x", 200);
        assert!(!cell.contains(['|', '<', '\n']) && !cell.contains("@team"), "{cell}");
    }

    #[test]
    fn numbers_are_grouped_by_thousands() {
        let shown: Vec<String> = [0, 999, 1_000, 567_276, 1_234_567, -1_000].map(grouped).to_vec();
        assert_eq!(shown, ["0", "999", "1,000", "567,276", "1,234,567", "-1,000"]);
    }
}
