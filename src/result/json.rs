//! Result documents in JSON, read strictly.
//!
//! The checks come in a fixed order, so that a broken document always gets the same kind of error: empty, byte order
//! mark, UTF-8, depth, syntax, one document, root is an object, duplicate keys; then, by the reader of the format,
//! required fields, types, ranges. The grammar is `serde_json`'s. Numbers are kept as they are written, so that
//! `4.0`, `4e0` and a number beyond 64 bits are told apart.

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::collections::HashSet;
use std::fmt;
use std::io::Read;

use super::channels::{Source, require_regular};
use super::error::ErrorKind;
use super::outcome::{Invalid, Notes};

/// The deepest nesting of a document. The deepest of an official benchmarker is 3.
const MAX_DEPTH: usize = 127;

/// A JSON value; numbers keep their text.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Json<'a> {
    Null,
    Bool(bool),
    Number(&'a str),
    String(String),
    Array(Vec<Json<'a>>),
    Object(Vec<(String, Json<'a>)>),
}

/// Reads a source that must hold one document, within `limit` bytes.
pub(super) fn slurp(
    source: &Source,
    started_at: Option<std::time::SystemTime>,
    limit: u64,
) -> Result<Vec<u8>, Invalid> {
    require_regular(source)?;
    let opened = source.open(started_at)?;
    let too_large = || {
        Invalid::new(
            ErrorKind::TooLarge,
            format!("{} is larger than {limit} bytes, the most that a result document may have", source.name()),
        )
    };
    if opened.len.is_some_and(|len| len > limit) {
        return Err(too_large());
    }
    let mut bytes = Vec::new();
    opened
        .reader
        .take(limit.saturating_add(1))
        .read_to_end(&mut bytes)
        .map_err(|error| Invalid::new(ErrorKind::Unreadable, format!("{} cannot be read: {error}", source.name())))?;
    if bytes.len() as u64 > limit {
        return Err(too_large());
    }
    Ok(bytes)
}

/// Reads one document whose root is an object.
pub(super) fn document(bytes: &[u8]) -> Result<Vec<(String, Json<'_>)>, Invalid> {
    let invalid = |kind, message: &str| Err(Invalid::new(kind, message));
    if bytes.iter().all(|b| matches!(b, b' ' | b'\t' | b'\r' | b'\n')) {
        return invalid(ErrorKind::Empty, "the result document is empty");
    }
    if bytes.starts_with(b"\xef\xbb\xbf") {
        return invalid(
            ErrorKind::Bom,
            "the result document begins with a byte order mark: it went through another program",
        );
    }
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let at = error.valid_up_to();
        Invalid::new(
            ErrorKind::NotUtf8,
            format!("the result document is not UTF-8 (byte {at}): it went through another program"),
        )
    })?;
    if depth(bytes) > MAX_DEPTH {
        return Err(Invalid::new(
            ErrorKind::TooDeep,
            format!("the result document is nested more than {MAX_DEPTH} deep"),
        ));
    }

    let mut documents = serde_json::Deserializer::from_str(text).into_iter::<&RawValue>();
    let root = match documents.next() {
        Some(Ok(raw)) => build(raw).map_err(syntax)?,
        Some(Err(error)) => return Err(syntax(error)),
        None => return invalid(ErrorKind::Empty, "the result document is empty"),
    };
    let rest = text[documents.byte_offset()..].trim_start_matches([' ', '\t', '\r', '\n']);
    if rest.starts_with('{') {
        return invalid(
            ErrorKind::MultipleResults,
            "more than one result document in a row: each run needs a fresh file",
        );
    }
    if !rest.is_empty() {
        return invalid(ErrorKind::TrailingData, "something follows the result document");
    }
    let Json::Object(fields) = root else {
        return invalid(ErrorKind::NotObject, "the root of the result document is not an object");
    };
    unique(&fields)?;
    Ok(fields)
}

fn syntax(error: serde_json::Error) -> Invalid {
    let at = format!("line {}, column {}", error.line(), error.column());
    if error.is_eof() {
        Invalid::new(ErrorKind::Truncated, format!("the result document ends too early ({at})"))
    } else {
        Invalid::new(ErrorKind::Syntax, format!("the result document is not JSON ({at})"))
    }
}

/// The deepest nesting of brackets outside of strings.
fn depth(bytes: &[u8]) -> usize {
    let (mut now, mut most, mut in_string, mut escaped) = (0usize, 0usize, false, false);
    for byte in bytes {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'[' | b'{' if !in_string => {
                now += 1;
                most = most.max(now);
            }
            b']' | b'}' if !in_string => now = now.saturating_sub(1),
            _ => {}
        }
    }
    most
}

