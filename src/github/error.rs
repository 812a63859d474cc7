//! What GitHub can answer instead of doing it, and what to do about each.

use std::time::Duration;

use crate::text;

/// What a request needs a permission for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// Comments on a pull request, and reactions to them.
    Comment,
    /// Check runs.
    Check,
    /// Commit statuses.
    Status,
    /// Reading pull requests.
    Pulls,
    /// Starting a workflow.
    Dispatch,
    /// Reading the repository and its people.
    Contents,
    /// Registering a runner; no job's own token can.
    Runner,
}

impl Need {
    /// The line to add to the job's `permissions`.
    pub fn line(self) -> &'static str {
        match self {
            Need::Comment => "pull-requests: write",
            Need::Check => "checks: write",
            Need::Status => "statuses: write",
            Need::Pulls => "pull-requests: read",
            Need::Dispatch => "actions: write",
            Need::Contents => "contents: read",
            Need::Runner => "administration: write",
        }
    }

    fn next(self) -> String {
        match self {
            Need::Runner => "the token needs the repository permission \"Administration: read and write\" (a \
                             fine-grained personal token; the token of a job cannot have it)"
                .into(),
            _ => format!(
                "add the line `{}` below `permissions:` of the job in the workflow file. A workflow of a fork's pull \
                 request gets a read-only token whatever stands there",
                self.line()
            ),
        }
    }
}

/// Why a request was not done.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ApiError {
    /// 401.
    #[error(
        "GitHub does not know the token (401: {said}); next: give the action `github-token: ${{{{ github.token }}}}`, or a \
         token that has not expired"
    )]
    Unauthorized {
        /// GitHub's own words, made safe.
        said: String,
    },
    /// 403 that is no rate limit.
    #[error("GitHub refuses {what} (403: {said}): the permission is missing; next: {next}")]
    Forbidden {
        /// What was tried.
        what: &'static str,
        /// GitHub's own words, made safe.
        said: String,
        /// The permission to add.
        next: String,
    },
    /// 404: there is no such thing, or the token may not see it; GitHub does not tell them apart.
    #[error("GitHub does not find {what} (404): it is gone, or the token may not see it; next: {next}")]
    NotFound {
        /// What was tried.
        what: &'static str,
        /// The permission to add.
        next: String,
    },
    /// 409.
    #[error("GitHub says that {what} conflicts with another change (409: {said})")]
    Conflict {
        /// What was tried.
        what: &'static str,
        /// GitHub's own words, made safe.
        said: String,
    },
    /// 422, 400.
    #[error("GitHub does not accept {what} ({status}: {said})")]
    Refused {
        /// What was tried.
        what: &'static str,
        /// The status.
        status: u16,
        /// GitHub's own words, made safe.
        said: String,
    },
    /// Asked too often, and the wait is longer than we wait.
    #[error("GitHub's rate limit is reached for {what}{}", match wait { Some(w) => format!("; it ends in {} s", w.as_secs()), None => String::new() })]
    Limited {
        /// What was tried.
        what: &'static str,
        /// How long it asked to wait.
        wait: Option<Duration>,
    },
    /// 5xx, no answer, a torn answer. Whether it was done is unknown.
    #[error("no proper answer from GitHub for {what}: {why}; next: nothing is lost, `isugate publish` sends it again")]
    Unsure {
        /// What was tried.
        what: &'static str,
        /// What came instead.
        why: String,
    },
}

impl ApiError {
    /// Whether sending the same later may help, so that it is worth keeping.
    pub fn is_worth_keeping(&self) -> bool {
        !matches!(self, ApiError::Refused { .. })
    }

    /// Whether the token lacks something.
    pub fn is_permission(&self) -> bool {
        matches!(self, ApiError::Forbidden { .. } | ApiError::NotFound { .. })
    }
}

/// The error that a status stands for; `None` for success.
pub(super) fn of_status(status: u16, body: &str, what: &'static str, need: Need) -> Option<ApiError> {
    let said = || {
        let message = serde_json::from_str::<serde_json::Value>(body).ok();
        let message = message.as_ref().and_then(|body| body.get("message")?.as_str()).unwrap_or(body);
        text::terminal_line(message).chars().take(300).collect::<String>()
    };
    Some(match status {
        200..=299 => return None,
        401 => ApiError::Unauthorized { said: said() },
        403 => ApiError::Forbidden { what, said: said(), next: need.next() },
        404 | 410 => ApiError::NotFound { what, next: need.next() },
        409 => ApiError::Conflict { what, said: said() },
        300..=499 => ApiError::Refused { what, status, said: said() },
        _ => ApiError::Unsure { what, why: format!("status {status}: {}", said()) },
    })
}
