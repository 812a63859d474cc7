//! The admin API of one isutools process: check, reset, save, abort, fetch. It listens on its host's loopback only, so every
//! request is made by a process on that host.

use std::{path::Path, sync::Arc, time::Duration};

use serde::Deserialize;
use tokio_util::sync::CancellationToken;

use super::Answer;
use crate::{
    deploy::ready::Url,
    host::{
        Cmd, Host, HostError, PullError,
        job::{Job, JobSpec, JobState},
    },
};

const HTTP: &str = include_str!("scripts/http.sh");
const OPEN: &str = include_str!("scripts/open.sh");
const FIND: &str = include_str!("scripts/find.sh");

/// What isutools did not do.
#[derive(Debug, thiserror::Error)]
pub enum IsutoolsError {
    /// Nothing listens there.
    #[error("{host}: no isutools at {url}: {why}")]
    Absent {
        /// Host of the admin server.
        host: String,
        /// Where it should be.
        url: String,
        /// What came instead.
        why: String,
    },
    /// It answered, and not with what was asked for.
    #[error("{host}: isutools refused {call} with {status} {reason}")]
    Refused {
        /// Host of the admin server.
        host: String,
        /// The call.
        call: String,
        /// HTTP status.
        status: u16,
        /// Its reason.
        reason: String,
    },
    /// The host.
    #[error(transparent)]
    Host(#[from] HostError),
    /// A file that could not be had.
    #[error("{0}")]
    File(String),
    /// We were told to end.
    #[error("interrupted")]
    Interrupted,
}

impl IsutoolsError {
    /// What to do about it.
    pub fn next(&self) -> String {
        match self {
            IsutoolsError::Absent { .. } => {
                "is the application built with isutools, does it call SQLDriverName, is ISUTOOLS \
                                             not off, is the port right?"
                    .into()
            }
            IsutoolsError::Refused { reason, .. } => match reason.as_str() {
                "data-dir-unset" => "set ISUTOOLS_DATA_DIR for the application".into(),
                "persist-failed" => {
                    "the data directory must exist on ext2/3/4 or xfs, be no symbolic link, and be writable \
                                     for the application; is the disk full?"
                        .into()
                }
                "mutation-busy" => "someone else uses this isutools; wait until they are done".into(),
                reason if reason.starts_with("forbidden") => {
                    "isutools takes a loopback Host only: use http://127.0.0.1:PORT".into()
                }
                _ => "see the application's log for lines of isutools".into(),
            },
            IsutoolsError::Host(_) => "see whether the host is up".into(),
            IsutoolsError::Interrupted => "`isugate bench` starts anew".into(),
            IsutoolsError::File(_) => "look into the data directory on the host".into(),
        }
    }
}

/// What `/save` answered.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Saved {
    /// The snapshot's file name in the data directory.
    pub snapshot_file: String,
    /// isutools' run id; absent for a run without a coordinator.
    #[serde(default)]
    pub run_id: Option<String>,
    /// SHA-256 of the file.
    pub snapshot_sha256: String,
}

/// One admin server.
#[derive(Clone)]
pub struct Client {
    host: Arc<Host>,
    url: Url,
    shown: String,
    data_dir: String,
}

impl Client {
    /// The admin server at `url` as seen from `host`. `None` if it is not an `http` URL.
    pub fn new(host: Arc<Host>, url: &str, data_dir: &str) -> Option<Client> {
        let parsed = Url::parse(url).filter(|parsed| !parsed.tls)?;
        Some(Client { host, url: parsed, shown: url.into(), data_dir: data_dir.trim_end_matches('/').into() })
    }

    /// Name of its host.
    pub fn host(&self) -> &str {
        self.host.name()
    }

    fn request(&self, method: &str, path: &str, limit: Duration) -> Cmd {
        let Url { address, port, authority, .. } = &self.url;
        Cmd::script(HTTP, [method, address, port, authority, path, &limit.as_secs().to_string()])
    }

