//! What the views have in common: the report's figures worded and set against the baseline's. Texts are still raw.

use std::collections::BTreeMap;

use super::{
    Report, number,
    words::{Words, fill},
};
use crate::{
    isutools::Summary,
    ledger::{Decision, RunRecord},
    result::Outcome,
    verdict::Verdict,
};

/// A figure of the run beside the baseline's.
pub struct Compared {
    /// What it is; may be foreign text.
    pub label: String,
    /// The run's.
    pub now: String,
    /// The baseline's, or empty.
    pub before: String,
    /// The difference, or empty.
    pub change: String,
}

/// One statement or route.
pub struct Busy {
    /// The statement or route, foreign text.
    pub name: String,
    /// Total time.
    pub total: String,
    /// The baseline's total time, or empty.
    pub before: String,
    /// The difference of the total times, or empty.
    pub change: String,
    /// How often, with the failed ones.
    pub calls: String,
    /// 95th percentile, upper edge of its bucket.
    pub p95: String,
}

/// What isutools gave on one host, beside what it gave for the baseline.
pub struct Evidence {
    pub host: String,
    pub problems: Vec<String>,
    pub sql: Vec<Busy>,
    pub http: Vec<Busy>,
    pub figures: Vec<Compared>,
}

/// The gate's own decision where a person decided otherwise.
pub fn overruled(report: &Report) -> Option<&Decision> {
    let (first, last) = (report.decisions.first()?, report.decisions.last()?);
    (last.by_person && !first.by_person).then_some(first)
}

/// Difference of the score to the baseline's, percent. None where the run says nothing about the code.
pub fn score_change(report: &Report) -> Option<f64> {
    if report.verdict() == Some(Verdict::Invalid) || !report.run.violations.is_empty() {
        return None;
    }
    let (now, before) = (report.run.result.score?, report.baseline.as_ref()?.result.score?);
    number::change(now as f64, before as f64)
}

/// Score, pass, commit and run beside the baseline's.
pub fn outline(report: &Report, words: &Words) -> Vec<Compared> {
    let before = report.baseline.as_ref();
    let row = |label: &str, of: &dyn Fn(&RunRecord) -> String, change: Option<f64>| Compared {
        label: label.into(),
        now: of(&report.run),
        before: before.map(of).unwrap_or_default(),
        change: change.map(number::percent).unwrap_or_default(),
    };
    vec![
        row(words.score, &|run| score(run, words), score_change(report)),
        row(words.pass, &|run| pass(run, words), None),
        row(words.commit, &|run| format!("{} {}", short(&run.commit), run.subject), None),
        row(words.run, &|run| run.id.clone(), None),
    ]
}

/// The score as it counts, or what was reported and does not count.
pub fn score(run: &RunRecord, words: &Words) -> String {
    match (run.result.score, run.result.reported_score) {
        (Some(score), _) => number::thousands(score),
        (None, Some(reported)) => fill(words.not_counted, &number::thousands(reported)),
        (None, None) => words.no_result.into(),
    }
}

fn pass(run: &RunRecord, words: &Words) -> String {
    match run.result.outcome {
        Outcome::Pass => words.yes.into(),
        Outcome::Fail => words.no.into(),
        Outcome::Invalid => words.no_result.into(),
    }
}

/// The first twelve digits of a commit.
pub fn short(commit: &str) -> &str {
    commit.char_indices().nth(12).map_or(commit, |(at, _)| &commit[..at])
}

/// What spoilt the run, where no reason says it already.
pub fn disturbances(report: &Report) -> Vec<&str> {
    let said =
        |violation: &str| report.decisions.iter().flat_map(|d| &d.reasons).any(|reason| reason.contains(violation));
    report.run.violations.iter().map(String::as_str).filter(|violation| !said(violation)).collect()
}

/// What a reader should know beside the verdict: an unreadable result, the benchmarker's reason, warnings. Each once.
pub fn warnings(report: &Report, words: &Words) -> Vec<String> {
    let result = &report.run.result;
    let mut all: Vec<String> = Vec::new();
    all.extend(result.error.as_ref().map(|error| fill(words.unreadable, &error.message)));
    all.extend(result.reason.as_ref().map(|reason| fill(words.said, reason)));
    for warning in result.warnings.iter().chain(&report.warnings) {
        if !all.contains(warning) {
            all.push(warning.clone());
        }
    }
    all
}

/// The benchmarker's messages, equal ones once, with how often each came, in the order of their first appearance.
pub fn messages(report: &Report) -> Vec<(&str, usize)> {
    let mut order: Vec<(&str, usize)> = Vec::new();
    let mut at: BTreeMap<&str, usize> = BTreeMap::new();
    for message in &report.run.result.messages {
        let index = *at.entry(message).or_insert_with(|| {
            order.push((message, 0));
            order.len() - 1
        });
        order[index].1 += 1;
    }
    order
}

/// A count of an error code in the baseline's runs; nothing where there is no baseline.
pub fn code_before(report: &Report, mean: f64) -> String {
    report.baseline.as_ref().map(|_| number::mean(mean)).unwrap_or_default()
}

