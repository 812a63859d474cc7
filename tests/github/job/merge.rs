//! What a merge makes of a run.

use serde_json::json;

use super::fixture::{Done, Job};

/// The score of the run that a job compared with.
fn baseline(done: &Done) -> &str {
    let value = done.outputs.split("baseline-score<<").nth(1).unwrap_or_default();
    value.lines().nth(1).unwrap_or_default()
}

#[test]
fn only_a_merged_pull_requests_run_becomes_a_baseline() {
    let job = Job::new("ghmerge", 69);
    let head = job.git(&["rev-parse", "HEAD"]).trim().to_owned();
    job.git(&["checkout", "-q", "-b", "faster"]);
    let faster = job.commit(r#"{"pass":true,"score":2000}"#, "0");
    job.git(&["checkout", "-q", "main"]);
    assert_eq!(job.run(&job.pull(&faster)).status, Some(0), "{}", job.done(None).log);
    // The main branch is not compared with what nobody has merged.
    let main = job.run(&job.push("main", &head));
    assert_eq!(baseline(&main), "", "{}", main.summary);
    // A person's word does not make a baseline of it either.
    job.world.state().pulls[0].2 = faster.clone();
    assert_eq!(job.run(&job.comment("ann", "/accept it is fine")).status, Some(0), "{}", job.done(None).log);
    let again = job.run(&job.push("main", &head));
    assert_eq!(baseline(&again), "1000", "{}", again.summary);
    let (name, mut closed) = job.pull(&faster);
    closed["action"] = json!("closed");
    let unmerged = job.run(&(name, closed.clone()));
    assert!(unmerged.log.contains("without a merge"), "{}", unmerged.log);
    closed["pull_request"]["merged"] = json!(true);
    closed["pull_request"]["merge_commit_sha"] = json!("d".repeat(40));
    let merged = job.run(&(name, closed));
    assert_eq!(merged.status, Some(0), "{}", merged.log);
    assert!(merged.log.contains("is a baseline of the main branch now"), "{}", merged.log);
    assert!(job.world.comments().iter().any(|comment| comment.contains("merged as dddddddddddd")));
    let after = job.run(&job.push("main", &faster));
    assert_eq!(baseline(&after), "2000", "{}", after.summary);
}
