//! `isugate chart`: the scores of a series over time, as a picture.

use std::path::{Path, PathBuf};

use anyhow::Context as _;

use super::stdout;
use crate::{
    config::Config,
    exit::{Exit, Failure},
    ledger::{self, Ledger},
};

/// Arguments of `isugate chart`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// File to write; without it the picture goes to stdout
    #[arg(long, value_name = "FILE.svg")]
    pub out: Option<PathBuf>,
    /// Key of the series to show; by default that of the newest run
    #[arg(long, value_name = "KEY")]
    pub series: Option<String>,
}

/// Draws the chart.
///
/// # Errors
/// The ledger cannot be read, has no such series, or the file cannot be written.
pub fn run(args: &Args, root: &Path, config: &Config) -> anyhow::Result<u8> {
    let ledger = Ledger::open(root, &config.ledger.branch, config.ledger.remote.as_deref()).map_err(Failure::from)?;
    let listing = ledger.runs().map_err(Failure::from)?;
    if let Some(key) = &args.series
        && !listing.entries.iter().any(|entry| entry.run.series.key == *key)
    {
        let key = ledger::text::terminal(key, 40);
        return Err(Failure::new(
            Exit::Usage,
            format!("no run of the ledger is of the series `{key}`"),
            "`isugate show RUN` names a run's series",
        )
        .into());
    }
    let svg = ledger::render_chart(&listing.entries, args.series.as_deref());
    match &args.out {
        Some(file) => {
            std::fs::write(file, svg).with_context(|| format!("{} cannot be written", file.display()))?;
            eprintln!("wrote {}", file.display());
        }
        None => stdout::print(&svg)?,
    }
    Ok(Exit::Done.into())
}
