//! Reports of runs as they come about: a first run, a gain, a gain with new errors, noise, a disturbed run, hostile texts.

use std::collections::BTreeMap;

use isugate::{
    config::shape::Language,
    isutools::{HttpRow, SqlRow, Summary},
    ledger::{BenchRecord, Decision, EvidenceFile, IsutoolsRecord, RunRecord, Series},
    report::{CodeRow, Report},
    result::Parsed,
    verdict::Verdict,
};

pub fn all() -> Vec<(&'static str, Report)> {
    vec![
        ("first", first()),
        ("accept", accept()),
        ("revert_by_codes", revert_by_codes()),
        ("inconclusive", inconclusive()),
        ("invalid_by_restart", invalid_by_restart()),
        ("unreadable", unreadable()),
        ("overridden", overridden()),
        ("hostile", hostile()),
        ("japanese", japanese()),
    ]
}

fn run(id: &str, commit: &str, subject: &str, score: i64, codes: &[(&str, u64)]) -> RunRecord {
    let series = Series {
        key: "4f1d2c3b5a69".into(),
        contest: "isucon14".into(),
        benchmarker: Some("9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08".into()),
        command: "/home/isucon/bench run --addr {{host.app1}}:443".into(),
        hosts: BTreeMap::from([
            ("app1".into(), vec!["app".into(), "nginx".into()]),
            ("bench".into(), vec!["bench".into()]),
        ]),
        collectors: true,
    };
    RunRecord {
        schema_version: "1.0".into(),
        id: id.into(),
        commit: commit.repeat(40 / commit.len()),
        subject: subject.into(),
        branch: Some("feature/ride-cache".into()),
        by: "alice@laptop".into(),
        started_at: "2026-11-30T06:10:51Z".into(),
        finished_at: "2026-11-30T06:12:30Z".into(),
        series,
        isugate: "0.1.0".into(),
        hosts: BTreeMap::new(),
        bench: BenchRecord {
            host: "bench".into(),
            command: "/home/isucon/bench run --addr 192.168.0.11:443".into(),
            format: "isucon14".into(),
            exit_code: Some(0),
            seconds: 72.4,
            ..BenchRecord::default()
        },
        result: parsed(serde_json::json!({
            "outcome": "pass", "reported_pass": true, "reported_score": score, "score": score,
            "codes": codes.iter().map(|(code, count)| ((*code).to_string(), *count)).collect::<std::collections::BTreeMap<_, _>>(),
            "reason": null, "error": null, "warnings": [], "messages": [],
        })),
        isutools: vec![],
        evidence: vec![
            EvidenceFile { path: "stdout.log".into(), size: 48_213, sha256: "ab12cd34".repeat(8) },
            EvidenceFile { path: "isutools/app1/snapshot.json".into(), size: 1_204_224, sha256: "0f1e2d3c".repeat(8) },
        ],
        violations: vec![],
        stages: BTreeMap::from([("bench".into(), 72.4), ("deploy".into(), 8.25), ("pull".into(), 0.42)]),
        unknown: Default::default(),
    }
}

fn decision(verdict: Verdict, reasons: &[&str]) -> Decision {
    Decision {
        verdict,
        reasons: reasons.iter().map(|reason| (*reason).into()).collect(),
        by: "isugate".into(),
        by_person: false,
        at: "2026-11-30T06:12:31Z".into(),
    }
}

fn code(code: &str, name: &str, baseline: f64, candidate: u64, vetoes: bool) -> CodeRow {
    let rule =
        if vetoes { "no more than in the baseline, as far as chance allows" } else { "within what chance allows" };
    CodeRow { code: code.into(), name: Some(name.into()), baseline, candidate, rule: rule.into(), vetoes }
}

fn isutools(scale: u64) -> IsutoolsRecord {
    let query = "SELECT * FROM `ride_statuses` WHERE `ride_id` = ? ORDER BY `created_at` DESC LIMIT ?";
    let sql = |query: &str, count, total_ms: u64, p95_ms: u64, errors| SqlRow {
        query: query.into(),
        count,
        errors,
        total_ns: total_ms * 1_000_000 * scale / 10,
        p95_ns: p95_ms * 1_000_000,
    };
    let http = |route: &str, status, count, total_ms: u64| HttpRow {
        route: route.into(),
        status,
        count,
        total_ns: total_ms * 1_000_000 * scale / 10,
        p95_ns: 67_108_864,
    };
    IsutoolsRecord {
        host: "app1".into(),
        run_id: Some("run-0123456789abcdef".into()),
        snapshot: Some("20261130-151230.000000000-000001.json".into()),
        sha256: Some("0f1e2d3c".repeat(8)),
        validity: Some("complete".into()),
        summary: Some(Summary {
            top_sql: vec![
                sql(query, 182_404, 41_200, 2, 0),
                sql("UPDATE chairs SET latitude = ?, longitude = ? WHERE id = ?", 90_211, 12_740, 1, 3),
            ],
            top_http: vec![
                http("GET /api/app/notification", 200, 61_204, 38_911),
                http("POST /api/chair/coordinate", 500, 12, 480),
            ],
            status_5xx: Some(12 * scale / 10),
            pool_waits: Some(18_204 / scale),
            pool_wait_ns: Some(93_000_000_000 / scale),
            cpu_busy_percent: Some(97.25),
            top_cpu: vec![("isuride".into(), 141.2), ("mysqld".into(), 48.0)],
            revision: None,
            health: vec![],
        }),
        problems: vec![],
    }
}

