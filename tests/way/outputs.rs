//! Who reads the outcome: a person, a program, a workflow.

use anyhow::{Context, Result};
use serde_json::Value;

use super::field::Field;

#[test]
fn json_is_one_document_on_stdout_and_nothing_else() -> Result<()> {
    let field = Field::new()?;
    let run = field.isugate(&["bench", "--json"])?.exits(0);
    let report: Value = serde_json::from_str(&run.stdout).with_context(|| run.stdout.clone())?;
    assert_eq!(report["run"]["result"]["score"], 1000, "{report}");
    assert_eq!(run.stderr, "");
    field.commit("v2", &[("score", "9000"), ("errors", "13")])?;
    let run = field.isugate(&["bench", "--json"])?.exits(10);
    let report: Value = serde_json::from_str(&run.stdout).with_context(|| run.stdout.clone())?;
    assert_eq!(report["decisions"][0]["verdict"], "revert", "{report}");
    field.commit("v3", &[("build-fails", "app1")])?;
    let run = field.isugate(&["bench", "--json"])?.exits(22);
    assert_eq!(run.stdout, "", "a failure is told on stderr");
    for command in [&["rollback", "--json"][..], &["history", "--json"], &["check", "--json"], &["lease", "--json"]] {
        let run = field.isugate(command)?.exits(0);
        serde_json::from_str::<Value>(&run.stdout).with_context(|| format!("{command:?}: {}", run.stdout))?;
    }
    Ok(())
}

#[test]
fn a_workflow_gets_groups_warnings_and_a_summary() -> Result<()> {
    let field = Field::new()?;
    let summary = field.work().join("summary.md");
    std::fs::write(&summary, "# what an earlier step wrote\n")?;
    let mut command = field.command(&["bench"]);
    command.env("GITHUB_ACTIONS", "true").env("GITHUB_ACTOR", "octocat").env("GITHUB_STEP_SUMMARY", &summary);
    let run = field.run(command)?.exits(0).says(&["::group::deploy", "::group::bench", "::endgroup::"]);
    let count = |what: &str| run.stderr.lines().filter(|line| line.starts_with(what)).count();
    assert_eq!(count("::group::"), count("::endgroup::"), "{}", run.stderr);
    let text = std::fs::read_to_string(&summary)?;
    assert!(text.starts_with("# what an earlier step wrote\n") && text.contains("1,000"), "{text}");
    assert!(text.ends_with(&field.last("report.md")), "{text}");
    assert_eq!(field.record()?["by"], "octocat");
    Ok(())
}

#[test]
fn the_dry_run_and_the_check_touch_nothing() -> Result<()> {
    let field = Field::new()?;
    field.isugate(&["bench", "--dry-run"])?.exits(0).says(&["commit", "build     app1", "bench     bench"]);
    field.isugate(&["check"])?.exits(0).says(&["ok   app1: reached as isugate-app1", "nothing deployed"]);
    assert_eq!(field.app1.release(), None);
    assert_eq!(field.runs().len(), 0);
    field.tidy()
}
