//! A repository with commits that score differently, a host behind a real SSH server, and jobs on it.

use std::{
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use serde_json::{Value, json};

use crate::{
    fake::World,
    rig::{
        process,
        sshd::{Options, Sshd},
    },
};

/// What a job left.
#[derive(Debug)]
pub struct Done {
    pub status: Option<i32>,
    pub log: String,
    pub outputs: String,
    pub summary: String,
}

pub struct Job {
    pub world: World,
    pub host: Sshd,
    pub repo: PathBuf,
    dir: tempfile::TempDir,
}

impl Job {
    /// A repository on the branch `main` with one commit that passes with 1,000, and a host called `name`.
    pub fn new(name: &str, n: u8) -> Job {
        let (world, dir) = (World::new(), tempfile::tempdir().unwrap());
        let host = Sshd::start(&Options::new(name, n)).unwrap();
        let repo = dir.path().join("repo");
        std::fs::create_dir(&repo).unwrap();
        let job = Job { world, host, repo, dir };
        job.git(&["init", "-q", "-b", "main"]);
        std::fs::write(job.repo.join(".git/info/exclude"), "/isugate.yml\n").unwrap();
        job.config("");
        job.commit(r#"{"pass":true,"score":1000}"#, "0");
        job
    }

    /// The configuration, with more lines of the section `github`.
    pub fn config(&self, github: &str) {
        let (home, config) = (self.host.home().display(), self.host.access().config.display());
        let alias = &self.host.access().alias;
        let text = format!(
            "version: 1\ncontest: generic\nssh: {{ config: {config} }}\nhosts:\n  app1: {{ ssh: {alias}, roles: [app, bench] }}\n\
             deploy:\n  dir: {home}/webapp\n  build: [{{ on: app, run: \"true\" }}]\nbench:\n  on: bench\n  \
             run: \"sleep $(cat {home}/webapp/delay); cat {home}/webapp/result.json\"\n  timeout: 60s\n\
             github: {{ check: true{github} }}\n"
        );
        std::fs::write(self.repo.join("isugate.yml"), text).unwrap();
    }

    /// A commit whose benchmark takes `delay` seconds and prints `result`.
    pub fn commit(&self, result: &str, delay: &str) -> String {
        std::fs::write(self.repo.join("result.json"), format!("{result}\n")).unwrap();
        std::fs::write(self.repo.join("delay"), format!("{delay}\n")).unwrap();
        self.git(&["add", "result.json", "delay"]);
        self.git(&["commit", "-q", "--allow-empty", "-m", &format!("result {result} <b>@team</b>")]);
        self.git(&["rev-parse", "HEAD"]).trim().to_owned()
    }

    pub fn git(&self, arguments: &[&str]) -> String {
        let mut git = Command::new("git");
        git.arg("-C").arg(&self.repo).args(["-c", "user.name=ann", "-c", "user.email=ann@example.invalid"]);
        process::run(git.args(arguments)).unwrap()
    }

    /// A push of a commit to a branch.
    pub fn push(&self, branch: &str, sha: &str) -> (&'static str, Value) {
        ("push", json!({"ref": format!("refs/heads/{branch}"), "after": sha, "repository": self.repository()}))
    }

    /// A pull request's event.
    pub fn pull(&self, sha: &str) -> (&'static str, Value) {
        let head = json!({"sha": sha, "ref": "faster", "repo": {"full_name": self.world.name}});
        let pull = json!({"number": 7, "merged": false, "head": head});
        (
            "pull_request",
            json!({"action": "synchronize", "number": 7, "pull_request": pull, "repository": self.repository()}),
        )
    }

    /// Somebody's comment on the pull request.
    pub fn comment(&self, author: &str, body: &str) -> (&'static str, Value) {
        let id = self.world.state().says(author, body);
        let comment = json!({
            "id": id, "body": body, "user": {"login": author, "type": "User"}, "created_at": "2999-01-01T00:00:00Z",
        });
        let issue = json!({"number": 7, "pull_request": {}});
        (
            "issue_comment",
            json!({"action": "created", "issue": issue, "comment": comment, "repository": self.repository()}),
        )
    }

    pub fn repository(&self) -> Value {
        json!({"full_name": self.world.name, "private": true, "default_branch": "main"})
    }

    /// The program, as the action starts it.
    pub fn program(&self, (name, payload): &(&str, Value)) -> Command {
        let file = |name: &str| self.dir.path().join(name);
        std::fs::write(file("event.json"), payload.to_string()).unwrap();
        for name in ["output", "summary", "log"] {
            std::fs::write(file(name), "").unwrap();
        }
        let log = std::fs::File::create(file("log")).unwrap();
        let mut program = Command::new(env!("CARGO_BIN_EXE_isugate"));
        program.arg("ci").current_dir(&self.repo).stdin(Stdio::null());
        program.stdout(log.try_clone().unwrap()).stderr(log);
        let known = ["PATH", "HOME", "USER", "TMPDIR", "XDG_STATE_HOME"];
        program.env_clear().envs(known.iter().filter_map(|name| Some((name, std::env::var_os(name)?))));
        program
            .env("GITHUB_ACTIONS", "true")
            .env("GITHUB_EVENT_NAME", name)
            .env("GITHUB_EVENT_PATH", file("event.json"))
            .env("GITHUB_REPOSITORY", &self.world.name)
            .env("GITHUB_SHA", "c".repeat(40))
            .env("GITHUB_ACTOR", "ann")
            .env("GITHUB_RUN_ID", "42")
            .env("GITHUB_API_URL", self.world.url())
            .env("GITHUB_OUTPUT", file("output"))
            .env("GITHUB_STEP_SUMMARY", file("summary"))
            .env("ISUGATE_GITHUB_TOKEN", &self.world.token);
        self.host.access().end_with_host(&mut program);
        program
    }

    pub fn start(&self, event: &(&str, Value)) -> Child {
        self.program(event).spawn().unwrap()
    }

    /// What an ended job left.
    pub fn done(&self, status: Option<i32>) -> Done {
        let read = |name: &str| std::fs::read_to_string(self.dir.path().join(name)).unwrap_or_default();
        Done { status, log: read("log"), outputs: read("output"), summary: read("summary") }
    }

    /// Runs a job to its end.
    pub fn run(&self, event: &(&str, Value)) -> Done {
        let status = self.program(event).status().unwrap();
        self.done(status.code())
    }

    /// The journal of the newest run on this machine.
    pub fn journal(&self) -> String {
        let mut runs: Vec<_> = std::fs::read_dir(self.repo.join(".isugate/runs"))
            .map(|all| all.flatten().map(|entry| entry.path()).collect())
            .unwrap_or_default();
        runs.sort();
        runs.last().and_then(|run| std::fs::read_to_string(run.join("journal.jsonl")).ok()).unwrap_or_default()
    }

    /// Whether a benchmark of so many seconds runs on the host.
    ///
    /// # Errors
    /// The host.
    pub fn sleeps(&self, seconds: &str) -> anyhow::Result<bool> {
        let all = self.host.access().run("pgrep -u \"$(id -u)\" -xa sleep || true")?;
        Ok(all.lines().any(|line| line.ends_with(&format!("sleep {seconds}"))))
    }

    /// Files in the outbox.
    pub fn outbox(&self) -> Vec<String> {
        let listed = std::fs::read_dir(self.repo.join(".isugate/outbox"));
        let mut names: Vec<String> = listed
            .map(|all| all.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect())
            .unwrap_or_default();
        names.sort();
        names
    }

    /// All files below a folder, for a look at what is in them.
    pub fn files(folder: &Path) -> Vec<PathBuf> {
        let mut found = Vec::new();
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => found.extend(Job::files(&entry.path())),
                Ok(kind) if kind.is_file() => found.push(entry.path()),
                _ => {}
            }
        }
        found
    }

    /// The folder that holds everything of the job.
    pub fn folder(&self) -> &Path {
        self.dir.path()
    }
}
