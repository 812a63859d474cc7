//! The branch as a place to write to: opened, checked, and moved from one commit to the next without a lost update.

use std::{
    collections::hash_map::RandomState,
    hash::{BuildHasher, Hasher},
    path::{Path, PathBuf},
    time::Duration,
};

use git2::{ErrorCode, Oid, Repository, Signature, Tree};

use super::{LedgerError, pages, readme};

/// How often a write is tried again when another process was faster. Each lost race means that somebody else's run was written.
const WRITE_TRIES: u32 = 200;

/// The ledger of one repository.
pub struct Ledger {
    pub(super) repo: Repository,
    pub(super) branch: String,
    pub(super) reference: String,
    pub(super) remote: Option<String>,
}

/// A new state of the branch's tree, and why.
pub(super) struct Change {
    pub tree: Oid,
    pub message: String,
    /// A second parent, for a merge.
    pub merged: Option<Oid>,
}

impl Ledger {
    /// Opens the ledger of the repository that `repo_path` is in. Nothing is written before the first append. `remote` is
    /// the name of the git remote that the branch is shared over.
    ///
    /// # Errors
    /// No repository, an impossible branch name, or a branch that holds something else.
    pub fn open(repo_path: &Path, branch: &str, remote: Option<&str>) -> Result<Ledger, LedgerError> {
        let repo = Repository::discover(repo_path)
            .map_err(|why| LedgerError::NoRepository { path: repo_path.to_owned(), why: why.message().to_owned() })?;
        let reference = format!("refs/heads/{branch}");
        if !git2::Branch::name_is_valid(branch).unwrap_or(false) {
            return Err(LedgerError::BadBranch { branch: super::text::terminal(branch, 80) });
        }
        let ledger = Ledger { repo, branch: branch.to_owned(), reference, remote: remote.map(str::to_owned) };
        if let Some(tip) = ledger.tip()? {
            ledger.check_is_ledger(tip, branch)?;
        }
        Ok(ledger)
    }

    /// Whether the branch may be written to: a run that could not be recorded at its end is better refused at its start.
    ///
    /// # Errors
    /// The branch is checked out in a work tree.
    pub fn check_writable(&self) -> Result<(), LedgerError> {
        let on_branch = format!("ref: {}", self.reference);
        let common = self.repo.commondir();
        let bare = self.repo.config()?.get_bool("core.bare").unwrap_or(false);
        let mut heads: Vec<PathBuf> = if bare { Vec::new() } else { vec![common.to_owned()] };
        if let Ok(linked) = std::fs::read_dir(common.join("worktrees")) {
            heads.extend(linked.flatten().map(|entry| entry.path()));
        }
        for place in heads {
            if std::fs::read_to_string(place.join("HEAD")).is_ok_and(|head| head.trim_end() == on_branch) {
                return Err(LedgerError::CheckedOut { branch: self.branch.clone(), place });
            }
        }
        Ok(())
    }

    /// The branch's name.
    pub fn branch(&self) -> &str {
        &self.branch
    }

    /// The commit that the branch is on, if it exists.
    pub(super) fn tip(&self) -> Result<Option<Oid>, LedgerError> {
        self.commit_of(&self.reference)
    }

    /// The commit that a reference is on, if it exists.
    pub(super) fn commit_of(&self, reference: &str) -> Result<Option<Oid>, LedgerError> {
        match self.repo.refname_to_id(reference) {
            Ok(id) => Ok(Some(id)),
            Err(e) if e.code() == ErrorCode::NotFound => Ok(None),
            Err(e) => Err(e.into()),
        }
    }

