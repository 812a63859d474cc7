//! Units that do not come up.

use anyhow::Result;

use super::app;
use super::team::Turn;

#[test]
fn an_unknown_unit_is_named_with_its_host_and_the_next_step() -> Result<()> {
    let turn = Turn::take()?;
    let good = turn.commit(&app::files(1000))?;
    assert_eq!(turn.bench()?.code, Some(0));
    turn.replace("{ on: nginx, unit: nginx }", "{ on: nginx, unit: ngimx }")?;
    turn.commit(&app::files(2000))?;
    let said = turn.bench()?;
    assert_eq!(said.code, Some(24), "{}", said.stderr);
    assert!(said.stderr.contains("isu1: systemd knows no unit ngimx"), "{}", said.stderr);
    assert!(said.stderr.contains("next: see `systemctl list-units --type=service` there"), "{}", said.stderr);
    assert_eq!((turn.answers(1)?, turn.answers(2)?), (good.clone(), good));
    Ok(())
}

#[test]
fn a_unit_that_dies_at_its_start_shows_its_journal_and_every_host_is_back() -> Result<()> {
    let turn = Turn::take()?;
    let good = turn.commit(&app::files(1000))?;
    assert_eq!(turn.bench()?.code, Some(0));
    let mut files = app::files(2000);
    // On one host only: the others must not stay on the new commit either.
    files[0].1 = app::server_that_starts_with("die \"no database here\\n\" if `hostname` eq \"isu2\\n\";");
    let bad = turn.commit(&files)?;
    let said = turn.bench()?;
    assert_eq!(said.code, Some(24), "{}", said.stderr);
    // On a slow machine systemd has called it active before it was dead: then it is found while waiting for its answer.
    let found = ["isu2: restarting app failed", "isu2: not ready within 10 s"];
    assert!(found.iter().any(|what| said.stderr.contains(what)), "{}", said.stderr);
    assert!(said.stderr.contains("no database here") && said.stderr.contains("  next: "), "{}", said.stderr);
    assert!(!said.stderr.contains("UNKNOWN"), "{}", said.stderr);
    for number in [1, 2] {
        assert_eq!(turn.answers(number)?, good, "{bad} is still on isu{number}");
        assert_eq!(turn.host(number).exec("systemctl is-active app")?, "active\n");
        assert!(said.stderr.contains(&format!("isu{number}: back on commit {}", &good[..12])), "{}", said.stderr);
    }
    Ok(())
}

#[test]
fn a_unit_that_dies_a_second_after_its_start_shows_its_journal_too() -> Result<()> {
    let turn = Turn::take()?;
    let good = turn.commit(&app::files(1000))?;
    assert_eq!(turn.bench()?.code, Some(0));
    turn.replace("http: \"http://127.0.0.1:8080/\", within: 10s", "http: \"http://127.0.0.1:8080/\", within: 2s")?;
    let mut files = app::files(2000);
    files[0].1 = app::server_that_starts_with("sleep 1; die \"no database here\\n\";");
    turn.commit(&files)?;
    let said = turn.bench()?;
    assert_eq!(said.code, Some(24), "{}", said.stderr);
    assert!(said.stderr.contains("not ready within 2 s"), "{}", said.stderr);
    assert!(said.stderr.contains("no database here"), "{}", said.stderr);
    assert_eq!((turn.answers(1)?, turn.answers(2)?), (good.clone(), good));
    Ok(())
}
