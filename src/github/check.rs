//! The check on a commit: opened at the start, updated on the way, always completed. Where the token may not make check runs, a
//! commit status says the same in fewer words.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{
    annotations::Annotation,
    client::Client,
    error::{ApiError, Need},
};

/// The check's name. Branch protection goes by it, so it never changes.
pub const NAME: &str = "isugate";
/// Characters of a summary; GitHub's limit is 65,535.
const SUMMARY: usize = 60_000;
/// Characters of a status' description; GitHub's limit.
const DESCRIPTION: usize = 140;
/// Annotations of one request; GitHub's limit.
const ANNOTATIONS: usize = 50;

/// How a check ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Conclusion {
    /// The change may stay.
    Success,
    /// It may not.
    Failure,
    /// It is not known.
    Neutral,
    /// The run was ended before there was an answer.
    Cancelled,
}

/// What the check's page shows.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Page {
    /// One line.
    pub title: String,
    /// Markdown, already escaped.
    pub summary: String,
    /// Lines of files that something is said about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub annotations: Vec<Annotation>,
}

/// A check on a commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Check {
    /// The commit.
    pub sha: String,
    /// What tells our checks of one name on one commit apart.
    pub external_id: String,
    /// The page of the workflow run.
    pub url: Option<String>,
    /// The check run's number; absent when it is a commit status.
    pub id: Option<u64>,
}

#[derive(Deserialize)]
struct Made {
    id: u64,
    #[serde(default)]
    external_id: Option<String>,
}

impl Check {
    /// Opens the check.
    ///
    /// # Errors
    /// What GitHub says, when neither a check run nor a status can be made.
    pub async fn open(
        client: &Client,
        sha: &str,
        external_id: &str,
        url: Option<String>,
        page: &Page,
    ) -> Result<Check, ApiError> {
        let mut check = Check { sha: sha.into(), external_id: external_id.into(), url, id: None };
        let mut body = json!({
            "name": NAME, "head_sha": sha, "external_id": external_id, "status": "in_progress",
            "started_at": now(), "output": output(page),
        });
        if let Some(url) = &check.url {
            body["details_url"] = json!(url);
        }
        match client.post::<Made>("/check-runs", &body, "the check run", Need::Check).await {
            Ok(made) => check.id = Some(made.id),
            Err(ApiError::Unsure { .. }) => check.id = Some(check.find_or_make(client, &body).await?),
            Err(refused) if refused.is_permission() => check.status(client, None, page).await.map_err(|_| refused)?,
            Err(error) => return Err(error),
        }
        Ok(check)
    }

    /// After an answer that was lost: the check run that was made, or a new one.
    async fn find_or_make(&self, client: &Client, body: &Value) -> Result<u64, ApiError> {
        let path = format!("/commits/{}/check-runs?check_name={NAME}&filter=all", self.sha);
        let all: Vec<Made> = client.list(&path, Some("check_runs"), "the commit's check runs", Need::Check).await?;
        let ours = all.into_iter().find(|made| made.external_id.as_deref() == Some(self.external_id.as_str()));
        match ours {
            Some(made) => Ok(made.id),
            None => client.post::<Made>("/check-runs", body, "the check run", Need::Check).await.map(|made| made.id),
        }
    }

    /// Says how it goes.
    ///
    /// # Errors
    /// What GitHub says.
    pub async fn update(&self, client: &Client, page: &Page) -> Result<(), ApiError> {
        match self.id {
            Some(id) => self.patch(client, id, json!({"status": "in_progress", "output": output(page)})).await,
            None => self.status(client, None, page).await,
        }
    }

    /// Ends it.
    ///
    /// # Errors
    /// What GitHub says.
    pub async fn complete(&self, client: &Client, conclusion: Conclusion, page: &Page) -> Result<(), ApiError> {
        let body = json!({
            "status": "completed", "conclusion": conclusion, "completed_at": now(), "output": output(page),
        });
        match self.id {
            Some(id) => self.patch(client, id, body).await,
            None => self.status(client, Some(conclusion), page).await,
        }
    }

    async fn patch(&self, client: &Client, id: u64, body: Value) -> Result<(), ApiError> {
        let path = format!("/check-runs/{id}");
        client.patch::<Value>(&path, &body, "the check run", Need::Check).await.map(drop)
    }

    async fn status(&self, client: &Client, conclusion: Option<Conclusion>, page: &Page) -> Result<(), ApiError> {
        // A status knows no "neutral": like a neutral check run it does not hold a merge up, and its words say what it is.
        let state = match conclusion {
            None => "pending",
            Some(Conclusion::Success | Conclusion::Neutral) => "success",
            Some(Conclusion::Failure) => "failure",
            Some(Conclusion::Cancelled) => "error",
        };
        let mut body = json!({"state": state, "context": NAME, "description": cut(&page.title, DESCRIPTION)});
        if let Some(url) = &self.url {
            body["target_url"] = json!(url);
        }
        let path = format!("/statuses/{}", self.sha);
        let post = || client.post::<Value>(&path, &body, "the commit status", Need::Status);
        match post().await {
            // A second one of the same words takes the place of the first.
            Err(ApiError::Unsure { .. }) => post().await.map(drop),
            done => done.map(drop),
        }
    }
}

fn output(page: &Page) -> Value {
    let annotations: Vec<_> = page.annotations.iter().take(ANNOTATIONS).map(Annotation::for_check).collect();
    let mut output = json!({"title": cut(&page.title, 200), "summary": cut(&page.summary, SUMMARY)});
    if !annotations.is_empty() {
        output["annotations"] = Value::Array(annotations);
    }
    output
}

/// At most so many characters, counted so that no other count is greater.
fn cut(text: &str, most: usize) -> String {
    if text.encode_utf16().count() <= most {
        return text.into();
    }
    let mut used = 1;
    let kept = text.chars().take_while(|c| {
        used += c.len_utf16();
        used <= most
    });
    kept.chain(['…']).collect()
}

fn now() -> String {
    jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_to_so_many_characters_and_shows_it() {
        assert_eq!(cut("abc", 3), "abc");
        assert_eq!(cut("abcd", 3), "ab…");
        assert_eq!(cut("😀😀", 3), "😀…");
    }
}
