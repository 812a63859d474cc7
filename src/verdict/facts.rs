//! The words of the gate: verdicts, intents, presets, sides, and what is known of a run.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub use crate::config::shape::{Intent, Language, Preset};

/// What the gate says of a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Better than the baseline, and no worse in its answers.
    Accept,
    /// Worse, or wrong.
    Revert,
    /// The runs do not tell.
    Inconclusive,
    /// The runs say nothing about the code.
    Invalid,
}

/// Which commit runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// The commit that is judged.
    Candidate,
    /// The last accepted one.
    Baseline,
}

/// What is known of one run. Unknown fields are ignored, so that a whole run record can be read as one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunFacts {
    /// What was deployed.
    #[serde(default)]
    pub commit: String,
    /// Score as it may be compared; absent where the result was not whole.
    #[serde(default)]
    pub score: Option<i64>,
    /// What the benchmarker said; absent where nobody wrote it down.
    #[serde(default)]
    pub pass: Option<bool>,
    /// Error codes with their counts; absent where nobody wrote them down, empty where there were none.
    #[serde(default)]
    pub codes: Option<BTreeMap<String, u64>>,
    /// The run's id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
}

impl RunFacts {
    /// Natural logarithm of the score, of a run that did not fail and scored at all.
    pub fn log_score(&self) -> Option<f64> {
        match (self.pass, self.score) {
            (Some(false), _) => None,
            (_, Some(score)) if score > 0 => Some((score as f64).ln()),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_record_with_more_fields_is_read() -> Result<(), serde_json::Error> {
        let run: RunFacts =
            serde_json::from_str(r#"{"commit":"a","score":12,"pass":null,"codes":{"30":2},"host":"x","id":"r1"}"#)?;
        assert_eq!((run.score, run.pass), (Some(12), None));
        assert_eq!(run.codes.as_ref().and_then(|c| c.get("30")), Some(&2));
        Ok(())
    }

    #[test]
    fn words_are_spelt_as_in_the_configuration() -> Result<(), serde_json::Error> {
        assert_eq!(serde_json::to_string(&Intent::NoRegression)?, "\"no-regression\"");
        assert_eq!(serde_json::to_string(&Verdict::Inconclusive)?, "\"inconclusive\"");
        assert_eq!(serde_json::from_str::<Preset>("\"overnight\"")?.budget(), 24);
        Ok(())
    }

    #[test]
    fn a_failed_or_empty_run_has_no_score_to_compare() {
        let run = |pass, score| RunFacts { pass, score, ..RunFacts::default() };
        assert!(run(Some(false), Some(591_636)).log_score().is_none());
        assert!(run(Some(true), Some(0)).log_score().is_none());
        assert!(run(None, None).log_score().is_none());
        assert!(run(None, Some(10)).log_score().is_some());
    }
}
