//! isutools that is absent, refuses, or gives half: the run counts, and the report says what is missing and why.

use std::{io::Write, net::TcpStream};

use anyhow::Result;

use super::evidence::Chairs;

/// One run that counts although its evidence is not whole; gives what the record says is wrong.
fn counts(chairs: &Chairs, said: &[&str]) -> Result<String> {
    chairs.field.isugate(&["bench"])?.exits(0).says(said);
    assert_eq!(chairs.field.verdicts()?, ["accept"]);
    chairs.field.tidy()?;
    Ok(chairs.evidence()?["problems"].to_string())
}

#[test]
fn without_an_admin_server_the_run_counts() -> Result<()> {
    let chairs = Chairs::new("ISUTOOLS=off")?;
    let url = format!("app1: no isutools at http://127.0.0.1:{}", chairs.admin);
    let problems = counts(&chairs, &["no isutools evidence", &url, "is the application built with isutools"])?;
    assert!(problems.contains("no isutools at"), "{problems}");
    Ok(())
}

#[test]
fn a_refused_reset_is_reported_and_ends_the_run_only_where_isutools_is_required() -> Result<()> {
    let mut chairs = Chairs::new("STANDIN_RESET_FAULT=refused")?;
    let refused = "app1: isutools refused POST /reset with 409";
    assert!(counts(&chairs, &[refused, "no isutools evidence"])?.contains("refused POST /reset"));
    chairs.field.configure("data_dir:", "required: true, data_dir:")?;
    let run = chairs.field.isugate(&["bench"])?.exits(26).says(&[refused, "next:", "app1: commit"]);
    assert!(!run.stderr.contains("bench …"), "the benchmarker was not started: {}", run.stderr);
    assert_eq!(chairs.field.verdicts()?.len(), 1);
    chairs.field.isugate(&["check"])?.says(&["app1: isutools answers"]);
    chairs.field.tidy()
}

#[test]
fn a_snapshot_that_cannot_be_written_is_reported_with_its_reason() -> Result<()> {
    let chairs = Chairs::new("STANDIN_SAVE_FAULT=write")?;
    let problems = counts(&chairs, &["app1: isutools refused POST /save with 500 persist-failed", "data directory"])?;
    assert!(problems.contains("persist-failed"), "{problems}");
    Ok(())
}

#[test]
fn a_request_that_is_still_open_makes_the_snapshot_partial_and_that_is_said() -> Result<()> {
    let chairs = Chairs::new("STANDIN_DRAIN=300ms")?;
    // A client that is no part of the benchmark, so that its request is open when the benchmark is over.
    chairs.field.patient_bench()?;
    let running = chairs.field.start(&["bench"])?.until("bench | begun")?;
    let mut client = TcpStream::connect(("127.0.0.1", chairs.app))?;
    write!(client, "GET /slow?d=50s HTTP/1.0\r\n\r\n")?;
    chairs.field.go()?;
    running.end()?.exits(0).says(&["the snapshot is partial"]);
    let problems = chairs.evidence()?["problems"].to_string();
    assert!(problems.contains("partial"), "{problems}");
    chairs.field.tidy()
}

#[test]
fn a_run_that_the_application_itself_replaced_is_told_apart() -> Result<()> {
    let chairs = Chairs::new("STANDIN_PREEMPT_AFTER=50ms")?;
    let problems = counts(&chairs, &["the snapshot is of run", "the application itself opened it"])?;
    assert!(problems.contains("/reset opened"), "{problems}");
    Ok(())
}

#[test]
fn an_application_that_died_in_the_middle_leaves_no_evidence_and_makes_the_run_invalid() -> Result<()> {
    let chairs = Chairs::new("")?;
    chairs.field.patient_bench()?;
    let running = chairs.field.start(&["bench"])?.until("bench | begun")?;
    chairs.kill()?;
    chairs.field.go()?;
    let gone = [
        "no isutools evidence: app1: no isutools at",
        "/healthz with status 200 does not answer any more after the benchmark",
    ];
    running.end()?.exits(12).says(&gone);
    chairs.field.tidy()
}

#[test]
fn an_application_that_was_restarted_in_the_middle_makes_the_run_invalid() -> Result<()> {
    let chairs = Chairs::new("")?;
    let field = &chairs.field;
    field.patient_bench()?;
    let running = field.start(&["bench"])?.until("bench | begun")?;
    let again = format!("cd '{0}/webapp' && bash service.sh '{0}/run'", field.app1.dir);
    field.app1.sshd().access().run(&again)?;
    field.go()?;
    running.end()?.exits(12).says(&["app1: isutools no longer knows the run", "restarted in the middle"]);
    assert_eq!(field.verdicts()?, ["invalid"]);
    field.tidy()
}
