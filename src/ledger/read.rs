//! Reading the ledger: tolerant of what newer or broken writers left, so that one bad entry never hides the others.

use git2::{Oid, Repository, Tree};
use serde::{Deserialize, de::DeserializeOwned};

use super::{DecisionRecord, Ledger, LedgerError, RunId, RunRecord, SCHEMA_VERSION, proposal, text};
use crate::{result::Outcome, verdict::Verdict};

/// Bytes above which a record is not read: ours are a few thousand.
const MAX_RECORD: usize = 8 << 20;
/// How many candidates an ambiguous prefix is answered with.
const CANDIDATES: usize = 10;

/// A run with what was decided about it.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// The run.
    pub run: RunRecord,
    /// What was decided.
    pub decision: DecisionRecord,
}

/// An entry that is there and cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Unreadable {
    /// The directory's name, made safe.
    pub id: String,
    /// What is wrong.
    pub reason: String,
}

/// The ledger's entries.
#[derive(Debug, Clone, Default)]
pub struct Listing {
    /// Those that can be read, in the order of their ids, which is by time.
    pub entries: Vec<Entry>,
    /// The others.
    pub unreadable: Vec<Unreadable>,
}

impl Ledger {
    /// All runs in time order.
    ///
    /// # Errors
    /// Only git's own; a bad entry is listed, not an error.
    pub fn runs(&self) -> Result<Listing, LedgerError> {
        let tree = self.tree_of(self.tip()?)?;
        list(&self.repo, &tree, usize::MAX)
    }

    /// The run whose id begins with `prefix`, or the random part of whose id does.
    ///
    /// # Errors
    /// None or several have such an id, or it cannot be read.
    pub fn find(&self, prefix: &str) -> Result<Entry, LedgerError> {
        let (id, tree) = self.locate(prefix)?;
        entry(&self.repo, &tree, id.as_str()).map_err(|reason| self.unreadable(&id, reason))
    }

    /// Both records of a run as they are written, with the fields that this version does not know: `run.json` and `decision.json`.
    ///
    /// # Errors
    /// As [`Ledger::find`].
    pub fn find_raw(&self, prefix: &str) -> Result<(serde_json::Value, serde_json::Value), LedgerError> {
        let (id, tree) = self.locate(prefix)?;
        let raw = |file: &str| record(&self.repo, &tree, file).map_err(|reason| self.unreadable(&id, reason));
        Ok((raw("run.json")?, raw("decision.json")?))
    }

    /// The baseline of a series: its last run, by the time of the decision, that is accepted as of now. `excluding` leaves
    /// one run out, such as the candidate itself.
    ///
    /// # Errors
    /// Git's own.
    pub fn baseline(&self, series: &str, excluding: Option<&str>) -> Result<Option<Entry>, LedgerError> {
        self.baseline_where(series, |entry| Some(entry.run.id.as_str()) != excluding)
    }

    /// As [`Ledger::baseline`], of the runs that `eligible` lets through: the place for a rule such as "its commit is merged".
    ///
    /// # Errors
    /// Git's own.
    pub fn baseline_where(
        &self,
        series: &str,
        eligible: impl Fn(&Entry) -> bool,
    ) -> Result<Option<Entry>, LedgerError> {
        Ok(baseline_of(&self.runs()?.entries, series, eligible).cloned())
    }

    /// The full id that a prefix stands for, and the run's directory.
    pub(super) fn locate(&self, prefix: &str) -> Result<(RunId, Tree<'_>), LedgerError> {
        let given = || text::terminal(prefix, 40);
        let wanted = prefix.to_ascii_uppercase();
        let root = self.tree_of(self.tip()?)?;
        let Some(runs) = runs_tree(&self.repo, &root)? else { return Err(LedgerError::NoSuchRun { given: given() }) };
        let ids = runs.iter().filter_map(|e| e.name().ok()?.parse::<RunId>().ok());
        let mut found: Vec<RunId> = ids
            .filter(|id| {
                let upper = id.as_str().to_ascii_uppercase();
                !wanted.is_empty()
                    && (upper.starts_with(&wanted) || id.suffix().to_ascii_uppercase().starts_with(&wanted))
            })
            .collect();
        found.sort_unstable();
        match found.pop() {
            None => Err(LedgerError::NoSuchRun { given: given() }),
            Some(id) if found.is_empty() => {
                let entry = runs.get_name(id.as_str()).ok_or_else(|| LedgerError::NoSuchRun { given: given() })?;
                let tree = entry.to_object(&self.repo)?.peel_to_tree()?;
                Ok((id, tree))
            }
            Some(newest) => {
                let all = found.len() + 1;
                let candidates =
                    std::iter::once(newest).chain(found.into_iter().rev()).take(CANDIDATES).map(|id| id.to_string());
                Err(LedgerError::Ambiguous {
                    given: given(),
                    candidates: candidates.collect(),
                    more: all.saturating_sub(CANDIDATES),
                })
            }
        }
    }

    pub(super) fn unreadable(&self, id: &RunId, reason: String) -> LedgerError {
        LedgerError::Unreadable { id: id.to_string(), reason, branch: self.branch.clone() }
    }
}

/// The baseline among `entries`: the last by the time of the decision or the merge, of those of the series that are accepted as
/// of now and are not merely proposed.
pub fn baseline_of<'a>(entries: &'a [Entry], series: &str, eligible: impl Fn(&Entry) -> bool) -> Option<&'a Entry> {
    let accepted = entries.iter().filter(|entry| {
        entry.run.series.key == series
            && entry.decision.current().is_some_and(|d| d.verdict == Verdict::Accept)
            && proposal::may_be_baseline(entry)
            && eligible(entry)
    });
    accepted.max_by_key(|entry| (decided_at(entry), entry.run.id.as_str()))
}

