//! The shipped action and workflow in a real workflow runner. act has no containers here: steps run on this machine.
//!
//! Two of its limits are gone around: it rejects `concurrency.queue` (another test holds the shipped files to it), and the
//! actions that a runner would fetch are given as folders.

use std::{
    path::{Path, PathBuf},
    process::{Command, Output},
    time::Duration,
};

use serde_json::{Value, json};

use crate::{fake::rig, job::Job, rig::process};

/// A job's repository with the shipped workflow in it, ready for act.
struct Act {
    job: Job,
    folder: tempfile::TempDir,
}

impl Act {
    fn new(name: &str, n: u8) -> Act {
        let act = Act { job: Job::new(name, n), folder: tempfile::tempdir().unwrap() };
        let top = Path::new(env!("CARGO_MANIFEST_DIR"));
        // What git does not know act does not copy into the job's workspace.
        std::fs::write(act.job.repo.join(".git/info/exclude"), "").unwrap();
        act.job.git(&["add", "isugate.yml"]);
        act.job.git(&["commit", "-q", "-m", "configuration"]);
        // act takes owner and name from the remote's address.
        let remote = format!("https://github.com/{}.git", act.job.world.name);
        act.job.git(&["remote", "add", "origin", &remote]);
        let action = act.folder.path().join("action");
        std::fs::create_dir_all(action.join("scripts")).unwrap();
        for file in ["action.yml", "scripts/action-start"] {
            std::fs::copy(top.join(file), action.join(file)).unwrap();
        }
        let git = |folder: &Path, arguments: &[&str]| {
            let mut git = Command::new("git");
            git.arg("-C").arg(folder).args(["-c", "user.name=x", "-c", "user.email=x@example.invalid"]).args(arguments);
            process::run(&mut git).unwrap();
        };
        let upload = act.folder.path().join("upload");
        std::fs::create_dir_all(&upload).unwrap();
        let stub = "name: upload\ninputs:\n  path: {required: true}\nruns:\n  using: composite\n  steps:\n    - run: test -e \"$P/report.md\" && echo uploaded \"$P\"\n      shell: bash\n      env:\n        P: ${{ inputs.path }}\n";
        std::fs::write(upload.join("action.yml"), stub).unwrap();
        for folder in [&action, &upload] {
            git(folder, &["init", "-q"]);
            git(folder, &["add", "-A"]);
            git(folder, &["commit", "-q", "-m", "x"]);
        }
        act
    }

