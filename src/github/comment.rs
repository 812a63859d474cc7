//! The one comment on a pull request that is kept up to date.
//!
//! It is known by its first line, the marker, and by its author; both must be right. The oldest wins and later ones are removed,
//! what an older run says never replaces what a newer one said, and what has not changed is not sent.

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{
    client::Client,
    error::{ApiError, Need},
};
use crate::report::Limit;

/// How the marker begins. Nothing foreign can hold it: every `<` of foreign text is written as `&lt;`.
const MARKER: &str = "<!-- isugate:comment v1 ";
/// How often a write that was disturbed is begun anew.
const TRIES: usize = 4;
/// Who writes with a job's own token.
const JOB_AUTHOR: &str = "github-actions[bot]";

/// What the comment should say.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Body {
    /// Sorts by time: the run's id. What a later one said stays.
    pub order: String,
    /// The text in Markdown, within [`Body::limit`].
    pub full: String,
    /// The same, much shorter, for when the other is refused for its length.
    pub short: String,
}

impl Body {
    /// What the text may take, the marker not counted.
    pub fn limit() -> Limit {
        Limit::COMMENT.minus(MARKER.len() + 60)
    }
}

/// What became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sent {
    /// There was none.
    Created,
    /// It was changed.
    Updated,
    /// It said the same already.
    Unchanged,
    /// A newer run has spoken.
    Superseded {
        /// Its order.
        by: String,
    },
}

/// A comment of ours as it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Known {
    id: u64,
    order: String,
    body: String,
}

#[derive(Deserialize)]
struct Listed {
    id: u64,
    #[serde(default)]
    body: Option<String>,
    #[serde(default)]
    user: Option<User>,
}

#[derive(Deserialize)]
struct User {
    login: String,
}

/// What GraphQL says of the token's owner.
#[derive(Deserialize)]
struct Viewer {
    data: Viewed,
}

#[derive(Deserialize)]
struct Viewed {
    viewer: User,
}

/// Who the token's comments are by. The token of a job or of another app may not ask in REST, but in GraphQL; where neither is
/// answered, it is taken for the job's own, whose comments are by `github-actions[bot]`.
///
/// # Errors
/// An unknown token, no answer.
pub async fn author(client: &Client) -> Result<String, ApiError> {
    let what = "who the token belongs to";
    match client.get_global::<User>("/user", what, Need::Contents).await {
        Ok(user) => Ok(user.login),
        Err(ApiError::Forbidden { .. } | ApiError::NotFound { .. }) => {
            let asked = client.ask::<Viewer>("query { viewer { login } }", what, Need::Contents).await;
            Ok(asked.map_or_else(|_| JOB_AUTHOR.into(), |answer| answer.data.viewer.login))
        }
        Err(error) => Err(error),
    }
}

/// Makes the comment of pull request `number` say `body`.
///
/// # Errors
/// What GitHub says.
pub async fn publish(client: &Client, number: u64, author: &str, body: &Body) -> Result<Sent, ApiError> {
    let whole = |text: &str| format!("{MARKER}order={} -->\n{text}", body.order);
    let mut text = whole(&body.full);
    let mut last = None;
    let mut lost = false;
    for _ in 0..TRIES {
        let mut mine = find(client, number, author).await?;
        if lost && mine.is_empty() {
            // A list may be a moment behind what was written.
            tokio::time::sleep(std::time::Duration::from_millis(700)).await;
            mine = find(client, number, author).await?;
        }
        if let Some(newest) = mine.iter().map(|known| &known.order).max().filter(|newest| **newest > body.order) {
            let by = newest.clone();
            tidy(client, &mine).await?;
            return Ok(Sent::Superseded { by });
        }
        let done = match mine.first() {
            Some(oldest) if same(&oldest.body, &text) => Ok(Sent::Unchanged),
            Some(oldest) => write(client, oldest.id, &text).await.map(|()| Sent::Updated),
            None => {
                let path = format!("/issues/{number}/comments");
                let made: Result<Listed, _> =
                    client.post(&path, &json!({"body": text}), "the comment on the pull request", Need::Comment).await;
                made.map(|_| Sent::Created)
            }
        };
        match done {
            Ok(Sent::Unchanged) if mine.len() < 2 => return Ok(if lost { Sent::Created } else { Sent::Unchanged }),
            Ok(sent) => {
                // Somebody may have made another one at the same moment.
                tidy(client, &find(client, number, author).await?).await?;
                return Ok(sent);
            }
            Err(ApiError::Refused { .. }) if text != whole(&body.short) => text = whole(&body.short),
            // Whether it was written shows in the list; a comment that was removed meanwhile is made anew.
            Err(error @ ApiError::Unsure { .. }) => {
                lost = true;
                last = Some(error);
            }
            Err(error @ ApiError::NotFound { .. }) if !mine.is_empty() => last = Some(error),
            Err(error) => return Err(error),
        }
    }
    Err(last.unwrap_or(ApiError::Unsure { what: "the comment on the pull request", why: "too many tries".into() }))
}

