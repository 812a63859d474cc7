//! What is there before the benchmarker starts: its program, and ports that are free.

use std::{collections::BTreeMap, time::Duration};

use crate::{
    exit::{Exit, Failure},
    host::{Cmd, Host},
};

const LOOK: &str = include_str!("scripts/look.sh");

/// What was found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Look {
    /// SHA-256 of the benchmarker's program, where the command line tells which it is.
    pub sha256: Option<String>,
    /// A free port for each name.
    pub ports: BTreeMap<String, u16>,
}

/// Looks on the benchmarker's host. `seed` spreads the ports of runs that come soon after one another.
///
/// # Errors
/// [`Exit::Benchmarker`] when its program is not there, or no port is free.
pub async fn look(host: &Host, line: &str, cwd: &str, ports: &[String], seed: u64) -> Result<Look, Failure> {
    // Below the range that Linux gives to outgoing connections (32768 and up), so that none is taken between here and there.
    let base = 20_000 + seed % 8_000;
    let args = [line, cwd, &ports.len().to_string(), &base.to_string()];
    let output = host.output(&Cmd::script(LOOK, args), Duration::from_secs(30)).await?;
    let text = output.text();
    let mut free = text.lines().filter_map(|line| line.strip_prefix("port ")?.parse().ok());
    if let Some(program) = text.lines().find_map(|line| line.strip_prefix("missing ")) {
        let why = match text.lines().any(|line| line.starts_with("unexecutable ")) {
            true => "may not be executed",
            false => "is not there",
        };
        let message = format!("{}: the benchmarker `{}` {why}", host.name(), program.escape_debug());
        let next = format!("correct bench.run, or bench.dir (now {cwd}), or put the program in place (chmod +x)");
        return Err(Failure::new(Exit::Benchmarker, message, next));
    }
    let ports: BTreeMap<_, _> = ports.iter().cloned().zip(free.by_ref()).collect();
    Ok(Look { sha256: text.lines().find_map(|line| line.strip_prefix("sha256 ").map(str::to_string)), ports })
}
