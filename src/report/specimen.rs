//! Loading a user's templates, and rendering specimen reports with them at once: a wrong variable shows before a run, not after it.

use std::path::Path;

use serde_json::json;

use super::{
    CodeRow, Report,
    markdown::render,
    templates::{TemplateError, Templates},
};
use crate::{
    config::shape::Language,
    ledger::{Decision, RunRecord},
    verdict::Verdict,
};

impl Templates {
    /// The built-in templates, with those of `folder` in the place of the built-in ones of the same file name.
    ///
    /// # Errors
    /// When the folder or a template cannot be read, a template replaces nothing, does not parse, or asks for a variable that
    /// there is not.
    pub fn load(folder: Option<&Path>) -> Result<Templates, TemplateError> {
        let Some(folder) = folder else { return Ok(Templates::built_in()) };
        let templates = Templates::read(folder)?;
        for report in specimens() {
            render(&report, &templates, &["specimen".into()])?;
        }
        Ok(templates)
    }
}

/// A report that has every part, and one that has as few as there can be.
fn specimens() -> Vec<Report> {
    let Some(run) = run() else { return Vec::new() };
    let decision = |verdict, by_person| Decision {
        verdict,
        reasons: vec!["a reason".into()],
        by: "specimen".into(),
        by_person,
        at: "2026-01-01T00:00:00Z".into(),
    };
    let full = Report {
        baseline: Some(run.clone()),
        decisions: vec![decision(Verdict::Invalid, false), decision(Verdict::Accept, true)],
        codes: vec![CodeRow {
            code: "1".into(),
            name: None,
            baseline: 0.0,
            candidate: 1,
            rule: "a rule".into(),
            vetoes: true,
        }],
        noise: vec!["a sentence".into()],
        hosts: vec!["a sentence".into()],
        warnings: vec!["a sentence".into()],
        output_tail: "a line\n".into(),
        directory: "a directory".into(),
        language: Language::En,
        run,
    };
    let mut bare = full.clone();
    bare.baseline = None;
    bare.decisions.clear();
    bare.codes.clear();
    bare.run.isutools.clear();
    bare.run.evidence.clear();
    vec![full, bare]
}

/// A record with every part, read as one of the ledger is.
fn run() -> Option<RunRecord> {
    let summary = json!({
        "top_sql": [{ "query": "SELECT 1", "count": 1, "errors": 1, "total_ns": 1, "p95_ns": 1 }],
        "top_http": [{ "route": "GET /", "status": 200, "count": 1, "total_ns": 1, "p95_ns": 1 }],
        "status_5xx": 1, "pool_waits": 1, "pool_wait_ns": 1, "cpu_busy_percent": 1.0, "top_cpu": [["app", 1.0]],
        "revision": null, "health": ["a sentence"],
    });
    let messages: Vec<_> = (0..30).map(|n| n.to_string()).chain(["0".into()]).collect();
    let evidence: Vec<_> = (0..60).map(|n| json!({ "path": n.to_string(), "size": 1, "sha256": "" })).collect();
    let record = json!({
        "schema_version": "1.0", "id": "specimen", "commit": "0000000000000000000000000000000000000000", "subject": "a subject",
        "branch": "a branch", "started_at": "2026-01-01T00:00:00Z", "finished_at": "2026-01-01T00:00:00Z",
        "series": { "key": "", "contest": "", "benchmarker": null, "command": "", "hosts": {}, "collectors": true },
        "bench": {
            "host": "", "command": "", "format": "", "exit_code": 0, "signal": null, "timed_out": false, "seconds": 1.0,
        },
        "result": {
            "outcome": "pass", "reported_pass": true, "reported_score": 1, "score": 1, "codes": {}, "reason": "a reason",
            "error": null, "warnings": ["a sentence"], "messages": messages,
        },
        "isutools": [{
            "host": "app", "run_id": null, "snapshot": null, "sha256": null, "validity": null, "summary": summary,
            "problems": ["a sentence"],
        }],
        "evidence": evidence,
        "violations": ["a sentence"],
    });
    serde_json::from_value(record).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_specimen_with_every_part_leaves_no_list_of_a_template_empty() {
        let reports = specimens();
        assert_eq!(reports.len(), 2, "the specimen record no longer reads as a record");
        let text = render(&reports[0], &Templates::built_in(), &["a part".into()]).unwrap_or_default();
        for part in
            ["decided by", "gate's own", "Disturbances", "Error codes", "Noise", "Warnings", "Hosts", "Evidence of"]
        {
            assert!(text.contains(part), "{part}: {text}");
        }
        for part in
            ["statement", "route", "5xx", "and 10 more", "and 20 more", "(×2)", "Environment", "<pre>", "Left out"]
        {
            assert!(text.contains(part), "{part}: {text}");
        }
    }
}
