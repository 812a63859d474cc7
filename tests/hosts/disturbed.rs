//! What happens on the hosts while the benchmarker runs: such a run says nothing about the commit.

use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use super::app;
use super::rig::process;
use super::team::{Said, Turn, said};

/// A benchmark of `tenths`, with `disturb` called in its middle.
fn disturbed(turn: &Turn, tenths: u32, disturb: impl FnOnce() -> Result<()>) -> Result<Said> {
    turn.configure("", "", tenths)?;
    turn.commit(&app::files(1000))?;
    let child = turn.bench_until_it_runs()?;
    disturb()?;
    said(child.wait_with_output()?)
}

fn violation(said: &Said) -> String {
    assert_eq!(said.code, Some(12), "{} {}", said.report, said.stderr);
    assert_eq!(said.report["verdict"], "invalid");
    said.report["violations"].to_string()
}

#[test]
fn a_restart_in_the_middle_makes_the_run_invalid_and_names_unit_and_second() -> Result<()> {
    let turn = Turn::take()?;
    let began = Instant::now();
    let mut over = Duration::ZERO;
    let said = disturbed(&turn, 80, || {
        std::thread::sleep(Duration::from_millis(2000));
        turn.host(2).exec("sudo systemctl restart app")?;
        over = began.elapsed();
        Ok(())
    })?;
    let text = violation(&said);
    assert!(text.contains("isu2: app was restarted") && text.contains("someone did it"), "{text}");
    // When the benchmark began is known here only to be between the start of isugate and the restart less two seconds.
    let second: u64 =
        text.split("at second ").nth(1).and_then(|rest| rest.split(':').next()).context("no second")?.parse()?;
    assert!((2..=over.as_secs() + 1).contains(&second), "{second}, over at {over:?}: {text}");
    assert!(!text.contains("isu1"), "{text}");
    Ok(())
}

#[test]
fn a_crash_that_systemd_mends_by_itself_makes_the_run_invalid() -> Result<()> {
    let turn = Turn::take()?;
    let always = "sudo mkdir -p /etc/systemd/system/app.service.d && printf '[Service]\\nRestart=always\\nRestartSec=100ms\\n' | \
                  sudo tee /etc/systemd/system/app.service.d/restart.conf && sudo systemctl daemon-reload";
    turn.host(1).exec(always)?;
    let said =
        disturbed(&turn, 30, || turn.host(1).exec("sudo kill -KILL $(systemctl show -P MainPID app)").map(drop))?;
    let text = violation(&said);
    assert!(
        text.contains("isu1: app was restarted") && text.contains("it crashed and systemd started it again"),
        "{text}"
    );
    Ok(())
}

#[test]
fn a_unit_that_is_down_after_the_benchmark_makes_the_run_invalid() -> Result<()> {
    let turn = Turn::take()?;
    let said = disturbed(&turn, 30, || turn.host(2).exec("sudo systemctl stop app").map(drop))?;
    let text = violation(&said);
    assert!(text.contains("isu2: app does not run any more"), "{text}");
    Ok(())
}

#[test]
fn a_built_file_that_changes_in_the_middle_makes_the_run_invalid() -> Result<()> {
    let turn = Turn::take()?;
    let said = disturbed(&turn, 30, || turn.host(1).exec("echo '# mine' >>~/webapp/bin/app").map(drop))?;
    let text = violation(&said);
    assert!(text.contains("isu1: bin/app changed during the run"), "{text}");
    Ok(())
}

#[test]
fn an_application_host_that_reboots_in_the_middle_makes_the_run_invalid_and_the_next_one_works() -> Result<()> {
    let turn = Turn::take()?;
    let said = disturbed(&turn, 100, || turn.host(2).reboot())?;
    let text = violation(&said);
    assert!(text.contains("isu2: app was restarted"), "{text}");
    assert!(!said.report["hosts"].to_string().contains("UNKNOWN"), "{}", said.report["hosts"]);
    works_again(&turn)
}

#[test]
fn a_benchmarkers_host_that_reboots_in_the_middle_makes_the_run_invalid_and_the_next_one_works() -> Result<()> {
    let turn = Turn::take()?;
    let said = disturbed(&turn, 300, || turn.host(3).reboot())?;
    let text = violation(&said);
    assert!(text.contains("isu3: the benchmarker was killed from outside"), "{text}");
    works_again(&turn)
}

fn works_again(turn: &Turn) -> Result<()> {
    turn.configure("", "", 3)?;
    let said = process::wait_for("the hosts", Duration::from_secs(60), || {
        let said = turn.bench()?;
        Ok((said.code != Some(20)).then_some(said))
    })?;
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    assert_eq!(said.report["score"], 1000);
    Ok(())
}
