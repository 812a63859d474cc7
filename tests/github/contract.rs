//! The same flows through Prism: what we send and what the fake answers is as GitHub's own description says.

use isugate::github::{
    check::{Check, Conclusion, Page},
    commands,
    comment::{self, Body, Sent},
};

use crate::fake::{JOB, World};

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
    let wrong = serde_json::json!({"content": "applause"});
    let id = world.state().says("ann", "x");
    let path = format!("/issues/comments/{id}/reactions");
    let answer = world
        .checked_client()
        .post::<serde_json::Value>(&path, &wrong, "a wrong reaction", isugate::github::Need::Comment)
        .await;
    assert!(matches!(answer, Err(isugate::github::ApiError::Refused { status: 422, .. })), "{answer:?}");
    assert!(world.state().reactions.is_empty());
}
