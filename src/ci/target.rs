//! Which commit an event is about, on whose behalf, and what is to be done.

use serde::Deserialize;

use crate::{
    github::{
        ApiError, Client, Context, Event, Need,
        event::{Comment, PullRequest, is_commit},
        guard::{self, Refusal},
    },
    ledger::Proposal,
};

/// A commit to benchmark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// What git is asked for: a whole commit id, or a revision that a person named.
    pub revision: String,
    /// The pull request to comment on.
    pub pull_request: Option<u64>,
    /// What the commit is proposed by; `None` for the main branch.
    pub proposal: Option<Proposal>,
}

/// What is to be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Work {
    /// Benchmark a commit.
    Bench(Target),
    /// A pull request was merged.
    Merged(PullRequest),
    /// A pull request was closed without a merge, or the comment is no command's.
    Nothing(&'static str),
    /// Somebody commented.
    Command(Comment),
}

#[derive(Deserialize)]
struct Pull {
    number: u64,
    #[serde(default)]
    head: Option<Head>,
}

#[derive(Deserialize)]
struct Head {
    #[serde(default)]
    repo: Option<Repo>,
}

#[derive(Deserialize)]
struct Repo {
    full_name: String,
}

/// What the event asks for. `revision` is the action's input `rev`, which overrides.
///
/// # Errors
/// What the event forbids.
pub async fn of(context: &Context, client: Option<&Client>, revision: Option<&str>) -> Result<Work, Refusal> {
    guard::event(context)?;
    let main = |branch: &str| context.default_branch.as_deref() == Some(branch);
    let given = |default: &str| revision.unwrap_or(default).to_owned();
    Ok(Work::Bench(match &context.event {
        Event::Push { branch, sha } if main(branch) => {
            Target { revision: given(sha), pull_request: None, proposal: None }
        }
        Event::Push { branch, sha } => {
            let pull_request = match client {
                Some(client) => pull_of_branch(client, branch).await.unwrap_or_default(),
                None => None,
            };
            let proposal = Some(Proposal { branch: Some(branch.clone()), pull_request });
            Target { revision: given(sha), pull_request, proposal }
        }
        Event::PullRequest(pull) if pull.action == "closed" && pull.merged => return Ok(Work::Merged(pull.clone())),
        Event::PullRequest(pull) if pull.action == "closed" => {
            return Ok(Work::Nothing("the pull request was closed without a merge: its runs stay proposals"));
        }
        Event::PullRequest(pull) => Target {
            revision: given(&pull.head),
            pull_request: Some(pull.number),
            proposal: Some(Proposal { branch: Some(pull.branch.clone()), pull_request: Some(pull.number) }),
        },
        Event::Dispatch { branch, inputs } => {
            let asked = inputs.rev.as_deref().map(str::trim).filter(|rev| !rev.is_empty());
            let pull_request = inputs.pull_request.as_deref().and_then(|number| number.trim().parse().ok());
            let on_main =
                pull_request.is_none() && revision.is_none() && asked.is_none() && branch.as_deref().is_some_and(main);
            let proposal = (!on_main).then_some(Proposal { branch: None, pull_request });
            Target { revision: given(asked.unwrap_or(&context.sha)), pull_request, proposal }
        }
        Event::Comment(comment) => return Ok(Work::Command(comment.clone())),
        Event::MergeGroup { sha } => {
            Target { revision: given(sha), pull_request: None, proposal: Some(Proposal::default()) }
        }
        Event::Schedule => {
            let proposal = revision.map(|_| Proposal::default());
            Target { revision: given(&context.sha), pull_request: None, proposal }
        }
    }))
}

/// The open pull request of a branch of this repository, if there is one.
async fn pull_of_branch(client: &Client, branch: &str) -> Result<Option<u64>, ApiError> {
    let owner = client.repository().split('/').next().unwrap_or_default();
    let path = format!("/pulls?state=open&head={}", encoded(&format!("{owner}:{branch}")));
    let pulls: Vec<Pull> = client.list(&path, None, "the branch's pull request", Need::Pulls).await?;
    let own = |pull: &Pull| {
        let from = pull.head.as_ref().and_then(|head| head.repo.as_ref()).map(|repo| repo.full_name.as_str());
        guard::fork(client.repository(), pull.number, from).is_ok()
    };
    Ok(pulls.into_iter().find(own).map(|pull| pull.number))
}

/// The head of a pull request of this repository, asked now.
///
/// # Errors
/// What GitHub says, or that the commits come from elsewhere.
pub async fn head_of(client: &Client, number: u64) -> Result<String, String> {
    #[derive(Deserialize)]
    struct Told {
        head: Now,
    }
    #[derive(Deserialize)]
    struct Now {
        sha: String,
        #[serde(default)]
        repo: Option<Repo>,
    }
    let told: Told = client
        .get(&format!("/pulls/{number}"), "the pull request", Need::Pulls)
        .await
        .map_err(|error| error.to_string())?;
    let from = told.head.repo.as_ref().map(|repo| repo.full_name.as_str());
    guard::fork(client.repository(), number, from).map_err(|refusal| refusal.to_string())?;
    Some(told.head.sha).filter(|sha| is_commit(sha)).ok_or_else(|| "the pull request's head is no commit".into())
}

/// A value of a query, percent-encoded. Source: RFC 3986, 2.3.
fn encoded(text: &str) -> String {
    text.bytes()
        .map(|b| match b {
            b if b.is_ascii_alphanumeric() || b"-._~".contains(&b) => char::from(b).to_string(),
            b => format!("%{b:02X}"),
        })
        .collect()
}
