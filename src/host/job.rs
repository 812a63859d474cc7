//! A detached command on a host: it has a process group of its own, writes to files in a directory of its own, has a wall-clock
//! limit, and goes on when the connection drops. Whoever connects again picks it up by its directory.

use std::time::Duration;

use super::{Cmd, Host, HostError, quote};

const START: &str = include_str!("scripts/job-start.sh");
const SUPERVISE: &str = include_str!("scripts/job-supervise.sh");
const POLL: &str = include_str!("scripts/job-poll.sh");
const STOP: &str = include_str!("scripts/job-stop.sh");
/// Standard output of a job that is stopped, in the same command. Arguments: as STOP's, its script, bytes at most.
const STOP_AND_READ: &str = r#"bash -c "$3" isugate "$1" "$2" >/dev/null; exec head -c "$4" -- "$1/stdout""#;

/// Bytes of each output stream that one poll brings at the most.
const CHUNK: u64 = 256 * 1024;

/// What to run.
#[derive(Debug, Clone)]
pub struct JobSpec {
    /// The command line, given to `bash -c`.
    pub line: String,
    /// Where it runs, absolute.
    pub cwd: String,
    /// Environment.
    pub env: Vec<(String, String)>,
    /// Wall-clock limit; past it the whole process group gets SIGTERM.
    pub limit: Duration,
    /// From SIGTERM to SIGKILL.
    pub grace: Duration,
    /// Whether it is given a file for `ISUXBENCH_REPORT_FD`.
    pub report_fd: bool,
}

/// A job by its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Job {
    /// Its directory on the host, absolute: `stdout`, `stderr`, `report_fd`, `pid`, `exit`.
    pub dir: String,
}

/// How far a job is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JobState {
    /// It runs.
    Running,
    /// It has ended.
    Ended(JobEnd),
    /// Its supervisor is gone and has not said how it ended: killed, or the host was restarted.
    Lost,
    /// There is no such directory.
    Absent,
}

/// How a job ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JobEnd {
    /// Exit status, or 128 + signal as a shell says it.
    pub code: i32,
    /// Whether the limit ended it.
    pub timed_out: bool,
    /// Nanoseconds since 1970 by the host's clock.
    pub began_ns: u64,
    /// The same for its end.
    pub ended_ns: u64,
}

impl JobEnd {
    /// From start to end by the host's clock.
    pub fn took(&self) -> Duration {
        Duration::from_nanos(self.ended_ns.saturating_sub(self.began_ns))
    }
}

/// What one poll brought.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Poll {
    /// How far it is.
    pub state: JobState,
    /// Process group of the command, once it is known.
    pub group: Option<u64>,
    /// When it began, nanoseconds since 1970 by the host's clock.
    pub began_ns: Option<u64>,
    /// Standard output beyond the offset.
    pub stdout: Vec<u8>,
    /// Standard error beyond the offset.
    pub stderr: Vec<u8>,
    /// Whether the files hold more than was brought.
    pub more: bool,
}

impl Job {
    /// Starts a command in a directory that must be new.
    ///
    /// # Errors
    /// [`HostError`]; a job that was started there before is [`HostError::Io`].
    pub async fn start(host: &Host, dir: &str, spec: &JobSpec) -> Result<Job, HostError> {
        let args = [
            dir.to_string(),
            format!("{:.3}", spec.limit.as_secs_f64()),
            format!("{:.3}", spec.grace.as_secs_f64()),
            spec.cwd.clone(),
            u8::from(spec.report_fd).to_string(),
            SUPERVISE.to_string(),
            spec.line.clone(),
        ];
        let env = spec.env.iter().map(|(name, value)| format!("{name}={value}"));
        let cmd = Cmd::script(START, args.into_iter().chain(env));
        let output = host.output(&cmd, Duration::from_secs(30)).await?;
        match output.ok() {
            true => Ok(Job { dir: dir.into() }),
            false => Err(HostError::Io {
                host: host.name().into(),
                reason: format!("a job could not be started in {}: {}", quote(dir), output.complaint()),
            }),
        }
    }

    /// Looks at the job; waits up to `wait` for something new, looking every `pause`.
    ///
    /// # Errors
    /// [`HostError`]
    pub async fn poll(
        &self,
        host: &Host,
        offsets: (u64, u64),
        wait: Duration,
        pause: Duration,
    ) -> Result<Poll, HostError> {
        let rounds = wait.as_millis() / pause.as_millis().max(1);
        let args = [
            self.dir.clone(),
            offsets.0.to_string(),
            offsets.1.to_string(),
            rounds.to_string(),
            format!("{:.3}", pause.as_secs_f64()),
            CHUNK.to_string(),
        ];
        let output = host.output(&Cmd::script(POLL, args), wait + Duration::from_secs(30)).await?;
        parse_poll(&output.stdout, offsets).ok_or_else(|| HostError::Io {
            host: host.name().into(),
            reason: format!("the job in {} answered nonsense: {}", quote(&self.dir), output.complaint()),
        })
    }

