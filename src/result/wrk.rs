//! wrk: its text on standard output.
//!
//! ```text
//! Running 2s test @ http://127.0.0.1:8080/
//!   176 requests in 2.01s, 20.37KB read
//!   Socket errors: connect 0, read 0, write 0, timeout 3
//!   Non-2xx or 3xx responses: 44
//! Requests/sec:     87.54
//! Transfer/sec:     10.13KB
//! ```
//! Format: `main` of wg/wrk's `src/wrk.c`, seen on 4.1.0. The two lines of errors are there only if there were errors.

use super::Context;
use super::channels::Channels;
use super::error::ErrorKind;
use super::figure::{Better, ScoreSpec};
use super::lines::MAX_LOG_LINE;
use super::outcome::{Claim, Codes, Invalid, Notes};

const KNOWN: &str = "requests_per_sec, requests, latency.avg, latency.stdev, latency.max, and with --latency latency.p50, .p75, .p90, .p99";

#[derive(Default)]
struct Seen {
    runs: u32,
    requests: Option<u64>,
    rate: Option<f64>,
    whole: bool,
    /// Latencies in milliseconds, by the names of their figures.
    latencies: Vec<(&'static str, f64)>,
    codes: Codes,
}

pub(super) fn read<'c>(channels: &'c Channels, context: &Context<'c>) -> Result<Claim, Invalid> {
    let source = channels.output().ok_or_else(|| super::no_channel("the standard output"))?;
    let mut lines = context.lines(source, MAX_LOG_LINE)?;
    let mut notes = Notes::default();
    let mut seen = Seen::default();
    while let Some(line) = lines.next().map_err(super::unreadable)? {
        if line.over_long {
            notes.warn("over_long_line");
        } else if line.whole {
            seen.line(&String::from_utf8_lossy(line.bytes))?;
        }
    }
    let (Some(requests), Some(rate)) = (seen.requests, seen.rate) else {
        return Err(
            Invalid::new(ErrorKind::MissingResult, "no line `Requests/sec:`: wrk ended before its result").with(notes)
        );
    };
    if !seen.whole {
        return Err(Invalid::new(ErrorKind::Truncated, "no whole line `Transfer/sec:` at the end").with(notes));
    }
    if seen.runs != 1 {
        return Err(
            Invalid::new(ErrorKind::MultipleResults, "the output is not that of exactly one run of wrk").with(notes)
        );
    }
    let default = ScoreSpec::new("requests_per_sec", Better::Higher);
    let spec = context.options.score.as_ref().unwrap_or(&default);
    let latency = || seen.latencies.iter().find(|(name, _)| *name == spec.figure).map(|(_, value)| *value);
    let (value, unit) = match spec.figure.as_str() {
        "requests_per_sec" => (Some(rate), ""),
        // Exact up to 2^53 requests.
        "requests" => (Some(requests as f64), ""),
        _ => (latency(), " ms"),
    };
    let score = spec.score(value.ok_or_else(|| spec.unknown(KNOWN))?, unit, &mut notes)?;
    let bad = seen.codes.get("non_2xx_or_3xx").copied().unwrap_or(0);
    Ok(Claim {
        pass: requests > bad,
        score: Some(score),
        codes: Some(seen.codes),
        reason: Some("no_success".to_owned()),
        notes,
    })
}

impl Seen {
    fn line(&mut self, line: &str) -> Result<(), Invalid> {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            ["Running", _, "test", "@", _] if line.starts_with("Running ") => self.runs += 1,
            [count, "requests", "in", _, _, "read"] if self.requests.is_none() => self.requests = Some(integer(count)?),
            ["Latency", avg, stdev, max, _] => {
                for (name, value) in [("latency.avg", avg), ("latency.stdev", stdev), ("latency.max", max)] {
                    self.latencies.push((name, milliseconds(value)?));
                }
            }
            [percentile @ ("50%" | "75%" | "90%" | "99%"), value] => {
                let name = match *percentile {
                    "50%" => "latency.p50",
                    "75%" => "latency.p75",
                    "90%" => "latency.p90",
                    _ => "latency.p99",
                };
                self.latencies.push((name, milliseconds(value)?));
            }
            ["Socket", "errors:", "connect", connect, "read", read, "write", write, "timeout", timeout] => {
                for (code, count) in [("connect", connect), ("read", read), ("write", write), ("timeout", timeout)] {
                    self.error(code, count.trim_end_matches(','))?;
                }
            }
            ["Non-2xx", "or", "3xx", "responses:", count] => self.error("non_2xx_or_3xx", count)?,
            ["Requests/sec:", rate] if line.starts_with("Requests/sec:") => {
                let earlier = self.rate.replace(decimal(rate)?);
                if earlier.is_some() {
                    return Err(Invalid::new(ErrorKind::MultipleResults, "more than one line `Requests/sec:`"));
                }
            }
            ["Transfer/sec:", _] if line.starts_with("Transfer/sec:") => self.whole = self.rate.is_some(),
            _ => {}
        }
        Ok(())
    }

    fn error(&mut self, code: &str, count: &str) -> Result<(), Invalid> {
        let count = integer(count)?;
        if count > 0 {
            self.codes.insert(code.to_owned(), count);
        }
        Ok(())
    }
}

fn bad(word: &str) -> Invalid {
    Invalid::new(ErrorKind::Syntax, format!("`{}` is not a figure as wrk prints it", super::json::field_name(word)))
}

fn integer(word: &str) -> Result<u64, Invalid> {
    word.parse().ok().filter(|_| word.bytes().all(|b| b.is_ascii_digit())).ok_or_else(|| bad(word))
}

fn decimal(word: &str) -> Result<f64, Invalid> {
    let plain = word.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    word.parse().ok().filter(|_| plain).ok_or_else(|| bad(word))
}

/// `706.00us`, `1.44ms`, `1.71s`, `2.00m`, `1.00h`
fn milliseconds(word: &str) -> Result<f64, Invalid> {
    let digits = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let factor = match &word[digits.len()..] {
        "us" => 0.001,
        "ms" => 1.0,
        "s" => 1_000.0,
        "m" => 60_000.0,
        "h" => 3_600_000.0,
        _ => return Err(bad(word)),
    };
    Ok(decimal(digits)? * factor)
}
