//! The branch's `README.md`: the last runs as a table that reads well in a browser. Everything foreign in it is escaped.

use std::fmt::Write as _;

use super::{
    Entry, Listing, RunId,
    append::verdict_word,
    text::{grouped, markdown_cell},
};
use crate::result::Outcome;

/// Rows of the table.
pub(super) const MAX_RUNS: usize = 50;
/// How a generated page begins: what tells a ledger's `README.md` from one of the user's own.
pub(super) const MARKER: &str = "<!-- isugate ledger -->";
/// Columns of a reason, and of a name.
const WIDE: usize = 160;
const NARROW: usize = 40;

/// The page for the last runs of `listing`; `total` is how many there are in all.
pub(super) fn render(listing: &Listing, total: usize) -> String {
    let mut page = format!(
        "{MARKER}\n# isugate ledger\n\nEvery run of the benchmarker and what was decided about it. This page is made by `isugate`; \
         `isugate history` shows more.\n\n![Score over time](score.svg)\n\n"
    );
    page.push_str("| run | commit | score | pass | codes | verdict | by | reason |\n| --- | --- | ---: | --- | --- | --- | --- | --- |\n");
    let mut rows: Vec<(&str, String)> =
        listing.entries.iter().map(|entry| (entry.run.id.as_str(), row(entry))).collect();
    rows.extend(listing.unreadable.iter().map(|bad| {
        let (id, reason) = (markdown_cell(&bad.id, NARROW), markdown_cell(&bad.reason, WIDE));
        (bad.id.as_str(), format!("| {id} | | | | | unreadable | | {reason} |\n"))
    }));
    rows.sort_unstable_by(|a, b| b.0.cmp(a.0));
    let shown = rows.len().min(MAX_RUNS);
    rows.into_iter().take(MAX_RUNS).for_each(|(_, row)| page.push_str(&row));
    // Nothing is said of a time: the same runs give the same page on every machine.
    let _ = write!(page, "\n{shown} of {total} run{}, newest first.\n", if total == 1 { "" } else { "s" });
    page
}

fn row(entry: &Entry) -> String {
    let (run, current) = (&entry.run, entry.decision.current());
    // An id that was checked is safe as a link; this one was, or the entry would be unreadable.
    let id = match run.id.parse::<RunId>() {
        Ok(id) => format!("[{id}](runs/{id}/run.json)"),
        Err(_) => markdown_cell(&run.id, NARROW),
    };
    let commit = markdown_cell(run.commit.get(..10).unwrap_or(&run.commit), 10);
    let subject = markdown_cell(&run.subject, NARROW);
    let score = run.result.score.map_or_else(|| "–".into(), grouped);
    let pass = outcome_word(run.result.outcome);
    let codes = markdown_cell(&codes_text(entry), NARROW);
    let verdict = match (current, entry.decision.verdict()) {
        (None, _) => "–".to_owned(),
        (Some(d), Some(gate)) if d.by_person => {
            format!("**{}** (gate: {})", verdict_word(d.verdict), verdict_word(gate))
        }
        (Some(d), _) => format!("**{}**", verdict_word(d.verdict)),
    };
    let by = markdown_cell(current.map_or("", |d| &d.by), NARROW);
    let reason = markdown_cell(&current.map_or_else(String::new, |d| d.reasons.join(" ")), WIDE);
    format!("| {id} | {commit} {subject} | {score} | {pass} | {codes} | {verdict} | {by} | {reason} |\n")
}

/// The outcome as one word; `–` where the run says nothing.
pub fn outcome_word(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Pass => "pass",
        Outcome::Fail => "fail",
        Outcome::Invalid => "–",
    }
}

/// Error codes with their counts, such as `17×6 24×1`; `none` where there were none, `–` where they are not known.
pub fn codes_text(entry: &Entry) -> String {
    match &entry.run.result.codes {
        None => "–".into(),
        Some(codes) if codes.is_empty() => "none".into(),
        Some(codes) => {
            let mut counted: Vec<_> = codes.iter().collect();
            counted.sort_by_key(|(code, _)| (code.parse::<u64>().unwrap_or(u64::MAX), code.as_str()));
            counted.into_iter().map(|(code, count)| format!("{code}×{count}")).collect::<Vec<_>>().join(" ")
        }
    }
}
