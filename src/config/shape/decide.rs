//! The shape of the section `verdict`: how to decide, and what to make of error codes.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::duration;

/// How to decide.
#[derive(Debug, Clone, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct VerdictConfig {
    /// What a change must do to be accepted; default `gain`.
    pub intent: Intent,
    /// How many runs a decision may cost; default `practice`.
    pub preset: Preset,
    /// What to make of error codes.
    pub codes: CodePolicy,
    /// What spoils a run.
    pub integrity: IntegrityConfig,
}

/// What spoils a run, beside what always does: a restart, a changed file, a lost lease, a result that is not whole.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct IntegrityConfig {
    /// Percent of a host's CPU that processes of nobody's may take on average. Above it the run is invalid; by default
    /// 25 where the benchmark was watched for 10 s or more. More than 10 is a warning.
    pub foreign_cpu: Option<u64>,
    /// Percent of a host's CPU that the hypervisor may take on average. Above it the run is invalid; by default 15
    /// where the benchmark was watched for 10 s or more. More than 5 is a warning.
    pub steal: Option<u64>,
    /// How far a benchmark that passed may be from the time that its series takes, once three runs have shown it. By default 10s
    /// with the official benchmarkers, which load for a fixed time, and not checked with others.
    #[serde(with = "duration::optional")]
    #[schemars(with = "Option<duration::DurationText>")]
    pub duration: Option<Duration>,
    /// Names of processes that belong to the application, beside its units, what runs from `deploy.dir`, and the usual databases,
    /// proxies and caches.
    pub own: Vec<String>,
}

/// What a change must do to be accepted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Deserialize, Serialize, JsonSchema, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Intent {
    /// Raise the score: accepted if it is shown to do so.
    #[default]
    Gain,
    /// Clean up or make safe: accepted if it is shown not to cost more than the margin.
    NoRegression,
}

/// How many runs a decision may cost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Deserialize, Serialize, JsonSchema, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Preset {
    /// Few: a contest is running.
    Contest,
    /// Some: practice.
    #[default]
    Practice,
    /// Many: nobody waits.
    Overnight,
}

impl Preset {
    /// Runs that a comparison may take, of both sides together.
    pub fn budget(self) -> usize {
        match self {
            Self::Contest => 4,
            Self::Practice => 12,
            Self::Overnight => 24,
        }
    }
}

/// What to make of error codes. A code is written as the benchmarker prints it, a number or a word.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CodePolicy {
    /// One occurrence reverts.
    pub deny: BTreeSet<Code>,
    /// Allowed up to so many times in a run, whatever the baseline had; more reverts.
    #[schemars(with = "BTreeMap<String, u64>")]
    pub allow: BTreeMap<Code, u64>,
    /// All others.
    pub default: CodeDefault,
}

/// What to make of codes that are not named.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CodeDefault {
    /// Not more often than in the baseline's runs, beyond chance.
    #[default]
    NoMoreThanBaseline,
    /// Shown, and of no effect.
    Ignore,
}

/// An error code, written as a number or a word.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct Code(pub String);

impl JsonSchema for Code {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Code".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": ["string", "integer"] })
    }
}

impl<'de> Deserialize<'de> for Code {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl serde::de::Visitor<'_> for Visitor {
            type Value = Code;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an error code (a number or a word)")
            }
            fn visit_u64<E>(self, value: u64) -> Result<Code, E> {
                Ok(Code(value.to_string()))
            }
            fn visit_i64<E>(self, value: i64) -> Result<Code, E> {
                Ok(Code(value.to_string()))
            }
            fn visit_str<E>(self, value: &str) -> Result<Code, E> {
                Ok(Code(value.to_string()))
            }
        }
        deserializer.deserialize_any(Visitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_numbers_or_text() -> Result<(), serde_json::Error> {
        let p: CodePolicy = serde_json::from_str(r#"{"deny":[34,"critical"],"allow":{"17":10},"default":"ignore"}"#)?;
        assert!(p.deny.contains(&Code("34".into())) && p.deny.contains(&Code("critical".into())));
        assert_eq!(p.allow.get(&Code("17".into())), Some(&10));
        assert_eq!(p.default, CodeDefault::Ignore);
        assert_eq!(serde_json::from_str::<CodePolicy>("{}")?, CodePolicy::default());
        Ok(())
    }

    #[test]
    fn a_misspelt_rule_is_an_error() {
        assert!(serde_json::from_str::<CodePolicy>(r#"{"denny":[1]}"#).is_err());
        assert!(serde_json::from_str::<CodePolicy>(r#"{"deny":[1.5]}"#).is_err());
    }
}