    /// Ends the job's whole process group: SIGTERM, and SIGKILL after `patience`.
    ///
    /// # Errors
    /// [`HostError`]
    pub async fn stop(&self, host: &Host, patience: Duration) -> Result<(), HostError> {
        let cmd = Cmd::script(STOP, [self.dir.clone(), fiftieths(patience)]);
        host.output(&cmd, patience + Duration::from_secs(10)).await.map(drop)
    }

    /// As [`Job::stop`], and gives the first 256 KiB of its standard output.
    ///
    /// # Errors
    /// [`HostError`]
    pub async fn stop_and_read(&self, host: &Host, patience: Duration) -> Result<Vec<u8>, HostError> {
        let args = [self.dir.clone(), fiftieths(patience), STOP.to_string(), CHUNK.to_string()];
        let output = host.output(&Cmd::script(STOP_AND_READ, args), patience + Duration::from_secs(10)).await?;
        Ok(output.stdout)
    }

    /// Waits until the job has ended; `seen` gets its output as it comes. A lost connection is made anew for as long as
    /// `reconnect_for` allows; the job goes on meanwhile.
    ///
    /// # Errors
    /// [`HostError`] when the host stays away.
    pub async fn wait(
        &self,
        host: &Host,
        reconnect_for: Duration,
        mut seen: impl FnMut(&Poll),
    ) -> Result<JobState, HostError> {
        let (mut out, mut err) = (0, 0);
        let began = tokio::time::Instant::now();
        let mut lost_since: Option<tokio::time::Instant> = None;
        loop {
            // Short jobs are noticed at once; a long one must not be disturbed by our looking.
            let (wait, pause) = match began.elapsed() {
                t if t < Duration::from_secs(2) => (Duration::from_millis(500), Duration::from_millis(20)),
                _ => (Duration::from_secs(1), Duration::from_millis(250)),
            };
            match self.poll(host, (out, err), wait, pause).await {
                Ok(poll) => {
                    lost_since = None;
                    out += poll.stdout.len() as u64;
                    err += poll.stderr.len() as u64;
                    seen(&poll);
                    if poll.state != JobState::Running && !poll.more {
                        return Ok(poll.state);
                    }
                }
                Err(error @ (HostError::Lost { .. } | HostError::TooLong { .. })) => {
                    let since = *lost_since.get_or_insert_with(tokio::time::Instant::now);
                    if since.elapsed() > reconnect_for {
                        return Err(error);
                    }
                    tokio::time::sleep(Duration::from_millis(500)).await;
                    // Not reachable yet: the next poll says so again.
                    let _ = host.reconnect().await;
                }
                Err(error) => return Err(error),
            }
        }
    }
}

fn fiftieths(time: Duration) -> String {
    (time.as_millis() / 20).to_string()
}

