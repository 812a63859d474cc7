//! Reading a snapshot (schema 3): whether it is the run's and may be trusted, and the figures that a report shows. Unknown
//! keys are ignored, since the schema grows without a new number.

use serde_json::Value;
use sha2::{Digest, Sha256};

use super::{HttpRow, SqlRow, Summary};
use crate::deploy::hex;

/// Rows that a summary keeps of each kind.
const TOP: usize = 10;

/// What a snapshot should be.
#[derive(Debug, Clone)]
pub struct Expected<'a> {
    /// What `/reset` answered.
    pub run_id: &'a str,
    /// What `/save` answered.
    pub saved_run_id: Option<&'a str>,
    /// What `/save` answered, hex.
    pub sha256: &'a str,
}

/// What was read.
#[derive(Debug, Clone, PartialEq)]
pub struct Snapshot {
    /// Figures for the report.
    pub summary: Summary,
    /// `meta.run.validity`.
    pub validity: Option<String>,
    /// Why it must not be trusted, or only in part.
    pub problems: Vec<String>,
}

/// Reads the bytes of a pulled snapshot.
///
/// # Errors
/// A sentence when it is not the file that `/save` spoke of, or no snapshot at all.
pub fn read(bytes: &[u8], expected: &Expected<'_>) -> Result<Snapshot, String> {
    let sum = hex(&Sha256::digest(bytes));
    if !sum.eq_ignore_ascii_case(expected.sha256) {
        return Err(format!("the pulled snapshot's SHA-256 is {sum}, /save said {}", expected.sha256));
    }
    let root: Value = serde_json::from_slice(bytes).map_err(|e| format!("the snapshot is not JSON: {e}"))?;
    let meta = &root["meta"];
    match meta["schema_version"].as_u64() {
        Some(3) => {}
        other => return Err(format!("the snapshot has schema version {other:?}; 3 is known")),
    }
    let mut problems = Vec::new();
    let run = &meta["run"];
    let inside = run["run_id"].as_str();
    if expected.saved_run_id != Some(expected.run_id) {
        problems.push(format!(
            "/reset opened {}, /save closed {}",
            expected.run_id,
            expected.saved_run_id.unwrap_or("none")
        ));
    }
    match inside {
        None => problems
            .push("the snapshot names no run: its data are not this run's (the client of /save went away)".into()),
        Some(id) if id != expected.run_id => {
            let by = if run["trigger"] == "api" { " (the application itself opened it)" } else { "" };
            problems.push(format!("the snapshot is of run {id}, not {}{by}", expected.run_id));
        }
        Some(_) => {}
    }
    let validity = run["validity"].as_str().map(str::to_string);
    let dropped = dropped_sections(run);
    match validity.as_deref() {
        Some("valid") | None => {}
        Some("partial") => problems.push(format!("the snapshot is partial: {}", reasons(run))),
        Some(other) => problems.push(format!("the snapshot is {other}: {}", reasons(run))),
    }
    if run["recovered"] == true {
        problems.push(format!(
            "the snapshot is a recovery ({})",
            run["recovery_reason"].as_str().unwrap_or("no reason given")
        ));
    }
    Ok(Snapshot { summary: summary(&root, &dropped), validity, problems })
}

/// Whether the figures may be shown as this run's at all.
pub fn usable(snapshot: &Snapshot) -> bool {
    matches!(snapshot.validity.as_deref(), Some("valid" | "partial"))
}

fn rows(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn reasons(run: &Value) -> String {
    let row = |c: &Value| Some(format!("{} {}", c["name"].as_str()?, c["code"].as_str()?));
    let found: Vec<_> = rows(&run["collectors"]).filter_map(row).collect();
    if found.is_empty() { "no collector says why".into() } else { found.join(", ") }
}

/// A dropped section is not absent: it holds what was counted after the run.
fn dropped_sections(run: &Value) -> Vec<String> {
    let dropped = |c: &&Value| c["dropped"] == true;
    rows(&run["collectors"]).filter(dropped).filter_map(|c| c["name"].as_str().map(str::to_string)).collect()
}

fn summary(root: &Value, dropped: &[String]) -> Summary {
    let section = |name: &str| if dropped.iter().any(|d| d == name) { &Value::Null } else { &root[name] };
    let number = |row: &Value, key: &str| row[key].as_u64().unwrap_or(0);
    let text = |row: &Value, key: &str| row[key].as_str().unwrap_or_default().to_string();
    let mut top_sql: Vec<_> = rows(section("sql"))
        .map(|row| SqlRow {
            query: text(row, "key"),
            count: number(row, "count"),
            errors: number(row, "error_count"),
            total_ns: number(row, "total_ns"),
            p95_ns: number(row, "p95_ns"),
        })
        .collect();
    top_sql.sort_by_key(|row| std::cmp::Reverse(row.total_ns));
    top_sql.truncate(TOP);
    let mut top_http: Vec<_> = rows(section("http"))
        .map(|row| HttpRow {
            route: format!("{} {}", text(row, "method"), text(row, "path")),
            status: u16::try_from(number(row, "status")).unwrap_or(0),
            count: number(row, "count"),
            total_ns: number(row, "total_ns"),
            p95_ns: number(row, "p95_ns"),
        })
        .collect();
    let app_5xx =
        section("http").is_array().then(|| top_http.iter().filter(|r| r.status >= 500).map(|r| r.count).sum());
    top_http.sort_by_key(|row| std::cmp::Reverse(row.total_ns));
    top_http.truncate(TOP);
    let access = &section("accesslog")["entries"];
    let proxy_5xx = access.is_array().then(|| rows(access).map(|row| number(row, "status_5xx")).sum());
    let pools = section("dbpool");
    let pool = |key: &str| pools.is_array().then(|| rows(pools).map(|row| number(row, key)).sum());
    let proc = section("proc");
    let top_cpu =
        rows(&proc["topCPU"]).take(5).map(|row| (text(row, "command"), row["cpuPercent"].as_f64().unwrap_or(0.0)));
    let bad = |row: &&Value| matches!(row["status"].as_str(), Some("degraded" | "failed"));
    let health = rows(&root["meta"]["health"]).filter(bad).map(|row| match row["message"].as_str() {
        Some(message) if !message.is_empty() => format!("{}: {message}", text(row, "collector")),
        _ => format!("{}: {}", text(row, "collector"), text(row, "status")),
    });
    Summary {
        top_sql,
        top_http,
        status_5xx: proxy_5xx.or(app_5xx),
        pool_waits: pool("wait_count"),
        pool_wait_ns: pool("wait_duration_ns"),
        cpu_busy_percent: proc["cpuTotal"]["busyPercent"].as_f64(),
        top_cpu: top_cpu.collect(),
        revision: root["meta"]["revision"].as_str().map(str::to_string),
        health: health.collect(),
    }
}
