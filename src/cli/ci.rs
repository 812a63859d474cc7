//! `isugate ci`: what the action runs. The inputs come as variables, so that no text of theirs is ever part of a script.

use std::{path::Path, time::Duration};

use super::start;
use crate::{
    ci::{self, Asked, FailOn},
    config::{self, ConfigError, parse_duration, shape::Intent},
    exit::{Exit, Failure},
    github::{
        Client, Context, Event, Options, annotations,
        check::{Check, Conclusion, Page},
        event, guard, token,
    },
    run::Typed,
    text,
};

/// Arguments of `isugate ci`. An empty value is as none.
#[derive(Debug, clap::Args)]
pub struct CiArgs {
    /// The revision; by default the event's commit.
    #[arg(long, env = "ISUGATE_REV")]
    rev: Option<String>,
    /// What the change must do: gain, or no-regression.
    #[arg(long, env = "ISUGATE_INTENT")]
    intent: Option<String>,
    /// Runs that the decision may cost at most; 1 to 100.
    #[arg(long, env = "ISUGATE_RUNS")]
    runs: Option<String>,
    /// How long to wait for hosts that someone else holds.
    #[arg(long, env = "ISUGATE_WAIT")]
    wait: Option<String>,
    /// Whether the commit is deployed first: true, or false to benchmark what is on the hosts.
    #[arg(long, env = "ISUGATE_DEPLOY")]
    deploy: Option<String>,
    /// A score that the contest's portal showed: it is recorded and judged, and no host is touched.
    #[arg(long, env = "ISUGATE_SCORE", allow_hyphen_values = true)]
    score: Option<String>,
    /// Whether the portal said pass: true or false; with a score.
    #[arg(long, env = "ISUGATE_PASS")]
    pass: Option<String>,
    /// Whether to comment on the pull request: sticky or off. By default as isugate.yml says.
    #[arg(long, env = "ISUGATE_COMMENT")]
    comment: Option<String>,
    /// Whether to make a check: true or false. By default as isugate.yml says.
    #[arg(long, env = "ISUGATE_CHECK")]
    check: Option<String>,
    /// Verdicts that end the job as failed: revert, inconclusive, invalid, with commas between; or never.
    #[arg(long, env = "ISUGATE_FAIL_ON")]
    fail_on: Option<String>,
}

/// Runs it.
///
/// # Errors
/// What kept it from a verdict.
pub fn run(args: &CiArgs, path: &Path) -> anyhow::Result<u8> {
    // Before anything else: from here on the token is in no environment.
    let token = token::take().map_err(|message| Failure { exit: Exit::Usage, message, next: None })?;
    let file = std::env::var_os("GITHUB_EVENT_PATH").filter(|path| !path.is_empty());
    let payload = match &file {
        Some(file) => std::fs::read(file).map_err(|e| {
            let next = "GitHub writes this file before a job's first step";
            Failure::new(Exit::Usage, format!("the event file {}: {e}", Path::new(file).display()), next)
        })?,
        None => b"{}".to_vec(),
    };
    let context = match event::read(|name| std::env::var(name).ok(), &payload) {
        Ok(context) => context,
        Err(nothing @ (event::EventError::NotAPullRequest | event::EventError::NoBranch(_))) => {
            eprintln!("isugate: {}", text::workflow_line(&nothing.to_string()));
            return Ok(Exit::Done.into());
        }
        Err(error) => return Err(Failure { exit: Exit::Usage, message: error.to_string(), next: None }.into()),
    };
    // Before a file of the pull request is read.
    if let Err(refusal) = guard::event(&context) {
        ci::write_refusal(&refusal.to_string());
        return Err(Failure { exit: Exit::Usage, message: refusal.to_string(), next: None }.into());
    }
    let asked = asked(args, &context).map_err(|message| Failure { exit: Exit::Usage, message, next: None })?;
    if let Err(error) = config::load(path) {
        let told = start::block_on(async {
            tell_config_error(&error, path, &context, token).await;
            Ok(())
        });
        if let Err(why) = told {
            eprintln!("isugate: {why:#}");
        }
        return Err(error.into());
    }
    start::with_hosts(path, false, async |setting| {
        let client = match token {
            Some(token) => Some(client(&context, token)?),
            None => {
                eprintln!("isugate: there is no token: no comment and no check is made");
                None
            }
        };
        Ok(ci::run(setting, &context, client, &asked).await?.into())
    })
}

