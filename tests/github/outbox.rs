//! What GitHub does not take is kept, and goes later.

use isugate::github::{
    check::{Check, Conclusion, Page},
    comment::Body,
    outbox::{Entry, Outbox, this_process},
};

use crate::fake::{Fault, JOB, On, World};

fn comment(world: &World, order: &str) -> Entry {
    let body = Body { order: order.into(), full: format!("text {order}\n"), short: "short\n".into() };
    Entry::Comment { repository: world.name.clone(), number: 7, body }
}

#[tokio::test]
async fn what_waits_is_sent_once_and_forgotten() {
    let (world, dir) = (World::new(), tempfile::tempdir().unwrap());
    let outbox = Outbox::of(dir.path());
    outbox.keep(&comment(&world, "20261130T1")).unwrap();
    world.next(On::CreateComment, Fault::permission());
    let first = outbox.flush(&world.client(), JOB).await;
    assert!(first.sent.is_empty() && first.kept[0].1.contains("pull-requests: write"), "{first:?}");
    let second = outbox.flush(&world.client(), JOB).await;
    assert_eq!((second.sent.len(), second.kept.len()), (1, 0));
    assert!(outbox.flush(&world.client(), JOB).await.sent.is_empty());
    assert_eq!(world.comments().len(), 1);
}

#[tokio::test]
async fn what_a_newer_run_has_said_meanwhile_stays() {
    let (world, dir) = (World::new(), tempfile::tempdir().unwrap());
    let outbox = Outbox::of(dir.path());
    outbox.keep(&comment(&world, "20261130T1")).unwrap();
    let newer = Body { order: "20261130T2".into(), full: "newer\n".into(), short: "n".into() };
    isugate::github::comment::publish(&world.client(), 7, JOB, &newer).await.unwrap();
    outbox.flush(&world.client(), JOB).await;
    assert!(world.comments()[0].contains("newer"));
    assert!(outbox.waiting().0.is_empty());
}

#[tokio::test]
async fn the_check_of_a_process_that_is_gone_is_ended_and_that_of_a_living_one_is_not() {
    let (world, dir) = (World::new(), tempfile::tempdir().unwrap());
    let outbox = Outbox::of(dir.path());
    let page = Page { title: "begins".into(), summary: "s".into(), annotations: vec![] };
    let check = Check::open(&world.client(), &"b".repeat(40), "1", None, &page).await.unwrap();
    let open = |process| Entry::Open { repository: world.name.clone(), check: check.clone(), process };
    outbox.keep(&open(this_process())).unwrap();
    outbox.flush(&world.client(), JOB).await;
    assert_eq!(world.state().check().0, "in_progress");
    outbox.keep(&open((this_process().0, this_process().1 + 1))).unwrap();
    outbox.flush(&world.client(), JOB).await;
    assert_eq!(world.state().check().1, "cancelled");
    assert!(outbox.waiting().0.is_empty());
}

#[tokio::test]
async fn what_belongs_to_another_repository_is_left_for_it() {
    let (world, other, dir) = (World::new(), World::new(), tempfile::tempdir().unwrap());
    let outbox = Outbox::of(dir.path());
    outbox.keep(&comment(&other, "20261130T1")).unwrap();
    outbox.flush(&world.client(), JOB).await;
    assert!(world.comments().is_empty() && other.comments().is_empty());
    outbox.flush(&other.client(), JOB).await;
    assert_eq!(other.comments().len(), 1);
}

#[tokio::test]
async fn the_end_of_a_check_waits_through_an_outage() {
    let (world, dir) = (World::new(), tempfile::tempdir().unwrap());
    let outbox = Outbox::of(dir.path());
    let page = Page { title: "done".into(), summary: "s".into(), annotations: vec![] };
    let check = Check::open(&world.client(), &"b".repeat(40), "1", None, &page).await.unwrap();
    let conclusion = Conclusion::Success;
    outbox.keep(&Entry::Check { repository: world.name.clone(), check, conclusion, page }).unwrap();
    for _ in 0..4 {
        world.next(On::ChangeCheck, Fault::status(502, "Bad Gateway"));
    }
    assert_eq!(outbox.flush(&world.client(), JOB).await.kept.len(), 1);
    assert_eq!(outbox.flush(&world.client(), JOB).await.sent.len(), 1);
    assert_eq!(world.state().check().1, "success");
}
