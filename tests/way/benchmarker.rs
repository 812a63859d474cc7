//! Benchmarkers that are missing, hang, crash or print rubbish. A run that says nothing about the code is `invalid`, is in
//! the ledger, and moves no baseline.

use anyhow::Result;

use super::field::{BENCH, Field};

/// A field whose baseline is v1 and whose next commit is deployed by the next run.
fn with_baseline() -> Result<Field> {
    let field = Field::new()?;
    field.isugate(&["bench"])?.exits(0);
    field.commit("v2", &[("score", "5000")])?;
    Ok(field)
}

#[test]
fn a_benchmarker_that_is_missing_or_not_executable_has_its_own_exit_status() -> Result<()> {
    let mut field = Field::new()?;
    field.configure(&format!("bash '{}/bench.sh'", field.bench.dir), &format!("{}/bench.sh", field.bench.dir))?;
    std::fs::remove_file(field.bench.real.join("bench.sh"))?;
    field.isugate(&["bench"])?.exits(25).says(&[
        "bench: the benchmarker `",
        "bench.sh",
        "is not there",
        "next:",
        "bench.run",
    ]);
    field.tidy()?;
    field.serves("v1")?;
    field.bench_script(BENCH)?;
    field.isugate(&["bench"])?.exits(25).says(&["bench: the benchmarker", "bench.sh", "may not be executed", "next:"]);
    field.configure(&format!("{}/bench.sh", field.bench.dir), &format!("true && {}/bench.sh", field.bench.dir))?;
    field.isugate(&["bench"])?.exits(25).says(&["bench: the benchmarker could not be started", "Permission denied"]);
    assert_eq!(field.verdicts()?.len(), 0);
    field.tidy()
}

#[test]
fn a_benchmarker_that_hangs_is_ended_with_all_its_children() -> Result<()> {
    let mut field = with_baseline()?;
    field.configure("timeout: 20s\n", "timeout: 1s\n")?;
    field.bench_script(
        "trap '' TERM\nbash -c 'trap \"\" TERM; (trap \"\" TERM; while :; do sleep 0.1; done) & while :; do sleep 0.1; done' &\n\
         echo 'time=13:00:00.000 level=INFO msg=負荷走行を開始します'\nwhile :; do sleep 0.1; done",
    )?;
    let run = field.isugate(&["bench"])?.exits(12);
    run.says(&["invalid", "limit", "isugate rollback"]).within(20);
    assert_eq!(
        (field.record()?["bench"]["timed_out"].clone(), field.verdicts()?),
        (true.into(), vec!["accept".into(), "invalid".into()])
    );
    assert!(field.last("bench/stdout").contains("負荷走行を開始します"));
    field.serves("v2")?;
    field.tidy()
}

#[test]
fn output_that_is_no_whole_single_result_is_invalid() -> Result<()> {
    let field = with_baseline()?;
    let result = "echo 'time=13:00:00.200 level=INFO msg=結果 pass=true スコア=9000 種別エラー数=map[]'";
    let start = "echo 'time=13:00:00.000 level=INFO msg=負荷走行を開始します'";
    let cases = [
        ("kill -SEGV $$", "signal 11"),
        ("echo 'panic: runtime error: index out of range [3] with length 3' >&2; exit 2", "exit status 2"),
        ("head -c 3000 /dev/urandom; exit 0", "no result"),
        (&format!("{start}; {result}; {start}; {result}"), "more than one"),
        (&format!("{start}; {} | tr -d '\\n'", result), "cut"),
        (&format!("{start}; {result}; exit 3"), "exit status 3"),
    ];
    for (script, why) in cases {
        field.bench_script(script)?;
        let run = field.isugate(&["bench"])?.exits(12);
        let said = run.stdout.to_lowercase();
        assert!(said.contains("invalid"), "{script}: {said}");
        let record = field.record()?;
        println!("{script}\n  {} {} ({why})", record["result"]["error"], record["bench"]);
        assert!(record["result"]["error"]["message"].is_string(), "{script}: {record}");
        field.serves("v2")?;
    }
    field.tidy()?;
    let verdicts = field.verdicts()?;
    assert_eq!(verdicts.iter().filter(|verdict| *verdict == "invalid").count(), cases.len(), "{verdicts:?}");
    // The baseline is still v1's run: a good run is compared with its 1,000.
    field.bench_script(BENCH)?;
    field.isugate(&["bench"])?.exits(0).says(&["5,000", "1,000"]);
    Ok(())
}

#[test]
fn a_result_file_counts_only_where_and_when_it_was_to_be_written() -> Result<()> {
    let mut field = Field::new()?;
    field.configure("contest: isucon14", "contest: isucon13")?;
    field.configure("/run'\"\n  timeout", "/run' {{result_file}}\"\n  timeout")?;
    let result = r#"{"pass":true,"score":'"$(cat "$1/score")"',"messages":["売上: '"$(cat "$1/score")"'"],"language":"go","resolved_count":10}"#;
    let good = format!("echo '{result}' >\"$2\"");
    field.bench_script(&good)?;
    field.isugate(&["bench"])?.exits(0).says(&["1,000"]);
    field.commit("v2", &[("score", "5000")])?;

    field.bench_script(&format!("echo '{result}' >\"$2.new\""))?;
    field.isugate(&["bench"])?.exits(12).says(&["invalid", "result file"]);
    // An old file that was moved there, and one that a link leads to.
    let old = field.bench.real.join("old.json");
    field.bench.write("old.json", &result.replace("'\"$(cat \"$1/score\")\"'", "9000"))?;
    std::fs::File::options()
        .write(true)
        .open(&old)?
        .set_modified(std::time::SystemTime::now() - std::time::Duration::from_secs(3600))?;
    for script in ["cp -p", "ln -s"] {
        field.bench_script(&format!("{script} {}/old.json \"$2\"", field.bench.dir))?;
        field.isugate(&["bench"])?.exits(12).says(&["invalid", "it belongs to an earlier run"]);
    }
    field.bench_script("echo '{\"pass\":true,\"score\":9' >\"$2\"")?;
    field.isugate(&["bench"])?.exits(12).says(&["invalid"]);
    assert_eq!(field.verdicts()?, ["accept", "invalid", "invalid", "invalid", "invalid"]);
    field.bench_script(&good)?;
    field.isugate(&["bench"])?.exits(0).says(&["5,000", "1,000"]);
    field.tidy()
}
