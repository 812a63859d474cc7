//! The language of these tests: a [`Field`] is a repository, three hosts, a configuration and a benchmarker; a [`Run`] is
//! what the program said and how it ended.

use std::{
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::servers::{Place, Servers};
use crate::rig::{git_remote::git, process, ssh};

/// Restarts the application: a process that stands for it, and files that say which tree it was started from.
const SERVICE: &str = r#"
set -eu
run=$1
mkdir -p "$run"
if [ -e "$run/pid" ]; then kill "$(cat "$run/pid")" 2>/dev/null || true; fi
rm -f "$run/pid" "$run/version"
if [ -e restart-sleeps ]; then sleep "$(cat restart-sleeps)"; fi
if [ -e restart-fails ]; then
  case $(id -un) in *"$(cat restart-fails)"*) echo 'chairs: no such table: rides' >&2; exit 3 ;; esac
fi
if [ ! -e never-ready ]; then cp version "$run/version"; fi
cp score errors "$run/"
printf '%s\n' "${ISUGATE_COMMIT-}" >"$run/commit"
(cd / && setsid -f bash -c 'echo $$ >"$0/pid"; exec sleep 300' "$run" </dev/null >/dev/null 2>&1)
while [ ! -s "$run/pid" ]; do sleep 0.01; done
if [ -e "$run/chairs.env" ]; then
  if [ -e "$run/chairs.pid" ]; then kill -KILL "$(cat "$run/chairs.pid")" 2>/dev/null || true; fi
  (cd / && setsid -f bash -c 'echo $$ >"$0/chairs.pid"; set -a; . "$0/chairs.env"; exec "$CHAIRS"' "$run" \
    </dev/null >>"$run/chairs.log" 2>&1)
fi
"#;

const READY: &str = r#"
cmp -s version "$1/version" && exit 0
echo "version $(cat version) is not served: 502 Bad Gateway" >&2
exit 1
"#;

const BUILD: &str = r#"
if [ -e build-sleeps ]; then sleep "$(cat build-sleeps)"; fi
if [ -e build-fails ] && [ "$1" = "$(cat build-fails)" ]; then
  echo 'main.go:17:2: undefined: chairs' >&2
  exit 2
fi
echo "built for $1"
cp version built
"#;

/// Prints as ISUCON14's benchmarker does. `$1`: the application's directory.
pub const BENCH: &str = r#"
app=$1
score=$(cat "$app/score") errors=$(cat "$app/errors") map='map[]'
echo 'time=13:00:00.000 level=INFO msg=負荷走行を開始します'
for ((i = 0; i < errors; i++)); do
  echo 'time=13:00:00.100 level=WARN msg="椅子の状態が違います (CODE=30)"'
done
if [ "$errors" -gt 0 ]; then map="map[30:$errors]"; fi
sleep "${PAUSE:-0.1}"
echo "time=13:00:00.200 level=INFO msg=結果 pass=true スコア=$score 種別エラー数=$map"
echo 'time=13:00:00.300 level=INFO msg=負荷走行が終了しました'
"#;

/// A repository, hosts, a configuration, a benchmarker.
pub struct Field {
    work: tempfile::TempDir,
    pub servers: Arc<Servers>,
    pub app1: Place,
    pub app2: Place,
    pub bench: Place,
    pub config: String,
}

impl Field {
    /// On the servers that all tests share, with the commit `v1` (score 1000).
    pub fn new() -> Result<Field> {
        Field::on(Servers::shared()?, "")
    }

    /// On servers of its own, which the test may break.
    pub fn apart() -> Result<Field> {
        Field::on(Servers::own()?, "")
    }