/// The pairs of an object in order, doubles too.
struct Pairs<'a>(Vec<(String, &'a RawValue)>);

impl<'de> Deserialize<'de> for Pairs<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct PairsVisitor;
        impl<'de> Visitor<'de> for PairsVisitor {
            type Value = Pairs<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut pairs = Vec::new();
                while let Some(pair) = map.next_entry()? {
                    pairs.push(pair);
                }
                Ok(Pairs(pairs))
            }
        }
        deserializer.deserialize_map(PairsVisitor)
    }
}

/// Builds the tree. Strings are decoded here, which refuses lone surrogates. The depth is bounded by the caller.
fn build(raw: &RawValue) -> serde_json::Result<Json<'_>> {
    let text = raw.get();
    Ok(match text.as_bytes().first() {
        Some(b'{') => {
            let pairs: Pairs<'_> = serde_json::from_str(text)?;
            Json::Object(pairs.0.into_iter().map(|(k, v)| Ok((k, build(v)?))).collect::<serde_json::Result<_>>()?)
        }
        Some(b'[') => {
            let items: Vec<&RawValue> = serde_json::from_str(text)?;
            Json::Array(items.into_iter().map(build).collect::<serde_json::Result<_>>()?)
        }
        Some(b'"') => Json::String(serde_json::from_str(text)?),
        Some(b't') => Json::Bool(true),
        Some(b'f') => Json::Bool(false),
        Some(b'n') => Json::Null,
        _ => Json::Number(text),
    })
}

fn unique(fields: &[(String, Json<'_>)]) -> Result<(), Invalid> {
    let mut seen = HashSet::with_capacity(fields.len());
    for (key, value) in fields {
        if !seen.insert(key.as_str()) {
            let key = field_name(key);
            return Err(Invalid::new(
                ErrorKind::DuplicateKey,
                format!("the key `{key}` occurs twice in the result document"),
            ));
        }
        unique_within(value)?;
    }
    Ok(())
}

fn unique_within(value: &Json<'_>) -> Result<(), Invalid> {
    match value {
        Json::Object(fields) => unique(fields),
        Json::Array(items) => items.iter().try_for_each(unique_within),
        _ => Ok(()),
    }
}

/// A field's name, harmless and short.
pub(super) fn field_name(name: &str) -> String {
    crate::text::terminal_line(super::text::head(name, 64))
}

/// The fields of a result document, asked for by name.
#[derive(Debug)]
pub(super) struct Fields<'d, 'a> {
    fields: &'d [(String, Json<'a>)],
}

impl<'d, 'a> Fields<'d, 'a> {
    pub(super) fn new(fields: &'d [(String, Json<'a>)]) -> Self {
        Self { fields }
    }

    /// Requires that these fields are there, and warns of others.
    pub(super) fn exactly(&self, names: &[&str], notes: &mut Notes) -> Result<(), Invalid> {
        self.require(names)?;
        for (key, _) in self.fields.iter().filter(|(key, _)| !names.contains(&key.as_str())).take(20) {
            notes.warn(format!("unknown_field:{}", field_name(key)));
        }
        Ok(())
    }

    /// Requires that these fields are there.
    pub(super) fn require(&self, names: &[&str]) -> Result<(), Invalid> {
        match names.iter().find(|name| self.get(name).is_none()) {
            Some(missing) => {
                Err(Invalid::new(ErrorKind::MissingField, format!("the result document has no field `{missing}`")))
            }
            None => Ok(()),
        }
    }

    pub(super) fn get(&self, name: &str) -> Option<&'d Json<'a>> {
        self.fields.iter().find(|(key, _)| key == name).map(|(_, value)| value)
    }

    pub(super) fn bool(&self, name: &str) -> Result<bool, Invalid> {
        match self.get(name) {
            Some(Json::Bool(value)) => Ok(*value),
            other => Err(wrong_type(name, "true or false", other)),
        }
    }

    pub(super) fn integer(&self, name: &str) -> Result<Integer<'a>, Invalid> {
        integer(name, self.get(name))
    }

    pub(super) fn string(&self, name: &str) -> Result<&'d str, Invalid> {
        match self.get(name) {
            Some(Json::String(value)) => Ok(value),
            other => Err(wrong_type(name, "a string", other)),
        }
    }

    /// An array of strings.
    pub(super) fn strings(&self, name: &str) -> Result<Vec<&'d str>, Invalid> {
        let Some(Json::Array(items)) = self.get(name) else {
            return Err(wrong_type(name, "an array of strings", self.get(name)));
        };
        items
            .iter()
            .map(|item| match item {
                Json::String(text) => Ok(text.as_str()),
                other => Err(wrong_type(name, "an array of strings", Some(other))),
            })
            .collect()
    }
}

