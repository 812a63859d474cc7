//! Records of Go's `log/slog` text handler, as ISUCON14's benchmarker writes them.
//!
//! A record is one line of `key=value` pairs separated by single spaces. A key or value is quoted, as `strconv.Quote`
//! does it, only if it is empty or holds a space, `"`, `=`, a control character, a character that does not print, or
//! bytes that are not UTF-8. So no line feed is ever real inside of a record, and a text cannot forge one.

use std::borrow::Cow;

/// The level of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Level {
    Debug,
    Info,
    Warn,
    Error,
}

/// Reads the beginning that every record of this benchmarker has, `time=15:04:05.000 level=INFO `, and returns the level
/// and what follows.
pub(super) fn head(line: &[u8]) -> Option<(Level, &[u8])> {
    let (start, rest) = line.split_first_chunk::<24>()?;
    if &start[..5] != b"time=" || &start[17..] != b" level=" || !is_clock(&start[5..17]) {
        return None;
    }
    if let Some(rest) = rest.strip_prefix(b"INFO ") {
        Some((Level::Info, rest))
    } else if let Some(rest) = rest.strip_prefix(b"WARN ") {
        Some((Level::Warn, rest))
    } else if let Some(rest) = rest.strip_prefix(b"DEBUG ") {
        Some((Level::Debug, rest))
    } else {
        rest.strip_prefix(b"ERROR ").map(|rest| (Level::Error, rest))
    }
}

/// `15:04:05.000`
fn is_clock(time: &[u8]) -> bool {
    time.iter().enumerate().all(|(at, b)| match at {
        2 | 5 => *b == b':',
        8 => *b == b'.',
        _ => b.is_ascii_digit(),
    })
}

/// Why a record's attributes cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct BadRecord;

/// Reads one value, quoted or not, from the beginning of `text`. Returns it and what follows.
pub(super) fn value(text: &str) -> Result<(Cow<'_, str>, &str), BadRecord> {
    if text.starts_with('"') {
        let (value, rest) = quoted(text)?;
        // The writer never quotes what needs no quotes. Only for ASCII: which others print depends on Unicode tables.
        if !value.is_empty() && value.is_ascii() && !value.bytes().any(needs_quotes) {
            return Err(BadRecord);
        }
        return Ok((Cow::Owned(value), rest));
    }
    let end = text.find(' ').unwrap_or(text.len());
    let (value, rest) = text.split_at(end);
    if value.is_empty() || value.bytes().any(needs_quotes) {
        return Err(BadRecord);
    }
    Ok((Cow::Borrowed(value), rest))
}

fn needs_quotes(byte: u8) -> bool {
    byte <= b' ' || byte == b'"' || byte == b'='
}

/// A key and its value.
pub(super) type Attribute<'t> = (Cow<'t, str>, Cow<'t, str>);

/// Reads the attributes of a record, in order.
pub(super) fn attributes(mut text: &str) -> Result<Vec<Attribute<'_>>, BadRecord> {
    let mut pairs = Vec::new();
    loop {
        let (key, rest) = key(text)?;
        let (value, rest) = value(rest.strip_prefix('=').ok_or(BadRecord)?)?;
        pairs.push((key, value));
        if rest.is_empty() {
            return Ok(pairs);
        }
        text = rest.strip_prefix(' ').ok_or(BadRecord)?;
    }
}

fn key(text: &str) -> Result<(Cow<'_, str>, &str), BadRecord> {
    if text.starts_with('"') {
        let (key, rest) = quoted(text)?;
        return Ok((Cow::Owned(key), rest));
    }
    let end = text.find(['=', ' ', '"']).ok_or(BadRecord)?;
    if end == 0 {
        return Err(BadRecord);
    }
    let (key, rest) = text.split_at(end);
    Ok((Cow::Borrowed(key), rest))
}

/// Undoes `strconv.Quote`. `text` begins with the quote.
fn quoted(text: &str) -> Result<(String, &str), BadRecord> {
    let body = text.strip_prefix('"').ok_or(BadRecord)?;
    let mut bytes = Vec::new();
    let mut rest = body;
    loop {
        let stop = rest.find(['"', '\\']).ok_or(BadRecord)?;
        bytes.extend_from_slice(&rest.as_bytes()[..stop]);
        let tail = &rest[stop + 1..];
        if rest.as_bytes()[stop] == b'"' {
            // `\xNN` may have brought in bytes that are not UTF-8: those are foreign text, read leniently.
            return Ok((super::text::lossy(&bytes), tail));
        }
        let escape = *tail.as_bytes().first().ok_or(BadRecord)?;
        let digits = match escape {
            b'x' => 2,
            b'u' => 4,
            b'U' => 8,
            _ => 0,
        };
        let end = 1 + digits;
        if digits > 0 {
            let hex = tail.get(1..end).filter(|h| h.bytes().all(|b| b.is_ascii_hexdigit())).ok_or(BadRecord)?;
            let number = u32::from_str_radix(hex, 16).map_err(|_| BadRecord)?;
            match (escape, u8::try_from(number)) {
                (b'x', Ok(byte)) => bytes.push(byte),
                _ => {
                    let c = char::from_u32(number).ok_or(BadRecord)?;
                    bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                }
            }
        } else {
            bytes.push(match escape {
                b'a' => 7,
                b'b' => 8,
                b'f' => 12,
                b'n' => b'\n',
                b'r' => b'\r',
                b't' => b'\t',
                b'v' => 11,
                b'\\' => b'\\',
                b'"' => b'"',
                _ => return Err(BadRecord),
            });
        }
        rest = &tail[end..];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(text: &str) -> Result<Vec<(String, String)>, BadRecord> {
        attributes(text).map(|v| v.into_iter().map(|(k, v)| (k.into_owned(), v.into_owned())).collect())
    }

    #[test]
    fn the_head_is_anchored() {
        assert_eq!(head(b"time=13:05:04.799 level=INFO msg=x"), Some((Level::Info, &b"msg=x"[..])));
        for bad in [
            "level=INFO time=13:05:04.799 msg=x",
            " time=13:05:04.799 level=INFO msg=x",
            "time=13:05:04 level=INFO msg=x",
        ] {
            assert_eq!(head(bad.as_bytes()), None, "{bad}");
        }
    }

    #[test]
    fn values_are_quoted_only_where_the_writer_quotes() {
        assert_eq!(pairs("a=b c=\"d e\""), Ok(vec![("a".into(), "b".into()), ("c".into(), "d e".into())]));
        assert_eq!(pairs("a=\"\""), Ok(vec![("a".into(), String::new())]));
        assert_eq!(pairs("a=back\\slash"), Ok(vec![("a".into(), "back\\slash".into())]));
        for bad in ["a=\"b\"", "a=", "a=b=c", "a=b  c=d", "a=b c", "a=\"x y\"z=1", "a=\"x y", "a=b ", "=b"] {
            assert_eq!(pairs(bad), Err(BadRecord), "{bad}");
        }
    }

    #[test]
    fn escapes_are_those_of_go() {
        assert_eq!(
            pairs(r#"a="\a\b\f\n\r\t\v\\\" \x41\u3042\U0001f600""#),
            Ok(vec![("a".into(), "\u{7}\u{8}\u{c}\n\r\t\u{b}\\\" Aあ😀".into())])
        );
        assert_eq!(pairs(r#"a=" \xff""#), Ok(vec![("a".into(), " \u{fffd}".into())]));
        for bad in [r#"a=" \q""#, r#"a=" \x4""#, r#"a=" \ud800""#, r#"a=" \"#] {
            assert_eq!(pairs(bad), Err(BadRecord), "{bad}");
        }
    }
}
