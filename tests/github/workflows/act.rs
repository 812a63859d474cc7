//! A real workflow runner for the shipped action and workflows. act has no containers here: steps run on this machine.
//!
//! Two of its limits are gone around: it rejects `concurrency.queue` (another test holds the shipped files to it), and the
//! actions that a runner would fetch are given as folders.

use std::{
    path::{Path, PathBuf},
    process::{Command, Output},
};

use serde_json::Value;

use crate::{
    fake::{World, rig},
    rig::{process, ssh::Access},
};

/// A repository with the shipped action for it, ready for act.
pub struct Act<'a> {
    world: &'a World,
    repo: &'a Path,
    access: &'a Access,
    folder: tempfile::TempDir,
}

impl<'a> Act<'a> {
    /// For a repository of the working directory's form: its configuration becomes a commit. What act starts ends with the host.
    pub fn new(world: &'a World, repo: &'a Path, access: &'a Access) -> Act<'a> {
        let act = Act { world, repo, access, folder: tempfile::tempdir().unwrap() };
        let top = Path::new(env!("CARGO_MANIFEST_DIR"));
        // What git does not know act does not copy into the job's workspace.
        std::fs::create_dir_all(repo.join(".git/info")).unwrap();
        std::fs::write(repo.join(".git/info/exclude"), "").unwrap();
        git(repo, &["add", "isugate.yml"]);
        git(repo, &["commit", "-q", "-m", "configuration"]);
        // act takes owner and name from the remote's address.
        git(repo, &["remote", "add", "origin", &format!("https://github.com/{}.git", world.name)]);
        let action = act.folder.path().join("action");
        std::fs::create_dir_all(action.join("scripts")).unwrap();
        for file in ["action.yml", "scripts/action-start"] {
            std::fs::copy(top.join(file), action.join(file)).unwrap();
        }
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

    /// A repository beside it that the ledger is shared over: act works on a copy of ours, which is gone with the job.
    pub fn share_the_ledger(&self) -> PathBuf {
        let bare = self.folder.path().join("ledger.git");
        process::run(Command::new("git").args(["init", "-q", "--bare"]).arg(&bare)).unwrap();
        git(self.repo, &["remote", "add", "shared", &bare.display().to_string()]);
        let config = self.repo.join("isugate.yml");
        let text = std::fs::read_to_string(&config).unwrap() + "ledger: { remote: shared }\n";
        std::fs::write(&config, text).unwrap();
        git(self.repo, &["commit", "-q", "-a", "-m", "the ledger's remote"]);
        bare
    }

    /// The shipped workflow, with the binary that was just built.
    fn workflow(&self, template: &str) -> PathBuf {
        let top = Path::new(env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(top.join("workflows-templates").join(template)).unwrap();
        let (before, after) = text.split_once("uses: ekusiadadus/isugate@").unwrap();
        let (line, inputs) = after.split_once("        with:\n").unwrap();
        let binary = format!("          binary: {}\n", env!("CARGO_BIN_EXE_isugate"));
        let changed = format!("{before}uses: ekusiadadus/isugate@{line}        with:\n{binary}{inputs}");
        let path = self.folder.path().join(template);
        std::fs::write(&path, changed.replace("      queue: max\n", "")).unwrap();
        path
    }

    pub fn command(&self, template: &str, (name, payload): &(&str, Value)) -> Command {
        let event = self.folder.path().join("event.json");
        std::fs::write(&event, payload.to_string()).unwrap();
        let workflow = self.workflow(template);
        let text = std::fs::read_to_string(&workflow).unwrap();
        let pinned = |action: &str| {
            let line = text.lines().find(|line| line.contains(&format!("uses: {action}@")));
            line.and_then(|line| line.split("uses: ").nth(1)?.split_whitespace().next().map(str::to_owned))
        };
        let mut act = Command::new(rig("venv/bin/act"));
        act.arg(name).arg("-e").arg(&event).arg("-W").arg(&workflow).current_dir(self.repo);
        act.args(["-P", "isucon=-self-hosted", "--actor", "ann", "--no-cache-server"]);
        act.arg("--action-cache-path").arg(self.folder.path().join("cache"));
        for (action, folder) in [("ekusiadadus/isugate", "action"), ("actions/upload-artifact", "upload")] {
            if let Some(pinned) = pinned(action) {
                let place = self.folder.path().join(folder);
                act.arg("--local-repository").arg(format!("https://github.com/{pinned}={}", place.display()));
            }
        }
        act.arg("-s").arg(format!("GITHUB_TOKEN={}", self.world.token));
        act.arg("--env").arg(format!("GITHUB_API_URL={}", self.world.url()));
        act.env("XDG_CONFIG_HOME", self.folder.path()).env("XDG_CACHE_HOME", self.folder.path());
        self.access.end_with_host(&mut act);
        act
    }

    /// Runs a workflow to its end: whether it succeeded, and its log, in which the token never is.
    pub fn run(&self, template: &str, event: &(&str, Value)) -> (bool, String) {
        let Output { status, stdout, stderr } = self.command(template, event).output().unwrap();
        let log = process::text(&[stdout, stderr].concat());
        assert!(!log.contains(&self.world.token), "the token is in the log");
        (status.success(), log)
    }
}

/// git in a folder, as somebody.
pub fn git(folder: &Path, arguments: &[&str]) -> String {
    let mut git = Command::new("git");
    git.arg("-C").arg(folder).args(["-c", "user.name=x", "-c", "user.email=x@example.invalid"]).args(arguments);
    process::run(&mut git).unwrap()
}
