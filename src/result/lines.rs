//! Lines of a stream of any size in constant memory.

use std::cell::Cell;
use std::io::{self, Read};

use memchr::memchr;

/// The longest line of a log that is looked at, in bytes. ISUCON14's longest is a few kilobytes.
pub(super) const MAX_LOG_LINE: usize = 1 << 20;
/// How much is read at once.
const CHUNK: usize = 256 * 1024;
/// How much of an over-long line is kept to tell what it began with.
const HEAD: usize = 256;

/// One line, without its line end.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line<'a> {
    pub bytes: &'a [u8],
    /// Whether a line feed ended it. The last line of a stream may lack one: then it may be torn.
    pub whole: bool,
    /// Whether a carriage return stood before the line feed. It is not in `bytes`.
    pub crlf: bool,
    /// Whether the line was longer than the limit. Then `bytes` is only its beginning.
    pub over_long: bool,
}

/// Reads a stream line by line. Memory is bounded by the longest allowed line and one chunk.
pub(super) struct Lines<'a> {
    source: Box<dyn Read + 'a>,
    buffer: Vec<u8>,
    /// Where the current line begins.
    start: usize,
    /// How far the current line has been searched for its end.
    searched: usize,
    /// Where the valid bytes end.
    end: usize,
    longest: usize,
    at_end: bool,
    trace: Option<&'a Cell<bool>>,
}

impl<'a> Lines<'a> {
    pub(super) fn new(source: Box<dyn Read + 'a>, longest: usize) -> Self {
        Self { source, buffer: vec![0; CHUNK], start: 0, searched: 0, end: 0, longest, at_end: false, trace: None }
    }

    /// Sets `seen` when a line of a Go crash trace goes by.
    pub(super) fn watching(mut self, seen: &'a Cell<bool>) -> Self {
        self.trace = Some(seen);
        self
    }

    /// The next line, or `None` at the end of the stream.
    pub(super) fn next(&mut self) -> io::Result<Option<Line<'_>>> {
        loop {
            if let Some(at) = memchr(b'\n', &self.buffer[self.searched..self.end]) {
                let (from, to) = (self.start, self.searched + at);
                self.start = to + 1;
                self.searched = self.start;
                return Ok(Some(self.line(from, to, true)));
            }
            self.searched = self.end;
            if self.at_end {
                if self.start == self.end {
                    return Ok(None);
                }
                let from = std::mem::replace(&mut self.start, self.end);
                return Ok(Some(self.line(from, self.end, false)));
            }
            if self.end - self.start > self.longest {
                let whole = self.skip()?;
                return Ok(Some(Line { bytes: &self.buffer[..HEAD], whole, crlf: false, over_long: true }));
            }
            self.fill()?;
        }
    }

    fn line(&self, from: usize, to: usize, whole: bool) -> Line<'_> {
        let mut bytes = &self.buffer[from..to];
        if bytes.len() > self.longest {
            return Line { bytes: &bytes[..HEAD], whole, crlf: false, over_long: true };
        }
        let crlf = whole && bytes.last() == Some(&b'\r');
        if crlf {
            bytes = &bytes[..bytes.len() - 1];
        }
        if let Some(seen) = self.trace
            && is_trace(bytes)
        {
            seen.set(true);
        }
        Line { bytes, whole, crlf, over_long: false }
    }

    /// Makes room and reads more.
    fn fill(&mut self) -> io::Result<()> {
        if self.end == self.buffer.len() {
            if self.start > 0 {
                self.buffer.copy_within(self.start..self.end, 0);
                self.end -= self.start;
                self.searched -= self.start;
                self.start = 0;
            } else {
                let larger = self.buffer.len().saturating_mul(2).min(self.longest.saturating_add(CHUNK));
                self.buffer.resize(larger.max(self.buffer.len() + 1), 0);
            }
        }
        let read = self.read_at(self.end)?;
        self.end += read;
        self.at_end = read == 0;
        Ok(())
    }

    fn read_at(&mut self, at: usize) -> io::Result<usize> {
        loop {
            match self.source.read(&mut self.buffer[at..]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                other => return other,
            }
        }
    }

    /// Drops the rest of an over-long line; its first bytes stay at the beginning of the buffer.
    /// Returns whether the line had an end.
    fn skip(&mut self) -> io::Result<bool> {
        self.buffer.copy_within(self.start..self.start + HEAD, 0);
        loop {
            let read = self.read_at(HEAD)?;
            if read == 0 {
                (self.start, self.searched, self.end, self.at_end) = (HEAD, HEAD, HEAD, true);
                return Ok(false);
            }
            let end = HEAD + read;
            if let Some(at) = memchr(b'\n', &self.buffer[HEAD..end]) {
                let next = HEAD + at + 1;
                (self.start, self.searched, self.end) = (next, next, end);
                return Ok(true);
            }
        }
    }
}