/// Seconds that the benchmark takes in a series: the median of the undisturbed runs that passed, once there are three.
pub fn usual_seconds(entries: &[Entry], series: &str) -> Option<f64> {
    let undisturbed = |run: &RunRecord| run.violations.is_empty() && run.result.outcome == Outcome::Pass;
    let runs = entries.iter().map(|entry| &entry.run).filter(|run| run.series.key == series && undisturbed(run));
    let mut seconds: Vec<_> = runs.map(|run| run.bench.seconds).filter(|seconds| *seconds > 0.0).collect();
    seconds.sort_by(f64::total_cmp);
    seconds.get(seconds.len() / 2).copied().filter(|_| seconds.len() >= 3)
}

/// When the decision that holds was made, or its commit was merged; the earliest time where neither can be read.
fn decided_at(entry: &Entry) -> jiff::Timestamp {
    let decided = entry.decision.current().and_then(|d| d.at.parse().ok());
    let merged = proposal::merged(&entry.decision).and_then(|merged| merged.at.parse().ok());
    decided.max(merged).unwrap_or(jiff::Timestamp::MIN)
}

/// The directory `runs`, if there is one.
pub(super) fn runs_tree<'repo>(repo: &'repo Repository, root: &Tree<'_>) -> Result<Option<Tree<'repo>>, LedgerError> {
    Ok(root.get_name("runs").map(|entry| repo.find_tree(entry.id())).transpose()?)
}

/// The last `limit` entries of a ledger's tree, by id.
pub(super) fn list(repo: &Repository, root: &Tree<'_>, limit: usize) -> Result<Listing, LedgerError> {
    let mut listing = Listing::default();
    let Some(runs) = runs_tree(repo, root)? else { return Ok(listing) };
    let skip = runs.len().saturating_sub(limit);
    for item in runs.iter().skip(skip) {
        let name = String::from_utf8_lossy(item.name_bytes()).into_owned();
        let read = match name.parse::<RunId>() {
            Err(_) => Err("the directory's name is not the id of a run".to_owned()),
            Ok(_) => match repo.find_tree(item.id()) {
                Ok(tree) => entry(repo, &tree, &name),
                Err(_) => Err("it is not a directory".to_owned()),
            },
        };
        match read {
            Ok(entry) => listing.entries.push(entry),
            Err(reason) => listing.unreadable.push(Unreadable { id: text::terminal(&name, 40), reason }),
        }
    }
    Ok(listing)
}

/// One entry, or a sentence about what is wrong with it.
fn entry(repo: &Repository, directory: &Tree<'_>, id: &str) -> Result<Entry, String> {
    let run: RunRecord = record(repo, directory, "run.json")?;
    let decision: DecisionRecord = record(repo, directory, "decision.json")?;
    for (file, says) in [("run.json", &run.id), ("decision.json", &decision.run)] {
        if says != id {
            return Err(format!("{file} says that it belongs to run {}", text::terminal(says, 40)));
        }
    }
    Ok(Entry { run, decision })
}

/// One record of a run's directory, or a sentence about what is wrong with it.
pub(super) fn record<T: DeserializeOwned + Versioned>(
    repo: &Repository,
    directory: &Tree<'_>,
    file: &str,
) -> Result<T, String> {
    let id = directory.get_name(file).ok_or_else(|| format!("{file} is missing"))?.id();
    let bytes = blob(repo, id).map_err(|why| format!("{file}: {why}"))?;
    let read = serde_json::from_slice::<T>(&bytes);
    let version = match &read {
        Ok(record) => record.version().map(str::to_owned),
        Err(_) => serde_json::from_slice::<Head>(&bytes).ok().map(|head| head.schema_version),
    };
    match (version, read) {
        (Some(version), _) if major(&version) != major(SCHEMA_VERSION) => {
            let version = text::terminal(&version, 20);
            Err(format!("{file} has schema version {version}; this isugate reads {}.x", major(SCHEMA_VERSION)))
        }
        (_, Ok(record)) => Ok(record),
        (_, Err(why)) => Err(format!("{file}: {}", text::terminal(&why.to_string(), 200))),
    }
}

/// What says which version of the shapes it has.
pub(super) trait Versioned {
    fn version(&self) -> Option<&str>;
}

impl Versioned for RunRecord {
    fn version(&self) -> Option<&str> {
        Some(&self.schema_version)
    }
}

impl Versioned for DecisionRecord {
    fn version(&self) -> Option<&str> {
        Some(&self.schema_version)
    }
}

impl Versioned for serde_json::Value {
    fn version(&self) -> Option<&str> {
        self.get("schema_version")?.as_str()
    }
}

#[derive(Deserialize)]
struct Head {
    schema_version: String,
}

fn major(version: &str) -> &str {
    version.split('.').next().unwrap_or_default()
}

/// A record's bytes, unless there are too many.
fn blob(repo: &Repository, id: Oid) -> Result<Vec<u8>, String> {
    let said = |e: git2::Error| e.message().to_owned();
    let blob = repo.find_blob(id).map_err(said)?;
    if blob.size() > MAX_RECORD {
        return Err(format!("{} bytes are more than a record has", blob.size()));
    }
    Ok(blob.content().to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_told_by_its_first_number() {
        assert_eq!(major("1.7"), "1");
        assert_eq!(major("12.0"), "12");
        assert_eq!(major(""), "");
    }
}
