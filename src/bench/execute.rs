//! One execution of the benchmarker: started detached, watched, its ports proven, ended when its time is up or when we are told to,
//! and its output brought here.

use std::{
    collections::BTreeMap,
    path::Path,
    sync::Arc,
    time::{Duration, SystemTime},
};

use tokio_util::sync::CancellationToken;

use super::command::result_file;
use crate::{
    exit::{Exit, Failure},
    host::{
        Cmd, Host, PullError,
        job::{Job, JobEnd, JobSpec, JobState},
    },
    report::{Event, Events},
};

const LISTENER: &str = include_str!("scripts/listener.sh");

/// How long a benchmark that goes on without us is waited for when the connection is lost, beyond its own limit.
const PATIENCE: Duration = Duration::from_secs(60);

/// What to execute.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub struct Execution {
    /// The command line, filled in.
    pub line: String,
    /// Its working directory on the host.
    pub cwd: String,
    /// The run's directory for it on the host: output, result file, report.
    pub run_dir: String,
    /// Wall-clock limit.
    pub limit: Duration,
    /// Ports that it is to open, by name.
    pub ports: BTreeMap<String, u16>,
}

/// How it went.
#[derive(Debug, Clone, Default)]
pub struct Executed {
    /// How it ended; absent when its supervisor was killed with it.
    pub end: Option<JobEnd>,
    /// When it began, nanoseconds since 1970 by the host's clock.
    pub began_ns: u64,
    /// What spoils the run, found without looking at the result.
    pub violations: Vec<String>,
    /// What was noticed.
    pub warnings: Vec<String>,
}

impl Execution {
    /// Starts it.
    ///
    /// # Errors
    /// The host.
    pub async fn start(&self, host: &Host) -> Result<Job, Failure> {
        let spec = JobSpec {
            line: self.line.clone(),
            cwd: self.cwd.clone(),
            env: Vec::new(),
            limit: self.limit,
            grace: Duration::from_secs(5),
            report_fd: true,
        };
        Job::start(host, &self.run_dir, &spec).await.map_err(Failure::from)
    }

    /// Watches a started one to its end.
    ///
    /// # Errors
    /// The host, when it stays away longer than the benchmarker may run. Being cancelled is [`Exit::Interrupted`]; the
    /// benchmarker still runs then, and the caller ends it.
    pub async fn watch(
        &self,
        host: &Arc<Host>,
        job: &Job,
        events: &Events,
        cancel: &CancellationToken,
    ) -> Result<Executed, Failure> {
        let mut executed = Executed::default();
        let began = tokio::time::Instant::now();
        let mut lines = LastLines::default();
        let (group, mut grouped) = tokio::sync::oneshot::channel();
        let mut group = Some(group);
        let wait = job.wait(host, self.limit + PATIENCE, |poll| {
            executed.began_ns = poll.began_ns.unwrap_or(executed.began_ns);
            if let (Some(pid), Some(_)) = (poll.group, &group) {
                // Only the first one counts; nobody may be listening any more.
                let _ = group.take().map(|channel| channel.send(pid));
            }
            for line in lines.take(&poll.stdout) {
                events.emit(Event::Output { host: host.name().into(), line });
            }
            events.emit(Event::BenchProgress { elapsed: began.elapsed(), limit: self.limit });
        });
        // A benchmarker that has ended opens no port any more.
        let over = CancellationToken::new();
        let wait = async {
            let state = wait.await;
            over.cancel();
            state
        };
        let prove = async {
            match (&mut grouped).await {
                Ok(group) => self.prove_ports(host, group, &over).await,
                Err(_) => (Vec::new(), Vec::new()),
            }
        };
        let both = async { tokio::join!(wait, prove) };
        let (state, (violations, warnings)) = tokio::select! {
            both = both => both,
            () = cancel.cancelled() => {
                return Err(Failure::new(Exit::Interrupted, "interrupted during the benchmark", "`isugate bench` starts anew"));
            }
        };
        executed.violations.extend(violations);
        executed.warnings.extend(warnings);
        match state? {
            JobState::Ended(end) => {
                executed.began_ns = end.began_ns;
                executed.end = Some(end);
            }
            _ => executed.violations.push(format!(
                "{}: the benchmarker was killed from outside, with the process that watched it (was the host restarted?)",
                host.name()
            )),
        }
        Ok(executed)
    }

