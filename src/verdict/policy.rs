//! What the user says about error codes: `verdict.codes` of the configuration.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::de::{self, Deserializer, Visitor};
use serde::{Deserialize, Serialize, Serializer};

/// An error code as the benchmarker prints it. Written as a number or as text, kept as text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Code(pub String);

impl Serialize for Code {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Code {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;
        impl Visitor<'_> for Either {
            type Value = Code;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an error code: a whole number or text")
            }
            fn visit_u64<E: de::Error>(self, v: u64) -> Result<Code, E> {
                Ok(Code(v.to_string()))
            }
            fn visit_i64<E: de::Error>(self, v: i64) -> Result<Code, E> {
                Ok(Code(v.to_string()))
            }
            fn visit_str<E: de::Error>(self, v: &str) -> Result<Code, E> {
                Ok(Code(v.to_owned()))
            }
        }
        deserializer.deserialize_any(Either)
    }
}

/// What holds for a code that is named nowhere.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CodeDefault {
    /// Not more often than in the baseline's runs, beyond chance.
    #[default]
    NoMoreThanBaseline,
    /// Shown, and of no effect.
    Ignore,
}

/// The rules for error codes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CodePolicy {
    /// One occurrence reverts.
    pub deny: BTreeSet<Code>,
    /// Allowed up to so many times in a run; more reverts.
    pub allow: BTreeMap<Code, u64>,
    /// Every other code.
    pub default: CodeDefault,
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