fn client(context: &Context, token: token::Token) -> Result<Client, Failure> {
    Client::new(Options::new(&context.api_url, &context.repository, token)).map_err(|message| Failure {
        exit: Exit::Usage,
        message,
        next: None,
    })
}

fn asked(args: &CiArgs, context: &Context) -> Result<Asked, String> {
    let given = |value: &Option<String>| value.as_deref().map(str::trim).filter(|v| !v.is_empty()).map(str::to_owned);
    let inputs = match &context.event {
        Event::Dispatch { inputs, .. } => inputs.clone(),
        _ => event::Inputs::default(),
    };
    let intent = match given(&args.intent).or_else(|| given(&inputs.intent)).as_deref() {
        None => None,
        Some("gain") => Some(Intent::Gain),
        Some("no-regression") => Some(Intent::NoRegression),
        Some(other) => return Err(wrong("intent", other, "gain or no-regression")),
    };
    let runs = match given(&args.runs).or_else(|| given(&inputs.runs)) {
        None => None,
        Some(text) => {
            let number = text.parse().ok().filter(|runs| (1..=100).contains(runs));
            Some(number.ok_or_else(|| wrong("runs", &text, "a number from 1 to 100"))?)
        }
    };
    let wait = match given(&args.wait) {
        None => Duration::from_secs(1800),
        Some(text) => parse_duration(&text).map_err(|_| wrong("wait", &text, "a duration such as 10m"))?,
    };
    let comments = match given(&args.comment).as_deref() {
        None => None,
        Some("sticky" | "true") => Some(true),
        Some("off" | "false") => Some(false),
        Some(other) => return Err(wrong("comment", other, "sticky or off")),
    };
    let checks = given(&args.check).map(|text| truth("check", &text)).transpose()?;
    let deploy = given(&args.deploy).map(|text| truth("deploy", &text)).transpose()?.unwrap_or(true);
    let pass = given(&args.pass).map(|text| truth("pass", &text)).transpose()?;
    let score = given(&args.score)
        .map(|text| text.replace(',', "").parse::<i64>().map_err(|_| wrong("score", &text, "a whole number")))
        .transpose()?;
    let portal = match (score, pass) {
        (Some(score), Some(pass)) => Some(Typed { score, pass, codes: None }),
        (Some(_), None) => return Err("the input `score` needs the input `pass`: true or false".into()),
        (None, Some(_)) => return Err("the input `pass` needs the input `score`".into()),
        (None, None) => None,
    };
    let fail_on = FailOn::parse(given(&args.fail_on).as_deref().unwrap_or("revert,invalid"))
        .map_err(|why| format!("the input `fail-on`: {why}"))?;
    Ok(Asked { revision: given(&args.rev), intent, runs, deploy, portal, wait, comments, checks, fail_on })
}

fn truth(input: &str, given: &str) -> Result<bool, String> {
    given.parse().map_err(|_| wrong(input, given, "true or false"))
}

fn wrong(input: &str, given: &str, right: &str) -> String {
    format!("the input `{input}` is `{}`; it takes {right}", text::terminal_line(given))
}

/// Shows the mistakes on their lines: in the job's log, and on a check of the commit that holds them.
async fn tell_config_error(error: &ConfigError, path: &Path, context: &Context, token: Option<token::Token>) {
    let shown = path.strip_prefix("./").unwrap_or(path).display().to_string();
    let annotations = annotations::of_config(error, &shown);
    for annotation in &annotations {
        println!("{}", annotation.command());
    }
    let sha = match &context.event {
        Event::PullRequest(pull) => pull.head.clone(),
        Event::Push { sha, .. } | Event::MergeGroup { sha } => sha.clone(),
        _ => return,
    };
    let Some(client) = token.and_then(|token| client(context, token).ok()) else { return };
    let summary = format!("<pre>\n{}\n</pre>\n", text::markdown_block(&error.to_string()));
    let page = Page { title: format!("{shown} has mistakes"), summary, annotations };
    let began = crate::ledger::RunId::new(jiff::Timestamp::now(), std::process::id()).to_string();
    let opening = Page { annotations: Vec::new(), ..page.clone() };
    let told = match Check::open(&client, &sha, &began, context.run_page(), &opening).await {
        Ok(check) => check.complete(&client, Conclusion::Failure, &page).await,
        Err(error) => Err(error),
    };
    if let Err(error) = told {
        eprintln!("isugate: {}", text::workflow_line(&error.to_string()));
    }
}