    /// A port that someone else holds makes some benchmarkers fail in silence, or the application talk to the wrong one.
    async fn prove_ports(&self, host: &Arc<Host>, group: u64, over: &CancellationToken) -> (Vec<String>, Vec<String>) {
        let (mut violations, mut warnings) = (Vec::new(), Vec::new());
        if self.ports.is_empty() {
            return (violations, warnings);
        }
        let mut open: BTreeMap<&String, u16> = self.ports.iter().map(|(name, port)| (name, *port)).collect();
        for pause in [50, 150, 300, 500, 1000, 2000] {
            let _ = tokio::time::timeout(Duration::from_millis(pause), over.cancelled()).await;
            let args = std::iter::once(group.to_string()).chain(open.values().map(u16::to_string));
            let Ok(output) = host.output(&Cmd::script(LISTENER, args), Duration::from_secs(10)).await else { continue };
            for line in output.text().lines() {
                let mut words = line.splitn(3, ' ');
                let (Some(port), Some(owner)) = (words.next().and_then(|p| p.parse::<u16>().ok()), words.next()) else {
                    continue;
                };
                let Some(name) = open.iter().find(|(_, p)| **p == port).map(|(name, _)| *name) else { continue };
                match owner {
                    "own" => drop(open.remove(name)),
                    "other" => {
                        let who = words.next().unwrap_or("someone else");
                        violations.push(format!(
                            "{}: port {port} ({name}) is held by {who}, not by the benchmarker",
                            host.name()
                        ));
                        open.remove(name);
                    }
                    _ => {}
                }
            }
            if open.is_empty() || over.is_cancelled() {
                break;
            }
        }
        warnings.extend(open.iter().map(|(name, port)| {
            format!("{}: the benchmarker was not seen to open port {port} ({name}) in its first 4 s", host.name())
        }));
        (violations, warnings)
    }
}

/// Brings the benchmarker's files here: `stdout`, `stderr`, and where there are such, `result.json` and `report_fd`. They keep
/// the time of their last change by the host's clock: one that is older than the run is not of it.
///
/// # Errors
/// The connection, or this machine's disk. A file that the benchmarker did not write is no error.
pub async fn bring(host: &Host, run_dir: &str, local: &Path) -> Result<Vec<String>, Failure> {
    let io = |e: std::io::Error| Failure::new(Exit::Failed, format!("{}: {e}", local.display()), "is the disk full?");
    tokio::fs::create_dir_all(local).await.map_err(io)?;
    let names = ["stdout", "stderr", "result.json", "report_fd"];
    let files = names.map(|name| {
        let remote = if name == "result.json" { result_file(run_dir) } else { format!("{run_dir}/{name}") };
        (remote, local.join(name))
    });
    let lost = |error: &PullError| matches!(error, PullError::Host(error) if error.is_lost());
    let remotes: Vec<String> = files.iter().map(|(remote, _)| remote.clone()).collect();
    let (changed, mut tried) = tokio::join!(changed(host, &remotes), host.pull_all(&files));
    let changed = changed?;
    if tried.as_ref().map_or_else(lost, |each| each.iter().filter_map(|one| one.as_ref().err()).any(lost)) {
        host.reconnect().await?;
        tried = host.pull_all(&files).await;
    }
    let refused = |error: PullError| match error {
        PullError::Host(error) => error.into(),
        PullError::Denied(path) | PullError::Missing(path) => {
            let message = format!("{}: {path} may not be read", host.name());
            let next = "let the benchmarker write its result so that the user of the connection can read it";
            Failure::new(Exit::Failed, message, next)
        }
    };
    let mut brought = Vec::new();
    for ((name, (remote, local)), result) in names.into_iter().zip(&files).zip(tried.map_err(refused)?) {
        match result {
            Ok(_) => {
                if let Some(changed) = changed.get(remote) {
                    let file = std::fs::File::options().write(true).open(local);
                    file.and_then(|file| file.set_modified(*changed)).map_err(io)?;
                }
                brought.push(name.to_string());
            }
            Err(PullError::Missing(_)) => {}
            Err(error) => return Err(refused(error)),
        }
    }
    Ok(brought)
}

/// When files of the host were changed last, links followed to their end; what is not there has no time.
async fn changed(host: &Host, paths: &[String]) -> Result<BTreeMap<String, SystemTime>, Failure> {
    let cmd = Cmd::new("stat").args(["-L", "-c", "%.9Y %n", "--"]).args(paths.iter().cloned());
    let output = host.ask(&cmd, Duration::from_secs(10)).await?;
    let time = |line: &str| {
        let (seconds, path) = line.split_once(' ')?;
        let since = Duration::try_from_secs_f64(seconds.parse().ok()?).ok()?;
        Some((path.to_string(), SystemTime::UNIX_EPOCH.checked_add(since)?))
    };
    Ok(output.text().lines().filter_map(time).collect())
}

/// Cuts a stream into lines as it comes.
#[derive(Default)]
struct LastLines {
    rest: Vec<u8>,
}

impl LastLines {
    /// A line that does not end would grow without bound; for a display its beginning is enough.
    const LONGEST: usize = 4096;

    fn take(&mut self, bytes: &[u8]) -> Vec<String> {
        self.rest.extend_from_slice(bytes);
        let Some(end) = memchr::memrchr(b'\n', &self.rest) else {
            self.rest.truncate(Self::LONGEST);
            return Vec::new();
        };
        let whole: Vec<u8> = self.rest.drain(..=end).collect();
        let lines = whole[..end].split(|b| *b == b'\n').map(|line| &line[..line.len().min(Self::LONGEST)]);
        lines.map(|line| String::from_utf8_lossy(line).into_owned()).collect()
    }
}
