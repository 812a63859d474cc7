//! `isugate resume` after isugate was killed: what was measured is finished once, what was not is taken back.

use std::time::Duration;

use anyhow::Result;

use super::field::{BENCH, Field};

#[test]
fn a_benchmark_that_ended_while_nobody_was_there_is_read_and_judged_once() -> Result<()> {
    let field = Field::new()?;
    field.patient_bench()?;
    field.start(&["bench"])?.until("bench | begun")?.signal("KILL")?.end()?;
    field.go()?;
    field.isugate(&["bench"])?.exits(13);
    field.isugate(&["resume"])?.exits(0).says(&["1,000", "accept"]);
    assert_eq!(field.verdicts()?, ["accept"]);
    field.serves("v1")?;
    let again = field.isugate(&["resume"])?.exits(0);
    assert!(again.stderr.contains("there is no run to resume"), "{}", again.stderr);
    let id = field.ledger()?[0].0["id"].as_str().unwrap_or_default().to_owned();
    field.isugate(&["resume", &id])?.exits(2).says(&["is finished", "next: `isugate show` has its verdict"]);
    assert_eq!(field.ledger()?.len(), 1);
    // What sampled the hosts for the killed run ends by its own limit.
    field.no_jobs_within(Duration::from_secs(30))
}

#[test]
fn a_benchmark_that_still_runs_is_waited_for() -> Result<()> {
    let field = Field::new()?;
    field.isugate(&["bench"])?.exits(0);
    field.commit("v2", &[("score", "2000"), ("errors", "13")])?;
    field.patient_bench()?;
    field.start(&["bench"])?.until("bench | begun")?.signal("KILL")?.end()?;
    let resumed = field.start(&["resume"])?.until("bench …")?;
    field.go()?;
    resumed.end()?.exits(10).says(&["30 WrongNearbyChairs", "revert"]);
    assert_eq!(field.verdicts()?, ["accept", "revert"]);
    field.serves("v1")?;
    Ok(())
}

#[test]
fn a_run_without_a_benchmark_is_taken_back() -> Result<()> {
    let field = Field::new()?;
    field.isugate(&["bench"])?.exits(0);
    field.commit("v2", &[("restart-sleeps", "30")])?;
    field
        .start(&["bench"])?
        .until("deploy …")?
        .until_true("the restart", |_| {
            field.app1.release().is_some_and(|release| field.git(&["rev-parse", "v2"]).is_ok_and(|v2| release == v2))
        })?
        .signal("KILL")?
        .end()?;
    let resumed = field.isugate(&["resume"])?.exits(1);
    resumed.says(&[
        "the run was interrupted before its benchmark",
        "was put back",
        "next: `isugate bench` starts anew",
    ]);
    field.serves("v1")?;
    assert_eq!(field.verdicts()?, ["accept"]);
    field.isugate(&["lease"])?.says(&["app1: free", "app2: free", "bench: free"]);
    Ok(())
}

#[test]
fn of_a_comparison_that_was_cut_off_every_run_is_recorded_and_none_is_counted_twice() -> Result<()> {
    let field = Field::new()?;
    field.isugate(&["bench"])?.exits(0);
    field.commit("v2", &[("score", "1010")])?;
    let dir = &field.bench.dir;
    let patient = format!(
        "if [ -e '{dir}/second' ]; then echo second; while [ ! -e '{dir}/go' ]; do sleep 0.05; done; fi\ntouch '{dir}/second'\n"
    );
    field.bench_script(&(patient + BENCH))?;
    field.start(&["bench"])?.until("bench | second")?.signal("KILL")?.end()?;
    field.go()?;
    let resumed = field.isugate(&["resume"])?.exits(11);
    resumed.says(&["the comparison was interrupted; what was measured is in the ledger", "was put back"]);
    assert_eq!(field.verdicts()?, ["accept", "inconclusive", "inconclusive"]);
    field.serves("v1")?;
    field.isugate(&["resume"])?.exits(0).says(&["there is no run to resume"]);

    // One that came to its end leaves nothing to resume either, though its last run has no verdict of its own.
    field.isugate(&["bench", "--runs", "2"])?;
    let runs = field.ledger()?.len();
    assert_eq!(runs, 5);
    field.isugate(&["resume"])?.exits(0).says(&["there is no run to resume"]);
    assert_eq!(field.ledger()?.len(), runs);
    Ok(())
}
