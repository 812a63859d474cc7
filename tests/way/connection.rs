//! Connections that break in the middle of a benchmark.

use std::time::Duration;

use anyhow::{Context, Result};
use isugate::{
    exit::{Exit, Failure},
    host::{
        Host, SshOptions,
        job::{Job, JobSpec, JobState},
    },
};

use super::field::{BENCH, Field};

#[test]
fn a_benchmark_goes_on_when_all_connections_drop() -> Result<()> {
    let field = Field::apart()?;
    field.patient_bench()?;
    let running = field.start(&["bench"])?.until("bench | begun")?;
    for server in [&field.servers.app1, &field.servers.app2, &field.servers.bench] {
        assert!(server.kill_connections()? > 0, "there was a connection");
    }
    field.go()?;
    running.end()?.exits(0).says(&["accept", "1,000"]).hides(&["could not"]);
    field.serves("v1")?;
    field.tidy()
}

#[test]
fn a_benchmark_ends_with_a_verdict_when_its_host_was_away_for_a_while() -> Result<()> {
    let field = Field::apart()?;
    field.bench_script(&format!("PAUSE=2\n{BENCH}"))?;
    let running = field.start(&["bench"])?.until("bench | time=13:00:00.000")?;
    field.servers.bench.stop()?;
    std::thread::sleep(Duration::from_secs(3));
    field.servers.bench.start_again()?;
    running.end()?.exits(0).says(&["accept", "1,000"]);
    assert!(field.last("bench/stdout").contains("負荷走行が終了しました"));
    field.tidy()
}

#[test]
fn a_wrong_commit_is_taken_back_also_when_the_connections_dropped() -> Result<()> {
    let field = Field::apart()?;
    field.isugate(&["bench"])?.exits(0);
    field.commit("v2", &[("score", "9000"), ("errors", "13")])?;
    field.patient_bench()?;
    let running = field.start(&["bench"])?.until("bench | begun")?;
    field.servers.app1.kill_connections()?;
    field.servers.app2.kill_connections()?;
    field.go()?;
    running.end()?.exits(10).hides(&["ROLLBACK FAILED"]);
    field.serves("v1")?;
    field.tidy()
}

#[test]
fn a_host_that_is_gone_can_be_given_up() -> Result<()> {
    let field = Field::apart()?;
    field.bench_script(&format!("PAUSE=30\n{BENCH}"))?;
    let running = field.start(&["bench"])?.until("bench | time=13:00:00.000")?;
    field.servers.bench.stop()?;
    std::thread::sleep(Duration::from_millis(1500));
    let run = running.signal("INT")?.end()?.exits(130).within(8);
    run.says(&[
        "bench: the benchmarker could not be ended; its own limit will end it",
        "bench: the lease could not be given back",
    ]);
    assert!(!field.app1.leased() && !field.app2.leased());
    Ok(())
}

/// The limit that `isugate bench` gives is a minute longer than the benchmarker's own; here it is short.
#[tokio::test]
async fn a_host_that_stays_away_is_given_up_after_a_while_and_picked_up_by_whoever_comes_later() -> Result<()> {
    let field = Field::apart()?;
    let config = Some(field.work().join("ssh_config"));
    let limit = Duration::from_secs(20);
    let options =
        SshOptions { config, identity_file: None, known_hosts: None, connect_timeout: Duration::from_secs(5) };
    let host = Host::ssh("bench", "bench", options).await?;
    let dir = format!("{}/state/job", field.bench.dir);
    let line = format!("while [ ! -e '{}/go' ]; do sleep 0.05; done; exit 7", field.bench.dir);
    let spec = JobSpec { line, cwd: "/".into(), env: Vec::new(), limit, grace: limit, report_fd: false };
    let job = Job::start(&host, &dir, &spec).await?;
    field.servers.bench.stop()?;
    let gone = job.wait(&host, Duration::from_secs(1), |_| {}).await.err().context("it was not noticed")?;
    let failure = Failure::from(gone);
    assert_eq!(failure.exit, Exit::Unreachable, "{failure}");
    assert!(failure.to_string().starts_with("bench: ") && failure.next.is_some(), "{failure}");
    field.servers.bench.start_again()?;
    field.go()?;
    let state = job.wait(&host, limit, |_| {}).await?;
    assert!(matches!(state, JobState::Ended(end) if end.code == 7 && !end.timed_out), "{state:?}");
    Ok(())
}
