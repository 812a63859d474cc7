//! The main workflow and the slash commands' in a real workflow runner, with the small benchmark of the other jobs' tests.

use std::{process::Command, time::Duration};

use serde_json::json;

use super::act::Act;
use crate::{job::Job, rig::process};

#[test]
fn the_shipped_workflow_benchmarks_a_pull_request_and_a_push() {
    let job = Job::new("actpull", 81);
    let act = Act::new(&job.world, &job.repo, job.host.access());
    let head = job.commit(r#"{"pass":true,"score":1200}"#, "0");
    let (ok, log) = act.run("isugate.yml", &job.pull(&head));
    assert!(ok, "{log}");
    assert!(job.world.comments()[0].contains("ACCEPT"), "{log}");
    assert_eq!(job.world.state().check().1, "success", "{log}");
    assert!(log.contains("uploaded"), "outputs reach the next step: {log}");
    let (ok, log) = act.run("isugate.yml", &job.push("main", &head));
    assert!(ok, "{log}");
    assert_eq!(job.world.state().checks.len(), 2, "{log}");
}

#[test]
fn a_failing_benchmark_fails_the_job() {
    let job = Job::new("actfail", 82);
    let act = Act::new(&job.world, &job.repo, job.host.access());
    let head = job.commit(r#"{"pass":false,"score":1200}"#, "0");
    let (ok, log) = act.run("isugate.yml", &job.pull(&head));
    assert!(!ok, "{log}");
    assert_eq!(job.world.state().check().1, "failure", "{log}");
}

#[test]
fn a_fork_is_not_started_at_all() {
    let job = Job::new("actfork", 83);
    let act = Act::new(&job.world, &job.repo, job.host.access());
    let head = job.git(&["rev-parse", "HEAD"]).trim().to_owned();
    let (name, mut payload) = job.pull(&head);
    payload["pull_request"]["head"]["repo"]["full_name"] = json!("eve/isucon");
    let (ok, log) = act.run("isugate.yml", &(name, payload));
    assert!(ok, "{log}");
    assert!(job.world.state().requests.is_empty(), "{log}");
}

#[test]
fn a_slash_command_starts_the_workflow() {
    let job = Job::new("actcmd", 84);
    let act = Act::new(&job.world, &job.repo, job.host.access());
    let (ok, log) = act.run("isugate-commands.yml", &job.comment("ann", "/bench --runs 3"));
    assert!(ok, "{log}");
    assert_eq!(job.world.state().dispatches.len(), 1, "{log}");
    assert_eq!(job.world.state().reactions.last().unwrap().1, "+1");
}

/// act kills the step's own process with SIGKILL, which is isugate itself: nothing can be put right then, and nothing that
/// stays may be for ever. (GitHub's runner asks first; `job/cancel.rs` does it as it does.)
#[test]
fn what_a_workflow_leaves_that_is_killed_ends_by_itself() {
    let job = Job::new("actcancel", 85);
    let act = Act::new(&job.world, &job.repo, job.host.access());
    let head = job.commit(r#"{"pass":true,"score":1}"#, "9.5");
    let mut running = act.command("isugate.yml", &job.pull(&head)).stdout(std::process::Stdio::null()).spawn().unwrap();
    process::wait_for("the benchmark", Duration::from_secs(120), || Ok(job.sleeps("9.5")?.then_some(()))).unwrap();
    process::signal("INT", &[running.id()]).unwrap();
    running.wait().unwrap();
    let lease = Command::new(env!("CARGO_BIN_EXE_isugate")).arg("lease").current_dir(&job.repo).output().unwrap();
    let lease = process::text(&lease.stdout);
    assert!(lease.contains("free") || lease.contains("unless renewed"), "{lease}");
    process::wait_for("the benchmarker's end", Duration::from_secs(40), || Ok((!job.sleeps("9.5")?).then_some(())))
        .unwrap();
}
