//! The names of the result formats.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// A benchmarker's result format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Format {
    Isucon14,
    Isucon13,
    Isucon12Qualify,
    Isucon12Final,
    Isucon11Qualify,
    Isucon11Final,
    Isucon10Qualify,
    Isucon9Qualify,
    PrivateIsu,
    Kayac2022,
    /// The frames of `ISUXBENCH_REPORT_FD` alone.
    ReportFd,
    /// A JSON document or text that the user describes.
    Generic,
    /// Score and outcome as a person typed them in.
    Portal,
    /// k6's summary export.
    K6,
    /// `oha --json` (also `--output-format json`).
    Oha,
    /// wrk's text.
    Wrk,
    /// `hyperfine --export-json`.
    Hyperfine,
}

/// The channel that holds a format's result when one file is given without saying which it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Channel {
    Stdout,
    ResultFile,
    ReportFd,
}

impl Format {
    /// Every format, in the order of the documentation.
    pub const ALL: [Self; 17] = [
        Self::Isucon14,
        Self::Isucon13,
        Self::Isucon12Qualify,
        Self::Isucon12Final,
        Self::Isucon11Qualify,
        Self::Isucon11Final,
        Self::Isucon10Qualify,
        Self::Isucon9Qualify,
        Self::PrivateIsu,
        Self::Kayac2022,
        Self::ReportFd,
        Self::Generic,
        Self::Portal,
        Self::K6,
        Self::Oha,
        Self::Wrk,
        Self::Hyperfine,
    ];

    /// The name in configuration, command line and records.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Isucon14 => "isucon14",
            Self::Isucon13 => "isucon13",
            Self::Isucon12Qualify => "isucon12-qualify",
            Self::Isucon12Final => "isucon12-final",
            Self::Isucon11Qualify => "isucon11-qualify",
            Self::Isucon11Final => "isucon11-final",
            Self::Isucon10Qualify => "isucon10-qualify",
            Self::Isucon9Qualify => "isucon9-qualify",
            Self::PrivateIsu => "private-isu",
            Self::Kayac2022 => "kayac-isucon-2022",
            Self::ReportFd => "report-fd",
            Self::Generic => "generic",
            Self::Portal => "portal",
            Self::K6 => "k6",
            Self::Oha => "oha",
            Self::Wrk => "wrk",
            Self::Hyperfine => "hyperfine",
        }
    }

    /// Where a lone file of this format comes from.
    pub const fn natural_channel(self) -> Channel {
        match self {
            Self::Isucon13 | Self::K6 | Self::Hyperfine => Channel::ResultFile,
            Self::ReportFd => Channel::ReportFd,
            _ => Channel::Stdout,
        }
    }

    /// Whether the benchmarker also writes frames to the descriptor named by `ISUXBENCH_REPORT_FD`.
    pub const fn speaks_report_fd(self) -> bool {
        matches!(
            self,
            Self::Isucon14
                | Self::Isucon12Qualify
                | Self::Isucon12Final
                | Self::Isucon11Qualify
                | Self::Isucon11Final
                | Self::ReportFd
        )
    }

    /// Whether the benchmarker is one of the official Go programs, whose exit status 2 is a crash
    /// (private-isu exits 2 on every fail, so there it is not).
    pub(super) const fn exit_2_is_a_crash(self) -> bool {
        matches!(
            self,
            Self::Isucon14
                | Self::Isucon13
                | Self::Isucon12Qualify
                | Self::Isucon12Final
                | Self::Isucon11Qualify
                | Self::Isucon11Final
                | Self::Isucon10Qualify
                | Self::Isucon9Qualify
                | Self::Kayac2022
                | Self::ReportFd
        )
    }

    /// Whether the benchmarker can end with this exit status after a judged fail.
    pub(super) const fn can_fail_with(self, status: i32) -> bool {
        match self {
            Self::Isucon14
            | Self::Isucon13
            | Self::Isucon12Qualify
            | Self::Isucon11Qualify
            | Self::Isucon11Final
            | Self::Kayac2022
            | Self::ReportFd => matches!(status, 0 | 1),
            Self::Isucon12Final | Self::Isucon10Qualify | Self::Isucon9Qualify => status == 0,
            Self::PrivateIsu => status == 2,
            Self::K6 => matches!(status, 0 | 99),
            Self::Generic | Self::Portal | Self::Oha | Self::Wrk | Self::Hyperfine => true,
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// No format has this name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no result format `{given}`; did you mean `{nearest}`? The formats are {list}")]
pub struct UnknownFormat {
    given: String,
    /// The name that is nearest to the given one.
    pub nearest: &'static str,
    list: String,
}

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(given: &str) -> Result<Self, Self::Err> {
        if let Some(format) = Self::ALL.into_iter().find(|format| format.name() == given) {
            return Ok(format);
        }
        let nearest = Self::ALL
            .into_iter()
            .map(Self::name)
            .min_by_key(|name| strsim::levenshtein(super::text::head(given, 64), name))
            .unwrap_or("generic");
        Err(UnknownFormat {
            given: crate::text::terminal_line(given),
            nearest,
            list: Self::ALL.map(Self::name).join(", "),
        })
    }
}

impl TryFrom<String> for Format {
    type Error = UnknownFormat;

    fn try_from(given: String) -> Result<Self, Self::Error> {
        given.parse()
    }
}

impl From<Format> for String {
    fn from(format: Format) -> Self {
        format.name().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_reads_back() {
        for format in Format::ALL {
            assert_eq!(format.name().parse(), Ok(format));
        }
    }

    #[test]
    fn a_mistyped_name_gets_the_nearest_one() {
        let nearest = |given: &str| given.parse::<Format>().map_err(|e| e.nearest);
        assert_eq!(nearest("isucon-14"), Err("isucon14"));
        assert_eq!(nearest("isucon11-qualifier"), Err("isucon11-qualify"));
        assert_eq!(nearest("privateisu"), Err("private-isu"));
    }
}