/// Changes the text of our comment, below its marker, if there is one. `change` gets its order and text and gives the new one.
///
/// # Errors
/// What GitHub says.
pub async fn amend(
    client: &Client,
    number: u64,
    author: &str,
    change: impl Fn(&str, &str) -> String,
) -> Result<bool, ApiError> {
    let mine = find(client, number, author).await?;
    let Some((oldest, (marker, text))) = mine.first().and_then(|known| Some((known, known.body.split_once('\n')?)))
    else {
        return Ok(false);
    };
    let mut new = format!("{}\n{}", marker.trim_end(), change(&oldest.order, text));
    if !Limit::COMMENT.holds(&new) {
        new = new.chars().take(30_000).collect();
    }
    if !same(&new, &oldest.body) {
        write(client, oldest.id, &new).await?;
    }
    Ok(true)
}

async fn write(client: &Client, id: u64, text: &str) -> Result<(), ApiError> {
    let path = format!("/issues/comments/{id}");
    let _: serde_json::Value =
        client.patch(&path, &json!({"body": text}), "the comment on the pull request", Need::Comment).await?;
    Ok(())
}

/// One comment instead of several: the oldest gets what the newest run said before the others go.
async fn tidy(client: &Client, mine: &[Known]) -> Result<(), ApiError> {
    let [oldest, later @ ..] = mine else { return Ok(()) };
    if later.is_empty() {
        return Ok(());
    }
    let newest = mine.iter().max_by(|a, b| a.order.cmp(&b.order).then(b.id.cmp(&a.id))).unwrap_or(oldest);
    if !same(&newest.body, &oldest.body) {
        write(client, oldest.id, &newest.body).await?;
    }
    for known in later {
        client.delete(&format!("/issues/comments/{}", known.id), "a second comment", Need::Comment).await?;
    }
    Ok(())
}

/// Our comments on a pull request, the oldest first, over all pages.
async fn find(client: &Client, number: u64, author: &str) -> Result<Vec<Known>, ApiError> {
    let path = format!("/issues/{number}/comments");
    let all: Vec<Listed> = client.list(&path, None, "the pull request's comments", Need::Comment).await?;
    let mut mine: Vec<Known> = all
        .into_iter()
        .filter(|listed| listed.user.as_ref().is_some_and(|user| user.login.eq_ignore_ascii_case(author)))
        .filter_map(|listed| {
            let body = listed.body?;
            Some(Known { id: listed.id, order: order(&body)?, body })
        })
        .collect();
    mine.sort_by_key(|known| known.id);
    Ok(mine)
}

/// What stands in the marker, if the text begins with one.
fn order(body: &str) -> Option<String> {
    let line = body.lines().next()?.trim_end();
    let order = line.strip_prefix(MARKER)?.strip_suffix(" -->")?.strip_prefix("order=")?;
    let safe = !order.is_empty() && order.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
    safe.then(|| order.to_owned())
}

/// Whether two texts are the same to GitHub, which may end lines differently and drop what is blank at the end.
fn same(a: &str, b: &str) -> bool {
    let plain = |text: &str| text.replace("\r\n", "\n").trim_end().to_owned();
    plain(a) == plain(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_whole_marker_at_the_very_beginning_counts() {
        let marked = format!("{MARKER}order=20261130T151051Z-abcdef -->\ntext");
        assert_eq!(order(&marked).as_deref(), Some("20261130T151051Z-abcdef"));
        for no in [
            format!("text\n{marked}"),
            format!(" {marked}"),
            format!("> {marked}"),
            format!("{MARKER}order= -->\n"),
            format!("{MARKER}order=a b -->\n"),
            format!("{MARKER}order=abc --> <b>x</b>\n"),
            crate::text::markdown(&marked),
        ] {
            assert_eq!(order(&no), None, "{no}");
        }
    }
}
