//! `isugate judge --step`, from outside and as a function.

use std::collections::BTreeMap;
use std::io::Write;
use std::process::{Command, Stdio};

use isugate::verdict::step::{Request, answer};
use isugate::verdict::{Gate, Intent, Preset, RunFacts, Side, Verdict};
use serde_json::{Value, json};

fn ask(lines: &str) -> (Option<i32>, Vec<Value>) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_isugate"))
        .args(["judge", "--step", "--json"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    child.stdin.take().expect("stdin is piped").write_all(lines.as_bytes()).expect("the binary reads");
    let done = child.wait_with_output().expect("the binary ends");
    let out = String::from_utf8_lossy(&done.stdout).into_owned();
    (done.status.code(), out.lines().map(|l| serde_json::from_str(l).expect("JSON")).collect())
}

fn run(commit: &str, score: i64) -> RunFacts {
    RunFacts { commit: commit.to_owned(), score: Some(score), pass: Some(true), codes: Some(BTreeMap::new()), id: None }
}

fn with_code(mut run: RunFacts, code: &str, n: u64) -> RunFacts {
    run.codes.get_or_insert_default().insert(code.to_owned(), n);
    run
}

fn history() -> Vec<RunFacts> {
    let scores = [80_000, 81_000, 79_500, 90_000, 88_500, 91_000, 100_000, 101_000, 99_000];
    scores.iter().enumerate().map(|(i, s)| run(["x", "y", "base"][i / 3], *s)).collect()
}

fn request(today: Vec<RunFacts>) -> Request {
    Request {
        history: history(),
        baseline: Some("base".into()),
        candidate: "c".into(),
        today,
        budget_runs: Some(12),
        ..Request::default()
    }
}

#[test]
fn the_baseline_again_is_no_comparison_and_its_failure_is_a_failure() {
    let again = |pass| {
        let run = RunFacts { pass: Some(pass), ..run("base", 100_000) };
        answer(&Request { candidate: "base".into(), ..request(vec![run]) })
    };
    assert_eq!(again(true).verdict, Some(Verdict::Inconclusive));
    let failed = again(false);
    assert_eq!(failed.verdict, Some(Verdict::Revert));
    assert!(failed.reasons[0].contains("pass=false"), "{:?}", failed.reasons);
}

#[test]
fn the_candidate_runs_first_and_a_clear_win_needs_few_runs() {
    let first = answer(&request(vec![]));
    assert_eq!((first.verdict, first.next), (None, Some(Side::Candidate)));
    let mut today = Vec::new();
    loop {
        let a = answer(&request(today.clone()));
        match a.next {
            Some(Side::Candidate) => today.push(run("c", 170_000 + 500 * today.len() as i64)),
            Some(Side::Baseline) => today.push(run("base", 100_000 + 700 * today.len() as i64)),
            None => {
                assert_eq!(a.verdict, Some(Verdict::Accept), "{:?}", a.reasons);
                assert!(today.len() <= 3, "{}", today.len());
                assert!(a.reasons[0].contains("accept"), "{:?}", a.reasons);
                break;
            }
        }
    }
}

#[test]
fn the_budget_is_never_exceeded_and_nothing_is_rounded() {
    let even: Vec<RunFacts> =
        (0..12).map(|i| run(["c", "base"][i % 2], 100_000 + 900 * ((i as i64 * 7) % 5))).collect();
    let a = answer(&request(even));
    assert_eq!(a.next, None);
    assert!(matches!(a.verdict, Some(Verdict::Inconclusive | Verdict::Revert)));
    let a = answer(&Request { budget_runs: Some(1), ..request(vec![run("c", 103_000)]) });
    assert_eq!(a.verdict, Some(Verdict::Inconclusive));
    assert!(a.state.more.is_some_and(|m| m.runs >= 2));
    assert!(a.reasons.iter().any(|r| r.contains("more run") || r.contains("runs more") || r.contains("more")));
}

#[test]
fn a_failed_candidate_reverts_whatever_it_scored() {
    let failed = RunFacts { pass: Some(false), ..with_code(run("c", 591_636), "30", 205) };
    let a = answer(&request(vec![failed]));
    assert_eq!(a.verdict, Some(Verdict::Revert));
    assert_eq!(a.reasons[0], "pass=false (591,636), code 30 WrongNearbyChairs ×205: revert");
}

#[test]
fn a_wrong_page_reverts_and_a_single_new_code_asks_for_one_more_run() {
    let a = answer(&request(vec![with_code(run("c", 200_000), "30", 13)]));
    assert_eq!(a.verdict, Some(Verdict::Revert));
    let one = with_code(run("c", 200_000), "26", 1);
    let a = answer(&request(vec![one.clone(), run("base", 100_000)]));
    assert_eq!((a.verdict, a.next), (None, Some(Side::Candidate)), "{:?}", a.reasons);
    let a = answer(&request(vec![one, run("base", 100_000), run("c", 201_000)]));
    assert_eq!(a.verdict, Some(Verdict::Accept), "{:?}", a.reasons);
    assert!(a.reasons.iter().any(|r| r.contains("26 IncorrectOwnerChairsData")));
}

#[test]
fn the_first_run_of_a_series_becomes_its_baseline_or_does_not() {
    let first = |r: RunFacts| answer(&Request { candidate: "c".into(), today: vec![r], ..Request::default() });
    assert_eq!(first(run("c", 1_000)).verdict, Some(Verdict::Accept));
    let failed = RunFacts { pass: Some(false), ..run("c", 1_000) };
    assert_eq!(first(failed).verdict, Some(Verdict::Revert));
    let torn = RunFacts { score: None, pass: None, ..run("c", 0) };
    assert_eq!(first(torn).verdict, Some(Verdict::Invalid));
}

#[test]
fn runs_that_scored_nothing_are_not_compared() {
    let a = answer(&request(vec![run("c", 0)]));
    assert_eq!(a.verdict, Some(Verdict::Revert));
    let torn = RunFacts { score: None, ..run("c", 0) };
    assert_eq!(answer(&request(vec![torn])).verdict, Some(Verdict::Invalid));
    let bad = |s| RunFacts { pass: Some(false), ..run("base", s) };
    let a = answer(&request(vec![run("c", 100_000), bad(1), bad(2)]));
    assert_eq!(a.verdict, Some(Verdict::Invalid), "{:?}", a.reasons);
}

#[test]
fn a_gate_that_remembers_answers_like_one_that_does_not() {
    let mut gate = Gate::default();
    let mut today = Vec::new();
    for i in 0..8 {
        today.push(run(["c", "base"][i % 2], 100_000 + 1_300 * ((i as i64 * 5) % 7)));
        let r = request(today.clone());
        assert_eq!(gate.answer(&r), answer(&r));
        let other = Request { baseline: Some("y".into()), ..r };
        assert_eq!(gate.answer(&other), answer(&other));
    }
}

#[test]
fn presets_set_the_budget_and_intents_the_margin() {
    let budget = |preset| Request { preset, ..Request::default() }.budget();
    assert_eq!([Preset::Contest, Preset::Practice, Preset::Overnight].map(budget), [4, 12, 24]);
    let even: Vec<RunFacts> = (0..6).map(|i| run(["c", "base"][i % 2], 100_000 + 200 * ((i as i64 * 7) % 5))).collect();
    let z = |intent| {
        let a = answer(&Request { intent, ..request(even.clone()) });
        a.state.score.map(|s| s.z).expect("a score")
    };
    assert!(z(Intent::NoRegression) > z(Intent::Gain) + 0.5);
}

#[test]
fn one_line_in_one_line_out_and_a_bad_line_stops_nothing() {
    let good = json!({"history": history(), "baseline": "base", "candidate": "c", "today": [],
        "preset": "practice", "intent": "gain", "budget_runs": 12});
    let (status, out) = ask(&format!("{good}\nnot json\n{{\"today\":3}}\n\n{good}\n"));
    assert_eq!(status, Some(2));
    assert_eq!(out.len(), 4);
    assert_eq!(out[0]["next"], "candidate");
    assert_eq!(out[1]["error"]["line"], 2);
    assert_eq!(out[2]["verdict"], Value::Null);
    assert_eq!(out[3], out[0]);
}

#[test]
fn japanese_reasons_carry_the_same_numbers() {
    let r = Request { lang: isugate::verdict::Language::Ja, ..request(vec![with_code(run("c", 637_737), "30", 13)]) };
    let a = answer(&r);
    assert_eq!(
        a.reasons[0],
        "637,737 > 99,000 だが、コード 30 WrongNearbyChairs が 1 回の計測で ×13 (基準は 3 回で 0): revert"
    );
}
