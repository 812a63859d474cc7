//! `isugate simulate`: how often the gate and its rivals would be wrong, on given noise or on a series' own.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::Args;

use crate::verdict::facts::{Intent, RunFacts};
use crate::verdict::lines::Table;
use crate::verdict::noise;
use crate::verdict::simulate::{Options, Row, Spec, World, calibrated, table};

/// The worlds that the documentation's table is measured in.
const WORLDS: &str = include_str!("../../fixtures/verdict/worlds.json");

/// Arguments of `isugate simulate`.
#[derive(Args, Debug)]
pub struct SimulateArgs {
    /// Worlds, true effects and limits (JSON); the built-in ones if not given
    #[arg(long, value_name = "FILE")]
    pub worlds: Option<PathBuf>,
    /// Simulate the noise of these runs instead (JSON Lines, as `judge --replay` reads them)
    #[arg(long, value_name = "FILE", conflicts_with = "worlds")]
    pub from: Option<PathBuf>,
    /// Simulate the team's own noise: the runs of the newest series of the ledger
    #[arg(long, conflicts_with_all = ["worlds", "from"])]
    pub from_ledger: bool,
    /// Only worlds whose name contains this
    #[arg(long, value_name = "NAME")]
    pub only: Option<String>,
    /// Comparisons a cell
    #[arg(long, value_name = "N", default_value_t = 400)]
    pub n: usize,
    /// The same seed gives the same table
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Runs that a comparison may take
    #[arg(long, value_name = "RUNS", default_value_t = 12)]
    pub budget: usize,
    /// What the change is meant to do
    #[arg(long, value_enum, default_value_t = Intent::Gain)]
    pub intent: Intent,
    /// Measure the rival rules and the clairvoyant test as well
    #[arg(long)]
    pub rivals: bool,
    /// Do not hold the gate to the limits of the worlds (they are for 12 runs and the intent `gain`)
    #[arg(long)]
    pub no_limits: bool,
    /// Search for stopping lines that keep the limits of the worlds, and print them
    #[arg(long)]
    pub calibrate: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Runs `isugate simulate`; `ledger` holds the runs for `--from-ledger`. Returns the exit status: 0, or 1 if a limit of the worlds is not kept.
///
/// # Errors
/// If a file cannot be read or holds something else, and if stdout cannot be written.
pub fn run(args: SimulateArgs, ledger: &[RunFacts]) -> Result<u8> {
    let spec = spec(&args, ledger)?;
    if args.n == 0 || args.budget == 0 {
        bail!("--n and --budget must be 1 or more");
    }
    let mut out = io::stdout().lock();
    let options =
        Options { trials: args.n, budget: args.budget, intent: args.intent, seed: args.seed, rivals: args.rivals };
    if args.calibrate {
        let lines: Table = calibrated(&spec, &options);
        writeln!(out, "{}", serde_json::to_string_pretty(&lines)?)?;
        return Ok(0);
    }
    let rows = table(&spec, &options);
    let broken = broken(&spec, &rows, args.n);
    if args.json {
        let document = serde_json::json!({
            "n": args.n, "seed": args.seed, "budget": args.budget, "rows": rows, "broken": broken,
        });
        writeln!(out, "{}", serde_json::to_string_pretty(&document)?)?;
    } else {
        print(&mut out, &spec, &rows)?;
        for line in &broken {
            writeln!(out, "{line}")?;
        }
    }
    Ok(u8::from(!broken.is_empty()))
}

fn spec(args: &SimulateArgs, ledger: &[RunFacts]) -> Result<Spec> {
    let mut spec = match (&args.from, &args.worlds) {
        _ if args.from_ledger => own_noise(ledger),
        (Some(runs), _) => own(runs)?,
        (None, Some(file)) => parse(&read(file)?, file)?,
        (None, None) => parse(WORLDS, Path::new("built-in worlds"))?,
    };
    if args.no_limits {
        spec.limits.clear();
    }
    if let Some(only) = &args.only {
        spec.worlds.retain(|w| w.name.contains(only));
        if spec.worlds.is_empty() {
            bail!("no world's name contains {only:?}");
        }
    }
    Ok(spec)
}

fn read(file: &Path) -> Result<String> {
    std::fs::read_to_string(file).with_context(|| format!("{}: cannot be read", file.display()))
}

fn parse(text: &str, file: &Path) -> Result<Spec> {
    serde_json::from_str(text).with_context(|| {
        format!("{}: not a file of worlds; it has \"deltas\", \"worlds\" and \"limits\"", file.display())
    })
}

/// A world with the noise that a file of runs shows.
fn own(file: &Path) -> Result<Spec> {
    let mut runs = Vec::new();
    for (i, line) in read(file)?.lines().enumerate().filter(|(_, l)| !l.trim().is_empty()) {
        let run: RunFacts =
            serde_json::from_str(line).with_context(|| format!("{}:{}: not a run", file.display(), i + 1))?;
        runs.push(run);
    }
    Ok(own_noise(&runs))
}

fn own_noise(runs: &[RunFacts]) -> Spec {
    let world = World::from_noise("own noise", &noise::summary(runs, None));
    Spec { deltas: vec![-0.3, -0.05, 0.0, 0.05, 0.1, 0.3, 0.7], worlds: vec![world], limits: Vec::new() }
}

/// Limits that the gate does not keep, with two standard errors of slack.
fn broken(spec: &Spec, rows: &[Row], n: usize) -> Vec<String> {
    let mut found = Vec::new();
    for row in rows.iter().filter(|r| r.rule == "gate") {
        for cell in &row.cells {
            for limit in spec.limits.iter().filter(|l| l.concerns(&row.world, cell.delta)) {
                let slack = |error: f64| 2.0 * error.max(1.0 / n as f64);
                let place = format!("{} {:+.0} %", row.world, 100.0 * cell.delta);
                let mut check = |what: &str, share: f64, error: f64, max: Option<f64>, min: Option<f64>| {
                    if let Some(max) = max.filter(|m| share > m + slack(error)) {
                        found.push(format!("{place}: {what} {:.1} % > {:.1} %", 100.0 * share, 100.0 * max));
                    }
                    if let Some(min) = min.filter(|m| share < m - slack(error)) {
                        found.push(format!("{place}: {what} {:.1} % < {:.1} %", 100.0 * share, 100.0 * min));
                    }
                };
                check("accept", cell.accept, cell.accept_error, limit.accept_max, limit.accept_min);
                check("revert", cell.revert, cell.revert_error, limit.revert_max, limit.revert_min);
                if let Some(max) = limit.runs_max.filter(|m| cell.runs > m * 1.02) {
                    found.push(format!("{place}: mean runs {:.1} > {max}", cell.runs));
                }
            }
        }
    }
    found
}

/// Cells are accept % / revert % / mean runs.
fn print(out: &mut impl Write, spec: &Spec, rows: &[Row]) -> Result<()> {
    let wide = rows.iter().map(|r| r.world.chars().count()).max().unwrap_or(0);
    let by = rows.iter().map(|r| r.rule.chars().count()).max().unwrap_or(0);
    write!(out, "{:wide$}  {:by$}", "", "")?;
    for delta in &spec.deltas {
        write!(out, " {:>16}", format!("{:+.0} %", 100.0 * delta))?;
    }
    writeln!(out)?;
    for row in rows {
        write!(out, "{:wide$}  {:by$}", row.world, row.rule)?;
        for c in &row.cells {
            let cell = format!("{:.1}/{:.1}/{:.1}", 100.0 * c.accept, 100.0 * c.revert, c.runs);
            write!(out, " {cell:>16}")?;
        }
        writeln!(out)?;
    }
    let worst = rows
        .iter()
        .flat_map(|r| &r.cells)
        .fold((0.0f64, 0.0f64), |(a, r), c| (a.max(c.accept_error).max(c.revert_error), r.max(c.runs_error)));
    writeln!(
        out,
        "accept % / revert % / mean runs; the simulation's standard error is at most {:.1} and {:.2}",
        100.0 * worst.0,
        worst.1
    )?;
    Ok(())
}
