//! `scripts/demo` from its start to its end, and interrupted: it shows what it promises and leaves nothing behind.

pub mod rig;

use std::{
    fs::{self, Permissions},
    net::TcpStream,
    os::unix::{fs::PermissionsExt, process::CommandExt},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use anyhow::{Context, Result, ensure};
use rig::sshd::{Options, Sshd};
use rig::{go, process};
use tempfile::TempDir;

/// One demo at a time: each takes what the machine has.
static TURN: Mutex<()> = Mutex::new(());

/// Names that a build of the demo's application puts its work under.
const BUILT: [&str; 2] = ["mod", "build"];

/// The script while it runs. A test that fails in the middle must not leave it behind.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        if !matches!(self.0.try_wait(), Ok(None)) {
            return;
        }
        // It takes along what it started when it is told to end.
        let told = process::signal("TERM", &[self.0.id()]);
        let limit = Duration::from_secs(30);
        if told.is_err() || process::wait_for("the demo", limit, || Ok(self.0.try_wait()?)).is_err() {
            let _ = self.0.kill();
        }
        let _ = self.0.wait();
    }
}

struct Demo {
    _turn: MutexGuard<'static, ()>,
    place: TempDir,
    passwd: Vec<String>,
    user: Option<(Sshd, String)>,
}

impl Demo {
    /// A folder that every user can reach, with what Go has downloaded and built already.
    fn new(user: Option<(Sshd, String)>) -> Result<Demo> {
        let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let place = tempfile::Builder::new().prefix("isugate-demo-").tempdir_in("/tmp")?;
        fs::set_permissions(place.path(), Permissions::from_mode(0o755))?;
        let demo = Demo { _turn: turn, place, passwd: users()?, user };
        let caches = warm_caches()?;
        fs::create_dir_all(demo.dir().join("cache"))?;
        fs::write(demo.dir().join(".isugate-demo"), "")?;
        process::run(
            Command::new("cp").arg("-a").args(BUILT.map(|name| caches.join(name))).arg(demo.dir().join("cache")),
        )?;
        // What the script needs of the repository: another user may not be able to reach this one.
        let project = demo.place.path().join("project");
        fs::create_dir_all(project.join("scripts"))?;
        let top = Path::new(env!("CARGO_MANIFEST_DIR"));
        process::run(Command::new("cp").arg("-a").arg(top.join("fixtures")).arg(&project))?;
        fs::copy(top.join("scripts/demo"), project.join("scripts/demo"))?;
        fs::copy(env!("CARGO_BIN_EXE_isugate"), project.join("isugate"))?;
        if let Some((_, user)) = &demo.user {
            process::run(Command::new("chown").args(["-R", &format!("{user}:")]).arg(demo.place.path()))?;
        }
        Ok(demo)
    }

    fn dir(&self) -> PathBuf {
        self.place.path().join("demo")
    }

    fn start(&self) -> Result<Running> {
        let project = self.place.path().join("project");
        let mut command = match &self.user {
            None => Command::new(project.join("scripts/demo")),
            Some((sshd, user)) => {
                let mut command = Command::new("setpriv");
                command.args(["--reuid", user, "--regid", user, "--clear-groups", "env"]);
                command.arg(format!("HOME={}", sshd.home().display())).arg(project.join("scripts/demo"));
                command
            }
        };
        let log = fs::File::create(self.place.path().join("log"))?;
        command.env("ISUGATE_BIN", project.join("isugate")).env("DEMO_DIR", self.dir()).env_remove("GITHUB_ACTIONS");
        command.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log).process_group(0).current_dir(&project);
        command.spawn().map(Running).context("cannot start the demo")
    }

    fn log(&self) -> String {
        fs::read(self.place.path().join("log")).map(|bytes| process::text(&bytes)).unwrap_or_default()
    }

    /// Waits until a file that `pattern` names (for `ls`, below the demo's folder) is there.
    fn wait_for(&self, pattern: &str) -> Result<()> {
        process::wait_for(pattern, Duration::from_secs(600), || {
            let looked =
                process::output(Command::new("bash").arg("-c").arg(format!("ls {}/{pattern}", self.dir().display())))?;
            Ok(looked.status.success().then_some(()))
        })
        .with_context(|| self.log())
    }

    /// Nothing of it runs, listens or is known to the machine any more.
    fn assert_gone(&self) -> Result<()> {
        let place = self.place.path().display().to_string();
        let left = || -> Result<Vec<String>> {
            let mut left = Vec::new();
            for entry in fs::read_dir("/proc")?.flatten() {
                let Ok(pid) = entry.file_name().to_string_lossy().parse::<u32>() else { continue };
                let read = |file: &str| {
                    fs::read(entry.path().join(file)).map(|bytes| process::text(&bytes)).unwrap_or_default()
                };
                let cwd = fs::read_link(entry.path().join("cwd")).unwrap_or_default().display().to_string();
                let (line, environment) = (read("cmdline"), read("environ"));
                if process::is_alive(pid) && [&line, &environment, &cwd].iter().any(|text| text.contains(&place)) {
                    left.push(format!("{pid} {} in {cwd}", line.replace('\0', " ")));
                }
            }
            Ok(left)
        };
        // A process that was told to end may take a moment.
        let gone = process::wait_for("the end of all processes", Duration::from_secs(5), || {
            Ok(left()?.is_empty().then_some(()))
        });
        ensure!(gone.is_ok(), "still there: {:#?}\n{}", left()?, self.log());
        for (file, before) in [
            ("ssh/sshd_config", "Port "),
            ("app1/demo.env", "ADDR=127.0.0.1:"),
            ("app1/demo.env", "ISUTOOLS_ADDR=127.0.0.1:"),
        ] {
            let text = fs::read_to_string(self.dir().join(file))?;
            let port = text.lines().find_map(|line| line.strip_prefix(before)).context(before)?;
            ensure!(TcpStream::connect(("127.0.0.1", port.parse()?)).is_err(), "{before}{port} still answers");
        }
        let passwd = users()?;
        ensure!(!passwd.iter().any(|line| line.starts_with("isugate-demo:")), "the demo's user is in /etc/passwd");
        ensure!(passwd == self.passwd, "/etc/passwd has changed");
        Ok(())
    }
}

