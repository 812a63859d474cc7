//! What can go wrong with the ledger, each with the next step.

use std::path::PathBuf;

use crate::exit::{Exit, Failure};

/// Why the ledger could not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum LedgerError {
    /// There is no git repository at the path.
    #[error("{} is not in a git repository ({why})\n  next: run isugate inside the repository, or `git init` first", path.display())]
    NoRepository {
        /// Where it was looked for.
        path: PathBuf,
        /// What git said.
        why: String,
    },
    /// The configured name cannot be a branch.
    #[error(
        "`{branch}` cannot be the name of a branch\n  next: set `ledger.branch` in isugate.yml, such as `isugate-ledger`"
    )]
    BadBranch {
        /// The name.
        branch: String,
    },
    /// The branch exists and holds something else.
    #[error(
        "the branch `{branch}` holds something else than a ledger ({found}); nothing was written to it\n  \
         next: set `ledger.branch` in isugate.yml to a name that is not in use"
    )]
    NotALedger {
        /// The branch, as git names it.
        branch: String,
        /// What was found in it.
        found: String,
    },
    /// Somebody works on the branch itself.
    #[error(
        "the branch `{branch}` is checked out in {}; writing to it would make that work tree look changed\n  \
         next: switch to another branch there (`git switch -`)", place.display()
    )]
    CheckedOut {
        /// The branch.
        branch: String,
        /// The git directory whose `HEAD` is on it.
        place: PathBuf,
    },
    /// A text that is not a run's id where one is needed.
    #[error("`{id}` is not the id of a run (YYYYMMDDTHHMMSSZ-xxxxxx)\n  next: `isugate history` lists the ids")]
    BadRunId {
        /// The text, made safe.
        id: String,
    },
    /// Run and decision do not belong together.
    #[error("the decision is about run {decision}, not about run {run}\n  next: record them together")]
    Mismatch {
        /// The run's id.
        run: String,
        /// The id in the decision.
        decision: String,
    },
    /// Another run has this id.
    #[error(
        "run {id} is in the ledger already, with other content\n  next: `isugate show {id}`; give the new run an id of its own"
    )]
    AlreadyRecorded {
        /// The id.
        id: String,
    },
    /// Nothing has this id.
    #[error("no run in the ledger has an id that begins with `{given}`\n  next: `isugate history` lists the ids")]
    NoSuchRun {
        /// What was asked for, made safe.
        given: String,
    },
    /// Several runs have such an id.
    #[error(
        "`{given}` could be {}{}\n  next: give more of the id",
        candidates.join(", "),
        if *more > 0 { format!(" and {more} more") } else { String::new() }
    )]
    Ambiguous {
        /// What was asked for, made safe.
        given: String,
        /// The newest ten.
        candidates: Vec<String>,
        /// How many others.
        more: usize,
    },
    /// A run is there and cannot be read.
    #[error(
        "run {id} cannot be read: {reason}\n  next: `git show {branch}:runs/{id}/run.json`; if a newer isugate wrote it, install that one"
    )]
    Unreadable {
        /// The id.
        id: String,
        /// What is wrong.
        reason: String,
        /// The branch.
        branch: String,
    },
    /// Other processes wrote all the time.
    #[error(
        "the branch `{branch}` could not be moved after {tries} tries ({why})\n  next: if no other git is at work, remove the lock file that it left"
    )]
    Contended {
        /// The branch.
        branch: String,
        /// How often it was tried.
        tries: u32,
        /// What git said last.
        why: String,
    },
    /// `git` itself could not be run.
    #[error("git could not be run: {why}\n  next: install git 2.29 or newer; the ledger is shared by it")]
    NoGit {
        /// What the system said.
        why: String,
    },
    /// git failed.
    #[error("the ledger's git repository: {0}")]
    Git(#[from] git2::Error),
    /// A record could not be written as JSON.
    #[error("the record cannot be written as JSON: {0}")]
    Json(#[from] serde_json::Error),
}

impl LedgerError {
    /// The exit status that a command which fails by this ends with.
    fn exit(&self) -> Exit {
        match self {
            LedgerError::NoRepository { .. }
            | LedgerError::BadBranch { .. }
            | LedgerError::NotALedger { .. }
            | LedgerError::CheckedOut { .. }
            | LedgerError::BadRunId { .. }
            | LedgerError::NoSuchRun { .. }
            | LedgerError::Ambiguous { .. } => Exit::Usage,
            _ => Exit::Failed,
        }
    }
}

impl From<LedgerError> for Failure {
    fn from(error: LedgerError) -> Failure {
        let (exit, text) = (error.exit(), error.to_string());
        match text.split_once("\n  next: ") {
            Some((message, next)) => Failure::new(exit, message, next),
            None => Failure { exit, message: text, next: None },
        }
    }
}