/// Whether a line belongs to the trace that a Go program leaves when it crashes (or gets SIGQUIT).
fn is_trace(line: &[u8]) -> bool {
    match line.first() {
        Some(b'g') => {
            line.strip_prefix(b"goroutine ").map(|rest| rest.split(|b| *b == b' ')).is_some_and(|mut words| {
                words.next().is_some_and(|n| !n.is_empty() && n.iter().all(u8::is_ascii_digit))
                    && words.next().is_some_and(|state| state.starts_with(b"["))
            })
        }
        Some(b'p') => line.starts_with(b"panic: "),
        Some(b'f') => line.starts_with(b"fatal error: "),
        Some(b'S') => line.starts_with(b"SIGQUIT: quit"),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Seen = (Vec<u8>, bool, bool, bool);

    fn all(input: &[u8], longest: usize) -> Vec<Seen> {
        let mut lines = Lines::new(Box::new(input), longest);
        let mut out = Vec::new();
        while let Some(line) = lines.next().unwrap() {
            out.push((line.bytes.to_vec(), line.whole, line.crlf, line.over_long));
        }
        out
    }

    #[test]
    fn the_last_line_without_a_line_feed_is_not_whole() {
        let seen = all(b"a\nb\r\n\nc", 100);
        let expected: Vec<Seen> = vec![
            (b"a".to_vec(), true, false, false),
            (b"b".to_vec(), true, true, false),
            (vec![], true, false, false),
            (b"c".to_vec(), false, false, false),
        ];
        assert_eq!(seen, expected);
    }

    #[test]
    fn an_over_long_line_is_skipped_and_the_next_one_is_read() {
        let mut input = vec![b'x'; 3 * MAX_LOG_LINE];
        input.extend_from_slice(b"\nnext\n");
        let seen = all(&input, MAX_LOG_LINE);
        assert_eq!(seen.len(), 2);
        assert!(seen[0].3 && seen[0].1);
        assert_eq!(seen[1].0, b"next");
    }

    #[test]
    fn an_over_long_last_line_ends_the_stream() {
        let seen = all(&vec![b'x'; 2 * MAX_LOG_LINE], MAX_LOG_LINE);
        assert_eq!(seen.len(), 1);
        assert!(seen[0].3 && !seen[0].1);
    }

    #[test]
    fn lines_that_cross_chunks_are_put_together() {
        let line = [b'y'; 1000];
        let mut input = Vec::new();
        for _ in 0..1000 {
            input.extend_from_slice(&line);
            input.push(b'\n');
        }
        let seen = all(&input, MAX_LOG_LINE);
        assert_eq!(seen.len(), 1000);
        assert!(seen.iter().all(|l| l.0 == line && l.1));
    }

    #[test]
    fn a_crash_trace_is_noticed() {
        for (text, expected) in [
            ("goroutine 1 [chan receive]:", true),
            ("panic: runtime error", true),
            ("fatal error: all goroutines are asleep", true),
            ("goroutines are fine", false),
            ("12:00:00 panic: no", false),
        ] {
            assert_eq!(is_trace(text.as_bytes()), expected, "{text}");
        }
    }
}
