//! What the comment holds beside the report: what people decided, the runs of the pull request, a chart, links.

use std::fmt::Write;

use crate::{
    exit::Failure,
    github::{Context, comment::Body},
    ledger::{Entry, Merged, proposal, verdict_word},
    report::{Limit, Report, Templates, markdown_limited, number, text},
    verdict::Verdict,
};

/// Runs that are listed.
const RUNS: usize = 20;
/// Characters of the short text.
const SHORT: usize = 8_000;
/// What stands around sentences that people's decisions add on top.
const DECIDED: (&str, &str) = ("<!-- isugate:decided -->", "<!-- /isugate:decided -->");

/// The comment for a finished run.
///
/// # Errors
/// A template of the user's that cannot be filled.
pub fn verdict(
    report: &Report,
    templates: &Templates,
    context: &Context,
    runs: &[&Entry],
) -> Result<Body, crate::report::TemplateError> {
    let extras =
        format!("{}{}", history(runs, report.baseline.as_ref().and_then(|run| run.result.score)), footer(context));
    let length = extras.encode_utf16().count() + 1;
    let full = format!("{}\n{extras}", markdown_limited(report, templates, Body::limit().minus(length))?);
    let footer = footer(context);
    let short = markdown_limited(report, templates, Limit::Characters(SHORT).minus(footer.len()))?;
    Ok(Body { order: report.run.id.clone(), full, short: format!("{short}\n{footer}") })
}

/// The comment for a run that came to no verdict.
pub(super) fn failure(order: &str, failure: &Failure, context: &Context, runs: &[&Entry]) -> Body {
    let short = format!("{}\n{}", failure_text(failure), footer(context));
    let full = format!("{}\n{}{}", failure_text(failure), history(runs, None), footer(context));
    Body { order: order.into(), full, short }
}

/// What a failure says, as Markdown.
pub(super) fn failure_text(failure: &Failure) -> String {
    let text = fit(&failure.to_string(), 6_000);
    format!("## ⚠️ no verdict\n\n<pre>\n{}\n</pre>\n", text::markdown_block(&text))
}

/// The comment while somebody else holds the hosts.
pub(super) fn waiting(order: &str, who: &str, context: &Context, runs: &[&Entry]) -> Body {
    let text = format!("## ⏳ waiting for the hosts\n\n- {}\n", text::markdown(&fit(who, 500)));
    let short = format!("{text}\n{}", footer(context));
    Body { order: order.into(), full: format!("{text}\n{}{}", history(runs, None), footer(context)), short }
}

/// The text of a comment with one more sentence on top: what somebody decided. A later one takes the place of an earlier one.
pub(super) fn with_decision(comment: &str, sentence: &str) -> String {
    let rest = match comment.strip_prefix(DECIDED.0).and_then(|rest| rest.split_once(DECIDED.1)) {
        Some((_, rest)) => rest.trim_start_matches('\n'),
        None => comment,
    };
    format!("{}\n> {}\n{}\n\n{rest}", DECIDED.0, text::markdown(&fit(sentence, 700)), DECIDED.1)
}

/// That a pull request was merged, in a sentence.
pub(super) fn merged_sentence(merged: &Merged, run: &str) -> String {
    let commit = merged.commit.get(..12).unwrap_or(&merged.commit);
    format!("merged as {commit} by {}: run {run} is a baseline of the main branch now", merged.by)
}

