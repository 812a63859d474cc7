//! Durations as people write them in `isugate.yml`: `500ms`, `30s`, `3m`, `1h`.

use std::time::Duration;

use serde::{Deserialize, Deserializer, Serializer};

/// Reads a duration: a whole number followed by `ms`, `s`, `m` or `h`.
///
/// # Errors
/// A sentence that says what was written and what would be right.
pub fn parse_duration(text: &str) -> Result<Duration, String> {
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (number, unit) = text.split_at(digits);
    let wrong = || format!("`{text}` is not a duration; write a whole number and ms, s, m or h, such as 30s");
    let number: u64 = number.parse().map_err(|_| wrong())?;
    let millis = match unit {
        "ms" => 1,
        "s" => 1_000,
        "m" => 60_000,
        "h" => 3_600_000,
        _ => return Err(wrong()),
    };
    number
        .checked_mul(millis)
        .filter(|ms| *ms <= 7 * 24 * 3_600_000)
        .map(Duration::from_millis)
        .ok_or_else(|| format!("`{text}` is longer than a week"))
}

/// Writes a duration in the largest unit that divides it.
pub fn format_duration(duration: Duration) -> String {
    let ms = duration.as_millis();
    match ms {
        0 => "0s".into(),
        _ if ms.is_multiple_of(3_600_000) => format!("{}h", ms / 3_600_000),
        _ if ms.is_multiple_of(60_000) => format!("{}m", ms / 60_000),
        _ if ms.is_multiple_of(1_000) => format!("{}s", ms / 1_000),
        _ => format!("{ms}ms"),
    }
}

/// For fields that need not be there.
pub(super) mod optional {
    use super::*;

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Duration>, D::Error> {
        let text = Option::<String>::deserialize(deserializer)?;
        text.map(|t| parse_duration(&t)).transpose().map_err(serde::de::Error::custom)
    }

    pub fn serialize<S: Serializer>(duration: &Option<Duration>, serializer: S) -> Result<S::Ok, S::Error> {
        match duration {
            Some(duration) => serializer.serialize_some(&format_duration(*duration)),
            None => serializer.serialize_none(),
        }
    }
}

/// How a duration is written, as a regular expression of JSON Schema.
pub(super) const PATTERN: &str = "^[0-9]+(ms|s|m|h)$";

/// Stands in the JSON Schema for a duration as text.
pub(super) struct DurationText;

impl schemars::JsonSchema for DurationText {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Duration".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string", "pattern": PATTERN })
    }
}

/// For `#[serde(with = …)]`: a duration as text.
pub mod text {
    use super::*;

    /// Reads a duration from its text.
    ///
    /// # Errors
    /// What [`parse_duration`] says.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
        let text = String::deserialize(deserializer)?;
        parse_duration(&text).map_err(serde::de::Error::custom)
    }

    /// Writes a duration as text.
    ///
    /// # Errors
    /// Those of the serializer.
    pub fn serialize<S: Serializer>(duration: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&format_duration(*duration))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read_in_their_units_and_written_back() {
        for (text, ms) in [("500ms", 500), ("30s", 30_000), ("3m", 180_000), ("1h", 3_600_000), ("90s", 90_000)] {
            let read = parse_duration(text).unwrap();
            assert_eq!(read, Duration::from_millis(ms));
            assert_eq!(format_duration(read), text);
        }
    }

    #[test]
    fn what_is_no_duration_is_refused_with_what_would_be_right() {
        for text in ["", "30", "s", "1.5s", "-3s", "3 s", "99999999999999999999s", "9000000h"] {
            let said = parse_duration(text).unwrap_err();
            assert!(said.contains(text), "{said}");
        }
    }
}
