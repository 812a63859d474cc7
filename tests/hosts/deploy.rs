//! A commit on its way to several hosts at once.

use anyhow::{Context, Result};

use super::app;
use super::team::Turn;

#[test]
fn a_commit_is_built_on_all_hosts_at_the_same_time_and_units_restart_in_order() -> Result<()> {
    let turn = Turn::take()?;
    let mut files = app::files(1000);
    files.push(("slow", "1\n".into()));
    let commit = turn.commit(&files)?;
    let said = turn.bench()?;
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    assert_eq!(said.report["score"], 1000);
    assert_eq!((turn.answers(1)?, turn.answers(2)?), (commit.clone(), commit.clone()));

    // The hosts share this machine's clock.
    let mut spans = Vec::new();
    for number in [1, 2] {
        let line = turn.host(number).exec("cat ~/builds")?;
        let times: Vec<u64> = line.split_whitespace().map(str::parse).collect::<Result<_, _>>()?;
        assert_eq!(times.len(), 2, "built once: {line}");
        spans.push((times[0], times[1]));
    }
    assert!(spans[0].0 < spans[1].1 && spans[1].0 < spans[0].1, "one after the other: {spans:?}");

    let started = |number: usize, unit: &str| -> Result<u64> {
        let text = turn.host(number).exec(&format!("systemctl show -P ExecMainStartTimestampMonotonic {unit}"))?;
        text.trim().parse().context(text)
    };
    let nginx = started(1, "nginx")?;
    assert!(started(1, "app")? < nginx && started(2, "app")? < nginx, "nginx is the second entry of deploy.restart");

    let hosts = &said.report["run"]["hosts"];
    for name in ["isu1", "isu2"] {
        assert_eq!(hosts[name]["revision"], commit.as_str(), "{hosts}");
        assert!(hosts[name]["artifacts"]["bin/app"].is_string(), "{hosts}");
        assert_eq!(hosts[name]["units"]["app"]["active"], "active", "{hosts}");
    }
    assert!(turn.host(3).exec("ls ~")?.lines().all(|name| name != "webapp"), "the benchmarker's host gets no tree");
    Ok(())
}

#[test]
fn a_second_run_of_the_same_commit_ships_and_builds_nothing() -> Result<()> {
    let turn = Turn::take()?;
    turn.commit(&app::files(1000))?;
    assert_eq!(turn.bench()?.code, Some(0));
    let objects = "find ~/webapp.isugate/repo.git/objects -type f | sort | sha256sum; cat ~/builds";
    let before = turn.host(1).exec(objects)?;
    let said = turn.bench()?;
    let hosts = &said.report["run"]["hosts"];
    for name in ["isu1", "isu2"] {
        assert_eq!((&hosts[name]["shipped"], &hosts[name]["built"]), (&false.into(), &false.into()), "{hosts}");
    }
    assert_eq!(turn.host(1).exec(objects)?, before);
    Ok(())
}

#[test]
fn only_the_objects_that_a_host_lacks_travel() -> Result<()> {
    let turn = Turn::take()?;
    let mut files = app::files(1000);
    // What does not compress: a second copy of it on the way would show.
    let noise: String = (0u64..200_000).map(|n| format!("{:x}", n.wrapping_mul(0x9E37_79B9_7F4A_7C15))).collect();
    files.push(("noise", noise));
    turn.commit(&files)?;
    assert_eq!(turn.bench()?.code, Some(0));
    let size = || -> Result<u64> {
        Ok(turn.host(1).exec("du -sk ~/webapp.isugate/repo.git/objects | cut -f1")?.trim().parse()?)
    };
    let before = size()?;
    files[2].1 = "1001\n".into();
    turn.commit(&files)?;
    turn.bench()?;
    let more = size()? - before;
    assert!(before > 1000 && more < 100, "{more} KiB came on top of {before} KiB");
    Ok(())
}
