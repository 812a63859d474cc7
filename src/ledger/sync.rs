//! Sharing the branch: fetch, merge, push, until both sides have all or the remote says no. What cannot be shared now is
//! kept and goes with the next time.

use std::time::{Duration, Instant};

use git2::{ErrorCode, Oid, Tree};

use super::{
    Ledger, LedgerError,
    git_command::{Output, batch_ssh, cleaned, git},
    read,
    store::{Change, system_random},
};

/// How often the exchange is tried.
const TRIES: u32 = 5;
/// After this long no new try begins.
const DEADLINE: Duration = Duration::from_secs(30);
/// How long one fetch or push may take.
const COMMAND_LIMIT: Duration = Duration::from_secs(60);

/// Whether others can see what is in the ledger.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SyncState {
    /// There is no remote: the ledger is of this repository alone.
    Local,
    /// Both sides have the same.
    Shared,
    /// The remote does not have everything yet.
    Pending,
}

/// What an exchange did.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct SyncReport {
    /// How it stands now.
    pub state: SyncState,
    /// Runs that came, or came with other content.
    pub received: usize,
    /// Runs that went.
    pub sent: usize,
    /// Runs that the remote does not have as they are here.
    pub pending: usize,
    /// Exchanges that it took.
    pub tries: u32,
    /// What a person should know: why it is not shared, in one line that is safe to print.
    pub warning: Option<String>,
}

/// How one try ended.
enum Exchange {
    Done,
    /// Somebody was faster, or the network failed.
    Again(String),
    /// Trying again would be answered alike.
    Refused(String),
}

impl Ledger {
    /// Shares the branch. A remote that is away, refuses or is not set is a report, not an error: the ledger here is whole.
    ///
    /// # Errors
    /// `git` cannot be started, the branch here cannot be written, or the remote's branch is no ledger.
    pub fn sync(&self) -> Result<SyncReport, LedgerError> {
        self.sync_with(|attempt| {
            let base = 100_u64 << attempt.min(6);
            std::thread::sleep(Duration::from_millis(base / 2 + system_random() % base));
        })
    }

    /// Takes back what the branch held before somebody deleted or reset it, as a workflow's checkout does with every branch.
    ///
    /// # Errors
    /// The branch cannot be written, or what was kept is no ledger.
    pub fn restore(&self) -> Result<(), LedgerError> {
        let Some(kept) = self.commit_of(&self.kept())? else { return Ok(()) };
        self.check_is_ledger(kept, &self.kept())?;
        self.adopt(kept)?
    }

    /// As [`Ledger::sync`]; `pause` waits before try number 2, 3, … and is given how many have failed.
    ///
    /// # Errors
    /// As [`Ledger::sync`].
    pub fn sync_with(&self, mut pause: impl FnMut(u32)) -> Result<SyncReport, LedgerError> {
        let mut report =
            SyncReport { state: SyncState::Local, received: 0, sent: 0, pending: 0, tries: 0, warning: None };
        let Some(remote) = self.usable_remote()? else { return Ok(report) };
        let started = Instant::now();
        let mut why = String::new();
        for failed in 0..TRIES {
            if failed > 0 {
                if started.elapsed() > DEADLINE {
                    break;
                }
                pause(failed);
            }
            report.tries = failed + 1;
            match self.exchange(remote, &mut report)? {
                Exchange::Done => {
                    report.state = SyncState::Shared;
                    return Ok(report);
                }
                Exchange::Again(reason) => why = reason,
                Exchange::Refused(reason) => {
                    why = reason;
                    break;
                }
            }
        }
        let ours = self.tree_of(self.tip()?)?;
        let theirs = self.tree_of(self.commit_of(&self.tracking(remote))?)?;
        report.pending = self.missing_from(&ours, &theirs)?;
        report.state = SyncState::Pending;
        let what = match report.pending {
            0 => "the ledger was not compared with".to_owned(),
            1 => "1 run or decision is recorded here and not yet shared with".to_owned(),
            many => format!("{many} runs or decisions are recorded here and not yet shared with"),
        };
        report.warning = Some(format!("{what} `{remote}` ({why}); nothing is lost, it goes with the next sync"));
        Ok(report)
    }

