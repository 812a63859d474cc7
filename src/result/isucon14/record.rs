//! The fields of ISUCON14's records: the result line, and the code in an error's text.

use memchr::memmem::Finder;

use crate::result::error::ErrorKind;
use crate::result::outcome::Invalid;
use crate::result::slog::{self, Level};
use crate::result::{codes, text};

/// The keys after `msg=結果`, in the only order in which they are written.
const KEYS: [&str; 3] = ["pass", "スコア", "種別エラー数"];

/// `msg=結果 pass=true スコア=567276 種別エラー数="map[17:6 24:1]"`, read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ResultLine {
    pub pass: bool,
    pub score: i64,
    /// Codes in rising order, with counts of at least 1.
    pub codes: Vec<(u64, u64)>,
}

impl ResultLine {
    /// `rest` is what follows the level.
    pub(super) fn read(level: Level, rest: &[u8]) -> Result<Self, Invalid> {
        let syntax = |message: &str| Invalid::new(ErrorKind::Syntax, message);
        if level != Level::Info {
            return Err(syntax("the result line has another level than INFO; the benchmarker writes no such line"));
        }
        let rest =
            std::str::from_utf8(rest).map_err(|_| Invalid::new(ErrorKind::NotUtf8, "the result line is not UTF-8"))?;
        let pairs = slog::attributes(rest).map_err(|_| syntax("the result line does not follow slog's quoting"))?;
        let keys: Vec<&str> = pairs.iter().skip(1).map(|(key, _)| key.as_ref()).collect();
        if let Some(missing) = KEYS.iter().find(|key| !keys.contains(key)) {
            return Err(Invalid::new(ErrorKind::MissingField, format!("the result line has no `{missing}`")));
        }
        if KEYS.iter().any(|key| keys.iter().filter(|k| *k == key).count() > 1) {
            return Err(Invalid::new(ErrorKind::DuplicateKey, "the result line has a key twice"));
        }
        let [(msg, title), (_, pass), (_, score), (_, map)] = pairs.as_slice() else {
            return Err(syntax("the result line has keys that the benchmarker does not write"));
        };
        if keys != KEYS || msg != "msg" || title != "結果" {
            return Err(syntax("the keys of the result line are in another order than the benchmarker writes"));
        }
        let pass = match pass.as_ref() {
            "true" => true,
            "false" => false,
            _ => {
                return Err(Invalid::new(ErrorKind::WrongType, "`pass` in the result line is neither true nor false"));
            }
        };
        let score = integer("スコア", score)?;
        let entries = entries(map)?;
        let score = in_range("スコア", score, 0)?;
        let codes = counts(&entries)?;
        Ok(Self { pass, score, codes })
    }
}

/// An integer as Go prints it, of any size.
fn integer<'t>(name: &str, text: &'t str) -> Result<&'t str, Invalid> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let all_digits = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
    if all_digits(digits) {
        return if digits.len() > 1 && digits.starts_with('0') || text == "-0" {
            Err(Invalid::new(ErrorKind::Syntax, format!("`{name}` is not written as the benchmarker writes numbers")))
        } else {
            Ok(text)
        };
    }
    let kind = if digits.parse::<f64>().is_ok() && digits.starts_with(|c: char| c.is_ascii_digit()) {
        ErrorKind::NonInteger
    } else {
        ErrorKind::WrongType
    };
    Err(Invalid::new(
        kind,
        format!("`{name}` is {}; it must be an integer", crate::text::terminal_line(text::head(text, 64))),
    ))
}

fn in_range(name: &str, text: &str, least: i64) -> Result<i64, Invalid> {
    text.parse::<i64>().ok().filter(|value| *value >= least).ok_or_else(|| {
        let shown = text::head(text, 64);
        Invalid::new(ErrorKind::OutOfRange, format!("`{name}` is {shown}; it must be from {least} to {}", i64::MAX))
    })
}

/// `map[17:6 24:1]`, split.
fn entries(map: &str) -> Result<Vec<(&str, &str)>, Invalid> {
    let syntax = || Invalid::new(ErrorKind::Syntax, "`種別エラー数` is not a Go map of codes to counts");
    let inside = map.strip_prefix("map[").and_then(|rest| rest.strip_suffix(']')).ok_or_else(syntax)?;
    if inside.is_empty() {
        return Ok(Vec::new());
    }
    inside
        .split(' ')
        .map(|entry| {
            let (code, count) = entry.split_once(':').ok_or_else(syntax)?;
            Ok((integer("種別エラー数", code)?, integer("種別エラー数", count)?))
        })
        .collect()
}