    /// The shipped workflow, with the binary that was just built.
    fn workflow(&self, template: &str) -> PathBuf {
        let top = Path::new(env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(top.join("workflows-templates").join(template)).unwrap();
        let binary = format!("        with:\n          binary: {}\n          ssh-key:", env!("CARGO_BIN_EXE_isugate"));
        let changed = text.replace("      queue: max\n", "").replace("        with:\n          ssh-key:", &binary);
        assert_ne!(text, changed);
        let path = self.folder.path().join(template);
        std::fs::write(&path, changed).unwrap();
        path
    }

    fn command(&self, template: &str, (name, payload): &(&str, Value)) -> Command {
        let event = self.folder.path().join("event.json");
        std::fs::write(&event, payload.to_string()).unwrap();
        let pinned = |action: &str| {
            let text = std::fs::read_to_string(self.workflow(template)).unwrap();
            let line = text.lines().find(|line| line.contains(&format!("uses: {action}@")));
            line.and_then(|line| line.split("uses: ").nth(1)?.split_whitespace().next().map(str::to_owned))
        };
        let mut act = Command::new(rig("venv/bin/act"));
        act.arg(name).arg("-e").arg(&event).arg("-W").arg(self.workflow(template)).current_dir(&self.job.repo);
        act.args([
            "-P",
            "self-hosted=-self-hosted",
            "-P",
            "isucon=-self-hosted",
            "--actor",
            "ann",
            "--no-cache-server",
        ]);
        act.arg("--action-cache-path").arg(self.folder.path().join("cache"));
        for (action, folder) in [("ekusiadadus/isugate", "action"), ("actions/upload-artifact", "upload")] {
            if let Some(pinned) = pinned(action) {
                let place = self.folder.path().join(folder);
                act.arg("--local-repository").arg(format!("https://github.com/{pinned}={}", place.display()));
            }
        }
        act.arg("-s").arg(format!("GITHUB_TOKEN={}", self.job.world.token));
        act.arg("--env").arg(format!("GITHUB_API_URL={}", self.job.world.url()));
        act.env("XDG_CONFIG_HOME", self.folder.path()).env("XDG_CACHE_HOME", self.folder.path());
        self.job.host.access().end_with_host(&mut act);
        act
    }

    fn run(&self, template: &str, event: &(&str, Value)) -> (bool, String) {
        let Output { status, stdout, stderr } = self.command(template, event).output().unwrap();
        (status.success(), process::text(&[stdout, stderr].concat()))
    }
}

#[test]
fn the_shipped_workflow_benchmarks_a_pull_request_and_a_push() {
    let act = Act::new("actpull", 81);
    let head = act.job.commit(r#"{"pass":true,"score":1200}"#, "0");
    let (ok, log) = act.run("isugate.yml", &act.job.pull(&head));
    assert!(ok, "{log}");
    assert!(act.job.world.comments()[0].contains("ACCEPT"), "{log}");
    assert_eq!(act.job.world.state().check().1, "success", "{log}");
    assert!(log.contains("uploaded"), "outputs reach the next step: {log}");
    assert!(!log.contains(&act.job.world.token), "the token is in the log");
    let (ok, log) = act.run("isugate.yml", &act.job.push("main", &head));
    assert!(ok, "{log}");
    assert_eq!(act.job.world.state().checks.len(), 2, "{log}");
}

#[test]
fn a_failing_benchmark_fails_the_job() {
    let act = Act::new("actfail", 82);
    let head = act.job.commit(r#"{"pass":false,"score":1200}"#, "0");
    let (ok, log) = act.run("isugate.yml", &act.job.pull(&head));
    assert!(!ok, "{log}");
    assert_eq!(act.job.world.state().check().1, "failure", "{log}");
}

#[test]
fn a_fork_is_not_started_at_all() {
    let act = Act::new("actfork", 83);
    let head = act.job.git(&["rev-parse", "HEAD"]).trim().to_owned();
    let (name, mut payload) = act.job.pull(&head);
    payload["pull_request"]["head"]["repo"]["full_name"] = json!("eve/isucon");
    let (ok, log) = act.run("isugate.yml", &(name, payload));
    assert!(ok, "{log}");
    assert!(act.job.world.state().requests.is_empty(), "{log}");
}

#[test]
fn a_slash_command_starts_the_workflow() {
    let act = Act::new("actcmd", 84);
    let (ok, log) = act.run("isugate-commands.yml", &act.job.comment("ann", "/bench --runs 3"));
    assert!(ok, "{log}");
    assert_eq!(act.job.world.state().dispatches.len(), 1, "{log}");
    assert_eq!(act.job.world.state().reactions.last().unwrap().1, "+1");
}

/// act kills the step's own process with SIGKILL, which is isugate itself: nothing can be put right then, and nothing that
/// stays may be for ever. (GitHub's runner asks first; `job/cancel.rs` does it as it does.)
#[test]
fn what_a_workflow_leaves_that_is_killed_ends_by_itself() {
    let act = Act::new("actcancel", 85);
    let head = act.job.commit(r#"{"pass":true,"score":1}"#, "20.5");
    let mut running =
        act.command("isugate.yml", &act.job.pull(&head)).stdout(std::process::Stdio::null()).spawn().unwrap();
    process::wait_for("the benchmark", Duration::from_secs(120), || Ok(act.job.sleeps("20.5")?.then_some(()))).unwrap();
    process::signal("INT", &[running.id()]).unwrap();
    running.wait().unwrap();
    let lease = Command::new(env!("CARGO_BIN_EXE_isugate")).arg("lease").current_dir(&act.job.repo).output().unwrap();
    let lease = process::text(&lease.stdout);
    assert!(lease.contains("free") || lease.contains("unless renewed"), "{lease}");
    process::wait_for(
        "the benchmarker's end",
        Duration::from_secs(40),
        || Ok((!act.job.sleeps("20.5")?).then_some(())),
    )
    .unwrap();
}
