//! What is benchmarked and how: the configuration, and the contest's preset where it says nothing.

use std::time::Duration;

use crate::{
    config::Config,
    exit::{Exit, Failure},
    result::{self, Format, ReadOptions},
};

/// How long a benchmarker may run where neither configuration nor contest says it.
const LIMIT: Duration = Duration::from_secs(180);

/// How the benchmarker is run and read.
#[derive(Debug, Clone)]
pub struct BenchPlan {
    /// Its command line, with `{{…}}` not filled in.
    pub command: String,
    /// The command line of a run that only prepares, if one is to be made first.
    pub prepare: Option<String>,
    /// Where it runs, if not in the run's own directory.
    pub dir: Option<String>,
    /// Its wall-clock limit.
    pub limit: Duration,
    /// How its result is read.
    pub options: ReadOptions,
}

impl BenchPlan {
    /// How its result is read.
    pub fn format(&self) -> Format {
        self.options.format
    }
}

/// Puts configuration and preset together.
///
/// # Errors
/// A mistake that only shows here: an unknown format, a `bench.result` that cannot be read.
pub fn plan(config: &Config) -> Result<BenchPlan, Failure> {
    let usage = |message: String, next: &str| Failure::new(Exit::Usage, message, next);
    let bench = &config.bench;
    let preset = result::preset(&config.contest);
    let name = bench.format.as_deref().unwrap_or(&config.contest);
    let format: Format = name.parse().map_err(|e| usage(format!("bench.format: {e}"), "see docs/results.md"))?;
    let options = ReadOptions::described(format, bench.result.clone());
    let options = options.map_err(|e| usage(format!("bench.result: {e}"), "see docs/results.md"))?;
    let command = bench.run.clone().or_else(|| preset.map(|preset| preset.command.to_string()));
    let command = command.ok_or_else(|| usage("bench.run is missing".into(), "give the benchmarker's command line"))?;
    let flag = preset.and_then(|preset| preset.prepare_flag);
    let prepare = match (bench.prepare, flag) {
        (false, _) => None,
        (true, Some(flag)) => Some(format!("{command} {flag}")),
        (true, None) => {
            let message =
                format!("bench.prepare: the benchmarker of {} has no mode that only prepares", config.contest);
            return Err(usage(message, "remove bench.prepare"));
        }
    };
    // A preset's command may read files by relative paths; one that the user wrote says itself where it runs.
    let dir = bench.dir.clone().or_else(|| preset.filter(|_| bench.run.is_none())?.dir.map(str::to_string));
    let limit = bench.timeout.or_else(|| preset.map(|preset| preset.timeout)).unwrap_or(LIMIT);
    Ok(BenchPlan { command, prepare, dir, limit, options })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(text: &str) -> Config {
        let text = format!("version: 1\nhosts: {{ app1: {{ local: true, roles: [bench] }} }}\n{text}");
        crate::config::parse(text.as_bytes(), "isugate.yml").unwrap().config
    }

    #[test]
    fn every_contest_but_generic_brings_a_command() {
        for contest in crate::config::CONTESTS.iter().filter(|contest| **contest != "generic") {
            let plan = plan(&config(&format!("contest: {contest}\nbench: {{ on: bench }}"))).unwrap();
            assert_eq!(plan.format().to_string(), *contest);
            assert!(!plan.command.is_empty() && plan.limit >= Duration::from_secs(60), "{plan:?}");
        }
    }

    #[test]
    fn the_configuration_goes_before_the_preset() {
        let plan =
            plan(&config("contest: isucon14\nbench: { on: bench, run: ./b, timeout: 5s, prepare: true }")).unwrap();
        assert_eq!((plan.command.as_str(), plan.limit, plan.dir), ("./b", Duration::from_secs(5), None));
        assert!(plan.prepare.is_some_and(|command| command.starts_with("./b ")));
    }

    #[test]
    fn a_contest_without_a_mode_that_only_prepares_says_so() {
        let failure = plan(&config("contest: private-isu\nbench: { on: bench, prepare: true }")).unwrap_err();
        assert!(failure.message.contains("private-isu"), "{failure}");
    }
}
