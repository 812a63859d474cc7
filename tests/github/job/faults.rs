//! GitHub fails; verdict and ledger do not.

use super::fixture::Job;
use crate::fake::{Fault, On};

#[test]
fn an_outage_changes_no_verdict_and_publish_sends_what_was_kept() {
    let job = Job::new("ghdown", 67);
    let head = job.git(&["rev-parse", "HEAD"]).trim().to_owned();
    for on in [On::CreateComment, On::ChangeCheck] {
        for _ in 0..20 {
            job.world.next(on, Fault::status(403, "Resource not accessible by integration"));
        }
    }
    let done = job.run(&job.pull(&head));
    assert_eq!(done.status, Some(0), "{}", done.log);
    assert!(done.log.contains("pull-requests: write") && done.log.contains("checks: write"), "{}", done.log);
    assert!(done.outputs.contains("\naccept\n"));
    assert_eq!(job.outbox().len(), 2, "{:?}", job.outbox());
    assert!(job.git(&["log", "--oneline", "isugate-ledger"]).contains("accept"));
    job.world.clear_faults();
    let publish = job.program(&job.pull(&head));
    let publish = std::process::Command::new(publish.get_program())
        .arg("publish")
        .current_dir(&job.repo)
        .env("GITHUB_API_URL", job.world.url())
        .env("GITHUB_TOKEN", &job.world.token)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&publish.stdout).into_owned();
    assert!(publish.status.success() && said.matches("sent: ").count() == 2, "{said}");
    assert!(job.outbox().is_empty());
    assert_eq!(job.world.state().check().1, "success");
    assert!(job.world.comments()[0].contains("ACCEPT"));
}

#[test]
fn without_a_token_or_with_a_wrong_one_there_is_a_verdict_all_the_same() {
    let job = Job::new("ghtoken", 68);
    let head = job.git(&["rev-parse", "HEAD"]).trim().to_owned();
    let status = job.program(&job.pull(&head)).env_remove("ISUGATE_GITHUB_TOKEN").status().unwrap();
    let done = job.done(status.code());
    assert_eq!(done.status, Some(0), "{}", done.log);
    assert!(done.log.contains("no token"), "{}", done.log);
    let status = job.program(&job.pull(&head)).env("ISUGATE_GITHUB_TOKEN", "ghs_expired").status().unwrap();
    let done = job.done(status.code());
    assert_eq!(done.status, Some(0), "{}", done.log);
    assert!(done.log.contains("401") && !done.log.contains("ghs_expired"), "{}", done.log);
    assert!(job.git(&["log", "--oneline", "isugate-ledger"]).lines().count() >= 2);
}
