//! The report in one line, for a place that takes no more.

use super::{Report, content, number, words::Words};

/// The verdict, the score, and the first reason; plain text, still raw.
pub fn headline(report: &Report) -> String {
    let words = Words::of(report.language);
    let change = content::score_change(report).map(|change| format!(" ({})", number::percent(change)));
    let reason = report.decisions.last().and_then(|decision| decision.reasons.first());
    format!(
        "{} · {}{}{}",
        words.verdict(report.verdict()),
        content::score(&report.run, words),
        change.unwrap_or_default(),
        reason.map(|reason| format!(": {}", super::text::terminal_line(reason))).unwrap_or_default()
    )
}
