//! The stage integrity: whether the run was disturbed. Facts are gathered from the hosts; what they mean is `verdict::integrity`'s
//! matter, and neither looks at the score.

use std::collections::BTreeMap;

use futures::future::join_all;

use super::{Session, Way, bench::open_ledger, stage_bench::Benched};
use crate::{
    config::shape::IntegrityConfig,
    deploy::{self, Site},
    exit::Failure,
    ledger::{HostRecord, IsutoolsRecord, Series, UnitState, usual_seconds},
    load::Sampler,
    report::Stage,
    result::{self, Outcome},
    verdict::integrity::{self, Facts, HashPair, HostFacts, Limits, UnitFacts, WindowFacts},
};

/// Seconds of samples (one is taken every 2 s) from which on the usual limits on the load hold. What is shorter is a trial.
const WATCHED: f64 = 10.0;

/// Compares the hosts after the benchmark with what was noted before it.
///
/// # Errors
/// Only the journal: what cannot be looked at is a violation.
pub async fn integrity(
    way: &mut Way<'_>,
    session: &Session,
    benched: &Benched,
    records: &[IsutoolsRecord],
    series: &Series,
) -> Result<Vec<String>, Failure> {
    way.stage(Stage::Integrity, async |way: &mut Way| {
        let mut violations = benched.violations.clone();
        let mut samplers: BTreeMap<_, _> = std::mem::take(&mut way.samplers).into_iter().collect();
        let looks = session.sites.iter().map(|site| {
            let sampler = samplers.remove(site.host.name());
            look(way, site, sampler, benched.began_ns)
        });
        let looks = join_all(looks.collect::<Vec<_>>());
        let held = async {
            match &session.lease {
                Some(lease) => lease.confirm().await,
                None => None,
            }
        };
        let (lost, looked, silent) = tokio::join!(held, looks, silent(way, session));
        violations.extend(lost);
        violations.extend(silent);
        let mut facts = Facts { duration: Some(benched.record.seconds), ..Default::default() };
        for (host, trouble) in looked {
            facts.hosts.push(host);
            violations.extend(trouble);
        }
        facts.isutools = records
            .iter()
            .map(|record| WindowFacts {
                host: record.host.clone(),
                expected_id: record.run_id.clone(),
                ..Default::default()
            })
            .collect();
        let lang = way.setting.config.report.language;
        let set = &way.setting.config.verdict.integrity;
        // A run that failed may end early. Where nothing is set, only the official benchmarkers are known to load for a fixed time.
        let fixed = set.duration.is_some() || result::preset(&way.setting.config.contest).is_some();
        if fixed && benched.result.outcome == Outcome::Pass {
            facts.expected_duration = usual_in(way, &series.key);
        }
        let spoiled = integrity::check(&facts, &limits(set, &facts));
        for doubt in integrity::check(&facts, &Limits::doubtful()) {
            if doubt.is_load() && !spoiled.iter().any(|violation| violation.host == doubt.host && violation.is_load()) {
                // The sentence ends with what it would mean above the limit.
                way.warn(doubt.say(lang).trim_end_matches(": invalid").to_string());
            }
        }
        violations.extend(spoiled.iter().map(|violation| violation.say(lang)));
        violations.extend(records.iter().filter_map(restarted));
        let outcome = match violations.len() {
            0 => "undisturbed".to_string(),
            n => format!("{n} violations: {}", violations.join("; ")),
        };
        Ok((violations, outcome))
    })
    .await
}

/// What the user has set; the usual limits on the load only where the benchmark was watched for long enough to say something.
fn limits(set: &IntegrityConfig, facts: &Facts) -> Limits {
    let usual = Limits::default();
    let watched = |host: &HostFacts| host.load.iter().map(|sample| sample.seconds).sum::<f64>();
    let long = facts.hosts.iter().map(watched).fold(0.0, f64::max) >= WATCHED;
    let share = |percent: Option<u64>, usual: f64| match percent {
        Some(percent) => percent as f64 / 100.0,
        None if long => usual,
        None => f64::INFINITY,
    };
    Limits {
        foreign_cpu: share(set.foreign_cpu, usual.foreign_cpu),
        steal: share(set.steal, usual.steal),
        duration_slack: set.duration.map_or(usual.duration_slack, |slack| slack.as_secs_f64()),
    }
}

