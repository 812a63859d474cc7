//! Runs of commits that are not on the main branch yet: what they propose, and that they were merged. Their runs are compared and
//! recorded like all others, and become a baseline only with the merge.
//!
//! Both stand in fields of their own in `run.json` and `decision.json`, which readers that do not know them keep.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{DecisionRecord, Entry, Ledger, LedgerError, RunId, RunRecord, read, store::Change};

/// The field of `run.json`.
const PROPOSAL: &str = "proposal";
/// The field of `decision.json`.
const MERGED: &str = "merged";

/// What a run's commit is proposed by.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proposal {
    /// Its branch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// Its pull request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pull_request: Option<u64>,
}

/// That a run's commit was merged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Merged {
    /// The commit on the main branch.
    #[serde(rename = "as")]
    pub commit: String,
    /// The pull request.
    pub pull_request: u64,
    /// Who merged it.
    pub by: String,
    /// RFC 3339, UTC.
    pub at: String,
}

/// What a run's commit is proposed by; `None` for a run of the main branch or by hand.
pub fn proposal(run: &RunRecord) -> Option<Proposal> {
    serde_json::from_value(run.unknown.get(PROPOSAL)?.clone()).ok()
}

/// That a run's commit was merged.
pub fn merged(decision: &DecisionRecord) -> Option<Merged> {
    serde_json::from_value(decision.unknown.get(MERGED)?.clone()).ok()
}

/// Whether a run may be a baseline. A field that cannot be read counts as a proposal.
pub fn may_be_baseline(entry: &Entry) -> bool {
    !entry.run.unknown.contains_key(PROPOSAL) || merged(&entry.decision).is_some()
}

/// The fields of a run's record for a proposal.
pub fn fields(proposal: Option<&Proposal>) -> Map<String, Value> {
    let value = proposal.and_then(|proposal| serde_json::to_value(proposal).ok());
    value.into_iter().map(|value| (PROPOSAL.to_owned(), value)).collect()
}

impl Ledger {
    /// Records that a run's commit was merged. Recording it again changes nothing.
    ///
    /// # Errors
    /// No such run, a run that cannot be read, or git's own.
    pub fn mark_merged(&self, run: &str, merged: &Merged) -> Result<(), LedgerError> {
        let id: RunId = run.parse()?;
        let message = format!("merge {id}: pull request {}\n", merged.pull_request);
        self.update(|_, root| {
            let missing = || LedgerError::NoSuchRun { given: id.to_string() };
            let directory = root.get_path(format!("runs/{id}").as_ref()).map_err(|_| missing())?;
            let directory = directory.to_object(&self.repo)?.peel_to_tree()?;
            let mut raw: Value =
                read::record(&self.repo, &directory, "decision.json").map_err(|reason| self.unreadable(&id, reason))?;
            let Some(fields) = raw.as_object_mut().filter(|fields| !fields.contains_key(MERGED)) else {
                return Ok(None);
            };
            fields.insert(MERGED.into(), serde_json::to_value(merged)?);
            let blob = self.json(&raw)?;
            let tree = self.put(root, &[(format!("runs/{id}/decision.json"), blob)])?;
            Ok(Some(Change { tree, message: message.clone(), merged: None }))
        })
    }
}
