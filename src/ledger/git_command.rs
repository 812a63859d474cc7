//! The `git` program, for what goes over the network: it knows the user's credentials, proxies and SSH configuration.

use std::{
    io::{Read, Seek, SeekFrom},
    os::unix::process::CommandExt,
    path::Path,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, kill_process_group};

use super::{LedgerError, text};

/// Bytes of its output that are read.
const MAX_OUTPUT: u64 = 64 << 10;

/// How a command ended.
pub(super) struct Output {
    /// Whether its exit status was 0.
    pub ok: bool,
    /// Whether the time limit ended it.
    pub timed_out: bool,
    /// What it printed.
    pub stdout: String,
    /// What it said, in English.
    pub stderr: String,
}

/// Runs `git` in a repository, never asking anybody anything, for at most `limit`.
///
/// # Errors
/// `git` cannot be started.
pub(super) fn git(
    repository: &Path,
    ssh: Option<String>,
    arguments: &[&str],
    limit: Duration,
) -> Result<Output, LedgerError> {
    let no_git = |e: std::io::Error| LedgerError::NoGit { why: e.to_string() };
    // Files, not pipes: an SSH connection that stays open in the background would hold a pipe and never let it end.
    let (mut out, mut err) = (tempfile::tempfile().map_err(no_git)?, tempfile::tempfile().map_err(no_git)?);
    let mut command = Command::new("git");
    command.arg("-C").arg(repository).args([
        "-c",
        "gc.auto=0",
        "-c",
        "maintenance.auto=false",
        "-c",
        "core.quotePath=true",
    ]);
    command.args(arguments);
    for inherited in [
        "GIT_DIR",
        "GIT_WORK_TREE",
        "GIT_INDEX_FILE",
        "GIT_COMMON_DIR",
        "GIT_OBJECT_DIRECTORY",
        "GIT_NAMESPACE",
        "LANGUAGE",
    ] {
        command.env_remove(inherited);
    }
    command.env("GIT_TERMINAL_PROMPT", "0").env("GCM_INTERACTIVE", "never").env("LC_ALL", "C");
    if let Some(ssh) = ssh {
        command.env("GIT_SSH_COMMAND", ssh);
    }
    command.stdin(Stdio::null());
    command.stdout(out.try_clone().map_err(no_git)?).stderr(err.try_clone().map_err(no_git)?);
    // A group of its own: the limit ends the helpers too, and Ctrl-C does not end a push half-way.
    command.process_group(0);
    let mut child = command.spawn().map_err(no_git)?;
    let started = Instant::now();
    let (status, timed_out) = loop {
        if let Some(status) = child.try_wait().map_err(no_git)? {
            break (Some(status), false);
        }
        if started.elapsed() > limit {
            let group = Pid::from_child(&child);
            if kill_process_group(group, Signal::KILL).is_err() {
                child.kill().map_err(no_git)?;
            }
            child.wait().map_err(no_git)?;
            break (None, true);
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    let read = |file: &mut std::fs::File| -> std::io::Result<String> {
        let mut bytes = Vec::new();
        file.seek(SeekFrom::Start(0))?;
        file.take(MAX_OUTPUT).read_to_end(&mut bytes)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    };
    let (stdout, stderr) = (read(&mut out).map_err(no_git)?, read(&mut err).map_err(no_git)?);
    Ok(Output { ok: status.is_some_and(|s| s.success()), timed_out, stdout, stderr })
}

/// The SSH command to use so that nothing is asked: the user's own with `BatchMode`, unless it is not OpenSSH's.
pub(super) fn batch_ssh(configured: Option<String>) -> Option<String> {
    let own = std::env::var("GIT_SSH_COMMAND").ok().or(configured);
    match own {
        Some(command) if command.split_whitespace().next().is_some_and(|p| p == "ssh" || p.ends_with("/ssh")) => {
            Some(format!("{command} -o BatchMode=yes"))
        }
        Some(_) => None,
        None if std::env::var_os("GIT_SSH").is_some() => None,
        None => Some("ssh -o BatchMode=yes -o ConnectTimeout=10".into()),
    }
}

/// What git and the remote's hooks said, fit to be shown: no hints, no credentials of a URL, no control characters.
pub(super) fn cleaned(stderr: &str) -> String {
    let lines = stderr.lines().map(|line| line.trim_start_matches("remote:").trim());
    let said = lines.filter(|line| !line.is_empty() && !line.starts_with("hint:") && !line.starts_with("To "));
    let kept: Vec<String> = said.take(6).map(|line| without_credentials(&text::terminal(line, 200))).collect();
    kept.join("; ")
}

/// `scheme://user:secret@host` becomes `scheme://***@host`.
fn without_credentials(line: &str) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some(at) = rest.find("://") {
        let (before, after) = rest.split_at(at + 3);
        out.push_str(before);
        let authority = after.find(['/', ' ', '\'', '"']).unwrap_or(after.len());
        let host = match after[..authority].rfind('@') {
            Some(sign) => {
                out.push_str("***");
                sign
            }
            None => 0,
        };
        out.push_str(&after[host..authority]);
        rest = &after[authority..];
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shown_holds_no_credentials_no_hints_and_no_escapes() {
        let said = "remote: \u{1b}[31mno runs on Sundays\u{1b}[0m        \nremote: \nhint: fetch first\n\
                    fatal: unable to access 'https://x:ghp_secret@host.example/r.git/': no";
        let shown = cleaned(said);
        assert!(shown.contains("no runs on Sundays"), "{shown}");
        assert!(shown.contains("https://***@host.example/r.git"), "{shown}");
        for gone in ["ghp_secret", "hint", "\u{1b}", "remote:"] {
            assert!(!shown.contains(gone), "{gone:?} in {shown}");
        }
    }

    #[test]
    fn the_users_ssh_command_is_kept_and_made_silent() {
        assert_eq!(batch_ssh(Some("ssh -i key".into())).as_deref(), Some("ssh -i key -o BatchMode=yes"));
        assert_eq!(batch_ssh(Some("plink -x".into())), None);
    }

    #[test]
    fn a_command_that_hangs_is_ended() {
        let started = Instant::now();
        let out =
            git(Path::new("/"), None, &["-c", "alias.hang=!sleep 60", "hang"], Duration::from_millis(200)).unwrap();
        assert!(out.timed_out && !out.ok);
        assert!(started.elapsed() < Duration::from_secs(10));
    }
}
