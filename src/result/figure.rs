//! Turns a figure of a load generator into a score.
//!
//! Verdicts compare whole numbers, more is better, and on a log scale, so only ratios matter. A figure of which more is
//! better becomes a score in thousandths; one of which less is better becomes 10⁹ divided by it.

use serde::{Deserialize, Serialize};

use super::error::ErrorKind;
use super::json::{self, Json};
use super::outcome::{Invalid, Notes};

const THOUSANDTHS: f64 = 1_000.0;
const INVERSE: f64 = 1e9;
/// Above this a whole number is no longer exact in a floating-point one.
const LARGEST: f64 = 9_007_199_254_740_992.0;

/// Which figure is the score, for the formats `k6`, `oha`, `wrk` and `hyperfine`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScoreSpec {
    /// The figure's name, as the format's documentation lists it: `http_req_duration.p(95)`, `requests_per_sec`, …
    pub figure: String,
    /// Which way is better.
    pub better: Better,
}

/// Which way a figure is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Better {
    Higher,
    Lower,
}

impl ScoreSpec {
    /// A figure by name.
    pub fn new(figure: impl Into<String>, better: Better) -> Self {
        Self { figure: figure.into(), better }
    }

    /// The score for this figure's value; the value itself goes into the messages.
    pub(super) fn score(&self, value: f64, unit: &str, notes: &mut Notes) -> Result<i64, Invalid> {
        let scaled = match self.better {
            Better::Higher => value * THOUSANDTHS,
            Better::Lower => INVERSE / value,
        };
        if !value.is_finite() || value < 0.0 || !(0.0..=LARGEST).contains(&scaled.round()) {
            return Err(Invalid::new(
                ErrorKind::OutOfRange,
                format!("the figure `{}` is {value}, which gives no score", json::field_name(&self.figure)),
            ));
        }
        let way = match self.better {
            Better::Higher => "higher",
            Better::Lower => "lower",
        };
        notes.message(&format!("{} = {value}{unit} ({way} is better)", json::field_name(&self.figure)));
        // In range by the check above.
        Ok(scaled.round() as i64)
    }

    pub(super) fn unknown(&self, known: &str) -> Invalid {
        Invalid::new(
            ErrorKind::MissingField,
            format!("the output has no figure `{}`; it has {known}", json::field_name(&self.figure)),
        )
    }
}

/// A number of any form.
pub(super) fn number(name: &str, value: Option<&Json<'_>>) -> Result<f64, Invalid> {
    match value {
        Some(Json::Number(text)) => text.parse().map_err(|_| json::wrong_type(name, "a number", value)),
        other => Err(json::wrong_type(name, "a number", other)),
    }
}

/// A count: an integer that is not negative.
pub(super) fn count(name: &str, value: Option<&Json<'_>>) -> Result<u64, Invalid> {
    Ok(json::integer(name, value)?.at_least(0, name)?.unsigned_abs())
}

/// The fields of an object.
pub(super) fn object<'d, 'a>(name: &str, value: Option<&'d Json<'a>>) -> Result<&'d [(String, Json<'a>)], Invalid> {
    match value {
        Some(Json::Object(fields)) => Ok(fields),
        None => Err(Invalid::new(ErrorKind::MissingField, format!("the result document has no field `{name}`"))),
        other => Err(json::wrong_type(name, "an object", other)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_better_figure_gives_a_higher_score() {
        let score = |better, value| ScoreSpec::new("f", better).score(value, "", &mut Notes::default()).ok();
        assert_eq!(score(Better::Higher, 87.54), Some(87_540));
        assert_eq!(score(Better::Lower, 0.05), Some(20_000_000_000));
        assert!(score(Better::Lower, 0.04) > score(Better::Lower, 0.05));
        for value in [f64::NAN, f64::INFINITY, -1.0, 1e300] {
            assert_eq!(score(Better::Higher, value), None, "{value}");
        }
        assert_eq!(score(Better::Lower, 0.0), None);
    }
}
