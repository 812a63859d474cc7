//! A service that does not come up: what ran before is back and runs.

use anyhow::Result;

use super::field::Field;

#[test]
fn a_restart_that_fails_on_one_host_brings_back_what_ran_on_both() -> Result<()> {
    let field = Field::new()?;
    field.isugate(&["bench"])?.exits(0);
    let v1 = field.git(&["rev-parse", "--short=12", "v1"])?;
    field.commit("v2", &[("restart-fails", "app2")])?;
    let run = field.isugate(&["bench"])?.exits(24);
    run.says(&["app2: restarting `bash service.sh", "no such table: rides", "next:"])
        .says(&[&format!("app1: back on commit {v1}"), &format!("app2: back on commit {v1}")])
        .hides(&["after putting back"]);
    field.serves("v1")?;
    // Who restarts is told which commit it restarts, also on the way back.
    assert_eq!(field.app1.read("run/commit"), field.git(&["rev-parse", "v1"])?);
    assert_eq!(field.verdicts()?, ["accept"]);
    field.tidy()
}

#[test]
fn a_service_that_never_answers_brings_back_what_ran_before() -> Result<()> {
    let field = Field::new()?;
    field.isugate(&["bench"])?.exits(0);
    let v1 = field.git(&["rev-parse", "--short=12", "v1"])?;
    field.commit("v2", &[("never-ready", "x")])?;
    let run = field.isugate(&["bench"])?.exits(24);
    run.says(&["app1: not ready within 1 s", "version v2 is not served: 502 Bad Gateway", "deploy.ready", "next:"])
        .says(&["app2: not ready within 1 s"])
        .says(&[&format!("app1: back on commit {v1}"), &format!("app2: back on commit {v1}")]);
    field.serves("v1")?;
    field.tidy()
}

#[test]
fn the_very_first_deploy_says_that_nothing_ran_before() -> Result<()> {
    let field = Field::new()?;
    let v2 = field.commit("v2", &[("restart-fails", "app")])?;
    let run = field.isugate(&["bench"])?.exits(24);
    run.says(&["app1: restarting `bash service.sh", "no such table: rides", "nothing ran there before", &v2[..12]])
        .hides(&["after putting back"]);
    assert_eq!(field.verdicts()?.len(), 0);
    field.tidy()
}

#[test]
fn checks_by_tcp_and_http_say_what_did_not_answer() -> Result<()> {
    let mut field = Field::new()?;
    let tcp = r#"ready: [{ on: app1, tcp: "127.0.0.1:9", within: 1s }, { on: app2, http: "http://127.0.0.1:9/x", within: 1s }, "#;
    field.configure("ready: [", tcp)?;
    let run = field.isugate(&["deploy"])?.exits(24);
    run.says(&["app1: not ready within 1 s: TCP 127.0.0.1:9", "onnection refused"])
        .says(&["app2: not ready within 1 s: http://127.0.0.1:9/x with status 200"]);
    field.tidy()
}