    /// In directories whose names end with `suffix`.
    pub fn on(servers: Arc<Servers>, suffix: &str) -> Result<Field> {
        static COUNT: AtomicU32 = AtomicU32::new(1);
        let name = format!("f{}-{}{suffix}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let place = |alias| Place::new(alias, &servers, &name);
        let (app1, app2, bench) = (place("app1")?, place("app2")?, place("bench")?);
        let work = tempfile::Builder::new().prefix("isugate-way-").tempdir()?;
        let parts = [servers.app1.access(), servers.app2.access(), servers.bench.access()];
        ssh::join_configs(&work.path().join("ssh_config"), &parts)?;
        let mut field = Field { work, servers: servers.clone(), app1, app2, bench, config: String::new() };
        field.config = field.configuration();
        process::run(git().args(["init", "-q", "-b", "main"]).arg(field.repo()))?;
        std::fs::write(field.repo().join(".git/info/exclude"), "/isugate.yml\n")?;
        field.write_config()?;
        field.bench_script(BENCH)?;
        for (name, text) in [("service.sh", SERVICE), ("ready.sh", READY), ("build.sh", BUILD)] {
            std::fs::write(field.repo().join(name), text)?;
        }
        field.commit("v1", &[("score", "1000"), ("errors", "0")])?;
        Ok(field)
    }

    fn configuration(&self) -> String {
        let dir = &self.app1.dir;
        format!(
            r#"version: 1
contest: isucon14
ssh: {{ config: ../ssh_config }}
hosts:
  app1:  {{ ssh: app1,  roles: [app],   address: 127.0.1.101 }}
  app2:  {{ ssh: app2,  roles: [app],   address: 127.0.1.102 }}
  bench: {{ ssh: bench, roles: [bench], address: 127.0.1.103, state_dir: "{dir}/state" }}
deploy:
  dir: "{dir}/webapp"
  build:
    - {{ on: app1, run: "bash build.sh app1", timeout: 20s }}
    - {{ on: app2, run: "bash build.sh app2", timeout: 20s }}
  restart: [{{ on: app, run: "bash service.sh '{dir}/run'" }}]
  ready: [{{ on: app, run: "bash ready.sh '{dir}/run'", within: 1s }}]
bench:
  on: bench
  run: "bash '{dir}/bench.sh' '{}/run'"
  timeout: 20s
"#,
            self.app1.real.display()
        )
    }

    /// Replaces a part of the configuration.
    pub fn configure(&mut self, from: &str, to: &str) -> Result<()> {
        ensure!(self.config.contains(from), "the configuration has no `{from}`:\n{}", self.config);
        self.config = self.config.replace(from, to);
        self.write_config()
    }

    fn write_config(&self) -> Result<()> {
        std::fs::write(self.repo().join("isugate.yml"), &self.config).context("cannot write isugate.yml")
    }

    /// The benchmarker from now on.
    pub fn bench_script(&self, script: &str) -> Result<()> {
        self.bench.write("bench.sh", script)
    }

    pub fn work(&self) -> &Path {
        self.work.path()
    }

    pub fn repo(&self) -> PathBuf {
        self.work.path().join("repo")
    }

    pub fn git(&self, args: &[&str]) -> Result<String> {
        Ok(process::run(git().arg("-C").arg(self.repo()).args(args))?.trim().to_owned())
    }

    /// Commits files on top of the last commit and tags it with its name; `version` is the name. An empty text removes
    /// the file. Returns the commit's id.
    pub fn commit(&self, name: &str, files: &[(&str, &str)]) -> Result<String> {
        for (file, text) in [("version", name)].iter().chain(files) {
            let path = self.repo().join(file);
            match text.is_empty() {
                true => std::fs::remove_file(&path)?,
                false => std::fs::write(&path, format!("{text}\n"))?,
            }
        }
        self.git(&["add", "-A"])?;
        self.git(&["commit", "-q", "-m", name])?;
        self.git(&["tag", name])?;
        self.git(&["rev-parse", "HEAD"])
    }

    pub fn places(&self) -> [&Place; 3] {
        [&self.app1, &self.app2, &self.bench]
    }

    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_isugate"));
        command.args(args).current_dir(self.repo()).env_clear().stdin(Stdio::null());
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default()).env("HOME", self.work());
        command.env("USER", "tester").env("LC_ALL", "C.UTF-8").env("GIT_CONFIG_NOSYSTEM", "1");
        command.env("GIT_CONFIG_GLOBAL", "/dev/null");
        self.servers.app1.access().end_with_host(&mut command);
        command
    }

    /// Runs the program to its end.
    pub fn isugate(&self, args: &[&str]) -> Result<Run> {
        self.run(self.command(args))
    }

    pub fn run(&self, command: Command) -> Result<Run> {
        Running::start(command, self.work())?.end()
    }

    pub fn begin(&self, command: Command) -> Result<Running> {
        Running::start(command, self.work())
    }

    /// Starts the program.
    pub fn start(&self, args: &[&str]) -> Result<Running> {
        Running::start(self.command(args), self.work())
    }

    /// Directories of the runs on this machine, oldest first.
    pub fn runs(&self) -> Vec<PathBuf> {
        let Ok(entries) = std::fs::read_dir(self.repo().join(".isugate/runs")) else { return Vec::new() };
        let mut runs: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
        runs.sort();
        runs
    }

    /// A file of the newest run.
    pub fn last(&self, name: &str) -> String {
        self.runs()
            .last()
            .map(|run| std::fs::read(run.join(name)).unwrap_or_default())
            .map_or(String::new(), |b| process::text(&b))
    }

    /// The newest run's record.
    pub fn record(&self) -> Result<Value> {
        let text = self.last("run.json");
        serde_json::from_str(&text).with_context(|| format!("the newest run's record: {text:?}"))
    }

    /// The ledger's runs with their decisions, oldest first.
    pub fn ledger(&self) -> Result<Vec<(Value, Value)>> {
        let Ok(list) = self.git(&["ls-tree", "--name-only", "isugate-ledger:runs"]) else { return Ok(Vec::new()) };
        let read = |path: String| -> Result<Value> {
            Ok(serde_json::from_str(&self.git(&["show", &format!("isugate-ledger:runs/{path}")])?)?)
        };
        list.lines().map(|id| Ok((read(format!("{id}/run.json"))?, read(format!("{id}/decision.json"))?))).collect()
    }

    /// The verdicts of the ledger, oldest first: the first decision of each run.
    pub fn verdicts(&self) -> Result<Vec<String>> {
        let word =
            |(_, decision): &(Value, Value)| decision["decisions"][0]["verdict"].as_str().unwrap_or("?").to_owned();
        Ok(self.ledger()?.iter().map(word).collect())
    }

    /// What the journal of the newest run says, `stage phase` a line.
    pub fn journal(&self) -> Vec<String> {
        let text = self.last("journal.jsonl");
        let lines = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        lines
            .map(|line| format!("{} {}", line["stage"].as_str().unwrap_or("?"), line["phase"].as_str().unwrap_or("?")))
            .collect()
    }

    /// Both hosts of the application are on this commit and serve this version.
    pub fn serves(&self, version: &str) -> Result<()> {
        let id = self.git(&["rev-parse", version])?;
        for place in [&self.app1, &self.app2] {
            let (release, served) = (place.release(), place.read("run/version"));
            ensure!(release.as_deref() == Some(&id), "{} is on {release:?}, not on {version} ({id})", place.alias);
            ensure!(served == version, "{} serves `{served}`, not {version}", place.alias);
            let pid: u32 = place.read("run/pid").parse().with_context(|| format!("{}: no pid", place.alias))?;
            ensure!(process::is_alive(pid), "{}: the application does not run", place.alias);
        }
        Ok(())
    }

    /// Nobody holds a host, and nothing that isugate started there is left.
    pub fn tidy(&self) -> Result<()> {
        for place in self.places() {
            ensure!(!place.leased(), "{} is still leased", place.alias);
        }
        self.no_jobs()
    }

    /// Nothing that isugate started on a host is left.
    pub fn no_jobs(&self) -> Result<()> {
        self.no_jobs_within(Duration::from_secs(2))
    }

    pub fn no_jobs_within(&self, limit: Duration) -> Result<()> {
        process::wait_for("the end of all jobs", limit, || {
            Ok(self.places().iter().all(|place| place.jobs().is_empty()).then_some(()))
        })
        .with_context(|| format!("{:?}", self.places().map(Place::jobs)))
    }
}

