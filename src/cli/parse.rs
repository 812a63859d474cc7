//! `isugate parse`: reads a benchmarker's output and prints the result.

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use anyhow::{Context as _, bail};
use clap::Args;
use jiff::Timestamp;

use crate::result::{
    Better, Channel, Channels, Codes, Ended, Format, GenericSpec, Outcome, Parsed, ReadOptions, ScoreSpec, Source,
    code_name, read,
};

/// Exit status of a fail.
const FAIL: u8 = 10;
/// Exit status of an invalid result.
const INVALID: u8 = 12;
/// How many messages a person is shown.
const SHOWN_MESSAGES: usize = 10;

/// Reads a benchmarker's output and prints the result: exit status 0 for pass, 10 for fail, 12 for invalid.
#[derive(Debug, Args)]
pub struct ParseArgs {
    /// The result format: isucon14, isucon13, private-isu, generic, …
    #[arg(long, value_name = "NAME")]
    pub format: Format,
    /// The output, from the channel where the format has its result. `-` or nothing: standard input
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// What the benchmarker wrote to standard output
    #[arg(long, value_name = "FILE")]
    pub stdout: Option<PathBuf>,
    /// What the benchmarker wrote to standard error
    #[arg(long, value_name = "FILE")]
    pub stderr: Option<PathBuf>,
    /// Standard output and standard error in one file (2>&1)
    #[arg(long, value_name = "FILE")]
    pub merged: Option<PathBuf>,
    /// The result file that the benchmarker wrote
    #[arg(long, value_name = "FILE")]
    pub result_file: Option<PathBuf>,
    /// What the benchmarker wrote to the descriptor ISUXBENCH_REPORT_FD
    #[arg(long, value_name = "FILE")]
    pub report_fd: Option<PathBuf>,
    /// The benchmarker's exit status
    #[arg(long, value_name = "N", allow_negative_numbers = true, conflicts_with_all = ["signal", "timed_out"])]
    pub exit_code: Option<i32>,
    /// The signal that ended the benchmarker
    #[arg(long, value_name = "N", conflicts_with = "timed_out")]
    pub signal: Option<i32>,
    /// The benchmarker was ended at its wall-clock limit
    #[arg(long)]
    pub timed_out: bool,
    /// When the run began (RFC 3339, or seconds since 1970): files from before are refused
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    pub started_at: Option<SystemTime>,
    /// For the format generic: where the result is, as JSON (the shape of `bench.result`), or @FILE with it
    #[arg(long, value_name = "JSON")]
    pub generic: Option<String>,
    /// For k6, oha, wrk and hyperfine: the figure that is the score, with the way that is better, as in requests_per_sec:higher
    #[arg(long, value_name = "FIGURE:WAY", value_parser = parse_score)]
    pub score: Option<ScoreSpec>,
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
}

/// Runs the command. Returns the exit status; an error is a usage error.
pub fn run(args: ParseArgs) -> anyhow::Result<u8> {
    let mut options = ReadOptions::new(args.format);
    options.started_at = args.started_at;
    options.score = args.score.clone();
    options.generic = args.generic.as_deref().map(generic_spec).transpose()?;
    let channels = channels(&args)?;
    let ended = match (args.exit_code, args.signal, args.timed_out) {
        (_, _, true) => Some(Ended::TimedOut),
        (_, Some(signal), _) => Some(Ended::Signaled(signal)),
        (Some(status), _, _) => Some(Ended::Exited(status)),
        _ => None,
    };
    let parsed = read(&options, &channels, ended);
    let mut out = io::stdout().lock();
    let shown = if args.json { serde_json::to_string(&parsed)? + "\n" } else { block(args.format, &parsed) };
    out.write_all(shown.as_bytes()).and_then(|()| out.flush()).context("the result cannot be written")?;
    Ok(match parsed.outcome {
        Outcome::Pass => 0,
        Outcome::Fail => FAIL,
        Outcome::Invalid => INVALID,
    })
}

fn generic_spec(given: &str) -> anyhow::Result<GenericSpec> {
    let json = match given.strip_prefix('@') {
        Some(path) => fs::read_to_string(path)
            .with_context(|| format!("--generic: {} cannot be read", crate::text::terminal_line(path)))?,
        None => given.to_owned(),
    };
    serde_json::from_str(&json).context("--generic: not a description of a result")
}

fn channels(args: &ParseArgs) -> anyhow::Result<Channels> {
    let mut stdin_taken = false;
    let mut source = |path: &PathBuf| {
        if path.as_os_str() != "-" {
            return Ok(Source::Path(path.clone()));
        }
        if std::mem::replace(&mut stdin_taken, true) {
            bail!("standard input can be only one channel: `-` was given twice");
        }
        Ok(Source::reader(io::stdin()))
    };
    let mut open = |path: &Option<PathBuf>| path.as_ref().map(&mut source).transpose();
    let mut channels = Channels {
        stdout: open(&args.stdout)?,
        stderr: open(&args.stderr)?,
        merged: open(&args.merged)?,
        result_file: open(&args.result_file)?,
        report_fd: open(&args.report_fd)?,
    };
    let lone = match args.files.as_slice() {
        [] if has_any(&channels) => return Ok(channels),
        [] => PathBuf::from("-"),
        [file] => file.clone(),
        _ => bail!(
            "more than one FILE: say which is which with --stdout, --stderr, --merged, --result-file, --report-fd"
        ),
    };
    let (slot, option) = match args.format.natural_channel() {
        Channel::Stdout => (&mut channels.stdout, "--stdout"),
        Channel::ResultFile => (&mut channels.result_file, "--result-file"),
        Channel::ReportFd => (&mut channels.report_fd, "--report-fd"),
    };
    if slot.is_some() {
        bail!("FILE and {option} name the same channel of the format {}: give one of them", args.format);
    }
    *slot = open(&Some(lone))?;
    Ok(channels)
}

