//! Foreign text made harmless: for a terminal, for Markdown, and cut to size.
//!
//! Whatever a benchmarker, an application, a host or a branch name says may hold escape sequences, mentions, HTML or
//! half a character. Nothing of it may act where it is shown.

use std::fmt::Write as _;

/// How much of a benchmarker's output a report keeps, in bytes: what the official supervisor keeps.
pub const KEPT_OUTPUT: usize = 48_000;

/// Reads bytes as UTF-8; what is none becomes U+FFFD.
pub fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// One line for a terminal: no control characters, no escape sequences, no text that changes direction.
/// Line breaks and tabs become spaces.
pub fn terminal(text: &str) -> String {
    visible(text, false)
}

/// Several lines for a terminal: as [`terminal`], but line breaks and tabs stay.
pub fn terminal_block(text: &str) -> String {
    visible(text, true)
}

fn visible(text: &str, lines: bool) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if let Some(after) = after_escape_sequence(rest) {
            rest = after;
            continue;
        }
        rest = &rest[c.len_utf8()..];
        match c {
            '\n' | '\t' if lines => out.push(c),
            '\r' if lines && rest.starts_with('\n') => {}
            '\n' | '\r' | '\t' => out.push(' '),
            c if is_hidden(c) => {}
            c => out.push(c),
        }
    }
    out
}

/// What follows the escape sequence that `text` begins with, if it begins with one (ECMA-48: CSI, OSC and the like,
/// two-character ones; also by the 8-bit introducers).
fn after_escape_sequence(text: &str) -> Option<&str> {
    let (kind, body) = if let Some(body) = text.strip_prefix('\u{1b}') {
        let kind = body.chars().next();
        (kind, body.get(kind.map_or(0, char::len_utf8)..).unwrap_or(""))
    } else if let Some(body) = text.strip_prefix('\u{9b}') {
        (Some('['), body)
    } else if let Some(body) = text.strip_prefix(['\u{9d}', '\u{90}', '\u{98}', '\u{9e}', '\u{9f}']) {
        (Some(']'), body)
    } else {
        return None;
    };
    match kind {
        Some('[') => {
            let end = body.find(|c: char| !(' '..='?').contains(&c)).unwrap_or(body.len());
            let last = body[end..].chars().next().filter(|c| ('@'..='~').contains(c));
            Some(&body[end + last.map_or(0, char::len_utf8)..])
        }
        Some(']' | 'P' | 'X' | '^' | '_') => {
            // Ended by BEL or ST; if the end is missing, only the introducer goes, so that no text is swallowed.
            let end = body.find(['\u{7}', '\u{9c}', '\u{1b}', '\n']);
            Some(match end.map(|at| (at, &body[at..])) {
                Some((_, tail)) if tail.starts_with("\u{1b}\\") => &tail[2..],
                Some((_, tail)) if tail.starts_with(['\u{7}', '\u{9c}']) => {
                    &tail[tail.chars().next().map_or(0, char::len_utf8)..]
                }
                _ => body,
            })
        }
        Some(c) if (' '..='~').contains(&c) => Some(body),
        _ => text.strip_prefix('\u{1b}'),
    }
}

/// Characters that show nothing and may act: controls, direction marks, zero-width ones, tags, line separators.
fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{2069}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// One line for Markdown (GitHub's): shows the text and does nothing else. No mention, link, HTML, table cell, emphasis,
/// code span, issue reference or comment marker survives.
pub fn markdown(text: &str) -> String {
    let plain = terminal(text);
    let mut out = String::with_capacity(plain.len() + 16);
    for (at, c) in plain.char_indices() {
        match c {
            // Entities, since a backslash does not stop GitHub from linking `@name`, `#12`, or a bare address.
            '&' | '<' | '>' | '@' | '|' | '`' | '[' | ']' | '#' | '*' | '_' | '~' | '\\' | '!' | '$' => {
                entity(&mut out, c)
            }
            // `http://…`, `www.…` and `GH-12` become links by themselves.
            ':' if plain[at..].starts_with("://") => entity(&mut out, c),
            '.' if plain[..at].to_ascii_lowercase().ends_with("www") => entity(&mut out, c),
            '-' if plain[..at].to_ascii_lowercase().ends_with("gh") => entity(&mut out, c),
            // List and heading marks act at the beginning only.
            '-' | '+' | '=' if plain[..at].trim().is_empty() => entity(&mut out, c),
            '.' | ')' if !plain[..at].trim().is_empty() && plain[..at].trim().bytes().all(|b| b.is_ascii_digit()) => {
                entity(&mut out, c);
            }
            c => out.push(c),
        }
    }
    out
}

fn entity(out: &mut String, c: char) {
    // Writing to a String cannot fail.
    let _ = write!(out, "&#{};", u32::from(c));
}

