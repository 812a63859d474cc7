//! Every sample in `fixtures/results` is read as its manifest says.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use isugate::result::{Channels, Ended, Format, Outcome, Parsed, ReadOptions, Source, read};
use serde::Deserialize;

#[derive(Deserialize)]
struct Sample {
    id: String,
    adapter: Format,
    files: BTreeMap<String, PathBuf>,
    exit: Exit,
    /// What `bench.result` says, for the formats that take it.
    result: Option<serde_json::Value>,
    expect: Expect,
}

#[derive(Deserialize)]
struct Exit {
    code: Option<i32>,
    signal: Option<i32>,
    #[serde(default)]
    timed_out: bool,
}

#[derive(Deserialize)]
struct Expect {
    verdict: Outcome,
    #[serde(default)]
    reported_pass: Option<bool>,
    #[serde(default)]
    reported_score: Option<i64>,
    #[serde(default)]
    score: Option<i64>,
    codes: Option<BTreeMap<String, u64>>,
    #[serde(default)]
    reason: Option<String>,
    #[serde(default)]
    error_kind: Option<String>,
    #[serde(default)]
    error_kind_any: Vec<String>,
    #[serde(default)]
    warnings: Vec<String>,
    messages: Option<Vec<String>>,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/results")
}

/// The samples of the contests' benchmarkers, and those of other tools.
fn samples() -> Vec<Sample> {
    ["manifest.json", "tools-manifest.json"]
        .into_iter()
        .flat_map(|name| {
            let manifest = std::fs::read(folder().join(name)).unwrap();
            serde_json::from_slice::<Vec<Sample>>(&manifest).unwrap()
        })
        .collect()
}

fn parse(sample: &Sample) -> Parsed {
    let channel = |name: &str| sample.files.get(name).map(|file| Source::Path(folder().join(file)));
    let channels = Channels {
        stdout: channel("stdout"),
        stderr: channel("stderr"),
        merged: channel("merged"),
        result_file: channel("result_file"),
        report_fd: channel("report_fd"),
    };
    let options = ReadOptions::described(sample.adapter, sample.result.clone()).unwrap();
    read(&options, &channels, ended(&sample.exit))
}

fn ended(exit: &Exit) -> Option<Ended> {
    if exit.timed_out {
        return Some(Ended::TimedOut);
    }
    exit.signal.map(Ended::Signaled).or(exit.code.map(Ended::Exited))
}

/// What differs from the manifest, in words.
fn differences(expect: &Expect, parsed: &Parsed) -> Vec<String> {
    let mut out = Vec::new();
    let mut check = |what: &str, right: bool, got: String| {
        if !right {
            out.push(format!("{what}: got {got}"));
        }
    };
    check("outcome", parsed.outcome == expect.verdict, format!("{:?} ({:?})", parsed.outcome, parsed.error));
    check("reported_pass", parsed.reported_pass == expect.reported_pass, format!("{:?}", parsed.reported_pass));
    check("reported_score", parsed.reported_score == expect.reported_score, format!("{:?}", parsed.reported_score));
    check("score", parsed.score == expect.score, format!("{:?}", parsed.score));
    check("codes", parsed.codes == expect.codes, format!("{:?}", parsed.codes));
    check("reason", parsed.reason == expect.reason, format!("{:?}", parsed.reason));
    let kinds: Vec<&str> = expect
        .error_kind
        .iter()
        .flat_map(|kinds| kinds.split('|'))
        .chain(expect.error_kind_any.iter().map(String::as_str))
        .collect();
    let kind = parsed.error.as_ref().map(|error| error.kind.to_string());
    check(
        "error kind",
        kind.as_deref().map_or(kinds.is_empty(), |kind| kinds.contains(&kind)),
        format!("{kind:?}, expected {kinds:?}"),
    );
    check(
        "warnings",
        parsed.warnings == expect.warnings,
        format!("{:?}, expected {:?}", parsed.warnings, expect.warnings),
    );
    check("messages", expect.messages.as_ref().is_none_or(|m| *m == parsed.messages), format!("{:?}", parsed.messages));
    out
}

#[test]
fn every_sample_is_read_as_the_manifest_says() {
    let mut read_right: BTreeMap<String, (u32, u32)> = BTreeMap::new();
    let mut wrong = Vec::new();
    for sample in samples().iter().filter(|sample| !sample.files.is_empty()) {
        let differences = differences(&sample.expect, &parse(sample));
        let (right, all) = read_right.entry(sample.adapter.to_string()).or_default();
        *all += 1;
        if differences.is_empty() {
            *right += 1;
        } else {
            wrong.push(format!("{}: {}", sample.id, differences.join("; ")));
        }
    }
    for (format, (right, all)) in &read_right {
        println!("{format:20} {right} of {all}");
    }
    assert!(wrong.is_empty(), "{} samples are read wrong:\n{}", wrong.len(), wrong.join("\n"));
    let all: u32 = read_right.values().map(|(_, all)| all).sum();
    assert!(all >= 91 + 24, "only {all} samples with files");
}

fn described(id: &str) -> Sample {
    samples().into_iter().find(|sample| sample.id == id && sample.files.is_empty()).unwrap()
}

#[test]
fn a_result_file_from_before_the_run_is_stale() {
    let sample = described("m93");
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("result.json");
    std::fs::copy(folder().join("isucon13/pass.json"), &file).unwrap();
    let written = std::fs::metadata(&file).unwrap().modified().unwrap();
    let mut options = ReadOptions::new(sample.adapter);
    let channels = Channels { result_file: Some(Source::Path(file)), ..Channels::default() };

    options.started_at = Some(written + std::time::Duration::from_secs(1));
    let parsed = read(&options, &channels, ended(&sample.exit));
    assert_eq!(differences(&sample.expect, &parsed), Vec::<String>::new());

    options.started_at = Some(written - std::time::Duration::from_secs(1));
    assert_eq!(read(&options, &channels, ended(&sample.exit)).outcome, Outcome::Pass);
}

#[test]
fn a_huge_result_file_is_refused_by_its_size() {
    let sample = described("m90");
    let huge = format!("{{\"pass\":true,\"score\":1,\"messages\":[\"{}\"]}}", "あ".repeat(17_500_000));
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("result.json");
    std::fs::write(&file, &huge).unwrap();
    for source in [Source::Path(file), Source::reader(std::io::Cursor::new(huge))] {
        let channels = Channels { result_file: Some(source), ..Channels::default() };
        let parsed = read(&ReadOptions::new(sample.adapter), &channels, ended(&sample.exit));
        assert_eq!(differences(&sample.expect, &parsed), Vec::<String>::new());
    }
}

#[test]
fn an_over_long_line_does_not_lose_the_result_after_it() {
    let log = std::fs::read(folder().join("isucon14/pass_two_codes.stdout.log")).unwrap();
    let first = log.iter().position(|b| *b == b'\n').unwrap() + 1;
    let mut longer = log[..first].to_vec();
    longer.extend_from_slice(&vec![b'x'; 50_000_000]);
    longer.push(b'\n');
    longer.extend_from_slice(&log[first..]);
    let channels = Channels { stdout: Some(Source::Bytes(longer)), ..Channels::default() };
    let parsed = read(&ReadOptions::new(Format::Isucon14), &channels, Some(Ended::Exited(0)));
    assert_eq!((parsed.outcome, parsed.score), (Outcome::Pass, Some(567_276)));
    assert_eq!(parsed.warnings, ["over_long_line"]);
}
