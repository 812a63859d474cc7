//! The id of a run: sorts by time, and is safe as a file name and in a git path.

use std::{fmt, str::FromStr};

use super::{LedgerError, text};

/// Length of an id in characters, all of them ASCII.
const LENGTH: usize = "YYYYMMDDTHHMMSSZ-xxxxxx".len();
/// What the random part is made of.
const ALPHABET: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";
/// Characters of the random part.
const RANDOM: usize = 6;

/// `YYYYMMDDTHHMMSSZ-xxxxxx`: the second at which the run began, in UTC, and six characters of `[0-9a-z]`. Ordering is by time.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RunId(String);

impl RunId {
    /// The id of a run that begins `now`. `random` tells runs of one second apart; 2,176,782,336 values are told apart.
    pub fn new(now: jiff::Timestamp, random: u32) -> Self {
        let time = now.strftime("%Y%m%dT%H%M%SZ");
        let mut rest = random;
        let mut tail = [0_u8; RANDOM];
        for place in tail.iter_mut().rev() {
            *place = ALPHABET[(rest % 36) as usize];
            rest /= 36;
        }
        RunId(format!("{time}-{}", String::from_utf8_lossy(&tail)))
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The random part, after the dash.
    pub fn suffix(&self) -> &str {
        &self.0[LENGTH - RANDOM..]
    }

    /// When the run began, to the second: `YYYY-MM-DD HH:MM`, UTC.
    pub fn minute(&self) -> String {
        let t = &self.0;
        format!("{}-{}-{} {}:{}", &t[..4], &t[4..6], &t[6..8], &t[9..11], &t[11..13])
    }
}

impl FromStr for RunId {
    type Err = LedgerError;

    /// Reads an id; everything that is not exactly one is refused.
    fn from_str(given: &str) -> Result<Self, LedgerError> {
        let wrong = || LedgerError::BadRunId { id: text::terminal(given, 40) };
        let bytes = given.as_bytes();
        let shaped = bytes.len() == LENGTH
            && bytes.iter().enumerate().all(|(at, byte)| match at {
                8 => *byte == b'T',
                15 => *byte == b'Z',
                16 => *byte == b'-',
                0..=14 => byte.is_ascii_digit(),
                _ => ALPHABET.contains(byte),
            });
        if !shaped {
            return Err(wrong());
        }
        jiff::civil::DateTime::strptime("%Y%m%dT%H%M%SZ", &given[..16]).map_err(|_| wrong())?;
        Ok(RunId(given.to_owned()))
    }
}

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> jiff::Timestamp {
        jiff::Timestamp::from_second(second).unwrap()
    }

    #[test]
    fn an_id_holds_the_second_in_utc_and_six_characters() {
        assert_eq!(RunId::new(at(1_796_051_451), 0).as_str(), "20261130T151051Z-000000");
        assert_eq!(RunId::new(at(1_796_051_451), 35).suffix(), "00000z");
        assert_eq!(RunId::new(at(1_796_051_451), 36).suffix(), "000010");
        assert_eq!(RunId::new(at(1_796_051_451), 1).minute(), "2026-11-30 15:10");
    }

    #[test]
    fn what_was_made_is_read_back_and_sorts_by_time() {
        let mut last: Option<RunId> = None;
        for second in [0, 1, 59, 60, 86_400, 951_782_400, 1_796_051_451, 4_102_444_800] {
            let id = RunId::new(at(second), u32::MAX - second as u32);
            assert_eq!(id.as_str().parse::<RunId>().unwrap(), id);
            assert!(last.is_none_or(|before| before < id));
            last = Some(id);
        }
    }

    #[test]
    fn what_is_no_id_is_refused() {
        for wrong in [
            "",
            "20261130T151051Z",
            "20261130T151051Z-ABCDEF",
            "20261130T151051Z-abcde",
            "20261130T151051Z-abcdefg",
            "20261330T151051Z-abcdef",
            "20261130T251051Z-abcdef",
            "../../../../etc/passwd0",
            "20261130T151051Z-ab/../",
            "20261130T151051Z-abcde\n",
            "２0261130T151051Z-abcd",
        ] {
            assert!(wrong.parse::<RunId>().is_err(), "{wrong:?}");
        }
    }
}
