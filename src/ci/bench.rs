//! One job: guards, the check, the benchmark, and what GitHub is told of it.

use std::{path::Path, time::Duration};

use tokio_util::sync::CancellationToken;

use super::{
    Teller, command, merge, page,
    progress::{self, PACE, State},
    target::{self, Target, Work},
};
use crate::{
    config::shape::{Intent, Language},
    exit::{Exit, Failure},
    github::{
        Client, Context, Need,
        check::{Check, Conclusion, Page},
        guard, outputs,
    },
    ledger::RunId,
    report::{self, Limit, Report, Templates, markdown_limited},
    run::{self, BenchOptions, Finished, Setting, Typed},
    verdict::Verdict,
};

/// What the action's inputs ask for.
#[derive(Debug, Clone)]
pub struct Asked {
    /// The revision, when it is not the event's.
    pub revision: Option<String>,
    /// What the change must do.
    pub intent: Option<Intent>,
    /// Runs that the decision may cost; the preset's number where it is not said.
    pub runs: Option<usize>,
    /// Whether the commit is deployed first; else what is on the hosts is benchmarked as it is.
    pub deploy: bool,
    /// What the contest's portal showed of a run that was started there: it is recorded, and no host is touched.
    pub portal: Option<Typed>,
    /// How long to wait for hosts that somebody else holds.
    pub wait: Duration,
    /// Whether to comment, whatever the configuration says.
    pub comments: Option<bool>,
    /// Whether to make a check, whatever the configuration says.
    pub checks: Option<bool>,
    /// Which verdicts end the job as failed.
    pub fail_on: FailOn,
}

impl Asked {
    /// How the job ends.
    fn exit(&self, finished: &Finished) -> Exit {
        let verdict = finished.report.verdict().unwrap_or(Verdict::Inconclusive);
        if self.fail_on.0.contains(&verdict) { finished.exit } else { Exit::Done }
    }
}

/// Which verdicts end the job as failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailOn(pub Vec<Verdict>);

impl FailOn {
    /// From words with commas between, such as `revert,invalid`; `never` for none.
    ///
    /// # Errors
    /// A word that is no verdict.
    pub fn parse(text: &str) -> Result<FailOn, String> {
        let words = text.split(',').map(str::trim).filter(|word| !word.is_empty() && *word != "never");
        let verdict = |word: &str| match word {
            "revert" => Ok(Verdict::Revert),
            "inconclusive" => Ok(Verdict::Inconclusive),
            "invalid" => Ok(Verdict::Invalid),
            _ => Err(format!("`{}` is none of revert, inconclusive, invalid, never", word.escape_debug())),
        };
        words.map(verdict).collect::<Result<_, _>>().map(FailOn)
    }
}

/// Does what the event asks for; the exit status of the job.
///
/// # Errors
/// What kept it from a verdict.
pub async fn run(setting: &Setting, context: &Context, client: Option<Client>, asked: &Asked) -> Result<Exit, Failure> {
    let refused = |reason: guard::Refusal| {
        page::write_refusal(&reason.to_string());
        Failure { exit: Exit::Usage, message: reason.to_string(), next: None }
    };
    let mut teller = Teller::new(client, &setting.work_tree, &setting.config.github).await;
    teller.set(asked.comments, asked.checks);
    let work = target::of(context, teller.client(), asked.revision.as_deref()).await.map_err(refused)?;
    let public = match (context.public, teller.client()) {
        (None, Some(client)) => is_public(client).await,
        (known, _) => known,
    };
    guard::public(&context.repository, public, setting.config.github.allow_public).map_err(refused)?;
    teller.flush().await;
    let ledger = run::open_ledger(setting)?;
    // What earlier jobs could not share: the checkout before us has deleted the branch.
    if let Err(error) = ledger.restore() {
        teller.warn(&format!("what the ledger held before the checkout cannot be taken back: {error}"));
    }
    // What other machines have run since: the baseline is theirs too.
    match ledger.sync() {
        Ok(report) => report.warning.iter().for_each(|warning| teller.warn(warning)),
        Err(error) => teller.warn(&format!("the ledger was not fetched: {error}")),
    }
    match work {
        Work::Nothing(why) => {
            eprintln!("isugate: {why}");
            Ok(Exit::Done)
        }
        Work::Merged(pull) => {
            let said = merge::merged(&ledger, &teller, &pull, &context.actor, setting.config.report.language).await?;
            eprintln!("isugate: {}", crate::text::workflow_line(&said));
            Ok(Exit::Done)
        }
        Work::Command(comment) => command::run(setting, context, &ledger, &teller, &comment).await,
        Work::Bench(target) => match &asked.portal {
            Some(typed) => record(setting, asked, target, typed.clone()).await,
            None => bench(setting, context, &teller, asked, target).await,
        },
    }
}

