//! What the fake remembers of one repository.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{JOB, On};

/// One comment.
#[derive(Debug, Clone, PartialEq)]
pub struct Comment {
    pub id: u64,
    pub issue: u64,
    pub author: String,
    pub body: String,
}

/// One repository.
pub struct Repository {
    pub name: String,
    pub token: String,
    /// Whom the token belongs to; a job's own token may not ask.
    pub login: Option<String>,
    /// The app whose token it is, where it is not the job's own.
    pub app: Option<String>,
    pub private: bool,
    pub comments: Vec<Comment>,
    /// The comments before the last write.
    pub earlier: Vec<Comment>,
    pub checks: Vec<Value>,
    pub statuses: Vec<(String, Value)>,
    /// Number, branch, head, repository that it comes from.
    pub pulls: Vec<(u64, String, String, String)>,
    pub permissions: BTreeMap<String, &'static str>,
    pub reactions: Vec<(u64, String)>,
    pub dispatches: Vec<Value>,
    /// Runner programs that are offered.
    pub downloads: Value,
    /// All that came, in order.
    pub requests: Vec<On>,
    next: u64,
}

impl Repository {
    pub fn new(name: &str, token: &str) -> Repository {
        Repository {
            name: name.into(),
            token: token.into(),
            login: None,
            app: None,
            private: true,
            comments: Vec::new(),
            earlier: Vec::new(),
            checks: Vec::new(),
            statuses: Vec::new(),
            pulls: vec![(7, "faster".into(), "b".repeat(40), name.into())],
            permissions: BTreeMap::from([("ann".into(), "write"), ("boss".into(), "admin"), ("guest".into(), "read")]),
            reactions: Vec::new(),
            dispatches: Vec::new(),
            downloads: json!([]),
            requests: Vec::new(),
            next: 100,
        }
    }

    pub fn id(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    /// Who the token's owner is.
    pub fn author(&self) -> String {
        self.login.clone().or_else(|| self.app.clone()).unwrap_or_else(|| JOB.into())
    }

    /// Somebody's comment.
    pub fn says(&mut self, author: &str, body: &str) -> u64 {
        let id = self.id();
        self.earlier = self.comments.clone();
        self.comments.push(Comment { id, issue: 7, author: author.into(), body: body.into() });
        id
    }

    /// What the last check says: its status, conclusion and title.
    pub fn check(&self) -> (String, String, String) {
        let check = self.checks.last().expect("a check");
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        (text(&check["status"]), text(&check["conclusion"]), text(&check["output"]["title"]))
    }
}

/// A user as GitHub shows one.
pub fn user(login: &str) -> Value {
    let encoded = login.replace('[', "%5B").replace(']', "%5D");
    let api = format!("https://api.github.com/users/{encoded}");
    let mut user = json!({
        "login": login, "id": 41898282, "node_id": "MDM6Qm90", "avatar_url": "https://avatars.example/u/1",
        "gravatar_id": "", "url": api, "html_url": format!("https://github.com/{encoded}"),
        "type": if login.ends_with("[bot]") { "Bot" } else { "User" }, "site_admin": false,
    });
    for name in [
        "followers_url",
        "following_url",
        "gists_url",
        "starred_url",
        "subscriptions_url",
        "organizations_url",
        "repos_url",
        "events_url",
        "received_events_url",
    ] {
        user[name] = json!(format!("https://api.github.com/users/1/{name}"));
    }
    user
}
