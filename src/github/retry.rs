//! When to ask again and how long to wait before it: growing pauses with jitter, and what the answer itself says.
//!
//! Source: "Rate limits for the REST API" and "Best practices" of GitHub's documentation: `Retry-After` first, then
//! `x-ratelimit-reset` when nothing remains, else a pause of one's own that grows.

use std::{
    hash::{BuildHasher, Hasher, RandomState},
    time::Duration,
};

/// How long to go on trying.
#[derive(Debug, Clone, Copy)]
pub struct Patience {
    /// Requests at most, the first among them.
    pub tries: u32,
    /// The first pause; each later one is twice as long, and up to half of it is left to chance.
    pub first: Duration,
    /// The longest single wait; an answer that asks for more ends the trying.
    pub most: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Patience { tries: 4, first: Duration::from_millis(500), most: Duration::from_secs(60) }
    }
}

impl Patience {
    /// Little of it, for what is said while the process is being ended.
    pub fn last_words() -> Patience {
        Patience { tries: 1, first: Duration::ZERO, most: Duration::ZERO }
    }

    /// The wait before the next try after `failed` of them, or `None` to give up. `asked` is what the answer asks for.
    pub fn pause(&self, failed: u32, asked: Option<Duration>) -> Option<Duration> {
        if failed >= self.tries {
            return None;
        }
        let own = self.first.saturating_mul(1 << failed.saturating_sub(1).min(10));
        let chance = RandomState::new().build_hasher().finish() % 1000;
        let jitter = own.mul_f64(chance as f64 / 2000.0);
        match asked {
            Some(asked) if asked > self.most => None,
            // Jitter comes on top: earlier than asked is too early.
            Some(asked) => Some(asked + jitter),
            None => Some((own / 2 + jitter).min(self.most)),
        }
    }
}

/// What a refusal for being asked too often says about when to come back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limited {
    /// After so long.
    After(Duration),
    /// It does not say.
    Untold,
}

/// Whether a refusal is a rate limit. GitHub uses 429 and 403 for it, and at times only the body of a 403 tells.
/// `now` is the time in seconds since 1970.
pub fn limited(status: u16, header: impl Fn(&str) -> Option<String>, body: &str, now: u64) -> Option<Limited> {
    if status != 429 && status != 403 {
        return None;
    }
    if let Some(seconds) = header("retry-after").and_then(|value| value.trim().parse().ok()) {
        return Some(Limited::After(Duration::from_secs(seconds)));
    }
    if header("x-ratelimit-remaining").is_some_and(|left| left.trim() == "0")
        && let Some(reset) = header("x-ratelimit-reset").and_then(|value| value.trim().parse::<u64>().ok())
    {
        return Some(Limited::After(Duration::from_secs(reset.saturating_sub(now))));
    }
    let body = body.to_ascii_lowercase();
    let told = ["secondary rate limit", "api rate limit exceeded", "abuse detection"].iter().any(|s| body.contains(s));
    (status == 429 || told).then_some(Limited::Untold)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header<'a>(pairs: &'a [(&'a str, &'a str)]) -> impl Fn(&str) -> Option<String> + 'a {
        move |name| pairs.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
    }

    #[test]
    fn a_limit_is_told_by_header_by_reset_or_by_the_body_alone() {
        let after = |seconds| Some(Limited::After(Duration::from_secs(seconds)));
        assert_eq!(limited(429, header(&[("retry-after", "7")]), "", 0), after(7));
        let reset = [("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", "130")];
        assert_eq!(limited(403, header(&reset), "", 100), after(30));
        assert_eq!(limited(403, header(&reset), "", 200), after(0));
        let body = r#"{"message":"You have exceeded a secondary rate limit."}"#;
        assert_eq!(limited(403, header(&[]), body, 0), Some(Limited::Untold));
        assert_eq!(limited(403, header(&[]), r#"{"message":"Resource not accessible by integration"}"#, 0), None);
        assert_eq!(limited(500, header(&[("retry-after", "7")]), body, 0), None);
    }

    #[test]
    fn pauses_grow_are_never_shorter_than_asked_and_end() {
        let patience = Patience { tries: 4, first: Duration::from_millis(100), most: Duration::from_secs(5) };
        for (failed, least, most) in [(1, 50, 100), (2, 100, 200), (3, 200, 400)] {
            let pause = patience.pause(failed, None).unwrap().as_millis();
            assert!((least..=most).contains(&pause), "{pause} ms after {failed}");
        }
        assert_eq!(patience.pause(4, None), None);
        assert!(patience.pause(1, Some(Duration::from_secs(3))).unwrap() >= Duration::from_secs(3));
        assert_eq!(patience.pause(1, Some(Duration::from_secs(6))), None);
    }
}
