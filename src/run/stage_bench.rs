//! The stages bench and parse: the benchmarker executed on its host, its output brought here, its result read strictly.

use std::{
    collections::BTreeMap,
    path::Path,
    time::{Duration, SystemTime},
};

use serde::{Deserialize, Serialize};

use super::{Session, Way, preset::BenchPlan, resume::PickUp};
use crate::{
    bench::{self, Executed, Execution, Place},
    config::template,
    exit::{Exit, Failure},
    host::{HostError, job::Job},
    ledger::{BenchRecord, IsutoolsRecord},
    load::{Own, Sampler},
    report::Stage,
    result::{self, Channels, Ended, Format, Outcome, Parsed, Source},
};

/// What the benchmark came to.
pub struct Benched {
    /// For the record.
    pub record: BenchRecord,
    /// What it said.
    pub result: Parsed,
    /// SHA-256 of the benchmarker's program, where its command line tells which it is.
    pub sha256: Option<String>,
    /// When it began, nanoseconds since 1970 by its host's clock.
    pub began_ns: u64,
    /// What spoils the run, found without looking at the result.
    pub violations: Vec<String>,
}

/// A benchmark that was started, as the journal keeps it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Started {
    /// What is executed.
    pub execution: Execution,
    /// SHA-256 of the benchmarker's program.
    pub sha256: Option<String>,
}

/// Executes the benchmarker and reads its result.
///
/// # Errors
/// A benchmarker that cannot be started, a host that is gone, an interruption. A benchmarker that hangs, crashes or prints
/// rubbish is no error: its result is `invalid`.
pub async fn bench(
    way: &mut Way<'_>,
    session: &Session,
    plan: &BenchPlan,
    isutools: &[IsutoolsRecord],
) -> Result<Benched, Failure> {
    let site = session.only(way.setting, &way.setting.config.bench.on)?;
    let run_dir = format!("{}/runs/{}/bench", site.facts.state, way.id);
    let cwd = plan.dir.clone().unwrap_or_else(|| run_dir.clone());
    let (started, executed) = way
        .stage(Stage::Bench, async |way: &mut Way| {
            let ports = port_names(&plan.command);
            let seed = u64::from(way.began.subsec_nanosecond().unsigned_abs());
            let hold = async {
                if let Some(lease) = &session.lease {
                    lease.hold_for(plan.limit + Duration::from_secs(60)).await;
                }
            };
            let look = bench::look(&site.host, &plan.command, &cwd, &ports, seed);
            let (look, (), samplers) = tokio::join!(look, hold, samplers(way, session, plan.limit));
            for (name, sampler) in samplers {
                match sampler {
                    Ok(sampler) => way.samplers.push((name, sampler)),
                    Err(error) => way.warn(format!("{name}: its load is not measured: {error}")),
                }
            }
            let look = look?;
            let line = fill(way, &plan.command, &look.ports, &run_dir)?;
            let execution =
                Execution { line, cwd, run_dir: run_dir.clone(), limit: plan.limit, ports: look.ports.clone() };
            let started = Started { execution, sha256: look.sha256 };
            let kept = PickUp { started: started.clone(), hosts: way.hosts.clone(), isutools: isutools.to_vec() };
            way.note(Stage::Bench, serde_json::to_value(&kept).unwrap_or_default())?;
            way.bench_began = Some(std::time::Instant::now());
            let job = started.execution.start(&site.host).await?;
            let executed = watch(way, session, &started, job).await?;
            let outcome = describe(&executed);
            Ok(((started, executed), outcome))
        })
        .await?;
    read(way, session, plan, &started, executed).await
}

/// Goes on with a benchmark that an isugate which is gone has started: it is waited for, or it is over.
///
/// # Errors
/// As [`bench`].
pub async fn pick_up(
    way: &mut Way<'_>,
    session: &Session,
    plan: &BenchPlan,
    started: &Started,
) -> Result<Benched, Failure> {
    let executed = way
        .stage(Stage::Bench, async |way: &mut Way| {
            let job = Job { dir: started.execution.run_dir.clone() };
            let executed = watch(way, session, started, job).await?;
            let outcome = format!("picked up: {}", describe(&executed));
            Ok((executed, outcome))
        })
        .await?;
    read(way, session, plan, started, executed).await
}

async fn watch(way: &mut Way<'_>, session: &Session, started: &Started, job: Job) -> Result<Executed, Failure> {
    let local = way.directory.join("bench");
    watch_in(way, session, started, job, &local).await
}

