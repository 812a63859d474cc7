//! zizmor with its strictest persona, actionlint, and what no linter knows.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use crate::fake::rig;

fn top() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn templates() -> Vec<PathBuf> {
    let mut all: Vec<_> =
        std::fs::read_dir(top().join("workflows-templates")).unwrap().flatten().map(|entry| entry.path()).collect();
    all.sort();
    assert_eq!(all.len(), 6);
    all
}

/// A repository with the templates as workflows, and the action.
fn repository() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let workflows = dir.path().join(".github/workflows");
    std::fs::create_dir_all(&workflows).unwrap();
    for template in templates() {
        std::fs::copy(&template, workflows.join(template.file_name().unwrap())).unwrap();
    }
    std::fs::copy(top().join("action.yml"), dir.path().join("action.yml")).unwrap();
    std::fs::write(dir.path().join(".github/actionlint.yaml"), "self-hosted-runner:\n  labels: [isucon]\n").unwrap();
    dir
}

fn zizmor(dir: &Path) -> (Option<i32>, String) {
    let output = Command::new(rig("venv/bin/zizmor"))
        .args(["--offline", "--no-progress", "--strict-collection", "--persona=auditor", "."])
        .current_dir(dir)
        .output()
        .unwrap();
    (output.status.code(), String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned())
}

#[test]
fn zizmor_as_auditor_finds_nothing() {
    let dir = repository();
    let (status, said) = zizmor(dir.path());
    assert_eq!(status, Some(0), "{said}");
    assert!(said.contains("No findings to report"), "{said}");
    // It would.
    let bad = "on: pull_request_target\njobs:\n  a:\n    runs-on: x\n    steps:\n      - run: echo ${{ github.event.pull_request.title }}\n";
    std::fs::write(dir.path().join(".github/workflows/bad.yml"), bad).unwrap();
    assert_eq!(zizmor(dir.path()).0, Some(14));
}

#[test]
fn one_finding_in_all_is_ignored_and_its_reason_stands_beside_it() {
    let ignored: Vec<String> = templates()
        .into_iter()
        .chain([top().join("action.yml")])
        .flat_map(|file| std::fs::read_to_string(file).unwrap().lines().map(str::to_owned).collect::<Vec<_>>())
        .filter(|line| line.contains("zizmor: ignore"))
        .collect();
    let [line] = &ignored[..] else { panic!("{ignored:#?}") };
    let reason = line.rsplit(']').next().unwrap_or_default().trim();
    assert!(reason.split_whitespace().count() >= 5, "{line}");
    // Nor is anything ignored in a file of its own.
    assert!(!top().join("zizmor.yml").exists() && !top().join(".github/zizmor.yml").exists());
}

#[test]
fn actionlint_finds_nothing() {
    let dir = repository();
    let run = || {
        let mut actionlint = Command::new(rig("venv/bin/actionlint"));
        let output = actionlint.current_dir(dir.path()).output().unwrap();
        (output.status.code(), String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned())
    };
    // It finds the workflows by the repository that they are in.
    assert!(Command::new("git").args(["init", "-q"]).current_dir(dir.path()).status().unwrap().success());
    assert_eq!(run(), (Some(0), String::new()));
    let bad = "on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - run: echo ${{ steps.nope.outputs.x }}\n";
    std::fs::write(dir.path().join(".github/workflows/bad.yml"), bad).unwrap();
    assert_eq!(run().0, Some(1));
}

#[test]
fn whatever_touches_the_hosts_waits_in_one_queue_and_is_never_cancelled_by_the_next() {
    for template in templates() {
        let text = std::fs::read_to_string(&template).unwrap();
        assert!(text.contains("\n      queue: max\n"), "{}", template.display());
        assert!(text.contains("\n      cancel-in-progress: false\n"), "{}", template.display());
        let fleet = text.contains("group: isugate-fleet");
        let name = template.file_name().unwrap().to_string_lossy().into_owned();
        assert_eq!(
            fleet,
            ["isugate.yml", "isugate-nightly.yml", "isugate-reboot.yml"].contains(&name.as_str()),
            "{name}"
        );
    }
}

#[test]
fn no_input_is_part_of_a_script() {
    for file in templates().into_iter().chain([top().join("action.yml")]) {
        let value: serde_yaml::Value = serde_yaml::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
        look(&value, &mut |script| assert!(!script.contains("${{"), "{}: {script}", file.display()));
    }
}

fn look(value: &serde_yaml::Value, script: &mut dyn FnMut(&str)) {
    match value {
        serde_yaml::Value::Mapping(map) => {
            for (key, value) in map {
                if let (Some("run"), Some(text)) = (key.as_str(), value.as_str()) {
                    script(text);
                }
                look(value, script);
            }
        }
        serde_yaml::Value::Sequence(list) => list.iter().for_each(|value| look(value, script)),
        _ => {}
    }
}
