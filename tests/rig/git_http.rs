//! Git over HTTP: `git http-backend`, the program that real servers run, behind
//! the few lines of HTTP that CGI leaves to the web server.
//!
//! Unlike `file://` this runs server hooks for every client, and can ask for a
//! token or fail for a while.

use super::git_remote::{GitRemote, git};
use super::process;
use anyhow::{Context, Result, bail};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// A server for one [`GitRemote`] on 127.0.0.1; stopped on drop.
#[derive(Debug)]
pub struct GitHttp {
    address: SocketAddr,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Shared {
    remote: GitRemote,
    /// The whole `Authorization` header that is let in; `None` lets in anybody.
    authorization: Option<String>,
    failures: AtomicU32,
    stopped: AtomicBool,
    requests: Mutex<Vec<String>>,
}

struct Request {
    method: String,
    path: String,
    query: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

struct Response {
    status: String,
    headers: Vec<String>,
    body: Vec<u8>,
}

impl GitHttp {
    /// Serves `remote` to anybody.
    ///
    /// # Errors
    /// When no port can be had.
    pub fn start(remote: GitRemote) -> Result<Self> {
        Self::serve(remote, None)
    }

    /// Serves `remote` to the user `x-access-token` with `token` (HTTP Basic).
    ///
    /// # Errors
    /// When no port can be had.
    pub fn start_with_token(remote: GitRemote, token: &str) -> Result<Self> {
        Self::serve(remote, Some(format!("Basic {}", base64(format!("x-access-token:{token}").as_bytes()))))
    }

    /// Where clients find it.
    pub fn url(&self) -> String {
        format!("http://{}/remote.git", self.address)
    }

    /// The repository behind it.
    pub fn remote(&self) -> &GitRemote {
        &self.shared.remote
    }

    /// The next `count` requests are answered with 503.
    pub fn fail_next(&self, count: u32) {
        self.shared.failures.store(count, Ordering::SeqCst);
    }

    /// `METHOD PATH STATUS` of every request so far.
    pub fn requests(&self) -> Vec<String> {
        self.shared.requests.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn serve(remote: GitRemote, authorization: Option<String>) -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").context("no free port")?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared {
            remote,
            authorization,
            failures: AtomicU32::new(0),
            stopped: AtomicBool::new(false),
            requests: Mutex::new(Vec::new()),
        });
        let server = Arc::clone(&shared);
        let thread = std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if server.stopped.load(Ordering::SeqCst) {
                    break;
                }
                let server = Arc::clone(&server);
                std::thread::spawn(move || {
                    if let Err(error) = server.answer(stream) {
                        eprintln!("rig: git over HTTP: {error:#}");
                    }
                });
            }
        });
        Ok(Self { address, shared, thread: Some(thread) })
    }
}

impl Drop for GitHttp {
    fn drop(&mut self) {
        self.shared.stopped.store(true, Ordering::SeqCst);
        // Wakes the thread that waits for the next connection.
        let woken = TcpStream::connect(self.address).is_ok();
        if let (true, Some(thread)) = (woken, self.thread.take()) {
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn answer(&self, stream: TcpStream) -> Result<()> {
        stream.set_read_timeout(Some(Duration::from_secs(30)))?;
        let Some(request) = Request::read(&stream)? else { return Ok(()) };
        let allowed = self.authorization.is_none() || self.authorization.as_deref() == request.header("authorization");
        let failing =
            self.failures.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1)).is_ok();
        let response = if failing {
            Response { status: "503 Service Unavailable".to_owned(), headers: Vec::new(), body: Vec::new() }
        } else if allowed {
            self.backend(&request)?
        } else {
            let ask = "WWW-Authenticate: Basic realm=\"git\"".to_owned();
            Response { status: "401 Unauthorized".to_owned(), headers: vec![ask], body: Vec::new() }
        };
        let code = response.status.split(' ').next().unwrap_or_default();
        self.requests
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(format!("{} {} {code}", request.method, request.path));
        response.write(stream)
    }

