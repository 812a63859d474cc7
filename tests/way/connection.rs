//! Connections that break in the middle of a benchmark.

use anyhow::Result;
use std::time::Duration;

use super::field::{BENCH, Field};

#[test]
fn a_benchmark_goes_on_when_all_connections_drop() -> Result<()> {
    let field = Field::apart()?;
    field.bench_script(&format!("PAUSE=2\n{BENCH}"))?;
    let running = field.start(&["bench"])?.until("bench | time=13:00:00.000")?;
    for server in [&field.servers.app1, &field.servers.app2, &field.servers.bench] {
        assert!(server.kill_connections()? > 0, "there was a connection");
    }
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
    field.bench_script(&format!("PAUSE=1.5\n{BENCH}"))?;
    let running = field.start(&["bench"])?.until("bench | time=13:00:00.000")?;
    field.servers.app1.kill_connections()?;
    field.servers.app2.kill_connections()?;
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
