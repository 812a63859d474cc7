//! `isugate parse` as people and programs use it.

use std::path::{Path, PathBuf};

use assert_cmd::Command;
use serde_json::Value;

fn sample(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/results").join(file)
}

fn parse(arguments: &[&str]) -> Command {
    let mut command = Command::cargo_bin("isugate").unwrap();
    command.arg("parse").args(arguments);
    command
}

/// Runs it and returns exit status, standard output, standard error.
fn run(command: &mut Command) -> (i32, String, String) {
    let output = command.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

#[test]
fn the_exit_status_tells_the_outcome() {
    for (format, file, expected) in [
        ("isucon14", "isucon14/pass_two_codes.stdout.log", 0),
        ("isucon14", "isucon14/fail_critical_32_matching_timeout.stdout.log", 10),
        ("isucon14", "isucon14/two_results.stdout.log", 12),
        ("isucon13", "isucon13/pass.json", 0),
        ("report-fd", "isucon14/report_fd_fail.bin", 10),
    ] {
        let (status, _, stderr) = run(parse(&["--format", format, "--json"]).arg(sample(file)));
        assert_eq!((status, stderr.as_str()), (expected, ""), "{file}");
    }
}

#[test]
fn json_is_one_document_of_the_documented_shape() {
    let (_, stdout, _) = run(parse(&["--format", "isucon14", "--json", "--exit-code", "0"])
        .arg(sample("isucon14/fail_spoofed_line_in_message.stdout.log")));
    assert_eq!(stdout.lines().count(), 1);
    let mut parsed: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(parsed["messages"].as_array().map(Vec::len), Some(2));
    parsed["messages"] = Value::Null;
    let expected = serde_json::json!({
        "outcome": "fail", "reported_pass": false, "reported_score": 777, "score": 0, "codes": {"8": 1, "32": 1},
        "reason": "critical", "error": null, "warnings": [], "messages": null,
    });
    assert_eq!(parsed, expected);
}

#[test]
fn an_invalid_result_has_a_typed_error() {
    let (status, stdout, _) =
        run(parse(&["--format", "isucon13", "--json"]).arg(sample("malformed/m03_truncated_in_string.json")));
    let parsed: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!((status, &parsed["error"]["kind"]), (12, &Value::from("truncated")));
    assert_eq!(parsed["codes"], serde_json::json!({}));
    assert!(parsed["score"].is_null());
}

#[test]
fn standard_input_is_read_without_a_file_and_with_a_dash() {
    let log = std::fs::read(sample("isucon14/pass_clean.stdout.log")).unwrap();
    for arguments in
        [&["--format", "isucon14"][..], &["--format", "isucon14", "-"], &["--format", "isucon14", "--stdout", "-"]]
    {
        let (status, stdout, _) = run(parse(arguments).write_stdin(log.clone()));
        assert_eq!(status, 0, "{arguments:?}");
        assert!(stdout.contains("543359"), "{stdout}");
    }
}

#[test]
fn the_way_the_process_ended_counts() {
    let file = sample("isucon14/pass_clean.stdout.log");
    for (end, kind) in [
        (&["--timed-out"][..], "timed_out"),
        (&["--signal", "9"], "signaled"),
        (&["--exit-code", "143"], "signaled"),
        (&["--exit-code", "2"], "crashed"),
        (&["--exit-code", "1"], "contradiction"),
    ] {
        let (status, stdout, _) = run(parse(&["--format", "isucon14", "--json"]).args(end).arg(&file));
        let parsed: Value = serde_json::from_str(&stdout).unwrap();
        assert_eq!((status, parsed["error"]["kind"].as_str()), (12, Some(kind)), "{end:?}");
    }
}

#[test]
fn several_channels_are_held_against_each_other() {
    let (status, stdout, _) = run(parse(&["--format", "isucon14", "--json"])
        .arg("--stdout")
        .arg(sample("isucon14/pass_clean.stdout.log"))
        .arg("--report-fd")
        .arg(sample("isucon14/report_fd_fail.bin")));
    assert_eq!(status, 12);
    assert!(stdout.contains("\"contradiction\""), "{stdout}");

    let (status, stdout, _) = run(parse(&["--format", "isucon13", "--json"])
        .arg("--result-file")
        .arg(sample("isucon13/pass.json"))
        .arg("--stdout")
        .arg(sample("isucon13/fail_initialize.stdout.log")));
    assert_eq!(status, 12, "an old pass in the file, a fail on standard output");
    assert!(stdout.contains("\"contradiction\""), "{stdout}");
}

#[test]
fn a_file_from_before_the_run_is_refused() {
    for future in ["2099-01-01T00:00:00Z", "4070908800"] {
        let (status, stdout, _) =
            run(parse(&["--format", "isucon13", "--json", "--started-at", future]).arg(sample("isucon13/pass.json")));
        assert_eq!(status, 12);
        assert!(stdout.contains("\"stale_result\""), "{stdout}");
    }
}

#[test]
fn a_person_reads_a_block_with_the_names_of_the_codes() {
    let (_, stdout, _) =
        run(parse(&["--format", "isucon14"]).arg(sample("isucon14/fail_too_many_errors_30x196_31x313.stdout.log")));
    assert!(
        stdout
            .starts_with("fail     isucon14\nscore    0  (the benchmarker printed 561815)\nreason   too_many_errors\n"),
        "{stdout}"
    );
    assert!(stdout.contains("code     30 WrongNearbyChairs ×196"), "{stdout}");
}

#[test]
fn foreign_text_does_not_act_in_the_terminal() {
    let json = r#"{"pass":true,"score":1,"messages":["\u001b[2J\u001b]0;owned\u0007red\u202e"],"language":"go","resolved_count":1}"#;
    let (status, stdout, _) = run(parse(&["--format", "isucon13", "--result-file", "-"]).write_stdin(json));
    assert_eq!(status, 0);
    assert!(stdout.contains("message  red\\u{202e}\n"), "{stdout:?}");
    assert!(!stdout.contains(|c: char| c.is_control() && c != '\n'), "{stdout:?}");
}

#[test]
fn mistakes_in_the_command_line_are_told_with_the_next_step() {
    let (status, _, stderr) = run(&mut parse(&["--format", "isucon-14", "x"]));
    assert_eq!(status, 2);
    assert!(stderr.contains("did you mean `isucon14`?"), "{stderr}");

    let (status, _, stderr) = run(&mut parse(&["--format", "isucon14", "a", "b"]));
    assert_eq!(status, 2);
    assert!(stderr.contains("--stdout"), "{stderr}");

    let (status, _, stderr) = run(&mut parse(&["--format", "isucon14", "--stdout", "-", "--stderr", "-"]));
    assert_eq!(status, 2);
    assert!(stderr.contains("given twice"), "{stderr}");

    for arguments in
        [&["--exit-code", "1", "--signal", "9"][..], &["--signal", "9", "--timed-out"], &["--started-at", "yesterday"]]
    {
        let (status, _, _) = run(parse(&["--format", "isucon14"]).args(arguments));
        assert_eq!(status, 2, "{arguments:?}");
    }
}

#[test]
fn a_file_that_is_not_there_is_a_missing_result() {
    let dir = tempfile::tempdir().unwrap();
    let (status, stdout, _) = run(parse(&["--format", "isucon13", "--json"]).arg(dir.path().join("no such file")));
    assert_eq!(status, 12);
    assert!(stdout.contains("\"missing_result\""), "{stdout}");
    let (status, stdout, _) = run(parse(&["--format", "isucon13", "--json"]).arg(dir.path()));
    assert_eq!(status, 12);
    assert!(stdout.contains("\"not_a_file\""), "{stdout}");
}

#[test]
fn generic_takes_its_description_from_the_command_line_or_a_file() {
    let spec = r#"{"patterns":{"score":"score: (?<score>\\d+)$"},"pass_by_exit_status":true,"matches":"last"}"#;
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("spec.json");
    std::fs::write(&file, spec).unwrap();
    for given in [spec.to_owned(), format!("@{}", file.display())] {
        let (status, stdout, _) =
            run(parse(&["--format", "generic", "--json", "--exit-code", "0", "--generic", &given])
                .arg(sample("generic/two_scores.log")));
        assert_eq!(status, 0, "{stdout}");
        assert!(stdout.contains("\"score\":20,"), "{stdout}");
    }
    let (status, _, stderr) = run(&mut parse(&["--format", "generic", "--generic", r#"{"pattern":{}}"#]));
    assert_eq!(status, 2);
    assert!(stderr.contains("pattern"), "{stderr}");
}

#[test]
fn the_figure_of_a_load_generator_can_be_chosen() {
    let (status, stdout, _) =
        run(parse(&["--format", "wrk", "--score", "latency.p99:lower"]).arg(sample("wrk/real_pass_latency.log")));
    assert_eq!(status, 0);
    assert!(stdout.contains("latency.p99 = 67.96 ms (lower is better)"), "{stdout}");
}
