//! Where the token is not.

use std::time::Duration;

use super::fixture::Job;
use crate::rig::process;

#[test]
fn the_token_is_in_no_log_no_process_list_and_no_file() {
    let job = Job::new("ghsecret", 74);
    let head = job.commit(r#"{"pass":true,"score":1}"#, "3");
    let mut running = job.start(&job.pull(&head));
    process::wait_for("the benchmark", Duration::from_secs(60), || {
        Ok(job.journal().contains(r#""stage":"bench""#).then_some(()))
    })
    .unwrap();
    let token = job.world.token.as_bytes();
    let holds = |bytes: &[u8]| bytes.windows(token.len()).any(|window| window == token);
    let mut looked = 0;
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        for file in ["cmdline", "environ"] {
            // Processes come and go.
            let Ok(bytes) = std::fs::read(entry.path().join(file)) else { continue };
            let own = entry.file_name() == *std::process::id().to_string();
            looked += usize::from(!bytes.is_empty());
            assert!(own || !holds(&bytes), "{}/{file}", entry.path().display());
        }
    }
    assert!(looked > 10);
    let pid = running.id().to_string();
    let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap();
    assert!(environment.windows(17).any(|window| window == b"GITHUB_REPOSITORY"), "this is the program itself");
    assert!(running.wait().unwrap().success(), "{}", job.done(None).log);
    for file in Job::files(job.folder()).into_iter().chain(Job::files(job.host.home())) {
        assert!(!holds(&std::fs::read(&file).unwrap()), "{}", file.display());
    }
    assert!(!job.world.comments()[0].contains(&job.world.token));
}