/// The program while it runs.
pub struct Running {
    child: Child,
    out: PathBuf,
    err: PathBuf,
    began: Instant,
    pub signalled: Option<Instant>,
}

impl Running {
    fn start(mut command: Command, work: &Path) -> Result<Running> {
        static COUNT: AtomicU32 = AtomicU32::new(1);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let (out, err) = (work.join(format!("out-{number}")), work.join(format!("err-{number}")));
        command.stdout(std::fs::File::create(&out)?).stderr(std::fs::File::create(&err)?);
        let child = command.spawn().context("cannot start isugate")?;
        Ok(Running { child, out, err, began: Instant::now(), signalled: None })
    }

    /// Waits until it says a text on stderr.
    pub fn until(self, said: &str) -> Result<Running> {
        self.until_true(&format!("`{said}`"), |text| text.contains(said))
    }

    /// Waits for something; it must not end before.
    pub fn until_true(mut self, what: &str, ready: impl Fn(&str) -> bool) -> Result<Running> {
        let err = self.err.clone();
        let text = || std::fs::read(&err).map(|bytes| process::text(&bytes)).unwrap_or_default();
        let result = process::wait_for(what, Duration::from_secs(40), || {
            if ready(&text()) {
                return Ok(Some(()));
            }
            ensure!(self.child.try_wait()?.is_none(), "isugate ended before {what}");
            Ok(None)
        });
        if result.is_err() {
            let _ = self.child.kill();
        }
        result.with_context(text)?;
        Ok(self)
    }

