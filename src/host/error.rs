//! What can go wrong between here and a host.

use crate::exit::{Exit, Failure};

/// Why a host did not do what it was asked.
#[derive(Debug, Clone, thiserror::Error)]
pub enum HostError {
    /// No connection can be made.
    #[error("{host}: cannot be reached at {destination}: {reason}")]
    Unreachable {
        /// The host's name in the configuration.
        host: String,
        /// Where it should be.
        destination: String,
        /// What `ssh` said.
        reason: String,
    },
    /// The key that the host shows is not the one that is known.
    #[error("{host}: {reason}")]
    HostKey {
        /// The host's name.
        host: String,
        /// Where it should be.
        destination: String,
        /// What `ssh` said.
        reason: String,
        /// Whether a different key was known.
        changed: bool,
    },
    /// The user is not let in.
    #[error("{host}: {destination} refused the login: {reason}")]
    Denied {
        /// The host's name.
        host: String,
        /// Where it is.
        destination: String,
        /// What `ssh` said.
        reason: String,
    },
    /// The connection broke.
    #[error("{host}: the connection broke: {reason}")]
    Lost {
        /// The host's name.
        host: String,
        /// How it showed.
        reason: String,
    },
    /// It took too long.
    #[error("{host}: {what} took longer than {seconds} s")]
    TooLong {
        /// The host's name.
        host: String,
        /// What.
        what: String,
        /// The limit.
        seconds: u64,
    },
    /// Something of this machine.
    #[error("{host}: {reason}")]
    Io {
        /// The host's name.
        host: String,
        /// What.
        reason: String,
    },
}

impl HostError {
    /// Whether connecting again may help.
    pub fn is_lost(&self) -> bool {
        matches!(self, HostError::Lost { .. })
    }

    /// The error with its exit status and the next step.
    pub fn into_failure(self) -> Failure {
        let message = self.to_string();
        let (exit, next) = match self {
            HostError::Unreachable { destination, .. } => {
                (Exit::Unreachable, format!("see that `ssh {destination} true` works from here; is the host up, is the address right?"))
            }
            HostError::HostKey { destination, changed: false, .. } => (
                Exit::HostKey,
                format!("compare the host's key with what its owner says, then add it: ssh-keyscan {destination} >> known_hosts"),
            ),
            HostError::HostKey { changed: true, .. } => (
                Exit::HostKey,
                "if the host was set up anew, remove its old line from known_hosts (ssh-keygen -R); else someone may be in between".into(),
            ),
            HostError::Denied { destination, .. } => {
                (Exit::Unreachable, format!("put your public key into ~/.ssh/authorized_keys there; test with `ssh -o BatchMode=yes {destination} true`"))
            }
            HostError::Lost { .. } => (Exit::Unreachable, "see whether the host is up, then run `isugate bench` again".into()),
            HostError::TooLong { .. } => (Exit::Failed, "see what the host is doing (`top`, `df`), then try again".into()),
            HostError::Io { .. } => (Exit::Failed, "see that `ssh` and `git` are installed here and the disk is not full".into()),
        };
        Failure { exit, message, next: Some(next) }
    }
}

impl From<HostError> for Failure {
    fn from(error: HostError) -> Self {
        error.into_failure()
    }
}
