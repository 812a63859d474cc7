//! The main job: accepted, accepted, taken back, and what people can do about it.

use anyhow::Result;

use super::field::{BENCH, Field};

#[test]
fn the_first_run_is_accepted_and_becomes_the_baseline() -> Result<()> {
    let field = Field::new()?;
    field.isugate(&["bench"])?.exits(0).says(&["accept", "1,000", "baseline", "app1: commit", "app2: commit"]);
    field.serves("v1")?;
    field.tidy()?;
    assert_eq!(field.verdicts()?, ["accept"]);
    let record = field.record()?;
    for host in ["app1", "app2"] {
        assert_eq!(record["hosts"][host]["revision"].as_str(), Some(field.git(&["rev-parse", "v1"])?.as_str()));
        assert_eq!(record["hosts"][host]["artifacts"]["built"].as_str().map(str::len), Some(64), "{record}");
    }
    let stages = ["check", "lease", "deploy", "ready", "bench", "parse", "record", "judge", "release", "report"];
    for stage in stages {
        let journal = field.journal();
        let at = |phase: &str| journal.iter().position(|line| *line == format!("{stage} {phase}"));
        assert!(at("begin").is_some() && at("begin") < at("done"), "{stage}: {journal:?}");
    }
    assert!(field.last("bench/stdout").contains("スコア=1000"));
    Ok(())
}

#[test]
fn a_second_run_of_the_same_commit_ships_nothing_and_rebuilds_nothing() -> Result<()> {
    let field = Field::new()?;
    field.isugate(&["bench"])?.exits(0);
    let record = field.record()?;
    assert_eq!((&record["hosts"]["app1"]["shipped"], &record["hosts"]["app2"]["built"]), (&true.into(), &true.into()));
    let built = std::fs::metadata(
        field.app1.real.join(format!("webapp.isugate/releases/{}/built", record["commit"].as_str().unwrap_or("?"))),
    )?;
    field.isugate(&["bench"])?.exits(11).says(&["0 got objects, 0 built", "the baseline itself"]);
    let record = field.record()?;
    for host in ["app1", "app2"] {
        assert_eq!(
            (&record["hosts"][host]["shipped"], &record["hosts"][host]["built"]),
            (&false.into(), &false.into())
        );
    }
    let again = std::fs::metadata(
        field.app1.real.join(format!("webapp.isugate/releases/{}/built", record["commit"].as_str().unwrap_or("?"))),
    )?;
    assert_eq!(built.modified()?, again.modified()?);
    assert!(!field.runs().last().is_some_and(|run| run.join("build-app1.log").exists()));
    Ok(())
}

/// With 100 ms to the host each command is a quarter of a second.
#[test]
fn an_unchanged_commit_costs_each_host_few_commands() -> Result<()> {
    let field = Field::apart()?;
    field.isugate(&["bench"])?.exits(0);
    let servers = [&field.servers.app1, &field.servers.app2, &field.servers.bench];
    let before = servers.map(|server| server.sessions());
    field.isugate(&["bench"])?.exits(11);
    for ((server, before), most) in servers.into_iter().zip(before).zip([20, 20, 16]) {
        let commands = server.sessions()? - before?;
        assert!((1..=most).contains(&commands), "{}: {commands}", server.access().alias);
    }
    Ok(())
}

