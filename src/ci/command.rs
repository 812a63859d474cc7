//! What a slash command does. The command is answered by a reaction and in the comment that is kept up to date.

use serde_json::json;

use super::{Teller, page, target};
use crate::{
    config::shape::Intent,
    exit::{Exit, Failure},
    github::{
        Client, Context, Need,
        commands::{self, Command},
        comment as sticky,
        comment::Body,
        event::Comment,
    },
    lease,
    ledger::{Decision, Ledger, RunId, verdict_word},
    report::text,
    run::{Session, Setting},
    verdict::Verdict,
};

/// The workflow that `/bench` starts, as `workflows-templates/` names it; a repository variable may name another.
const WORKFLOW: &str = "isugate.yml";
const WORKFLOW_VARIABLE: &str = "ISUGATE_WORKFLOW";

/// Does what a comment asks for. That there is no command in it is the usual case.
///
/// # Errors
/// What kept it from being done; the commenter is told too.
pub(super) async fn run(
    setting: &Setting,
    context: &Context,
    ledger: &Ledger,
    teller: &Teller,
    comment: &Comment,
) -> Result<Exit, Failure> {
    let Some(parsed) = commands::parse(&comment.body) else { return Ok(Exit::Done) };
    // An edited comment would be a second command, and a program's comment is nobody's wish.
    if comment.action != "created" || comment.by_bot {
        eprintln!("isugate: only a new comment of a person is a command");
        return Ok(Exit::Done);
    }
    let Some(client) = teller.client() else {
        let next = "give the action `github-token: ${{ github.token }}`";
        return Err(Failure::new(
            Exit::Usage,
            "a slash command needs a token: who may give it is asked from GitHub",
            next,
        ));
    };
    match commands::may_write(client, &comment.author).await {
        Ok(true) => {}
        Ok(false) => {
            react(teller, client, comment, "-1").await;
            let who = text::terminal_line(&comment.author);
            let next = "somebody with write access gives the command";
            return Err(Failure::new(
                Exit::Usage,
                format!("{who} has no write access to {}", context.repository),
                next,
            ));
        }
        Err(error) => return Err(Failure { exit: Exit::Failed, message: error.to_string(), next: None }),
    }
    let done = match parsed {
        Ok(command) => act(setting, context, ledger, teller, client, comment, command).await,
        Err(wrong) => Err(Failure { exit: Exit::Usage, message: wrong, next: None }),
    };
    match done {
        Ok(said) => {
            react(teller, client, comment, "+1").await;
            answer(teller, client, comment, &said).await;
            eprintln!("isugate: {}", text::workflow_line(&said));
            Ok(Exit::Done)
        }
        Err(failure) => {
            react(teller, client, comment, "confused").await;
            answer(teller, client, comment, &format!("@{}: {failure}", comment.author)).await;
            Err(failure)
        }
    }
}

async fn act(
    setting: &Setting,
    context: &Context,
    ledger: &Ledger,
    teller: &Teller,
    client: &Client,
    comment: &Comment,
    command: Command,
) -> Result<String, Failure> {
    let by = &comment.author;
    match command {
        Command::Bench { runs, intent } => {
            let head = target::head_of(client, comment.number).await.map_err(|message| Failure {
                exit: Exit::Failed,
                message,
                next: None,
            })?;
            start(context, client, comment.number, &head, runs, intent).await?;
            Ok(format!("{by} started a benchmark of {}", &head[..12]))
        }
        Command::Accept(reason) => decide(client, ledger, teller, comment, Verdict::Accept, reason).await,
        Command::Revert(reason) => decide(client, ledger, teller, comment, Verdict::Revert, reason).await,
        Command::Status => Ok(format!("status, asked by {by}: {}", leases(setting, None).await?)),
        Command::Unlock(reason) => {
            let held = leases(setting, Some(&reason)).await?;
            Ok(format!("{by} freed the hosts ({reason}); before: {held}"))
        }
    }
}

