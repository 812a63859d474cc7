//! What can go wrong between us and GitHub.

use std::time::Duration;

/// A kind of request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum On {
    User,
    /// Who the token belongs to, in GraphQL.
    Viewer,
    Repository,
    ListComments,
    CreateComment,
    ChangeComment,
    DeleteComment,
    React,
    CreateCheck,
    ChangeCheck,
    ListChecks,
    Status,
    ListPulls,
    Pull,
    Permission,
    Dispatch,
    RunnerToken,
    Runners,
    Downloads,
}

/// What happens to it.
#[derive(Debug, Clone)]
pub enum Fault {
    /// An answer instead of doing it.
    Answer { status: u16, headers: Vec<(&'static str, String)>, message: &'static str },
    /// It is done, and the answer is a 502 of something in between.
    LostAnswer,
    /// It is done, and the connection is reset in the middle of the answer.
    TornAnswer,
    /// It is done after so long.
    Slow(Duration),
    /// A list is answered as it was before the last write.
    Stale,
    /// It waits until another request of its kind waits too.
    Meet,
}

impl Fault {
    pub fn status(status: u16, message: &'static str) -> Fault {
        Fault::Answer { status, headers: Vec::new(), message }
    }

    /// A workflow of a fork, or a job without the permission.
    pub fn permission() -> Fault {
        Fault::status(403, "Resource not accessible by integration")
    }

    /// The secondary limit as it is documented.
    pub fn secondary(seconds: u64) -> Fault {
        let headers = vec![("retry-after", seconds.to_string())];
        Fault::Answer { status: 403, headers, message: "You have exceeded a secondary rate limit." }
    }

    /// The secondary limit as it also comes: no header says it.
    pub fn secondary_without_headers() -> Fault {
        Fault::status(403, "You have exceeded a secondary rate limit. Please wait a few minutes before you try again.")
    }
}