/// Records what a portal showed. There is no check and no comment: people have seen the score where they typed it from.
async fn record(setting: &Setting, asked: &Asked, target: Target, typed: Typed) -> Result<Exit, Failure> {
    let own = Setting { proposal: target.proposal, ..setting.clone() };
    let finished = run::record(&own, Some(&target.revision), typed).await?;
    eprintln!("isugate: {}", crate::text::workflow_line(&report::headline(&finished.report)));
    write_outputs(&finished.report, finished.exit);
    Ok(asked.exit(&finished))
}

async fn is_public(client: &Client) -> Option<bool> {
    #[derive(serde::Deserialize)]
    struct Repository {
        private: bool,
    }
    let told: Repository = client.get("", "the repository", Need::Contents).await.ok()?;
    Some(!told.private)
}

async fn bench(
    setting: &Setting,
    context: &Context,
    teller: &Teller,
    asked: &Asked,
    target: Target,
) -> Result<Exit, Failure> {
    let commit = run::resolve(&setting.work_tree, Some(&target.revision))?;
    let now = jiff::Timestamp::now();
    let began = RunId::new(now, std::process::id()).to_string();
    let check = teller.open(&commit.id, &began, context.run_page(), &State::default().page()).await;
    let (events, state) = progress::watch(setting.events.clone());
    let own = Setting { events, proposal: target.proposal.clone(), ..setting.clone() };
    let options = BenchOptions {
        revision: Some(commit.id.clone()),
        deploy: asked.deploy,
        keep: false,
        runs: asked.runs,
        time: None,
        reruns: 0,
        against: None,
        intent: asked.intent.unwrap_or(setting.config.verdict.intent),
        preset: setting.config.verdict.preset,
        wait: asked.wait,
    };
    let news =
        News { setting, context, teller, check: check.as_ref(), target: &target, began: &began, ended: false.into() };
    let stop = CancellationToken::new();
    let running = async {
        let result = run::bench(&own, &options).await;
        stop.cancel();
        result
    };
    let (result, ()) = tokio::join!(running, news.follow(state.clone(), &stop));
    let order = state.borrow().run.clone().unwrap_or_else(|| began.clone());
    match result {
        Ok(finished) => news.finished(&finished, asked).await,
        Err(failure) => Err(news.failed(&order, failure).await),
    }
}

/// What is told of one run.
struct News<'a> {
    setting: &'a Setting,
    context: &'a Context,
    teller: &'a Teller,
    check: Option<&'a Check>,
    target: &'a Target,
    began: &'a str,
    /// Whether the check was ended by a cancellation.
    ended: std::sync::atomic::AtomicBool,
}