#[test]
fn a_faster_commit_is_accepted_and_a_wrong_one_goes_back_by_itself() -> Result<()> {
    let field = Field::new()?;
    field.isugate(&["bench"])?.exits(0);
    field.commit("v2", &[("score", "5000")])?;
    field.isugate(&["bench", "v2"])?.exits(0).says(&["accept", "5,000", "1,000"]);
    field.serves("v2")?;
    let v2 = field.git(&["rev-parse", "--short=12", "v2"])?;
    field.commit("v3", &[("score", "9000"), ("errors", "13")])?;
    let back = [format!("app1: commit {v2}"), format!("app2: commit {v2}")];
    field.isugate(&["bench", "v3"])?.exits(10).says(&["revert", "30", "13", &back[0], &back[1]]);
    field.serves("v2")?;
    field.tidy()?;
    // The gate may have asked for more runs of either side: they are in the ledger too, and decide nothing.
    let decided: Vec<_> = field.verdicts()?.into_iter().filter(|verdict| verdict != "inconclusive").collect();
    assert_eq!(decided, ["accept", "accept", "revert"]);
    // The reverted run is kept with all that it said.
    assert!(field.last("bench/stdout").contains("CODE=30"));
    field.isugate(&["history"])?.exits(0).says(&["5,000", "9,000", "revert"]);
    Ok(())
}

#[test]
fn a_first_run_that_fails_leaves_what_ran_before() -> Result<()> {
    let field = Field::new()?;
    field.isugate(&["deploy"])?.exits(0).says(&["app1: commit", "app2: commit"]);
    field.commit("v2", &[("score", "5000")])?;
    field.bench_script(&BENCH.replace("pass=true", "pass=false"))?;
    field.isugate(&["bench"])?.exits(10).says(&["fail", "back on commit"]);
    field.serves("v1")?;
    field.tidy()
}

#[test]
fn keep_leaves_a_reverted_commit_and_rollback_takes_it_back() -> Result<()> {
    let field = Field::new()?;
    field.isugate(&["bench"])?.exits(0);
    field.commit("v2", &[("score", "9000"), ("errors", "13")])?;
    field.isugate(&["bench", "--keep"])?.exits(10).says(&["revert", "isugate rollback"]);
    field.serves("v2")?;
    field.isugate(&["rollback"])?.exits(0).says(&["app1: commit", "app2: commit"]);
    field.serves("v1")?;
    field.tidy()
}

#[test]
fn a_rollback_without_an_accepted_run_says_so() -> Result<()> {
    let field = Field::new()?;
    field.isugate(&["rollback"])?.exits(1).says(&["no run was accepted yet", "next:", "isugate deploy"]);
    Ok(())
}

#[test]
fn a_person_overrides_the_verdict_and_the_next_run_is_compared_with_that() -> Result<()> {
    let field = Field::new()?;
    field.isugate(&["bench"])?.exits(0);
    field.commit("v2", &[("score", "9000"), ("errors", "13")])?;
    field.isugate(&["bench"])?.exits(10);
    let id = field.record()?["id"].as_str().unwrap_or("?").to_owned();
    field.isugate(&["accept", &id, "--reason", "  "])?.exits(2).says(&["reason", "next:"]);
    field.isugate(&["accept", &id, "--reason", "the rules allow code 30"])?.exits(0).says(&["accept", "was revert"]);
    let decisions = field.ledger()?[1].1["decisions"].clone();
    assert_eq!((&decisions[0]["verdict"], &decisions[1]["verdict"]), (&"revert".into(), &"accept".into()));
    field.isugate(&["rollback"])?.exits(0);
    field.serves("v2")?;
    field.isugate(&["revert", &id, "--reason", "they do not"])?.exits(0).says(&["revert", "was accept"]);
    field.isugate(&["rollback"])?.exits(0);
    field.serves("v1")?;
    field.isugate(&["accept", "zzzz", "--reason", "x"])?.says(&["zzzz", "next:"]);
    Ok(())
}

#[test]
fn what_is_on_the_hosts_is_benchmarked_as_it_is_when_told_so() -> Result<()> {
    let field = Field::new()?;
    field.isugate(&["bench"])?.exits(0);
    field.commit("v2", &[("score", "5000")])?;
    field.isugate(&["bench", "v1", "--no-deploy"])?.exits(11).says(&["the baseline itself"]);
    field.serves("v1")?;
    assert!(!field.journal().contains(&"deploy begin".to_owned()));
    field.tidy()
}
