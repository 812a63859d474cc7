//! The environment and the event file of a workflow job, read into one typed value. Pure: both are passed in.
//!
//! Sources: "Variables reference" and "Events that trigger workflows" of GitHub's documentation; the payloads' shapes are those
//! of its webhooks. Only what is needed is read, so that a smaller payload than usual is no error.

use serde::Deserialize;

/// What a job was started by and where it runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Context {
    /// `owner/name`.
    pub repository: String,
    /// Whether everybody can read the repository; `None` where the event does not say.
    pub public: Option<bool>,
    /// The branch that pull requests go to; `None` where the event does not say.
    pub default_branch: Option<String>,
    /// Who caused the event.
    pub actor: String,
    /// Where the API is, without a slash at its end.
    pub api_url: String,
    /// Where people look, without a slash at its end.
    pub server_url: String,
    /// The workflow run's number, for links.
    pub run_id: String,
    /// The commit that GitHub names for the event. For a pull request it is a merge commit that nobody wrote.
    pub sha: String,
    /// What happened.
    pub event: Event,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// Commits came to a branch.
    Push {
        /// The branch's name.
        branch: String,
        /// Its new commit.
        sha: String,
    },
    /// Something happened to a pull request.
    PullRequest(PullRequest),
    /// Somebody started the workflow by hand, or a slash command did.
    Dispatch {
        /// Branch that the workflow was started on.
        branch: Option<String>,
        /// What was filled in.
        inputs: Inputs,
    },
    /// Somebody commented on a pull request.
    Comment(Comment),
    /// The merge queue asks about a group of pull requests. It has no pull request's number.
    MergeGroup {
        /// The commit to look at.
        sha: String,
    },
    /// The time has come.
    Schedule,
}

/// A pull request as its event tells it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PullRequest {
    /// Its number.
    pub number: u64,
    /// `opened`, `synchronize`, `closed`, ….
    pub action: String,
    /// Its last commit.
    pub head: String,
    /// Its branch.
    pub branch: String,
    /// `owner/name` that its commits come from; `None` when that repository is gone.
    pub from: Option<String>,
    /// Whether it was merged.
    pub merged: bool,
    /// The commit that merged it.
    pub merge_commit: Option<String>,
}

/// A comment on a pull request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comment {
    /// The pull request's number.
    pub number: u64,
    /// The comment's number.
    pub id: u64,
    /// Who wrote it.
    pub author: String,
    /// Whether an account of a program wrote it.
    pub by_bot: bool,
    /// What it says; foreign text.
    pub body: String,
    /// `created`, `edited` or `deleted`.
    pub action: String,
    /// When it was written, RFC 3339.
    pub created_at: String,
}

/// What a started workflow was told. All of it is foreign text until it is checked.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Inputs {
    /// The revision.
    pub rev: Option<String>,
    /// What the change must do.
    pub intent: Option<String>,
    /// Runs that the decision may cost.
    pub runs: Option<String>,
    /// The pull request that asked for it.
    #[serde(rename = "pull-request")]
    pub pull_request: Option<String>,
}

/// Why the event cannot be understood.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum EventError {
    /// Not a job of a workflow.
    #[error("{0} is not set; next: `isugate ci` is what a GitHub workflow runs; on a laptop use `isugate bench`")]
    NoWorkflow(&'static str),
    /// A variable with a value that it cannot have.
    #[error("{name} is {value:?}, which is not {expected}")]
    BadVariable {
        /// The variable.
        name: &'static str,
        /// Its value.
        value: String,
        /// What it should be.
        expected: &'static str,
    },
    /// An event file that is not what its name says.
    #[error("the event file of `{event}`: {reason}; next: see $GITHUB_EVENT_PATH")]
    BadPayload {
        /// The event's name.
        event: String,
        /// What is wrong.
        reason: String,
    },
    /// An event that there is nothing to do for.
    #[error(
        "isugate has nothing to do for the event `{0}`; next: use push, pull_request, workflow_dispatch, issue_comment, \
         merge_group or schedule"
    )]
    NoUse(String),
    /// An issue's comment, not a pull request's.
    #[error("the comment is on an issue, not on a pull request")]
    NotAPullRequest,
    /// A push that removed a branch or brought a tag.
    #[error("the push brought no commit to a branch ({0}); there is nothing to benchmark")]
    NoBranch(String),
}

