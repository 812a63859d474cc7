//! Slash commands in comments on a pull request: what is understood, and who may give them.

use serde::Deserialize;

use super::{
    client::Client,
    error::{ApiError, Need},
};
use crate::config::shape::Intent;

/// Runs that a command may ask for.
const RUNS: std::ops::RangeInclusive<u16> = 1..=100;
/// Characters of a reason.
const REASON: usize = 500;

/// What somebody asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    /// `/bench [--runs N] [--intent gain|no-regression]`
    Bench {
        /// Runs that the decision may cost.
        runs: Option<u16>,
        /// What the change must do.
        intent: Option<Intent>,
    },
    /// `/accept REASON`
    Accept(String),
    /// `/revert REASON`
    Revert(String),
    /// `/status`
    Status,
    /// `/unlock REASON`
    Unlock(String),
}

/// Reads the command in a comment. `None` when there is none: the command must be the comment's first line, so that a command
/// in a quotation or in a code block is none.
///
/// # Errors
/// A sentence on what is wrong with a command that is one of ours.
pub fn parse(body: &str) -> Option<Result<Command, String>> {
    let line = body.lines().next()?.trim_end();
    let mut words = line.split_whitespace();
    let name = words.next().filter(|_| line.starts_with('/'))?;
    let rest = line[name.len()..].trim();
    let reason = |what: fn(String) -> Command| match rest {
        "" => Err(format!("`{name}` needs a reason; the team reads it in the history: `{name} why`")),
        rest => Ok(what(rest.chars().take(REASON).collect())),
    };
    Some(match name {
        "/bench" => bench(words),
        "/accept" => reason(Command::Accept),
        "/revert" => reason(Command::Revert),
        "/unlock" => reason(Command::Unlock),
        "/status" if rest.is_empty() => Ok(Command::Status),
        "/status" => Err("`/status` takes nothing".into()),
        _ => return None,
    })
}

fn bench<'a>(mut words: impl Iterator<Item = &'a str>) -> Result<Command, String> {
    const USAGE: &str = "`/bench [--runs N] [--intent gain|no-regression]`";
    let (mut runs, mut intent) = (None, None);
    while let Some(word) = words.next() {
        let (option, value) = match word.split_once('=') {
            Some((option, value)) => (option, Some(value)),
            None => (word, words.next()),
        };
        match (option, value) {
            ("--runs", Some(value)) => {
                let number = value.parse().ok().filter(|number| RUNS.contains(number));
                runs = Some(number.ok_or(format!("`--runs` takes a number from 1 to 100: {USAGE}"))?);
            }
            ("--intent", Some("gain")) => intent = Some(Intent::Gain),
            ("--intent", Some("no-regression")) => intent = Some(Intent::NoRegression),
            ("--intent", _) => return Err(format!("`--intent` takes `gain` or `no-regression`: {USAGE}")),
            _ => return Err(format!("this is how it is written: {USAGE}")),
        }
    }
    Ok(Command::Bench { runs, intent })
}

#[derive(Deserialize)]
struct Permission {
    permission: String,
}

/// Whether a person may write to the repository. The payload's `author_association` is not asked: it says "member" of people
/// who may not write.
///
/// # Errors
/// What GitHub says.
pub async fn may_write(client: &Client, login: &str) -> Result<bool, ApiError> {
    let safe = !login.is_empty() && login.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'));
    if !safe {
        return Ok(false);
    }
    let path = format!("/collaborators/{login}/permission");
    match client.get::<Permission>(&path, "the commenter's permission", Need::Contents).await {
        Ok(told) => Ok(matches!(told.permission.as_str(), "admin" | "write" | "maintain")),
        // GitHub answers so for people that it does not know here.
        Err(ApiError::NotFound { .. }) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Puts a reaction to a comment: `+1`, `-1`, `eyes`, `rocket`, `confused`.
///
/// # Errors
/// What GitHub says.
pub async fn react(client: &Client, comment: u64, reaction: &str) -> Result<(), ApiError> {
    let path = format!("/issues/comments/{comment}/reactions");
    let body = serde_json::json!({"content": reaction});
    let post = || client.post::<serde_json::Value>(&path, &body, "the reaction", Need::Comment);
    match post().await {
        // The same reaction twice is one.
        Err(ApiError::Unsure { .. }) => post().await.map(drop),
        done => done.map(drop),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_read_with_their_options() {
        let is = |body: &str, command: Command| assert_eq!(parse(body), Some(Ok(command)), "{body:?}");
        is("/bench", Command::Bench { runs: None, intent: None });
        is(
            "/bench --runs 5 --intent no-regression",
            Command::Bench { runs: Some(5), intent: Some(Intent::NoRegression) },
        );
        is("/bench --runs=3\nthanks", Command::Bench { runs: Some(3), intent: None });
        is("/accept the code 30 is known\r\n", Command::Accept("the code 30 is known".into()));
        is("/unlock  bob is asleep ", Command::Unlock("bob is asleep".into()));
        is("/status", Command::Status);
    }

    #[test]
    fn what_is_no_command_is_left_alone_and_what_is_wrong_is_explained() {
        for none in [
            "",
            "hello",
            "> /bench",
            "```\n/bench\n```",
            " /bench",
            "/benchmark",
            "/bench2",
            "please /bench",
            "//bench",
        ] {
            assert_eq!(parse(none), None, "{none:?}");
        }
        for wrong in [
            "/bench --runs 0",
            "/bench --runs 101",
            "/bench --runs x",
            "/bench --runs",
            "/bench; rm -rf /",
            "/bench --intent fast",
            "/bench HEAD",
            "/accept",
            "/revert  ",
            "/status now",
        ] {
            assert!(matches!(parse(wrong), Some(Err(_)) | None), "{wrong:?}");
        }
        assert!(matches!(parse("/accept"), Some(Err(_))));
        assert!(matches!(parse("/bench --runs 0"), Some(Err(_))));
    }
}