    /// Environment and output as in RFC 3875 and git-http-backend(1).
    fn backend(&self, request: &Request) -> Result<Response> {
        let root = self.remote.path().parent().context("the repository has no parent")?;
        let mut command = git();
        command
            .arg("http-backend")
            .env("GIT_PROJECT_ROOT", root)
            .env("GIT_HTTP_EXPORT_ALL", "1")
            .env("REQUEST_METHOD", &request.method)
            .env("PATH_INFO", &request.path)
            .env("QUERY_STRING", &request.query)
            .env("CONTENT_LENGTH", request.body.len().to_string())
            .env("REMOTE_ADDR", "127.0.0.1")
            .env("REMOTE_USER", "test")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit());
        for (header, name) in [
            ("content-type", "CONTENT_TYPE"),
            ("content-encoding", "HTTP_CONTENT_ENCODING"),
            ("git-protocol", "GIT_PROTOCOL"),
        ] {
            if let Some(value) = request.header(header) {
                command.env(name, value);
            }
        }
        let mut child = command.spawn().context("cannot start git http-backend")?;
        let mut stdin = child.stdin.take().context("git http-backend has no stdin")?;
        let body = request.body.clone();
        // It may answer before it has read all.
        let feed = std::thread::spawn(move || stdin.write_all(&body));
        let output = child.wait_with_output().context("git http-backend")?;
        let _ = feed.join();
        let end = output
            .stdout
            .windows(4)
            .position(|window| window == b"\r\n\r\n")
            .context("git http-backend wrote no header")?;
        let mut response =
            Response { status: "200 OK".to_owned(), headers: Vec::new(), body: output.stdout[end + 4..].to_vec() };
        for line in process::text(&output.stdout[..end]).lines() {
            match line.strip_prefix("Status: ") {
                Some(status) => status.clone_into(&mut response.status),
                None => response.headers.push(line.to_owned()),
            }
        }
        Ok(response)
    }
}

impl Request {
    /// `None` when the client closed the connection without a word.
    fn read(stream: &TcpStream) -> Result<Option<Self>> {
        let mut reader = BufReader::new(stream);
        let first = line(&mut reader)?;
        if first.is_empty() {
            return Ok(None);
        }
        let mut words = first.split(' ');
        let (Some(method), Some(target)) = (words.next(), words.next()) else { bail!("not a request line: {first:?}") };
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let mut request = Self {
            method: method.to_owned(),
            path: path.to_owned(),
            query: query.to_owned(),
            headers: Vec::new(),
            body: Vec::new(),
        };
        loop {
            let header = line(&mut reader)?;
            if header.is_empty() {
                break;
            }
            let (name, value) = header.split_once(':').with_context(|| format!("not a header: {header:?}"))?;
            request.headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
        }
        if request.header("expect").is_some() {
            let mut stream = stream;
            stream.write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
        }
        if request.header("transfer-encoding") == Some("chunked") {
            loop {
                let size = line(&mut reader)?;
                let size =
                    u64::from_str_radix(size.trim(), 16).with_context(|| format!("not a chunk size: {size:?}"))?;
                reader.by_ref().take(size).read_to_end(&mut request.body)?;
                line(&mut reader)?;
                if size == 0 {
                    break;
                }
            }
        } else if let Some(length) = request.header("content-length") {
            let length = length.parse().context("not a Content-Length")?;
            reader.take(length).read_to_end(&mut request.body)?;
        }
        Ok(Some(request))
    }

    fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(header, _)| header == name).map(|(_, value)| value.as_str())
    }
}

impl Response {
    fn write(&self, mut stream: TcpStream) -> Result<()> {
        let mut head =
            format!("HTTP/1.1 {}\r\nContent-Length: {}\r\nConnection: close\r\n", self.status, self.body.len());
        for header in &self.headers {
            head.push_str(&format!("{header}\r\n"));
        }
        stream.write_all(format!("{head}\r\n").as_bytes())?;
        stream.write_all(&self.body)?;
        Ok(())
    }
}

fn line(reader: &mut impl BufRead) -> Result<String> {
    let mut line = String::new();
    reader.read_line(&mut line)?;
    line.truncate(line.trim_end().len());
    Ok(line)
}

/// RFC 4648, section 4.
fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let bits = chunk.iter().fold(0u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for index in 0..4 {
            if index <= chunk.len() {
                text.push(char::from(ALPHABET[(bits >> (18 - 6 * index) & 63) as usize]));
            } else {
                text.push('=');
            }
        }
    }
    text
}
