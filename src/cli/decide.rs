//! `isugate accept RUN` and `isugate revert RUN`: a person decides, with a reason; the gate's verdict stays beside it.

use std::path::Path;

use serde_json::json;

use super::stdout;
use crate::{
    config::Config,
    exit::{Exit, Failure},
    ledger::{
        Decision, Ledger,
        text::{grouped, one_line, terminal},
    },
    verdict::Verdict,
};

/// Arguments of `isugate accept` and `isugate revert`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The run: its id, or as much of the beginning or of the part after the dash as tells it from the others
    pub run: String,
    /// Why; shown wherever the run is shown
    #[arg(long, value_name = "TEXT")]
    pub reason: String,
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
}

/// Accepts a run: it becomes the baseline of its series.
///
/// # Errors
/// An empty reason, no such run, a run without a score, or a ledger that cannot be written.
pub fn accept(args: &Args, root: &Path, config: &Config) -> anyhow::Result<u8> {
    run(args, root, config, Verdict::Accept)
}

/// Reverts a run: it is a baseline no more.
///
/// # Errors
/// An empty reason, no such run, or a ledger that cannot be written.
pub fn revert(args: &Args, root: &Path, config: &Config) -> anyhow::Result<u8> {
    run(args, root, config, Verdict::Revert)
}

/// Records a person's decision and shares it.
///
/// # Errors
/// As [`accept`] and [`revert`].
pub fn run(args: &Args, root: &Path, config: &Config, verdict: Verdict) -> anyhow::Result<u8> {
    let reason = one_line(&args.reason);
    if reason.is_empty() {
        let next = "say why with --reason \"…\"; the team reads it in the history";
        return Err(Failure::new(Exit::Usage, "a decision needs a reason, and this one is empty", next).into());
    }
    let ledger = Ledger::open(root, &config.ledger.branch, config.ledger.remote.as_deref()).map_err(Failure::from)?;
    let entry = ledger.find(&args.run).map_err(Failure::from)?;
    if verdict == Verdict::Accept && entry.run.result.score.is_none() {
        let message = format!("run {} has no score, so nothing could be compared with it as a baseline", entry.run.id);
        return Err(
            Failure::new(Exit::Usage, message, "run the benchmarker again for this commit: `isugate bench`").into()
        );
    }
    let before = entry.decision.current().map(|d| d.verdict);
    let decision = Decision {
        verdict,
        reasons: vec![reason.clone()],
        by: who(root),
        by_person: true,
        at: jiff::Timestamp::now().to_string(),
    };
    ledger.decide(&entry.run.id, decision.clone()).map_err(Failure::from)?;
    let shared = ledger.sync().map_err(Failure::from)?;
    if let Some(warning) = &shared.warning {
        eprintln!("warning: {warning}");
    }
    if args.json {
        let document = json!({
            "run": entry.run.id, "commit": entry.run.commit, "verdict": verdict, "before": before,
            "gate_verdict": entry.decision.verdict(), "by": decision.by, "reason": reason, "sync": shared,
        });
        stdout::print(&format!("{document}\n"))?;
    } else {
        stdout::print(&format!("{}\n", told(&entry, verdict, before, &decision.by)))?;
    }
    Ok(Exit::Done.into())
}

fn told(entry: &crate::ledger::Entry, verdict: Verdict, before: Option<Verdict>, by: &str) -> String {
    let word = crate::ledger::verdict_word;
    let score = entry.run.result.score.map_or_else(|| "no score".into(), grouped);
    let was = before.map_or_else(String::new, |v| format!(", was {}", word(v)));
    format!("run {} ({score}): {}{was}, by {}", entry.run.id, word(verdict), terminal(by, 80))
}

/// Who decides: as git knows them, else the user and the machine.
fn who(root: &Path) -> String {
    let known = git2::Repository::discover(root).and_then(|repo| repo.signature());
    if let Ok(signature) = known {
        return one_line(&format!(
            "{} <{}>",
            String::from_utf8_lossy(signature.name_bytes()),
            String::from_utf8_lossy(signature.email_bytes())
        ));
    }
    let user = std::env::var("USER").or_else(|_| std::env::var("LOGNAME")).unwrap_or_else(|_| "unknown".into());
    let host = rustix::system::uname().nodename().to_string_lossy().into_owned();
    one_line(&format!("{user}@{host}"))
}
