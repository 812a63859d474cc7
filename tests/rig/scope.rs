//! What a part of the rig owns outside its own process: written down in a
//! directory before it exists, so that it can be removed by whoever is left.
//!
//! A scope is `/tmp/isugate-rig-<uid>/<pid>-<start time>-<number>`. Three ways
//! lead to its end, all through `scripts/reap-test-hosts`: its value is dropped;
//! the test process dies (a guard process notices); or the next run starts.

use super::process;
use anyhow::{Context, Result};
use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

/// Environment variable that marks the processes of a scope.
pub const MARK: &str = "ISUGATE_RIG";

/// A directory for one part's files, and the list of what else it owns.
#[derive(Debug)]
pub struct Scope {
    id: String,
    dir: PathBuf,
}

impl Scope {
    /// Makes a new, empty scope. The first one in a process also removes what
    /// processes that are gone left behind.
    ///
    /// # Errors
    /// When `/tmp` cannot be written or the guard process cannot be started.
    pub fn new() -> Result<Self> {
        static COUNT: AtomicU32 = AtomicU32::new(1);
        guard()?;
        let pid = std::process::id();
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let id = format!("{pid}-{}-{number}", process::start_time(pid)?);
        let base = base()?;
        // Other users may pass through, to a home below, but not look around.
        for dir in [&base, &base.join(&id)] {
            match fs::DirBuilder::new().mode(0o711).create(dir) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists && *dir == base => {}
                made => made.with_context(|| format!("cannot make {}", dir.display()))?,
            }
            fs::set_permissions(dir, fs::Permissions::from_mode(0o711))
                .with_context(|| format!("{} is not ours", dir.display()))?;
        }
        Ok(Self { dir: base.join(&id), id })
    }

    /// The scope's directory; removed with it.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Unique on this machine; letters of a host name.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Marks what `command` starts as the scope's, also what detaches itself.
    pub fn mark(&self, command: &mut Command) {
        command.env(MARK, &self.id);
    }

    /// # Errors
    /// When the process is gone or the list cannot be written.
    pub fn owns_process(&self, pid: u32) -> Result<()> {
        self.append("pids", &format!("{pid} {}", process::start_time(pid)?))
    }

    /// To be called before the user is added.
    ///
    /// # Errors
    /// When the list cannot be written.
    pub fn owns_user(&self, name: &str) -> Result<()> {
        self.append("users", name)
    }

    /// To be called before the network namespace is added.
    ///
    /// # Errors
    /// When the list cannot be written.
    pub fn owns_netns(&self, name: &str) -> Result<()> {
        self.append("netns", name)
    }

    /// To be called before the cgroup is made.
    ///
    /// # Errors
    /// When the list cannot be written.
    pub fn owns_cgroup(&self, name: &str) -> Result<()> {
        self.append("cgroups", name)
    }

    /// Ends and removes all that the scope owns, now.
    ///
    /// # Errors
    /// What `scripts/reap-test-hosts` said.
    pub fn reap(&self) -> Result<()> {
        if !self.dir.exists() {
            return Ok(());
        }
        process::run(Command::new(process::script("reap-test-hosts")).arg(&self.dir)).map(drop)
    }

    fn append(&self, list: &str, line: &str) -> Result<()> {
        let path = self.dir.join(list);
        let mut file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(&path)
            .with_context(|| format!("cannot write {}", path.display()))?;
        writeln!(file, "{line}").with_context(|| format!("cannot write {}", path.display()))
    }
}

impl Drop for Scope {
    fn drop(&mut self) {
        // A panic here, while a test's own panic unwinds, would hide it.
        if let Err(error) = self.reap() {
            eprintln!("rig: {error:#}");
        }
    }
}

/// The directory that holds the scopes of all of this user's test processes.
///
/// # Errors
/// When the user cannot be found out.
pub fn base() -> Result<PathBuf> {
    let uid = process::uid().context("no uid in /proc/self/status")?;
    Ok(PathBuf::from(format!("/tmp/isugate-rig-{uid}")))
}

/// Starts the process that outlives this one: it waits until its stdin ends,
/// which it does however this process dies, and then removes what is left.
fn guard() -> Result<()> {
    static GUARD: OnceLock<Result<ChildStdin, String>> = OnceLock::new();
    let started = GUARD.get_or_init(|| {
        let reaper = process::script("reap-test-hosts");
        let start = || -> Result<ChildStdin> {
            process::run(&mut Command::new(&reaper))?;
            let mut guard = Command::new("sh")
                .args(["-c", r#"cat >/dev/null; exec "$0" --after "$1""#])
                .arg(&reaper)
                .arg(std::process::id().to_string())
                .current_dir("/")
                .stdin(Stdio::piped())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                // Ctrl-C in the terminal ends the tests, not their guard.
                .process_group(0)
                .spawn()
                .context("cannot start the guard process")?;
            guard.stdin.take().context("the guard process has no stdin")
        };
        start().map_err(|error| format!("{error:#}"))
    });
    started.as_ref().map(drop).map_err(|error| anyhow::anyhow!("{error}"))
}
