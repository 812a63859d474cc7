//! `isugate.yml`: its shape, how it is read, and what is wrong with it, said with file, line and column.

mod checks;
mod conform;
mod cursor;
mod diagnostic;
mod duration;
mod error;
mod keys;
mod known;
mod load;
mod nearest;
mod select;
pub mod shape;
pub mod template;
mod tree;

pub use diagnostic::Diagnostic;
pub use duration::parse_duration;
pub use error::ConfigError;
pub use known::{CONTESTS, FORMATS};
pub use load::{FILE_NAME, Loaded, Positions, Read, load, parse};
pub use shape::Config;

/// The JSON Schema of `isugate.yml`, for editors; its descriptions are those of [`Config`]'s fields.
///
/// # Errors
/// When the schema can't be written as JSON.
pub fn json_schema() -> Result<String, serde_json::Error> {
    let mut schema = schemars::schema_for!(Config);
    schema.insert("title".into(), "isugate.yml".into());
    serde_json::to_string_pretty(&schema).map(|text| text + "\n")
}
