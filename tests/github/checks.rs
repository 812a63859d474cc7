//! The check on a commit, and the commit status where checks are not permitted.

use isugate::github::check::{Check, Conclusion, Page};

use crate::fake::{Fault, On, World};

fn page(title: &str) -> Page {
    Page { title: title.into(), summary: format!("{title}, longer"), annotations: Vec::new() }
}

async fn open(world: &World) -> Check {
    let sha = "b".repeat(40);
    Check::open(&world.client(), &sha, "20261130T1", Some("https://github.com/x".into()), &page("begins"))
        .await
        .unwrap()
}

#[tokio::test]
async fn a_check_is_opened_updated_and_completed() {
    let world = World::new();
    let check = open(&world).await;
    assert_eq!(world.state().check().0, "in_progress");
    check.update(&world.client(), &page("running")).await.unwrap();
    assert_eq!(world.state().check().2, "running");
    for (conclusion, told) in
        [(Conclusion::Success, "success"), (Conclusion::Neutral, "neutral"), (Conclusion::Failure, "failure")]
    {
        check.complete(&world.client(), conclusion, &page("done")).await.unwrap();
        assert_eq!(world.state().check(), ("completed".into(), told.into(), "done".into()));
    }
    assert_eq!(world.state().checks.len(), 1);
    assert_eq!(world.state().checks[0]["name"], "isugate");
}

#[tokio::test]
async fn an_opening_whose_answer_was_lost_makes_no_second_check() {
    for fault in [Fault::LostAnswer, Fault::TornAnswer] {
        let world = World::new();
        world.next(On::CreateCheck, fault);
        let check = open(&world).await;
        assert_eq!(world.state().checks.len(), 1);
        check.complete(&world.client(), Conclusion::Success, &page("done")).await.unwrap();
        assert_eq!(world.state().check().1, "success");
    }
}

#[tokio::test]
async fn where_checks_are_not_permitted_a_commit_status_says_it() {
    let world = World::new();
    world.next(On::CreateCheck, Fault::permission());
    let check = open(&world).await;
    assert_eq!(check.id, None);
    check.complete(&world.client(), Conclusion::Failure, &page(&"long ".repeat(100))).await.unwrap();
    let state = world.state();
    let told: Vec<_> = state.statuses.iter().map(|(_, body)| body["state"].as_str().unwrap()).collect();
    assert_eq!(told, ["pending", "failure"]);
    assert!(state.statuses[1].1["description"].as_str().unwrap().chars().count() <= 140);
    assert_eq!(state.statuses[1].1["context"], "isugate");
}

#[tokio::test]
async fn without_either_permission_the_line_for_checks_is_named() {
    let world = World::new();
    world.next(On::CreateCheck, Fault::permission()).next(On::Status, Fault::permission());
    let error = Check::open(&world.client(), &"b".repeat(40), "1", None, &page("x")).await.unwrap_err().to_string();
    assert!(error.contains("`checks: write`"), "{error}");
}

#[tokio::test]
async fn a_change_is_repeated_until_it_is_taken() {
    let world = World::new();
    let check = open(&world).await;
    for fault in [Fault::status(500, "x"), Fault::status(409, "Conflict"), Fault::LostAnswer] {
        world.next(On::ChangeCheck, fault);
    }
    check.complete(&world.client(), Conclusion::Success, &page("done")).await.unwrap();
    assert_eq!(world.count(On::ChangeCheck), 4);
    assert_eq!(world.state().check().1, "success");
}

#[tokio::test]
async fn two_runs_on_one_commit_have_a_check_each_and_neither_ends_the_others() {
    let world = World::new();
    let sha = "b".repeat(40);
    let first = open(&world).await;
    // The answer is lost: it must find its own, not the one that is there already.
    world.next(On::CreateCheck, Fault::LostAnswer);
    let second = Check::open(&world.client(), &sha, "20261130T2", None, &page("begins")).await.unwrap();
    assert_ne!(first.id, second.id);
    first.complete(&world.client(), Conclusion::Success, &page("done")).await.unwrap();
    let state =
        || world.state().checks.iter().map(|check| check["status"].as_str().unwrap().to_owned()).collect::<Vec<_>>();
    assert_eq!(state(), ["completed", "in_progress"]);
    second.complete(&world.client(), Conclusion::Failure, &page("done")).await.unwrap();
    assert_eq!(state(), ["completed", "completed"]);
    assert!(world.state().checks.iter().all(|check| check["name"] == "isugate"), "branch protection goes by the name");
}
