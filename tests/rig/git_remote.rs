//! A bare git repository that serves as the team's remote: over the file system,
//! over an [`Sshd`] or over HTTP ([`GitHttp`](super::git_http::GitHttp)).

use super::process;
use super::scope::Scope;
use super::sshd::Sshd;
use anyhow::{Context, Result};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A bare repository; removed on drop.
#[derive(Debug)]
pub struct GitRemote {
    path: PathBuf,
    // `None`: it is in the home of a server's user and goes with it.
    _scope: Option<Scope>,
}

impl GitRemote {
    /// An empty repository with the default branch `main`.
    ///
    /// # Errors
    /// When git is missing or fails.
    pub fn new() -> Result<Self> {
        let scope = Scope::new()?;
        let path = scope.dir().join("remote.git");
        process::run(git().args(["init", "--quiet", "--bare", "--initial-branch=main"]).arg(&path))?;
        // What git's HTTP server asks for before it takes a push without a name.
        process::run(git().arg("-C").arg(&path).args(["config", "http.receivepack", "true"]))?;
        Ok(Self { path, _scope: Some(scope) })
    }

    /// An empty repository that the user of `sshd` owns; reached by
    /// [`GitRemote::ssh_url`].
    ///
    /// # Errors
    /// When the server does not answer or git fails there.
    pub fn on(sshd: &Sshd, name: &str) -> Result<Self> {
        let path = sshd.home().join(format!("{name}.git"));
        sshd.access().run(&format!("git init --quiet --bare --initial-branch=main '{}'", path.display()))?;
        Ok(Self { path, _scope: None })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its `file://` URL. libgit2 runs no server hooks over it.
    pub fn file_url(&self) -> String {
        format!("file://{}", self.path.display())
    }

    /// Its `ssh://` URL; git needs [`ssh_command`] in `GIT_SSH_COMMAND`.
    pub fn ssh_url(&self, sshd: &Sshd) -> String {
        format!("ssh://{}{}", sshd.access().alias, self.path.display())
    }

    /// From now on every push is refused, with `message` on the pusher's stderr.
    ///
    /// # Errors
    /// When the hook cannot be written.
    pub fn refuse_pushes(&self, message: &str) -> Result<()> {
        let hook = self.hook();
        let quoted = message.replace('\'', r"'\''");
        fs::write(&hook, format!("#!/bin/sh\necho '{quoted}' >&2\nexit 1\n"))
            .with_context(|| format!("cannot write {}", hook.display()))?;
        fs::set_permissions(&hook, fs::Permissions::from_mode(0o755))
            .with_context(|| format!("cannot change {}", hook.display()))
    }

    /// Pushes are taken again.
    ///
    /// # Errors
    /// When the hook cannot be removed.
    pub fn take_pushes(&self) -> Result<()> {
        fs::remove_file(self.hook()).context("cannot remove the hook")
    }

    /// The commit that `reference` names there, or `None`.
    ///
    /// # Errors
    /// When git cannot be started.
    pub fn commit(&self, reference: &str) -> Result<Option<String>> {
        let output = process::output(
            // A server's user may own it: git then wants to be told that this is meant.
            git().args(["-c", "safe.directory=*", "--git-dir"]).arg(&self.path).args([
                "rev-parse",
                "--verify",
                "--quiet",
                reference,
            ]),
        )?;
        Ok(output.status.success().then(|| process::text(&output.stdout).trim().to_owned()))
    }

    fn hook(&self) -> PathBuf {
        self.path.join("hooks/pre-receive")
    }
}

/// Value of `GIT_SSH_COMMAND` with which git reaches `sshd`.
pub fn ssh_command(sshd: &Sshd) -> String {
    format!("ssh -F {}", sshd.access().config.display())
}

/// git that reads no configuration of this machine or its user.
pub fn git() -> Command {
    let mut git = Command::new("git");
    git.env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_TERMINAL_PROMPT", "0");
    for name in ["AUTHOR", "COMMITTER"] {
        git.env(format!("GIT_{name}_NAME"), "Test").env(format!("GIT_{name}_EMAIL"), "test@example.com");
    }
    git
}