    pub fn signal(mut self, name: &str) -> Result<Running> {
        process::signal(name, &[self.child.id()])?;
        self.signalled = Some(Instant::now());
        Ok(self)
    }

    pub fn end(mut self) -> Result<Run> {
        let limit = Duration::from_secs(90);
        let status = process::wait_for("the end of isugate", limit, || self.child.try_wait().context("cannot wait"));
        if status.is_err() {
            let _ = self.child.kill();
        }
        let read = |path: &Path| std::fs::read(path).map(|bytes| process::text(&bytes)).unwrap_or_default();
        let (stdout, stderr) = (read(&self.out), read(&self.err));
        let status = status.with_context(|| stderr.clone())?;
        let since = self.signalled.unwrap_or(self.began);
        Ok(Run { exit: status.code(), stdout, stderr, took: since.elapsed() })
    }
}

/// What the program said, and how it ended.
#[derive(Debug)]
pub struct Run {
    pub exit: Option<i32>,
    pub stdout: String,
    pub stderr: String,
    /// From its start, or from the last signal.
    pub took: Duration,
}

impl Run {
    /// It ended with this status.
    #[track_caller]
    pub fn exits(self, status: i32) -> Run {
        assert_eq!(self.exit, Some(status), "stderr:\n{}\nstdout:\n{}", self.stderr, self.stdout);
        self
    }

    /// Its error message or its report holds all of these texts.
    #[track_caller]
    pub fn says(self, texts: &[&str]) -> Run {
        for text in texts {
            let said = self.stderr.contains(text) || self.stdout.contains(text);
            assert!(said, "`{text}` was not said. stderr:\n{}\nstdout:\n{}", self.stderr, self.stdout);
        }
        self
    }

    /// It says none of these.
    #[track_caller]
    pub fn hides(self, texts: &[&str]) -> Run {
        for text in texts {
            let said = self.stderr.contains(text) || self.stdout.contains(text);
            assert!(!said, "`{text}` was said. stderr:\n{}\nstdout:\n{}", self.stderr, self.stdout);
        }
        self
    }

    /// It was over this soon.
    #[track_caller]
    pub fn within(self, seconds: u64) -> Run {
        assert!(self.took < Duration::from_secs(seconds), "it took {:?}. stderr:\n{}", self.took, self.stderr);
        self
    }
}
