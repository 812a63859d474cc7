//! What is known about each contest's benchmarker and hosts: the defaults of `contest:` in `isugate.yml`.
//!
//! Facts are those of the contests' own repositories (provisioning, manuals, flags); addresses and paths can differ on
//! one's own hosts, so everything here may be overridden in the configuration.

mod older;
mod recent;

use std::time::Duration;

use super::format::Format;

/// The defaults of one contest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preset {
    /// The name that `contest:` takes; the same as the format's.
    pub contest: &'static str,
    pub format: Format,
    /// The benchmark command, with `{{host.NAME}}`, `{{port.NAME}}`, `{{run_dir}}` and `{{result_file}}` to be filled in.
    pub command: &'static str,
    /// What is added to the command for a run that only prepares, where the benchmarker has such a mode.
    pub prepare_flag: Option<&'static str>,
    /// Where the command must be run, since it reads files by relative paths. `None`: anywhere.
    pub dir: Option<&'static str>,
    /// The ports that the benchmarker itself opens, by the names in the command.
    pub ports: &'static [Port],
    /// The wall-clock limit of a run. Some benchmarkers can hang.
    pub timeout: Duration,
    /// The port of the application, behind nginx.
    pub app_port: u16,
    /// The application's unit for each language.
    pub units: &'static [Unit],
}

/// A TCP port that the benchmarker opens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Port {
    /// As in `{{port.NAME}}`.
    pub name: &'static str,
    /// The benchmarker's own default.
    pub default: u16,
}

/// An implementation of the application.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unit {
    pub language: &'static str,
    /// The systemd unit.
    pub unit: &'static str,
    /// The folder in which it is built, below the application's.
    pub dir: &'static str,
    /// The build command; empty where the language needs none or the unit builds by itself.
    pub build: &'static str,
}

impl Preset {
    /// The command of a run that only prepares: a broken commit costs seconds instead of a whole run.
    pub fn prepare_command(&self) -> Option<String> {
        self.prepare_flag.map(|flag| format!("{} {flag}", self.command))
    }

    /// Whether the benchmarker writes reports to the descriptor named by `ISUXBENCH_REPORT_FD`.
    pub fn speaks_report_fd(&self) -> bool {
        self.format.speaks_report_fd()
    }
}

/// The defaults of a contest, by its name.
pub fn preset(contest: &str) -> Option<&'static Preset> {
    recent::PRESETS.iter().chain(older::PRESETS).find(|preset| preset.contest == contest)
}

const fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

const fn unit(language: &'static str, unit: &'static str, dir: &'static str, build: &'static str) -> Unit {
    Unit { language, unit, dir, build }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> impl Iterator<Item = &'static Preset> {
        recent::PRESETS.iter().chain(older::PRESETS)
    }

    #[test]
    fn every_contest_has_a_preset_that_names_its_format() {
        assert_eq!(all().count(), 10);
        for preset in all() {
            assert_eq!(preset.contest, preset.format.name());
            assert_eq!(super::preset(preset.contest), Some(preset));
        }
        assert_eq!(preset("generic"), None);
    }

    #[test]
    fn every_port_of_a_command_is_declared() {
        for preset in all() {
            let used: Vec<&str> = preset
                .command
                .split("{{port.")
                .skip(1)
                .filter_map(|rest| rest.split_once("}}").map(|(name, _)| name))
                .collect();
            assert!(used.iter().all(|name| preset.ports.iter().any(|port| port.name == *name)), "{}", preset.contest);
            assert!(preset.ports.iter().all(|port| used.contains(&port.name)), "{}", preset.contest);
        }
    }

    #[test]
    fn a_result_file_is_asked_for_where_the_result_is_in_one() {
        for preset in all() {
            let in_file = preset.format.natural_channel() == crate::result::Channel::ResultFile;
            assert_eq!(preset.command.contains("{{result_file}}"), in_file, "{}", preset.contest);
        }
    }
}