/// isutools' figures, host by host.
pub fn evidence(report: &Report, words: &Words) -> Vec<Evidence> {
    let before = |host: &str| report.baseline.as_ref()?.isutools.iter().find(|r| r.host == host)?.summary.as_ref();
    let of_host = |record: &crate::ledger::IsutoolsRecord| {
        let mut problems = record.problems.clone();
        let mut evidence =
            Evidence { host: record.host.clone(), problems: vec![], sql: vec![], http: vec![], figures: vec![] };
        if let Some(now) = &record.summary {
            let old = before(&record.host);
            problems.extend(now.health.iter().cloned());
            evidence.sql = statements(now, old, words);
            evidence.http = routes(now, old);
            evidence.figures = figures(now, old, words);
        }
        evidence.problems = problems;
        evidence
    };
    report.run.isutools.iter().map(of_host).collect()
}

fn statements(now: &Summary, old: Option<&Summary>, words: &Words) -> Vec<Busy> {
    let row = |row: &crate::isutools::SqlRow| {
        let before = old.and_then(|old| old.top_sql.iter().find(|o| o.query == row.query)).map(|o| o.total_ns);
        let mut calls = number::count(row.count);
        if row.errors > 0 {
            calls = format!("{calls} ({})", fill(words.failed, &number::count(row.errors)));
        }
        busy(row.query.clone(), row.total_ns, before, calls, row.p95_ns)
    };
    now.top_sql.iter().map(row).collect()
}

fn routes(now: &Summary, old: Option<&Summary>) -> Vec<Busy> {
    let row = |row: &crate::isutools::HttpRow| {
        let same = |o: &&crate::isutools::HttpRow| o.route == row.route && o.status == row.status;
        let before = old.and_then(|old| old.top_http.iter().find(same)).map(|o| o.total_ns);
        busy(format!("{} {}", row.status, row.route), row.total_ns, before, number::count(row.count), row.p95_ns)
    };
    now.top_http.iter().map(row).collect()
}

fn busy(name: String, total_ns: u64, before: Option<u64>, calls: String, p95_ns: u64) -> Busy {
    Busy {
        name,
        total: number::duration_ns(total_ns),
        before: before.map(number::duration_ns).unwrap_or_default(),
        change: change(Some(total_ns as f64), before.map(|ns| ns as f64)),
        calls,
        p95: number::duration_ns(p95_ns),
    }
}

fn figures(now: &Summary, old: Option<&Summary>, words: &Words) -> Vec<Compared> {
    let percent = |value: f64| format!("{value:.1} %");
    let mut rows = Vec::new();
    let mut add = |label: String, now: Option<f64>, before: Option<f64>, shown: &dyn Fn(f64) -> String| {
        if let Some(value) = now {
            rows.push(Compared {
                label,
                now: shown(value),
                before: before.map(shown).unwrap_or_default(),
                change: change(now, before),
            });
        }
    };
    let count = |value: f64| number::count(value as u64);
    let time = |value: f64| number::duration_ns(value as u64);
    let both = |of: &dyn Fn(&Summary) -> Option<f64>| (of(now), old.and_then(of));
    let (value, before) = both(&|s| s.status_5xx.map(|n| n as f64));
    add(words.status_5xx.into(), value, before, &count);
    let (value, before) = both(&|s| s.pool_waits.map(|n| n as f64));
    add(words.pool_waits.into(), value, before, &count);
    let (value, before) = both(&|s| s.pool_wait_ns.map(|n| n as f64));
    add(words.pool_wait.into(), value, before, &time);
    let (value, before) = both(&|s| s.cpu_busy_percent);
    add(words.cpu_busy.into(), value, before, &percent);
    for (command, share) in &now.top_cpu {
        let before = old.and_then(|old| old.top_cpu.iter().find(|(o, _)| o == command)).map(|(_, share)| *share);
        add(fill(words.cpu_of, command), Some(*share), before, &percent);
    }
    rows
}

fn change(now: Option<f64>, before: Option<f64>) -> String {
    let (Some(now), Some(before)) = (now, before) else { return String::new() };
    number::change(now, before).map(number::percent).unwrap_or_default()
}

/// Where and how the run was made: label and value, the value foreign.
pub fn environment(report: &Report, words: &Words) -> Vec<(&'static str, String)> {
    let run = &report.run;
    let roles = |roles: &Vec<String>| if roles.is_empty() { String::new() } else { format!(" ({})", roles.join(", ")) };
    let hosts: Vec<_> = run.series.hosts.iter().map(|(host, list)| format!("{host}{}", roles(list))).collect();
    let stages: Vec<_> = run.stages.iter().map(|(stage, s)| format!("{stage} {}", number::seconds(*s))).collect();
    let benchmarker = run.series.benchmarker.clone().unwrap_or_default();
    let collectors = if run.series.collectors { words.on } else { words.off };
    let rows = [
        (words.branch, run.branch.clone().unwrap_or_default()),
        (words.by, run.by.clone()),
        (words.started, run.started_at.clone()),
        (words.bench_time, number::seconds(run.bench.seconds)),
        (words.command, run.bench.command.clone()),
        (words.series, format!("{} {}", run.series.contest, run.series.key)),
        (words.benchmarker, benchmarker),
        (words.hosts, hosts.join(", ")),
        (words.collectors, collectors.into()),
        (words.stages, stages.join(", ")),
        (words.version, run.isugate.clone()),
    ];
    rows.into_iter().filter(|(_, value)| !value.is_empty()).collect()
}
