//! The figures of a snapshot that a report shows.

use serde::{Deserialize, Serialize};

/// Figures for the report. Absent where the snapshot has no such section: missing is not zero.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Statements with the largest total time, largest first, at most ten.
    pub top_sql: Vec<SqlRow>,
    /// Routes with the largest total time, largest first, at most ten.
    pub top_http: Vec<HttpRow>,
    /// Requests answered with 5xx, of `accesslog` if there is one, else of `http`.
    pub status_5xx: Option<u64>,
    /// Waits for a database connection, all pools.
    pub pool_waits: Option<u64>,
    /// Nanoseconds waited for a database connection, summed over goroutines.
    pub pool_wait_ns: Option<u64>,
    /// Busy share of the whole machine's CPU, percent (100 = all cores).
    pub cpu_busy_percent: Option<f64>,
    /// Processes with the largest CPU share: command and percent of one core.
    pub top_cpu: Vec<(String, f64)>,
    /// `meta.revision`: what isutools believes was built.
    pub revision: Option<String>,
    /// `meta.health` rows that are degraded or failed: `collector: message`.
    pub health: Vec<String>,
}

/// One statement.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct SqlRow {
    /// The normalised statement.
    pub query: String,
    /// Executions.
    pub count: u64,
    /// Failed executions.
    pub errors: u64,
    /// Nanoseconds in all.
    pub total_ns: u64,
    /// Nanoseconds, upper edge of a power-of-two bucket.
    pub p95_ns: u64,
}

/// One route with one status.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct HttpRow {
    /// `METHOD path`.
    pub route: String,
    /// HTTP status.
    pub status: u16,
    /// Requests.
    pub count: u64,
    /// Nanoseconds in all.
    pub total_ns: u64,
    /// Nanoseconds, upper edge of a power-of-two bucket.
    pub p95_ns: u64,
}
