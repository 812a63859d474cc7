//! Events as GitHub sends them, read from the environment and the event file.

use isugate::github::{
    Context, Event,
    event::{self, EventError},
    guard,
};
use serde_json::{Value, json};

const SHA: &str = "cccccccccccccccccccccccccccccccccccccccc";
const HEAD: &str = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb";

fn read(name: &str, payload: Value) -> Result<Context, EventError> {
    let variable = |variable: &str| {
        Some(match variable {
            "GITHUB_EVENT_NAME" => name.to_owned(),
            "GITHUB_REPOSITORY" => "team/isucon".into(),
            "GITHUB_SHA" => SHA.into(),
            "GITHUB_ACTOR" => "ann".into(),
            "GITHUB_RUN_ID" => "42".into(),
            _ => return None,
        })
    };
    event::read(variable, payload.to_string().as_bytes())
}

fn repository() -> Value {
    json!({"full_name": "team/isucon", "private": true, "default_branch": "main"})
}

fn pull(from: Value) -> Value {
    json!({
        "action": "synchronize", "number": 7, "repository": repository(),
        "pull_request": {"number": 7, "merged": false, "head": {"sha": HEAD, "ref": "faster", "repo": from}},
    })
}

#[test]
fn a_push_names_branch_and_commit() {
    let context = read("push", json!({"ref": "refs/heads/a/b", "after": HEAD, "repository": repository()})).unwrap();
    assert_eq!(context.event, Event::Push { branch: "a/b".into(), sha: HEAD.into() });
    assert_eq!((context.public, context.default_branch.as_deref()), (Some(false), Some("main")));
    assert_eq!(context.run_page().as_deref(), Some("https://github.com/team/isucon/actions/runs/42"));
}

#[test]
fn a_push_that_removes_a_branch_or_brings_a_tag_is_nothing_to_benchmark() {
    let zero = "0".repeat(40);
    for payload in
        [json!({"ref": "refs/heads/x", "after": zero, "deleted": true}), json!({"ref": "refs/tags/v1", "after": HEAD})]
    {
        assert!(matches!(read("push", payload), Err(EventError::NoBranch(_))));
    }
}

#[test]
fn of_a_pull_request_the_head_counts_not_the_merge_commit_that_github_makes() {
    let context = read("pull_request", pull(repository())).unwrap();
    let Event::PullRequest(pull) = &context.event else { panic!("{context:?}") };
    assert_eq!((pull.head.as_str(), pull.number), (HEAD, 7));
    assert_ne!(pull.head, context.sha);
    assert_eq!(guard::event(&context), Ok(()));
}

#[test]
fn a_fork_is_refused_also_one_of_the_same_owner_and_one_that_is_gone() {
    for from in [json!({"full_name": "eve/isucon"}), json!({"full_name": "team/isucon-fork"}), Value::Null] {
        let context = read("pull_request", pull(from)).unwrap();
        let refusal = guard::event(&context).unwrap_err().to_string();
        assert!(refusal.contains("never reach the hosts"), "{refusal}");
    }
}

#[test]
fn a_merge_group_has_a_commit_and_no_pull_request() {
    let context = read("merge_group", json!({"merge_group": {"head_sha": HEAD}})).unwrap();
    assert_eq!(context.event, Event::MergeGroup { sha: HEAD.into() });
    assert_eq!(context.public, None);
}

#[test]
fn a_comment_on_an_issue_is_no_command_and_one_on_a_pull_request_may_be() {
    let comment = json!({"id": 5, "body": "/bench", "user": {"login": "ann", "type": "User"}});
    let on = |issue: Value| json!({"action": "created", "issue": issue, "comment": comment});
    assert_eq!(read("issue_comment", on(json!({"number": 7}))).unwrap_err(), EventError::NotAPullRequest);
    let context = read("issue_comment", on(json!({"number": 7, "pull_request": {}}))).unwrap();
    assert!(matches!(context.event, Event::Comment(comment) if comment.author == "ann" && !comment.by_bot));
}

#[test]
fn inputs_of_a_started_workflow_and_a_schedule_are_read() {
    let inputs =
        json!({"ref": "refs/heads/main", "inputs": {"rev": HEAD, "runs": "3", "pull-request": "7", "other": "x"}});
    let Event::Dispatch { inputs, branch } = read("workflow_dispatch", inputs).unwrap().event else { panic!() };
    assert_eq!((inputs.rev.as_deref(), inputs.runs.as_deref()), (Some(HEAD), Some("3")));
    assert_eq!((inputs.pull_request.as_deref(), branch.as_deref()), (Some("7"), Some("main")));
    assert!(matches!(read("workflow_dispatch", json!({"inputs": null})).unwrap().event, Event::Dispatch { .. }));
    assert_eq!(read("schedule", json!({"schedule": "0 3 * * *"})).unwrap().event, Event::Schedule);
}

#[test]
fn what_is_no_workflow_or_no_event_of_ours_says_what_to_do() {
    let none = event::read(|_| None, b"{}").unwrap_err().to_string();
    assert!(none.contains("isugate bench"), "{none}");
    let other = read("gollum", json!({})).unwrap_err().to_string();
    assert!(other.contains("pull_request"), "{other}");
    for broken in [&b"{"[..], b"[]", b"\xff"] {
        let variable = |name: &str| Some(if name == "GITHUB_REPOSITORY" { "a/b" } else { "push" }.to_owned());
        assert!(event::read(variable, broken).is_err());
    }
    assert!(read("pull_request", json!({"pull_request": {"number": 7, "head": {"sha": "--upload-pack=x"}}})).is_err());
}

#[test]
fn a_repository_name_that_could_be_a_path_is_refused() {
    for bad in ["a", "a/b/c", "../..", "a/..", "a b/c", "a/b?x", "", "/b", "a/"] {
        assert!(!event::is_repository(bad), "{bad}");
    }
    assert!(event::is_repository("ekusiadadus/isugate.rs-1_x"));
}
