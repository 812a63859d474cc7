//! What the comment holds beside the report: what people decided, the runs of the pull request, a chart, links.

use std::fmt::Write;

use super::words::{Words, fill};
use crate::{
    config::shape::Language,
    exit::Failure,
    github::{Context, comment::Body},
    ledger::{Entry, Merged, proposal},
    report::{Limit, Report, TemplateError, Templates, markdown_limited, number},
    text,
};

/// Runs that are listed.
const RUNS: usize = 20;
/// Characters that are left for what people decide later.
const DECISION: usize = 1_200;
/// Characters of the short text.
const SHORT: usize = 8_000;
/// What the last line begins with. Nothing foreign can hold it: every `<` of foreign text is written as `&lt;`.
const FOOTER: &str = "\n<sub>";
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
) -> Result<Body, TemplateError> {
    compose(report, templates, &footer(context, Words::of(report.language)), runs)
}

fn compose(report: &Report, templates: &Templates, footer: &str, runs: &[&Entry]) -> Result<Body, TemplateError> {
    let baseline = report.baseline.as_ref().and_then(|run| run.result.score);
    let extras = format!("{}{footer}", history(runs, baseline, Words::of(report.language)));
    let length = extras.encode_utf16().count() + 1 + DECISION;
    let full = format!("{}\n{extras}", markdown_limited(report, templates, Body::limit().minus(length))?);
    let short = markdown_limited(report, templates, Limit::Characters(SHORT).minus(footer.len()))?;
    Ok(Body { order: report.run.id.clone(), full, short: format!("{short}\n{footer}") })
}

/// The comment of a run anew, after a person has decided: both the verdict that holds and the gate's stand in it. The links stay
/// those of `old`, the text until now: the job that answers a command has no evidence.
///
/// # Errors
/// A template of the user's that cannot be filled.
pub(super) fn decided(
    report: &Report,
    templates: &Templates,
    old: &str,
    runs: &[&Entry],
) -> Result<String, TemplateError> {
    let footer = old.rfind(FOOTER).map_or("", |at| &old[at..]);
    compose(report, templates, footer, runs).map(|body| body.full)
}

/// The comment for a run that came to no verdict.
pub(super) fn failure(order: &str, failure: &Failure, context: &Context, runs: &[&Entry], language: Language) -> Body {
    let words = Words::of(language);
    let (text, footer) = (failure_text(failure, language), footer(context, words));
    let short = format!("{text}\n{footer}");
    let full = format!("{text}\n{}{footer}", history(runs, None, words));
    Body { order: order.into(), full, short }
}

/// What a failure says, as Markdown.
pub(super) fn failure_text(failure: &Failure, language: Language) -> String {
    let text = fit(&failure.to_string(), 6_000);
    format!("## ⚠️ {}\n\n<pre>\n{}\n</pre>\n", Words::of(language).no_verdict, text::markdown_block(&text))
}

/// The comment while somebody else holds the hosts.
pub(super) fn waiting(order: &str, who: &str, context: &Context, runs: &[&Entry], language: Language) -> Body {
    let words = Words::of(language);
    let text = format!("## ⏳ {}\n\n- {}\n", words.waiting, text::markdown(&fit(who, 500)));
    let footer = footer(context, words);
    let short = format!("{text}\n{footer}");
    Body { order: order.into(), full: format!("{text}\n{}{footer}", history(runs, None, words)), short }
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
pub(super) fn merged_sentence(merged: &Merged, run: &str, language: Language) -> String {
    let commit = merged.commit.get(..12).unwrap_or(&merged.commit);
    fill(Words::of(language).merged, &[commit, &merged.by, run])
}

/// The runs of a pull request, the newest last, and their scores as a chart; folded.
fn history(runs: &[&Entry], baseline: Option<i64>, words: &Words) -> String {
    if runs.is_empty() {
        return String::new();
    }
    let shown = &runs[runs.len().saturating_sub(RUNS)..];
    let title = fill(words.runs, &[&runs.len().to_string()]);
    let mut out = format!("\n<details><summary>{title}</summary>\n\n{}\n|---|---|---|---:|---|\n", words.columns);
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
            decision.map_or(String::new(), |d| words.verdict(Some(d.verdict))),
            text::markdown(&fit(decision.map_or("", |d| &d.by), 60)),
        );
    }
    out.push_str(&chart(shown, baseline, words));
    out.push_str("\n</details>\n");
    out
}

/// The scores as a chart that GitHub draws. Only numbers and the random parts of run ids stand in it: no foreign text.
fn chart(runs: &[&Entry], baseline: Option<i64>, words: &Words) -> String {
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
        "\n```mermaid\nxychart-beta\n    x-axis [{}]\n    y-axis \"{}\" 0 --> {top}\n    bar [{}]\n",
        names.join(", "),
        words.score,
        line(&mut scores.iter().copied())
    );
    if let Some(baseline) = baseline {
        let _ = writeln!(out, "    line [{}]", line(&mut std::iter::repeat_n(baseline, scores.len())));
    }
    out.push_str("```\n");
    out
}

/// Where evidence and log are.
fn footer(context: &Context, words: &Words) -> String {
    let page = context.run_page().map(|page| format!("[{}]({page}) · ", words.job));
    format!("{FOOTER}{}isugate {}</sub>\n", page.unwrap_or_default(), env!("CARGO_PKG_VERSION"))
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
