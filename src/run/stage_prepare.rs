//! A run of the benchmarker that only prepares, before the real one and outside of isutools' run: a broken commit costs seconds
//! instead of a minute.

use std::collections::BTreeMap;

use super::{
    Session, Way,
    preset::BenchPlan,
    stage_bench::{Benched, Started, channels, ended, fill, port_names, watch_in},
};
use crate::{
    bench::{self, Execution},
    exit::Failure,
    ledger::BenchRecord,
    report::Stage,
    result::{Prepared, read_prepare},
};

/// Executes and reads it, if the configuration asks for it; gives a result if the commit is broken. An output that says neither
/// is a warning, and the load run decides.
///
/// # Errors
/// As the benchmark itself.
pub async fn prepare(way: &mut Way<'_>, session: &Session, plan: &BenchPlan) -> Result<Option<Benched>, Failure> {
    let Some(command) = &plan.prepare else { return Ok(None) };
    let site = session.only(way.setting, &way.setting.config.bench.on)?;
    way.stage(Stage::Bench, async |way: &mut Way| {
        let run_dir = format!("{}/runs/{}/prepare", site.facts.state, way.id);
        let cwd = plan.dir.clone().unwrap_or_else(|| run_dir.clone());
        let seed = u64::from(way.began.subsec_nanosecond().unsigned_abs());
        let look = bench::look(&site.host, command, &cwd, &port_names(command), seed).await?;
        let line = fill(way, command, &look.ports, &run_dir)?;
        let execution = Execution { line, cwd, run_dir, limit: plan.limit, ports: BTreeMap::new() };
        let started = Started { execution, sha256: look.sha256 };
        let job = started.execution.start(&site.host).await?;
        let local = way.directory.join("prepare");
        let executed = watch_in(way, session, &started, job, &local).await?;
        match read_prepare(&plan.options, &channels(plan, &local), ended(&executed)) {
            Prepared::Ready => Ok((None, "prepare only: ready for the load".into())),
            Prepared::Unknown(_) => {
                way.warn("the run that only prepares said neither that it is ready nor that it is broken");
                Ok((None, "prepare only: it does not say".into()))
            }
            Prepared::Broken(result) => {
                let record = BenchRecord {
                    host: site.host.name().into(),
                    command: started.execution.line,
                    format: plan.format().to_string(),
                    seconds: executed.end.map_or(0.0, |end| end.took().as_secs_f64()),
                    ..BenchRecord::default()
                };
                let benched =
                    Benched { record, result: *result, sha256: started.sha256, began_ns: 0, violations: Vec::new() };
                Ok((Some(benched), "prepare only: broken, so no load run is made".into()))
            }
        }
    })
    .await
}