/// Reads a number that must be an integer; its range is asked for later.
pub(super) fn integer<'a>(name: &str, value: Option<&Json<'a>>) -> Result<Integer<'a>, Invalid> {
    match value {
        // `-0` is a floating-point number: no integer is written so.
        Some(Json::Number(text)) if text.contains(['.', 'e', 'E']) || *text == "-0" => {
            Err(Invalid::new(ErrorKind::NonInteger, format!("`{name}` is {}; it must be an integer", field_name(text))))
        }
        Some(Json::Number(text)) => Ok(Integer { text }),
        other => Err(wrong_type(name, "an integer", other)),
    }
}

pub(super) fn wrong_type(name: &str, wanted: &str, value: Option<&Json<'_>>) -> Invalid {
    let is = match value {
        None => "missing",
        Some(Json::Null) => "null",
        Some(Json::Bool(_)) => "true or false",
        Some(Json::Number(_)) => "a number",
        Some(Json::String(_)) => "a string",
        Some(Json::Array(_)) => "an array",
        Some(Json::Object(_)) => "an object",
    };
    Invalid::new(ErrorKind::WrongType, format!("`{name}` must be {wanted}, but it is or holds {is}"))
}

/// An integer of any size, by its text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Integer<'a> {
    text: &'a str,
}

impl Integer<'_> {
    /// The value, if it fits in 64 bits and is not below `least`.
    pub(super) fn at_least(self, least: i64, name: &str) -> Result<i64, Invalid> {
        match self.text.parse::<i64>() {
            Ok(value) if value >= least => Ok(value),
            _ => Err(Invalid::new(
                ErrorKind::OutOfRange,
                format!("`{name}` is {}; it must be from {least} to {}", field_name(self.text), i64::MAX),
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(text: &str) -> Option<ErrorKind> {
        document(text.as_bytes()).err().map(|e| e.kind)
    }

    #[test]
    fn each_fault_has_its_kind() {
        use ErrorKind::*;
        for (text, expected) in [
            ("", Empty),
            (" \r\n", Empty),
            ("\u{feff}{}", Bom),
            ("{", Truncated),
            ("{\"a\":tru", Truncated),
            ("{\"a\":trux}", Syntax),
            ("{}{}", MultipleResults),
            ("{} x", TrailingData),
            ("{}\0", TrailingData),
            ("[]", NotObject),
            ("1", NotObject),
            ("{\"a\":1,\"a\":1}", DuplicateKey),
            ("{\"b\":[{\"a\":1,\"\\u0061\":1}]}", DuplicateKey),
            ("{\"a\":\"\\udc00\"}", Syntax),
            ("{\"\\ud800\":1}", Syntax),
            ("{\"a\":Infinity}", Syntax),
            ("{\"a\":+1}", Syntax),
            ("{\"a\":01}", Syntax),
            ("{\"a\":.5}", Syntax),
            ("{\"a\":\"\t\"}", Syntax),
            ("{a:1}", Syntax),
        ] {
            assert_eq!(kind(text), Some(expected), "{text}");
        }
        assert_eq!(document(b"{\"a\":\"\xff\"}").err().map(|e| e.kind), Some(NotUtf8));
        assert_eq!(kind(&format!("{{\"a\":{}{}}}", "[".repeat(MAX_DEPTH - 1), "]".repeat(MAX_DEPTH - 1))), None);
        assert_eq!(kind(&format!("{{\"a\":{}{}}}", "[".repeat(MAX_DEPTH), "]".repeat(MAX_DEPTH))), Some(TooDeep));
        assert_eq!(kind(&"[".repeat(1_000_000)), Some(TooDeep));
        assert_eq!(kind("{\"a\":\"[[[[{\\\"\"}"), None);
    }

    #[test]
    fn integers_are_told_from_other_numbers_by_their_text() {
        let check = |text: &str| {
            let json = format!("{{\"n\":{text}}}");
            let fields = document(json.as_bytes()).unwrap();
            Fields::new(&fields).integer("n").and_then(|i| i.at_least(0, "n")).map_err(|e| e.kind)
        };
        assert_eq!(check("9223372036854775807"), Ok(i64::MAX));
        for text in ["9223372036854775808", "99999999999999999999999999", "-1"] {
            assert_eq!(check(text), Err(ErrorKind::OutOfRange), "{text}");
        }
        for text in ["1.0", "1e0", "1E400", "-0.0", "-0"] {
            assert_eq!(check(text), Err(ErrorKind::NonInteger), "{text}");
        }
        for text in ["\"1\"", "null", "true", "[1]"] {
            assert_eq!(check(text), Err(ErrorKind::WrongType), "{text}");
        }
    }
}
