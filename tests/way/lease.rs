//! Two people at once.

use anyhow::Result;

use super::field::Field;

#[test]
fn a_second_run_is_told_who_holds_the_hosts_and_can_wait() -> Result<()> {
    let field = Field::new()?;
    field.patient_bench()?;
    let mut first = field.command(&["bench"]);
    first.env("USER", "alice");
    let first = field.begin(first)?.until("bench | begun")?;
    let held = ["app1: held by alice@", "bench of", "ends in"];
    field.isugate(&["bench"])?.exits(13).says(&held).says(&["next:", "isugate lease break"]);
    field.isugate(&["deploy"])?.exits(13).says(&held);
    field.isugate(&["rollback"])?.says(&["no run was accepted"]);
    field.isugate(&["lease"])?.exits(0).says(&held).says(&["bench: held by alice@"]);
    let second = field.start(&["bench", "--wait", "60s"])?.until("waiting: app1: held by alice@")?;
    field.go()?;
    first.end()?.exits(0);
    second.end()?.exits(11);
    assert_eq!(field.verdicts()?, ["accept", "inconclusive"]);
    field.tidy()
}

#[test]
fn a_lease_that_is_broken_in_the_middle_makes_the_run_invalid() -> Result<()> {
    let field = Field::new()?;
    field.patient_bench()?;
    let first = field.start(&["bench"])?.until("bench | begun")?;
    field.isugate(&["lease", "break", "--reason", "he went home"])?.exits(0).says(&["app1: broken (he went home)"]);
    field.go()?;
    first.end()?.exits(12).says(&["app1: the lease was taken away", "bench: the lease was taken away"]);
    assert_eq!(field.verdicts()?, ["invalid"]);
    field.tidy()
}