    /// The tree of a commit; the empty tree for none.
    pub(super) fn tree_of(&self, commit: Option<Oid>) -> Result<Tree<'_>, LedgerError> {
        match commit {
            Some(id) => Ok(self.repo.find_commit(id)?.tree()?),
            None => Ok(self.repo.find_tree(self.repo.treebuilder(None)?.write()?)?),
        }
    }

    /// Refuses a branch of the user's own: its `README.md` would be overwritten.
    pub(super) fn check_is_ledger(&self, commit: Oid, named: &str) -> Result<(), LedgerError> {
        let tree = self.tree_of(Some(commit))?;
        let not = |found: String| LedgerError::NotALedger { branch: named.to_owned(), found };
        if tree.is_empty() {
            return Ok(());
        }
        if tree.get_name("runs").and_then(|e| e.to_object(&self.repo).ok()?.into_tree().ok()).is_none() {
            return Err(not(format!("{} files and no folder `runs`", tree.len())));
        }
        match tree.get_name("README.md").map(|entry| entry.to_object(&self.repo)).transpose()? {
            Some(page) if !page.as_blob().is_some_and(|blob| blob.content().starts_with(readme::MARKER.as_bytes())) => {
                Err(not("a README.md of other origin".into()))
            }
            _ => Ok(()),
        }
    }

    /// Moves the branch on by one commit. `change` sees the tree as it is and says what it becomes, or `None` when there is
    /// nothing to do; it is asked again when another process was faster.
    pub(super) fn update(
        &self,
        mut change: impl FnMut(Option<Oid>, &Tree<'_>) -> Result<Option<Change>, LedgerError>,
    ) -> Result<(), LedgerError> {
        self.check_writable()?;
        let mut why = String::new();
        for attempt in 0..WRITE_TRIES {
            let tip = self.tip()?;
            if let Some(tip) = tip {
                self.check_is_ledger(tip, &self.branch)?;
            }
            let Some(change) = change(tip, &self.tree_of(tip)?)? else { return Ok(()) };
            let tree = self.repo.find_tree(pages::write(&self.repo, change.tree)?)?;
            // The remote's side comes first where there are two: its history reads as one line.
            let parents = change
                .merged
                .into_iter()
                .chain(tip)
                .map(|id| self.repo.find_commit(id))
                .collect::<Result<Vec<_>, _>>()?;
            let author = self.author()?;
            let commit = self.repo.commit(
                None,
                &author,
                &author,
                &change.message,
                &tree,
                &parents.iter().collect::<Vec<_>>(),
            )?;
            match self.swap(tip, commit, &change.message)? {
                None => return Ok(()),
                Some(lost) => why = lost,
            }
            std::thread::sleep(Duration::from_micros(500 + system_random() % (2_000 * u64::from(attempt.min(20) + 1))));
        }
        Err(LedgerError::Contended { branch: self.branch.clone(), tries: WRITE_TRIES, why })
    }

    /// Where the branch's newest commit is kept beside it: `actions/checkout` deletes every local branch, and with it would go
    /// what could not be shared yet.
    pub(super) fn kept(&self) -> String {
        format!("refs/isugate/{}", self.branch)
    }

    /// Puts the branch on `new` if it still is on `old`; else says why not.
    pub(super) fn swap(&self, old: Option<Oid>, new: Oid, message: &str) -> Result<Option<String>, LedgerError> {
        let log = message.lines().next().unwrap_or_default();
        let moved = match old {
            Some(old) => self.repo.reference_matching(&self.reference, new, true, old, log),
            None => self.repo.reference(&self.reference, new, false, log),
        };
        match moved {
            Ok(_) => {
                self.repo.reference(&self.kept(), new, true, "isugate: kept")?;
                Ok(None)
            }
            Err(e)
                if matches!(
                    e.code(),
                    ErrorCode::Modified | ErrorCode::Exists | ErrorCode::Locked | ErrorCode::NotFound
                ) =>
            {
                Ok(Some(e.message().to_owned()))
            }
            Err(e) => Err(e.into()),
        }
    }

    /// Who commits: the user as git knows them, else a fixed name, so that a fresh runner can write.
    fn author(&self) -> Result<Signature<'static>, LedgerError> {
        Ok(match self.repo.signature() {
            Ok(signature) => signature,
            Err(_) => Signature::now("isugate", "isugate@localhost")?,
        })
    }
}

/// Randomness of the system, good enough to keep two processes from waiting in step.
pub(super) fn system_random() -> u64 {
    RandomState::new().build_hasher().finish()
}
