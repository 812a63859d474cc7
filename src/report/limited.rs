//! The Markdown view within a size limit: the least important parts go first, and the report says which.

use super::{
    Report, content,
    layout::fit,
    markdown::{render, sign},
    templates::{TemplateError, Templates},
    text,
    words::{Words, fill},
};

/// How large a text may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// So many characters, counted as UTF-16 code units, which is never fewer than any other count of characters.
    Characters(usize),
    /// So many bytes of UTF-8.
    Bytes(usize),
}

impl Limit {
    /// A comment on a pull request: 65,536 characters.
    pub const COMMENT: Limit = Limit::Characters(65_536);
    /// A step's share of the job summary: 1 MiB.
    pub const JOB_SUMMARY: Limit = Limit::Bytes(1 << 20);

    /// Whether `text` keeps within the limit.
    pub fn holds(self, text: &str) -> bool {
        match self {
            Limit::Characters(most) => text.len() <= most || text.encode_utf16().count() <= most,
            Limit::Bytes(most) => text.len() <= most,
        }
    }

    /// The limit with `less` taken off it, for what the caller puts around the text (a marker, a link).
    pub fn minus(self, less: usize) -> Limit {
        match self {
            Limit::Characters(most) => Limit::Characters(most.saturating_sub(less)),
            Limit::Bytes(most) => Limit::Bytes(most.saturating_sub(less)),
        }
    }
}

/// One step towards a shorter report: what it is called, and whether the part is gone or only shorter.
type Step = (fn(&Words) -> &'static str, Cut, fn(&mut Report));

#[derive(Clone, Copy, PartialEq, Eq)]
enum Cut {
    Shortened,
    Gone,
}

/// The steps in their order: first what explains least.
const STEPS: [Step; 18] = [
    (|w| w.output, Cut::Shortened, |r| r.output_tail = last_bytes(&r.output_tail, 6_000)),
    (|w| w.output, Cut::Gone, |r| r.output_tail.clear()),
    (|w| w.messages, Cut::Shortened, |r| shorten(&mut r.run.result.messages, 5, 300)),
    (|w| w.files, Cut::Gone, |r| r.run.evidence.clear()),
    (
        |w| w.environment,
        Cut::Shortened,
        |r| {
            r.run.stages.clear();
            for text in [&mut r.run.bench.command, &mut r.run.by] {
                *text = fit(text, 300);
            }
        },
    ),
    (
        |w| w.evidence,
        Cut::Shortened,
        |r| {
            for summary in r.run.isutools.iter_mut().filter_map(|record| record.summary.as_mut()) {
                summary.top_sql.truncate(3);
                summary.top_sql.iter_mut().for_each(|row| row.query = fit(&row.query, 300));
                summary.top_http.truncate(3);
                summary.top_http.iter_mut().for_each(|row| row.route = fit(&row.route, 300));
                summary.top_cpu.truncate(1);
            }
        },
    ),
    (|w| w.messages, Cut::Gone, |r| r.run.result.messages.clear()),
    (|w| w.evidence, Cut::Gone, |r| r.run.isutools.clear()),
    (
        |w| w.warnings,
        Cut::Shortened,
        |r| {
            shorten(&mut r.warnings, 10, 300);
            shorten(&mut r.run.result.warnings, 10, 300);
        },
    ),
    (|w| w.hosts, Cut::Shortened, |r| shorten(&mut r.hosts, 20, 300)),
    (|w| w.noise, Cut::Shortened, |r| shorten(&mut r.noise, 5, 300)),
    (
        |w| w.codes,
        Cut::Shortened,
        |r| {
            r.codes.sort_by_key(|row| !row.vetoes);
            r.codes.truncate(20);
            r.codes.iter_mut().for_each(|row| row.rule = fit(&row.rule, 200));
        },
    ),
    (
        |w| w.reasons,
        Cut::Shortened,
        |r| {
            r.decisions.iter_mut().for_each(|decision| shorten(&mut decision.reasons, 8, 500));
            shorten(&mut r.run.violations, 8, 500);
        },
    ),
    (|w| w.hosts, Cut::Gone, |r| r.hosts.clear()),
    (|w| w.noise, Cut::Gone, |r| r.noise.clear()),
    (
        |w| w.warnings,
        Cut::Gone,
        |r| {
            r.warnings.clear();
            r.run.result.warnings.clear();
        },
    ),
    (|w| w.codes, Cut::Gone, |r| r.codes.clear()),
    (
        |w| w.reasons,
        Cut::Shortened,
        |r| {
            r.decisions.iter_mut().for_each(|decision| shorten(&mut decision.reasons, 2, 200));
            r.run.violations.clear();
        },
    ),
];

/// The report in Markdown, within `limit`. Whatever the templates do, the verdict and its first reason are in it.
///
/// # Errors
/// As [`super::markdown`].
pub fn markdown_limited(report: &Report, templates: &Templates, limit: Limit) -> Result<String, TemplateError> {
    let words = Words::of(report.language);
    let whole = render(report, templates, &[])?;
    if limit.holds(&whole) {
        return Ok(whole);
    }
    let mut report = report.clone();
    let mut cuts: Vec<(&'static str, Cut)> = Vec::new();
    for (name, cut, step) in STEPS {
        step(&mut report);
        cuts.retain(|(known, _)| *known != name(words));
        cuts.push((name(words), cut));
        let shorter = render(&report, templates, &dropped(&cuts, words))?;
        if limit.holds(&shorter) {
            return Ok(shorter);
        }
    }
    Ok(least(&report, words, limit))
}

fn dropped(cuts: &[(&'static str, Cut)], words: &Words) -> Vec<String> {
    let cut = |(name, cut): &(&str, Cut)| match cut {
        Cut::Shortened => fill(words.shortened, name),
        Cut::Gone => (*name).to_owned(),
    };
    cuts.iter().map(cut).collect()
}

/// What is left when no template's output fits: verdict, score, first reason.
fn least(report: &Report, words: &Words, limit: Limit) -> String {
    let verdict = words.verdict(report.verdict());
    let head =
        format!("## {} {verdict} · {}\n", sign(report.verdict()), text::markdown(&content::score(&report.run, words)));
    let reason = report.decisions.last().and_then(|decision| decision.reasons.first());
    let reason = reason.map(|reason| format!("\n- {}\n", text::markdown(&fit(reason, 300)))).unwrap_or_default();
    let note = format!("\n> {}\n", text::markdown(&fill(words.left_out, words.evidence)));
    let mut out = head;
    for part in [reason, note] {
        if limit.holds(&format!("{out}{part}")) {
            out.push_str(&part);
        }
    }
    while !limit.holds(&out) {
        out.pop();
    }
    out
}

fn shorten(texts: &mut Vec<String>, count: usize, width: usize) {
    texts.truncate(count);
    texts.iter_mut().for_each(|text| *text = fit(text, width));
}

/// The last whole lines within `most` bytes.
fn last_bytes(text: &str, most: usize) -> String {
    let Some(from) = text.len().checked_sub(most) else { return text.into() };
    match text.as_bytes()[from..].iter().position(|b| *b == b'\n') {
        Some(newline) => text[from + newline + 1..].into(),
        None => String::new(),
    }
}