fn parse_poll(bytes: &[u8], offsets: (u64, u64)) -> Option<Poll> {
    let end = bytes.windows(2).position(|w| w == b"\n\n");
    let head = std::str::from_utf8(end.map_or(bytes, |end| &bytes[..end])).ok()?;
    let field = |name: &str| {
        head.lines()
            .find_map(|line| line.strip_prefix(name)?.strip_prefix(' '))
            .map(|rest| rest.split(' ').map(str::to_string).collect::<Vec<_>>())
    };
    let number = |name: &str, at: usize| field(name)?.get(at)?.parse::<u64>().ok();
    let state = match field("state")?.first()?.as_str() {
        "running" => JobState::Running,
        "lost" => JobState::Lost,
        "absent" => {
            let empty = Vec::new;
            return Some(Poll {
                state: JobState::Absent,
                group: None,
                began_ns: None,
                stdout: empty(),
                stderr: empty(),
                more: false,
            });
        }
        "ended" => JobState::Ended(JobEnd {
            code: i32::try_from(number("code", 0)?).ok()?,
            timed_out: number("timed_out", 0)? == 1,
            began_ns: number("began", 0)?,
            ended_ns: number("ended", 0)?,
        }),
        _ => return None,
    };
    let body = &bytes[end? + 2..];
    let (out_len, err_len) = (number("stdout", 1)? as usize, number("stderr", 1)? as usize);
    if body.len() != out_len + err_len {
        return None;
    }
    let more = number("stdout", 0)? > offsets.0 + out_len as u64 || number("stderr", 0)? > offsets.1 + err_len as u64;
    Some(Poll {
        state,
        group: number("pid", 1).filter(|pid| *pid > 1),
        began_ns: number("pid", 3),
        stdout: body[..out_len].to_vec(),
        stderr: body[out_len..].to_vec(),
        more,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(line: &str, limit: Duration) -> JobSpec {
        JobSpec {
            line: line.into(),
            cwd: "/".into(),
            env: vec![("V".into(), "a b'c".into())],
            limit,
            grace: Duration::from_millis(300),
            report_fd: true,
        }
    }

    async fn run(line: &str, limit: Duration) -> (JobState, Vec<u8>, tempfile::TempDir) {
        let dir = tempfile::tempdir().unwrap();
        let host = Host::local("here");
        let at = dir.path().join("job").to_string_lossy().into_owned();
        let job = Job::start(&host, &at, &spec(line, limit)).await.unwrap();
        let mut seen = Vec::new();
        let state = job.wait(&host, Duration::ZERO, |poll| seen.extend_from_slice(&poll.stdout)).await.unwrap();
        (state, seen, dir)
    }

    fn alive(pid: &[u8]) -> bool {
        let pid: i32 = std::str::from_utf8(pid).unwrap().trim().parse().unwrap();
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        stat.rsplit(") ").next().is_some_and(|rest| !rest.is_empty() && !rest.starts_with('Z'))
    }

    fn ended(state: &JobState) -> JobEnd {
        match state {
            JobState::Ended(end) => *end,
            other => panic!("{other:?}"),
        }
    }

    #[tokio::test]
    async fn a_job_keeps_its_status_its_output_and_its_environment() {
        let (state, seen, dir) =
            run("printf '%s' \"$V\"; echo x >&$ISUXBENCH_REPORT_FD; echo e >&2; exit 7", Duration::from_secs(20)).await;
        assert_eq!((ended(&state).code, ended(&state).timed_out), (7, false));
        assert_eq!(seen, b"a b'c");
        let file = |name: &str| std::fs::read_to_string(dir.path().join("job").join(name)).unwrap();
        assert_eq!((file("report_fd"), file("stderr")), ("x\n".into(), "e\n".into()));
    }

    #[tokio::test]
    async fn past_its_limit_the_whole_group_ends_even_what_ignores_sigterm() {
        let (state, seen, _dir) = run(
            "trap '' TERM; sh -c 'trap \"\" TERM; echo $$; while :; do sleep 0.05; done'",
            Duration::from_millis(400),
        )
        .await;
        assert!(ended(&state).timed_out);
        assert!(!alive(&seen));
    }

    #[tokio::test]
    async fn what_it_leaves_in_the_background_ends_with_it() {
        let (state, seen, _dir) = run("sleep 60 & echo $!", Duration::from_secs(20)).await;
        assert_eq!(ended(&state).code, 0);
        tokio::time::sleep(Duration::from_millis(50)).await;
        assert!(!alive(&seen));
    }

    #[tokio::test]
    async fn a_stopped_job_is_over_and_a_second_start_in_its_place_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let host = Host::local("here");
        let at = dir.path().join("job").to_string_lossy().into_owned();
        let job = Job::start(&host, &at, &spec("sleep 60", Duration::from_secs(60))).await.unwrap();
        job.stop(&host, Duration::from_secs(2)).await.unwrap();
        let state = job.wait(&host, Duration::ZERO, |_| {}).await.unwrap();
        assert_eq!(ended(&state).code, 143);
        assert!(Job::start(&host, &at, &spec("true", Duration::from_secs(5))).await.is_err());
    }

    #[tokio::test]
    async fn what_a_stopped_job_has_said_is_read_and_nothing_of_it_is_left() {
        let dir = tempfile::tempdir().unwrap();
        let host = Host::local("here");
        let at = dir.path().join("job").to_string_lossy().into_owned();
        let line = "trap '' TERM; echo $$; while :; do sleep 0.05; done";
        let job = Job::start(&host, &at, &spec(line, Duration::from_secs(60))).await.unwrap();
        let began = std::time::Instant::now();
        while job.poll(&host, (0, 0), Duration::ZERO, Duration::from_millis(10)).await.unwrap().stdout.is_empty() {
            assert!(began.elapsed() < Duration::from_secs(20));
        }
        let said = job.stop_and_read(&host, Duration::from_millis(100)).await.unwrap();
        assert!(!alive(&said));
        assert_eq!(ended(&job.wait(&host, Duration::ZERO, |_| {}).await.unwrap()).code, 137);
    }

    #[tokio::test]
    async fn large_output_comes_whole() {
        let (state, seen, _dir) = run("head -c 1500000 /dev/zero | tr '\\0' x", Duration::from_secs(20)).await;
        assert_eq!(ended(&state).code, 0);
        assert_eq!(seen.len(), 1_500_000);
    }

    #[test]
    fn an_answer_that_is_cut_short_is_not_taken_for_one() {
        for text in ["", "state ended\n\n", "state running\nstdout 5 5\nstderr 0 0\n\nabc", "state odd\n\n"] {
            assert_eq!(parse_poll(text.as_bytes(), (0, 0)), None, "{text:?}");
        }
    }
}
