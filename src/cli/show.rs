//! `isugate show RUN`: one run with all that is recorded of it.

use std::{fmt::Write as _, path::Path};

use serde_json::json;

use super::stdout;
use crate::{
    config::Config,
    exit::{Exit, Failure},
    ledger::{
        Entry, Ledger, codes_text, outcome_word,
        text::{grouped, terminal},
        verdict_word,
    },
};

/// Columns of a foreign text; longer ones are cut.
const WIDE: usize = 200;
/// Messages of the benchmarker that are shown.
const MESSAGES: usize = 10;

/// Arguments of `isugate show`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The run: its id, or as much of the beginning or of the part after the dash as tells it from the others
    pub run: String,
    /// Print one JSON document: both records as they are written
    #[arg(long)]
    pub json: bool,
}

/// Prints a run.
///
/// # Errors
/// No such run, or one that cannot be read.
pub fn run(args: &Args, root: &Path, config: &Config) -> anyhow::Result<u8> {
    let ledger = Ledger::open(root, &config.ledger.branch, config.ledger.remote.as_deref()).map_err(Failure::from)?;
    if args.json {
        let (run, decision) = ledger.find_raw(&args.run).map_err(Failure::from)?;
        stdout::print(&format!("{}\n", json!({"run": run, "decision": decision})))?;
    } else {
        let entry = ledger.find(&args.run).map_err(Failure::from)?;
        let baseline = entry.decision.baseline.as_deref().and_then(|id| ledger.find(id).ok());
        stdout::print(&details(&entry, baseline.as_ref(), root))?;
    }
    Ok(Exit::Done.into())
}

/// The run as text for a terminal.
pub fn details(entry: &Entry, baseline: Option<&Entry>, root: &Path) -> String {
    let mut out = String::new();
    let mut line = |name: &str, value: String| {
        let _ = writeln!(out, "{name:<12} {value}");
    };
    let safe = |text: &str| terminal(text, WIDE);
    let run = &entry.run;
    line("run", run.id.clone());
    line("commit", format!("{} {}", safe(&run.commit), safe(&run.subject)));
    if let Some(branch) = &run.branch {
        line("branch", safe(branch));
    }
    line("started", format!("{} by {}, ended {}", safe(&run.started_at), safe(&run.by), safe(&run.finished_at)));
    line(
        "series",
        format!(
            "{} ({}, collectors {})",
            safe(&run.series.key),
            safe(&run.series.contest),
            if run.series.collectors { "on" } else { "off" }
        ),
    );
    let score = run.result.score.map_or_else(|| "no score".into(), grouped);
    line(
        "result",
        format!("{score}, {}, codes {}", outcome_word(run.result.outcome), terminal(&codes_text(entry), WIDE)),
    );
    line("baseline", compared(entry, baseline));
    for reason in run.result.reason.iter().chain(run.result.error.as_ref().map(|e| &e.message)) {
        line("", safe(reason));
    }
    run.result.warnings.iter().chain(&run.violations).for_each(|warning| line("warning", safe(warning)));

    line("decisions", String::new());
    for decision in &entry.decision.decisions {
        let who = if decision.by_person { safe(&decision.by) } else { format!("{} (the gate)", safe(&decision.by)) };
        line("", format!("{} at {} by {who}", verdict_word(decision.verdict), safe(&decision.at)));
        decision.reasons.iter().for_each(|reason| line("", format!("  {}", safe(reason))));
    }

    if !run.hosts.is_empty() {
        line("hosts", String::new());
    }
    for (name, host) in &run.hosts {
        let revision = host.revision.as_deref().map_or_else(|| "no tree".into(), |r| terminal(r, 12));
        let did = match (host.shipped, host.built) {
            (true, true) => "shipped and built",
            (true, false) => "shipped",
            (false, true) => "built",
            (false, false) => "nothing to ship or build",
        };
        line("", format!("{}: {revision}, {did}, {} artifacts", safe(name), host.artifacts.len()));
        for (unit, state) in &host.units {
            line(
                "",
                format!("  {}: {}, {} restarts, pid {}", safe(unit), safe(&state.active), state.restarts, state.pid),
            );
        }
    }
    let bench = &run.bench;
    let ended = match (bench.timed_out, bench.signal, bench.exit_code) {
        (true, _, _) => "ended by its time limit".to_owned(),
        (_, Some(signal), _) => format!("ended by signal {signal}"),
        (_, _, Some(code)) => format!("exit status {code}"),
        _ => "its end is not known".to_owned(),
    };
    line(
        "benchmarker",
        format!("on {}, {:.1} s, {ended}, read as {}", safe(&bench.host), bench.seconds, safe(&bench.format)),
    );
    line("", safe(&bench.command));
    if !run.stages.is_empty() {
        let stages: Vec<String> =
            run.stages.iter().map(|(stage, seconds)| format!("{} {seconds:.1} s", safe(stage))).collect();
        line("stages", stages.join(", "));
    }
    for evidence in &run.isutools {
        let known = |text: &Option<String>| text.as_deref().map_or_else(|| "–".into(), safe);
        line(
            "isutools",
            format!("{}: {} ({})", safe(&evidence.host), known(&evidence.run_id), known(&evidence.validity)),
        );
        evidence.problems.iter().for_each(|problem| line("", format!("  {}", safe(problem))));
        if let Some(summary) = &evidence.summary {
            figures(summary).into_iter().for_each(|figure| line("", format!("  {figure}")));
        }
    }
    if !run.evidence.is_empty() {
        line("evidence", String::new());
    }
    for file in &run.evidence {
        let place = Path::new(".isugate").join("runs").join(&run.id).join(&file.path);
        let there = if root.join(&place).is_file() { "" } else { ", not on this machine" };
        let shown = safe(&place.to_string_lossy());
        line(
            "",
            format!(
                "{shown} ({} bytes, sha256 {}{there})",
                grouped(i64::try_from(file.size).unwrap_or(i64::MAX)),
                terminal(&file.sha256, 12)
            ),
        );
    }
    run.result.messages.iter().take(MESSAGES).for_each(|message| line("message", safe(message)));
    if run.result.messages.len() > MESSAGES {
        line("", format!("{} more messages", run.result.messages.len() - MESSAGES));
    }
    // A line that has no value ends in no blanks.
    out.lines().map(|line| line.trim_end().to_owned() + "\n").collect()
}

