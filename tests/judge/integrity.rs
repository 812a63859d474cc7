//! What spoils a run, seen from outside.

use isugate::verdict::facts::Language;
use isugate::verdict::integrity::{
    BenchFacts, Facts, HashPair, HostFacts, Limits, LoadSample, UnitFacts, What, WindowFacts, check,
};

fn unit(before: f64, after: Option<f64>) -> UnitFacts {
    UnitFacts {
        unit: "isuride-go.service".into(),
        started_before: Some(before),
        started_after: after,
        restarts_before: Some(0),
        restarts_after: Some(0),
    }
}

fn on(host: HostFacts) -> Facts {
    Facts { hosts: vec![HostFacts { host: "app1".into(), ..host }], ..Facts::default() }
}

#[test]
fn a_teammates_restart_names_host_unit_and_second() {
    let facts = on(HostFacts { units: vec![unit(-40.0, Some(23.4))], ..HostFacts::default() });
    let found = check(&facts, &Limits::default());
    assert_eq!(found.len(), 1);
    assert_eq!(
        found[0].say(Language::En),
        "app1: isuride-go.service was restarted at second 23: someone did it, or its host was restarted: invalid"
    );
    assert!(found[0].say(Language::Ja).contains("isuride-go.service が再起動した(23 秒)"));
}

#[test]
fn an_undisturbed_run_has_no_violation() {
    let facts = Facts {
        hosts: vec![HostFacts {
            host: "app1".into(),
            deployed: vec![HashPair { name: "isuride".into(), before: "ab".into(), after: Some("ab".into()) }],
            units: vec![unit(-40.0, Some(-40.0))],
            load: vec![LoadSample { at: 5.0, seconds: 60.0, foreign: 0.04, steal: 0.0, heaviest: None }],
        }],
        duration: Some(67.0),
        expected_duration: Some(66.0),
        ..Facts::default()
    };
    assert!(check(&facts, &Limits::default()).is_empty());
}

#[test]
fn a_unit_that_died_and_a_changed_binary_are_two_violations() {
    let facts = on(HostFacts {
        deployed: vec![HashPair { name: "isuride".into(), before: "ab".into(), after: Some("cd".into()) }],
        units: vec![unit(-40.0, None)],
        ..HostFacts::default()
    });
    let found = check(&facts, &Limits::default());
    assert_eq!(found.len(), 2);
    assert_eq!(found[1].what, What::Stopped);
}

#[test]
fn foreign_load_over_the_limit_names_the_process() {
    let sample =
        |at, foreign, name: &str| LoadSample { at, seconds: 20.0, foreign, steal: 0.0, heaviest: Some(name.into()) };
    let facts = on(HostFacts {
        load: vec![sample(0.0, 0.05, "cron"), sample(20.0, 0.42, "cargo"), sample(40.0, 0.3, "cargo")],
        ..HostFacts::default()
    });
    let found = check(&facts, &Limits::default());
    assert_eq!(
        found[0].say(Language::En),
        "app1: 26 % of the CPU went to foreign processes (limit 25 %), most to cargo at second 20: invalid"
    );
    assert!(check(&facts, &Limits { foreign_cpu: 0.3, ..Limits::default() }).is_empty());
}

#[test]
fn a_lost_lease_another_benchmarker_and_a_foreign_window_are_seen() {
    let facts = Facts {
        lease_lost_at: Some(31.0),
        bench: Some(BenchFacts { hash: "x".into(), series_hash: "y".into(), ..BenchFacts::default() }),
        isutools: vec![WindowFacts {
            host: "app1".into(),
            expected_id: Some("r2".into()),
            seen_id: Some("r1".into()),
            window: Some((-90.0, -10.0)),
        }],
        duration: Some(30.0),
        expected_duration: Some(66.0),
        broken_result: Some("no result line".into()),
        ..Facts::default()
    };
    let kinds = check(&facts, &Limits::default()).len();
    assert_eq!(kinds, 5);
}
