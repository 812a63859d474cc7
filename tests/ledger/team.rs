//! `isugate bench` with a ledger that a team shares: real remotes, over the file system and over SSH.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

use crate::rig::git_remote::{GitRemote, git, ssh_command};
use crate::rig::process;
use crate::rig::sshd::{Options, Sshd};
use anyhow::{Context, Result};
use serde_json::Value;

/// A clone with a configuration whose benchmarker only says its score.
struct Clone {
    at: PathBuf,
    ssh: Option<String>,
}

impl Clone {
    /// The host is this machine, or what `ssh` in the configuration says.
    fn new(place: &Path, name: &str, url: &str, host: &str, ssh: Option<String>) -> Result<Clone> {
        let at = place.join(name);
        process::run(git().args(["init", "--quiet", "--initial-branch=main"]).arg(&at))?;
        let clone = Clone { at, ssh };
        let state = place.join(format!("state-{name}"));
        let host = host.replace("STATE", &state.display().to_string());
        let config = format!(
            "version: 1\n{host}\nbench: {{ on: bench, run: \"echo '{{\\\"pass\\\": true, \\\"score\\\": 1000}}'\", timeout: 20s }}\n\
             ledger: {{ branch: isugate-ledger, remote: origin }}\n"
        );
        fs::write(clone.at.join("isugate.yml"), config)?;
        clone.git(&["add", "-A"])?;
        clone.git(&["commit", "--quiet", "-m", name])?;
        clone.git(&["remote", "add", "origin", url])?;
        Ok(clone)
    }

    fn git(&self, arguments: &[&str]) -> Result<String> {
        process::run(git().arg("-C").arg(&self.at).args(arguments))
    }

    fn bench(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_isugate"));
        command.current_dir(&self.at).args(["bench", "--json"]).env_remove("GITHUB_ACTIONS");
        if let Some(ssh) = &self.ssh {
            command.env("GIT_SSH_COMMAND", ssh);
        }
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }
}

const LOCAL: &str = "hosts: { bench: { local: true, state_dir: STATE } }";

/// The run's id, and all warnings in one text. The run gets its verdict whatever the remote does.
fn accepted(output: &Output) -> Result<(String, String)> {
    let said = process::text(&output.stderr);
    // The accepted commit measured again decides nothing: 11.
    assert!(matches!(output.status.code(), Some(0 | 11)), "{:?} {said}", output.status);
    let report: Value = serde_json::from_slice(&output.stdout).context(said)?;
    let id = report["run"]["id"].as_str().context("the run has an id")?;
    Ok((id.to_owned(), report["warnings"].to_string()))
}

/// Runs that the remote has.
fn shared(remote: &GitRemote) -> Result<BTreeSet<String>> {
    let Some(tip) = remote.commit("isugate-ledger")? else { return Ok(BTreeSet::new()) };
    let mut list = git();
    list.args(["-c", "safe.directory=*", "--git-dir"]).arg(remote.path());
    let text = process::run(list.args(["ls-tree", "--name-only", &format!("{tip}:runs")]))?;
    Ok(text.lines().map(str::to_owned).collect())
}

#[test]
fn the_branch_is_made_on_the_remote_at_its_first_use_over_file_and_over_ssh() -> Result<()> {
    let place = tempfile::tempdir()?;
    let sshd = Sshd::start(&Options::new("git1", 71))?;
    let (file, ssh) = (GitRemote::new()?, GitRemote::on(&sshd, "team")?);
    let remotes = [("file", &file, file.file_url(), None), ("ssh", &ssh, ssh.ssh_url(&sshd), Some(ssh_command(&sshd)))];
    for (name, remote, url, command) in remotes {
        let clone = Clone::new(place.path(), name, &url, LOCAL, command)?;
        assert_eq!(shared(remote)?, BTreeSet::new());
        let (first, warnings) = accepted(&clone.bench().output()?)?;
        assert_eq!(shared(remote)?, BTreeSet::from([first.clone()]), "{warnings}");
        let (second, _) = accepted(&clone.bench().output()?)?;
        assert_eq!(shared(remote)?, BTreeSet::from([first, second]));
        assert_eq!(remote.commit("main")?, None, "only the ledger goes there");
    }
    Ok(())
}

#[test]
fn two_clones_that_run_at_the_same_time_on_different_hosts_both_end_up_on_the_remote() -> Result<()> {
    let place = tempfile::tempdir()?;
    let hosts = [Sshd::start(&Options::new("one", 72))?, Sshd::start(&Options::new("two", 73))?];
    let remote = GitRemote::new()?;
    let mut running = Vec::new();
    for host in &hosts {
        let (alias, config) = (&host.access().alias, host.access().config.display());
        let hosts = format!("ssh: {{ config: {config} }}\nhosts: {{ bench: {{ ssh: {alias} }} }}");
        let clone = Clone::new(place.path(), alias, &remote.file_url(), &hosts, None)?;
        let mut bench = clone.bench();
        host.access().end_with_host(&mut bench);
        running.push(bench.spawn()?);
    }
    let mut ids = BTreeSet::new();
    for child in running {
        ids.insert(accepted(&child.wait_with_output()?)?.0);
    }
    assert_eq!(ids.len(), 2);
    assert_eq!(shared(&remote)?, ids);
    Ok(())
}

#[test]
fn a_remote_that_is_away_is_a_warning_and_the_next_run_brings_both() -> Result<()> {
    let place = tempfile::tempdir()?;
    let sshd = Sshd::start(&Options::new("git2", 74))?;
    let remote = GitRemote::on(&sshd, "team")?;
    let clone = Clone::new(place.path(), "clone", &remote.ssh_url(&sshd), LOCAL, Some(ssh_command(&sshd)))?;
    sshd.stop()?;
    let (first, warnings) = accepted(&clone.bench().output()?)?;
    assert!(warnings.contains("not yet shared with `origin`") && warnings.contains("refused"), "{warnings}");
    assert_eq!(shared(&remote)?, BTreeSet::new());
    sshd.start_again()?;
    let (second, warnings) = accepted(&clone.bench().output()?)?;
    assert!(!warnings.contains("shared"), "{warnings}");
    assert_eq!(shared(&remote)?, BTreeSet::from([first, second]));
    Ok(())
}

#[test]
fn a_hook_that_refuses_is_a_warning_with_its_message() -> Result<()> {
    let place = tempfile::tempdir()?;
    let sshd = Sshd::start(&Options::new("git3", 75))?;
    // Its own side runs the hooks: over SSH that is git itself.
    let remote = GitRemote::on(&sshd, "team")?;
    let clone = Clone::new(place.path(), "clone", &remote.ssh_url(&sshd), LOCAL, Some(ssh_command(&sshd)))?;
    remote.refuse_pushes("no ledgers on Sundays")?;
    let (first, warnings) = accepted(&clone.bench().output()?)?;
    assert!(warnings.contains("no ledgers on Sundays") && warnings.contains("not yet shared"), "{warnings}");
    assert_eq!(shared(&remote)?, BTreeSet::new());
    remote.take_pushes()?;
    let (second, _) = accepted(&clone.bench().output()?)?;
    assert_eq!(shared(&remote)?, BTreeSet::from([first, second]));
    Ok(())
}
