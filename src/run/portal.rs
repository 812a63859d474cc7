//! `isugate record`: a run that was started by hand in the contest's portal. A person types what the portal showed; no host is
//! touched, and the gate judges it as one run.

use std::collections::BTreeMap;

use super::{BenchOptions, Finished, Setting, Way, bench, compare::commit_of, judge, measure, resolve, show};
use crate::{
    config::shape::{Intent, Preset},
    exit::Failure,
    ledger::{BenchRecord, RunRecord, SCHEMA_VERSION},
    report::Stage,
    result,
};

/// What the portal showed.
#[derive(Debug, Clone)]
pub struct Typed {
    /// The score.
    pub score: i64,
    /// The outcome.
    pub pass: bool,
    /// Error codes, if it shows any.
    pub codes: Option<BTreeMap<String, u64>>,
}

/// Records and judges it.
///
/// # Errors
/// A revision that names no commit, the repository, the disk.
pub async fn record(setting: &Setting, revision: Option<&str>, typed: Typed) -> Result<Finished, Failure> {
    let commit = resolve(&setting.work_tree, revision)?;
    let ledger = bench::open_ledger(setting)?;
    let mut way = Way::begin(setting, commit)?;
    let now = jiff::Timestamp::now().to_string();
    let run = RunRecord {
        schema_version: SCHEMA_VERSION.into(),
        id: way.id.to_string(),
        commit: way.commit.id.clone(),
        subject: way.commit.subject.clone(),
        branch: way.commit.branch.clone(),
        by: setting.by.clone(),
        started_at: now.clone(),
        finished_at: now,
        series: measure::series_of(&setting.config, "portal", None, false),
        isugate: env!("CARGO_PKG_VERSION").into(),
        hosts: BTreeMap::new(),
        bench: BenchRecord {
            host: "portal".into(),
            format: result::Format::Portal.to_string(),
            ..BenchRecord::default()
        },
        result: result::portal(typed.score, typed.pass, typed.codes),
        isutools: Vec::new(),
        evidence: Vec::new(),
        violations: Vec::new(),
        stages: BTreeMap::new(),
        unknown: serde_json::Map::new(),
    };
    measure::write(&way, &run)?;
    let options = BenchOptions {
        revision: None,
        deploy: false,
        keep: true,
        runs: Some(1),
        time: None,
        reruns: 0,
        against: None,
        intent: Intent::default(),
        preset: Preset::default(),
        wait: std::time::Duration::ZERO,
    };
    let options =
        BenchOptions { intent: setting.config.verdict.intent, preset: setting.config.verdict.preset, ..options };
    let listing = ledger.runs().map_err(Failure::from)?;
    let baseline = crate::ledger::baseline_of(&listing.entries, &run.series.key, |_| true).cloned();
    let question = judge::Question {
        setting,
        entries: &listing.entries,
        baseline: baseline.as_ref().map(|entry| commit_of(&entry.run).id),
        intent: options.intent,
        preset: options.preset,
        budget: options.runs,
    };
    let judged = judge::judge(&question, &[(judge::Side::Candidate, run.clone())]);
    let decision = judge::append(&ledger, &run, baseline.as_ref(), &options, &judged)?;
    let warnings = judge::share(&ledger);
    let exit = bench::exit_of(judged.verdict);
    let report = show::report(&way, run, baseline.map(|entry| entry.run), decision, judged, Vec::new(), warnings);
    way.stage(Stage::Report, async |way: &mut Way| Ok(((), show::write(way, &report)?))).await?;
    Ok(Finished { report, exit })
}
