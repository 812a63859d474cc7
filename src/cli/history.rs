//! `isugate history`: the ledger as a table.

use std::{collections::HashMap, io::IsTerminal, path::Path};

use serde_json::{Value, json};
use tabled::{
    builder::Builder,
    settings::{
        Alignment, Color, Modify, Padding, Style,
        object::{Cell, Columns, Rows},
    },
};
use unicode_width::UnicodeWidthStr;

use super::stdout;
use crate::{
    config::Config,
    exit::{Exit, Failure},
    ledger::{
        Entry, Ledger, Listing, RunId, codes_text, outcome_word,
        text::{cut, grouped, terminal},
        verdict_word,
    },
    result::Outcome,
    verdict::Verdict,
};

/// Arguments of `isugate history`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// How many runs to show, the newest
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub limit: usize,
    /// Show the runs of every series, not only of the newest run's
    #[arg(long)]
    pub all_series: bool,
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
}

/// How a table may look.
#[derive(Debug, Clone, Copy)]
pub struct Look {
    /// Columns of the terminal; `None`: as wide as it needs.
    pub width: Option<usize>,
    /// Whether colours may be used.
    pub colour: bool,
}

impl Look {
    /// The look for this process's stdout.
    pub fn of_stdout() -> Look {
        let stdout = std::io::stdout();
        let terminal = stdout.is_terminal();
        let width = rustix::termios::tcgetwinsize(&stdout)
            .ok()
            .map(|size| usize::from(size.ws_col))
            .filter(|columns| terminal && *columns > 0);
        let wanted = std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty())
            && std::env::var_os("TERM").is_none_or(|t| t != "dumb");
        Look { width, colour: terminal && wanted }
    }
}

/// Prints the history.
///
/// # Errors
/// The ledger cannot be read.
pub fn run(args: &Args, root: &Path, config: &Config) -> anyhow::Result<u8> {
    let ledger = Ledger::open(root, &config.ledger.branch, config.ledger.remote.as_deref()).map_err(Failure::from)?;
    let listing = ledger.runs().map_err(Failure::from)?;
    if args.json {
        stdout::print(&format!("{}\n", document(&listing, args)))?;
    } else {
        stdout::print(&table(&listing, args, Look::of_stdout()))?;
    }
    Ok(Exit::Done.into())
}

/// The runs to show, newest first, and how many others there are.
fn chosen<'a>(listing: &'a Listing, args: &Args) -> (Vec<&'a Entry>, usize) {
    let newest = listing.entries.last().map(|entry| entry.run.series.key.as_str());
    let wanted = |entry: &&Entry| args.all_series || Some(entry.run.series.key.as_str()) == newest;
    let of_series: Vec<&Entry> = listing.entries.iter().rev().filter(wanted).collect();
    let others = listing.entries.len() - of_series.len();
    (of_series.into_iter().take(args.limit).collect(), others)
}

/// Percent by which a run's score differs from its baseline's.
fn difference(entry: &Entry, scores: &HashMap<&str, i64>) -> Option<f64> {
    let baseline = *scores.get(entry.decision.baseline.as_deref()?)?;
    let score = entry.run.result.score?;
    (baseline != 0).then(|| (score as f64 / baseline as f64 - 1.0) * 100.0)
}

fn scores(listing: &Listing) -> HashMap<&str, i64> {
    listing.entries.iter().filter_map(|entry| Some((entry.run.id.as_str(), entry.run.result.score?))).collect()
}

/// The history as one JSON document, newest run first.
pub fn document(listing: &Listing, args: &Args) -> Value {
    let scores = scores(listing);
    let (runs, others) = chosen(listing, args);
    let runs: Vec<Value> = runs
        .into_iter()
        .map(|entry| {
            let (run, current) = (&entry.run, entry.decision.current());
            json!({
                "id": run.id, "started_at": run.started_at, "commit": run.commit, "subject": run.subject, "branch": run.branch,
                "series": run.series.key, "contest": run.series.contest, "outcome": run.result.outcome, "score": run.result.score,
                "codes": run.result.codes, "baseline": entry.decision.baseline, "difference_percent": difference(entry, &scores),
                "verdict": current.map(|d| d.verdict), "gate_verdict": entry.decision.verdict(),
                "by": current.map(|d| &d.by), "by_person": current.map(|d| d.by_person), "at": current.map(|d| &d.at),
                "reasons": current.map(|d| &d.reasons),
            })
        })
        .collect();
    json!({"runs": runs, "other_series": others, "unreadable": listing.unreadable})
}

/// What may give way when the terminal is narrow, and down to how many columns.
const GIVES_WAY: [(usize, usize); 4] = [(SUBJECT, 10), (WHO, 8), (CODES, 8), (SUBJECT, 4)];
/// What is left out when that is not enough, first to last.
const LEFT_OUT: [usize; 6] = [WHO, WHEN, SUBJECT, CODES, COMMIT, DIFFERENCE];
const HEADER: [&str; 10] = ["id", "when (UTC)", "commit", "subject", "score", "Δ%", "pass", "codes", "verdict", "who"];
const ID: usize = 0;
const WHEN: usize = 1;
const COMMIT: usize = 2;
const SUBJECT: usize = 3;
const SCORE: usize = 4;
const DIFFERENCE: usize = 5;
const PASS: usize = 6;
const CODES: usize = 7;
const VERDICT: usize = 8;
const WHO: usize = 9;
/// Columns between two columns.
const GAP: usize = 2;

