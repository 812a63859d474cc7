//! The report in GitHub-flavoured Markdown: every value is made safe here, then the templates give it a form.

use serde_json::{Value, json};

use super::{
    Report, content,
    layout::fit,
    number,
    templates::{TemplateError, Templates},
    text::{html_line, markdown as m, markdown_block, markdown_code as code},
    words::{Words, fill},
};
use crate::{ledger::RunRecord, verdict::Verdict};

/// Messages of the benchmarker that are shown.
const MESSAGES: usize = 20;
/// Files that are listed.
const FILES: usize = 40;

/// The whole report in Markdown.
///
/// # Errors
/// When a template of the user's asks for something that there is not.
pub fn markdown(report: &Report, templates: &Templates) -> Result<String, TemplateError> {
    render(report, templates, &[])
}

/// The report with a note on what was `dropped` from it.
pub(super) fn render(report: &Report, templates: &Templates, dropped: &[String]) -> Result<String, TemplateError> {
    let text = templates.render(&context(report, dropped))?;
    // Parts that are absent leave their blank lines behind.
    let mut out = String::with_capacity(text.len());
    let (mut blank, mut verbatim) = (true, false);
    for line in text.lines() {
        verbatim = (verbatim || line.starts_with("<pre>")) && !line.contains("</pre>");
        let empty = line.trim().is_empty();
        if !(empty && blank) || verbatim {
            out.push_str(line);
            out.push('\n');
        }
        blank = empty;
    }
    out.truncate(out.trim_end().len());
    out.push('\n');
    Ok(out)
}

/// The sign before a verdict.
pub(super) fn sign(verdict: Option<Verdict>) -> &'static str {
    match verdict {
        Some(Verdict::Accept) => "✅",
        Some(Verdict::Revert) => "⛔",
        Some(Verdict::Inconclusive) => "❔",
        Some(Verdict::Invalid) => "⚠️",
        None => "⏳",
    }
}

fn verdict_name(verdict: Option<Verdict>) -> &'static str {
    match verdict {
        Some(Verdict::Accept) => "accept",
        Some(Verdict::Revert) => "revert",
        Some(Verdict::Inconclusive) => "inconclusive",
        Some(Verdict::Invalid) => "invalid",
        None => "",
    }
}

/// What the templates see. Every text is escaped; docs/report.md lists the names.
fn context(report: &Report, dropped: &[String]) -> Value {
    let words = Words::of(report.language);
    let outline = content::outline(report, words);
    let compared = |row: &content::Compared| json!({ "label": m(&row.label), "now": m(&row.now), "before": m(&row.before), "change": row.change });
    let messages = content::messages(report);
    json!({
        "words": words,
        "verdict": verdict(report, words),
        "reasons": escaped(report.decisions.last().map(|d| d.reasons.as_slice()).unwrap_or_default()),
        "disturbances": escaped(&content::disturbances(report)),
        "has_baseline": report.baseline.is_some(),
        "score": outline.first().map(compared),
        "pass": outline.get(1).map(compared),
        "run": run(&report.run),
        "baseline": report.baseline.as_ref().map(run),
        "codes": codes(report),
        "noise": escaped(&report.noise),
        "hosts": escaped(&report.hosts),
        "warnings": escaped(&content::warnings(report, words)),
        "evidence": evidence(report, words),
        "messages": messages.iter().take(MESSAGES).map(|(text, times)| json!({
            "text": m(&fit(text, 1_000)),
            "times": if *times > 1 { number::count(*times as u64) } else { String::new() },
        })).collect::<Vec<_>>(),
        "messages_more": more(words, messages.len(), MESSAGES),
        "environment": content::environment(report, words).iter().map(|(label, value)| json!({
            "label": m(label),
            "value": if *label == words.command || *label == words.benchmarker { code(value) } else { m(value) },
        })).collect::<Vec<_>>(),
        "directory": code(&report.directory),
        "files": report.run.evidence.iter().take(FILES).map(|file| json!({
            "path": code(&file.path), "size": number::bytes(file.size), "sha256": code(content::short(&file.sha256)),
        })).collect::<Vec<_>>(),
        "files_more": more(words, report.run.evidence.len(), FILES),
        "output": markdown_block(&report.output_tail),
        "dropped": if dropped.is_empty() { String::new() } else { m(&fill(words.left_out, &dropped.join(", "))) },
    })
}

fn escaped<T: AsRef<str>>(texts: &[T]) -> Vec<String> {
    texts.iter().map(|text| m(text.as_ref())).collect()
}

fn more(words: &Words, all: usize, shown: usize) -> String {
    if all > shown { m(&fill(words.more, &number::count((all - shown) as u64))) } else { String::new() }
}

fn verdict(report: &Report, words: &Words) -> Value {
    let holds = report.decisions.last();
    let gate = content::overruled(report).map(|gate| {
        json!({
            "name": verdict_name(Some(gate.verdict)),
            "sentence": m(&fill(words.in_place_of, words.verdict(Some(gate.verdict)))),
            "reasons": escaped(&gate.reasons),
        })
    });
    let change = content::score_change(report).map(|change| format!(" ({})", number::percent(change)));
    json!({
        "name": verdict_name(report.verdict()),
        "word": m(words.verdict(report.verdict())),
        "sign": sign(report.verdict()),
        "score": m(&format!("{}{}", content::score(&report.run, words), change.unwrap_or_default())),
        "by_person": holds.is_some_and(|decision| decision.by_person),
        "decided_by": holds.map(|decision| m(&fill(words.decided_by, &decision.by))).unwrap_or_default(),
        "gate": gate,
    })
}

fn run(run: &RunRecord) -> Value {
    json!({
        "id": code(&run.id),
        "commit": code(content::short(&run.commit)),
        "subject": m(&fit(&run.subject, 200)),
        "branch": code(run.branch.as_deref().unwrap_or_default()),
        "by": m(&run.by),
        "started_at": m(&run.started_at),
    })
}

fn codes(report: &Report) -> Vec<Value> {
    let row = |row: &super::CodeRow| {
        json!({
            "code": m(&row.code),
            "name": m(row.name.as_deref().unwrap_or_default()),
            "before": content::code_before(report, row.baseline),
            "now": number::count(row.candidate),
            "rule": m(&row.rule),
            "vetoes": row.vetoes,
        })
    };
    report.codes.iter().map(row).collect()
}

fn evidence(report: &Report, words: &Words) -> Vec<Value> {
    let busy = |list: &[content::Busy]| {
        let row = |b: &content::Busy| {
            json!({
                "total": b.total, "before": b.before, "change": b.change, "calls": b.calls, "p95": b.p95, "name": code(&fit(&b.name, 400)),
            })
        };
        list.iter().map(row).collect::<Vec<_>>()
    };
    let figures = |list: &[content::Compared]| {
        let row = |row: &content::Compared| json!({ "label": m(&row.label), "now": row.now, "before": row.before, "change": row.change });
        list.iter().map(row).collect::<Vec<_>>()
    };
    let host = |host: content::Evidence| {
        json!({
            "title": html_line(&fill(words.evidence_of, &host.host)),
            "host": m(&host.host),
            "problems": escaped(&host.problems),
            "figures": figures(&host.figures),
            "sql": busy(&host.sql),
            "http": busy(&host.http),
        })
    };
    content::evidence(report, words).into_iter().map(host).collect()
}
