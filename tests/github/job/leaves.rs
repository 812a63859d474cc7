//! What a job leaves on its runner, which the next job meets.

use std::{
    os::unix::fs::{MetadataExt, PermissionsExt},
    process::Stdio,
    time::{Duration, Instant},
};

use super::fixture::Job;

#[test]
fn the_end_of_a_job_is_its_end_and_nothing_that_it_leaves_blocks_the_next_checkout() {
    let job = Job::new("ghleaves", 56);
    let head = job.git(&["rev-parse", "HEAD"]).trim().to_owned();
    let mut program = job.program(&job.pull(&head));
    // Other steps have written to the summary: GitHub drops one that is larger than 1 MiB whole.
    let others = (1 << 20) - 1_500;
    std::fs::write(job.folder().join("summary"), "x".repeat(others)).unwrap();
    let began = Instant::now();
    // The runner reads until the last holder of the pipe is gone; the connections that are kept must not be among them.
    let output = program.stdout(Stdio::piped()).stderr(Stdio::piped()).output().unwrap();
    assert!(began.elapsed() < Duration::from_secs(100), "{:?}", began.elapsed());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let summary = job.done(None).summary;
    assert!(summary.len() <= 1 << 20 && summary[others..].contains("ACCEPT"), "{} bytes", summary.len());

    assert_eq!(job.git(&["status", "--porcelain"]), "", "nothing that a checkout would have to clean");
    let ours = std::fs::metadata(&job.repo).unwrap().uid();
    let mut folders = vec![job.repo.join(".isugate")];
    let mut looked = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap().flatten() {
            let facts = entry.metadata().unwrap();
            looked += 1;
            assert_eq!(facts.uid(), ours, "{}", entry.path().display());
            if facts.is_dir() {
                assert_eq!(facts.permissions().mode() & 0o700, 0o700, "{}", entry.path().display());
                folders.push(entry.path());
            }
        }
    }
    assert!(looked > 5, "{looked}");
}
