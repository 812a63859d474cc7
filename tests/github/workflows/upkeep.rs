//! What else a team's repository runs: the nightly measurement, the merge, the portal's score.

use serde_json::json;

use super::act::{Act, git};
use crate::{job::Job, rig::process};

#[test]
fn every_night_the_main_branch_is_measured_several_times_one_after_the_other() {
    let job = Job::new("actnight", 86);
    let act = Act::new(&job.world, &job.repo, job.host.access());
    let ledger = act.share_the_ledger();
    let schedule = ("schedule", json!({"schedule": "17 18 * * *", "repository": job.repository()}));
    // Two of the five, for the test's time.
    let mut command = act.command("isugate-nightly.yml", &schedule);
    let output = command.args(["--matrix", "round:1", "--matrix", "round:2"]).output().unwrap();
    let log = process::text(&[output.stdout, output.stderr].concat());
    assert!(output.status.success(), "{log}");
    let runs = git(&ledger, &["ls-tree", "--name-only", "isugate-ledger:runs"]);
    assert_eq!(runs.lines().count(), 2, "{runs}\n{log}");
    let state = job.world.state();
    assert_eq!(state.checks.len(), 2);
    assert!(state.checks.iter().all(|check| check["status"] == "completed"), "{:?}", state.checks);
    assert!(state.comments.is_empty());
}

#[test]
fn a_merge_makes_the_accepted_run_a_baseline_and_says_so_on_the_pull_request() {
    let job = Job::new("actmerge", 87);
    let act = Act::new(&job.world, &job.repo, job.host.access());
    let ledger = act.share_the_ledger();
    let head = job.commit(r#"{"pass":true,"score":1200}"#, "0");
    let run = job.run(&job.pull(&head));
    assert_eq!(run.status, Some(0), "{}", run.log);
    let (name, mut closed) = job.pull(&head);
    closed["action"] = json!("closed");
    // Closed without a merge: the job is not even started.
    let asked = job.world.state().requests.len();
    let (ok, log) = act.run("isugate-merge.yml", &(name, closed.clone()));
    assert!(ok && job.world.state().requests.len() == asked, "{log}");
    closed["pull_request"]["merged"] = json!(true);
    closed["pull_request"]["merge_commit_sha"] = json!("d".repeat(40));
    let (ok, log) = act.run("isugate-merge.yml", &(name, closed));
    assert!(ok && log.contains("is a baseline of the main branch now"), "{log}");
    assert!(job.world.comments()[0].contains("merged as dddddddddddd"), "{:?}", job.world.comments());
    assert!(git(&ledger, &["log", "--format=%s", "isugate-ledger"]).contains("merge"), "{log}");
}

#[test]
fn a_score_of_the_portal_is_recorded_shared_and_judged_and_no_host_is_touched() {
    let job = Job::new("actportal", 88);
    let act = Act::new(&job.world, &job.repo, job.host.access());
    let ledger = act.share_the_ledger();
    job.host.stop().unwrap();
    let inputs = |score: &str, pass: bool| {
        let payload = json!({
            "inputs": {"score": score, "pass": pass.to_string()}, "ref": "refs/heads/main", "repository": job.repository(),
        });
        ("workflow_dispatch", payload)
    };
    // A score that did not pass fails the job, and the next has no baseline in it.
    let (ok, log) = act.run("isugate-portal.yml", &inputs("999999", false));
    assert!(!ok && log.contains("REVERT"), "{log}");
    let (ok, log) = act.run("isugate-portal.yml", &inputs("123,456", true));
    assert!(ok && log.contains("ACCEPT · 123,456"), "{log}");
    assert!(git(&ledger, &["show", "isugate-ledger:README.md"]).contains("123,456"), "{log}");
    let (ok, log) = act.run("isugate-portal.yml", &inputs("12 thousand", true));
    assert!(!ok && log.contains("the input `score` is `12 thousand`; it takes a whole number"), "{log}");
    let runs = git(&ledger, &["ls-tree", "--name-only", "isugate-ledger:runs"]);
    assert_eq!(runs.lines().count(), 2, "{runs}");
    assert!(job.world.state().checks.is_empty() && job.world.comments().is_empty());
}
