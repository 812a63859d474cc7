//! The report's views of sample runs, and the safety of what they show.

mod documents;
mod limits;
mod progress;
mod safety;
mod samples;
mod templates;