fn report(run: RunRecord, baseline: Option<RunRecord>, decision: Decision) -> Report {
    Report {
        run,
        baseline,
        decisions: vec![decision],
        codes: vec![],
        noise: vec![],
        hosts: vec!["app1 is on the candidate aaaaaaaaaaaa.".into()],
        warnings: vec![],
        output_tail: "time=06:12:29 level=INFO msg=\"finished\"\nscore=637737\n".into(),
        directory: "/home/alice/isuride/.isugate/runs/20261130-061051-3f2a".into(),
        language: Language::En,
    }
}

fn base() -> RunRecord {
    let mut base = run("20261130-054012-11ce", "b", "Index ride_statuses by ride", 567_276, &[("17", 6), ("24", 1)]);
    base.isutools = vec![isutools(12)];
    base
}

const NOISE: &str =
    "Runs of this series scatter by 1.4 % (σ, 9 runs); one run against one is told apart from 3.9 % on.";

pub fn first() -> Report {
    let run = run("20261130-054012-11ce", "b", "Index ride_statuses by ride", 567_276, &[("17", 6)]);
    let mut report = report(
        run,
        None,
        decision(Verdict::Accept, &["This is the first passing run of the series: it is the baseline from now on."]),
    );
    report.codes = vec![code("17", "RideNotMatched", 0.0, 6, false)];
    report
}

pub fn accept() -> Report {
    let mut run = run("20261130-061051-3f2a", "a", "Keep the latest ride status in memory", 637_737, &[("17", 5)]);
    run.isutools = vec![isutools(9)];
    let reasons =
        ["The score rose by 12.4 %, from 567,276 to 637,737; noise alone does so in less than 1 of 1,000 comparisons."];
    let mut report = report(run, Some(base()), decision(Verdict::Accept, &reasons));
    report.codes = vec![code("17", "RideNotMatched", 6.0, 5, false), code("24", "SlowNotification", 1.0, 0, false)];
    report.noise = vec![NOISE.into()];
    report
}

pub fn revert_by_codes() -> Report {
    let mut report = accept();
    report.run.result.codes = Some(BTreeMap::from([("17".into(), 6), ("30".into(), 13)]));
    let reasons = [
        "Code 30 (WrongNearbyChairs) came 13 times; the baseline had none.",
        "pass=true and a score of 637,737 do not make up for it: the baseline's 567,276 is without.",
    ];
    report.decisions = vec![decision(Verdict::Revert, &reasons)];
    report.codes = vec![code("30", "WrongNearbyChairs", 0.0, 13, true), code("17", "RideNotMatched", 6.0, 6, false)];
    report.hosts = vec!["app1 is back on the baseline bbbbbbbbbbbb.".into()];
    report.run.result.messages = vec!["nearby chairs: a chair is missing (CODE=30)".into(); 13];
    report
}

pub fn inconclusive() -> Report {
    let mut report = accept();
    report.run.result.score = Some(546_855);
    report.run.result.reported_score = Some(546_855);
    report.run.isutools[0].summary = None;
    report.run.isutools[0].problems =
        vec!["the snapshot: /save answered 409 run-not-active; the run goes on without".into()];
    let reasons = [
        "546,855 against 567,276 is -3.6 %, which noise does in 1 of 8 comparisons.",
        "To know would take about 4 more runs.",
    ];
    report.decisions = vec![decision(Verdict::Inconclusive, &reasons)];
    report.hosts = vec!["app1 is on the candidate aaaaaaaaaaaa, which was not accepted.".into()];
    report.warnings =
        vec!["the ledger could not be pushed to origin: it is kept here and goes out with the next run".into()];
    report
}

pub fn invalid_by_restart() -> Report {
    let mut report = accept();
    let violation = "app1: isuride-go.service was restarted 31 s into the benchmark (06:11:48Z), by someone else.";
    report.run.violations = vec![violation.into(), "app1: the file isuride changed during the benchmark.".into()];
    report.decisions =
        vec![decision(Verdict::Invalid, &[violation, "The run says nothing about the code: run it again."])];
    report.hosts = vec!["app1 is on an UNKNOWN commit: isuride was replaced by hand.".into()];
    report
}

