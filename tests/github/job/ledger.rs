//! The ledger goes to the remote with the job's token, and the token is stored nowhere for it.

use super::fixture::Job;
use crate::rig::{git_http::GitHttp, git_remote::GitRemote};

#[test]
fn the_ledger_is_shared_with_the_jobs_own_token() {
    let job = Job::new("ghledger", 79);
    let head = job.git(&["rev-parse", "HEAD"]).trim().to_owned();
    let server = GitHttp::start_with_token(GitRemote::new().unwrap(), &job.world.token).unwrap();
    job.git(&["remote", "add", "origin", &server.url()]);
    let path = job.repo.join("isugate.yml");
    let text = std::fs::read_to_string(&path).unwrap() + "ledger: { remote: origin }\n";
    std::fs::write(path, text).unwrap();
    let address: String = server.url().splitn(4, '/').take(3).collect::<Vec<_>>().join("/");
    let status = job.program(&job.push("main", &head)).env("GITHUB_SERVER_URL", &address).status().unwrap();
    let done = job.done(status.code());
    assert_eq!(done.status, Some(0), "{}", done.log);
    assert!(server.remote().commit("refs/heads/isugate-ledger").unwrap().is_some(), "{}", done.log);
    let config = std::fs::read_to_string(job.repo.join(".git/config")).unwrap();
    assert!(!config.contains(&job.world.token) && !done.log.contains(&job.world.token));
    // Another server is not told the token.
    let other = job.program(&job.push("main", &head)).env("GITHUB_SERVER_URL", "https://github.com").status().unwrap();
    let done = job.done(other.code());
    assert_eq!(done.status, Some(0), "{}", done.log);
    assert!(done.log.contains("Authentication failed"), "{}", done.log);
}

/// What `actions/checkout` does to a repository that is there already, before it fetches.
fn checkout(job: &Job) {
    job.git(&["checkout", "-q", "--detach"]);
    for prefix in ["refs/heads", "refs/remotes/origin"] {
        let references = job.git(&["for-each-ref", "--format=%(refname)", prefix]);
        references.lines().for_each(|reference| drop(job.git(&["update-ref", "-d", reference])));
    }
}

#[test]
fn a_run_that_could_not_be_shared_outlives_the_checkout_of_the_next_job_and_goes_with_it() {
    let job = Job::new("ghkept", 60);
    let head = job.git(&["rev-parse", "HEAD"]).trim().to_owned();
    let remote = GitRemote::new().unwrap();
    job.git(&["remote", "add", "origin", "/nowhere/remote.git"]);
    let path = job.repo.join("isugate.yml");
    let text = std::fs::read_to_string(&path).unwrap() + "ledger: { remote: origin }\n";
    std::fs::write(path, text).unwrap();
    let alone = job.run(&job.push("main", &head));
    assert_eq!(alone.status, Some(0), "{}", alone.log);
    assert!(alone.log.contains("nothing is lost, it goes with the next sync"), "{}", alone.log);
    checkout(&job);
    assert!(job.git(&["branch", "--list"]).lines().all(|line| !line.contains("isugate-ledger")));
    job.git(&["remote", "set-url", "origin", &remote.file_url()]);
    let next = job.run(&job.push("main", &head));
    assert_eq!(next.status, Some(0), "{}", next.log);
    let runs = job.git(&["ls-tree", "--name-only", "refs/remotes/origin/isugate-ledger:runs"]);
    assert_eq!(runs.lines().count(), 2, "{}", next.log);
    // One that is shared is not made anew from what was kept.
    checkout(&job);
    job.run(&job.comment("guest", "/status"));
    assert_eq!(job.git(&["ls-tree", "--name-only", "isugate-ledger:runs"]), runs);
}
