//! What the hosts and the benchmarker show after a benchmark that passed.

use anyhow::Result;

use super::field::{BENCH, Field};

#[test]
fn an_application_that_is_gone_after_the_benchmark_makes_the_run_invalid() -> Result<()> {
    let field = Field::new()?;
    field.patient_bench()?;
    let running = field.start(&["bench"])?.until("bench | begun")?;
    field.app2.write("run/version", "nothing")?;
    field.go()?;
    running.end()?.exits(12).says(&[
        "app2: `bash ready.sh",
        "does not answer any more after the benchmark",
        "version v1",
    ]);
    assert!(!field.last("run.json").contains("app1: `bash"), "{}", field.last("run.json"));
    field.tidy()
}

#[test]
fn what_was_not_seen_to_be_ready_before_is_not_missed_afterwards() -> Result<()> {
    let field = Field::new()?;
    field.isugate(&["bench"])?.exits(0);
    field.app2.write("run/version", "nothing")?;
    field.isugate(&["bench", "--no-deploy", "--runs", "1"])?.exits(11).hides(&["does not answer any more"]);
    field.tidy()
}

#[test]
fn a_benchmark_that_takes_another_time_than_its_series_is_invalid_and_one_that_fails_early_is_not() -> Result<()> {
    let mut field = Field::new()?;
    field.config.push_str("verdict: { integrity: { duration: 2s } }\n");
    field.configure("timeout: 20s\n", "timeout: 19s\n")?;
    field.bench_script(&BENCH.replace("${PAUSE:-0.1}", "$(cat \"$0.pause\" 2>/dev/null || echo 0.1)"))?;
    let pause = |seconds: &str| field.bench.write("bench.sh.pause", seconds);
    field.isugate(&["bench"])?.exits(0);
    // Nothing is usual yet.
    pause("3")?;
    field.isugate(&["bench", "--runs", "1"])?.exits(11);
    pause("0.1")?;
    field.isugate(&["bench", "--runs", "1"])?.exits(11);
    pause("3")?;
    field.isugate(&["bench", "--runs", "1"])?.exits(12).says(&["the benchmark took", "where this series takes"]);
    let fails = BENCH.replace("pass=true", "pass=false").replace("${PAUSE:-0.1}", "2");
    field.bench_script(&fails)?;
    field.commit("v2", &[])?;
    field.isugate(&["bench", "--runs", "1", "--keep"])?.exits(10);
    field.tidy()
}
