//! The comment that is kept up to date.

use std::time::{Duration, Instant};

use isugate::github::{
    ApiError,
    comment::{self, Body, Sent},
};

use crate::fake::{Fault, JOB, On, World};

fn body(order: &str, text: &str) -> Body {
    Body { order: order.into(), full: format!("{text}\n"), short: "short\n".into() }
}

async fn publish(world: &World, order: &str, text: &str) -> Result<Sent, ApiError> {
    comment::publish(&world.client(), 7, JOB, &body(order, text)).await
}

#[tokio::test]
async fn one_comment_is_made_changed_and_left_alone_when_it_says_the_same() {
    let world = World::new();
    assert_eq!(publish(&world, "20261130T1", "first").await, Ok(Sent::Created));
    assert_eq!(publish(&world, "20261130T2", "second").await, Ok(Sent::Updated));
    assert_eq!(publish(&world, "20261130T2", "second").await, Ok(Sent::Unchanged));
    assert_eq!(world.comments().len(), 1);
    assert!(world.comments()[0].contains("second"));
    assert_eq!(world.count(On::ChangeComment), 1);
}

#[tokio::test]
async fn an_older_run_never_overwrites_a_newer_one() {
    let world = World::new();
    publish(&world, "20261130T2", "newer").await.unwrap();
    assert_eq!(publish(&world, "20261130T1", "older").await, Ok(Sent::Superseded { by: "20261130T2".into() }));
    assert!(world.comments()[0].contains("newer"));
}

#[tokio::test]
async fn a_marker_of_somebody_else_is_not_ours() {
    let world = World::new();
    publish(&world, "20261130T1", "ours").await.unwrap();
    let copied = world.comments()[0].replace("20261130T1", "99991231T1");
    world.state().says("eve", &copied);
    let quoted = format!("> {}", world.comments()[0]);
    world.state().says(JOB, &quoted);
    assert_eq!(publish(&world, "20261130T2", "ours again").await, Ok(Sent::Updated));
    assert_eq!(world.comments().len(), 3);
    assert_eq!(world.comments()[1], copied);
    assert_eq!(world.comments()[2], quoted);
}

#[tokio::test]
async fn it_is_found_behind_many_pages_of_others() {
    let world = World::new();
    for number in 0..250 {
        world.state().says("ann", &format!("talk {number}"));
    }
    publish(&world, "20261130T1", "ours").await.unwrap();
    for number in 0..120 {
        world.state().says("ann", &format!("more talk {number}"));
    }
    assert_eq!(publish(&world, "20261130T2", "ours again").await, Ok(Sent::Updated));
    assert_eq!(world.comments().len(), 371);
}

#[tokio::test]
async fn of_several_the_oldest_stays_with_what_the_newest_run_said() {
    let world = World::new();
    publish(&world, "20261130T1", "first").await.unwrap();
    let second = world.comments()[0].replace("20261130T1", "20261130T3").replace("first", "third run");
    world.state().says(JOB, &second);
    let oldest = world.state().comments[0].id;
    assert!(matches!(publish(&world, "20261130T2", "second run").await, Ok(Sent::Superseded { .. })));
    assert_eq!(world.comments().len(), 1);
    assert_eq!(world.state().comments[0].id, oldest);
    assert!(world.comments()[0].contains("third run"));
}

#[tokio::test]
async fn two_writers_at_once_leave_one_comment_with_the_newer_text() {
    let world = World::new();
    world.next(On::CreateComment, Fault::Meet).next(On::CreateComment, Fault::Meet);
    let (older, newer) = tokio::join!(publish(&world, "20261130T1", "older"), publish(&world, "20261130T2", "newer"));
    assert!(older.is_ok() && newer.is_ok(), "{older:?} {newer:?}");
    assert_eq!(world.count(On::CreateComment), 2);
    assert_eq!(world.comments().len(), 1);
    assert!(world.comments()[0].contains("newer"), "{}", world.comments()[0]);
}

#[tokio::test]
async fn a_write_whose_answer_was_lost_is_not_done_twice() {
    for fault in [Fault::LostAnswer, Fault::TornAnswer] {
        let world = World::new();
        world.next(On::CreateComment, fault.clone());
        assert_eq!(publish(&world, "20261130T1", "once").await, Ok(Sent::Created), "{fault:?}");
        assert_eq!(world.comments().len(), 1, "{fault:?}");
        world.next(On::ChangeComment, fault.clone());
        assert_eq!(publish(&world, "20261130T2", "twice").await, Ok(Sent::Updated), "{fault:?}");
        assert!(world.comments()[0].contains("twice"), "{fault:?}");
    }
}