/// The runs of a pull request, the newest last, and their scores as a chart; folded.
fn history(runs: &[&Entry], baseline: Option<i64>) -> String {
    if runs.is_empty() {
        return String::new();
    }
    let shown = &runs[runs.len().saturating_sub(RUNS)..];
    let mut out = format!("\n<details><summary>Runs of this pull request ({})</summary>\n\n", runs.len());
    out.push_str("| run | commit | | score | decided by |\n|---|---|---|---:|---|\n");
    for entry in shown {
        let run = &entry.run;
        let decision = entry.decision.current();
        let score = run.result.score.map_or_else(|| "–".into(), number::thousands);
        let _ = writeln!(
            out,
            "| {} | {} {} | {} | {score} | {} |",
            text::markdown_code(&run.id),
            text::markdown_code(run.commit.get(..12).unwrap_or(&run.commit)),
            text::markdown(&fit(&run.subject, 60)),
            decision.map_or("", |d| word(d.verdict)),
            text::markdown(&fit(decision.map_or("", |d| &d.by), 60)),
        );
    }
    out.push_str(&chart(shown, baseline));
    out.push_str("\n</details>\n");
    out
}

fn word(verdict: Verdict) -> &'static str {
    verdict_word(verdict)
}

/// The scores as a chart that GitHub draws. Only numbers and the random parts of run ids stand in it: no foreign text.
fn chart(runs: &[&Entry], baseline: Option<i64>) -> String {
    let scored = runs.iter().filter_map(|entry| {
        let id: crate::ledger::RunId = entry.run.id.parse().ok()?;
        Some((format!("\"{}\"", id.suffix()), entry.run.result.score?))
    });
    let (names, scores): (Vec<_>, Vec<_>) = scored.unzip();
    if scores.len() < 2 {
        return String::new();
    }
    // From zero: a chart that begins at the lowest score makes noise look like a victory.
    let top = scores.iter().copied().chain(baseline).max().unwrap_or(1).max(1);
    let line = |values: &mut dyn Iterator<Item = i64>| values.map(|v| v.to_string()).collect::<Vec<_>>().join(", ");
    let mut out = format!(
        "\n```mermaid\nxychart-beta\n    x-axis [{}]\n    y-axis \"score\" 0 --> {top}\n    bar [{}]\n",
        names.join(", "),
        line(&mut scores.iter().copied())
    );
    if let Some(baseline) = baseline {
        let _ = writeln!(out, "    line [{}]", line(&mut std::iter::repeat_n(baseline, scores.len())));
    }
    out.push_str("```\n");
    out
}

/// Where evidence and log are.
fn footer(context: &Context) -> String {
    let page = context.run_page().map(|page| format!("[log, report and evidence of this job]({page}) · "));
    format!("\n<sub>{}isugate {}</sub>\n", page.unwrap_or_default(), env!("CARGO_PKG_VERSION"))
}

/// The runs that belong to a pull request, by its number or its branch.
pub(super) fn of_pull(entries: &[Entry], number: u64) -> Vec<&Entry> {
    let is_its = |entry: &&Entry| proposal::proposal(&entry.run).is_some_and(|p| p.pull_request == Some(number));
    entries.iter().filter(is_its).collect()
}

/// A text of at most so many characters.
pub(super) fn fit(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.into(),
    }
}

/// Writes a refusal to the job summary: whoever is refused sees no comment.
pub fn write_refusal(reason: &str) {
    use std::io::Write;
    let Some(path) = std::env::var_os("GITHUB_STEP_SUMMARY").filter(|path| !path.is_empty()) else { return };
    let file = std::fs::OpenOptions::new().create(true).append(true).open(path);
    // The reason is in the log too.
    let _ = file.and_then(|mut file| writeln!(file, "## ⛔ refused\n\n{}", text::markdown(reason)));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_later_decision_takes_the_place_of_an_earlier_one_and_cannot_end_its_frame() {
        let first = with_decision("## ⛔ REVERT\n", "accepted by ann: known <!-- /isugate:decided --> @team");
        assert!(first.contains("&lt;!-- /isugate") && !first.contains("@team"), "{first}");
        let second = with_decision(&first, "reverted by bob");
        assert!(second.contains("reverted by bob") && !second.contains("ann"), "{second}");
        assert!(second.ends_with("\n\n## ⛔ REVERT\n"), "{second}");
    }
}
