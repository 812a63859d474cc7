//! The client's side of a host: an OpenSSH configuration file that reaches it,
//! and commands run through it.

use super::process;
use super::scope::{MARK, Scope};
use anyhow::{Context, Result};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// How to reach a host: `ssh -F config alias`.
#[derive(Debug, Clone)]
pub struct Access {
    /// Name of the host in `config`.
    pub alias: String,
    /// Client configuration with address, user, key and known host keys.
    pub config: PathBuf,
    /// The user that the key lets in.
    pub user: String,
    scope: String,
}

impl Access {
    pub(super) fn new(scope: &Scope, alias: &str, user: &str) -> Self {
        let config = scope.dir().join("ssh_config");
        Self { alias: alias.to_owned(), config, user: user.to_owned(), scope: scope.id().to_owned() }
    }

    /// Lets what `command` starts end with the host at the latest, also what
    /// detaches itself: a program under test leaves `ssh` masters behind when it
    /// is killed.
    pub fn end_with_host(&self, command: &mut Command) {
        command.env(MARK, &self.scope);
    }

    /// `ssh` to the host, to be given a remote command. A host that goes off the network without a word (a reboot takes
    /// its interface down before its last packets are out) is given up after 10 s: TCP itself would wait for 15 minutes.
    /// Only here and not in the file: a program under test has to see to that by itself.
    pub fn command(&self) -> Command {
        let mut command = Command::new("ssh");
        command.args(["-o", "ServerAliveInterval=2", "-o", "ServerAliveCountMax=5"]);
        command.arg("-F").arg(&self.config).arg(&self.alias);
        command
    }

    /// Runs a script in the user's shell there; 255 is ssh's own failure.
    ///
    /// # Errors
    /// When `ssh` cannot be started.
    pub fn output(&self, script: &str) -> Result<Output> {
        process::output(self.command().arg(script))
    }

    /// Runs a script in the user's shell there and returns its stdout.
    ///
    /// # Errors
    /// When it does not exit with 0; the message holds its stderr.
    pub fn run(&self, script: &str) -> Result<String> {
        process::run(self.command().arg(script))
    }
}

/// One host of a client configuration.
pub struct Entry<'a> {
    pub alias: &'a str,
    pub address: &'a str,
    pub port: u16,
    pub user: &'a str,
    pub key: &'a Path,
    pub known_hosts: &'a Path,
    /// Command whose stdin and stdout carry the connection.
    pub proxy_command: Option<String>,
}

impl Entry<'_> {
    fn text(&self) -> String {
        let mut text = format!(
            "Host {}\n  HostName {}\n  Port {}\n  User {}\n  IdentityFile {}\n  IdentitiesOnly yes\n  UserKnownHostsFile {}\n  \
             GlobalKnownHostsFile none\n  StrictHostKeyChecking yes\n  BatchMode yes\n  ConnectTimeout 10\n",
            self.alias,
            self.address,
            self.port,
            self.user,
            self.key.display(),
            self.known_hosts.display()
        );
        if let Some(proxy) = &self.proxy_command {
            text.push_str(&format!("  ProxyCommand {proxy}\n"));
        }
        text
    }
}

/// Writes a client configuration file.
///
/// # Errors
/// When `path` cannot be written.
pub fn write_config(path: &Path, entries: &[Entry]) -> Result<()> {
    let text: String = entries.iter().map(Entry::text).collect();
    fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}

/// Writes a client configuration file at `path` that knows the hosts of all
/// `parts`, for a program that takes one file and talks to several hosts.
///
/// # Errors
/// When `path` cannot be written.
pub fn join_configs(path: &Path, parts: &[&Access]) -> Result<()> {
    let text: String = parts.iter().map(|part| format!("Include {}\n", part.config.display())).collect();
    fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}

/// Makes a new ed25519 key pair `path`, `path.pub`; returns the public part
/// (type and base64).
///
/// # Errors
/// When `ssh-keygen` is missing or fails.
pub fn new_key(path: &Path) -> Result<String> {
    process::run(Command::new("ssh-keygen").args(["-q", "-t", "ed25519", "-N", "", "-C", "test", "-f"]).arg(path))?;
    let public = path.with_file_name(format!("{}.pub", path.file_name().unwrap_or_default().to_string_lossy()));
    let line = fs::read_to_string(&public).with_context(|| format!("cannot read {}", public.display()))?;
    Ok(line.split_whitespace().take(2).collect::<Vec<_>>().join(" "))
}
