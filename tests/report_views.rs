//! The report's views of sample runs, and the safety of what they show.

#[path = "report_views/documents.rs"]
mod documents;
#[path = "report_views/limits.rs"]
mod limits;
#[path = "report_views/progress.rs"]
mod progress;
#[path = "report_views/safety.rs"]
mod safety;
#[path = "report_views/samples.rs"]
mod samples;
#[path = "report_views/templates.rs"]
mod templates;