fn counts(entries: &[(&str, &str)]) -> Result<Vec<(u64, u64)>, Invalid> {
    let mut codes: Vec<(u64, u64)> = Vec::with_capacity(entries.len());
    for (code, count) in entries {
        let code = in_range("種別エラー数", code, 0)?.unsigned_abs();
        let count = in_range("種別エラー数", count, 1)?.unsigned_abs();
        if codes.iter().any(|(seen, _)| *seen == code) {
            return Err(Invalid::new(
                ErrorKind::DuplicateKey,
                format!("the code {code} is counted twice: the benchmarker cannot print that"),
            ));
        }
        if !codes::known_isucon14(code) {
            return Err(Invalid::new(ErrorKind::UnknownCode, format!("ISUCON14 has no error code {code}")));
        }
        codes.push((code, count));
    }
    if !codes.is_sorted() {
        return Err(Invalid::new(ErrorKind::Syntax, "the codes are not in order: the benchmarker sorts them"));
    }
    Ok(codes)
}

/// Finds the first `(CODE=n)` of an error's text: the one that is counted.
pub(super) struct CodeFinder(Finder<'static>);

impl CodeFinder {
    const MARK: &'static [u8] = b"(CODE=";

    pub(super) fn new() -> Self {
        Self(Finder::new(Self::MARK))
    }

    pub(super) fn code_of(&self, rest: &[u8]) -> Option<usize> {
        let digits = &rest[self.0.find(rest)? + Self::MARK.len()..];
        let (mut code, mut length) = (0usize, 0usize);
        for byte in digits.iter().take(4) {
            match byte {
                b'0'..=b'9' => (code, length) = (code * 10 + usize::from(byte - b'0'), length + 1),
                b')' if length > 0 => return Some(code),
                _ => return None,
            }
        }
        None
    }
}

/// The text of an error's record for a person: its message, and its `error` if it has one.
pub(super) fn error_text(rest: &[u8]) -> String {
    let whole = text::lossy(rest);
    match slog::attributes(&whole) {
        Ok(pairs) => pairs
            .iter()
            .filter(|(key, _)| key == "msg" || key == "error")
            .map(|(_, value)| value.as_ref())
            .collect::<Vec<_>>()
            .join(": "),
        Err(_) => whole,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(rest: &str) -> Result<ResultLine, ErrorKind> {
        ResultLine::read(Level::Info, rest.as_bytes()).map_err(|e| e.kind)
    }

    #[test]
    fn the_map_is_quoted_from_two_codes_on() {
        let codes = |rest: &str| read(rest).map(|line| line.codes);
        assert_eq!(codes("msg=結果 pass=true スコア=1 種別エラー数=map[]"), Ok(vec![]));
        assert_eq!(codes("msg=結果 pass=true スコア=1 種別エラー数=map[26:1]"), Ok(vec![(26, 1)]));
        assert_eq!(codes("msg=結果 pass=true スコア=1 種別エラー数=\"map[17:6 24:1]\""), Ok(vec![(17, 6), (24, 1)]));
        assert_eq!(codes("msg=結果 pass=true スコア=1 種別エラー数=\"map[26:1]\""), Err(ErrorKind::Syntax));
        assert_eq!(codes("msg=結果 pass=true スコア=1 種別エラー数=map[17:6 24:1]"), Err(ErrorKind::Syntax));
    }

    #[test]
    fn faults_have_their_kinds() {
        use ErrorKind::*;
        for (fields, expected) in [
            ("pass=True スコア=1 種別エラー数=map[]", WrongType),
            ("pass=1 スコア=1 種別エラー数=map[]", WrongType),
            ("pass=true スコア=1.5 種別エラー数=map[]", NonInteger),
            ("pass=true スコア=1e5 種別エラー数=map[]", NonInteger),
            ("pass=true スコア=NaN 種別エラー数=map[]", WrongType),
            ("pass=true スコア=01 種別エラー数=map[]", Syntax),
            ("pass=true スコア=-1 種別エラー数=map[]", OutOfRange),
            ("pass=true スコア=9223372036854775808 種別エラー数=map[]", OutOfRange),
            ("pass=true 種別エラー数=map[]", MissingField),
            ("スコア=1 pass=true 種別エラー数=map[]", Syntax),
            ("pass=true pass=true スコア=1 種別エラー数=map[]", DuplicateKey),
            ("pass=true スコア=1 種別エラー数=map[] extra=1", Syntax),
            ("pass=true スコア=1 種別エラー数=map[", Syntax),
            ("pass=true スコア=1 種別エラー数=map[17]", Syntax),
            ("pass=true スコア=1 種別エラー数=map[17:0]", OutOfRange),
            ("pass=true スコア=1 種別エラー数=\"map[24:1 17:6]\"", Syntax),
            ("pass=true スコア=1 種別エラー数=\"map[17:6  24:1]\"", Syntax),
            ("pass=true スコア=1 種別エラー数=map[4:1]", UnknownCode),
        ] {
            assert_eq!(read(&format!("msg=結果 {fields}")), Err(expected), "{fields}");
        }
    }

    #[test]
    fn the_outermost_code_counts() {
        let code_of = |rest: &[u8]| CodeFinder::new().code_of(rest);
        assert_eq!(code_of(b"msg=\"a (CODE=17): b (CODE=3): c\""), Some(17));
        for none in [&b"msg=x"[..], b"msg=(CODE=x)", b"msg=(CODE=)", b"msg=(CODE=1", b"msg=(CODE=12345)"] {
            assert_eq!(code_of(none), None);
        }
    }
}
