//! Telling GitHub, so that nothing depends on it: what it does not take is kept in the outbox, and is a warning.

use std::{path::Path, sync::Mutex};

use crate::{
    config::shape::{CommentMode, GithubConfig},
    github::{
        ApiError, Client,
        check::{Check, Conclusion, Page},
        comment::{self, Body, Sent},
        outbox::{Entry, Outbox, this_process},
        retry::Patience,
    },
};

/// Tells GitHub about one run.
pub struct Teller {
    client: Option<Client>,
    outbox: Outbox,
    author: Option<String>,
    comments: bool,
    checks: bool,
    warnings: Mutex<Vec<String>>,
}

impl Teller {
    /// For one working tree. Without a client everything is left out.
    pub async fn new(client: Option<Client>, work_tree: &Path, config: &GithubConfig) -> Teller {
        let mut teller = Teller {
            outbox: Outbox::of(work_tree),
            author: config.author.clone(),
            comments: config.comment == CommentMode::Sticky,
            checks: config.check,
            warnings: Mutex::default(),
            client,
        };
        if let Some(client) = teller.client.clone()
            && teller.author.is_none()
        {
            match comment::author(&client).await {
                Ok(author) => teller.author = Some(author),
                Err(error) => teller.warn(&error),
            }
        }
        teller
    }

    /// Comments are written, or not, whatever the configuration says.
    pub fn set(&mut self, comments: Option<bool>, checks: Option<bool>) {
        self.comments = comments.unwrap_or(self.comments);
        self.checks = checks.unwrap_or(self.checks);
    }

    /// The client, if there is a token.
    pub fn client(&self) -> Option<&Client> {
        self.client.as_ref()
    }

    /// Who our comments are by, as far as it is known.
    pub fn author(&self) -> &str {
        self.author.as_deref().unwrap_or("github-actions[bot]")
    }

    /// What GitHub did not take so far, each sentence once.
    pub fn warnings(&self) -> Vec<String> {
        self.warnings.lock().map(|list| list.clone()).unwrap_or_default()
    }

    /// Sends what earlier runs left.
    pub async fn flush(&self) {
        let Some(client) = &self.client else { return };
        for (what, why) in self.outbox.flush(client, self.author()).await.kept {
            self.warn(&format!("{what} still waits in the outbox: {why}"));
        }
    }

    /// Opens the check on a commit. It is noted, so that the next run ends it when we cannot.
    pub async fn open(&self, sha: &str, order: &str, url: Option<String>, page: &Page) -> Option<Check> {
        let client = self.client.as_ref().filter(|_| self.checks)?;
        match Check::open(client, sha, order, url, page).await {
            Ok(check) => {
                self.keep(&open_entry(client, &check));
                Some(check)
            }
            Err(error) => {
                self.warn(&error);
                None
            }
        }
    }

    /// Says how it goes; once, and what fails is not kept: the next news is better.
    pub async fn update(&self, check: &Check, page: &Page) {
        let Some(client) = &self.client else { return };
        if let Err(error) = check.update(&client.with_patience(Patience::last_words()), page).await {
            self.warn(&error);
        }
    }

    /// Ends the check. `hurried`: the process is being ended from outside, so there is one try of two seconds.
    pub async fn complete(&self, check: &Check, conclusion: Conclusion, page: &Page, hurried: bool) {
        let Some(client) = &self.client else { return };
        let repository = client.repository().to_owned();
        let entry = Entry::Check { repository, check: check.clone(), conclusion, page: page.clone() };
        // First on disk: between here and GitHub's answer we can be ended.
        self.keep(&entry);
        self.outbox.forget(&open_entry(client, check));
        let patience = if hurried { Patience::last_words() } else { Patience::default() };
        let client = client.with_patience(patience);
        let sending = check.complete(&client, conclusion, page);
        let limit = std::time::Duration::from_secs(if hurried { 2 } else { 300 });
        match tokio::time::timeout(limit, sending).await {
            Ok(Ok(())) => self.outbox.forget(&entry),
            Ok(Err(error)) => self.not_taken(&entry, &error),
            Err(_) => self.warn(&"GitHub did not answer in time; the end of the check is in the outbox"),
        }
    }

    /// Puts the comment on a pull request. `keep`: whether it goes to the outbox when GitHub does not take it.
    pub async fn comment(&self, number: u64, body: Body, keep: bool) {
        let Some(client) = self.client.as_ref().filter(|_| self.comments) else { return };
        let entry = Entry::Comment { repository: client.repository().into(), number, body: body.clone() };
        if keep {
            self.keep(&entry);
        }
        match comment::publish(client, number, self.author(), &body).await {
            Ok(Sent::Superseded { by }) => {
                self.outbox.forget(&entry);
                self.warn(&format!("the comment on #{number} is left as it is: run {by} is newer"));
            }
            Ok(_) => self.outbox.forget(&entry),
            Err(error) if keep => self.not_taken(&entry, &error),
            Err(error) => self.warn(&error),
        }
    }

    /// Adds a sentence about something that did not work.
    pub fn warn(&self, what: &dyn std::fmt::Display) {
        let what = what.to_string();
        if let Ok(mut list) = self.warnings.lock()
            && !list.contains(&what)
        {
            eprintln!("isugate: {}", crate::text::workflow_line(&what));
            list.push(what);
        }
    }

    fn keep(&self, entry: &Entry) {
        if let Err(error) = self.outbox.keep(entry) {
            self.warn(&format!("{} cannot be kept: {error}; next: is the disk full?", entry.describe()));
        }
    }

    fn not_taken(&self, entry: &Entry, error: &ApiError) {
        if error.is_worth_keeping() {
            self.warn(&format!("{error}; {} is in the outbox", entry.describe()));
        } else {
            self.outbox.forget(entry);
            self.warn(error);
        }
    }
}

fn open_entry(client: &Client, check: &Check) -> Entry {
    Entry::Open { repository: client.repository().into(), check: check.clone(), process: this_process() }
}
