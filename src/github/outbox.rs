//! What GitHub has not taken yet: one file each in `.isugate/outbox/`, sent by `isugate publish` and by the next `isugate ci`.
//! A file is whole or not there, and goes only when GitHub has taken what it holds.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{
    check::{Check, Conclusion, Page},
    client::Client,
    comment::{self, Body, Sent},
    error::ApiError,
};

/// One thing to be sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Entry {
    /// The comment on a pull request.
    Comment {
        /// `owner/name`.
        repository: String,
        /// The pull request.
        number: u64,
        /// What it should say.
        body: Body,
    },
    /// The end of a check.
    Check {
        /// `owner/name`.
        repository: String,
        /// The check.
        check: Check,
        /// How it ends.
        conclusion: Conclusion,
        /// What its page shows.
        page: Page,
    },
    /// A check that is open while a process lives; once it is gone, the check is ended by whoever finds this.
    Open {
        /// `owner/name`.
        repository: String,
        /// The check.
        check: Check,
        /// The process, and when it began in clock ticks since boot: together they name it for good.
        process: (u32, u64),
    },
}

impl Entry {
    /// `owner/name`.
    pub fn repository(&self) -> &str {
        match self {
            Entry::Comment { repository, .. } | Entry::Check { repository, .. } | Entry::Open { repository, .. } => {
                repository
            }
        }
    }

    /// The file's name: one for a pull request's comment and one for a check, so that the newest takes the others' place.
    fn file_name(&self) -> String {
        let repository = self.repository().replace('/', "~");
        match self {
            Entry::Comment { number, .. } => format!("comment-{repository}-{number}.json"),
            Entry::Check { check, .. } => format!("check-{repository}-{}.json", check.external_id),
            Entry::Open { check, .. } => format!("open-{repository}-{}.json", check.external_id),
        }
    }

    /// What it is, for a person.
    pub fn describe(&self) -> String {
        match self {
            Entry::Comment { repository, number, .. } => format!("the comment on {repository}#{number}"),
            Entry::Check { repository, check, .. } => {
                format!("the end of the check on {} in {repository}", check.sha.get(..12).unwrap_or(&check.sha))
            }
            Entry::Open { repository, check, .. } => {
                format!("the open check on {} in {repository}", check.sha.get(..12).unwrap_or(&check.sha))
            }
        }
    }
}

/// The outbox of a working tree.
#[derive(Debug, Clone)]
pub struct Outbox {
    directory: PathBuf,
}

/// What became of a try to send everything.
#[derive(Debug, Default)]
pub struct Flushed {
    /// What was sent.
    pub sent: Vec<String>,
    /// What is kept, and why.
    pub kept: Vec<(String, String)>,
}

impl Outbox {
    /// The outbox of a working tree; nothing is made before something is kept.
    pub fn of(work_tree: &Path) -> Outbox {
        Outbox { directory: work_tree.join(".isugate/outbox") }
    }

    /// Keeps one thing. An older comment never takes the place of a newer one that waits.
    ///
    /// # Errors
    /// The disk.
    pub fn keep(&self, entry: &Entry) -> std::io::Result<()> {
        std::fs::create_dir_all(&self.directory)?;
        let ignore = self.directory.with_file_name(".gitignore");
        if !ignore.exists() {
            std::fs::write(ignore, "*\n")?;
        }
        let path = self.directory.join(entry.file_name());
        if let (Entry::Comment { body, .. }, Some(Entry::Comment { body: there, .. })) = (entry, read(&path))
            && there.order > body.order
        {
            return Ok(());
        }
        let mut file = tempfile::NamedTempFile::new_in(&self.directory)?;
        serde_json::to_writer_pretty(&mut file, entry)?;
        file.as_file().sync_all()?;
        file.persist(path)?;
        Ok(())
    }

    /// Forgets one thing; that it is not there is no error.
    pub fn forget(&self, entry: &Entry) {
        let _ = std::fs::remove_file(self.directory.join(entry.file_name()));
    }

    /// What waits, and files that cannot be read.
    pub fn waiting(&self) -> (Vec<Entry>, Vec<PathBuf>) {
        let Ok(listed) = std::fs::read_dir(&self.directory) else { return Default::default() };
        let mut paths: Vec<PathBuf> = listed.flatten().map(|entry| entry.path()).collect();
        paths.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
        paths.sort();
        let (mut entries, mut broken) = (Vec::new(), Vec::new());
        for path in paths {
            match read(&path) {
                Some(entry) => entries.push(entry),
                None => broken.push(path),
            }
        }
        (entries, broken)
    }

