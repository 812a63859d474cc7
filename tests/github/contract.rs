//! GitHub's own description of its API, and who holds to it: the same flows through Prism, the fake's own look at every request
//! and answer, and that both would say it.

use isugate::github::{
    ApiError, Need,
    check::{Check, Conclusion, Page},
    commands,
    comment::{self, Body, Sent},
    runner,
};
use serde_json::{Value, json};

use crate::fake::{JOB, REGISTRATION, World};

#[tokio::test]
async fn the_comment_is_as_described() {
    let world = World::new();
    let client = world.checked_client();
    assert_eq!(comment::author(&client).await.as_deref(), Ok(JOB));
    let body = |order: &str| Body { order: order.into(), full: format!("text {order}\n"), short: "short".into() };
    assert_eq!(comment::publish(&client, 7, JOB, &body("1")).await, Ok(Sent::Created));
    assert_eq!(comment::publish(&client, 7, JOB, &body("2")).await, Ok(Sent::Updated));
    let second = world.comments()[0].clone();
    world.state().says(JOB, &second);
    assert!(comment::publish(&client, 7, JOB, &body("3")).await.is_ok());
    assert_eq!(world.comments().len(), 1);
    let long = Body { order: "4".into(), full: "x".repeat(70_000), short: "short".into() };
    assert_eq!(comment::publish(&client, 7, JOB, &long).await, Ok(Sent::Updated));
}

#[tokio::test]
async fn check_and_status_are_as_described() {
    let world = World::new();
    let client = world.checked_client();
    let annotation = isugate::github::annotations::Annotation {
        path: "isugate.yml".into(),
        line: 3,
        column: 5,
        message: "unknown key".into(),
    };
    let page = Page { title: "title".into(), summary: "summary".into(), annotations: vec![annotation] };
    let sha = "b".repeat(40);
    let check = Check::open(&client, &sha, "1", Some("https://github.com/x".into()), &page).await.unwrap();
    check.update(&client, &page).await.unwrap();
    for conclusion in [Conclusion::Success, Conclusion::Failure, Conclusion::Neutral, Conclusion::Cancelled] {
        check.complete(&client, conclusion, &page).await.unwrap();
        Check { id: None, ..check.clone() }.complete(&client, conclusion, &page).await.unwrap();
    }
    assert_eq!(world.state().statuses.len(), 4);
}

#[tokio::test]
async fn permission_and_reaction_are_as_described() {
    let world = World::new();
    let client = world.checked_client();
    assert_eq!(commands::may_write(&client, "ann").await, Ok(true));
    assert_eq!(commands::may_write(&client, "guest").await, Ok(false));
    assert_eq!(commands::may_write(&client, "nobody").await, Ok(false));
    let id = world.state().says("ann", "/status");
    for reaction in ["+1", "-1", "confused"] {
        commands::react(&client, id, reaction).await.unwrap();
    }
    assert_eq!(world.state().reactions.len(), 3);
}

#[tokio::test]
async fn prism_would_say_when_we_are_wrong() {
    let world = World::new();
    let wrong = json!({"content": "applause"});
    let id = world.state().says("ann", "x");
    let path = format!("/issues/comments/{id}/reactions");
    let answer = world.checked_client().post::<Value>(&path, &wrong, "a wrong reaction", Need::Comment).await;
    assert!(matches!(answer, Err(ApiError::Refused { status: 422, .. })), "{answer:?}");
    assert!(world.state().reactions.is_empty());
}

#[tokio::test]
async fn pull_requests_repository_workflows_and_runners_are_as_described() {
    let world = World::new();
    let client = world.checked_client();
    let need = Need::Pulls;
    let mine: Vec<Value> = client.list("/pulls?state=open&head=team%3Afaster", None, "pulls", need).await.unwrap();
    assert_eq!(mine[0]["head"]["ref"], "faster");
    let one: Value = client.get("/pulls/7", "a pull", need).await.unwrap();
    assert_eq!(one["head"]["repo"]["full_name"], world.name.as_str());
    assert!(matches!(client.get::<Value>("/pulls/8", "a pull", need).await, Err(ApiError::NotFound { .. })));
    let repository: Value = client.get("", "the repository", Need::Contents).await.unwrap();
    assert_eq!(repository["private"], true);
    let start = json!({"ref": "main", "inputs": {"rev": "b", "pull-request": "7"}});
    let path = "/actions/workflows/isugate.yml/dispatches";
    client.post::<Value>(path, &start, "the start of the workflow", Need::Dispatch).await.unwrap();
    assert_eq!(world.state().dispatches.len(), 1);
    world.state().downloads = json!([{
        "os": "linux", "architecture": "x64", "filename": "actions-runner-linux-x64-2.330.0.tar.gz",
        "download_url": "https://example.invalid/r.tar.gz", "sha256_checksum": "a".repeat(64),
    }]);
    assert_eq!(runner::downloads(&client).await.unwrap()[0].version(), Some("2.330.0"));
    assert_eq!(runner::registration_token(&client).await.as_deref(), Ok(REGISTRATION));
    world.state().login = Some("ann".into());
    assert_eq!(comment::author(&client).await.as_deref(), Ok("ann"));
}

#[tokio::test]
async fn the_fake_itself_would_say_when_we_are_wrong() {
    let world = World::new();
    let client = world.client();
    let comment = "/issues/7/comments";
    for (path, body, says) in [
        (comment, json!({}), "body"),
        (comment, json!({"body": 7}), "not of type"),
        (comment, json!({"body": "x", "boddy": "y"}), "no field `boddy`"),
        ("/issues/seven/comments", json!({"body": "x"}), "issue_number"),
        ("/issues/7/comments?sort=asc", json!({"body": "x"}), "`sort` is no parameter"),
        ("/check-runs", json!({"name": "isugate", "head_sha": "b", "status": "finished"}), "finished"),
        ("/check-runs", json!({"name": "x", "head_sha": "b", "started_at": "yesterday"}), "date-time"),
        ("/statuses/b", json!({"state": "neutral"}), "neutral"),
        ("/actions/workflows/x.yml/dispatches", json!({"inputs": {}}), "ref"),
    ] {
        let answer = client.post::<Value>(path, &body, "a wrong request", Need::Comment).await;
        assert!(matches!(answer, Err(ApiError::Refused { status: 422, .. })), "{path} {body}: {answer:?}");
        let violations = world.violations().join("; ");
        assert!(violations.contains(says), "{path} {body}: {violations}");
    }
    // An answer that lacks what GitHub's have.
    world.state().downloads = json!([{"os": "linux"}]);
    assert!(runner::downloads(&client).await.is_err());
    assert!(world.violations().join("; ").contains("download_url"));
}
