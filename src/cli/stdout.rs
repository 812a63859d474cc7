//! Printing a result: a reader that has seen enough, such as `head`, is no error.

use std::io::{ErrorKind, Write};

/// Writes to stdout.
///
/// # Errors
/// Those of the system, except that the reader has gone.
pub fn print(text: &str) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(e) if e.kind() != ErrorKind::BrokenPipe => Err(e.into()),
        _ => Ok(()),
    }
}
