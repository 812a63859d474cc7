//! Ctrl-C, SIGTERM and SIGHUP at each stage: the program is over soon, what it started is gone, the hosts are free and on a
//! commit that is named.

use anyhow::Result;

use super::field::{Field, Run};

/// Well under what a workflow's runner allows from its first signal to its kill (7.5 s), on a machine that is busy.
const SOON: u64 = 7;

fn with_baseline() -> Result<Field> {
    let field = Field::new()?;
    field.isugate(&["bench"])?.exits(0);
    Ok(field)
}

/// Interrupted in time, everything given back, on `version`, and said so.
fn over(field: &Field, run: Run, word: &str, version: &str) -> Result<()> {
    let id = field.git(&["rev-parse", "--short=12", version])?;
    let states = [format!("app1: {word}commit {id}"), format!("app2: {word}commit {id}")];
    run.exits(130).within(SOON).says(&["interrupted", "files of this run:", "next:", &states[0], &states[1]]);
    field.serves(version)?;
    field.tidy()?;
    assert_eq!(field.verdicts()?, ["accept"]);
    Ok(())
}

#[test]
fn during_a_build() -> Result<()> {
    let field = with_baseline()?;
    field.commit("v2", &[("build-sleeps", "60")])?;
    let run = field.start(&["bench"])?.until("app2: build: bash build.sh")?.signal("INT")?.end()?;
    over(&field, run, "", "v1")
}

#[test]
fn during_a_restart() -> Result<()> {
    let field = with_baseline()?;
    field.commit("v2", &[("restart-sleeps", "60")])?;
    let run = field.start(&["bench"])?;
    let run = run.until_true("the switch", |_| {
        field.app1.read("run/version").is_empty() && field.app2.read("run/version").is_empty()
    })?;
    let run = run.signal("TERM")?.end()?;
    over(&field, run, "back on ", "v1")
}

#[test]
fn while_waiting_for_the_service() -> Result<()> {
    let mut field = with_baseline()?;
    field.configure("within: 1s", "within: 60s")?;
    field.commit("v2", &[("never-ready", "x")])?;
    let run = field.start(&["bench"])?.until("ready …")?.signal("TERM")?.end()?;
    over(&field, run, "back on ", "v1")
}

#[test]
fn during_the_benchmark() -> Result<()> {
    let field = with_baseline()?;
    field.commit("v2", &[("score", "5000")])?;
    field.bench_script(
        "trap '' TERM HUP INT\n(trap '' TERM; while :; do sleep 0.1; done) &\necho begun\nwhile :; do sleep 0.1; done",
    )?;
    let run = field.start(&["bench"])?.until("bench | begun")?.signal("HUP")?.end()?;
    assert!(field.journal().contains(&"bench failed".to_owned()), "{:?}", field.journal());
    over(&field, run, "", "v2")
}

#[test]
fn a_second_ctrl_c_ends_at_once() -> Result<()> {
    let field = Field::new()?;
    field.bench_script("trap '' TERM\necho begun\nwhile :; do sleep 0.1; done")?;
    let running = field.start(&["bench"])?.until("bench | begun")?.signal("INT")?;
    std::thread::sleep(std::time::Duration::from_millis(300));
    running.signal("INT")?.end()?.exits(130).within(2);
    field.isugate(&["lease", "break", "--reason", "test"])?.exits(0);
    field.no_jobs_within(std::time::Duration::from_secs(30))
}

#[test]
fn with_a_host_that_does_not_answer() -> Result<()> {
    let field = Field::apart()?;
    field.bench_script("echo begun; sleep 30")?;
    let running = field.start(&["bench"])?.until("bench | begun")?;
    field.servers.bench.freeze()?;
    let run = running.signal("INT")?.end();
    field.servers.bench.thaw()?;
    let id = field.git(&["rev-parse", "--short=12", "v1"])?;
    let run = run?.exits(130).within(SOON + 1);
    run.says(&[
        "bench: the benchmarker could not be ended; its own limit will end it",
        "bench: the lease could not be given back",
    ])
    .says(&[&format!("app1: commit {id}")]);
    assert!(!field.app1.leased() && !field.app2.leased());
    Ok(())
}
