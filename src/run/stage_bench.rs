//! The stages bench and parse: the benchmarker executed on its host, its output brought here, its result read strictly.

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use serde_json::json;

use super::{Session, Way, preset::BenchPlan};
use crate::{
    bench::{self, Executed, Execution, Look, Place},
    config::template,
    exit::{Exit, Failure},
    ledger::BenchRecord,
    report::Stage,
    result::{self, Channels, Ended, Outcome, Parsed, ReadOptions, Source},
};

/// What the benchmark came to.
pub struct Benched {
    /// For the record.
    pub record: BenchRecord,
    /// What it said.
    pub result: Parsed,
    /// SHA-256 of the benchmarker's program, where its command line tells which it is.
    pub sha256: Option<String>,
    /// What spoils the run, found without looking at the result.
    pub violations: Vec<String>,
}

/// Executes the benchmarker and reads its result.
///
/// # Errors
/// A benchmarker that cannot be started, a host that is gone, an interruption. A benchmarker that hangs, crashes or prints
/// rubbish is no error: its result is `invalid`.
pub async fn bench(way: &mut Way<'_>, session: &Session, plan: &BenchPlan) -> Result<Benched, Failure> {
    let site = session.only(way.setting, &way.setting.config.bench.on)?;
    let run_dir = format!("{}/runs/{}/bench", site.facts.state, way.id);
    let cwd = way.setting.config.bench.dir.clone().unwrap_or_else(|| run_dir.clone());
    let local = way.directory.join("bench");
    let (execution, executed, look) = way
        .stage(Stage::Bench, async |way: &mut Way| {
            let ports = port_names(&plan.command);
            let seed = u64::from(way.began.subsec_nanosecond().unsigned_abs());
            let hold = async {
                if let Some(lease) = &session.lease {
                    lease.hold_for(plan.limit + Duration::from_secs(60)).await;
                }
            };
            let (look, ()) = tokio::join!(bench::look(&site.host, &plan.command, &cwd, &ports, seed), hold);
            let look = look?;
            let line = fill(way, &plan.command, &look, &run_dir)?;
            let execution =
                Execution { line, cwd, run_dir: run_dir.clone(), limit: plan.limit, ports: look.ports.clone() };
            way.note(
                Stage::Bench,
                json!({"host": site.host.name(), "dir": run_dir, "command": execution.line, "ports": look.ports}),
            )?;
            way.bench_began = Some(Instant::now());
            let job = execution.start(&site.host).await?;
            way.open.bench = Some((site.host.clone(), job.clone()));
            let executed = execution.watch(&site.host, &job, &way.setting.events, &way.setting.cancel).await?;
            way.open.bench = None;
            bench::bring(&site.host, &run_dir, &local).await?;
            let outcome = describe(&executed);
            Ok(((execution, executed, look), outcome))
        })
        .await?;
    refuse_missing(&executed, site.host.name(), &local)?;
    let result = way
        .stage(Stage::Parse, async |_: &mut Way| {
            let result = parse(plan, &executed, &local);
            let outcome = match result.outcome {
                Outcome::Pass => format!("pass, score {}", result.score.unwrap_or(0)),
                Outcome::Fail => format!("fail ({})", result.reason.as_deref().unwrap_or("no reason given")),
                Outcome::Invalid => format!("invalid: {}", result.error.as_ref().map_or("", |e| &e.message)),
            };
            Ok((result, outcome))
        })
        .await?;
    for warning in executed.warnings.iter().chain(&result.warnings) {
        way.warnings.push(warning.clone());
    }
    let record = record(site.host.name(), &execution, &executed, plan);
    Ok(Benched { record, result, sha256: look.sha256, violations: executed.violations })
}

/// Names in `{{port.NAME}}`, each once.
fn port_names(command: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for variable in template::variables(command).flatten() {
        if let Some(name) = variable.name.strip_prefix("port.") {
            if !names.iter().any(|known| known == name) {
                names.push(name.to_string());
            }
        }
    }
    names
}

fn fill(way: &Way<'_>, command: &str, look: &Look, run_dir: &str) -> Result<String, Failure> {
    let place = Place { config: &way.setting.config, ports: &look.ports, run_dir, commit: &way.commit.id };
    template::fill(command, &|name| place.value(name))
        .map_err(|e| Failure::new(Exit::Usage, format!("bench.run: {e}"), "correct bench.run in isugate.yml"))
}

/// A shell says 126 or 127 when it could not start the program at all: that says nothing about the application.
fn refuse_missing(executed: &Executed, host: &str, local: &std::path::Path) -> Result<(), Failure> {
    match executed.end {
        Some(end) if matches!(end.code, 126 | 127) => {
            let said = std::fs::read_to_string(local.join("stderr")).unwrap_or_default();
            let line = said.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("it said nothing").to_string();
            let message = format!("{host}: the benchmarker could not be started: {line}");
            let next = "correct bench.run or bench.dir in isugate.yml; is the program there and executable?";
            Err(Failure::new(Exit::Benchmarker, message, next))
        }
        _ => Ok(()),
    }
}

fn ended(executed: &Executed) -> Option<Ended> {
    let Some(end) = executed.end else { return Some(Ended::Signaled(9)) };
    Some(match end.code {
        _ if end.timed_out => Ended::TimedOut,
        code if code > 128 && code <= 128 + 64 => Ended::Signaled(code - 128),
        code => Ended::Exited(code),
    })
}

fn parse(plan: &BenchPlan, executed: &Executed, local: &std::path::Path) -> Parsed {
    let there = |name: &str| Some(local.join(name)).filter(|path| path.exists()).map(Source::Path);
    let report = local.join("report_fd");
    let reported = std::fs::metadata(&report).is_ok_and(|facts| facts.len() > 0);
    let channels = Channels {
        stdout: there("stdout"),
        stderr: there("stderr"),
        merged: None,
        result_file: there("result.json"),
        report_fd: (reported && plan.report_fd).then_some(Source::Path(report)),
    };
    let mut options = ReadOptions::new(plan.format);
    options.generic = plan.generic.clone();
    result::read(&options, &channels, ended(executed))
}

fn describe(executed: &Executed) -> String {
    match executed.end {
        Some(end) if end.timed_out => format!("ended by its limit after {:.1} s", end.took().as_secs_f64()),
        Some(end) => format!("ended with {} after {:.1} s", end.code, end.took().as_secs_f64()),
        None => "killed from outside".into(),
    }
}

fn record(host: &str, execution: &Execution, executed: &Executed, plan: &BenchPlan) -> BenchRecord {
    let (exit_code, signal) = match ended(executed) {
        Some(Ended::Exited(code)) => (Some(code), None),
        Some(Ended::Signaled(signal)) => (None, Some(signal)),
        _ => (None, None),
    };
    BenchRecord {
        host: host.into(),
        command: execution.line.clone(),
        format: plan.format.to_string(),
        exit_code,
        signal,
        timed_out: executed.end.is_some_and(|end| end.timed_out),
        seconds: executed.end.map_or(0.0, |end| end.took().as_secs_f64()),
        ports: execution.ports.iter().map(|(k, v)| (k.clone(), *v)).collect::<BTreeMap<_, _>>(),
    }
}
