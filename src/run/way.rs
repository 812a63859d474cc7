//! One run on its way: its id, its directory, its journal, and what is open on the hosts and must be closed whatever happens.

use std::{
    collections::BTreeMap,
    hash::{BuildHasher, Hasher},
    path::PathBuf,
    sync::Arc,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use super::{Commit, Journal, Phase, Session, Setting};
use crate::{
    deploy::{Activation, Deployment},
    exit::{Exit, Failure},
    host::{Host, job::Job},
    isutools::Client,
    ledger::{HostRecord, RunId},
    load::Sampler,
    report::{Event, Stage},
};

/// One run on its way.
pub struct Way<'s> {
    /// What stays the same.
    pub setting: &'s Setting,
    /// The run's id.
    pub id: RunId,
    /// Its directory on this machine.
    pub directory: PathBuf,
    /// What it is about.
    pub commit: Commit,
    /// When it began.
    pub began: jiff::Timestamp,
    journal: Journal,
    /// Seconds that each stage took.
    pub seconds: BTreeMap<String, f64>,
    /// What is known of the hosts so far.
    pub hosts: BTreeMap<String, HostRecord>,
    /// What samples the hosts' load.
    pub samplers: Vec<(String, Sampler)>,
    /// What was noticed.
    pub warnings: Vec<String>,
    /// When the benchmarker was started, by this machine's clock.
    pub bench_began: Option<Instant>,
    /// What is open on the hosts.
    pub open: Open,
}

/// What is open on the hosts.
#[derive(Default)]
pub struct Open {
    /// A benchmarker that may be running.
    pub bench: Option<(Arc<Host>, Job)>,
    /// isutools runs, with isutools' run ids.
    pub isutools: Vec<(Client, String)>,
    /// What the deploy changed.
    pub activation: Activation,
}

impl<'s> Way<'s> {
    /// Begins a run: an id, a directory, a journal.
    ///
    /// # Errors
    /// The disk.
    pub fn begin(setting: &'s Setting, commit: Commit) -> Result<Way<'s>, Failure> {
        let began = jiff::Timestamp::now();
        let random = std::hash::RandomState::new().build_hasher().finish();
        let id = RunId::new(began, random as u32);
        let directory = setting.runs().join(id.as_str());
        let disk = |e: std::io::Error| {
            let next = "the working tree must be writable, and the disk not full";
            Failure::new(Exit::Failed, format!("{}: {e}", directory.display()), next)
        };
        std::fs::create_dir_all(&directory).map_err(disk)?;
        ignore_ourselves(setting).map_err(disk)?;
        let mut journal = Journal::open(&directory)?;
        journal.write(Stage::Plan, Phase::Done, json!({"run": id.as_str(), "commit": commit.id}))?;
        Ok(Way::new(setting, id, directory, commit, began, journal))
    }

    /// Goes on with a run that an isugate which is gone has begun.
    ///
    /// # Errors
    /// An id that is none, the disk.
    pub fn again(setting: &'s Setting, id: &str, directory: PathBuf, commit: Commit) -> Result<Way<'s>, Failure> {
        let id: RunId = id.parse().map_err(Failure::from)?;
        let journal = Journal::open(&directory)?;
        Ok(Way::new(setting, id, directory, commit, jiff::Timestamp::now(), journal))
    }

    fn new(
        setting: &'s Setting,
        id: RunId,
        directory: PathBuf,
        commit: Commit,
        began: jiff::Timestamp,
        journal: Journal,
    ) -> Way<'s> {
        setting.events.emit(Event::RunBegan {
            id: id.as_str().into(),
            commit: commit.id.clone(),
            subject: commit.subject.clone(),
        });
        Way {
            setting,
            id,
            directory,
            commit,
            began,
            journal,
            seconds: BTreeMap::new(),
            hosts: BTreeMap::new(),
            samplers: Vec::new(),
            warnings: Vec::new(),
            bench_began: None,
            open: Open::default(),
        }
    }

    /// Does one stage: journalled before and after, told to whoever looks. The outcome is one line for a person.
    ///
    /// # Errors
    /// The stage's own.
    pub async fn stage<T>(
        &mut self,
        stage: Stage,
        work: impl AsyncFnOnce(&mut Self) -> Result<(T, String), Failure>,
    ) -> Result<T, Failure> {
        self.journal.write(stage, Phase::Begin, Value::Null)?;
        self.setting.events.emit(Event::Began { stage });
        let began = Instant::now();
        let result = work(self).await;
        let took = began.elapsed();
        self.seconds.insert(stage.name().into(), (took.as_secs_f64() * 1000.0).round() / 1000.0);
        let (phase, outcome) = match &result {
            Ok((_, outcome)) => (Phase::Done, outcome.clone()),
            Err(failure) => (Phase::Failed, failure.message.lines().next().unwrap_or_default().to_string()),
        };
        let ok = phase == Phase::Done;
        self.journal.write(stage, phase, json!({"outcome": outcome, "seconds": took.as_secs_f64()}))?;
        self.setting.events.emit(Event::Ended { stage, took, outcome, ok });
        result.map(|(value, _)| value)
    }

    /// Notes in the journal what whoever finishes the run must know.
    ///
    /// # Errors
    /// The disk.
    pub fn note(&mut self, stage: Stage, data: Value) -> Result<(), Failure> {
        self.journal.write(stage, Phase::Note, data)
    }

    /// Something worth being in the report.
    pub fn warn(&mut self, text: impl Into<String>) {
        let text = text.into();
        self.setting.events.warn(text.clone());
        self.warnings.push(text);
    }

    /// The deployment of this run's commit, if the configuration deploys.
    pub fn deployment(&self) -> Option<Deployment<'_>> {
        Some(Deployment {
            config: &self.setting.config,
            deploy: self.setting.config.deploy.as_ref()?,
            repo: &self.setting.work_tree,
            commit: &self.commit.id,
            run: self.id.as_str(),
            directory: &self.directory,
            events: &self.setting.events,
            cancel: &self.setting.cancel,
        })
    }

