//! isugate itself is killed in the middle of a benchmark.

use anyhow::Result;
use std::time::Duration;

use super::field::{BENCH, Field};
use crate::rig::process;

#[test]
fn after_a_kill_the_benchmark_ends_by_its_own_limit_and_the_hosts_can_be_had_again() -> Result<()> {
    let mut field = Field::new()?;
    field.configure("timeout: 20s\n", "timeout: 2s\n")?;
    field.bench_script("echo begun; sleep 100 & wait")?;
    field.start(&["bench"])?.until("bench | begun")?.signal("KILL")?.end()?;
    assert!(!field.bench.jobs().is_empty(), "the benchmark goes on without us");
    process::wait_for("its own limit", Duration::from_secs(10), || Ok(field.bench.jobs().is_empty().then_some(())))?;
    assert!(field.journal().contains(&"bench begin".to_owned()) && !field.journal().contains(&"bench done".to_owned()));
    field.bench_script(BENCH)?;
    field.isugate(&["bench"])?.exits(13).says(&["app1: held by tester@", "isugate lease break"]);

    // Its lease ends by itself: as if its time were over.
    for place in field.places() {
        let name = if place.alias == "bench" { "state/lease" } else { "webapp.isugate/lease" };
        let lease = place.read(name);
        let over: Vec<_> = lease.lines().map(|l| if l.starts_with("until ") { "until 1000" } else { l }).collect();
        place.write(name, &over.join("\n"))?;
    }
    field.isugate(&["lease"])?.exits(0).says(&["app1: free", "bench: free"]);
    field.isugate(&["bench"])?.exits(0);
    assert_eq!(field.verdicts()?, ["accept"]);
    field.tidy()
}

#[test]
fn a_lease_of_someone_who_is_gone_can_be_broken() -> Result<()> {
    let field = Field::new()?;
    field.bench_script("echo begun; sleep 1")?;
    field.start(&["bench"])?.until("bench | begun")?.signal("KILL")?.end()?;
    field.isugate(&["bench"])?.exits(13);
    field.isugate(&["lease", "break", "--reason", "killed"])?.exits(0).says(&["bench: broken (killed)"]);
    field.no_jobs()?;
    field.bench_script(BENCH)?;
    field.isugate(&["bench"])?.exits(0);
    field.tidy()
}
