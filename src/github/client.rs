//! The only place that speaks to GitHub's API.
//!
//! Reads and changes that can be repeated are repeated; what makes something new is sent again only when GitHub said that it
//! did not do it. For the rest the caller looks whether it was done ([`ApiError::Unsure`]).

use std::{sync::Arc, time::Duration};

use octocrab::{Octocrab, service::middleware::retry::RetryConfig};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{
    error::{ApiError, Need, of_status},
    event::is_repository,
    retry::{Limited, Patience, limited},
    token::Token,
};
use crate::text;

/// Bytes of an answer that are read: the largest list of a hundred comments is below 7 MiB.
const MAX_ANSWER: usize = 16 << 20;
/// Things a page; GitHub's most.
const PER_PAGE: usize = 100;
/// Pages that are read of one list at most.
const PAGES: usize = 100;

/// How to reach GitHub.
pub struct Options {
    /// Where the API is.
    pub api_url: String,
    /// `owner/name`.
    pub repository: String,
    /// What to say who we are with.
    pub token: Token,
    /// How long to go on trying.
    pub patience: Patience,
    /// How long one answer may take.
    pub timeout: Duration,
}

impl Options {
    /// With the usual patience.
    pub fn new(api_url: &str, repository: &str, token: Token) -> Options {
        Options {
            api_url: api_url.into(),
            repository: repository.into(),
            token,
            patience: Patience::default(),
            timeout: Duration::from_secs(20),
        }
    }
}

/// What to do with a resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Method {
    Get,
    Post,
    Patch,
    Delete,
}

/// GitHub's API for one repository; cheap to clone.
#[derive(Clone)]
pub struct Client {
    crab: Arc<Octocrab>,
    repository: String,
    patience: Patience,
    timeout: Duration,
}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Client({})", self.repository)
    }
}

impl Client {
    /// A client. Nothing is sent yet. Must be called within a runtime.
    ///
    /// # Errors
    /// An address or a repository that is none.
    pub fn new(options: Options) -> Result<Client, String> {
        let Options { api_url, repository, token, patience, timeout } = options;
        if !is_repository(&repository) {
            return Err(format!("{repository:?} is not owner/name"));
        }
        let bad = |e: octocrab::Error| format!("the API's address {api_url:?} cannot be used: {e}");
        let crab = Octocrab::builder()
            .base_uri(api_url.trim_end_matches('/'))
            .map_err(bad)?
            // octocrab's own retry sends a POST again whose answer was lost: two comments.
            .add_retry_config(RetryConfig::None)
            .set_connect_timeout(Some(timeout))
            .set_read_timeout(Some(timeout))
            .personal_token(token.reveal().to_owned())
            .build()
            .map_err(bad)?;
        Ok(Client { crab: Arc::new(crab), repository, patience, timeout })
    }

    /// The same with other patience.
    pub fn with_patience(&self, patience: Patience) -> Client {
        Client { patience, ..self.clone() }
    }

    /// `owner/name`.
    pub fn repository(&self) -> &str {
        &self.repository
    }

    /// Reads one thing.
    ///
    /// # Errors
    /// What GitHub says.
    pub async fn get<T: DeserializeOwned>(&self, path: &str, what: &'static str, need: Need) -> Result<T, ApiError> {
        understood(&self.send(Method::Get, &self.at(path), None, what, need).await?, what)
    }

    /// Reads something that does not belong to the repository, such as `/user`.
    ///
    /// # Errors
    /// What GitHub says.
    pub async fn get_global<T: DeserializeOwned>(
        &self,
        path: &str,
        what: &'static str,
        need: Need,
    ) -> Result<T, ApiError> {
        understood(&self.send(Method::Get, path, None, what, need).await?, what)
    }

    /// Reads a list to its end. `inside` names the field that holds it, where the answer is an object.
    ///
    /// # Errors
    /// What GitHub says.
    pub async fn list<T: DeserializeOwned>(
        &self,
        path: &str,
        inside: Option<&str>,
        what: &'static str,
        need: Need,
    ) -> Result<Vec<T>, ApiError> {
        let mut all = Vec::new();
        let joint = if path.contains('?') { '&' } else { '?' };
        for page in 1..=PAGES {
            let path = format!("{}{joint}per_page={PER_PAGE}&page={page}", self.at(path));
            let answer = self.send(Method::Get, &path, None, what, need).await?;
            let mut items: Vec<T> = match inside {
                None => understood(&answer, what)?,
                Some(field) => {
                    let mut whole: Value = understood(&answer, what)?;
                    let list = whole.get_mut(field).map(Value::take).unwrap_or(Value::Array(Vec::new()));
                    serde_json::from_value(list).map_err(|e| unsure(what, e.to_string()))?
                }
            };
            let count = items.len();
            all.append(&mut items);
            if count < PER_PAGE {
                break;
            }
        }
        Ok(all)
    }

