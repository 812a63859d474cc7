//! `isugate lease`: who holds the hosts, and the way to break a lease whose holder is gone.

use std::path::Path;

use clap::Subcommand;

use crate::{lease, run::Session, text};

/// Arguments of `isugate lease`.
#[derive(Debug, clap::Args)]
pub struct LeaseArgs {
    #[command(subcommand)]
    command: Option<LeaseCommand>,
    /// Print one JSON document.
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Debug, Subcommand)]
enum LeaseCommand {
    /// Who holds which host (the default).
    Show,
    /// Frees all hosts, whoever holds them. A run that is going on becomes invalid.
    Break {
        /// Why; whoever held them should be able to read it.
        #[arg(long)]
        reason: String,
    },
}

/// Runs it.
///
/// # Errors
/// A host that cannot be reached.
pub fn run(args: LeaseArgs, config: &Path) -> anyhow::Result<u8> {
    super::start::with_hosts(config, true, async |setting| {
        let session = Session::open(setting, None).await?;
        let mut shown = serde_json::Map::new();
        for site in &session.sites {
            let held = lease::show(site).await?;
            if let Some(LeaseCommand::Break { reason }) = &args.command {
                lease::break_lease(site).await?;
                eprintln!("{}: broken ({})", site.host.name(), text::terminal_line(reason));
            }
            if !args.json {
                let held = held.as_ref().map_or("free".to_string(), ToString::to_string);
                println!("{}: {}", site.host.name(), text::terminal_line(&held));
            }
            shown.insert(site.host.name().into(), serde_json::to_value(&held)?);
        }
        if args.json {
            println!("{}", serde_json::Value::Object(shown));
        }
        Ok(0)
    })
}