fn compared(entry: &Entry, baseline: Option<&Entry>) -> String {
    let Some(id) = &entry.decision.baseline else { return "none: nothing was accepted before".into() };
    let id = terminal(id, 40);
    let scores = baseline.and_then(|b| Some((b.run.result.score?, entry.run.result.score?)));
    match scores {
        Some((base, own)) if base != 0 => {
            format!("{id} ({}, {:+.1} %)", grouped(base), (own as f64 / base as f64 - 1.0) * 100.0)
        }
        Some((base, _)) => format!("{id} ({})", grouped(base)),
        None => id,
    }
}

/// isutools' figures, one line each.
fn figures(summary: &crate::isutools::Summary) -> Vec<String> {
    let ms = |ns: u64| format!("{:.0} ms", ns as f64 / 1e6);
    let mut lines = Vec::new();
    for sql in summary.top_sql.iter().take(3) {
        lines.push(format!("SQL {} in {} executions: {}", ms(sql.total_ns), sql.count, terminal(&sql.query, 100)));
    }
    for http in summary.top_http.iter().take(3) {
        lines.push(format!(
            "HTTP {} in {} requests: {} {}",
            ms(http.total_ns),
            http.count,
            terminal(&http.route, 100),
            http.status
        ));
    }
    if let Some(waits) = summary.pool_waits {
        lines.push(format!(
            "{waits} waits for a database connection{}",
            summary.pool_wait_ns.map_or_else(String::new, |ns| format!(", {}", ms(ns)))
        ));
    }
    lines.extend(summary.cpu_busy_percent.map(|busy| format!("CPU {busy:.0} % busy")));
    lines.extend(summary.status_5xx.map(|count| format!("{count} answers with 5xx")));
    lines.extend(summary.health.iter().map(|row| format!("health: {}", terminal(row, 160))));
    lines
}
