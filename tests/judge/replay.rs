//! `isugate judge --replay`, from outside.

use std::io::Write;
use std::process::{Command, Stdio};

use serde_json::Value;

const ISUCON14: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/verdict/replay-isucon14.jsonl");

fn replay(args: &[&str], input: Option<&str>) -> (Option<i32>, String, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_isugate"))
        .args(["judge", "--replay"])
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    child
        .stdin
        .take()
        .expect("stdin is piped")
        .write_all(input.unwrap_or_default().as_bytes())
        .expect("the binary reads");
    let done = child.wait_with_output().expect("the binary ends");
    let text = |b: &[u8]| String::from_utf8_lossy(b).into_owned();
    (done.status.code(), text(&done.stdout), text(&done.stderr))
}

fn lines(out: &str) -> Vec<Value> {
    out.lines().map(|l| serde_json::from_str(l).expect("one JSON document a line")).collect()
}

#[test]
fn a_contestants_decisions_are_never_contradicted() {
    let (status, out, _) = replay(&[ISUCON14, "--json"], None);
    assert_eq!(status, Some(0));
    let told = lines(&out);
    assert_eq!(told.len(), 21);
    for line in &told {
        let pair = (line["decision"].as_str(), line["verdict"].as_str());
        assert!(pair != (Some("accept"), Some("revert")), "{line}");
        assert!(pair != (Some("revert"), Some("accept")), "{line}");
    }
    let reason = told[16]["reasons"][0].as_str();
    assert_eq!(reason, Some("637,737 > 542,441, but code 30 WrongNearbyChairs ×13 (baseline 0): revert"));
}

#[test]
fn a_replay_gives_the_same_bytes_again() {
    for lang in ["en", "ja"] {
        let once = replay(&[ISUCON14, "--json", "--lang", lang], None);
        assert_eq!(once, replay(&[ISUCON14, "--json", "--lang", lang], None));
    }
}

#[test]
fn failed_runs_revert_and_never_become_the_baseline() {
    let input = r#"{"id":"r1","commit":"a","score":100000,"pass":true,"codes":{}}
{"id":"r2","commit":"b","score":900000,"pass":false,"codes":{"30":205}}
{"id":"r3","commit":"c","score":100100,"pass":true,"codes":{}}
"#;
    let (_, out, _) = replay(&["-", "--json"], Some(input));
    let told = lines(&out);
    assert_eq!(told[0]["verdict"], "accept");
    assert_eq!(told[0]["baseline"], Value::Null);
    assert_eq!(told[1]["verdict"], "revert");
    assert_eq!(told[2]["baseline"], "r1");
    assert_eq!(told[2]["verdict"], "inconclusive");
}

#[test]
fn a_persons_decision_moves_the_baseline_and_both_stay_visible() {
    let input = r#"{"id":"r1","commit":"a","score":100000,"pass":true,"codes":{}}
{"id":"r2","commit":"b","score":101000,"pass":true,"codes":{},"decision":"accept"}
{"id":"r3","commit":"c","score":101000,"pass":true,"codes":{}}
"#;
    let (_, out, _) = replay(&["-", "--json"], Some(input));
    let told = lines(&out);
    assert_eq!((&told[1]["verdict"], &told[1]["decision"]), (&"inconclusive".into(), &"accept".into()));
    assert_eq!(told[2]["baseline"], "r2");
}

#[test]
fn repeated_runs_of_a_commit_add_up_to_a_verdict() {
    let mut input = String::new();
    for (i, (commit, score)) in
        [("a", 100_000), ("b", 150_000), ("a", 101_000), ("b", 149_000), ("a", 99_500), ("b", 151_000)]
            .iter()
            .enumerate()
    {
        input +=
            &format!("{{\"id\":\"r{i}\",\"commit\":\"{commit}\",\"score\":{score},\"pass\":true,\"codes\":{{}}}}\n");
    }
    let (_, out, _) = replay(&["-", "--json"], Some(&input));
    let verdicts: Vec<_> = lines(&out).iter().map(|l| l["verdict"].clone()).collect();
    assert_eq!(verdicts[2], "inconclusive", "the baseline again is no candidate");
    assert!(verdicts.iter().skip(1).any(|v| v == "accept"), "{verdicts:?}");
}

#[test]
fn a_broken_line_names_file_and_line() {
    let (status, out, err) = replay(
        &["-", "--json"],
        Some("{\"id\":\"r1\",\"commit\":\"a\",\"score\":1,\"pass\":true}\n{\"score\":\"x\"}\n"),
    );
    assert_eq!(status, Some(1));
    assert_eq!(lines(&out).len(), 1, "what was judged before the error is kept");
    assert!(err.contains("stdin:2"), "{err}");
}
