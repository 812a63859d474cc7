//! One measured run: from the deploy to the record, with the lease already held. What it opens it leaves in `way.open` when it
//! fails, for the caller to close.

use std::collections::BTreeMap;

use sha2::{Digest, Sha256};

use super::{Session, Way, preset::BenchPlan, stage_bench, stage_deploy, stage_evidence, stage_integrity};
use crate::{
    deploy::hex,
    exit::{Exit, Failure},
    ledger::{RunRecord, SCHEMA_VERSION, Series, proposal},
    report::Stage,
};

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
        let commit = way.commit.id.clone();
        session.look_again(way.setting, &commit).await?;
    }
    stage_deploy::look_before(way, session).await?;
    let mut isutools = stage_evidence::reset(way, session).await?;
    let benched = stage_bench::bench(way, session, plan).await?;
    let saved = stage_evidence::save(way, session, &benched.result, &mut isutools).await?;
    stage_evidence::pull(way, session, saved, &mut isutools).await?;
    let violations = stage_integrity::integrity(way, session, benched.violations.clone(), &isutools).await?;
    way.stage(Stage::Record, async |way: &mut Way| {
        let collectors = isutools.iter().any(|record| record.run_id.is_some());
        let record = RunRecord {
            schema_version: SCHEMA_VERSION.into(),
            id: way.id.to_string(),
            commit: way.commit.id.clone(),
            subject: way.commit.subject.clone(),
            branch: way.commit.branch.clone(),
            by: way.setting.by.clone(),
            started_at: way.began.to_string(),
            finished_at: jiff::Timestamp::now().to_string(),
            series: series(way, plan, benched.sha256.clone(), collectors),
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
        let path = way.directory.join("run.json");
        let disk =
            |e: std::io::Error| Failure::new(Exit::Failed, format!("{}: {e}", path.display()), "is the disk full?");
        let bytes = serde_json::to_vec_pretty(&record).map_err(|e| disk(e.into()))?;
        std::fs::write(&path, bytes).map_err(disk)?;
        Ok((record, path.display().to_string()))
    })
    .await
}

/// What makes this run comparable with others.
fn series(way: &Way<'_>, plan: &BenchPlan, benchmarker: Option<String>, collectors: bool) -> Series {
    let config = &way.setting.config;
    let hosts: BTreeMap<_, _> = config.hosts.iter().map(|(name, host)| (name.clone(), host.roles.clone())).collect();
    let mut series = Series {
        key: String::new(),
        contest: config.contest.clone(),
        benchmarker,
        command: plan.command.clone(),
        hosts,
        collectors,
    };
    let bytes = serde_json::to_vec(&series).unwrap_or_default();
    series.key = hex(&Sha256::digest(&bytes))[..12].to_string();
    series
}
