//! Foreign text made safe for the medium it goes to: a terminal, a cell of a Markdown table, an XML document.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Whether a character moves the cursor, hides, or turns the direction of what stands around it.
fn is_unsafe(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// One line without control and direction characters: white space becomes one space, the rest `\u{fffd}`.
pub fn one_line(foreign: &str) -> String {
    let mut line = String::with_capacity(foreign.len());
    for c in foreign.trim().chars() {
        match c {
            _ if c.is_whitespace() && !line.ends_with(' ') => line.push(' '),
            _ if c.is_whitespace() => {}
            _ if is_unsafe(c) => line.push('\u{fffd}'),
            _ => line.push(c),
        }
    }
    line
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

/// One line for a cell of a Markdown table: nothing in it is a link, a mention, markup or HTML.
pub fn markdown_cell(foreign: &str, columns: usize) -> String {
    let line = terminal(foreign, columns);
    let mut escaped = String::with_capacity(line.len());
    for c in line.chars() {
        match c {
            // Numeric references are text in every place, unlike backslashes, which are not read inside tables' pipes by all readers.
            '&' | '<' | '>' | '|' | '`' | '*' | '_' | '[' | ']' | '(' | ')' | '#' | '@' | '~' | '!' | '\\' | ':'
            | '$' | '"' | '\'' => {
                escaped.push_str(&format!("&#{};", c as u32));
            }
            '.' if escaped.to_ascii_lowercase().ends_with("www") => escaped.push_str("&#46;"),
            _ => escaped.push(c),
        }
    }
    escaped
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
        assert_eq!(safe, "a\u{fffd}[31mred\u{fffd}x y\u{fffd}\u{fffd}z");
    }

    #[test]
    fn what_is_too_wide_is_cut_by_columns() {
        assert_eq!(terminal("日本語", 6), "日本語");
        assert_eq!(terminal("日本語です", 6), "日本…");
        assert_eq!(terminal("abc", 2), "a…");
        assert_eq!(terminal("abc", 0), "");
    }

    #[test]
    fn a_cell_stays_a_cell_and_text_stays_text() {
        let cell = markdown_cell("a|b <img src=x> `c` [l](http://e.example) @team #1 www.e.example\n| x", 200);
        for raw in ["|", "<", "`", "[", "(", "@team", "http:", "www.", "\n", "#1 "] {
            assert!(!cell.replace("&#", "").contains(raw), "{raw:?} in {cell}");
        }
        assert!(cell.starts_with("a&#124;b &#60;img src=x&#62;"), "{cell}");
    }

    #[test]
    fn numbers_are_grouped_by_thousands() {
        let shown: Vec<String> = [0, 999, 1_000, 567_276, 1_234_567, -1_000].map(grouped).to_vec();
        assert_eq!(shown, ["0", "999", "1,000", "567,276", "1,234,567", "-1,000"]);
    }
}
