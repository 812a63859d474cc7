//! `isugate judge`: the gate over recorded runs. No host is touched.

use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::{ArgGroup, Args};
use serde_json::json;

use crate::verdict::replay::{Entry, Options, Replay};
use crate::verdict::step::Request;
use crate::verdict::{Gate, Language};

/// Exit status where a line could not be read.
const BAD_INPUT: u8 = 2;

/// Arguments of `isugate judge`.
#[derive(Args, Debug)]
#[command(group(ArgGroup::new("what").required(true).args(["step", "replay"])))]
pub struct JudgeArgs {
    /// Answer each line of stdin (a comparison as JSON) with one line: a verdict, or which commit to run next
    #[arg(long)]
    pub step: bool,
    /// Judge a file of runs (JSON Lines, in time order), each against the last accepted one; `-` is stdin
    #[arg(long, value_name = "FILE")]
    pub replay: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// Language of the reasons
    #[arg(long, value_enum, default_value_t = Language::En)]
    pub lang: Language,
    /// Which contest's names the error codes have
    #[arg(long, value_name = "NAME")]
    pub contest: Option<String>,
}

/// Runs `isugate judge`; returns the exit status.
///
/// # Errors
/// If the file cannot be read or a line of it is not a run, and if stdout cannot be written.
pub fn run(args: JudgeArgs) -> Result<u8> {
    let out = BufWriter::new(io::stdout().lock());
    match &args.replay {
        Some(file) if file.as_os_str() == "-" => replay(io::stdin().lock(), Path::new("stdin"), out, &args),
        Some(file) => {
            let opened = std::fs::File::open(file).with_context(|| {
                format!("{}: cannot be opened; give a file of runs, one JSON object a line", file.display())
            })?;
            replay(BufReader::new(opened), file, out, &args)
        }
        None => step(io::stdin().lock(), out, &args),
    }
}

/// One answer a line, written at once. A line that is no request is answered by an error object, and the next one is read.
fn step(input: impl BufRead, mut out: impl Write, args: &JudgeArgs) -> Result<u8> {
    let mut gate = Gate::default();
    let mut status = 0;
    for (i, line) in input.split(b'\n').enumerate() {
        let line = line.context("stdin cannot be read")?;
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        match serde_json::from_slice::<Request>(&line) {
            Ok(mut request) => {
                if args.lang == Language::Ja {
                    request.lang = Language::Ja;
                }
                request.contest = request.contest.or_else(|| args.contest.clone());
                serde_json::to_writer(&mut out, &gate.answer(&request))?;
            }
            Err(e) => {
                status = BAD_INPUT;
                let message = format!("line {}: not a comparison: {e}", i + 1);
                let error = json!({"kind": "bad-request", "message": message, "line": i + 1});
                let answer = json!({"verdict": null, "next": null, "reasons": [], "error": error});
                serde_json::to_writer(&mut out, &answer)?;
            }
        }
        out.write_all(b"\n")?;
        out.flush()?;
    }
    Ok(status)
}

fn replay(input: impl BufRead, name: &Path, mut out: impl Write, args: &JudgeArgs) -> Result<u8> {
    let options = Options { lang: args.lang, contest: args.contest.clone(), ..Options::default() };
    let mut replay = Replay::new(options);
    for (i, line) in input.lines().enumerate() {
        let line = line.with_context(|| format!("{}:{}: cannot be read", name.display(), i + 1))?;
        if line.trim().is_empty() {
            continue;
        }
        let entry: Entry = match serde_json::from_str(&line) {
            Ok(entry) => entry,
            Err(e) => {
                out.flush()?;
                bail!(
                    "{}:{}: not a run: {e}; a line is {{\"id\":…,\"commit\":…,\"score\":…,\"pass\":…,\"codes\":…}}",
                    name.display(),
                    i + 1
                )
            }
        };
        let told = replay.next(entry);
        if args.json {
            serde_json::to_writer(&mut out, &told)?;
            out.write_all(b"\n")?;
        } else {
            let verdict = serde_json::to_value(told.verdict)?;
            let verdict = verdict.as_str().unwrap_or_default();
            let id = told.id.as_deref().unwrap_or("-").escape_debug().to_string();
            let reasons: Vec<String> = told.reasons.iter().map(|r| visible(r)).collect();
            writeln!(out, "{id}\t{verdict}\t{}", reasons.join("; "))?;
        }
    }
    out.flush()?;
    Ok(0)
}

/// Control characters never reach the terminal.
fn visible(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '\u{FFFD}' } else { c }).collect()
}
