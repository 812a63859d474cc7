//! What must never reach the hosts: commits of another repository, and jobs of a repository that everybody can send pull
//! requests to.

use super::event::{Context, Event};

/// Why a job is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The commits come from another repository.
    #[error(
        "pull request #{number} comes from {from}, not from {repository}: commits of other repositories never reach the hosts. \
         Next: somebody with write access pushes the branch to {repository} after reading it"
    )]
    Fork {
        /// The pull request.
        number: u64,
        /// Where its commits are.
        from: String,
        /// Where we are.
        repository: String,
    },
    /// Everybody can read the repository.
    #[error(
        "{repository} is public: everybody can open a pull request, and in a contest everybody can read the code. Next: make it \
         private, or set `github: {{ allow_public: true }}` in the isugate.yml of the default branch"
    )]
    Public {
        /// Where we are.
        repository: String,
    },
    /// Nobody says whether everybody can read it.
    #[error(
        "whether {repository} is public is not known: neither the event nor the API says it. Next: give the job \
         `contents: read`, or set `github: {{ allow_public: true }}` in isugate.yml"
    )]
    Unknown {
        /// Where we are.
        repository: String,
    },
}

/// Whether a pull request's commits are of another repository. Repositories are compared, not owners: an owner's fork of their
/// own is another repository too.
pub fn fork(repository: &str, number: u64, from: Option<&str>) -> Result<(), Refusal> {
    match from {
        Some(from) if from.eq_ignore_ascii_case(repository) => Ok(()),
        from => Err(Refusal::Fork {
            number,
            from: crate::text::terminal_line(from.unwrap_or("a repository that is gone")),
            repository: repository.into(),
        }),
    }
}

/// Whether a job may go on in its repository. `public` is what is known from event or API.
pub fn public(repository: &str, public: Option<bool>, allowed: bool) -> Result<(), Refusal> {
    match public {
        _ if allowed => Ok(()),
        Some(false) => Ok(()),
        Some(true) => Err(Refusal::Public { repository: repository.into() }),
        None => Err(Refusal::Unknown { repository: repository.into() }),
    }
}

/// What the event alone forbids.
///
/// # Errors
/// Why.
pub fn event(context: &Context) -> Result<(), Refusal> {
    match &context.event {
        Event::PullRequest(pull) => fork(&context.repository, pull.number, pull.from.as_deref()),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repositories_are_compared_not_owners() {
        assert_eq!(fork("team/isucon", 1, Some("team/isucon")), Ok(()));
        assert_eq!(fork("team/isucon", 1, Some("Team/Isucon")), Ok(()));
        assert!(fork("team/isucon", 1, Some("team/isucon-1")).is_err());
        assert!(fork("team/isucon", 1, Some("eve/isucon")).is_err());
        assert!(fork("team/isucon", 1, None).is_err());
    }

    #[test]
    fn a_public_repository_is_refused_unless_told_otherwise_and_so_is_one_that_nobody_knows() {
        assert_eq!(public("a/b", Some(false), false), Ok(()));
        assert_eq!(public("a/b", Some(true), true), Ok(()));
        assert!(public("a/b", Some(true), false).is_err());
        assert!(public("a/b", None, false).is_err());
    }
}