/// Starts the benchmark's workflow on the default branch, with the commit pinned.
async fn start(
    context: &Context,
    client: &Client,
    number: u64,
    head: &str,
    runs: Option<u16>,
    intent: Option<Intent>,
) -> Result<(), Failure> {
    let file = std::env::var(WORKFLOW_VARIABLE).ok().filter(|name| !name.is_empty()).unwrap_or(WORKFLOW.into());
    let safe = file.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'));
    if !safe {
        return Err(Failure::new(Exit::Usage, format!("{WORKFLOW_VARIABLE} is no file name"), "such as isugate.yml"));
    }
    let mut inputs = json!({"rev": head, "pull-request": number.to_string()});
    if let Some(runs) = runs {
        inputs["runs"] = json!(runs.to_string());
    }
    if let Some(intent) = intent {
        inputs["intent"] = json!(match intent {
            Intent::Gain => "gain",
            Intent::NoRegression => "no-regression",
        });
    }
    let branch = context.default_branch.clone().unwrap_or_else(|| "main".into());
    let body = json!({"ref": branch, "inputs": inputs});
    let path = format!("/actions/workflows/{file}/dispatches");
    let started = client.post::<serde_json::Value>(&path, &body, "the start of the workflow", Need::Dispatch).await;
    started.map(drop).map_err(|error| Failure { exit: Exit::Failed, message: error.to_string(), next: None })
}

/// A person's decision about the last run of the pull request's head. A run of an earlier commit is not what they saw.
async fn decide(
    client: &Client,
    ledger: &Ledger,
    teller: &Teller,
    comment: &Comment,
    verdict: Verdict,
    reason: String,
) -> Result<String, Failure> {
    let failed = |message: String| Failure { exit: Exit::Failed, message, next: None };
    let head = target::head_of(client, comment.number).await.map_err(failed)?;
    let listing = ledger.runs().map_err(|e| failed(e.to_string()))?;
    let runs = page::of_pull(&listing.entries, comment.number);
    let seen = runs
        .into_iter()
        .rev()
        .find(|entry| entry.run.commit == head && (verdict == Verdict::Revert || entry.run.result.score.is_some()));
    let Some(entry) = seen else {
        let next = "`/bench` measures it";
        return Err(Failure::new(
            Exit::Usage,
            format!("the pull request's last commit {} has no run with a score", &head[..12]),
            next,
        ));
    };
    let finished: Option<jiff::Timestamp> = entry.run.finished_at.parse().ok();
    let written: Option<jiff::Timestamp> = comment.created_at.parse().ok();
    if let (Some(finished), Some(written)) = (finished, written)
        && written < finished
    {
        let message = format!("run {} ended after your comment: it is not what you saw", entry.run.id);
        return Err(Failure::new(Exit::Usage, message, "give the command again if you still mean it"));
    }
    let decision = Decision {
        verdict,
        reasons: vec![crate::ledger::text::one_line(&reason)],
        by: comment.author.clone(),
        by_person: true,
        at: jiff::Timestamp::now().to_string(),
    };
    ledger.decide(&entry.run.id, decision).map_err(|e| failed(e.to_string()))?;
    match ledger.sync() {
        Ok(report) => report.warning.iter().for_each(|warning| teller.warn(warning)),
        Err(error) => teller.warn(&format!("the ledger is not shared: {error}")),
    }
    let gate = entry.decision.verdict().map_or("no verdict", verdict_word);
    Ok(format!("{}: {} by {}: {reason} (the gate said {gate})", entry.run.id, verdict_word(verdict), comment.author))
}

/// Who holds which host; with a reason, the hosts are freed.
async fn leases(setting: &Setting, free: Option<&str>) -> Result<String, Failure> {
    let session = Session::open(setting, None).await?;
    let mut said = Vec::new();
    for site in &session.sites {
        let held = lease::show(site).await?;
        said.push(format!("{}: {}", site.host.name(), held.map_or("free".into(), |held| held.to_string())));
        if free.is_some() {
            lease::break_lease(site).await?;
        }
    }
    Ok(said.join("; "))
}

async fn react(teller: &Teller, client: &Client, comment: &Comment, reaction: &str) {
    if let Err(error) = commands::react(client, comment.id, reaction).await {
        teller.warn(&error);
    }
}

/// Puts the answer on top of our comment; makes one where there is none yet.
async fn answer(teller: &Teller, client: &Client, comment: &Comment, said: &str) {
    let change = |text: &str| page::with_decision(text, said);
    match sticky::amend(client, comment.number, teller.author(), change).await {
        Ok(true) => {}
        Ok(false) => {
            let order = RunId::new(jiff::Timestamp::now(), 0).to_string();
            let text = change("");
            teller.comment(comment.number, Body { order, full: text.clone(), short: text }, false).await;
        }
        Err(error) => teller.warn(&error),
    }
}
