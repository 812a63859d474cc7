//! The shape of the section `verdict`: how to decide, and what to make of error codes.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How to decide.
#[derive(Debug, Clone, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct VerdictConfig {
    /// What a change must do to be accepted; default `gain`.
    pub intent: Intent,
    /// How many runs a decision may cost; default `practice`.
    pub preset: Preset,
    /// What to make of error codes.
    pub codes: CodesConfig,
    /// What spoils a run.
    pub integrity: IntegrityConfig,
}

/// What spoils a run, beside what always does: a restart, a changed file, a lost lease, a result that is not whole.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct IntegrityConfig {
    /// Percent of a host's CPU that processes of nobody's may take on average. Above it the run is invalid; where it is not
    /// set, more than 10 is a warning.
    pub foreign_cpu: Option<u64>,
    /// Percent of a host's CPU that the hypervisor may take on average. Above it the run is invalid; where it is not set,
    /// more than 5 is a warning.
    pub steal: Option<u64>,
    /// Names of processes that belong to the application, beside its units, what runs from `deploy.dir`, and the usual databases,
    /// proxies and caches.
    pub own: Vec<String>,
}

/// What a change must do to be accepted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Intent {
    /// Be faster.
    #[default]
    Gain,
    /// Not be slower: a clean-up or a fix.
    NoRegression,
}

/// How many runs a decision may cost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema, clap::ValueEnum)]
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

/// What to make of error codes. A code is written as the benchmarker prints it, a number or a word.
#[derive(Debug, Clone, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CodesConfig {
    /// One occurrence is one too many.
    pub deny: Vec<Code>,
    /// So many are allowed, whatever the baseline had.
    #[schemars(with = "BTreeMap<String, u64>")]
    pub allow: BTreeMap<Code, u64>,
    /// All others.
    pub default: CodeDefault,
}

/// What to make of codes that are not named.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CodeDefault {
    /// No more than chance allows against the baseline's runs.
    #[default]
    NoMoreThanBaseline,
    /// They do not matter.
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
