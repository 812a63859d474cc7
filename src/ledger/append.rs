//! Writing to the ledger: a run with its verdict, and a person's decision about a run that is there.

use git2::{Oid, Tree, build::TreeUpdateBuilder};
use serde::Serialize;

use super::{
    Decision, DecisionRecord, Ledger, LedgerError, RunId, RunRecord, read,
    store::Change,
    text::{grouped, one_line},
};
use crate::verdict::Verdict;

impl Ledger {
    /// Records a run with what was decided about it. Recording the same run again changes nothing, so that an interrupted
    /// run can be finished without being counted twice.
    ///
    /// # Errors
    /// An id that is none, records that do not belong together, another run of the same id, or git's own.
    pub fn append(&self, run: &RunRecord, decision: &DecisionRecord) -> Result<(), LedgerError> {
        let id: RunId = run.id.parse()?;
        if decision.run != run.id {
            return Err(LedgerError::Mismatch { run: run.id.clone(), decision: one_line(&decision.run) });
        }
        let run_blob = self.json(run)?;
        let decision_blob = self.json(decision)?;
        let verdict = decision.current().map_or("no verdict", |d| verdict_word(d.verdict));
        let score = run.result.score.map_or_else(|| "no score".to_owned(), grouped);
        let message = format!("run {id}: {verdict} {score}\n");
        self.update(|_, root| {
            if let Some(there) = root.get_path(format!("runs/{id}/run.json").as_ref()).ok().map(|e| e.id()) {
                return if there == run_blob {
                    Ok(None)
                } else {
                    Err(LedgerError::AlreadyRecorded { id: id.to_string() })
                };
            }
            let tree = self.put(
                root,
                &[(format!("runs/{id}/run.json"), run_blob), (format!("runs/{id}/decision.json"), decision_blob)],
            )?;
            Ok(Some(Change { tree, message: message.clone(), merged: None }))
        })
    }

    /// Adds a decision to those of a run; earlier ones stay. Its time is moved behind the last one's where a clock is
    /// behind, so that the order of time is the order in which people decided.
    ///
    /// # Errors
    /// No such run, a run that cannot be read, or git's own.
    pub fn decide(&self, run: &str, decision: Decision) -> Result<(), LedgerError> {
        let id: RunId = run.parse()?;
        let message = format!("decide {id}: {} by {}\n", verdict_word(decision.verdict), one_line(&decision.by));
        self.update(|_, root| {
            let missing = || LedgerError::NoSuchRun { given: id.to_string() };
            let directory = root
                .get_path(format!("runs/{id}").as_ref())
                .map_err(|_| missing())?
                .to_object(&self.repo)?
                .peel_to_tree()?;
            let unreadable = |reason| self.unreadable(&id, reason);
            let known: DecisionRecord = read::record(&self.repo, &directory, "decision.json").map_err(unreadable)?;
            let mut raw: serde_json::Value =
                read::record(&self.repo, &directory, "decision.json").map_err(unreadable)?;
            let mut added = decision.clone();
            added.at = not_before(&added.at, known.current().map(|d| d.at.as_str()));
            // The file is changed as it is written, not as it is understood: what a newer version put in stays in.
            match raw.get_mut("decisions").and_then(|list| list.as_array_mut()) {
                Some(list) => list.push(serde_json::to_value(&added)?),
                None => return Err(unreadable("decision.json has no list of decisions".into())),
            }
            let blob = self.json(&raw)?;
            let tree = self.put(root, &[(format!("runs/{id}/decision.json"), blob)])?;
            Ok(Some(Change { tree, message: message.clone(), merged: None }))
        })
    }

    /// A value as a JSON document in the object store.
    pub(super) fn json(&self, value: &impl Serialize) -> Result<Oid, LedgerError> {
        let mut bytes = serde_json::to_vec_pretty(value)?;
        bytes.push(b'\n');
        Ok(self.repo.blob(&bytes)?)
    }

    /// The tree with files put into it.
    pub(super) fn put(&self, root: &Tree<'_>, files: &[(String, Oid)]) -> Result<Oid, LedgerError> {
        let mut update = TreeUpdateBuilder::new();
        for (path, blob) in files {
            update.upsert(path.as_str(), *blob, git2::FileMode::Blob);
        }
        Ok(update.create_updated(&self.repo, root)?)
    }
}

/// The verdict as the ledger writes it.
pub fn verdict_word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Accept => "accept",
        Verdict::Revert => "revert",
        Verdict::Inconclusive => "inconclusive",
        Verdict::Invalid => "invalid",
    }
}

/// `at`, or a millisecond after `last` where that is later. Times that cannot be read are left alone.
fn not_before(at: &str, last: Option<&str>) -> String {
    let last: Option<jiff::Timestamp> = last.and_then(|last| last.parse().ok());
    match (at.parse::<jiff::Timestamp>(), last) {
        (Ok(own), Some(last)) if own <= last => match last.checked_add(jiff::Span::new().milliseconds(1)) {
            Ok(after) => after.to_string(),
            Err(_) => at.to_owned(),
        },
        _ => at.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_is_behind_does_not_put_a_decision_before_the_one_it_overrides() {
        let verdict = "2026-11-30T15:00:00Z";
        assert_eq!(not_before("2026-11-30T14:59:00Z", Some(verdict)), "2026-11-30T15:00:00.001Z");
        assert_eq!(not_before("2026-11-30T15:01:00Z", Some(verdict)), "2026-11-30T15:01:00Z");
        assert_eq!(not_before("2026-11-30T14:59:00Z", None), "2026-11-30T14:59:00Z");
    }
}