/// The machine's users but those that the rig makes for a test (`isugate-NAME-PID-N`): these come and go beside us.
fn users() -> Result<Vec<String>> {
    let of_rig = |line: &str| {
        let name = line.split(':').next().unwrap_or_default();
        name.starts_with("isugate-") && name.split('-').count() == 4
    };
    Ok(fs::read_to_string("/etc/passwd")?.lines().filter(|line| !of_rig(line)).map(str::to_owned).collect())
}

/// Go's caches with all in them that the demo builds.
fn warm_caches() -> Result<PathBuf> {
    go::build("app", ".", Path::new("/dev/null"))?;
    go::build("bench", "./cmd/bench", Path::new("/dev/null"))?;
    go::caches()
}

fn shows_the_three_verdicts(demo: &Demo) -> Result<()> {
    let status = demo.start()?.0.wait()?;
    let log = demo.log();
    assert_eq!(status.code(), Some(0), "{log}");
    assert!(log.contains("Verdicts: accept accept revert"), "{log}");
    let named = |what: &str| log.lines().find_map(|line| line.strip_prefix(what)).map(|path| path.trim().to_owned());
    for what in ["report ", "snapshot "] {
        let path = named(what).context(what.to_owned())?;
        ensure!(fs::metadata(&path).is_ok_and(|file| file.len() > 0), "{path} is not there");
    }
    demo.assert_gone()
}

#[test]
fn the_demo_shows_its_three_verdicts_and_leaves_nothing_behind() -> Result<()> {
    shows_the_three_verdicts(&Demo::new(None)?)
}

#[test]
fn the_demo_needs_no_root() -> Result<()> {
    if !process::is_root() {
        // The other tests of this file have shown it.
        return Ok(());
    }
    let sshd = Sshd::start(&Options::new("plain", 91))?;
    let user = sshd.access().user.clone();
    shows_the_three_verdicts(&Demo::new(Some((sshd, user)))?)
}

/// Interrupts the demo when `pattern` is there; everything must be gone and the status be `code`.
fn interrupted(pattern: &str, signal: &str, whole_group: bool, code: i32) -> Result<()> {
    let demo = Demo::new(None)?;
    let mut child = demo.start()?;
    demo.wait_for(pattern)?;
    let target = if whole_group { format!("-{}", child.0.id()) } else { child.0.id().to_string() };
    process::run(Command::new("kill").args([&format!("-{signal}"), "--", &target]))?;
    let ended = process::wait_for("the end of the demo", Duration::from_secs(60), || Ok(child.0.try_wait()?));
    assert_eq!(ended.with_context(|| demo.log())?.code(), Some(code), "{}", demo.log());
    demo.assert_gone()
}

#[test]
fn a_demo_that_is_interrupted_in_the_middle_of_a_benchmark_takes_everything_along() -> Result<()> {
    // As from a terminal: the whole foreground group gets it.
    interrupted("bench/state/runs/*/bench/pid", "INT", true, 130)
}

#[test]
fn a_demo_that_is_terminated_during_the_build_takes_everything_along() -> Result<()> {
    interrupted("app1/webapp.isugate/runs/*/build-0/pid", "TERM", false, 143)
}
