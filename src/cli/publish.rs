//! `isugate publish`: sends what GitHub has not taken yet.

use std::path::Path;

use super::start;
use crate::{
    exit::{Exit, Failure},
    github::{Client, Options, comment, outbox::Outbox, token},
    run::work_tree,
    text,
};

/// Arguments of `isugate publish`.
#[derive(Debug, clap::Args)]
pub struct PublishArgs {
    /// Where the API is.
    #[arg(long, env = "GITHUB_API_URL", default_value = "https://api.github.com")]
    api_url: String,
}

/// Runs it.
///
/// # Errors
/// No token, or something that could not be sent.
pub fn run(args: &PublishArgs, config: &Path) -> anyhow::Result<u8> {
    let next = "set ISUGATE_GITHUB_TOKEN to a token that may write comments and checks";
    let token = token::take().map_err(|message| Failure { exit: Exit::Usage, message, next: None })?;
    let folder = config.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let outbox = Outbox::of(&work_tree(folder)?);
    let (entries, broken) = outbox.waiting();
    if entries.is_empty() && broken.is_empty() {
        println!("nothing waits");
        return Ok(Exit::Done.into());
    }
    let token = token.ok_or_else(|| Failure::new(Exit::Usage, "there is no token", next))?;
    let mut repositories: Vec<String> = entries.iter().map(|entry| entry.repository().to_owned()).collect();
    repositories.sort();
    repositories.dedup();
    start::block_on(async {
        let mut kept = broken.len();
        for repository in repositories {
            let client = Client::new(Options::new(&args.api_url, &repository, token.clone()))
                .map_err(|message| Failure { exit: Exit::Usage, message, next: None })?;
            let author = comment::author(&client).await?;
            let flushed = outbox.flush(&client, &author).await;
            for what in flushed.sent {
                println!("sent: {}", text::terminal_line(&what));
            }
            for (what, why) in flushed.kept.iter().filter(|(_, why)| !why.starts_with("it is for ")) {
                println!("kept: {}: {}", text::terminal_line(what), text::terminal_line(why));
                kept += 1;
            }
        }
        Ok(if kept == 0 { Exit::Done.into() } else { Exit::Failed.into() })
    })
}
