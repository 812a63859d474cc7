//! The report as one JSON document, for programs. Texts are raw; docs/report.md describes the fields.

use serde_json::{Value, json};

use super::{Report, content, text};

/// `major.minor` of the document's shape. Fields may be added within a major version.
pub const SCHEMA_VERSION: &str = "1.0";

/// The report as one document.
pub fn json(report: &Report) -> Value {
    let holds = report.decisions.last();
    let result = &report.run.result;
    let baseline = report.baseline.as_ref().map(|run| {
        json!({ "id": run.id, "commit": run.commit, "score": run.result.score, "pass": run.result.reported_pass, "codes": run.result.codes })
    });
    json!({
        "schema_version": SCHEMA_VERSION,
        "verdict": report.verdict(),
        "reasons": holds.map(|decision| &decision.reasons),
        "decided_by": holds.map(|decision| &decision.by),
        "decisions": report.decisions,
        "outcome": result.outcome,
        "pass": result.reported_pass,
        "score": result.score,
        "score_change_percent": content::score_change(report),
        "baseline": baseline,
        "codes": report.codes,
        "noise": report.noise,
        "violations": report.run.violations,
        "hosts": report.hosts,
        "warnings": report.warnings,
        "directory": report.directory,
        "evidence": report.run.evidence,
        "run": report.run,
    })
}

/// [`json`] as text, indented, ending with a newline, safe to show on a terminal.
pub fn json_text(report: &Report) -> String {
    text::json(&format!("{:#}\n", json(report))).into_owned()
}
