use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    Pass,
    Fail,
    Invalid,
}
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReadError {
    pub kind: String,
    pub message: String,
}
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Parsed {
    pub outcome: Outcome,
    pub reported_pass: Option<bool>,
    pub reported_score: Option<i64>,
    pub score: Option<i64>,
    pub codes: Option<BTreeMap<String, u64>>,
    pub reason: Option<String>,
    pub error: Option<ReadError>,
    pub warnings: Vec<String>,
    pub messages: Vec<String>,
}
