//! Makes text of other people safe for the medium that it is shown in: a terminal, Markdown on a code host, the log of a
//! workflow. Branch names, commit subjects, benchmark messages and everything that a host said pass here before they are shown.

use std::{borrow::Cow, fmt::Write};

/// Text for a terminal. Newlines stay; a tab becomes spaces; complete escape sequences (colours, titles) are dropped; every
/// other control character, direction override or invisible character is written out as `\u{…}`.
pub fn terminal(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        match c {
            '\n' => out.push('\n'),
            '\t' => out.push_str("    "),
            '\r' if rest.starts_with('\n') => {}
            '\r' => out.push_str("\\r"),
            '\x1b' => match escape_sequence(rest) {
                Some(length) => rest = &rest[length..],
                None => visible(c, &mut out),
            },
            c if is_deceiving(c) => visible(c, &mut out),
            c => out.push(c),
        }
    }
    out
}

/// As [`terminal`], on one line: a newline becomes a space.
pub fn terminal_line(text: &str) -> String {
    terminal(text).trim_end_matches('\n').replace('\n', " ")
}

/// Text for a place in Markdown that holds words: a sentence, a list item, a table's cell. It stays on one line, is no
/// markup, no HTML, no link, no mention, no reference to an issue, and cannot end a table's cell.
pub fn markdown(text: &str) -> String {
    let line = terminal_line(text);
    let line = line.trim();
    let mut out = String::with_capacity(line.len() + 16);
    for (at, c) in line.char_indices() {
        let rest = &line[at + c.len_utf8()..];
        match c {
            '<' | '>' | '&' | '"' | '|' | '\\' | '$' => entity(c, &mut out),
            '`' | '*' | '_' | '[' | ']' | '~' => {
                out.push('\\');
                out.push(c);
            }
            // A backslash would not do: mentions and references are looked for in the finished text.
            '@' => out.push_str("@&#8203;"),
            '#' => out.push_str("\\#&#8203;"),
            ':' if rest.starts_with("//") => out.push_str(":&#8203;"),
            '.' if ends_with_ignoring_case(&line[..at], "www") => out.push_str("&#8203;."),
            '-' if ends_with_ignoring_case(&line[..at], "gh") => out.push_str("&#8203;-"),
            '-' | '+' | '=' if at == 0 => {
                out.push('\\');
                out.push(c);
            }
            '.' | ')'
                if at > 0
                    && (rest.is_empty() || rest.starts_with(' '))
                    && line[..at].bytes().all(|b| b.is_ascii_digit()) =>
            {
                out.push('\\');
                out.push(c);
            }
            c => out.push(c),
        }
    }
    out
}

/// Text for Markdown that is code: a span that survives whatever the text holds, in a table's cell too. Empty text stays empty.
pub fn markdown_code(text: &str) -> String {
    let line = terminal_line(text);
    let line = line.trim();
    if line.is_empty() {
        String::new()
    } else if line.contains(['`', '|', '<', '>', '&', '\\', '$']) {
        let mut out = String::from("<code>");
        for c in line.chars() {
            // Inside an HTML element the text is still Markdown, so that everything which is markup becomes an entity. Mail
            // addresses are looked for in the finished text, in such an element too.
            if c == '@' {
                out.push_str("@&#8203;");
            } else if c.is_ascii_punctuation()
                && !matches!(c, '/' | ',' | '-' | '=' | '?' | ';' | '\'' | '(' | ')' | '+' | '%')
            {
                entity(c, &mut out);
            } else {
                out.push(c);
            }
        }
        out.push_str("</code>");
        out
    } else {
        format!("`{line}`")
    }
}

/// Text of several lines for Markdown, the inside of `<pre>`. Such a block ends only at its own closing tag, and neither
/// Markdown nor mentions are looked for in it.
pub fn markdown_block(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    for c in terminal(text).trim_end().chars() {
        match c {
            '<' | '>' | '&' | '"' => entity(c, &mut out),
            c => out.push(c),
        }
    }
    out
}

/// One line for a place inside an HTML tag of Markdown, such as `<summary>`, where Markdown is not looked for but mentions are.
pub fn html_line(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    for c in terminal_line(text).trim().chars() {
        match c {
            '<' | '>' | '&' | '"' | '|' => entity(c, &mut out),
            '@' | '#' => {
                out.push(c);
                out.push_str("&#8203;");
            }
            c => out.push(c),
        }
    }
    out
}

/// One line for the log of a GitHub workflow: terminal-safe, and no workflow command (`::` at its start, `##[` anywhere).
/// Source: `ActionCommand.cs` of actions/runner, which trims white space before it looks for `::`.
pub fn workflow_line(text: &str) -> String {
    let line = terminal_line(text).replace("##[", "##\\[");
    let start = line.len() - line.trim_start().len();
    match line[start..].starts_with("::") {
        true => format!("{}\\{}", &line[..start], &line[start..]),
        false => line,
    }
}

/// The text of a workflow command of our own (`::warning::TEXT`), escaped as the runner unescapes it.
pub fn workflow_data(text: &str) -> String {
    terminal(text).trim_end().replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Serialised JSON whose control and direction characters are written as `\uXXXX`, so that it can be shown on a terminal.
/// Such characters stand only inside strings, where the escape means the same.
pub fn json(serialised: &str) -> Cow<'_, str> {
    if !serialised.chars().any(|c| c != '\n' && is_deceiving(c)) {
        return Cow::Borrowed(serialised);
    }
    let mut out = String::with_capacity(serialised.len() + 16);
    for c in serialised.chars() {
        if c != '\n' && is_deceiving(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _ = write!(out, "\\u{unit:04x}");
            }
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

/// Whether a character acts on the display instead of standing on it, or is not seen at all.
fn is_deceiving(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}'
            | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

fn visible(c: char, out: &mut String) {
    let _ = write!(out, "\\u{{{:x}}}", c as u32);
}

fn entity(c: char, out: &mut String) {
    match c {
        '<' => out.push_str("&lt;"),
        '>' => out.push_str("&gt;"),
        '&' => out.push_str("&amp;"),
        '"' => out.push_str("&quot;"),
        c => {
            let _ = write!(out, "&#{};", c as u32);
        }
    }
}

fn ends_with_ignoring_case(text: &str, end: &str) -> bool {
    let (text, end) = (text.as_bytes(), end.as_bytes());
    text.len() >= end.len() && text[text.len() - end.len()..].eq_ignore_ascii_case(end)
}

/// Bytes of a complete control sequence (`[…final`) or operating-system command (`]…` to BEL or ST) after its escape character.
/// Source: ECMA-48, 5.4 and 8.3.89.
fn escape_sequence(after: &str) -> Option<usize> {
    let bytes = after.as_bytes();
    match bytes.first()? {
        b'[' => {
            let end = bytes.iter().skip(1).position(|b| !(0x20..=0x3f).contains(b))? + 1;
            (0x40..=0x7e).contains(&bytes[end]).then_some(end + 1)
        }
        b']' => {
            let end = bytes.iter().position(|b| matches!(b, 0x07 | 0x1b | b'\n'))?;
            match bytes[end] {
                0x07 => Some(end + 1),
                0x1b if bytes.get(end + 1) == Some(&b'\\') => Some(end + 2),
                _ => None,
            }
        }
        _ => None,
    }
}
