//! A run of the benchmarker that only prepares, before the load.

use anyhow::Result;

use super::field::{BENCH, Field};

const READY: &str = include_str!("../../fixtures/results/isucon14/prepare_only_ok.stdout.log");
const BROKEN: &str = include_str!("../../fixtures/results/isucon14/fail_initialize.stdout.log");

/// A benchmarker that prints `prepared` when it is to prepare only.
fn bench(prepared: &str) -> String {
    format!("if [ \"$2\" = -t ]; then\ncat <<'OUT'\n{prepared}OUT\nexit 0\nfi\n{BENCH}")
}

fn field(prepared: &str) -> Result<Field> {
    let mut field = Field::new()?;
    field.configure("  on: bench\n  run:", "  on: bench\n  prepare: true\n  run:")?;
    field.bench_script(&bench(prepared))?;
    Ok(field)
}

#[test]
fn a_commit_that_is_ready_gets_its_load_run() -> Result<()> {
    let field = field(READY)?;
    field.isugate(&["bench"])?.exits(0).says(&["prepare only: ready", "1,000"]);
    assert!(field.last("prepare/stdout").contains("prepareのみ"));
    assert!(field.last("bench/stdout").contains("スコア=1000"));
    field.tidy()
}

#[test]
fn a_broken_commit_is_reverted_without_a_load_run() -> Result<()> {
    let field = field(BROKEN)?;
    field.isugate(&["bench"])?.exits(10).says(&["prepare only: broken", "revert"]);
    assert!(!field.runs().last().is_some_and(|run| run.join("bench").exists()));
    assert_eq!(field.verdicts()?, ["revert"]);
    assert_eq!(field.record()?["result"]["reason"], "initialize");
    field.tidy()
}
