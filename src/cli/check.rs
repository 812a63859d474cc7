//! `isugate check`: everything that can be known before a run, each with the fix in its message.

use std::path::Path;

use crate::{run, text};

/// Arguments of `isugate check`.
#[derive(Debug, clap::Args)]
pub struct CheckArgs {
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
}

/// Runs it.
///
/// # Errors
/// Hosts that cannot be looked at.
pub fn run(args: CheckArgs, config: &Path) -> anyhow::Result<u8> {
    super::start::with_hosts(config, true, async |setting| {
        let findings = run::check(setting).await?;
        if args.json {
            println!("{}", serde_json::to_string_pretty(&findings)?);
        } else {
            for finding in &findings {
                println!("{} {}", if finding.ok { "ok  " } else { "FAIL" }, text::terminal_line(&finding.what));
                if let Some(next) = &finding.next {
                    println!("     next: {}", text::terminal_line(next));
                }
            }
        }
        Ok(run::worst(&findings).into())
    })
}
