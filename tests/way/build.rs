//! A build that fails or hangs: nothing that runs is touched, on no host.

use anyhow::Result;

use super::field::Field;

#[test]
fn a_build_that_fails_on_one_host_is_activated_on_none() -> Result<()> {
    let field = Field::new()?;
    field.isugate(&["bench"])?.exits(0);
    let v1 = field.git(&["rev-parse", "--short=12", "v1"])?;
    let v2 = field.commit("v2", &[("build-fails", "app2")])?;
    let run = field.isugate(&["bench"])?.exits(22);
    run.says(&["app2: `bash build.sh app2` exited with 2", "undefined: chairs", "build-app2.log", "next:"])
        .says(&[&format!("app1: commit {v1}"), &format!("app2: commit {v1}")]);
    assert!(field.app1.real.join(format!("webapp.isugate/releases/{v2}/built")).exists(), "app1 has built it");
    assert!(field.last("build-app2.log").contains("main.go:17:2: undefined: chairs"));
    assert!(field.journal().contains(&"deploy failed".to_owned()));
    assert_eq!(field.verdicts()?, ["accept"]);
    field.serves("v1")?;
    field.tidy()?;
    // The next commit mends it.
    field.commit("v3", &[("build-fails", ""), ("score", "5000")])?;
    field.isugate(&["bench"])?.exits(0);
    field.serves("v3")
}

#[test]
fn a_build_that_hangs_is_ended_at_its_limit() -> Result<()> {
    let mut field = Field::new()?;
    field.configure("bash build.sh app1\", timeout: 20s", "bash build.sh app1\", timeout: 1s")?;
    field.isugate(&["deploy"])?.exits(0);
    field.commit("v2", &[("build-sleeps", "3")])?;
    field
        .isugate(&["bench"])?
        .exits(22)
        .says(&["app1: `bash build.sh app1` took longer than 1 s", "deploy.build"])
        .within(20);
    field.serves("v1")?;
    field.tidy()
}

#[test]
fn an_artifact_that_was_not_built_is_named() -> Result<()> {
    let mut field = Field::new()?;
    field.configure("deploy:\n", "deploy:\n  artifacts: [built, bin/chairs]\n")?;
    field.isugate(&["bench"])?.exits(22).says(&["app1:", "bin/chairs was not built", "deploy.artifacts"]);
    assert_eq!(field.app1.release(), None);
    field.tidy()
}
