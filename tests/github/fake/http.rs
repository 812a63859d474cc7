//! HTTP/1.1, as much as a client and a proxy need: one request a connection.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    time::Duration,
};

use serde_json::{Value, json};

use super::{
    Fault, On, Server, Shared, described,
    routes::{self, Answer},
};

/// One request.
pub struct Request {
    pub method: String,
    /// Without the query.
    pub path: String,
    /// Decoded.
    pub query: Vec<(String, String)>,
    pub token: String,
    pub agent: String,
    pub body: Value,
}

impl Request {
    pub fn query(&self, name: &str) -> Option<&str> {
        self.query.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

pub fn serve(stream: TcpStream, server: &Server) {
    let _ = stream.set_read_timeout(Some(Duration::from_secs(20)));
    let Ok(copy) = stream.try_clone() else { return };
    let Some(request) = read(&mut BufReader::new(copy)) else { return };
    let found = {
        let all = server.repositories.lock().unwrap();
        let by_path = || {
            let mut parts = request.path.strip_prefix("/repos/")?.splitn(3, '/');
            all.get(&format!("{}/{}", parts.next()?, parts.next()?)).cloned()
        };
        let by_token = || all.values().find(|shared| shared.state.lock().unwrap().token == request.token).cloned();
        by_path().or_else(by_token)
    };
    match found {
        Some(shared) => answer(stream, &request, &shared),
        None => send(stream, &Answer::error(401, "Bad credentials"), None),
    }
}

fn answer(stream: TcpStream, request: &Request, shared: &Shared) {
    let Some(on) = routes::kind(request) else { return send(stream, &Answer::error(404, "Not Found"), None) };
    shared.state.lock().unwrap().requests.push(on);
    let described = described::github().operation(&request.method, &request.path);
    // The one thing that the description leaves to another language.
    let wrong = match (&described, on) {
        (Some(operation), _) => operation.wrong_request(request),
        (None, On::Viewer) => Vec::new(),
        (None, _) => vec![format!("{} {}: not described", request.method, request.path)],
    };
    if !wrong.is_empty() {
        let answer = Answer::error(422, &format!("not as described: {}", wrong.join("; ")));
        // Before the answer: whoever has it looks here.
        shared.violations.lock().unwrap().extend(wrong);
        return send(stream, &answer, None);
    }
    let fault = {
        let mut faults = shared.faults.lock().unwrap();
        faults.iter().position(|(at, _)| *at == on).map(|at| faults.remove(at).1)
    };
    match fault {
        Some(Fault::Answer { status, headers, message }) => {
            let mut answer = Answer::error(status, message);
            answer.headers.extend(headers);
            return send(stream, &answer, None);
        }
        Some(Fault::Slow(time)) => std::thread::sleep(time),
        Some(Fault::Meet) => meet(shared),
        _ => {}
    }
    let stale = matches!(fault, Some(Fault::Stale));
    let done = routes::act(on, request, &mut shared.state.lock().unwrap(), stale);
    if let Some(operation) = described {
        shared.violations.lock().unwrap().extend(operation.wrong_answer(&done));
    }
    match fault {
        Some(Fault::LostAnswer) => send(stream, &Answer::error(502, "Bad Gateway"), None),
        Some(Fault::TornAnswer) => send(stream, &done, Some(20)),
        _ => send(stream, &done, None),
    }
}

/// Waits for a second one, not for ever.
fn meet(shared: &Shared) {
    let (count, changed) = &shared.meeting;
    let mut count = count.lock().unwrap();
    *count += 1;
    changed.notify_all();
    drop(changed.wait_timeout_while(count, Duration::from_secs(5), |count| *count < 2));
}

fn read(stream: &mut BufReader<TcpStream>) -> Option<Request> {
    let mut line = String::new();
    stream.read_line(&mut line).ok()?;
    let mut words = line.split_whitespace();
    let (method, target) = (words.next()?.to_owned(), words.next()?.to_owned());
    let (mut length, mut token, mut agent) = (0, String::new(), String::new());
    loop {
        line.clear();
        stream.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.trim().parse().ok()?,
            "user-agent" => agent = value.trim().to_owned(),
            "authorization" => token = value.trim().trim_start_matches("Bearer ").to_owned(),
            _ => {}
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).ok()?;
    let (path, query) = target.split_once('?').unwrap_or((&target, ""));
    let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    Some(Request {
        method,
        path: path.trim_end_matches('/').to_owned(),
        query: pairs.map(|(name, value)| (name.to_owned(), decoded(value))).collect(),
        token,
        agent,
        body: serde_json::from_slice(&body).unwrap_or(Value::Null),
    })
}

fn decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let (mut out, mut at) = (Vec::new(), 0);
    while at < bytes.len() {
        match (bytes[at], text.get(at + 1..at + 3).and_then(|hex| u8::from_str_radix(hex, 16).ok())) {
            (b'%', Some(byte)) => {
                out.push(byte);
                at += 2;
            }
            (byte, _) => out.push(byte),
        }
        at += 1;
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// Sends an answer, or only its first bytes, with the length of the whole.
fn send(mut stream: TcpStream, answer: &Answer, only: Option<usize>) {
    let body = match &answer.body {
        Value::Null => String::new(),
        body => body.to_string(),
    };
    let mut head = format!("HTTP/1.1 {} X\r\nconnection: close\r\nx-ratelimit-remaining: 4000\r\n", answer.status);
    if !body.is_empty() {
        head.push_str("content-type: application/json; charset=utf-8\r\n");
    }
    for (name, value) in &answer.headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    if answer.status != 204 {
        head.push_str(&format!("content-length: {}\r\n", body.len()));
    }
    head.push_str("\r\n");
    let body = &body.as_bytes()[..only.unwrap_or(body.len()).min(body.len())];
    let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body)).and_then(|()| stream.flush());
}

impl Answer {
    pub fn error(status: u16, message: &str) -> Answer {
        let documentation = "https://docs.github.com/rest";
        let body = json!({"message": message, "documentation_url": documentation, "status": status.to_string()});
        Answer { status, headers: Vec::new(), body }
    }
}
