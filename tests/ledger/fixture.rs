//! Repositories and records to test with.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use isugate::{
    config::Config,
    ledger::{Decision, DecisionRecord, Ledger, RunRecord},
    verdict::Verdict,
};
use serde_json::json;

pub const BRANCH: &str = "isugate-ledger";

/// Runs git and returns what it prints.
pub fn git(place: &Path, arguments: &[&str]) -> String {
    let out = Command::new("git").arg("-C").arg(place).args(arguments).output().unwrap();
    assert!(out.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8(out.stdout).unwrap().trim_end().to_owned()
}

/// A repository with one commit on `main` and a changed, a staged and an untracked file.
pub fn repository(place: &Path) -> PathBuf {
    std::fs::create_dir_all(place).unwrap();
    git(place, &["init", "-q", "-b", "main"]);
    git(place, &["config", "user.name", "Ann Author"]);
    git(place, &["config", "user.email", "ann@e.example"]);
    for file in ["kept", "changed"] {
        std::fs::write(place.join(file), "one\n").unwrap();
    }
    git(place, &["add", "."]);
    git(place, &["commit", "-q", "-m", "first"]);
    std::fs::write(place.join("changed"), "two\n").unwrap();
    std::fs::write(place.join("staged"), "three\n").unwrap();
    std::fs::write(place.join("untracked"), "four\n").unwrap();
    git(place, &["add", "staged"]);
    place.to_owned()
}

pub fn ledger(repository: &Path, remote: Option<&str>) -> Ledger {
    Ledger::open(repository, BRANCH, remote).unwrap()
}

pub fn config() -> Config {
    serde_json::from_value(json!({
        "version": 1, "hosts": {"app": {"local": true}}, "bench": {"on": "app", "run": "true"}, "ledger": {"remote": "origin"}
    }))
    .unwrap()
}

/// The id of run number `at`, one a minute.
pub fn id(at: u32) -> String {
    let second = 1_796_050_800 + i64::from(at) * 60;
    isugate::ledger::RunId::new(jiff::Timestamp::from_second(second).unwrap(), at.wrapping_mul(2_654_435_761))
        .to_string()
}

pub fn time(at: u32) -> String {
    jiff::Timestamp::from_second(1_796_050_830 + i64::from(at) * 60).unwrap().to_string()
}

pub fn run(at: u32, score: Option<i64>) -> RunRecord {
    serde_json::from_value(json!({
        "schema_version": "1.0", "id": id(at), "commit": format!("{at:040x}"), "subject": format!("Change {at}"), "by": "ann@laptop",
        "started_at": time(at), "finished_at": time(at),
        "series": {"key": "0123456789ab", "contest": "isucon14", "benchmarker": null, "command": "bench", "hosts": {"app": ["app"]}, "collectors": true},
        "bench": {"host": "app", "command": "bench --port 4000", "format": "isucon14", "exit_code": 0, "signal": null, "timed_out": false, "seconds": 61.5},
        "result": {"outcome": if score.is_some() { "pass" } else { "invalid" }, "reported_pass": true, "reported_score": score, "score": score,
            "codes": {"17": 6, "24": 1}, "reason": null, "error": null, "warnings": [], "messages": []},
    }))
    .unwrap()
}

pub fn decided(verdict: Verdict, by: &str, at: &str) -> Decision {
    Decision {
        verdict,
        reasons: vec![format!("{by} thinks so")],
        by: by.into(),
        by_person: by != "isugate",
        at: at.into(),
    }
}

pub fn verdict_of(at: u32, verdict: Verdict, baseline: Option<u32>) -> DecisionRecord {
    serde_json::from_value(json!({
        "schema_version": "1.0", "run": id(at), "baseline": baseline.map(id), "intent": "gain", "preset": "practice",
        "decisions": [decided(verdict, "isugate", &time(at))],
    }))
    .unwrap()
}

/// Appends run number `at`.
pub fn append(ledger: &Ledger, at: u32, score: i64, verdict: Verdict, baseline: Option<u32>) {
    ledger.append(&run(at, Some(score)), &verdict_of(at, verdict, baseline)).unwrap();
}

/// The ids in the ledger, in its order.
pub fn ids(ledger: &Ledger) -> Vec<String> {
    ledger.runs().unwrap().entries.into_iter().map(|entry| entry.run.id).collect()
}

/// Writes a file into the branch as somebody else's program might.
pub fn plant(repository: &Path, path: &str, content: &str) {
    let repo = git2::Repository::open(repository).unwrap();
    let reference = format!("refs/heads/{BRANCH}");
    let parent = repo.find_commit(repo.refname_to_id(&reference).unwrap()).unwrap();
    let mut update = git2::build::TreeUpdateBuilder::new();
    update.upsert(path, repo.blob(content.as_bytes()).unwrap(), git2::FileMode::Blob);
    let tree = update.create_updated(&repo, &parent.tree().unwrap()).unwrap();
    let who = git2::Signature::now("other", "other@e.example").unwrap();
    repo.commit(Some(&reference), &who, &who, "plant", &repo.find_tree(tree).unwrap(), &[&parent]).unwrap();
}

/// This test program again, for one test only, as another process.
pub fn as_process(test: &str, variables: &[(&str, &str)]) -> std::process::Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", test, "--test-threads=1"])
        .envs(variables.iter().copied())
        .stdout(std::process::Stdio::null());
    command.spawn().unwrap()
}