    /// The remote, if one is set and git knows it.
    fn usable_remote(&self) -> Result<Option<&str>, LedgerError> {
        let Some(name) = self.remote.as_deref() else { return Ok(None) };
        match self.repo.find_remote(name) {
            Ok(_) => Ok(Some(name)),
            Err(e) if matches!(e.code(), ErrorCode::NotFound | ErrorCode::InvalidSpec) => Ok(None),
            Err(e) => Err(e.into()),
        }
    }

    /// Where the remote's branch is remembered.
    fn tracking(&self, remote: &str) -> String {
        format!("refs/remotes/{remote}/{}", self.branch)
    }

    fn exchange(&self, remote: &str, report: &mut SyncReport) -> Result<Exchange, LedgerError> {
        let theirs = match self.fetch(remote)? {
            Ok(theirs) => theirs,
            Err(failed) => return Ok(failed),
        };
        if let Some(theirs) = theirs {
            self.check_is_ledger(theirs, &format!("{remote}/{}", self.branch))?;
            report.received += self.missing_from(&self.tree_of(Some(theirs))?, &self.tree_of(self.tip()?)?)?;
            if let Err(LedgerError::Contended { why, .. }) = self.adopt(theirs)? {
                return Ok(Exchange::Again(why));
            }
        }
        match self.tip()? {
            None => Ok(Exchange::Done),
            Some(ours) if Some(ours) == theirs => Ok(Exchange::Done),
            Some(ours) => {
                let going = self.missing_from(&self.tree_of(Some(ours))?, &self.tree_of(theirs)?)?;
                let pushed = self.push(remote, ours)?;
                if matches!(pushed, Exchange::Done) {
                    report.sent += going;
                }
                Ok(pushed)
            }
        }
    }

    /// Gets the remote's branch: the commit that it is on, `None` if it does not exist there.
    fn fetch(&self, remote: &str) -> Result<Result<Option<Oid>, Exchange>, LedgerError> {
        let tracking = self.tracking(remote);
        let refspec = format!("+{}:{tracking}", self.reference);
        let said = self.git(&[
            "fetch",
            "--quiet",
            "--no-tags",
            "--no-write-fetch-head",
            "--no-recurse-submodules",
            "--",
            remote,
            &refspec,
        ])?;
        if said.ok {
            return Ok(Ok(self.commit_of(&tracking)?));
        }
        if said.stderr.contains("couldn't find remote ref") {
            // Never there, or removed since: what was remembered of it no longer says what is shared.
            match self.repo.find_reference(&tracking) {
                Ok(mut stale) => stale.delete()?,
                Err(e) if e.code() == ErrorCode::NotFound => {}
                Err(e) => return Err(e.into()),
            }
            return Ok(Ok(None));
        }
        Ok(Err(failure(&said)))
    }

    fn push(&self, remote: &str, ours: Oid) -> Result<Exchange, LedgerError> {
        let refspec = format!("{ours}:{}", self.reference);
        // The user's own pre-push hook is about code; it may run a test suite or ask something.
        let said = self.git(&[
            "push",
            "--porcelain",
            "--no-verify",
            "--no-follow-tags",
            "--no-signed",
            "--recurse-submodules=no",
            "--",
            remote,
            &refspec,
        ])?;
        if said.ok {
            // A clone of one branch only does not follow this one by itself. Another process may have moved it on already.
            match self.repo.reference(&self.tracking(remote), ours, true, "isugate: push") {
                Ok(_) => {}
                Err(e) if matches!(e.code(), ErrorCode::Locked | ErrorCode::Modified) => {}
                Err(e) => return Err(e.into()),
            }
            return Ok(Exchange::Done);
        }
        let Some(rejected) = said.stdout.lines().find(|line| line.starts_with('!')) else { return Ok(failure(&said)) };
        let reason = rejected.rsplit('\t').next().unwrap_or_default();
        let lost_race = [
            "fetch first",
            "non-fast-forward",
            "cannot lock ref",
            "failed to update ref",
            "incorrect old value",
            "stale info",
        ];
        if lost_race.iter().any(|known| reason.contains(known)) {
            return Ok(Exchange::Again(cleaned(reason)));
        }
        let hook: String =
            said.stderr.lines().filter(|line| line.starts_with("remote:")).map(|line| format!("{line}\n")).collect();
        Ok(Exchange::Refused(match cleaned(&hook) {
            quiet if quiet.is_empty() => cleaned(reason),
            hook => format!("{}: {hook}", cleaned(reason)),
        }))
    }

