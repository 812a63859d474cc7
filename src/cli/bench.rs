//! `isugate bench [REV]` and `isugate ab BASE CANDIDATE`.

use std::{io::IsTerminal, path::Path, time::Duration};

use crate::{
    config::{
        parse_duration,
        shape::{Intent, Preset},
    },
    report,
    run::{self, BenchOptions, Commit, Finished, Setting},
};

/// Runs of a comparison that goes on until it is decided: more than the time will allow.
const MANY: usize = 100;

/// Arguments of `isugate bench`.
#[derive(Debug, clap::Args)]
pub struct BenchArgs {
    /// The commit to benchmark; HEAD by default.
    revision: Option<String>,
    /// Benchmark what is on the hosts, as it is.
    #[arg(long)]
    no_deploy: bool,
    /// Leave a reverted commit on the hosts.
    #[arg(long)]
    keep: bool,
    #[command(flatten)]
    how: How,
}

/// Arguments of `isugate ab`.
#[derive(Debug, clap::Args)]
pub struct AbArgs {
    /// The commit to compare with.
    base: String,
    /// The commit that may be better.
    candidate: String,
    #[command(flatten)]
    how: How,
}

/// How a comparison is made.
#[derive(Debug, clap::Args)]
struct How {
    /// Runs that the decision may cost at most, the baseline's among them; by default the preset's number. A clear win or loss
    /// needs fewer.
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=100))]
    runs: Option<u16>,
    /// Go on until the gate has decided, as long as --budget lasts.
    #[arg(long, conflicts_with = "runs")]
    until_decided: bool,
    /// Begin no further run after this time; 20m with --until-decided.
    #[arg(long, value_parser = parse_duration)]
    budget: Option<Duration>,
    /// Measure a run that was disturbed again by itself, so many times at the most.
    #[arg(long, default_value_t = 0, value_parser = clap::value_parser!(u8).range(0..=2))]
    rerun: u8,
    /// Say what would be done, and do nothing.
    #[arg(long)]
    dry_run: bool,
    /// What the change must do: gain, or no-regression for clean-ups and fixes.
    #[arg(long)]
    intent: Option<Intent>,
    /// How many runs a decision may cost when it is left to the gate.
    #[arg(long)]
    preset: Option<Preset>,
    /// How long to wait for hosts that someone else holds, such as 10m.
    #[arg(long, default_value = "0s", value_parser = parse_duration)]
    wait: Duration,
    /// Print the report as one JSON document.
    #[arg(long)]
    json: bool,
}

/// Arguments of `isugate resume`.
#[derive(Debug, clap::Args)]
pub struct ResumeArgs {
    /// The run, by the beginning of its id; the newest that was not finished by default.
    run: Option<String>,
    #[command(flatten)]
    how: How,
}

/// Runs `isugate resume`.
///
/// # Errors
/// What kept the run from being finished.
pub fn resume(args: ResumeArgs, config: &Path) -> anyhow::Result<u8> {
    let how = args.how;
    super::start::with_hosts(config, how.json, async |setting| {
        let options = options(setting, &how, None, None, true, false);
        match run::resume(setting, args.run.as_deref(), &options).await? {
            Some(finished) => Ok(show(&finished, how.json)),
            None => {
                eprintln!("isugate: there is no run to resume");
                Ok(0)
            }
        }
    })
}

/// Runs `isugate bench`.
///
/// # Errors
/// What kept the run from a verdict.
pub fn run(args: BenchArgs, config: &Path) -> anyhow::Result<u8> {
    start(args.how, config, args.revision, None, !args.no_deploy, args.keep)
}

/// Runs `isugate ab`.
///
/// # Errors
/// What kept the comparison from a verdict.
pub fn ab(args: AbArgs, config: &Path) -> anyhow::Result<u8> {
    start(args.how, config, Some(args.candidate), Some(args.base), true, true)
}

fn start(
    how: How,
    config: &Path,
    revision: Option<String>,
    against: Option<String>,
    deploy: bool,
    keep: bool,
) -> anyhow::Result<u8> {
    super::start::with_hosts(config, how.json, async |setting| {
        let against = against.as_deref().map(|base| run::resolve(&setting.work_tree, Some(base))).transpose()?;
        let options = options(setting, &how, revision, against, deploy, keep);
        if how.dry_run {
            print!("{}", run::dry_run(setting, &options)?);
            return Ok(0);
        }
        Ok(show(&run::bench(setting, &options).await?, how.json))
    })
}

fn options(
    setting: &Setting,
    how: &How,
    revision: Option<String>,
    against: Option<Commit>,
    deploy: bool,
    keep: bool,
) -> BenchOptions {
    let verdict = &setting.config.verdict;
    BenchOptions {
        revision,
        deploy,
        keep,
        against,
        runs: if how.until_decided { Some(MANY) } else { how.runs.map(usize::from) },
        time: how.budget.or(how.until_decided.then_some(Duration::from_secs(20 * 60))),
        reruns: how.rerun,
        intent: how.intent.unwrap_or(verdict.intent),
        preset: how.preset.unwrap_or(verdict.preset),
        wait: how.wait,
    }
}

/// Prints the report; returns the verdict's exit status.
pub(super) fn show(finished: &Finished, json: bool) -> u8 {
    if json {
        println!("{}", report::json_text(&finished.report));
    } else {
        let out = std::io::stdout();
        let colour = out.is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty());
        print!("{}", report::terminal(&finished.report, width(), colour));
    }
    finished.exit.into()
}

/// Columns of the terminal; 100 where there is none.
fn width() -> usize {
    let of_terminal = rustix::termios::tcgetwinsize(std::io::stdout()).ok().map(|size| usize::from(size.ws_col));
    let told = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    of_terminal.filter(|columns| *columns > 0).or(told).unwrap_or(100).clamp(40, 200)
}
