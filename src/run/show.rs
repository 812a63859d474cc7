//! The stage report: one model, written as Markdown and JSON beside the run, and to the job summary of a workflow.

use std::{io::Write, path::Path};

use super::{Setting, Way, judge::Judged};
use crate::{
    exit::{Exit, Failure},
    ledger::{DecisionRecord, Entry, Ledger, RunRecord},
    report::{CodeRow, Limit, Report, Templates, json_text, markdown, markdown_limited},
};

/// Bytes of the benchmarker's output that a report holds: what the official portals keep.
const TAIL: u64 = 48_000;
/// GitHub drops a job summary that is larger than 1 MiB; a step may share it with others.
const SUMMARY: usize = 1 << 20;

/// Puts the report together.
pub fn report(
    way: &Way<'_>,
    run: RunRecord,
    baseline: Option<RunRecord>,
    decision: DecisionRecord,
    judged: Judged,
    hosts: Vec<String>,
    warnings: Vec<String>,
) -> Report {
    let directory = way.setting.runs().join(&run.id);
    Report {
        output_tail: tail(&directory),
        directory: directory.display().to_string(),
        decisions: decision.decisions,
        codes: judged.codes,
        noise: judged.noise,
        language: way.setting.config.report.language,
        run,
        baseline,
        hosts,
        warnings,
    }
}

/// Writes the report beside the run and to the job summary; returns where the Markdown is.
///
/// # Errors
/// A template of the user's that cannot be filled, the disk.
pub fn write(way: &Way<'_>, report: &Report) -> Result<String, Failure> {
    let config = &way.setting.config.report;
    let folder = config.templates.as_ref().map(|folder| way.setting.root.join(folder));
    let usage = |e: crate::report::TemplateError| {
        Failure::new(Exit::Usage, e.to_string(), "correct the template; the run and its verdict are in the ledger")
    };
    let templates = Templates::load(folder.as_deref()).map_err(usage)?;
    let text = markdown(report, &templates).map_err(usage)?;
    let directory = Path::new(&report.directory);
    let disk = |e: std::io::Error| Failure::new(Exit::Failed, format!("the report: {e}"), "is the disk full?");
    std::fs::write(directory.join("report.md"), &text).map_err(disk)?;
    std::fs::write(directory.join("report.json"), json_text(report)).map_err(disk)?;
    if let Some(summary) = std::env::var_os("GITHUB_STEP_SUMMARY").filter(|path| !path.is_empty()) {
        let there = std::fs::metadata(&summary).map_or(0, |facts| facts.len()) as usize;
        let limited =
            markdown_limited(report, &templates, Limit::Bytes(SUMMARY.saturating_sub(there + 1))).map_err(usage)?;
        let file = std::fs::OpenOptions::new().create(true).append(true).open(&summary);
        file.and_then(|mut file| file.write_all(limited.as_bytes())).map_err(disk)?;
    }
    Ok(directory.join("report.md").display().to_string())
}

/// The report of a run that has ended, with what was decided since; `None` where its files are not on this machine.
pub fn again(setting: &Setting, ledger: &Ledger, entry: &Entry) -> Option<Report> {
    #[derive(serde::Deserialize)]
    struct Kept {
        codes: Vec<CodeRow>,
        noise: Vec<String>,
        hosts: Vec<String>,
        warnings: Vec<String>,
    }
    let directory = setting.runs().join(&entry.run.id);
    let kept: Kept = serde_json::from_slice(&std::fs::read(directory.join("report.json")).ok()?).ok()?;
    Some(Report {
        output_tail: tail(&directory),
        directory: directory.display().to_string(),
        baseline: entry.decision.baseline.as_deref().and_then(|id| ledger.find(id).ok()).map(|entry| entry.run),
        run: entry.run.clone(),
        decisions: entry.decision.decisions.clone(),
        codes: kept.codes,
        noise: kept.noise,
        hosts: kept.hosts,
        warnings: kept.warnings,
        language: setting.config.report.language,
    })
}

/// The last bytes of the benchmarker's output.
pub fn tail(directory: &Path) -> String {
    use std::io::{Read, Seek, SeekFrom};
    let read = || -> std::io::Result<Vec<u8>> {
        let mut file = std::fs::File::open(directory.join("bench/stdout"))?;
        let size = file.metadata()?.len();
        file.seek(SeekFrom::Start(size.saturating_sub(TAIL)))?;
        let mut bytes = Vec::new();
        file.take(TAIL).read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    // A run without output has an empty tail; that it failed is said elsewhere.
    String::from_utf8_lossy(&read().unwrap_or_default()).into_owned()
}
