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
