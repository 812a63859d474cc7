//! A run that was started by hand in the contest's portal: a person types what the portal showed.

use super::Context;
use super::channels::Channels;
use super::error::ErrorKind;
use super::format::Format;
use super::lines::MAX_LOG_LINE;
use super::outcome::{Claim, Codes, Invalid, Notes, Parsed, conclude};

/// What a person typed in, as a result.
///
/// A pass without a score, or with one below 0, is invalid.
pub fn typed(score: i64, pass: bool, codes: Option<Codes>) -> Parsed {
    let claim = Claim { pass, score: Some(score), codes, reason: None, notes: Notes::default() };
    conclude(Format::Portal, Ok(claim), None, false)
}

/// The same as text: `score: 637,737`, `pass: true`, and `code 30: 13` as often as needed, one a line, in any order.
pub(super) fn read<'c>(channels: &'c Channels, context: &Context<'c>) -> Result<Claim, Invalid> {
    let source = channels.output().ok_or_else(|| super::no_channel("the typed text"))?;
    let mut lines = context.lines(source, MAX_LOG_LINE)?;
    let (mut score, mut pass) = (None, None);
    let mut codes = Codes::new();
    while let Some(line) = lines.next().map_err(super::unreadable)? {
        let text = std::str::from_utf8(line.bytes)
            .map_err(|_| Invalid::new(ErrorKind::NotUtf8, "the typed text is not UTF-8"))?
            .trim();
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        let (key, value) = text.split_once([':', '=']).ok_or_else(|| bad(text))?;
        let (key, value) = (key.trim(), value.trim());
        let is_double = match key.split_once(' ') {
            None if key == "score" => score.replace(integer(value)?).is_some(),
            None if key == "pass" => pass.replace(outcome(value)?).is_some(),
            Some(("code", code)) => codes.insert(super::json::field_name(code), count(value)?).is_some(),
            _ => return Err(bad(text)),
        };
        if is_double {
            let key = super::json::field_name(key);
            return Err(Invalid::new(ErrorKind::DuplicateKey, format!("`{key}` is typed twice")));
        }
    }
    let missing = |name: &str| Invalid::new(ErrorKind::MissingField, format!("no line `{name}: …`"));
    let pass = pass.ok_or_else(|| missing("pass"))?;
    let score = score.ok_or_else(|| missing("score"))?;
    let codes = (!codes.is_empty()).then_some(codes);
    Ok(Claim { pass, score: Some(score), codes, reason: None, notes: Notes::default() })
}

fn bad(text: &str) -> Invalid {
    Invalid::new(
        ErrorKind::Syntax,
        format!("`{}` is none of `score: N`, `pass: true|false`, `code C: N`", super::json::field_name(text)),
    )
}

/// A whole number; thousands may be set off by commas, as portals show them.
fn integer(value: &str) -> Result<i64, Invalid> {
    let groups: Vec<&str> = value.split(',').collect();
    let grouped = groups.len() == 1
        || (!groups[0].is_empty() && groups[0].len() <= 3 && groups[1..].iter().all(|g| g.len() == 3));
    let digits = groups.concat();
    if !grouped || digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        let kind = if digits.parse::<f64>().is_ok() { ErrorKind::NonInteger } else { ErrorKind::WrongType };
        return Err(Invalid::new(kind, format!("`{}` is not a whole number", super::json::field_name(value))));
    }
    digits.parse().map_err(|_| Invalid::new(ErrorKind::OutOfRange, "the number is beyond 64 bits"))
}

fn count(value: &str) -> Result<u64, Invalid> {
    integer(value).map(i64::unsigned_abs)
}

fn outcome(value: &str) -> Result<bool, Invalid> {
    match value.to_ascii_lowercase().as_str() {
        "true" | "pass" | "passed" | "yes" => Ok(true),
        "false" | "fail" | "failed" | "no" => Ok(false),
        _ => Err(Invalid::new(
            ErrorKind::WrongType,
            format!("`{}` is neither true nor false", super::json::field_name(value)),
        )),
    }
}
