//! The benchmarker's command line: what stands in for `{{…}}`, with every value quoted for the shell that will read it.

use std::collections::BTreeMap;

use crate::{config::Config, host::quote};

/// What the command line of a run may speak of.
#[derive(Debug, Clone)]
pub struct Place<'a> {
    /// The configuration, for `{{host.NAME}}`.
    pub config: &'a Config,
    /// Chosen ports by name, for `{{port.NAME}}`.
    pub ports: &'a BTreeMap<String, u16>,
    /// The benchmarker's directory of this run on its host.
    pub run_dir: &'a str,
    /// The commit.
    pub commit: &'a str,
}

impl Place<'_> {
    /// The value of one variable, quoted; `None` if there is no such variable.
    pub fn value(&self, variable: &str) -> Option<String> {
        let value = match variable {
            "run_dir" => self.run_dir.to_string(),
            "result_file" => result_file(self.run_dir),
            "commit" => self.commit.to_string(),
            _ => match variable.split_once('.') {
                Some(("host", name)) => self.config.host_address(name)?,
                Some(("port", name)) => self.ports.get(name)?.to_string(),
                _ => return None,
            },
        };
        Some(quote(&value))
    }
}

/// Where the benchmarker is told to put its result: a path that no earlier run had.
pub fn result_file(run_dir: &str) -> String {
    format!("{run_dir}/result.json")
}
