//! Somebody else holds the hosts.

use std::time::Duration;

use super::fixture::Job;
use crate::rig::process;

#[test]
fn while_it_waits_check_and_comment_say_who_holds_the_hosts_and_then_what_came_out() {
    let job = Job::new("ghwait", 59);
    let main = job.commit(r#"{"pass":true,"score":1000}"#, "8");
    let mut first = job.program(&job.push("main", &main));
    let mut first = first.env("GITHUB_ACTOR", "bob").spawn().unwrap();
    process::wait_for("the first benchmark", Duration::from_secs(60), || Ok(job.sleeps("8")?.then_some(()))).unwrap();
    let head = job.commit(r#"{"pass":true,"score":1200}"#, "0");
    // One run is enough here: the baseline's takes as long as the first did.
    let mut second = job.program(&job.pull(&head));
    let mut second = second.env("ISUGATE_RUNS", "1").spawn().unwrap();
    let said = process::wait_for("the comment", Duration::from_secs(30), || {
        Ok(job.world.comments().into_iter().find(|comment| comment.contains("waiting for the hosts")))
    })
    .unwrap();
    assert!(said.contains("app1: held by bob") && said.contains("bench of"), "{said}");
    // The check of the second; the first one's goes on.
    let title = job.world.state().check().2;
    assert!(title.contains("held by bob"), "{title}");
    assert!(first.wait().unwrap().success());
    assert_eq!(second.wait().unwrap().code(), Some(0), "{}", job.done(None).log);
    let comments = job.world.comments();
    assert_eq!(comments.len(), 1);
    assert!(comments[0].contains("1,200") && !comments[0].contains("waiting for the hosts"), "{}", comments[0]);
    let state = job.world.state();
    assert!(state.checks.iter().all(|check| check["status"] == "completed"), "{:?}", state.checks);
}