/// Reads a job's variables and the content of its event file.
///
/// # Errors
/// No workflow, or an event that cannot be used.
pub fn read(variable: impl Fn(&str) -> Option<String>, payload: &[u8]) -> Result<Context, EventError> {
    let variable = |name: &'static str| variable(name).filter(|value| !value.is_empty());
    let needed = |name: &'static str| variable(name).ok_or(EventError::NoWorkflow(name));
    let name = needed("GITHUB_EVENT_NAME")?;
    let repository = needed("GITHUB_REPOSITORY")?;
    if !is_repository(&repository) {
        return Err(EventError::BadVariable { name: "GITHUB_REPOSITORY", value: repository, expected: "owner/name" });
    }
    let sha = needed("GITHUB_SHA")?;
    let bad = |reason: String| EventError::BadPayload { event: name.clone(), reason };
    let payload: Payload = serde_json::from_slice(payload).map_err(|e| bad(e.to_string()))?;
    let branch = |reference: &str| reference.strip_prefix("refs/heads/").map(str::to_owned);
    let event = match name.as_str() {
        "push" => {
            let reference = payload.r#ref.clone().or_else(|| variable("GITHUB_REF")).unwrap_or_default();
            let after = payload.after.clone().unwrap_or_else(|| sha.clone());
            match branch(&reference) {
                Some(branch)
                    if payload.deleted != Some(true) && is_commit(&after) && !after.trim_matches('0').is_empty() =>
                {
                    Event::Push { branch, sha: after }
                }
                _ => return Err(EventError::NoBranch(reference)),
            }
        }
        "pull_request" => Event::PullRequest(pull_request(&payload).map_err(bad)?),
        "workflow_dispatch" => Event::Dispatch {
            branch: payload.r#ref.clone().or_else(|| variable("GITHUB_REF")).as_deref().and_then(branch),
            inputs: payload.inputs.clone().unwrap_or_default(),
        },
        "issue_comment" => Event::Comment(comment(&payload, bad)?),
        "merge_group" => {
            let group = payload.merge_group.as_ref().and_then(|group| group.head_sha.clone()).unwrap_or(sha.clone());
            Event::MergeGroup { sha: group }
        }
        "schedule" => Event::Schedule,
        _ => return Err(EventError::NoUse(name)),
    };
    let told = payload.repository.unwrap_or_default();
    let public = match (told.visibility.as_deref(), told.private) {
        (Some(visibility), _) => Some(visibility == "public"),
        (None, private) => private.map(|private| !private),
    };
    let url = |name: &'static str, default: &str| {
        variable(name).unwrap_or_else(|| default.into()).trim_end_matches('/').to_owned()
    };
    Ok(Context {
        public,
        default_branch: told.default_branch,
        actor: variable("GITHUB_ACTOR").unwrap_or_else(|| "unknown".into()),
        api_url: url("GITHUB_API_URL", "https://api.github.com"),
        server_url: url("GITHUB_SERVER_URL", "https://github.com"),
        run_id: variable("GITHUB_RUN_ID").unwrap_or_default(),
        repository,
        sha,
        event,
    })
}

impl Context {
    /// The page of the workflow run, where logs and artifacts are.
    pub fn run_page(&self) -> Option<String> {
        let number = !self.run_id.is_empty() && self.run_id.bytes().all(|b| b.is_ascii_digit());
        number.then(|| format!("{}/{}/actions/runs/{}", self.server_url, self.repository, self.run_id))
    }
}

/// Whether a text is `owner/name` as GitHub allows it, and so is safe in a path of the API.
pub fn is_repository(text: &str) -> bool {
    let part = |part: &str| {
        !part.is_empty()
            && part != "."
            && part != ".."
            && part.len() <= 100
            && part.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'))
    };
    text.split_once('/').is_some_and(|(owner, name)| part(owner) && part(name))
}

/// Whether a text is a whole commit id, SHA-1 or SHA-256.
pub fn is_commit(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|b| b.is_ascii_hexdigit())
}

fn pull_request(payload: &Payload) -> Result<PullRequest, String> {
    let told = payload.pull_request.as_ref().ok_or("it has no pull_request")?;
    let head = told.head.as_ref().ok_or("pull_request has no head")?;
    let sha = head.sha.clone().filter(|sha| is_commit(sha)).ok_or("pull_request.head.sha is not a commit id")?;
    Ok(PullRequest {
        number: told.number.or(payload.number).ok_or("pull_request has no number")?,
        action: payload.action.clone().unwrap_or_default(),
        head: sha,
        branch: head.r#ref.clone().unwrap_or_default(),
        from: head.repo.as_ref().and_then(|repo| repo.full_name.clone()),
        merged: told.merged == Some(true),
        merge_commit: told.merge_commit_sha.clone().filter(|sha| is_commit(sha)),
    })
}

fn comment(payload: &Payload, bad: impl Fn(String) -> EventError) -> Result<Comment, EventError> {
    let issue = payload.issue.as_ref().ok_or_else(|| bad("it has no issue".into()))?;
    if issue.pull_request.is_none() {
        return Err(EventError::NotAPullRequest);
    }
    let told = payload.comment.as_ref().ok_or_else(|| bad("it has no comment".into()))?;
    let user = told.user.clone().unwrap_or_default();
    Ok(Comment {
        number: issue.number.ok_or_else(|| bad("issue has no number".into()))?,
        id: told.id.ok_or_else(|| bad("comment has no id".into()))?,
        author: user.login.ok_or_else(|| bad("comment has no author".into()))?,
        by_bot: user.r#type.as_deref() == Some("Bot"),
        body: told.body.clone().unwrap_or_default(),
        action: payload.action.clone().unwrap_or_default(),
        created_at: told.created_at.clone().unwrap_or_default(),
    })
}

#[derive(Deserialize)]
struct Payload {
    action: Option<String>,
    number: Option<u64>,
    r#ref: Option<String>,
    after: Option<String>,
    deleted: Option<bool>,
    inputs: Option<Inputs>,
    pull_request: Option<Pull>,
    repository: Option<Repository>,
    merge_group: Option<Group>,
    issue: Option<Issue>,
    comment: Option<Said>,
}

#[derive(Deserialize, Default)]
struct Repository {
    full_name: Option<String>,
    private: Option<bool>,
    visibility: Option<String>,
    default_branch: Option<String>,
}

#[derive(Deserialize)]
struct Pull {
    number: Option<u64>,
    head: Option<Head>,
    merged: Option<bool>,
    merge_commit_sha: Option<String>,
}

#[derive(Deserialize)]
struct Head {
    sha: Option<String>,
    r#ref: Option<String>,
    repo: Option<Repository>,
}

#[derive(Deserialize)]
struct Group {
    head_sha: Option<String>,
}

#[derive(Deserialize)]
struct Issue {
    number: Option<u64>,
    pull_request: Option<serde_json::Value>,
}

#[derive(Deserialize)]
struct Said {
    id: Option<u64>,
    body: Option<String>,
    user: Option<User>,
    created_at: Option<String>,
}

#[derive(Deserialize, Clone, Default)]
struct User {
    login: Option<String>,
    r#type: Option<String>,
}
