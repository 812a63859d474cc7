//! Two states of the ledger made one: the union of their runs, and of the decisions about a run that both changed.

use std::collections::BTreeSet;

use git2::{ObjectType, Oid, Repository, Tree, TreeBuilder, TreeEntry};
use serde_json::Value;

use super::{Ledger, LedgerError, read};

impl Ledger {
    /// The tree that holds all of both. Where both have a file with other content, theirs keeps the name and ours stays
    /// beside it; only `decision.json` is joined entry by entry.
    pub(super) fn merged_tree(&self, ours: &Tree<'_>, theirs: &Tree<'_>) -> Result<Oid, LedgerError> {
        let repo = &self.repo;
        let mut runs = repo.treebuilder(read::runs_tree(repo, theirs)?.as_ref())?;
        if let Some(own) = read::runs_tree(repo, ours)? {
            for entry in own.iter() {
                match in_builder(&runs, &entry)? {
                    Some((there, ObjectType::Tree)) if entry.kind() == Some(ObjectType::Tree) => {
                        if there != entry.id() {
                            let joined = self.merged_run(&repo.find_tree(entry.id())?, &repo.find_tree(there)?)?;
                            runs.insert(entry.name_bytes(), joined, entry.filemode())?;
                        }
                    }
                    there => add_beside(&mut runs, &entry, there.map(|(id, _)| id))?,
                }
            }
        }
        let mut root = repo.treebuilder(Some(theirs))?;
        for entry in ours.iter().filter(|entry| entry.name_bytes() != b"runs") {
            if root.get(entry.name_bytes())?.is_none() {
                root.insert(entry.name_bytes(), entry.id(), entry.filemode())?;
            }
        }
        root.insert("runs", runs.write()?, 0o040_000)?;
        Ok(root.write()?)
    }

    /// One run's directory that both sides have.
    fn merged_run(&self, ours: &Tree<'_>, theirs: &Tree<'_>) -> Result<Oid, LedgerError> {
        let mut files = self.repo.treebuilder(Some(theirs))?;
        for entry in ours.iter() {
            let there = in_builder(&files, &entry)?.map(|(id, _)| id);
            if entry.name_bytes() == b"decision.json"
                && let Some(there) = there
                && there != entry.id()
                && let Some(joined) = joined_decisions(&self.repo, entry.id(), there)
            {
                files.insert("decision.json", self.json(&joined)?, entry.filemode())?;
                continue;
            }
            add_beside(&mut files, &entry, there)?;
        }
        Ok(files.write()?)
    }
}

fn in_builder(builder: &TreeBuilder<'_>, entry: &TreeEntry<'_>) -> Result<Option<(Oid, ObjectType)>, LedgerError> {
    let there = builder.get(entry.name_bytes())?;
    Ok(there.map(|there| (there.id(), there.kind().unwrap_or(ObjectType::Any))))
}

/// Puts an entry in, under a name of its own where another one has its name.
fn add_beside(builder: &mut TreeBuilder<'_>, entry: &TreeEntry<'_>, there: Option<Oid>) -> Result<(), LedgerError> {
    match there {
        None => builder.insert(entry.name_bytes(), entry.id(), entry.filemode())?,
        Some(there) if there == entry.id() => return Ok(()),
        Some(_) => {
            let mut name = entry.name_bytes().to_vec();
            name.extend_from_slice(format!(".other-{:.7}", entry.id().to_string()).as_bytes());
            builder.insert(name, entry.id(), entry.filemode())?
        }
    };
    Ok(())
}

/// `decision.json` of both sides as one; `None` if one of them cannot be read.
fn joined_decisions(repo: &Repository, ours: Oid, theirs: Oid) -> Option<Value> {
    let value = |id| serde_json::from_slice::<Value>(repo.find_blob(id).ok()?.content()).ok();
    let (ours, mut theirs) = (value(ours)?, value(theirs)?);
    let decisions = union(ours.get("decisions")?.as_array()?, theirs.get("decisions")?.as_array()?);
    let fields = theirs.as_object_mut()?;
    for (name, field) in ours.as_object()? {
        if !fields.contains_key(name) {
            fields.insert(name.clone(), field.clone());
        }
    }
    fields.insert("decisions".into(), Value::Array(decisions));
    Some(theirs)
}

/// All decisions of both, each once, the gate's verdict first and the others in the order of time. The order does not
/// depend on which side is which, so that two machines that merge at once get the same.
fn union(ours: &[Value], theirs: &[Value]) -> Vec<Value> {
    let mut seen = BTreeSet::new();
    let mut all: Vec<Value> =
        theirs.iter().chain(ours).filter(|decision| seen.insert(key(decision))).cloned().collect();
    all.sort_by_key(key);
    let is_gate = |decision: &Value| decision.get("by_person").and_then(Value::as_bool) == Some(false);
    let begins_with_gate = ours.first().is_some_and(is_gate) || theirs.first().is_some_and(is_gate);
    if begins_with_gate && let Some(at) = all.iter().position(is_gate) {
        all[..=at].rotate_right(1);
    }
    all
}

/// What makes two decisions the same one; sorts by time.
fn key(decision: &Value) -> (Option<jiff::Timestamp>, [String; 3]) {
    let field = |name: &str| decision.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let at = field("at");
    (at.parse().ok(), [at, field("by"), field("verdict")])
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn decided(verdict: &str, by: &str, at: &str) -> Value {
        json!({"verdict": verdict, "by": by, "at": at, "by_person": by != "isugate", "reasons": []})
    }

    #[test]
    fn decisions_of_both_sides_are_joined_once_each_in_order_of_time() {
        let gate = decided("revert", "isugate", "2026-11-30T15:00:00Z");
        let ann = decided("accept", "ann", "2026-11-30T15:05:00Z");
        let bob = decided("revert", "bob", "2026-11-30T15:04:00+00:00");
        let (one, other) = (vec![gate.clone(), ann.clone()], vec![gate.clone(), bob.clone()]);
        assert_eq!(union(&one, &other), [gate.clone(), bob.clone(), ann.clone()]);
        assert_eq!(union(&other, &one), union(&one, &other));
        assert_eq!(union(&one, &one), one);
    }

    #[test]
    fn the_gates_verdict_stays_first_when_a_persons_clock_is_behind() {
        let gate = decided("revert", "isugate", "2026-11-30T15:00:00Z");
        let early = decided("accept", "ann", "2026-11-30T14:00:00Z");
        let late = decided("accept", "bob", "2026-11-30T16:00:00Z");
        assert_eq!(union(&[gate.clone(), early.clone()], &[gate.clone(), late.clone()]), [gate, early, late]);
    }
}