impl News<'_> {
    /// Tells how it goes until it is over.
    async fn follow(&self, mut state: tokio::sync::watch::Receiver<State>, stop: &CancellationToken) {
        let mut said = None;
        loop {
            tokio::select! {
                () = stop.cancelled() => return,
                // There are seconds left: the end is told at once, before the hosts are put right.
                () = self.setting.cancel.cancelled() => {
                    self.end_cancelled().await;
                    return;
                }
                changed = state.changed() => if changed.is_err() { return },
            }
            let now = state.borrow_and_update().clone();
            let tell = async {
                if let Some(check) = self.check {
                    self.teller.update(check, &now.page()).await;
                }
                if let (Some(who), Some(number)) = (&now.waiting, self.target.pull_request)
                    && said.is_none()
                {
                    let order = now.run.as_deref().unwrap_or(self.began);
                    let body =
                        self.with_runs(number, |runs| page::waiting(order, who, self.context, runs, self.language()));
                    self.teller.comment(number, body, false).await;
                    said = now.waiting.clone();
                }
                tokio::time::sleep(PACE).await;
            };
            tokio::select! {
                () = tell => {}
                () = stop.cancelled() => return,
                // Seen again above.
                () = self.setting.cancel.cancelled() => {}
            }
        }
    }

    async fn end_cancelled(&self) {
        if let Some(check) = self.check
            && !self.ended.swap(true, std::sync::atomic::Ordering::Relaxed)
        {
            self.teller.complete(check, Conclusion::Cancelled, &cancelled(), true).await;
        }
    }

    async fn finished(&self, finished: &Finished, asked: &Asked) -> Result<Exit, Failure> {
        let report = &finished.report;
        let verdict = report.verdict().unwrap_or(Verdict::Inconclusive);
        let templates = templates(self.setting)?;
        let usage = |e: report::TemplateError| Failure::new(Exit::Usage, e.to_string(), "correct the template");
        if let Some(check) = self.check {
            let conclusion = match verdict {
                Verdict::Accept => Conclusion::Success,
                Verdict::Inconclusive => Conclusion::Neutral,
                Verdict::Revert | Verdict::Invalid => Conclusion::Failure,
            };
            let summary = markdown_limited(report, &templates, Limit::Characters(60_000)).map_err(usage)?;
            let page = Page { title: report::headline(report), summary, annotations: Vec::new() };
            self.teller.complete(check, conclusion, &page, false).await;
        }
        if let Some(number) = self.target.pull_request {
            let body = self.with_runs(number, |runs| page::verdict(report, &templates, self.context, runs));
            self.teller.comment(number, body.map_err(usage)?, true).await;
        }
        write_outputs(report, finished.exit);
        Ok(asked.exit(finished))
    }

    async fn failed(&self, order: &str, failure: Failure) -> Failure {
        let interrupted = failure.exit == Exit::Interrupted;
        if interrupted {
            self.end_cancelled().await;
        }
        if let Some(check) = self.check.filter(|_| !interrupted) {
            let first = failure.message.lines().next().unwrap_or_default().to_owned();
            let page = Page {
                title: crate::text::terminal_line(&first),
                summary: page::failure_text(&failure, self.language()),
                annotations: Vec::new(),
            };
            self.teller.complete(check, Conclusion::Failure, &page, false).await;
        }
        if let Some(number) = self.target.pull_request {
            let body =
                self.with_runs(number, |runs| page::failure(order, &failure, self.context, runs, self.language()));
            match interrupted {
                false => self.teller.comment(number, body, true).await,
                // Little time is left; the check has the news.
                true => {
                    drop(tokio::time::timeout(Duration::from_secs(1), self.teller.comment(number, body, true)).await)
                }
            }
        }
        failure
    }

    fn language(&self) -> Language {
        self.setting.config.report.language
    }

    /// The runs of a pull request as the ledger has them now.
    fn with_runs<T>(&self, number: u64, make: impl FnOnce(&[&crate::ledger::Entry]) -> T) -> T {
        let listing = run::open_ledger(self.setting).ok().and_then(|ledger| ledger.runs().ok()).unwrap_or_default();
        make(&page::of_pull(&listing.entries, number))
    }
}

fn cancelled() -> Page {
    Page {
        title: "cancelled before there was a verdict".into(),
        summary: "The workflow was cancelled. The log of the job says what state the hosts are in.".into(),
        annotations: Vec::new(),
    }
}

pub(super) fn templates(setting: &Setting) -> Result<Templates, Failure> {
    let folder = setting.config.report.templates.as_ref().map(|folder| setting.root.join(folder));
    Templates::load(folder.as_deref()).map_err(|e| Failure::new(Exit::Usage, e.to_string(), "correct the template"))
}

fn write_outputs(report: &Report, exit: Exit) {
    let Some(file) = std::env::var_os("GITHUB_OUTPUT").filter(|path| !path.is_empty()) else { return };
    let number = |score: Option<i64>| score.map(|score| score.to_string()).unwrap_or_default();
    let verdict = match exit {
        Exit::Done => "accept",
        Exit::Revert => "revert",
        Exit::Inconclusive => "inconclusive",
        _ => "invalid",
    };
    let directory = Path::new(&report.directory);
    let values = [
        ("verdict", verdict.to_owned()),
        ("score", number(report.run.result.score)),
        ("pass", (report.run.result.outcome == crate::result::Outcome::Pass).to_string()),
        ("run-id", report.run.id.clone()),
        ("baseline-score", number(report.baseline.as_ref().and_then(|run| run.result.score))),
        ("report-path", directory.join("report.md").display().to_string()),
        ("evidence-path", directory.display().to_string()),
    ];
    if let Err(error) = outputs::write(Path::new(&file), &values) {
        eprintln!("isugate: the step's outputs cannot be written: {error}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_that_fail_the_job_are_named_and_a_wrong_word_is_an_error() {
        assert_eq!(FailOn::parse("revert, invalid"), Ok(FailOn(vec![Verdict::Revert, Verdict::Invalid])));
        assert_eq!(FailOn::parse("never"), Ok(FailOn(vec![])));
        assert!(FailOn::parse("accept").is_err());
        assert!(FailOn::parse("revret").is_err());
    }
}
