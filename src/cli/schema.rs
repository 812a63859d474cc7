//! `isugate schema`: the JSON Schema of `isugate.yml`, for editors.

use std::io::Write as _;

use crate::{config, exit::Exit};

/// Prints the schema to standard output.
///
/// # Errors
/// When standard output can't be written to.
pub fn run() -> anyhow::Result<u8> {
    std::io::stdout().write_all(config::json_schema()?.as_bytes())?;
    Ok(Exit::Done.into())
}