/// The first `limit` bytes at most, cut between characters.
pub fn head(text: &str, limit: usize) -> &str {
    if text.len() <= limit {
        return text;
    }
    let end = (0..=limit).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    &text[..end]
}

/// Whether `text` holds `ascii`, upper and lower case alike.
pub(super) fn contains_ignoring_case(text: &str, ascii: &str) -> bool {
    text.as_bytes().windows(ascii.len()).any(|part| part.eq_ignore_ascii_case(ascii.as_bytes()))
}

/// Keeps the last bytes of a stream, cut between characters. Memory is bounded by twice the limit.
#[derive(Debug, Clone)]
pub struct Tail {
    limit: usize,
    bytes: Vec<u8>,
    seen: u64,
}

impl Default for Tail {
    fn default() -> Self {
        Self::new(KEPT_OUTPUT)
    }
}

impl Tail {
    /// Keeps the last `limit` bytes.
    pub fn new(limit: usize) -> Self {
        Self { limit, bytes: Vec::new(), seen: 0 }
    }

    /// Adds the next bytes of the stream.
    pub fn push(&mut self, bytes: &[u8]) {
        self.seen = self.seen.saturating_add(bytes.len() as u64);
        let useful = &bytes[bytes.len().saturating_sub(self.limit)..];
        if self.bytes.len() + useful.len() > 2 * self.limit {
            let drop = (self.bytes.len() + useful.len()).saturating_sub(self.limit).min(self.bytes.len());
            self.bytes.drain(..drop);
        }
        self.bytes.extend_from_slice(useful);
    }

    /// How many bytes the stream had in all.
    pub fn seen(&self) -> u64 {
        self.seen
    }

    /// The kept end as text: begins at a whole character, invalid bytes become U+FFFD.
    pub fn text(&self) -> String {
        let mut start = self.bytes.len().saturating_sub(self.limit);
        if start > 0 || self.seen > self.bytes.len() as u64 {
            // A cut inside a character leaves at most three continuation bytes.
            let cut = self.bytes[start..].iter().take(3).take_while(|b| (**b & 0xc0) == 0x80).count();
            start += cut;
        }
        lossy(&self.bytes[start..])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_sequences_and_controls_leave_no_trace_in_a_terminal() {
        assert_eq!(terminal("a\u{1b}[31mred\u{1b}[0m b"), "ared b");
        assert_eq!(terminal("x\u{1b}]0;title\u{7}y"), "xy");
        assert_eq!(terminal("x\u{1b}]8;;http://e\u{1b}\\link\u{1b}]8;;\u{1b}\\y"), "xlinky");
        assert_eq!(terminal("\u{9b}2Jz\u{8}\u{7f}\u{0}"), "z");
        assert_eq!(terminal("a\r\nb\tc"), "a  b c");
        assert_eq!(terminal("safe\u{202e}evil"), "safeevil");
        assert_eq!(terminal("\u{1b}"), "");
    }

    #[test]
    fn text_after_an_unfinished_escape_sequence_is_not_swallowed() {
        assert_eq!(terminal("\u{1b}]0;no end here"), "0;no end here");
    }

    #[test]
    fn a_block_keeps_its_lines() {
        assert_eq!(terminal_block("a\r\nb\tc\rd\n"), "a\nb\tc d\n");
    }

    #[test]
    fn nothing_in_markdown_acts() {
        let out = markdown("@team <!-- isugate --> |`x`| [a](http://b) #12 **b** www.c.d GH-1 </details>");
        for active in ['@', '<', '>', '|', '`', '[', ']', '*'] {
            assert!(!out.contains(active), "{active} in {out}");
        }
        assert!(!out.contains("://") && !out.contains("www.") && !out.contains("GH-"));
        assert_eq!(markdown("- item"), "&#45; item");
        assert_eq!(markdown("1. item"), "1&#46; item");
        assert_eq!(markdown("状態は 200 です (expected:201)"), "状態は 200 です (expected:201)");
    }

    #[test]
    fn the_head_ends_between_characters() {
        assert_eq!(head("あい", 4), "あ");
        assert_eq!(head("あい", 2), "");
        assert_eq!(head("ab", 5), "ab");
    }

    #[test]
    fn the_tail_keeps_the_last_bytes_and_begins_with_a_whole_character() {
        let mut tail = Tail::new(7);
        for chunk in "あいうえお".as_bytes().chunks(2) {
            tail.push(chunk);
        }
        assert_eq!(tail.text(), "えお");
        assert_eq!(tail.seen(), 15);
        let mut small = Tail::new(7);
        small.push(b"\x80\x80ab");
        assert_eq!(small.text(), "\u{fffd}\u{fffd}ab");
        let mut big = Tail::new(4);
        big.push(&[b'x'; 1000]);
        big.push(b"yz");
        assert_eq!(big.text(), "xxyz");
    }
}
