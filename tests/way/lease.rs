//! Two people at once.

use anyhow::Result;

use super::field::{BENCH, Field};

#[test]
fn a_second_run_is_told_who_holds_the_hosts_and_can_wait() -> Result<()> {
    let field = Field::new()?;
    field.bench_script(&format!("PAUSE=6\n{BENCH}"))?;
    let mut first = field.command(&["bench"]);
    first.env("USER", "alice");
    let first = field.begin(first)?.until("bench | time=13:00:00.000")?;
    let held = ["app1: held by alice@", "bench of", "ends in"];
    field.isugate(&["bench"])?.exits(13).says(&held).says(&["next:", "isugate lease break"]);
    field.isugate(&["deploy"])?.exits(13).says(&held);
    field.isugate(&["rollback"])?.says(&["no run was accepted"]);
    field.isugate(&["lease"])?.exits(0).says(&held).says(&["bench: held by alice@"]);
    let second = field.isugate(&["bench", "--wait", "30s"])?.exits(0).says(&["waiting: app1: held by alice@"]);
    assert!(second.took.as_secs() < 30);
    first.end()?.exits(0);
    assert_eq!(field.verdicts()?, ["accept", "accept"]);
    field.tidy()
}

#[test]
fn a_lease_that_is_broken_in_the_middle_makes_the_run_invalid() -> Result<()> {
    let field = Field::new()?;
    field.bench_script(&format!("PAUSE=2.5\n{BENCH}"))?;
    let first = field.start(&["bench"])?.until("bench | time=13:00:00.000")?;
    field.isugate(&["lease", "break", "--reason", "he went home"])?.exits(0).says(&["app1: broken (he went home)"]);
    first.end()?.exits(12).says(&["app1: the lease was taken away", "bench: the lease was taken away"]);
    assert_eq!(field.verdicts()?, ["invalid"]);
    field.tidy()
}