/// The history as a table.
pub fn table(listing: &Listing, args: &Args, look: Look) -> String {
    let scores = scores(listing);
    let (runs, others) = chosen(listing, args);
    let mut out = String::new();
    if listing.entries.is_empty() {
        out.push_str("no runs are recorded; `isugate bench` makes one\n");
    } else {
        let rows: Vec<[String; 10]> = runs.iter().map(|entry| row(entry, &scores)).collect();
        out.push_str(&drawn(&runs, rows, look));
    }
    if others > 0 {
        out.push_str(&format!(
            "{others} run{} of other series not shown (--all-series)\n",
            if others == 1 { "" } else { "s" }
        ));
    }
    for bad in &listing.unreadable {
        out.push_str(&format!("unreadable: {}: {}\n", bad.id, bad.reason));
    }
    out
}

fn row(entry: &Entry, scores: &HashMap<&str, i64>) -> [String; 10] {
    let (run, current) = (&entry.run, entry.decision.current());
    let verdict = match (current, entry.decision.verdict()) {
        (Some(d), Some(gate)) if d.by_person && gate != d.verdict => {
            format!("{} (gate: {})", verdict_word(d.verdict), verdict_word(gate))
        }
        (Some(d), _) => verdict_word(d.verdict).to_owned(),
        (None, _) => "–".to_owned(),
    };
    [
        run.id.clone(),
        run.id.parse::<RunId>().map_or_else(|_| String::new(), |id| id.minute()),
        terminal(run.commit.get(..8).unwrap_or(&run.commit), 8),
        terminal(&run.subject, 60),
        run.result.score.map_or_else(|| "–".into(), grouped),
        difference(entry, scores).map_or_else(String::new, |percent| format!("{percent:+.1}")),
        outcome_word(run.result.outcome).to_owned(),
        terminal(&codes_text(entry), 60),
        verdict,
        terminal(current.filter(|d| d.by_person).map_or(&run.by, |d| &d.by), 40),
    ]
}

/// Rows drawn so that they fit.
fn drawn(runs: &[&Entry], mut rows: Vec<[String; 10]>, look: Look) -> String {
    let mut kept: Vec<usize> = (0..HEADER.len()).collect();
    if let Some(width) = look.width {
        fit(&mut rows, &mut kept, width);
    }
    let mut builder = Builder::default();
    builder.push_record(kept.iter().map(|at| HEADER[*at]));
    rows.iter().for_each(|row| builder.push_record(kept.iter().map(|at| row[*at].as_str())));
    let mut table = builder.build();
    table
        .with(Style::blank())
        .with(Padding::zero())
        .modify(Columns::new(..kept.len() - 1), Padding::new(0, GAP - 1, 0, 0));
    for (column, _) in kept.iter().enumerate().filter(|(_, at)| matches!(**at, SCORE | DIFFERENCE)) {
        table.with(Modify::new(Columns::one(column)).with(Alignment::right()));
    }
    if look.colour {
        table.modify(Rows::first(), Color::BOLD);
        let place = |column: usize| kept.iter().position(|at| *at == column);
        for (at, entry) in runs.iter().enumerate() {
            if let (Some(column), Some(decision)) = (place(VERDICT), entry.decision.current()) {
                table.modify(Cell::new(at + 1, column), colour(decision.verdict));
            }
            if let (Some(column), Outcome::Fail) = (place(PASS), entry.run.result.outcome) {
                table.modify(Cell::new(at + 1, column), Color::FG_RED);
            }
        }
    }
    let lines: Vec<String> = table.to_string().lines().map(|line| line.trim_end().to_owned() + "\n").collect();
    lines.concat()
}

/// Makes the kept columns of all rows together at most `width` wide.
fn fit(rows: &mut [[String; 10]], kept: &mut Vec<usize>, width: usize) {
    let mut wide: Vec<usize> = HEADER.iter().map(|name| name.width()).collect();
    for row in rows.iter() {
        wide.iter_mut().zip(row).for_each(|(widest, cell)| *widest = (*widest).max(cell.width()));
    }
    let over = |wide: &[usize], kept: &[usize]| {
        (kept.iter().map(|at| wide[*at] + GAP).sum::<usize>().saturating_sub(GAP)).saturating_sub(width)
    };
    if over(&wide, kept) > 0 {
        // The time stands in a column of its own, and the part after the dash is enough to name a run.
        for row in rows.iter_mut() {
            row[ID] = row[ID].rsplit('-').next().unwrap_or_default().to_owned();
        }
        wide[ID] = rows.iter().map(|row| row[ID].width()).max().unwrap_or(0).max(HEADER[ID].width());
    }
    let mut narrow = |wide: &mut [usize], at: usize, columns: usize| {
        rows.iter_mut().for_each(|row| row[at] = cut(&row[at], columns));
        wide[at] = columns.max(HEADER[at].width());
    };
    for (at, least) in GIVES_WAY {
        let too_much = over(&wide, kept);
        if too_much > 0 && wide[at] > least {
            let columns = wide[at].saturating_sub(too_much).max(least);
            narrow(&mut wide, at, columns);
        }
    }
    for at in LEFT_OUT {
        if over(&wide, kept) > 0 {
            kept.retain(|column| *column != at);
        }
    }
    // What was overridden is worth more than any of these; it is cut last.
    let too_much = over(&wide, kept);
    if too_much > 0 {
        let columns = wide[VERDICT].saturating_sub(too_much);
        narrow(&mut wide, VERDICT, columns);
    }
}

fn colour(verdict: Verdict) -> Color {
    match verdict {
        Verdict::Accept => Color::FG_GREEN,
        Verdict::Revert => Color::FG_RED,
        Verdict::Inconclusive => Color::FG_YELLOW,
        Verdict::Invalid => Color::FG_BRIGHT_BLACK,
    }
}
