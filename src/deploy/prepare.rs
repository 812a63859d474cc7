//! Everything up to the moment when a release could run: ship the commit, lay its tree out beside the running one, build it,
//! hash what was built. Nothing that runs is touched.

use std::{collections::BTreeMap, fs::OpenOptions, io::Write, path::Path, time::Duration};

use sha2::{Digest, Sha256};
use tokio::process::Command;

use super::{Deployment, Site, site::QUICK};
use crate::{
    exit::{Exit, Failure},
    host::{
        Cmd, Host,
        job::{Job, JobSpec, JobState},
    },
    report::Event,
};

const RECEIVE: &str = include_str!("scripts/receive.sh");
const LAY: &str = include_str!("scripts/lay.sh");
const HASH: &str = include_str!("scripts/hash.sh");

/// Built files that are listed one by one; more are hashed together.
const LISTED: usize = 200;

/// A release on one host, ready to be activated.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Prepared {
    /// Whether objects were sent.
    pub shipped: bool,
    /// Whether something was built.
    pub built: bool,
    /// SHA-256 of what was built, by path.
    pub artifacts: BTreeMap<String, String>,
}

/// Ships, lays out, builds and hashes on one host.
///
/// # Errors
/// What failed there, with the next step. The running release is untouched.
pub async fn prepare(deployment: &Deployment<'_>, site: &Site) -> Result<Prepared, Failure> {
    let shipped = ship(deployment, site).await?;
    let built_before = lay(deployment, site).await?;
    let recipe = recipe(deployment, site.host.name());
    let built = built_before.as_deref() != Some(recipe.as_str());
    if built {
        build(deployment, site).await?;
    }
    let artifacts = hash(deployment, site, if built { &recipe } else { "" }).await?;
    Ok(Prepared { shipped, built, artifacts })
}

/// Sends the commit's objects that the host lacks, over the connection that is there.
async fn ship(deployment: &Deployment<'_>, site: &Site) -> Result<bool, Failure> {
    if site.facts.has_commit {
        return Ok(false);
    }
    deployment.still_wanted()?;
    let (host, state) = (&site.host, &site.facts.state);
    if !site.facts.has_repo {
        let output = host.output(&Cmd::script(RECEIVE, [state.clone()]), QUICK).await?;
        if !output.ok() {
            let message = format!("{}: the host's repository could not be made: {}", host.name(), output.complaint());
            let next = format!("look at {state}/repo.git there; it may be removed");
            return Err(Failure::new(Exit::Build, message, next));
        }
    }
    let (url, ssh) = host.git_access(&format!("{state}/repo.git")).await;
    let commit = deployment.commit;
    let mut push = Command::new("git");
    push.arg("-C").arg(deployment.repo).args(["push", "--quiet", "--no-verify", "--force"]);
    push.arg(url).arg(format!("{commit}:refs/isugate/{commit}"));
    push.env("GIT_TERMINAL_PROMPT", "0").env("LC_ALL", "C").kill_on_drop(true).process_group(0);
    push.stdin(std::process::Stdio::null());
    if let Some(ssh) = ssh {
        push.env("GIT_SSH_COMMAND", ssh).env("GIT_SSH_VARIANT", "ssh");
    }
    let next = "see that git is installed here, and that the host has space and can be reached";
    let failed =
        |why: String| Failure::new(Exit::Build, format!("{}: sending the commit failed: {why}", host.name()), next);
    let output = tokio::select! {
        output = push.output() => output.map_err(|e| failed(e.to_string()))?,
        () = deployment.cancel.cancelled() => return Err(deployment.interrupted()),
    };
    match output.status.success() {
        true => Ok(true),
        false => Err(failed(String::from_utf8_lossy(&output.stderr).trim().to_string())),
    }
}

/// Lays the tree out; says with which recipe it was built before, if it was.
async fn lay(deployment: &Deployment<'_>, site: &Site) -> Result<Option<String>, Failure> {
    deployment.still_wanted()?;
    let args = [site.facts.state.clone(), deployment.commit.to_string()];
    let shared = deployment.deploy.shared.iter().cloned();
    let output = site.host.output(&Cmd::script(LAY, args.into_iter().chain(shared)), Duration::from_secs(120)).await?;
    if !output.ok() {
        let message = format!("{}: laying out the commit failed: {}", site.host.name(), output.complaint());
        return Err(Failure::new(Exit::Build, message, format!("look at {}/releases there", site.facts.state)));
    }
    Ok(output.text().lines().find_map(|line| line.strip_prefix("built ").map(str::to_string)))
}

/// What a build on this host depends on beside the commit.
fn recipe(deployment: &Deployment<'_>, host: &str) -> String {
    let mut sum = Sha256::new();
    for step in &deployment.deploy.build {
        if deployment.config.hosts_on(&step.on).contains(&host) {
            sum.update(step.run.as_bytes());
            sum.update([0]);
        }
    }
    hex(&sum.finalize())
}