    /// Takes what the remote has into the branch here, by moving it on or by a merge.
    fn adopt(&self, theirs: Oid) -> Result<Result<(), LedgerError>, LedgerError> {
        let mut why = String::new();
        for _ in 0..TRIES {
            let ours = self.tip()?;
            let moved = match ours {
                Some(ours) if ours == theirs || self.repo.graph_descendant_of(ours, theirs)? => return Ok(Ok(())),
                Some(ours) if !self.repo.graph_descendant_of(theirs, ours)? => {
                    let merged = self.update(|tip, root| self.merge_of(tip, root, theirs));
                    if matches!(merged, Err(LedgerError::Contended { .. })) {
                        return Ok(merged);
                    }
                    merged?;
                    None
                }
                _ => {
                    self.check_writable()?;
                    self.swap(ours, theirs, "isugate: fetch")?
                }
            };
            why = moved.unwrap_or(why);
        }
        Ok(Err(LedgerError::Contended { branch: self.branch.clone(), tries: TRIES, why }))
    }

    /// The merge of the branch as it is now with `theirs`, unless there is nothing to merge any more.
    fn merge_of(&self, tip: Option<Oid>, root: &Tree<'_>, theirs: Oid) -> Result<Option<Change>, LedgerError> {
        let Some(tip) = tip else { return Ok(None) };
        if tip == theirs || self.repo.graph_descendant_of(tip, theirs)? || self.repo.graph_descendant_of(theirs, tip)? {
            return Ok(None);
        }
        let tree = self.merged_tree(root, &self.tree_of(Some(theirs))?)?;
        Ok(Some(Change { tree, message: "merge: runs of two machines\n".into(), merged: Some(theirs) }))
    }

    /// How many runs `from` has that `there` has not, or has with other content.
    fn missing_from(&self, from: &Tree<'_>, there: &Tree<'_>) -> Result<usize, LedgerError> {
        let Some(from) = read::runs_tree(&self.repo, from)? else { return Ok(0) };
        let Some(there) = read::runs_tree(&self.repo, there)? else { return Ok(from.len()) };
        // Both are sorted the same way, and lookups in a tree are binary searches.
        Ok(from
            .iter()
            .filter(|entry| entry.name().ok().and_then(|name| there.get_name(name)).map(|e| e.id()) != Some(entry.id()))
            .count())
    }

    fn git(&self, arguments: &[&str]) -> Result<Output, LedgerError> {
        let place = self.repo.workdir().unwrap_or_else(|| self.repo.path());
        let configured = self.repo.config()?.get_string("core.sshCommand").ok();
        git(place, batch_ssh(configured), arguments, COMMAND_LIMIT)
    }
}

/// What to make of a command that failed before the remote could judge.
fn failure(said: &Output) -> Exchange {
    if said.timed_out {
        return Exchange::Again(format!("no answer within {} s", COMMAND_LIMIT.as_secs()));
    }
    let shown = cleaned(&said.stderr);
    let permanent = [
        "Authentication failed",
        "Permission denied",
        "Permission to",
        "could not read Username",
        "could not read Password",
        "Host key verification failed",
        "does not appear to be a git repository",
        "not found",
        "error: 403",
        "error: 401",
    ];
    if permanent.iter().any(|known| said.stderr.contains(known)) {
        Exchange::Refused(shown)
    } else {
        Exchange::Again(shown)
    }
}
