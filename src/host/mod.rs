//! A machine that commands are run on and files are pulled from: this one, or one over SSH, behind one interface.

mod command;
mod error;
pub mod job;
mod local;
mod pull;
mod small;
mod ssh;

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

pub use command::{Cmd, quote};
pub use error::HostError;
pub use ssh::SshOptions;
use tokio::sync::Semaphore;

/// Sessions that one connection may have at a time. OpenSSH's own limit is 10 by default (`MaxSessions`).
const SESSIONS: usize = 8;

/// What a command came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Output {
    /// Exit status; absent when a signal ended it.
    pub code: Option<i32>,
    /// Standard output.
    pub stdout: Vec<u8>,
    /// Standard error.
    pub stderr: Vec<u8>,
}

impl Output {
    /// Whether it exited with 0.
    pub fn ok(&self) -> bool {
        self.code == Some(0)
    }

    /// Standard output as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }

    /// The last line of standard error, or of standard output if that is empty: usually the one that says why.
    pub fn complaint(&self) -> String {
        let said = if self.stderr.iter().all(u8::is_ascii_whitespace) { &self.stdout } else { &self.stderr };
        let text = String::from_utf8_lossy(said);
        text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("it said nothing").trim().to_string()
    }
}

enum Transport {
    Local,
    Ssh(Box<ssh::Ssh>),
}

/// One machine.
pub struct Host {
    name: String,
    transport: Transport,
    sessions: Semaphore,
}

impl Host {
    /// This machine under a name of the configuration.
    pub fn local(name: &str) -> Self {
        Host { name: name.into(), transport: Transport::Local, sessions: Semaphore::new(SESSIONS) }
    }

    /// Connects to `destination` over SSH.
    ///
    /// # Errors
    /// [`HostError::Unreachable`], [`HostError::HostKey`] or [`HostError::Denied`].
    pub async fn ssh(name: &str, destination: &str, options: SshOptions) -> Result<Self, HostError> {
        let ssh = ssh::Ssh::connect(name, destination, options).await?;
        Ok(Host { name: name.into(), transport: Transport::Ssh(Box::new(ssh)), sessions: Semaphore::new(SESSIONS) })
    }

    /// The host's name in the configuration.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether it is this machine.
    pub fn is_local(&self) -> bool {
        matches!(self.transport, Transport::Local)
    }

    /// Runs a command to its end, `limit` at most. Past the limit the command itself may go on: what must end with us is
    /// started as a job (`bench::job`).
    ///
    /// # Errors
    /// [`HostError::Lost`] when the connection is gone, [`HostError::TooLong`], [`HostError::Io`].
    pub async fn output(&self, cmd: &Cmd, limit: Duration) -> Result<Output, HostError> {
        let io = |e: std::io::Error| HostError::Io { host: self.name.clone(), reason: e.to_string() };
        let run = async {
            let _session = self.sessions.acquire().await.map_err(|e| io(std::io::Error::other(e)))?;
            match &self.transport {
                Transport::Local => local::output(cmd).await.map_err(io),
                Transport::Ssh(ssh) => ssh.output(cmd).await,
            }
        };
        tokio::time::timeout(limit, run).await.unwrap_or_else(|_| {
            Err(HostError::TooLong { host: self.name.clone(), what: "a command".into(), seconds: limit.as_secs() })
        })
    }

    /// As [`Host::output`], for a command that changes nothing: when the connection turns out to be lost, it is made anew and
    /// the command is given once more.
    ///
    /// # Errors
    /// As [`Host::output`] and [`Host::reconnect`].
    pub async fn ask(&self, cmd: &Cmd, limit: Duration) -> Result<Output, HostError> {
        match self.output(cmd, limit).await {
            Err(error) if error.is_lost() => {
                self.reconnect().await?;
                self.output(cmd, limit).await
            }
            result => result,
        }
    }

    /// Makes a lost connection anew; nothing on this machine itself.
    ///
    /// # Errors
    /// As [`Host::ssh`].
    pub async fn reconnect(&self) -> Result<(), HostError> {
        match &self.transport {
            Transport::Local => Ok(()),
            Transport::Ssh(ssh) => ssh.reconnect().await,
        }
    }

    /// Copies a file of the host to this machine, over SFTP where there is a connection; returns its size in bytes.
    ///
    /// # Errors
    /// [`pull::PullError`] tells a missing file from one that may not be read.
    pub async fn pull(&self, remote: &str, local: &Path) -> Result<u64, PullError> {
        let file = (remote.to_string(), local.to_path_buf());
        match &self.transport {
            Transport::Local => pull::copy(remote, local).await,
            Transport::Ssh(ssh) => {
                let pulled = pull::sftp(&self.name, ssh.session().await, &[file]).await?;
                pulled.into_iter().next().unwrap_or_else(|| Err(PullError::Missing(remote.into())))
            }
        }
    }

    /// As [`Host::pull`] for several files that are small as a rule, each with its own result: these come in the answer of one
    /// command, the others over SFTP.
    ///
    /// # Errors
    /// The connection.
    pub async fn pull_all(&self, files: &[(String, PathBuf)]) -> Result<Vec<Result<u64, PullError>>, PullError> {
        let Transport::Ssh(ssh) = &self.transport else {
            return Ok(futures::future::join_all(files.iter().map(|(remote, local)| pull::copy(remote, local))).await);
        };
        let mut brought = small::bring(self, files).await?;
        let left: Vec<_> =
            files.iter().zip(&brought).filter(|(_, one)| one.is_none()).map(|(file, _)| file.clone()).collect();
        if !left.is_empty() {
            let pulled = pull::sftp(&self.name, ssh.session().await, &left).await?;
            let places = brought.iter_mut().filter(|one| one.is_none());
            places.zip(pulled).for_each(|(place, one)| *place = Some(one));
        }
        Ok(brought.into_iter().flatten().collect())
    }

    /// For `git push`: the repository's URL, and the value of `GIT_SSH_COMMAND` with which it takes this connection.
    pub async fn git_access(&self, path: &str) -> (String, Option<String>) {
        match &self.transport {
            Transport::Local => (path.to_string(), None),
            // The multiplexed connection decides where it goes; the name in the URL is only a label. git decodes `%41`.
            Transport::Ssh(ssh) => {
                (format!("ssh://isugate-host{}", path.replace('%', "%25")), Some(ssh.git_ssh_command().await))
            }
        }
    }

    /// Where it is, for messages.
    pub fn destination(&self) -> &str {
        match &self.transport {
            Transport::Local => "this machine",
            Transport::Ssh(ssh) => ssh.destination(),
        }
    }
}

pub use pull::PullError;