    /// Makes something new. A `body` of `null` is none.
    ///
    /// # Errors
    /// What GitHub says; [`ApiError::Unsure`] when it may have been made.
    pub async fn post<T: DeserializeOwned>(
        &self,
        path: &str,
        body: &Value,
        what: &'static str,
        need: Need,
    ) -> Result<T, ApiError> {
        let body = Some(body).filter(|body| !body.is_null());
        understood(&self.send(Method::Post, &self.at(path), body, what, need).await?, what)
    }

    /// Asks in GraphQL, below the API's address.
    ///
    /// # Errors
    /// What GitHub says; a question changes nothing and may be asked again.
    pub async fn ask<T: DeserializeOwned>(&self, query: &str, what: &'static str, need: Need) -> Result<T, ApiError> {
        let body = serde_json::json!({"query": query});
        let post = || self.send(Method::Post, "/graphql", Some(&body), what, need);
        let answer = match post().await {
            Err(ApiError::Unsure { .. }) => post().await,
            answer => answer,
        };
        understood(&answer?, what)
    }

    /// Changes something.
    ///
    /// # Errors
    /// What GitHub says.
    pub async fn patch<T: DeserializeOwned>(
        &self,
        path: &str,
        body: &Value,
        what: &'static str,
        need: Need,
    ) -> Result<T, ApiError> {
        understood(&self.send(Method::Patch, &self.at(path), Some(body), what, need).await?, what)
    }

    /// Removes something; that it is gone already is no error.
    ///
    /// # Errors
    /// What GitHub says.
    pub async fn delete(&self, path: &str, what: &'static str, need: Need) -> Result<(), ApiError> {
        match self.send(Method::Delete, &self.at(path), None, what, need).await {
            Ok(_) | Err(ApiError::NotFound { .. }) => Ok(()),
            Err(error) => Err(error),
        }
    }

    fn at(&self, path: &str) -> String {
        format!("/repos/{}{path}", self.repository)
    }

    async fn send(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
        what: &'static str,
        need: Need,
    ) -> Result<String, ApiError> {
        let mut failed = 0;
        loop {
            let (error, asked, was_done) = match self.once(method, path, body).await {
                Ok((status, headers, text)) => {
                    let header =
                        |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
                    let now = jiff::Timestamp::now().as_second().unsigned_abs();
                    match (limited(status, header, &text, now), of_status(status, &text, what, need)) {
                        (_, None) => return Ok(text),
                        // Not done: it may be sent again whatever it makes.
                        (Some(limit), _) => {
                            let wait = match limit {
                                Limited::After(wait) => Some(wait),
                                Limited::Untold => None,
                            };
                            (ApiError::Limited { what, wait }, wait, false)
                        }
                        (None, Some(error @ (ApiError::Unsure { .. } | ApiError::Conflict { .. }))) => {
                            (error, None, true)
                        }
                        (None, Some(error)) => return Err(error),
                    }
                }
                Err(why) => (unsure(what, why), None, true),
            };
            failed += 1;
            if method == Method::Post && was_done {
                return Err(error);
            }
            match self.patience.pause(failed, asked) {
                Some(pause) => tokio::time::sleep(pause).await,
                None => return Err(error),
            }
        }
    }

    async fn once(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
    ) -> Result<(u16, http::HeaderMap, String), String> {
        let work = async {
            let sent = match method {
                Method::Get => self.crab._get(path).await,
                Method::Post => self.crab._post(path, body).await,
                Method::Patch => self.crab._patch(path, body).await,
                Method::Delete => self.crab._delete(path, body).await,
            };
            let answer = sent.map_err(|e| reason(&e))?;
            let (status, headers) = (answer.status().as_u16(), answer.headers().clone());
            let declared = headers.get("content-length").and_then(|v| v.to_str().ok()?.parse::<usize>().ok());
            if declared.is_some_and(|bytes| bytes > MAX_ANSWER) {
                return Err("the answer is too long".into());
            }
            let text = self.crab.body_to_string(answer).await.map_err(|e| reason(&e))?;
            Ok((status, headers, text))
        };
        tokio::time::timeout(self.timeout, work)
            .await
            .unwrap_or_else(|_| Err(format!("no whole answer within {} s", self.timeout.as_secs())))
    }
}

/// An error with its causes, without the backtrace that octocrab puts into its own words.
fn reason(error: &dyn std::error::Error) -> String {
    let mut words: Vec<String> = Vec::new();
    let mut at = Some(error);
    while let Some(error) = at {
        let line = text::terminal_line(error.to_string().lines().next().unwrap_or_default());
        if !line.is_empty() && !words.iter().any(|known| known.contains(&line)) {
            words.push(line);
        }
        at = error.source();
    }
    words.join(": ").chars().take(300).collect()
}

fn understood<T: DeserializeOwned>(answer: &str, what: &'static str) -> Result<T, ApiError> {
    let answer = if answer.trim().is_empty() { "null" } else { answer };
    serde_json::from_str(answer).map_err(|e| unsure(what, format!("the answer is not as expected: {e}")))
}

fn unsure(what: &'static str, why: impl Into<String>) -> ApiError {
    ApiError::Unsure { what, why: why.into() }
}
