//! What stays the same over all that one invocation does.

use std::path::PathBuf;

use tokio_util::sync::CancellationToken;

use crate::{config::Config, host::SshOptions, ledger::Proposal, report::Events};

/// What stays the same over all that one invocation does.
#[derive(Clone)]
pub struct Setting {
    /// `isugate.yml`, read and checked.
    pub config: Config,
    /// Its directory, absolute; paths in it are relative to this.
    pub root: PathBuf,
    /// Top of the working tree.
    pub work_tree: PathBuf,
    /// Where events go.
    pub events: Events,
    /// Cancelled by SIGINT, SIGTERM or SIGHUP.
    pub cancel: CancellationToken,
    /// Who started it.
    pub by: String,
    /// What the commit is proposed by, when it is not on the main branch: its runs are no baseline before the merge.
    pub proposal: Option<Proposal>,
}

impl Setting {
    /// Where runs are kept on this machine.
    pub fn runs(&self) -> PathBuf {
        self.work_tree.join(".isugate/runs")
    }

    /// The options of every SSH connection. The environment can name key and known hosts, for a workflow that got them as
    /// secrets: `ISUGATE_SSH_KEY_FILE`, `ISUGATE_KNOWN_HOSTS_FILE`.
    pub fn ssh(&self) -> SshOptions {
        let ssh = &self.config.ssh;
        let at = |path: &Option<String>| path.as_ref().map(|path| self.root.join(expand(path)));
        let named = |variable: &str| std::env::var_os(variable).filter(|v| !v.is_empty()).map(PathBuf::from);
        SshOptions {
            config: at(&ssh.config),
            identity_file: named("ISUGATE_SSH_KEY_FILE").or_else(|| at(&ssh.identity_file)),
            known_hosts: named("ISUGATE_KNOWN_HOSTS_FILE").or_else(|| at(&ssh.known_hosts)),
            connect_timeout: ssh.connect_timeout,
        }
    }
}

/// `~/` at the start of a path is the home directory.
fn expand(path: &str) -> PathBuf {
    match (path.strip_prefix("~/"), std::env::home_dir()) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => PathBuf::from(path),
    }
}
