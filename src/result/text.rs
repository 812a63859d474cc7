//! Text of a benchmarker cut to size, and the end of its output. What makes it safe to show is [`crate::text`].

/// How much of a benchmarker's output a report keeps, in bytes: what the official supervisor keeps.
pub const KEPT_OUTPUT: usize = 48_000;

/// Reads bytes as UTF-8; what is none becomes U+FFFD.
pub fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The first `limit` bytes at most, cut between characters.
pub fn head(text: &str, limit: usize) -> &str {
    if text.len() <= limit {
        return text;
    }
    let end = (0..=limit).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    &text[..end]
}

/// Whether `text` holds `ascii`, upper and lower case alike.
pub(super) fn contains_ignoring_case(text: &str, ascii: &str) -> bool {
    text.as_bytes().windows(ascii.len()).any(|part| part.eq_ignore_ascii_case(ascii.as_bytes()))
}

/// Keeps the last bytes of a stream, cut between characters. Memory is bounded by twice the limit.
#[derive(Debug, Clone)]
pub struct Tail {
    limit: usize,
    bytes: Vec<u8>,
    seen: u64,
}

impl Default for Tail {
    fn default() -> Self {
        Self::new(KEPT_OUTPUT)
    }
}

impl Tail {
    /// Keeps the last `limit` bytes.
    pub fn new(limit: usize) -> Self {
        Self { limit, bytes: Vec::new(), seen: 0 }
    }

    /// Adds the next bytes of the stream.
    pub fn push(&mut self, bytes: &[u8]) {
        self.seen = self.seen.saturating_add(bytes.len() as u64);
        let useful = &bytes[bytes.len().saturating_sub(self.limit)..];
        if self.bytes.len() + useful.len() > 2 * self.limit {
            let drop = (self.bytes.len() + useful.len()).saturating_sub(self.limit).min(self.bytes.len());
            self.bytes.drain(..drop);
        }
        self.bytes.extend_from_slice(useful);
    }

    /// How many bytes the stream had in all.
    pub fn seen(&self) -> u64 {
        self.seen
    }

    /// The kept end as text: begins at a whole character, invalid bytes become U+FFFD.
    pub fn text(&self) -> String {
        let mut start = self.bytes.len().saturating_sub(self.limit);
        if start > 0 || self.seen > self.bytes.len() as u64 {
            // A cut inside a character leaves at most three continuation bytes.
            let cut = self.bytes[start..].iter().take(3).take_while(|b| (**b & 0xc0) == 0x80).count();
            start += cut;
        }
        lossy(&self.bytes[start..])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_head_ends_between_characters() {
        assert_eq!(head("あい", 4), "あ");
        assert_eq!(head("あい", 2), "");
        assert_eq!(head("ab", 5), "ab");
    }

    #[test]
    fn the_tail_keeps_the_last_bytes_and_begins_with_a_whole_character() {
        let mut tail = Tail::new(7);
        for chunk in "あいうえお".as_bytes().chunks(2) {
            tail.push(chunk);
        }
        assert_eq!(tail.text(), "えお");
        assert_eq!(tail.seen(), 15);
        let mut small = Tail::new(7);
        small.push(b"\x80\x80ab");
        assert_eq!(small.text(), "\u{fffd}\u{fffd}ab");
        let mut big = Tail::new(4);
        big.push(&[b'x'; 1000]);
        big.push(b"yz");
        assert_eq!(big.text(), "xxyz");
    }
}
