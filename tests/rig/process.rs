//! Runs programs to their end and turns their failure into an error that shows
//! what they said.

use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// Runs `command` with an empty stdin and returns its stdout.
///
/// # Errors
/// When it cannot be started or does not exit with 0; the message holds the
/// command line and its stderr.
pub fn run(command: &mut Command) -> Result<String> {
    let output = output(command)?;
    if !output.status.success() {
        bail!("{command:?} ended with {}: {}", output.status, text(&output.stderr).trim());
    }
    Ok(text(&output.stdout))
}

/// Runs `command` with an empty stdin and returns status and output, whatever
/// the status is.
///
/// # Errors
/// When it cannot be started.
pub fn output(command: &mut Command) -> Result<Output> {
    command.stdin(Stdio::null()).output().with_context(|| format!("cannot start {command:?}"))
}

/// Bytes of a program as text; what is not UTF-8 is replaced.
pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Asks `ready` every 20 ms until it has a value, for at most `limit`.
///
/// # Errors
/// The error of `ready`, or one that names `what` when the time is over.
pub fn wait_for<T>(what: &str, limit: Duration, mut ready: impl FnMut() -> Result<Option<T>>) -> Result<T> {
    let deadline = Instant::now() + limit;
    loop {
        if let Some(value) = ready()? {
            return Ok(value);
        }
        if Instant::now() >= deadline {
            bail!("{what}: not within {limit:?}");
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Sends `signal` (a name without `SIG`) to processes of which some may be gone.
///
/// # Errors
/// When `kill` cannot be started.
pub fn signal(signal: &str, pids: &[u32]) -> Result<()> {
    if !pids.is_empty() {
        output(Command::new("kill").arg(format!("-{signal}")).args(pids.iter().map(u32::to_string)))?;
    }
    Ok(())
}

/// A zombie counts as gone.
pub fn is_alive(pid: u32) -> bool {
    stat(pid).is_some_and(|stat| stat.state != 'Z' && stat.state != 'X')
}

/// Clock ticks from boot to the start of `pid`: with the pid it names a process
/// for good. proc(5), field 22.
///
/// # Errors
/// When there is no such process.
pub fn start_time(pid: u32) -> Result<u64> {
    stat(pid).map(|stat| stat.start_time).with_context(|| format!("no process {pid}"))
}

/// Processes whose parent is `pid`, with their command name.
pub fn children(pid: u32) -> Vec<(u32, String)> {
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    entries
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter_map(|child| stat(child).filter(|stat| stat.parent == pid).map(|stat| (child, stat.name)))
        .collect()
}

/// Where `name` is, looking also where administrators' programs are, which a
/// user's `PATH` may lack.
///
/// # Errors
/// When it is not installed.
pub fn program(name: &str) -> Result<PathBuf> {
    let path = std::env::var("PATH").unwrap_or_default();
    path.split(':')
        .chain(["/usr/local/sbin", "/usr/sbin", "/sbin"])
        .map(|dir| Path::new(dir).join(name))
        .find(|candidate| candidate.is_file())
        .with_context(|| format!("{name} is not installed; run scripts/install-test-deps"))
}

/// One of the project's `scripts/`.
pub fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts").join(name)
}

/// Whether this process may do what root may.
pub fn is_root() -> bool {
    uid() == Some(0)
}

/// The effective user id. proc(5), `Uid:` of `status`.
pub fn uid() -> Option<u32> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    status.lines().find_map(|line| line.strip_prefix("Uid:"))?.split_whitespace().nth(1)?.parse().ok()
}

struct Stat {
    name: String,
    state: char,
    parent: u32,
    start_time: u64,
}

fn stat(pid: u32) -> Option<Stat> {
    let line = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name may hold spaces and parentheses: it ends at the last one.
    let (head, rest) = line.rsplit_once(") ")?;
    let (_, name) = head.split_once(" (")?;
    let fields: Vec<&str> = rest.split_whitespace().collect();
    Some(Stat {
        name: name.to_owned(),
        state: fields.first()?.chars().next()?,
        parent: fields.get(1)?.parse().ok()?,
        start_time: fields.get(19)?.parse().ok()?,
    })
}
