//! Cancellation, as GitHub's runner does it and as a shell that is killed does it.
//!
//! Source of the ladder: actions/runner sends SIGINT to the step's process, SIGTERM 7.5 s later, and kills it after 2.5 s more.

use std::{
    process::Child,
    time::{Duration, Instant},
};

use super::fixture::Job;
use crate::rig::process;

/// A job in the middle of its benchmark, which would take a minute more.
fn benchmarking(name: &str, n: u8) -> (Job, Child) {
    let job = Job::new(name, n);
    let head = job.commit(r#"{"pass":true,"score":1}"#, "61.25");
    let running = job.start(&job.pull(&head));
    process::wait_for("the benchmark", Duration::from_secs(90), || Ok(job.sleeps("61.25")?.then_some(()))).unwrap();
    (job, running)
}

/// SIGINT, 7.5 s, SIGTERM, 2.5 s, SIGKILL; says after how long the process was gone.
fn ladder(running: &mut Child) -> Duration {
    let began = Instant::now();
    for (signal, wait) in [("INT", 7500), ("TERM", 2500), ("KILL", 5000)] {
        process::signal(signal, &[running.id()]).unwrap();
        let until = Instant::now() + Duration::from_millis(wait);
        while Instant::now() < until {
            if running.try_wait().unwrap().is_some() {
                return began.elapsed();
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }
    panic!("a killed process does not end");
}

/// No benchmarker runs, and the hosts are free or will be.
fn is_over(job: &Job) {
    process::wait_for("the benchmarker's end", Duration::from_secs(10), || Ok((!job.sleeps("61.25")?).then_some(())))
        .unwrap();
    let lease = std::process::Command::new(env!("CARGO_BIN_EXE_isugate")).arg("lease").current_dir(&job.repo).output();
    let lease = String::from_utf8(lease.unwrap().stdout).unwrap();
    assert!(lease.contains("free") || lease.contains("unless renewed"), "{lease}");
}

#[test]
fn a_cancellation_by_the_runner_ends_benchmarker_lease_and_check_in_time() {
    let (job, mut running) = benchmarking("ghint", 75);
    let took = ladder(&mut running);
    let done = job.done(running.wait().unwrap().code());
    assert!(took < Duration::from_millis(7500), "SIGINT alone was not enough: {took:?}\n{}", done.log);
    assert_eq!(done.status, Some(130), "{}", done.log);
    assert!(done.log.contains("app1: "), "the state of the hosts is said: {}", done.log);
    is_over(&job);
    assert_eq!(job.world.state().check().1, "cancelled", "{}", done.log);
}

#[test]
fn a_hangup_alone_is_a_cancellation_too() {
    let (job, mut running) = benchmarking("ghhup", 76);
    process::signal("HUP", &[running.id()]).unwrap();
    let done = job.done(running.wait().unwrap().code());
    assert_eq!(done.status, Some(130), "{}", done.log);
    is_over(&job);
    assert_eq!(job.world.state().check().1, "cancelled", "{}", done.log);
}

#[test]
fn the_check_of_a_job_that_was_killed_is_ended_by_the_next() {
    let (job, mut running) = benchmarking("ghkill", 77);
    process::signal("KILL", &[running.id()]).unwrap();
    running.wait().unwrap();
    assert_eq!(job.world.state().check().0, "in_progress");
    // It needs no host: the next job of any kind does.
    let next = job.run(&job.comment("guest", "talk"));
    assert_eq!(next.status, Some(0), "{}", next.log);
    assert_eq!(job.world.state().check().1, "cancelled", "{}", next.log);
}

#[test]
fn a_cancellation_while_github_is_away_is_told_later() {
    let (job, mut running) = benchmarking("ghaway", 78);
    for _ in 0..50 {
        job.world.next(crate::fake::On::ChangeCheck, crate::fake::Fault::Slow(Duration::from_secs(4)));
    }
    let took = ladder(&mut running);
    assert!(took < Duration::from_millis(10_000), "{took:?}");
    is_over(&job);
    job.world.clear_faults();
    job.run(&job.comment("guest", "talk"));
    assert_eq!(job.world.state().check().1, "cancelled");
    assert!(job.outbox().is_empty(), "{:?}", job.outbox());
}