/// Seconds that the benchmark takes in this series, if that is known. A ledger that cannot be read is the stage judge's matter:
/// the record of this run must be written first.
fn usual_in(way: &Way<'_>, series: &str) -> Option<f64> {
    let listing = open_ledger(way.setting).ok()?.runs().ok()?;
    usual_seconds(&listing.entries, series)
}

/// What does not answer any more. Where an application is no unit, nothing else shows its end. What was not seen to be ready
/// before, as without a deploy, proves nothing.
async fn silent(way: &Way<'_>, session: &Session) -> Vec<String> {
    match way.deployment().filter(|_| session.was_ready) {
        Some(deployment) => deploy::ready::silent(&deployment, &session.sites).await,
        None => Vec::new(),
    }
}

/// isutools' run lives in the application's process: when it is gone, so was the process.
fn restarted(record: &IsutoolsRecord) -> Option<String> {
    let gone = record.run_id.is_some() && record.problems.iter().any(|problem| problem.contains("run-not-active"));
    gone.then(|| {
        format!(
            "{}: isutools no longer knows the run that was opened before the benchmark: the application was restarted in the \
             middle of it, or someone aborted the run",
            record.host
        )
    })
}

/// The facts of one host, and what could not be looked at.
async fn look(way: &Way<'_>, site: &Site, sampler: Option<Sampler>, began_ns: u64) -> (HostFacts, Vec<String>) {
    let name = site.host.name();
    let before = way.hosts.get(name).cloned().unwrap_or_default();
    let mut facts = HostFacts { host: name.into(), ..Default::default() };
    let mut trouble = Vec::new();
    let samples = async {
        match sampler {
            Some(sampler) => sampler.end(began_ns).await.unwrap_or_default(),
            None => Vec::new(),
        }
    };
    let (units, hashes, load) = tokio::join!(units(way, site, &before), hashes(way, site, &before), samples);
    match units {
        Ok(units) => facts.units = units,
        Err(failure) => trouble.push(format!("{name}: its units could not be looked at: {}", failure.message)),
    }
    match hashes {
        Ok(hashes) => facts.deployed = hashes,
        Err(failure) => trouble.push(format!("{name}: what was built could not be hashed again: {}", failure.message)),
    }
    facts.load = load;
    (facts, trouble)
}

async fn hashes(way: &Way<'_>, site: &Site, before: &HostRecord) -> Result<Vec<HashPair>, Failure> {
    let Some(deployment) = way.deployment().filter(|_| site.deploys && !before.artifacts.is_empty()) else {
        return Ok(Vec::new());
    };
    let after = deploy::artifacts(&deployment, site).await?;
    let pair = |(path, sum): (&String, &String)| HashPair {
        name: path.clone(),
        before: sum.clone(),
        after: after.get(path).cloned(),
    };
    Ok(before.artifacts.iter().map(pair).collect())
}

async fn units(way: &Way<'_>, site: &Site, before: &HostRecord) -> Result<Vec<UnitFacts>, Failure> {
    let names: Vec<_> = before.units.keys().cloned().collect();
    let after = deploy::unit_states(&site.host, &names).await?;
    // Seconds into the benchmark, from how long ago it was by the host's own clock: no two machines' clocks are compared.
    let second = |unit: &str| {
        let age = after.ages.get(unit)?;
        Some(way.bench_began?.elapsed().as_secs_f64() - age.as_secs_f64())
    };
    let facts = |(unit, was): (&String, &UnitState)| {
        let is = after.states.get(unit).filter(|is| is.active == "active");
        let started_after = is.map(|_| second(unit).unwrap_or(0.0));
        let same = is.is_some_and(|is| is.started_us == was.started_us && is.pid == was.pid);
        UnitFacts {
            unit: unit.clone(),
            started_before: if same { started_after } else { Some(f64::NEG_INFINITY) },
            started_after,
            restarts_before: Some(was.restarts),
            restarts_after: is.map(|is| is.restarts),
        }
    };
    Ok(before.units.iter().map(facts).collect())
}
