//! Exit statuses of the program: what a shell, a Makefile or a workflow can branch on.

/// How the program ended. The numbers below 20 and 130 are a contract; those from 20 on name what failed before there
/// could be a verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// Accepted, or the command did what it was asked to do.
    Done = 0,
    /// Anything that has no status of its own.
    Failed = 1,
    /// Wrong usage, or a mistake in `isugate.yml`.
    Usage = 2,
    /// The verdict is `revert`.
    Revert = 10,
    /// The verdict is `inconclusive`.
    Inconclusive = 11,
    /// The verdict is `invalid`.
    Invalid = 12,
    /// The hosts are leased by someone else.
    Leased = 13,
    /// A host could not be reached.
    Unreachable = 20,
    /// A host's key is unknown or has changed.
    HostKey = 21,
    /// A build step failed.
    Build = 22,
    /// Files could not be put in place, or their check (such as `nginx -t`) failed.
    Activate = 23,
    /// A service did not restart or did not become ready.
    NotReady = 24,
    /// The benchmarker could not be started.
    Benchmarker = 25,
    /// isutools is required by the configuration and is absent or refuses.
    Isutools = 26,
    /// Interrupted by SIGINT, SIGTERM or SIGHUP.
    Interrupted = 130,
}

impl From<Exit> for u8 {
    fn from(exit: Exit) -> u8 {
        exit as u8
    }
}

/// An error that carries the exit status with which the program should end.
#[derive(Debug)]
pub struct Failure {
    /// The status.
    pub exit: Exit,
    /// What went wrong.
    pub message: String,
    /// What to do next, if there is something to say.
    pub next: Option<String>,
}

impl Failure {
    /// A failure with what went wrong and what to do next.
    pub fn new(exit: Exit, message: impl Into<String>, next: impl Into<String>) -> Self {
        Failure { exit, message: message.into(), next: Some(next.into()) }
    }
}

/// One message for all failures: three hosts that are down should not take three tries to find out.
///
/// # Errors
/// All of them in one, each with its next step; the exit status is the first's.
pub fn gather<T>(results: Vec<Result<T, Failure>>) -> Result<Vec<T>, Failure> {
    let mut good = Vec::new();
    let mut bad: Option<Failure> = None;
    for result in results {
        match (result, &mut bad) {
            (Ok(value), _) => good.push(value),
            (Err(failure), None) => bad = Some(failure),
            (Err(failure), Some(first)) => {
                // Each with its own next step beside it.
                *first = Failure { exit: first.exit, message: format!("{first}\n{failure}"), next: None };
            }
        }
    }
    bad.map_or(Ok(good), Err)
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)?;
        match &self.next {
            Some(next) => write!(f, "\n  next: {next}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Failure {}

/// The exit status that an error asks for; [`Exit::Failed`] when it asks for none.
pub fn of(error: &anyhow::Error) -> Exit {
    error
        .chain()
        .find_map(|cause| match cause.downcast_ref::<Failure>() {
            Some(failure) => Some(failure.exit),
            None => cause.downcast_ref::<crate::config::ConfigError>().map(|_| Exit::Usage),
        })
        .unwrap_or(Exit::Failed)
}