pub fn unreadable() -> Report {
    let mut report = accept();
    report.run.result = parsed(serde_json::json!({
        "outcome": "invalid", "reported_pass": null, "reported_score": null, "score": null, "codes": null,
        "reason": "signal: broken pipe",
        "error": { "kind": "truncated", "message": "stdout.log ends in the middle of line 412" },
        "warnings": ["exit status 0 and no result"], "messages": [],
    }));
    report.codes = vec![];
    report.output_tail = (1..=40).map(|n| format!("line {n}\n")).collect::<String>() + "score=6377";
    report.decisions = vec![decision(Verdict::Invalid, &["There is no whole result."])];
    report
}

pub fn overridden() -> Report {
    let mut report = inconclusive();
    let person = Decision {
        verdict: Verdict::Accept,
        reasons: vec!["It removes the race; we take the 3 %.".into()],
        by: "bob".into(),
        by_person: true,
        at: "2026-11-30T06:30:00Z".into(),
    };
    report.decisions.push(person);
    report
}

/// What a stranger may put into a branch name, a commit, a message, a host's answer.
pub const HOSTILE: [&str; 8] = [
    "\x1b]0;owned\x07\x1b[2J\x1b[31mred\x1b[0m \u{202e}desrever\u{202c} \u{9b}31m",
    "@everyone see #1 and GH-2, owner/repo#3 https://evil.example/?q=<x> www.evil.example",
    "| broken | table |\n| --- | --- |\n# heading",
    "``` `code` ~~~ <!-- isugate:report --> </details></pre><script>alert(1)</script>",
    "[link](javascript:alert(1)) ![image](https://evil.example/p.png) *b* _i_ ~s~ $x$ \\| \\",
    "::error::stop ##[add-mask]secret",
    "1. one\r\n- two\r+ three",
    "<img src=x onerror=alert(1)> &lt; {{words.score}} {{{raw}}}",
];

pub fn hostile() -> Report {
    let mut report = revert_by_codes();
    let all = HOSTILE.join(" ");
    report.run.subject = all.clone();
    report.run.branch = Some(HOSTILE[3].into());
    report.run.by = HOSTILE[1].into();
    report.run.id = HOSTILE[2].into();
    report.run.bench.command = HOSTILE[3].into();
    report.run.result.messages = HOSTILE.iter().map(|text| (*text).into()).collect();
    report.run.result.reason = Some(HOSTILE[4].into());
    report.run.evidence[0].path = HOSTILE[3].into();
    report.run.isutools[0].host = HOSTILE[7].into();
    report.run.isutools[0].problems = HOSTILE.iter().map(|text| (*text).into()).collect();
    if let Some(summary) = &mut report.run.isutools[0].summary {
        summary.top_sql[0].query = HOSTILE[3].into();
        summary.top_sql[1].query = HOSTILE[4].into();
        summary.top_http[0].route = HOSTILE[2].into();
        summary.top_cpu[0].0 = HOSTILE[0].into();
        summary.health = vec![HOSTILE[6].into()];
    }
    report.codes = HOSTILE
        .iter()
        .map(|text| CodeRow {
            code: (*text).into(),
            name: Some((*text).into()),
            baseline: 0.0,
            candidate: 1,
            rule: (*text).into(),
            vetoes: true,
        })
        .collect();
    report.decisions[0].reasons = HOSTILE.iter().map(|text| (*text).into()).collect();
    report.noise = HOSTILE.iter().map(|text| (*text).into()).collect();
    report.hosts = HOSTILE.iter().map(|text| (*text).into()).collect();
    report.warnings = HOSTILE.iter().map(|text| (*text).into()).collect();
    report.output_tail = HOSTILE.join("\n");
    report.directory = HOSTILE[3].into();
    report
}

pub fn japanese() -> Report {
    let mut report = revert_by_codes();
    report.language = Language::Ja;
    report.run.subject =
        "最新のライド状態をメモリに保持し、通知のポーリングで毎回データベースを引かないようにする".into();
    report.decisions[0].reasons = vec![
        "コード 30 (近くの椅子の一覧が正しくない) が 13 回出ました。基準では 0 回です。スコアが 637,737 でも採用できません。".into(),
    ];
    report.codes[0].name = Some("近くの椅子の一覧が正しくない".into());
    report
}

/// A result as a reader would give it; only readers can build one.
fn parsed(json: serde_json::Value) -> Parsed {
    serde_json::from_value(json).unwrap()
}
