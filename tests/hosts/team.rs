//! Three hosts that tests take turns on, twice, and a repository whose commits go there.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::Path,
    process::{Child, Command, Stdio},
    sync::{Mutex, MutexGuard, TryLockError},
    time::Duration,
};

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use tempfile::TempDir;

use super::app;
use super::rig::{git_remote::git, process, systemd_host::SystemdHost};

/// Each three are booted once, in a network of their own. They are never dropped: the rig's guard ends them with this process.
static HOSTS: [Mutex<Option<Vec<SystemdHost>>>; 2] = [Mutex::new(None), Mutex::new(None)];

/// Back to a host on which isugate never was, with the application's unit there and enabled.
const CLEAN: &str = r#"
sudo systemctl stop app 2>/dev/null
sudo umount ~/webapp.isugate 2>/dev/null
set -e
if [ ! -e /var/backups/nginx ]; then sudo cp -a /etc/nginx /var/backups/nginx; fi
sudo rm -rf ~/webapp ~/webapp.isugate ~/.isugate ~/builds ~/bench-runs ~/bench /etc/nginx /etc/systemd/system/app.service*
sudo cp -a /var/backups/nginx /etc/nginx
sudo tee /etc/systemd/system/app.service >/dev/null
sudo systemctl daemon-reload
sudo systemctl reset-failed
[ "$(hostname)" = isu3 ] || sudo systemctl enable -q app
sudo systemctl restart nginx"#;

/// One test's turn on the hosts.
pub struct Turn {
    hosts: MutexGuard<'static, Option<Vec<SystemdHost>>>,
    repo: TempDir,
}

/// What `isugate` came to.
#[derive(Debug)]
pub struct Said {
    /// Its exit status.
    pub code: Option<i32>,
    /// The report; null where there is none.
    pub report: Value,
    /// Its standard error.
    pub stderr: String,
}

impl Turn {
    /// Waits for the hosts and makes them clean; an empty repository.
    pub fn take() -> Result<Turn> {
        let mut hosts = free_hosts();
        if hosts.is_none() {
            *hosts = Some(SystemdHost::start_all(&["isu1", "isu2", "isu3"])?);
        }
        let turn = Turn { hosts, repo: tempfile::tempdir()? };
        for host in turn.all() {
            host.plug()?;
        }
        for host in turn.all() {
            // A test that failed in the middle may have left it off the network or rebooting.
            process::wait_for("SSH", Duration::from_secs(60), || {
                Ok(host.output("true")?.status.success().then_some(()))
            })?;
            write(host, CLEAN, app::UNIT)?;
        }
        write(turn.host(3), "cat >~/bench && chmod 755 ~/bench", app::BENCH)?;
        process::run(git().args(["init", "--quiet", "--initial-branch=main"]).arg(turn.repo()))?;
        fs::write(turn.repo().join(".git/info/exclude"), "/isugate.yml\n")?;
        turn.configure("", "", 3)?;
        Ok(turn)
    }

    fn all(&self) -> &[SystemdHost] {
        self.hosts.as_deref().unwrap_or_default()
    }

    /// The host isu1, isu2 or isu3.
    pub fn host(&self, number: usize) -> &SystemdHost {
        &self.all()[number - 1]
    }

    /// The repository here.
    pub fn repo(&self) -> &Path {
        self.repo.path()
    }

    /// Writes `isugate.yml`: the application on isu1 and isu2, nginx on isu1, the benchmarker on isu3.
    pub fn configure(&self, deploy: &str, more: &str, tenths: u32) -> Result<()> {
        let config = self.host(1).access().config.display();
        let address = self.host(1).address();
        let text = format!(
            r#"version: 1
contest: generic
ssh: {{ config: {config}, connect_timeout: 5s }}
hosts:
  isu1: {{ ssh: isu1, roles: [app, nginx], address: {address} }}
  isu2: {{ ssh: isu2, roles: [app] }}
  isu3: {{ ssh: isu3, roles: [bench] }}
deploy:
  dir: /home/isucon/webapp
  build: [{{ on: app, run: ./build }}]
  files: [{{ on: nginx, from: etc/nginx, to: /etc/nginx, check: "nginx -t", sudo: true }}]
  restart: [{{ on: app, unit: app }}, {{ on: nginx, unit: nginx }}]
  ready:
    - {{ on: app, http: "http://127.0.0.1:8080/", within: 10s }}
    - {{ on: nginx, http: "http://127.0.0.1/", within: 10s }}
{deploy}
bench: {{ on: bench, run: "/home/isucon/bench {{{{host.isu1}}}} {tenths}", timeout: 120s }}
{more}
"#
        );
        Ok(fs::write(self.repo().join("isugate.yml"), text)?)
    }

