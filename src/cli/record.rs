//! `isugate record --score N --pass B`: a run that was started by hand in the contest's portal.

use std::path::Path;

use crate::run::{self, Typed};

/// Arguments of `isugate record`.
#[derive(Debug, clap::Args)]
pub struct RecordArgs {
    /// The commit that was on the hosts; HEAD by default.
    revision: Option<String>,
    /// The score that the portal showed.
    #[arg(long, allow_negative_numbers = true)]
    score: i64,
    /// Whether it passed.
    #[arg(long, action = clap::ArgAction::Set)]
    pass: bool,
    /// An error code and how often it was seen, as 30=13; may be given several times.
    #[arg(long = "code", value_parser = code)]
    codes: Vec<(String, u64)>,
    /// Print the report as one JSON document.
    #[arg(long)]
    json: bool,
}

fn code(text: &str) -> Result<(String, u64), String> {
    let read = text.split_once('=').map(|(code, count)| (code.trim().to_string(), count.trim().parse()));
    match read {
        Some((code, Ok(count))) if !code.is_empty() => Ok((code, count)),
        _ => Err(format!("`{text}` is no code with its count; write it as 30=13")),
    }
}

/// Runs it.
///
/// # Errors
/// What kept it from being recorded.
pub fn run(args: RecordArgs, config: &Path) -> anyhow::Result<u8> {
    super::start::with_hosts(config, args.json, async |setting| {
        let codes = (!args.codes.is_empty()).then(|| args.codes.iter().cloned().collect());
        let typed = Typed { score: args.score, pass: args.pass, codes };
        let finished = run::record(setting, args.revision.as_deref(), typed).await?;
        Ok(super::bench::show(&finished, args.json))
    })
}