#[tokio::test]
async fn a_lost_answer_and_a_list_that_is_behind_do_not_make_a_second_comment() {
    let world = World::new();
    world.next(On::CreateComment, Fault::LostAnswer);
    world.next(On::ListComments, Fault::Slow(Duration::ZERO)).next(On::ListComments, Fault::Stale);
    publish(&world, "20261130T1", "once").await.unwrap();
    assert_eq!(world.comments().len(), 1);
    assert_eq!(world.count(On::CreateComment), 1);
}

#[tokio::test]
async fn a_500_that_did_nothing_is_tried_again() {
    let world = World::new();
    world.next(On::CreateComment, Fault::status(500, "Server Error")).next(On::ListComments, Fault::status(502, "x"));
    assert_eq!(publish(&world, "20261130T1", "once").await, Ok(Sent::Created));
    assert_eq!(world.comments().len(), 1);
}

#[tokio::test]
async fn a_comment_that_was_removed_meanwhile_is_made_anew() {
    let world = World::new();
    publish(&world, "20261130T1", "first").await.unwrap();
    world.state().comments.clear();
    // The list still shows it.
    world.next(On::ListComments, Fault::Stale);
    assert!(publish(&world, "20261130T2", "second").await.is_ok());
    assert!(world.comments()[0].contains("second"));
}

#[tokio::test]
async fn a_text_that_is_too_long_goes_in_its_short_form() {
    let world = World::new();
    let long = "x".repeat(70_000);
    assert_eq!(publish(&world, "20261130T1", &long).await, Ok(Sent::Created));
    assert!(world.comments()[0].ends_with("short\n"));
}

#[tokio::test]
async fn limits_are_waited_for_with_and_without_headers() {
    for (fault, least) in [
        (Fault::secondary(1), 1000),
        (Fault::Answer { status: 429, headers: vec![("retry-after", "1".into())], message: "slow down" }, 1000),
        (Fault::secondary_without_headers(), 10),
    ] {
        let world = World::new();
        world.next(On::CreateComment, fault.clone());
        let began = Instant::now();
        assert_eq!(publish(&world, "20261130T1", "text").await, Ok(Sent::Created), "{fault:?}");
        assert!(began.elapsed() >= Duration::from_millis(least), "{fault:?} after {:?}", began.elapsed());
        assert_eq!(world.comments().len(), 1);
        assert_eq!(world.count(On::CreateComment), 2);
    }
}

#[tokio::test]
async fn a_limit_that_lasts_too_long_is_given_up_and_says_how_long() {
    let world = World::new();
    world.next(On::CreateComment, Fault::secondary(3600));
    let error = publish(&world, "20261130T1", "text").await.unwrap_err();
    assert!(matches!(error, ApiError::Limited { .. }) && error.to_string().contains("3600 s"), "{error}");
}

#[tokio::test]
async fn what_is_missing_is_said_with_the_line_to_add() {
    for (fault, says) in [
        (Fault::permission(), "`pull-requests: write`"),
        (Fault::status(404, "Not Found"), "`pull-requests: write`"),
        (Fault::status(401, "Bad credentials"), "github-token: ${{ github.token }}"),
    ] {
        let world = World::new();
        world.next(On::CreateComment, fault);
        let error = publish(&world, "20261130T1", "text").await.unwrap_err().to_string();
        assert!(error.contains(says), "{error}");
        assert_eq!(world.count(On::CreateComment), 1);
    }
}

#[tokio::test]
async fn whose_a_token_is_is_known_of_a_job_of_an_app_and_of_a_person() {
    let world = World::new();
    assert_eq!(comment::author(&world.client()).await.as_deref(), Ok(JOB));
    world.state().app = Some("team-gate[bot]".into());
    assert_eq!(comment::author(&world.client()).await.as_deref(), Ok("team-gate[bot]"));
    world.next(On::Viewer, Fault::LostAnswer);
    assert_eq!(comment::author(&world.client()).await.as_deref(), Ok("team-gate[bot]"));
    world.state().login = Some("ann".into());
    assert_eq!(comment::author(&world.client()).await.as_deref(), Ok("ann"));
    // A server that does not answer in GraphQL.
    let world = World::new();
    world.next(On::Viewer, Fault::status(404, "Not Found"));
    assert_eq!(comment::author(&world.client()).await.as_deref(), Ok(JOB));
}

#[tokio::test]
async fn a_slow_answer_is_waited_for() {
    let world = World::new();
    world.next(On::CreateComment, Fault::Slow(Duration::from_secs(2)));
    assert_eq!(publish(&world, "20261130T1", "text").await, Ok(Sent::Created));
    assert_eq!(world.count(On::CreateComment), 1);
}