async fn build(deployment: &Deployment<'_>, site: &Site) -> Result<(), Failure> {
    let (host, state, commit) = (&site.host, &site.facts.state, deployment.commit);
    let release = format!("{state}/releases/{commit}");
    let log = deployment.directory.join(format!("build-{}.log", host.name()));
    for (at, step) in deployment.deploy.build.iter().enumerate() {
        if !deployment.config.hosts_on(&step.on).contains(&host.name()) {
            continue;
        }
        deployment.still_wanted()?;
        deployment.events.note(host.name(), format!("build: {}", step.run));
        let spec = JobSpec {
            line: step.run.clone(),
            cwd: release.clone(),
            env: vec![("ISUGATE_COMMIT".into(), commit.into()), ("ISUTOOLS_GIT_HASH".into(), commit.into())],
            limit: step.timeout,
            grace: Duration::from_secs(5),
            report_fd: false,
        };
        let job = Job::start(host, &format!("{state}/runs/{}/build-{at}", deployment.run), &spec).await?;
        let mut said = Vec::new();
        let wait = job.wait(host, Duration::from_secs(60), |poll| {
            keep(&log, &poll.stdout);
            keep(&log, &poll.stderr);
            said.extend_from_slice(&poll.stderr);
            said.extend_from_slice(&poll.stdout);
            let cut = said.len().saturating_sub(4096);
            said.drain(..cut);
            for line in
                String::from_utf8_lossy(&poll.stdout).lines().chain(String::from_utf8_lossy(&poll.stderr).lines())
            {
                deployment.events.emit(Event::Output { host: host.name().into(), line: line.into() });
            }
        });
        let state = tokio::select! {
            state = wait => state?,
            () = deployment.cancel.cancelled() => {
                // A host that does not answer now ends it by its own limit.
                let _ = tokio::time::timeout(Duration::from_secs(3), job.stop(host, Duration::from_secs(1))).await;
                return Err(deployment.interrupted());
            }
        };
        let why = match state {
            JobState::Ended(end) if end.code == 0 && !end.timed_out => continue,
            JobState::Ended(end) if end.timed_out => format!("took longer than {} s", step.timeout.as_secs()),
            JobState::Ended(end) => format!("exited with {}", end.code),
            _ => "was killed on the host".to_string(),
        };
        let text = String::from_utf8_lossy(&said);
        let lines: Vec<_> = text.lines().filter(|line| !line.trim().is_empty()).collect();
        let tail = lines[lines.len().saturating_sub(12)..].join("\n    ");
        let mut message = format!("{}: `{}` {why}\n    {tail}", host.name(), step.run);
        // Its own complaint about a full disk may have found no place on that disk.
        if let Some(kb) = free_kb(host, &release).await.filter(|kb| *kb < 10 * 1024) {
            message.push_str(&format!("\n    the disk is full: {kb} KiB are free in {release}"));
        }
        let next = format!("mend the commit, or deploy.build; its whole output is in {}", log.display());
        return Err(Failure::new(Exit::Build, message, next));
    }
    Ok(())
}

async fn free_kb(host: &Host, dir: &str) -> Option<u64> {
    let cmd = Cmd::script("df -Pk -- \"$1\" | awk 'NR == 2 { print $4 }'", [dir]);
    host.ask(&cmd, QUICK).await.ok()?.text().trim().parse().ok()
}

fn keep(log: &Path, bytes: &[u8]) {
    if !bytes.is_empty() {
        // The build's own status decides; a full disk here shows at the next write of the journal.
        let _ = OpenOptions::new().create(true).append(true).open(log).and_then(|mut file| file.write_all(bytes));
    }
}

/// SHA-256 of what was built on a host, by path.
///
/// # Errors
/// A file of `deploy.artifacts` that is not there.
pub async fn artifacts(deployment: &Deployment<'_>, site: &Site) -> Result<BTreeMap<String, String>, Failure> {
    hash(deployment, site, "").await
}

/// As [`artifacts`]; notes first that the release was built by a recipe, if there is one.
async fn hash(deployment: &Deployment<'_>, site: &Site, recipe: &str) -> Result<BTreeMap<String, String>, Failure> {
    let args = [site.facts.state.clone(), deployment.commit.to_string(), LISTED.to_string(), recipe.to_string()];
    let named = deployment.deploy.artifacts.iter().cloned();
    let output = site.host.ask(&Cmd::script(HASH, args.into_iter().chain(named)), Duration::from_secs(120)).await?;
    if !output.ok() {
        let message = format!("{}: hashing what was built failed: {}", site.host.name(), output.complaint());
        return Err(Failure::new(Exit::Build, message, "see that deploy.build makes what deploy.artifacts names"));
    }
    let text = output.text();
    let entry =
        |line: &str| line.split_once("  ").map(|(sum, path)| (path.trim_start_matches("./").into(), sum.into()));
    Ok(text.split('\0').filter_map(entry).collect())
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
