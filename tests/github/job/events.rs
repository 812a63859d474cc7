//! One job an event.

use serde_json::json;

use super::fixture::Job;
use crate::fake::On;

#[test]
fn a_pull_request_gets_one_comment_and_a_completed_check_and_the_step_its_outputs() {
    let job = Job::new("ghpull", 61);
    let head = job.commit(r#"{"pass":true,"score":1200}"#, "0");
    let done = job.run(&job.pull(&head));
    assert_eq!(done.status, Some(0), "{}", done.log);
    let comments = job.world.comments();
    assert_eq!(comments.len(), 1, "{}", done.log);
    assert!(comments[0].contains("ACCEPT") && comments[0].contains("1,200"), "{}", comments[0]);
    assert!(comments[0].contains("once it is merged"), "{}", comments[0]);
    assert!(!comments[0].contains("@team") && !comments[0].contains("<b>"), "{}", comments[0]);
    assert!(comments[0].contains("/actions/runs/42"), "{}", comments[0]);
    let (status, conclusion, title) = job.world.state().check();
    assert_eq!((status.as_str(), conclusion.as_str()), ("completed", "success"));
    assert!(title.contains("1,200"), "{title}");
    assert_eq!(job.world.state().checks[0]["head_sha"], head.as_str());
    for output in ["verdict<<", "\naccept\n", "\n1200\n", "run-id<<", "report-path<<"] {
        assert!(done.outputs.contains(output), "{output} in {}", done.outputs);
    }
    assert!(done.summary.contains("ACCEPT"), "{}", done.summary);
    assert!(job.outbox().is_empty(), "{:?}", job.outbox());
    // Once more: the same comment, changed.
    let again = job.run(&job.pull(&head));
    assert_eq!(again.status, Some(0), "{}", again.log);
    assert_eq!(job.world.comments().len(), 1);
    assert!(job.world.comments()[0].contains("Runs of this pull request (2)"), "{}", job.world.comments()[0]);
    assert!(job.world.comments()[0].contains("```mermaid"), "{}", job.world.comments()[0]);
}

#[test]
fn a_failing_benchmark_is_a_revert_and_fail_on_decides_about_the_job() {
    let job = Job::new("ghfail", 62);
    assert_eq!(job.run(&job.push("main", job.git(&["rev-parse", "HEAD"]).trim())).status, Some(0));
    let head = job.commit(r#"{"pass":false,"score":9000}"#, "0");
    let done = job.run(&job.pull(&head));
    assert_eq!(done.status, Some(10), "{}", done.log);
    assert_eq!(job.world.state().check().1, "failure");
    assert!(job.world.comments()[0].contains("REVERT"));
    let status = job.program(&job.pull(&head)).env("ISUGATE_FAIL_ON", "never").status().unwrap();
    assert_eq!(status.code(), Some(0));
    assert!(job.done(None).outputs.contains("\nrevert\n"));
}

#[test]
fn a_pushed_branch_finds_its_pull_request_and_the_main_branch_has_none() {
    let job = Job::new("ghpush", 63);
    let head = job.git(&["rev-parse", "HEAD"]).trim().to_owned();
    assert_eq!(job.run(&job.push("faster", &head)).status, Some(0));
    assert_eq!(job.world.comments().len(), 1);
    assert_eq!(job.run(&job.push("main", &head)).status, Some(0));
    assert_eq!(job.run(&job.push("other", &head)).status, Some(0));
    assert_eq!(job.world.count(On::CreateComment), 1);
}

#[test]
fn a_fork_and_a_public_repository_never_reach_the_hosts() {
    let job = Job::new("ghfork", 64);
    let head = job.git(&["rev-parse", "HEAD"]).trim().to_owned();
    let (name, mut payload) = job.pull(&head);
    payload["pull_request"]["head"]["repo"]["full_name"] = json!("eve/isucon");
    let done = job.run(&(name, payload));
    assert_eq!(done.status, Some(2), "{}", done.log);
    assert!(done.log.contains("eve/isucon") && done.summary.contains("refused"), "{} {}", done.log, done.summary);
    let (name, mut payload) = job.pull(&head);
    payload["repository"]["private"] = json!(false);
    let public = (name, payload);
    let done = job.run(&public);
    assert_eq!(done.status, Some(2), "{}", done.log);
    assert!(done.log.contains("allow_public"), "{}", done.log);
    assert!(job.journal().is_empty());
    job.config(", allow_public: true");
    assert_eq!(job.run(&public).status, Some(0));
}

#[test]
fn a_merge_group_a_schedule_and_a_started_workflow_are_benchmarked() {
    let job = Job::new("ghgroup", 65);
    let head = job.git(&["rev-parse", "HEAD"]).trim().to_owned();
    let repository = job.repository();
    let group = ("merge_group", json!({"merge_group": {"head_sha": head}, "repository": repository}));
    assert_eq!(job.run(&group).status, Some(0), "{}", job.done(None).log);
    assert_eq!(job.world.state().check().1, "success");
    assert!(job.world.comments().is_empty());
    let inputs = json!({"rev": head, "pull-request": "7", "runs": "1", "intent": "no-regression"});
    let started = ("workflow_dispatch", json!({"ref": "refs/heads/main", "inputs": inputs, "repository": repository}));
    assert_eq!(job.run(&started).status, Some(0), "{}", job.done(None).log);
    assert_eq!(job.world.comments().len(), 1);
    let schedule = ("schedule", json!({"schedule": "0 3 * * *", "repository": repository}));
    let status = job.program(&schedule).env("GITHUB_SHA", &head).status().unwrap();
    assert_eq!(status.code(), Some(0), "{}", job.done(None).log);
    let wrong = json!({"rev": "", "runs": "0"});
    let wrong = ("workflow_dispatch", json!({"ref": "refs/heads/main", "inputs": wrong, "repository": repository}));
    let done = job.run(&wrong);
    assert_eq!(done.status, Some(2));
    assert!(done.log.contains("1 to 100"), "{}", done.log);
}

#[test]
fn a_mistake_in_the_configuration_stands_on_its_line() {
    let job = Job::new("ghconf", 66);
    let head = job.git(&["rev-parse", "HEAD"]).trim().to_owned();
    let text = std::fs::read_to_string(job.repo.join("isugate.yml")).unwrap();
    std::fs::write(job.repo.join("isugate.yml"), text.replace("timeout:", "timeuot:")).unwrap();
    let done = job.run(&job.pull(&head));
    assert_eq!(done.status, Some(2), "{}", done.log);
    assert!(done.log.contains("::error file=isugate.yml,line=12,col=3,"), "{}", done.log);
    let state = job.world.state();
    assert_eq!(state.check().1, "failure");
    assert_eq!(state.checks[0]["output"]["given"][0]["start_line"], 12);
}
