//! A pull request was merged: its last accepted run becomes a baseline of the main branch.

use super::{Teller, page};
use crate::{
    config::shape::Language,
    exit::{Exit, Failure},
    github::{comment, event::PullRequest},
    ledger::{Ledger, Merged, proposal},
    verdict::Verdict,
};

/// Records the merge; says what became of it.
///
/// # Errors
/// The ledger.
pub(super) async fn merged(
    ledger: &Ledger,
    teller: &Teller,
    pull: &PullRequest,
    by: &str,
    language: Language,
) -> Result<String, Failure> {
    let broken = |e: crate::ledger::LedgerError| Failure::new(Exit::Failed, e.to_string(), "see the ledger's branch");
    let listing = ledger.runs().map_err(broken)?;
    let accepted = listing.entries.iter().filter(|entry| {
        let its = proposal::proposal(&entry.run)
            .is_some_and(|p| p.pull_request == Some(pull.number) || p.branch.as_deref() == Some(&pull.branch));
        its && entry.run.commit == pull.head && entry.decision.current().is_some_and(|d| d.verdict == Verdict::Accept)
    });
    let Some(entry) = accepted.max_by_key(|entry| &entry.run.id) else {
        return Ok(format!(
            "pull request #{} was merged, and no run of its last commit {} is accepted: the baseline stays as it is",
            pull.number,
            pull.head.get(..12).unwrap_or(&pull.head)
        ));
    };
    let merged = Merged {
        commit: pull.merge_commit.clone().unwrap_or_else(|| pull.head.clone()),
        pull_request: pull.number,
        by: by.to_owned(),
        at: jiff::Timestamp::now().to_string(),
    };
    ledger.mark_merged(&entry.run.id, &merged).map_err(broken)?;
    match ledger.sync() {
        Ok(report) => report.warning.iter().for_each(|warning| teller.warn(warning)),
        Err(error) => teller.warn(&format!("the ledger is not shared: {error}")),
    }
    let sentence = page::merged_sentence(&merged, &entry.run.id, language);
    if let Some(client) = teller.client() {
        let amended =
            comment::amend(client, pull.number, teller.author(), |_, text| page::with_decision(text, &sentence)).await;
        if let Err(error) = amended {
            teller.warn(&error);
        }
    }
    Ok(sentence)
}