/// Watches a started benchmarker and brings its files to a directory here.
pub(super) async fn watch_in(
    way: &mut Way<'_>,
    session: &Session,
    started: &Started,
    job: Job,
    local: &Path,
) -> Result<Executed, Failure> {
    let site = session.only(way.setting, &way.setting.config.bench.on)?;
    way.open.bench = Some((site.host.clone(), job.clone()));
    let executed = started.execution.watch(&site.host, &job, &way.setting.events, &way.setting.cancel).await?;
    way.open.bench = None;
    bench::bring(&site.host, &started.execution.run_dir, local).await?;
    Ok(executed)
}

async fn read(
    way: &mut Way<'_>,
    session: &Session,
    plan: &BenchPlan,
    started: &Started,
    executed: Executed,
) -> Result<Benched, Failure> {
    let host = session.only(way.setting, &way.setting.config.bench.on)?.host.name();
    let local = way.directory.join("bench");
    refuse_missing(&executed, host, &local)?;
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
    let record = record(host, &started.execution, &executed, plan);
    let sha256 = started.sha256.clone();
    Ok(Benched { record, result, sha256, began_ns: executed.began_ns, violations: executed.violations })
}

/// A sampler on every host. One that cannot be started is a warning: what is not measured proves nothing.
async fn samplers(way: &Way<'_>, session: &Session, limit: Duration) -> Vec<(String, Result<Sampler, HostError>)> {
    let config = &way.setting.config;
    let dir = config.deploy.as_ref().map(|deploy| deploy.dir.trim_end_matches('/').to_string());
    let start = |site: &crate::deploy::Site| {
        let own = Own {
            dir: dir.clone().filter(|_| site.deploys),
            state: site.facts.state.clone(),
            units: crate::deploy::unit_names(config, site.host.name()),
            names: config.verdict.integrity.own.clone(),
        };
        let (host, place) = (site.host.clone(), format!("{}/runs/{}/load", site.facts.state, way.id));
        async move { (host.name().to_string(), Sampler::start(&host, &place, &own, limit).await) }
    };
    futures::future::join_all(session.sites.iter().map(start)).await
}

/// Names in `{{port.NAME}}`, each once.
pub(super) fn port_names(command: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for variable in template::variables(command).flatten() {
        if let Some(name) = variable.name.strip_prefix("port.")
            && !names.iter().any(|known| known == name)
        {
            names.push(name.to_string());
        }
    }
    names
}

pub(super) fn fill(
    way: &Way<'_>,
    command: &str,
    ports: &BTreeMap<String, u16>,
    run_dir: &str,
) -> Result<String, Failure> {
    let place = Place { config: &way.setting.config, ports, run_dir, commit: &way.commit.id };
    template::fill(command, &|name| place.value(name))
        .map_err(|e| Failure::new(Exit::Usage, format!("bench.run: {e}"), "correct bench.run in isugate.yml"))
}

/// A shell says 126 or 127 when it could not start the program at all: that says nothing about the application.
fn refuse_missing(executed: &Executed, host: &str, local: &Path) -> Result<(), Failure> {
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

pub(super) fn ended(executed: &Executed) -> Option<Ended> {
    let Some(end) = executed.end else { return Some(Ended::Signaled(9)) };
    Some(match end.code {
        _ if end.timed_out => Ended::TimedOut,
        code if code > 128 && code <= 128 + 64 => Ended::Signaled(code - 128),
        code => Ended::Exited(code),
    })
}

/// The benchmarker's files as a reader takes them.
pub(super) fn channels(plan: &BenchPlan, local: &Path) -> Channels {
    let there = |name: &str| Some(local.join(name)).filter(|path| path.exists()).map(Source::Path);
    Channels {
        stdout: there("stdout"),
        stderr: there("stderr"),
        merged: None,
        result_file: there("result.json"),
        report_fd: there("report_fd").filter(|_| plan.format().speaks_report_fd() || plan.format() == Format::ReportFd),
    }
}

fn parse(plan: &BenchPlan, executed: &Executed, local: &Path) -> Parsed {
    let mut options = plan.options.clone();
    // By the host's clock, as the times of the files are.
    options.started_at = Some(SystemTime::UNIX_EPOCH + Duration::from_nanos(executed.began_ns));
    result::read(&options, &channels(plan, local), ended(executed))
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
        format: plan.format().to_string(),
        exit_code,
        signal,
        timed_out: executed.end.is_some_and(|end| end.timed_out),
        seconds: executed.end.map_or(0.0, |end| end.took().as_secs_f64()),
        ports: execution.ports.iter().map(|(k, v)| (k.clone(), *v)).collect::<BTreeMap<_, _>>(),
    }
}