    /// Closes what is open after a failure or an interruption: ends the benchmarker, drops isutools' runs. Says what could
    /// not be closed. A workflow runner kills us 7.5 s after its first signal, so each thing gets little time, all at once.
    pub async fn close(&mut self) -> Vec<String> {
        let open = std::mem::take(&mut self.open);
        let limit = Duration::from_millis(3500);
        let bench = async {
            let (host, job) = open.bench?;
            match tokio::time::timeout(limit, job.stop(&host, Duration::from_secs(2))).await {
                Ok(Ok(())) => None,
                _ => Some(format!("{}: the benchmarker could not be ended; its own limit will end it", host.name())),
            }
        };
        let abort = |(client, run): (Client, String)| async move {
            match tokio::time::timeout(limit, client.abort()).await {
                Ok(Ok(())) => None,
                _ => Some(format!("{}: isutools' {run} could not be aborted; the next reset ends it", client.host())),
            }
        };
        let samplers = std::mem::take(&mut self.samplers);
        let stop = |(_, sampler): (String, Sampler)| tokio::time::timeout(limit, sampler.stop());
        let (bench, aborts, _) = tokio::join!(
            bench,
            futures::future::join_all(open.isutools.into_iter().map(abort)),
            futures::future::join_all(samplers.into_iter().map(stop)),
        );
        self.open.activation = open.activation;
        bench.into_iter().chain(aborts.into_iter().flatten()).collect()
    }

    /// The state that each host with the tree is in, one sentence a host.
    pub async fn states(&self, session: &Session) -> Vec<String> {
        let look = |site: &crate::deploy::Site| {
            let host = site.host.clone();
            async move {
                let limit = Duration::from_secs(3);
                let looked =
                    tokio::time::timeout(limit, crate::deploy::look(&self.setting.config, host.clone(), None)).await;
                match looked {
                    Ok(Ok(site)) => format!("{}: {}", host.name(), site.facts.current),
                    _ => format!("{}: UNKNOWN, it does not answer", host.name()),
                }
            }
        };
        futures::future::join_all(session.sites.iter().filter(|site| site.deploys).map(look)).await
    }
}

/// `.isugate/` holds results and evidence: it must not get into a commit by accident.
fn ignore_ourselves(setting: &Setting) -> std::io::Result<()> {
    let ignore = setting.work_tree.join(".isugate/.gitignore");
    if !ignore.exists() {
        std::fs::write(ignore, "*\n")?;
    }
    Ok(())
}
