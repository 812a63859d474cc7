//! A host over SSH: one multiplexed connection of the user's own `ssh` for the whole run, host keys checked strictly.

use std::{path::PathBuf, sync::Arc, time::Duration};

use openssh::{ControlPersist, KnownHosts, Session, SessionBuilder, Stdio};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    sync::RwLock,
};

use super::{Cmd, HostError, Output};

/// How to connect; paths are absolute.
#[derive(Debug, Clone)]
pub struct SshOptions {
    /// As `ssh -F`.
    pub config: Option<PathBuf>,
    /// As `ssh -i`.
    pub identity_file: Option<PathBuf>,
    /// As `UserKnownHostsFile`.
    pub known_hosts: Option<PathBuf>,
    /// For making the connection.
    pub connect_timeout: Duration,
}

/// The connection to one host.
pub(super) struct Ssh {
    host: String,
    destination: String,
    options: SshOptions,
    session: RwLock<Arc<Session>>,
    /// Control sockets live here. The path must be short: a Unix socket's may have 108 bytes.
    _control: tempfile::TempDir,
}

impl Ssh {
    pub(super) async fn connect(host: &str, destination: &str, options: SshOptions) -> Result<Self, HostError> {
        let control = tempfile::Builder::new().prefix("isugate-").tempdir_in("/tmp").or_else(|_| tempfile::tempdir());
        let control =
            control.map_err(|e| HostError::Io { host: host.into(), reason: format!("no temporary directory: {e}") })?;
        let session = open(host, destination, &options, &control).await?;
        Ok(Ssh {
            host: host.into(),
            destination: destination.into(),
            options,
            session: RwLock::new(Arc::new(session)),
            _control: control,
        })
    }

    /// Connects anew after a loss, unless another task did already.
    pub(super) async fn reconnect(&self) -> Result<(), HostError> {
        let mut session = self.session.write().await;
        if session.check().await.is_ok() {
            return Ok(());
        }
        *session = Arc::new(open(&self.host, &self.destination, &self.options, &self._control).await?);
        Ok(())
    }

    /// The connection, made anew if it is gone: a command that was not started yet loses nothing by that. Where it cannot
    /// be made anew, the old one says what it has to say.
    pub(super) async fn session(&self) -> Arc<Session> {
        let session = self.session.read().await.clone();
        if session.check().await.is_ok() || self.reconnect().await.is_err() {
            return session;
        }
        self.session.read().await.clone()
    }

    pub(super) fn destination(&self) -> &str {
        &self.destination
    }

    /// Environment value for git: the same connection, and nothing else if that is gone.
    pub(super) async fn git_ssh_command(&self) -> String {
        let session = self.session().await;
        let socket = session.control_socket().to_string_lossy().into_owned();
        format!("ssh -S {} -o ControlMaster=no -o ProxyCommand=false -o BatchMode=yes", super::quote(&socket))
    }

    pub(super) async fn output(&self, cmd: &Cmd) -> Result<Output, HostError> {
        let session = self.session().await;
        let child = session
            .raw_command(cmd.to_shell())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .await;
        let mut child = match child {
            Ok(child) => child,
            Err(error) => return Err(self.lost(&error)),
        };
        let (mut stdin, stdout, stderr) = (child.stdin().take(), child.stdout().take(), child.stderr().take());
        let feed = async {
            if let Some(mut pipe) = stdin.take() {
                // A command that does not read its input closes the pipe: that is its business.
                let _ = pipe.write_all(cmd.input()).await;
                return Some(pipe).filter(|_| cmd.is_tethered());
            }
            None
        };
        let (held, stdout, stderr) = tokio::join!(feed, drain(stdout), drain(stderr));
        drop(held);
        let code = match child.wait().await {
            Ok(status) => status.code(),
            Err(openssh::Error::Remote(_)) => Some(127),
            // The multiplexer has one message for three things: a signal, a lost link, a refused session.
            Err(openssh::Error::RemoteProcessTerminated) if session.check().await.is_ok() => None,
            Err(error) => return Err(self.lost(&error)),
        };
        let broken = |e: std::io::Error| HostError::Lost { host: self.host.clone(), reason: e.to_string() };
        Ok(Output { code, stdout: stdout.map_err(broken)?, stderr: stderr.map_err(broken)? })
    }

    fn lost(&self, error: &openssh::Error) -> HostError {
        HostError::Lost { host: self.host.clone(), reason: chain(error) }
    }
}

/// Reads a stream of the remote command to its end.
async fn drain(pipe: Option<impl tokio::io::AsyncRead + Unpin>) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if let Some(mut pipe) = pipe {
        pipe.read_to_end(&mut bytes).await?;
    }
    Ok(bytes)
}

async fn open(
    host: &str,
    destination: &str,
    options: &SshOptions,
    control: &tempfile::TempDir,
) -> Result<Session, HostError> {
    let mut builder = SessionBuilder::default();
    builder
        .known_hosts_check(KnownHosts::Strict)
        .connect_timeout(options.connect_timeout)
        .server_alive_interval(Duration::from_secs(5))
        .control_directory(control.path())
        // Should we be killed, the master connection ends by itself soon after.
        .control_persist(ControlPersist::IdleFor(std::num::NonZeroUsize::MIN.saturating_add(119)));
    if let Some(config) = &options.config {
        builder.config_file(config);
    }
    if let Some(key) = &options.identity_file {
        builder.keyfile(key);
    }
    if let Some(file) = &options.known_hosts {
        builder.user_known_hosts_file(file);
    }
    builder.connect_mux(destination).await.map_err(|error| classify(host, destination, &error))
}

/// The crate gives `ssh`'s own words with an I/O kind; what matters to a person is whether the host, its key or the login is at
/// fault.
fn classify(host: &str, destination: &str, error: &openssh::Error) -> HostError {
    let reason = chain(error);
    let (host, destination) = (host.to_string(), destination.to_string());
    let lower = reason.to_lowercase();
    let says = |text: &str| lower.contains(text);
    if says("identification has changed") || says("host key verification failed") || says("host key is known") {
        let changed = says("has changed");
        let reason = match changed {
            true => format!("the key of {destination} is not the one in known_hosts"),
            false => format!("no key of {destination} is in known_hosts"),
        };
        return HostError::HostKey { host, destination, reason, changed };
    }
    if says("permission denied") || says("too many authentication failures") || says("no such identity") {
        return HostError::Denied { host, destination, reason };
    }
    HostError::Unreachable { host, destination, reason }
}

/// An error with its causes, on one line.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        let inner_text = inner.to_string();
        if !text.contains(&inner_text) {
            text.push_str(": ");
            text.push_str(&inner_text);
        }
        cause = inner.source();
    }
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