fn has_any(channels: &Channels) -> bool {
    let Channels { stdout, stderr, merged, result_file, report_fd } = channels;
    [stdout, stderr, merged, result_file, report_fd].into_iter().any(Option::is_some)
}

/// A block of text for a person. Foreign text in it is harmless.
fn block(format: Format, parsed: &Parsed) -> String {
    let mut out = Vec::new();
    let outcome = match parsed.outcome {
        Outcome::Pass => "pass",
        Outcome::Fail => "fail",
        Outcome::Invalid => "invalid",
    };
    out.push(format!("{outcome:8} {format}"));
    if let Some(score) = parsed.score {
        let printed = parsed.reported_score.filter(|printed| *printed != score);
        let printed = printed.map(|printed| format!("  (the benchmarker printed {printed})")).unwrap_or_default();
        out.push(format!("score    {score}{printed}"));
    }
    if let Some(reason) = &parsed.reason {
        out.push(format!("reason   {}", crate::text::terminal_line(reason)));
    }
    if let Some(error) = &parsed.error {
        out.push(format!("error    {}: {}", error.kind, crate::text::terminal_line(&error.message)));
    }
    out.extend(codes(format, parsed.codes.as_ref()));
    out.extend(parsed.warnings.iter().map(|warning| format!("warning  {}", crate::text::terminal_line(warning))));
    out.extend(
        parsed
            .messages
            .iter()
            .take(SHOWN_MESSAGES)
            .map(|message| format!("message  {}", crate::text::terminal_line(message))),
    );
    if parsed.messages.len() > SHOWN_MESSAGES {
        out.push(format!("         … and {} more messages", parsed.messages.len() - SHOWN_MESSAGES));
    }
    out.join("\n") + "\n"
}

fn codes(format: Format, codes: Option<&Codes>) -> Vec<String> {
    let mut codes: Vec<(&String, &u64)> = codes.into_iter().flatten().collect();
    codes.sort_by_key(|(code, _)| (code.parse::<u64>().unwrap_or(u64::MAX), (*code).clone()));
    codes
        .into_iter()
        .map(|(code, count)| match code_name(format, code) {
            Some(info) => {
                let name = if info.name == code { String::new() } else { format!(" {}", info.name) };
                let critical = if info.critical { ", critical" } else { "" };
                format!("code     {code}{name} ×{count}  ({}{critical})", info.meaning_en)
            }
            None => format!("code     {} ×{count}", crate::text::terminal_line(code)),
        })
        .collect()
}

fn parse_score(given: &str) -> Result<ScoreSpec, String> {
    match given.rsplit_once(':') {
        Some((figure, "higher")) => Ok(ScoreSpec::new(figure, Better::Higher)),
        Some((figure, "lower")) => Ok(ScoreSpec::new(figure, Better::Lower)),
        _ => Err("write the figure's name and the way that is better: latency.p99:lower".to_owned()),
    }
}

/// RFC 3339, or seconds since 1970 with or without a fraction.
fn parse_time(given: &str) -> Result<SystemTime, String> {
    let since_1970 = |time: Timestamp| Duration::try_from(time.as_duration()).ok();
    let digits = given.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    let seconds = given.parse().ok().filter(|_| digits).and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    let seconds = seconds.or_else(|| given.parse().ok().and_then(since_1970));
    seconds.and_then(|seconds| SystemTime::UNIX_EPOCH.checked_add(seconds)).ok_or_else(|| {
        "not a time: write 2026-11-30T15:04:05Z, 2026-11-30T15:04:05.123+09:00, or seconds since 1970".to_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(given: &str) -> Option<f64> {
        let time = parse_time(given).ok()?;
        time.duration_since(SystemTime::UNIX_EPOCH).ok().map(|d| d.as_secs_f64())
    }

    #[test]
    fn times_are_read_in_both_forms() {
        assert_eq!(seconds("1970-01-01T00:00:00Z"), Some(0.0));
        assert_eq!(seconds("2024-02-29T12:00:00Z"), Some(1_709_208_000.0));
        assert_eq!(seconds("2026-11-30T15:04:05.5+09:00"), Some(1_796_018_645.5));
        assert_eq!(seconds("1796018645.5"), Some(1_796_018_645.5));
        for bad in
            ["", "yesterday", "2026-13-01T00:00:00Z", "2026-11-30T15:04:05", "-1", "1e9", "2026-11-30T15:04:05.Z5"]
        {
            assert_eq!(seconds(bad), None, "{bad}");
        }
    }
}
