//! What is benchmarked and how: the configuration, and the contest's preset where it says nothing.

use std::time::Duration;

use crate::{
    config::Config,
    exit::{Exit, Failure},
    result::{Format, GenericSpec},
};

/// How long a benchmarker may run where neither configuration nor contest says it.
const LIMIT: Duration = Duration::from_secs(180);

/// How the benchmarker is run and read.
#[derive(Debug, Clone)]
pub struct BenchPlan {
    /// Its command line, with `{{…}}` not filled in.
    pub command: String,
    /// Its wall-clock limit.
    pub limit: Duration,
    /// How its result is read.
    pub format: Format,
    /// For `generic`: where the result stands.
    pub generic: Option<GenericSpec>,
    /// Whether it writes reports to `ISUXBENCH_REPORT_FD`.
    pub report_fd: bool,
}

/// Puts configuration and preset together.
///
/// # Errors
/// A mistake that only shows here: an unknown format, a `bench.result` that cannot be read.
pub fn plan(config: &Config) -> Result<BenchPlan, Failure> {
    let usage = |message: String, next: &str| Failure::new(Exit::Usage, message, next);
    let name = config.bench.format.as_deref().unwrap_or(&config.contest);
    let format: Format = name.parse().map_err(|e| usage(format!("bench.format: {e}"), "see docs/results.md"))?;
    let generic = config.bench.result.clone().map(serde_json::from_value::<GenericSpec>).transpose();
    let generic = generic.map_err(|e| usage(format!("bench.result: {e}"), "see docs/results.md, `generic`"))?;
    let command = config.bench.run.clone();
    let command = command.ok_or_else(|| usage("bench.run is missing".into(), "give the benchmarker's command line"))?;
    let report_fd = matches!(
        format,
        Format::Isucon14
            | Format::Isucon12Qualify
            | Format::Isucon12Final
            | Format::Isucon11Qualify
            | Format::Isucon11Final
            | Format::ReportFd
    );
    Ok(BenchPlan { command, limit: config.bench.timeout.unwrap_or(LIMIT), format, generic, report_fd })
}