    /// Changes `isugate.yml` in one place.
    pub fn replace(&self, from: &str, to: &str) -> Result<()> {
        let path = self.repo().join("isugate.yml");
        let text = fs::read_to_string(&path)?;
        ensure!(text.contains(from), "{from} is not in {text}");
        Ok(fs::write(path, text.replace(from, to))?)
    }

    /// Commits exactly these files; returns the commit.
    pub fn commit(&self, files: &[(&str, String)]) -> Result<String> {
        let repo = self.repo();
        process::run(git().arg("-C").arg(repo).args(["rm", "-rq", "--ignore-unmatch", "."]))?;
        for (path, text) in files {
            let path = repo.join(path);
            fs::create_dir_all(path.parent().context("a directory")?)?;
            fs::write(&path, text)?;
            if text.starts_with("#!") {
                fs::set_permissions(&path, fs::Permissions::from_mode(0o755))?;
            }
        }
        process::run(git().arg("-C").arg(repo).args(["add", "-A"]))?;
        process::run(git().arg("-C").arg(repo).args(["commit", "--quiet", "--allow-empty", "-m", "a change"]))?;
        Ok(process::run(git().arg("-C").arg(repo).args(["rev-parse", "HEAD"]))?.trim().to_owned())
    }

    /// `isugate` in the repository.
    pub fn isugate(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_isugate"));
        command.current_dir(self.repo()).args(arguments).env_remove("GITHUB_ACTIONS").env("COLUMNS", "200");
        self.host(1).access().end_with_host(&mut command);
        command
    }

    /// `isugate bench --json` to its end.
    pub fn bench(&self) -> Result<Said> {
        self.bench_with(&[])
    }

    /// The same with more arguments.
    pub fn bench_with(&self, more: &[&str]) -> Result<Said> {
        said(process::output(self.isugate(&["bench", "--json"]).args(more))?)
    }

    /// Starts `isugate bench --json` and returns when the benchmarker runs.
    pub fn bench_until_it_runs(&self) -> Result<Child> {
        let child = self.start(&["bench", "--json"])?;
        self.wait_for_bench()?;
        Ok(child)
    }

    /// Starts `isugate`.
    pub fn start(&self, arguments: &[&str]) -> Result<Child> {
        let mut command = self.isugate(arguments);
        Ok(command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?)
    }

    fn wait_for_bench(&self) -> Result<()> {
        process::wait_for("the benchmarker", Duration::from_secs(60), || {
            Ok(self.host(3).output("test -e ~/bench-runs")?.status.success().then_some(()))
        })
    }

    /// What the application of a host answers: its commit.
    pub fn answers(&self, number: usize) -> Result<String> {
        let body = self.host(number).exec("curl -sS --max-time 5 http://127.0.0.1:8080/")?;
        Ok(body.split(' ').next().unwrap_or_default().to_owned())
    }
}

/// Waits until nobody has one of the two threes.
fn free_hosts() -> MutexGuard<'static, Option<Vec<SystemdHost>>> {
    loop {
        for hosts in &HOSTS {
            match hosts.try_lock() {
                Ok(hosts) => return hosts,
                // A test that failed: the next turn makes them clean.
                Err(TryLockError::Poisoned(hosts)) => return hosts.into_inner(),
                Err(TryLockError::WouldBlock) => {}
            }
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// What an ended `isugate` said.
pub fn said(output: std::process::Output) -> Result<Said> {
    let stdout = process::text(&output.stdout);
    let report = match stdout.trim() {
        "" => Value::Null,
        text => serde_json::from_str(text).with_context(|| format!("not a document: {text}"))?,
    };
    Ok(Said { code: output.status.code(), report, stderr: process::text(&output.stderr) })
}

/// Runs a script on a host with `text` on its standard input.
pub fn write(host: &SystemdHost, script: &str, text: &str) -> Result<()> {
    use std::io::Write;
    let mut child = host.access().command().arg(script).stdin(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    child.stdin.take().context("stdin")?.write_all(text.as_bytes())?;
    let output = child.wait_with_output()?;
    ensure!(output.status.success(), "{script}: {}", process::text(&output.stderr));
    Ok(())
}