    fn answer(&self, bytes: &[u8], complaint: &str) -> Result<Answer, IsutoolsError> {
        let why = if bytes.is_empty() { complaint.to_string() } else { "the answer is torn".into() };
        Answer::parse(bytes).ok_or_else(|| IsutoolsError::Absent {
            host: self.host().into(),
            url: self.shown.clone(),
            why,
        })
    }

    async fn call(&self, method: &str, path: &str, limit: Duration) -> Result<Answer, IsutoolsError> {
        // A busy server says so at once and is free again soon: the one refusal that is worth another try.
        for wait in [0, 1, 2, 4] {
            tokio::time::sleep(Duration::from_secs(wait)).await;
            let output = self.host.output(&self.request(method, path, limit), limit + Duration::from_secs(10)).await?;
            let answer = self.answer(&output.stdout, &output.complaint())?;
            if answer.reason() != "mutation-busy" || wait == 4 {
                return Ok(answer);
            }
        }
        Err(self.refused(&format!("{method} {path}"), 409, "mutation-busy".into()))
    }

    fn refused(&self, call: &str, status: u16, reason: String) -> IsutoolsError {
        IsutoolsError::Refused { host: self.host().into(), call: call.into(), status, reason }
    }

    /// Waits up to `within` for the admin server and gives the revision that it was built from.
    ///
    /// # Errors
    /// [`IsutoolsError::Absent`]; [`IsutoolsError::Refused`] by its access policy.
    pub async fn revision(&self, within: Duration) -> Result<Option<String>, IsutoolsError> {
        let began = tokio::time::Instant::now();
        loop {
            match self.call("GET", "/json", Duration::from_secs(10)).await {
                Ok(answer) if answer.status == 200 => {
                    let live: serde_json::Value = serde_json::from_slice(&answer.body).unwrap_or_default();
                    return Ok(live["meta"]["revision"].as_str().map(str::to_string));
                }
                Ok(answer) => return Err(self.refused("GET /json", answer.status, answer.reason())),
                Err(IsutoolsError::Absent { .. }) if began.elapsed() < within => {
                    tokio::time::sleep(Duration::from_millis(200)).await;
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Ends whatever run is open, and sees whether a snapshot could be written: with no run open, `/save` answers
    /// `run-not-active` or `run-already-saved` when it could.
    ///
    /// # Errors
    /// [`IsutoolsError::Refused`] with isutools' reason.
    pub async fn probe(&self) -> Result<(), IsutoolsError> {
        self.abort().await?;
        let answer = self.call("POST", "/save", Duration::from_secs(30)).await?;
        match (answer.status, answer.reason().as_str()) {
            (409, "run-not-active" | "run-already-saved") => Ok(()),
            (status, reason) => Err(self.refused("POST /save (as a probe)", status, reason.into())),
        }
    }

    /// Opens a run, waiting up to `within` for the admin server. Load may start when this returns. Gives isutools' run id.
    ///
    /// # Errors
    /// As [`Client::revision`] and [`Client::probe`]; any answer to the reset but `204` with a run id.
    pub async fn open(&self, within: Duration) -> Result<String, IsutoolsError> {
        if let Some(id) = self.open_at_once().await {
            return Ok(id);
        }
        // Step by step: this waits, tries again, and can say what was refused.
        self.revision(within).await?;
        self.probe().await?;
        self.reset().await
    }

    /// Abort, probe and reset in one command; `None` when any of them did not go as usual. A run may be open then.
    async fn open_at_once(&self) -> Option<String> {
        let Url { address, port, authority, .. } = &self.url;
        let cmd = Cmd::script(OPEN, [HTTP, address, port, authority]);
        let output = self.host.output(&cmd, Duration::from_secs(120)).await.ok()?;
        let (mut rest, mut answers) = (output.stdout.as_slice(), Vec::new());
        while let Some(end) = memchr::memchr(b'\n', rest) {
            let length = std::str::from_utf8(rest.get(..end)?).ok()?.parse().ok()?;
            let (answer, left) = rest.get(end + 1..)?.split_at_checked(length)?;
            answers.push(Answer::parse(answer)?);
            rest = left;
        }
        let [_, probe, reset] = answers.as_slice() else { return None };
        let writable = matches!(probe.reason().as_str(), "run-not-active" | "run-already-saved");
        reset
            .header("x-isutools-run-id")
            .filter(|id| writable && reset.status == 204 && is_run_id(id))
            .map(str::to_string)
    }

    async fn reset(&self) -> Result<String, IsutoolsError> {
        let answer = self.call("POST", "/reset", Duration::from_secs(60)).await?;
        match (answer.status, answer.header("x-isutools-run-id")) {
            (204, Some(id)) if is_run_id(id) => Ok(id.to_string()),
            (204, id) => Err(self.refused("POST /reset", 204, format!("without a run id ({})", id.unwrap_or("none")))),
            (status, _) => Err(self.refused("POST /reset", status, answer.reason())),
        }
    }

    /// Drops the run that is open; harmless when there is none.
    ///
    /// # Errors
    /// [`IsutoolsError`]
    pub async fn abort(&self) -> Result<(), IsutoolsError> {
        let answer = self.call("POST", "/abort", Duration::from_secs(15)).await?;
        match answer.status {
            204 => Ok(()),
            status => Err(self.refused("POST /abort", status, answer.reason())),
        }
    }

    /// Closes the run and waits for its snapshot. The request is made by a detached job in `dir` on the host: should our
    /// connection drop, the server's client does not go away, and the answer is kept.
    ///
    /// # Errors
    /// [`IsutoolsError::Refused`] with isutools' reason; never tried twice by itself, since the first may have worked.
    /// [`IsutoolsError::Interrupted`] when cancelled: the request is given up then, and what isutools may write is no evidence.
    pub async fn save(
        &self,
        dir: &str,
        score: Option<i64>,
        pass: bool,
        cancel: &CancellationToken,
    ) -> Result<Saved, IsutoolsError> {
        let limit = Duration::from_secs(120);
        let query = score.map(|score| format!("score={score}&")).unwrap_or_default();
        let spec = JobSpec {
            line: self.request("POST", &format!("/save?{query}pass={pass}"), limit).to_shell(),
            cwd: "/".into(),
            env: Vec::new(),
            limit: limit + Duration::from_secs(5),
            grace: Duration::from_secs(1),
            report_fd: false,
        };
        let job = Job::start(&self.host, dir, &spec).await?;
        let mut bytes = Vec::new();
        let wait = job.wait(&self.host, Duration::from_secs(60), |poll| bytes.extend_from_slice(&poll.stdout));
        let state = tokio::select! {
            state = wait => state?,
            () = cancel.cancelled() => {
                // While it waits isutools refuses everything else, an abort too.
                job.stop(&self.host, Duration::ZERO).await?;
                return Err(IsutoolsError::Interrupted);
            }
        };
        let complaint = match state {
            JobState::Ended(end) if end.timed_out || end.code == 124 => "no answer to /save within 120 s".to_string(),
            _ => "the connection was closed without an answer".into(),
        };
        let answer = self.answer(&bytes, &complaint)?;
        match answer.status {
            200 => serde_json::from_slice(&answer.body)
                .map_err(|e| self.refused("POST /save", 200, format!("an answer that cannot be read: {e}"))),
            status => Err(self.refused("POST /save", status, answer.reason())),
        }
    }

    /// Names of snapshots that hold a run id, for when the answer of `/save` was lost.
    ///
    /// # Errors
    /// [`IsutoolsError`]
    pub async fn find(&self, run_id: &str) -> Result<Vec<String>, IsutoolsError> {
        let cmd = Cmd::script(FIND, [self.data_dir.as_str(), run_id]);
        let output = self.host.output(&cmd, Duration::from_secs(30)).await?;
        match output.ok() {
            true => Ok(output.text().lines().map(str::to_string).collect()),
            false => Err(IsutoolsError::File(format!("{}: {}", self.host(), output.complaint()))),
        }
    }

    /// Copies a file of the data directory here: by SFTP, and through the server's own `/files/` where its permissions forbid
    /// that (isutools writes 0600).
    ///
    /// # Errors
    /// [`IsutoolsError::File`]
    pub async fn fetch(&self, name: &str, local: &Path) -> Result<(), IsutoolsError> {
        if name.is_empty() || name.contains(['/', '\0']) || name.starts_with('.') {
            return Err(IsutoolsError::File(format!("{}: `{}` is not a file name", self.host(), name.escape_debug())));
        }
        match self.host.pull(&format!("{}/{name}", self.data_dir), local).await {
            Ok(_) => return Ok(()),
            Err(PullError::Host(error)) => return Err(error.into()),
            Err(PullError::Denied(_) | PullError::Missing(_)) => {}
        }
        let answer = self.call("GET", &format!("/files/{name}"), Duration::from_secs(60)).await?;
        if answer.status != 200 {
            return Err(self.refused(&format!("GET /files/{name}"), answer.status, answer.reason()));
        }
        let write = |e: std::io::Error| IsutoolsError::File(format!("writing {}: {e}", local.display()));
        tokio::fs::write(local, &answer.body).await.map_err(write)
    }
}

/// `run-` and what isutools makes of random bytes, or of the time where it has none.
fn is_run_id(id: &str) -> bool {
    id.strip_prefix("run-").is_some_and(|rest| {
        (1..=64).contains(&rest.len()) && rest.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
    })
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;

    /// Opens a run on a server that gives these answers, one after the other; also what it was asked for.
    async fn open(answers: &'static [&str]) -> (Option<String>, Vec<String>) {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let server = tokio::spawn(async move {
            let mut asked = Vec::new();
            for answer in answers {
                let (mut stream, _) = listener.accept().await.unwrap();
                let mut request = Vec::new();
                // A server that answers before it has read everything resets the connection.
                while !request.ends_with(b"\r\n\r\n") {
                    assert!(stream.read_buf(&mut request).await.unwrap() > 0);
                }
                asked.push(String::from_utf8_lossy(&request).split(" HTTP").next().unwrap().to_string());
                stream.write_all(answer.as_bytes()).await.unwrap();
            }
            asked
        });
        let client = Client::new(Arc::new(Host::local("here")), &url, "/nowhere").unwrap();
        let id = client.open(Duration::ZERO).await.ok();
        (id, tokio::time::timeout(Duration::from_secs(20), server).await.expect("fewer requests came").unwrap())
    }

    const ABORTED: &str = "HTTP/1.0 204 No Content\r\n\r\n";
    const WRITABLE: &str =
        "HTTP/1.0 409 Conflict\r\nX-Isutools-Reason: run-not-active\r\nContent-Length: 3\r\n\r\n{}\n";
    const OPENED: &str = "HTTP/1.0 204 No Content\r\nX-Isutools-Run-Id: run-0123456789abcdef\r\n\r\n";

    #[tokio::test]
    async fn a_run_is_opened_with_three_requests_and_no_look_before() {
        let (id, asked) = open(&[ABORTED, WRITABLE, OPENED]).await;
        assert_eq!(id.as_deref(), Some("run-0123456789abcdef"));
        assert_eq!(asked, ["POST /abort", "POST /save", "POST /reset"]);
    }

    #[tokio::test]
    async fn no_run_is_opened_where_no_snapshot_could_be_written_and_one_that_was_is_dropped_first() {
        const REFUSED: &str = "HTTP/1.0 500 Oh\r\nX-Isutools-Reason: persist-failed\r\n\r\n";
        let (id, asked) = open(&[ABORTED, REFUSED, "HTTP/1.0 200 OK\r\n\r\n{}", ABORTED, REFUSED]).await;
        assert_eq!(id, None);
        assert_eq!(asked, ["POST /abort", "POST /save", "GET /json", "POST /abort", "POST /save"]);
        const BUSY: &str = "HTTP/1.0 409 Conflict\r\nX-Isutools-Reason: mutation-busy\r\n\r\n";
        let (id, asked) = open(&[ABORTED, BUSY, OPENED, "HTTP/1.0 200 OK\r\n\r\n{}", ABORTED, WRITABLE, OPENED]).await;
        assert_eq!(id.as_deref(), Some("run-0123456789abcdef"));
        assert_eq!(asked[3..5], ["GET /json", "POST /abort"]);
    }
}