    /// Sends what waits for the client's repository.
    pub async fn flush(&self, client: &Client, author: &str) -> Flushed {
        let mut flushed = Flushed::default();
        let (entries, broken) = self.waiting();
        for path in broken {
            let next = "it is no entry of the outbox; next: look at it and remove it".to_owned();
            flushed.kept.push((path.display().to_string(), next));
        }
        for entry in entries {
            if !entry.repository().eq_ignore_ascii_case(client.repository()) {
                flushed.kept.push((entry.describe(), format!("it is for {}", entry.repository())));
                continue;
            }
            match send(client, author, &entry).await {
                None => {}
                Some(Ok(how)) => {
                    self.forget(&entry);
                    flushed.sent.push(format!("{}{how}", entry.describe()));
                }
                Some(Err(error)) => flushed.kept.push((entry.describe(), error.to_string())),
            }
        }
        flushed
    }
}

/// Sends one thing; `None` when it is not its time yet.
async fn send(client: &Client, author: &str, entry: &Entry) -> Option<Result<&'static str, ApiError>> {
    Some(match entry {
        Entry::Comment { number, body, .. } => {
            comment::publish(client, *number, author, body).await.map(|sent| match sent {
                Sent::Superseded { .. } => " (a newer run has spoken meanwhile)",
                _ => "",
            })
        }
        Entry::Check { check, conclusion, page, .. } => check.complete(client, *conclusion, page).await.map(|()| ""),
        Entry::Open { process, .. } if is_alive(*process) => return None,
        Entry::Open { check, .. } => {
            let page = Page {
                title: "the run was ended from outside before it had a verdict".into(),
                summary: "The process that worked on this commit is gone. `isugate lease` says whether the hosts are \
                          still held, `isugate resume` finishes or rolls back what it left."
                    .into(),
                annotations: Vec::new(),
            };
            check.complete(client, Conclusion::Cancelled, &page).await.map(|()| " (its process is gone)")
        }
    })
}

fn read(path: &Path) -> Option<Entry> {
    serde_json::from_slice(&std::fs::read(path).ok()?).ok()
}

/// This process, for [`Entry::Open`].
pub fn this_process() -> (u32, u64) {
    let pid = std::process::id();
    (pid, started(pid).unwrap_or(0))
}

fn is_alive((pid, began): (u32, u64)) -> bool {
    started(pid) == Some(began)
}

/// When a process began, in clock ticks since boot: field 22 of `/proc/<pid>/stat`. `None` for one that has ended.
fn started(pid: u32) -> Option<u64> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name in parentheses may hold anything.
    let (_, fields) = stat.rsplit_once(") ")?;
    let mut fields = fields.split(' ');
    let state = fields.next()?;
    if matches!(state, "Z" | "X") {
        return None;
    }
    fields.nth(18)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn comment(order: &str) -> Entry {
        let body = Body { order: order.into(), full: "text".into(), short: "t".into() };
        Entry::Comment { repository: "a/b".into(), number: 7, body }
    }

    #[test]
    fn what_is_kept_is_read_again_and_an_older_text_does_not_replace_a_newer_one() {
        let dir = tempfile::tempdir().unwrap();
        let outbox = Outbox::of(dir.path());
        outbox.keep(&comment("2")).unwrap();
        outbox.keep(&comment("1")).unwrap();
        assert_eq!(outbox.waiting().0, [comment("2")]);
        outbox.keep(&comment("3")).unwrap();
        assert_eq!(outbox.waiting().0, [comment("3")]);
        std::fs::write(dir.path().join(".isugate/outbox/x.json"), "{").unwrap();
        assert_eq!(outbox.waiting().1.len(), 1);
        outbox.forget(&comment("3"));
        assert!(outbox.waiting().0.is_empty());
    }

    #[test]
    fn a_process_is_known_by_its_number_and_its_start() {
        let (pid, began) = this_process();
        assert!(is_alive((pid, began)));
        assert!(!is_alive((pid, began + 1)));
        assert!(!is_alive((u32::MAX, 0)));
    }
}
