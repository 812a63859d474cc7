//! An HTTP answer as bytes on a host's standard output.

/// Status, headers and body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// HTTP status.
    pub status: u16,
    headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
}

impl Answer {
    /// Reads an HTTP/1.x answer that ends with the connection. `None` if it is not whole.
    pub fn parse(bytes: &[u8]) -> Option<Answer> {
        let cut = memchr::memmem::find(bytes, b"\r\n\r\n")?;
        let head = std::str::from_utf8(&bytes[..cut]).ok()?;
        let mut lines = head.split("\r\n");
        let status = lines.next()?.strip_prefix("HTTP/1.")?.get(2..5)?.parse().ok()?;
        let header =
            |line: &str| line.split_once(':').map(|(k, v)| (k.trim().to_ascii_lowercase(), v.trim().to_string()));
        let headers: Vec<_> = lines.filter_map(header).collect();
        let answer = Answer { status, headers, body: bytes[cut + 4..].to_vec() };
        match answer.header("content-length").map(str::parse::<usize>) {
            Some(Ok(length)) if length == answer.body.len() => Some(answer),
            Some(_) => None,
            None => Some(answer),
        }
    }

    /// A header by its name in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// isutools' reason for a refusal, or the first line of the body.
    pub fn reason(&self) -> String {
        match self.header("x-isutools-reason") {
            Some(reason) => reason.to_string(),
            None => String::from_utf8_lossy(&self.body).lines().next().unwrap_or_default().trim().to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_answer_is_read_and_header_names_are_compared_without_case() {
        let bytes = b"HTTP/1.0 409 Conflict\r\nX-ISUTOOLS-Reason: mutation-busy\r\nContent-Length: 2\r\n\r\n{}";
        let answer = Answer::parse(bytes).unwrap();
        assert_eq!(
            (answer.status, answer.reason().as_str(), answer.body.as_slice()),
            (409, "mutation-busy", &b"{}"[..])
        );
    }

    #[test]
    fn a_torn_answer_is_none() {
        for bytes in
            [&b""[..], b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabc", b"garbage\r\n\r\n"]
        {
            assert_eq!(Answer::parse(bytes), None);
        }
    }
}
