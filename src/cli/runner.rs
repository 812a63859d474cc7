//! `isugate runner plan|install --host HOST`: a self-hosted runner on one of the hosts.

use std::{path::Path, time::Duration};

use clap::Subcommand;

use super::start;
use crate::{
    exit::{Exit, Failure},
    github::{
        Client, Options,
        event::is_repository,
        runner::{self, Plan},
        token,
    },
    host::{Cmd, Host},
    run::Setting,
    text,
};

/// Arguments of `isugate runner`.
#[derive(Debug, clap::Args)]
pub struct RunnerArgs {
    #[command(subcommand)]
    command: RunnerCommand,
    /// The host of isugate.yml that the runner is for.
    #[arg(long, global = true, default_value = "bench")]
    host: String,
    /// The repository, owner/name.
    #[arg(long, global = true, env = "GITHUB_REPOSITORY", default_value = "")]
    repository: String,
    /// Where the runner is on the host.
    #[arg(long, global = true, default_value = "~/actions-runner")]
    directory: String,
    /// The runner's labels, with commas between; the workflows ask for `isucon`.
    #[arg(long, global = true, default_value = "isucon")]
    labels: String,
    /// Where the API is.
    #[arg(long, global = true, env = "GITHUB_API_URL", default_value = "https://api.github.com")]
    api_url: String,
    /// Where people look.
    #[arg(long, global = true, env = "GITHUB_SERVER_URL", default_value = "https://github.com")]
    server_url: String,
}

#[derive(Debug, Clone, Copy, Subcommand)]
enum RunnerCommand {
    /// What would be done; changes nothing.
    Plan,
    /// Fetches the runner, registers it and starts its service.
    Install,
}

/// Runs it.
///
/// # Errors
/// No token, a host that cannot be reached, something that must be put right first.
pub fn run(args: &RunnerArgs, config: &Path) -> anyhow::Result<u8> {
    let token = token::take().map_err(|message| Failure { exit: Exit::Usage, message, next: None })?;
    let next =
        "set ISUGATE_GITHUB_TOKEN to a fine-grained token with \"Administration: read and write\" for the repository";
    let token = token.ok_or_else(|| Failure::new(Exit::Usage, "there is no token", next))?;
    if !is_repository(&args.repository) {
        return Err(Failure::new(Exit::Usage, "the repository is not known", "give --repository owner/name").into());
    }
    start::with_hosts(config, true, async |setting| {
        let client = Client::new(Options::new(&args.api_url, &args.repository, token)).map_err(|message| Failure {
            exit: Exit::Usage,
            message,
            next: None,
        })?;
        let host = connect(setting, &args.host).await?;
        let looked = host.output(&Cmd::script(runner::LOOK, [&args.directory]), Duration::from_secs(30)).await?;
        let facts = runner::facts(&looked.text());
        let offered = runner::downloads(&client).await?;
        let plan = runner::plan(&facts, &offered).map_err(|wrong| {
            let message = format!("{}: {}", args.host, wrong.join("; "));
            Failure::new(Exit::Usage, message, "see docs/self-hosted-runner.md")
        })?;
        tell(args, &plan, facts.version.as_deref());
        if let RunnerCommand::Install = args.command {
            let token = match plan.register {
                true => runner::registration_token(&client).await?,
                false => String::new(),
            };
            install(args, &host, &plan, &token).await?;
            println!("{}: the runner is registered and its service runs", text::terminal_line(&args.host));
        }
        Ok(Exit::Done.into())
    })
}

async fn connect(setting: &Setting, name: &str) -> Result<Host, Failure> {
    let hosts = &setting.config.hosts;
    let Some(host) = hosts.get(name) else {
        let known: Vec<_> = hosts.keys().map(String::as_str).collect();
        let message = format!("isugate.yml has no host `{}`; it has {}", text::terminal_line(name), known.join(", "));
        return Err(Failure::new(Exit::Usage, message, "give --host one of them"));
    };
    match &host.ssh {
        Some(destination) => Ok(Host::ssh(name, destination, setting.ssh()).await?),
        None => Ok(Host::local(name)),
    }
}

fn tell(args: &RunnerArgs, plan: &Plan, have: Option<&str>) {
    let line = |what: String| println!("{}: {}", text::terminal_line(&args.host), text::terminal_line(&what));
    match (plan.fetch, have) {
        (true, Some(have)) => line(format!("runner {have} is replaced by {}", plan.version)),
        (true, None) => line(format!("runner {} is fetched from {}", plan.version, plan.download.download_url)),
        (false, _) => line(format!("runner {} is there and current", plan.version)),
    }
    match plan.register {
        true => line(format!("it is registered for {} with the labels {}", args.repository, args.labels)),
        false => line("it is registered".into()),
    }
    line(format!("its service is installed and started; directory {}", args.directory));
}

async fn install(args: &RunnerArgs, host: &Host, plan: &Plan, token: &str) -> Result<(), Failure> {
    let repository = format!("{}/{}", args.server_url.trim_end_matches('/'), args.repository);
    let arguments = [
        &args.directory,
        &plan.download.download_url,
        &plan.sha256,
        &plan.version,
        &repository,
        &format!("isugate-{}", args.host),
        &args.labels,
    ];
    let command = Cmd::script(runner::INSTALL, arguments).stdin(format!("{token}\n"));
    let output = host.output(&command, Duration::from_secs(900)).await?;
    match output.ok() {
        true => Ok(()),
        false => {
            let said = if token.is_empty() { output.complaint() } else { output.complaint().replace(token, "***") };
            Err(Failure::new(Exit::Failed, format!("{}: {said}", args.host), "see _diag/ in the runner's directory"))
        }
    }
}
