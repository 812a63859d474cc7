//! One measured run: from the deploy to the record, with the lease already held. What it opens it leaves in `way.open` when it
//! fails, for the caller to close.

use std::{collections::BTreeMap, time::Duration};

use sha2::{Digest, Sha256};

use super::{
    Session, Way, preset::BenchPlan, session::interrupted, stage_bench, stage_deploy, stage_evidence, stage_integrity,
    stage_prepare,
};
use crate::{
    config::Config,
    deploy::hex,
    exit::{Exit, Failure},
    ledger::{IsutoolsRecord, RunRecord, SCHEMA_VERSION, Series, proposal},
    report::Stage,
};

/// From an interruption to the moment when a stage that has not noticed it is cut short.
const PATIENCE: Duration = Duration::from_secs(3);

/// Deploys (unless told not to), benchmarks and records.
///
/// # Errors
/// What made the run impossible. A finished benchmark always ends in a record.
pub async fn measure(
    way: &mut Way<'_>,
    session: &mut Session,
    plan: &BenchPlan,
    with_deploy: bool,
) -> Result<RunRecord, Failure> {
    if with_deploy {
        stage_deploy::deploy(way, session).await?;
        session.deployed(&way.commit.id);
    }
    // The deploy notices an interruption by itself, since it must not be left half done; so does the benchmark. The rest is cut
    // short: what is open is in `way.open`.
    let cancel = way.setting.cancel.clone();
    let patience = async {
        cancel.cancelled().await;
        tokio::time::sleep(PATIENCE).await;
    };
    tokio::select! {
        record = from_reset_to_record(way, session, plan) => record,
        () = patience => Err(interrupted()),
    }
}

async fn from_reset_to_record(way: &mut Way<'_>, session: &Session, plan: &BenchPlan) -> Result<RunRecord, Failure> {
    stage_deploy::look_before(way, session).await?;
    if let Some(broken) = stage_prepare::prepare(way, session, plan).await? {
        return to_record(way, session, plan, broken, Vec::new()).await;
    }
    let isutools = stage_evidence::reset(way, session).await?;
    let benched = stage_bench::bench(way, session, plan, &isutools).await?;
    to_record(way, session, plan, benched, isutools).await
}

/// Goes on with a run whose benchmark was started by an isugate that is gone.
///
/// # Errors
/// As [`measure`].
pub async fn pick_up(
    way: &mut Way<'_>,
    session: &Session,
    plan: &BenchPlan,
    started: &stage_bench::Started,
    isutools: Vec<IsutoolsRecord>,
) -> Result<RunRecord, Failure> {
    let benched = stage_bench::pick_up(way, session, plan, started).await?;
    to_record(way, session, plan, benched, isutools).await
}

async fn to_record(
    way: &mut Way<'_>,
    session: &Session,
    plan: &BenchPlan,
    benched: stage_bench::Benched,
    mut isutools: Vec<IsutoolsRecord>,
) -> Result<RunRecord, Failure> {
    let saved = stage_evidence::save(way, session, &benched.result, &mut isutools).await?;
    stage_evidence::pull(way, session, saved, &mut isutools).await?;
    let collectors = isutools.iter().any(|record| record.run_id.is_some());
    let series = series_of(&way.setting.config, &plan.command, benched.sha256.clone(), collectors);
    let violations = stage_integrity::integrity(way, session, &benched, &isutools, &series).await?;
    way.stage(Stage::Record, async |way: &mut Way| {
        let record = RunRecord {
            schema_version: SCHEMA_VERSION.into(),
            id: way.id.to_string(),
            commit: way.commit.id.clone(),
            subject: way.commit.subject.clone(),
            branch: way.commit.branch.clone(),
            by: way.setting.by.clone(),
            started_at: way.began.to_string(),
            finished_at: jiff::Timestamp::now().to_string(),
            series,
            isugate: env!("CARGO_PKG_VERSION").into(),
            hosts: way.hosts.clone(),
            bench: benched.record,
            result: benched.result,
            isutools,
            evidence: stage_evidence::files(way),
            violations,
            stages: way.seconds.clone(),
            unknown: proposal::fields(way.setting.proposal.as_ref()),
        };
        let path = write(way, &record)?;
        Ok((record, path))
    })
    .await
}

/// Writes the record beside the run; returns where.
///
/// # Errors
/// The disk.
pub fn write(way: &Way<'_>, record: &RunRecord) -> Result<String, Failure> {
    let path = way.directory.join("run.json");
    let disk = |e: std::io::Error| Failure::new(Exit::Failed, format!("{}: {e}", path.display()), "is the disk full?");
    let bytes = serde_json::to_vec_pretty(record).map_err(|e| disk(e.into()))?;
    std::fs::write(&path, bytes).map_err(disk)?;
    Ok(path.display().to_string())
}

/// What makes a run comparable with others.
pub fn series_of(config: &Config, command: &str, benchmarker: Option<String>, collectors: bool) -> Series {
    let hosts: BTreeMap<_, _> = config.hosts.iter().map(|(name, host)| (name.clone(), host.roles.clone())).collect();
    let mut series = Series {
        key: String::new(),
        contest: config.contest.clone(),
        benchmarker,
        command: command.into(),
        hosts,
        collectors,
    };
    let bytes = serde_json::to_vec(&series).unwrap_or_default();
    series.key = hex(&Sha256::digest(&bytes))[..12].to_string();
    series
}
