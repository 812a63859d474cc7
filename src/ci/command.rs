//! What a slash command does. The command is answered by a reaction and in the comment that is kept up to date.

use serde_json::json;

use super::{
    Teller, bench, page, target,
    words::{Words, fill},
};
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
    ledger::{Decision, Ledger, RunId},
    run::{self, Session, Setting},
    text,
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
        Err(error) => return Err(failed(error.to_string())),
    }
    let desk =
        Desk { setting, context, ledger, teller, client, comment, words: Words::of(setting.config.report.language) };
    let done = match parsed {
        Ok(command) => desk.act(command).await,
        Err(wrong) => Err(Failure { exit: Exit::Usage, message: wrong, next: None }),
    };
    match done {
        Ok(done) => {
            react(teller, client, comment, "+1").await;
            desk.answer(&done.said, done.run.as_ref()).await;
            eprintln!("isugate: {}", text::workflow_line(&done.said));
            Ok(Exit::Done)
        }
        Err(failure) => {
            react(teller, client, comment, "confused").await;
            desk.answer(&format!("@{}: {failure}", comment.author), None).await;
            Err(failure)
        }
    }
}

/// A command that was done.
struct Done {
    /// What to answer.
    said: String,
    /// The run that was decided about.
    run: Option<String>,
}

/// All that a command is answered with.
struct Desk<'a> {
    setting: &'a Setting,
    context: &'a Context,
    ledger: &'a Ledger,
    teller: &'a Teller,
    client: &'a Client,
    comment: &'a Comment,
    words: &'static Words,
}

impl Desk<'_> {
    async fn act(&self, command: Command) -> Result<Done, Failure> {
        let by = &self.comment.author;
        let said = match command {
            Command::Bench { runs, intent } => {
                let head = target::head_of(self.client, self.comment.number).await.map_err(failed)?;
                start(self.context, self.client, self.comment.number, &head, runs, intent).await?;
                fill(self.words.started, &[by, &head[..12]])
            }
            Command::Accept(reason) => return self.decide(Verdict::Accept, reason).await,
            Command::Revert(reason) => return self.decide(Verdict::Revert, reason).await,
            Command::Status => fill(self.words.status, &[by, &self.leases(false).await?]),
            Command::Unlock(reason) => fill(self.words.freed, &[by, &reason, &self.leases(true).await?]),
        };
        Ok(Done { said, run: None })
    }

    /// A person's decision about the last run of the pull request's head. A run of an earlier commit is not what they saw.
    async fn decide(&self, verdict: Verdict, reason: String) -> Result<Done, Failure> {
        let head = target::head_of(self.client, self.comment.number).await.map_err(failed)?;
        let listing = self.ledger.runs().map_err(|e| failed(e.to_string()))?;
        let runs = page::of_pull(&listing.entries, self.comment.number);
        let seen = runs
            .into_iter()
            .rev()
            .find(|entry| entry.run.commit == head && (verdict == Verdict::Revert || entry.run.result.score.is_some()));
        let Some(entry) = seen else {
            let message = format!("the pull request's last commit {} has no run with a score", &head[..12]);
            return Err(Failure::new(Exit::Usage, message, "`/bench` measures it"));
        };
        let finished: Option<jiff::Timestamp> = entry.run.finished_at.parse().ok();
        let written: Option<jiff::Timestamp> = self.comment.created_at.parse().ok();
        if let (Some(finished), Some(written)) = (finished, written)
            && written < finished
        {
            let message = format!("run {} ended after your comment: it is not what you saw", entry.run.id);
            return Err(Failure::new(Exit::Usage, message, "give the command again if you still mean it"));
        }
        let decision = Decision {
            verdict,
            reasons: vec![crate::ledger::text::one_line(&reason)],
            by: self.comment.author.clone(),
            by_person: true,
            at: jiff::Timestamp::now().to_string(),
        };
        self.ledger.decide(&entry.run.id, decision).map_err(|e| failed(e.to_string()))?;
        match self.ledger.sync() {
            Ok(report) => report.warning.iter().for_each(|warning| self.teller.warn(warning)),
            Err(error) => self.teller.warn(&format!("the ledger is not shared: {error}")),
        }
        let id = &entry.run.id;
        let (now, gate) = (self.words.verdict(Some(verdict)), self.words.verdict(entry.decision.verdict()));
        let said = fill(self.words.decided, &[id, &now, &self.comment.author, &reason, &gate]);
        Ok(Done { said, run: Some(id.clone()) })
    }

    /// Who holds which host; `free` frees them.
    async fn leases(&self, free: bool) -> Result<String, Failure> {
        let session = Session::open(self.setting, None).await?;
        let mut said = Vec::new();
        for site in &session.sites {
            let held = lease::show(site).await?;
            said.push(format!("{}: {}", site.host.name(), self.words.lease(held.as_ref())));
            if free {
                lease::break_lease(site).await?;
            }
        }
        Ok(said.join("; "))
    }

    /// Puts the answer on top of our comment; makes one where there is none yet. Where it shows the run that was decided about,
    /// the verdict below is what holds now, with the gate's beside it.
    async fn answer(&self, said: &str, run: Option<&String>) {
        let (number, author) = (self.comment.number, self.teller.author());
        let change = |order: &str, text: &str| {
            let anew = run.filter(|run| *run == order).and_then(|run| self.anew(run, text));
            page::with_decision(anew.as_deref().unwrap_or(text), said)
        };
        match sticky::amend(self.client, number, author, change).await {
            Ok(true) => {}
            Ok(false) => {
                let order = RunId::new(jiff::Timestamp::now(), 0).to_string();
                let text = page::with_decision("", said);
                self.teller.comment(number, Body { order, full: text.clone(), short: text }, false).await;
            }
            Err(error) => self.teller.warn(&error),
        }
    }

    /// The comment of a run as the ledger has it now; `None` where its files are on another runner.
    fn anew(&self, run: &str, old: &str) -> Option<String> {
        let listing = self.ledger.runs().ok()?;
        let entry = listing.entries.iter().find(|entry| entry.run.id == run)?;
        let report = run::reread(self.setting, self.ledger, entry)?;
        let templates = bench::templates(self.setting).ok()?;
        page::decided(&report, &templates, old, &page::of_pull(&listing.entries, self.comment.number)).ok()
    }
}

fn failed(message: String) -> Failure {
    Failure { exit: Exit::Failed, message, next: None }
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
    started.map(drop).map_err(|error| failed(error.to_string()))
}

async fn react(teller: &Teller, client: &Client, comment: &Comment, reaction: &str) {
    if let Err(error) = commands::react(client, comment.id, reaction).await {
        teller.warn(&error);
    }
}
