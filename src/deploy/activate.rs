//! Making a release the running one, on all hosts or on none: files with their checks, the switch, restarts in order, and the
//! way back when something fails.

use std::{collections::BTreeMap, time::Duration};

use futures::future::join_all;

use super::{Current, Deployment, Site, ready, site::QUICK, units};
use crate::{
    exit::{Exit, Failure},
    host::Cmd,
};

const FILES: &str = include_str!("scripts/files.sh");
const SWITCH: &str = include_str!("scripts/switch.sh");
const LEFTOVER: &str = include_str!("scripts/leftover.sh");

/// How long the way back may wait for readiness when we were told to end: a workflow's runner kills us soon.
const HURRY: Duration = Duration::from_secs(3);

/// What was done on the hosts, so that it can be undone.
#[derive(Debug, Clone, Default)]
pub struct Activation {
    /// What ran before, by host, where the switch was made.
    before: BTreeMap<String, Current>,
    /// Files steps that were applied, by host and place in `deploy.files`.
    files: Vec<(String, usize)>,
    /// Whether anything was restarted.
    restarted: bool,
}

impl Activation {
    /// What ran on a host before.
    pub fn before(&self, host: &str) -> Option<&Current> {
        self.before.get(host)
    }

    /// Whether nothing was changed anywhere.
    pub fn is_empty(&self) -> bool {
        self.before.is_empty() && self.files.is_empty()
    }
}

/// Activates the prepared release on all hosts and restarts what is to be restarted. On failure everything is put back.
///
/// # Errors
/// What failed, with the state that each host was left in.
pub async fn activate(deployment: &Deployment<'_>, sites: &[Site]) -> Result<Activation, Failure> {
    let mut done = Activation::default();
    match forward(deployment, sites, &mut done).await {
        Ok(()) => Ok(done),
        Err(failure) if done.is_empty() => Err(failure),
        Err(mut failure) => {
            let states = undo(deployment, sites, &done).await;
            failure.message = format!("{}\n  {}", failure.message, states.join("\n  "));
            Err(failure)
        }
    }
}

async fn forward(deployment: &Deployment<'_>, sites: &[Site], done: &mut Activation) -> Result<(), Failure> {
    let targets: Vec<_> = sites.iter().filter(|site| site.deploys).collect();
    for result in join_all(targets.iter().map(|site| leftover(deployment, site))).await {
        result?;
    }
    for (at, step) in deployment.deploy.files.iter().enumerate() {
        deployment.still_wanted()?;
        let hosts = deployment.config.hosts_on(&step.on);
        let chosen: Vec<_> = targets.iter().filter(|site| hosts.contains(&site.host.name())).collect();
        let results = join_all(chosen.iter().map(|site| files(deployment, site, at, "apply"))).await;
        let mut failure = None;
        for (site, result) in chosen.iter().zip(results) {
            // A refusal has put the host's files back already; where the answer was lost nobody knows.
            if result.as_ref().err().is_none_or(|error| error.exit != Exit::Activate) {
                done.files.push((site.host.name().into(), at));
            }
            failure = result.err().or(failure);
        }
        if let Some(failure) = failure {
            return Err(failure);
        }
    }
    deployment.still_wanted()?;
    let mut failure = None;
    let results = join_all(targets.iter().map(|site| switch(deployment, site, deployment.commit))).await;
    for (site, result) in targets.iter().zip(results) {
        match result {
            Ok(before) => {
                done.before.insert(site.host.name().into(), before);
            }
            Err(error) => {
                // Where the answer was lost the switch may have been made.
                if error.exit != Exit::Activate {
                    done.before.insert(site.host.name().into(), site.facts.current.clone());
                }
                failure = Some(error);
            }
        }
    }
    if let Some(failure) = failure {
        return Err(failure);
    }
    deployment.still_wanted()?;
    done.restarted = true;
    units::restart(deployment, sites, &BTreeMap::new()).await
}

/// Puts back what ran before, as far as it goes; says what state each host is in.
pub async fn undo(deployment: &Deployment<'_>, sites: &[Site], done: &Activation) -> Vec<String> {
    // What failed may have been the connection.
    join_all(sites.iter().map(|site| site.host.reconnect())).await;
    let mut trouble: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let site = |name: &str| sites.iter().find(|site| site.host.name() == name);
    for (host, at) in done.files.iter().rev() {
        let Some(site) = site(host) else { continue };
        if let Err(error) = files(deployment, site, *at, "restore").await {
            trouble.entry(host).or_default().push(error.message);
        }
    }
    let switches = done.before.iter().filter_map(|(host, before)| {
        let (Some(site), Current::Release(name)) = (site(host), restorable(before)) else { return None };
        Some(async move { (host.as_str(), switch(deployment, site, &name).await.err()) })
    });
    for (host, error) in join_all(switches).await {
        if let Some(error) = error {
            trouble.entry(host).or_default().push(error.message);
        }
    }
    let back = Deployment { cancel: &tokio_util::sync::CancellationToken::new(), ..*deployment };
    let commits = done.before.iter().filter_map(|(host, before)| match restorable(before) {
        Current::Release(name) => Some((host.clone(), name)),
        _ => None,
    });
    let commits: BTreeMap<_, _> = commits.collect();
    let mut general = Vec::new();
    // Where nothing ran before, starting once more what has just failed helps nobody.
    if done.restarted && !commits.is_empty() {
        let restart = async {
            let mut failures = units::restart_all(&back, sites, &commits).await;
            if failures.is_empty() {
                failures.extend(ready::wait(&back, sites).await.err());
            }
            failures
        };
        let limit = if deployment.cancel.is_cancelled() { HURRY } else { Duration::MAX };
        match tokio::time::timeout(limit, restart).await {
            Ok(failures) => {
                general.extend(failures.into_iter().map(|failure| format!("after putting back: {}", failure.message)));
            }
            Err(_) => {
                general.push("after putting back: not seen ready before we had to end; see `isugate check`".into())
            }
        }
    }
    let hosts: std::collections::BTreeSet<&str> =
        done.before.keys().map(String::as_str).chain(done.files.iter().map(|(host, _)| host.as_str())).collect();
    let state = |host: &str| match (trouble.get(host), done.before.get(host).map(restorable)) {
        (Some(why), _) => format!("{host}: UNKNOWN STATE, putting back failed: {}", why.join("; ")),
        (None, Some(Current::Release(name))) => format!("{host}: back on {}", Current::Release(name)),
        (None, Some(_)) => {
            format!("{host}: on {}; nothing ran there before", Current::Release(deployment.commit.into()))
        }
        (None, None) => format!("{host}: its files are back; what runs there was not changed"),
    };
    hosts.into_iter().map(state).chain(general).collect()
}

/// An unmanaged directory was moved to the release `original` by the switch.
fn restorable(before: &Current) -> Current {
    match before {
        Current::Unmanaged => Current::Release("original".into()),
        other => other.clone(),
    }
}

/// An unmanaged directory must not lose anything from sight.
async fn leftover(deployment: &Deployment<'_>, site: &Site) -> Result<(), Failure> {
    if site.facts.current != Current::Unmanaged {
        return Ok(());
    }
    let deploy = deployment.deploy;
    let head = [
        site.facts.state.clone(),
        deployment.commit.to_string(),
        deploy.dir.trim_end_matches('/').to_string(),
        deploy.shared.len().to_string(),
    ];
    let args = head.into_iter().chain(deploy.shared.iter().cloned()).chain(deploy.leave_behind.iter().cloned());
    let output = site.host.output(&Cmd::script(LEFTOVER, args), QUICK).await?;
    let text = output.text();
    let paths: Vec<_> = text.split('\0').filter(|path| !path.is_empty()).collect();
    if output.ok() && paths.is_empty() {
        return Ok(());
    }
    let (host, dir) = (site.host.name(), &deploy.dir);
    if !output.ok() {
        let message = format!("{host}: comparing {dir} with the commit failed: {}", output.complaint());
        return Err(Failure::new(Exit::Activate, message, format!("look at {dir} there")));
    }
    let shown = paths.iter().take(10).copied().collect::<Vec<_>>().join(", ");
    let more = if paths.len() > 10 { format!(" and {} more", paths.len() - 10) } else { String::new() };
    let message = format!("{host}: {dir} holds what the commit does not: {shown}{more}");
    let next = "list under deploy.shared what the application needs (it is kept from release to release), and under \
                deploy.leave_behind what it does not; nothing was changed";
    Err(Failure::new(Exit::Activate, message, next))
}

async fn files(deployment: &Deployment<'_>, site: &Site, at: usize, mode: &str) -> Result<(), Failure> {
    let step = &deployment.deploy.files[at];
    let host = site.host.name();
    let args = [
        mode.to_string(),
        site.facts.state.clone(),
        deployment.commit.to_string(),
        step.from.trim_end_matches('/').to_string(),
        step.to.clone(),
        deployment.run.to_string(),
        step.check.clone().unwrap_or_default(),
    ];
    let output = site.host.output(&Cmd::script(FILES, args).as_root(step.sudo), Duration::from_secs(120)).await?;
    if output.ok() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let said: Vec<_> = said.lines().take(12).collect();
    let said = said.join("\n    ");
    let failed = |message, next: &str| Err(Failure::new(Exit::Activate, message, next));
    match (output.code, &step.check) {
        (Some(9), Some(check)) => failed(
            format!("{host}: `{check}` refused the files of {}\n    {said}", step.from),
            "mend them in the repository; what stood in their place is there again",
        ),
        _ if mode == "restore" => failed(
            format!("{host}: restoring {} failed: {said}", step.to),
            "restore it by hand; see the backup beside deploy.dir",
        ),
        _ => failed(
            format!("{host}: putting {} to {} failed\n    {said}", step.from, step.to),
            "is the target writable? `sudo: true` in deploy.files makes it root's work",
        ),
    }
}

async fn switch(deployment: &Deployment<'_>, site: &Site, name: &str) -> Result<Current, Failure> {
    let deploy = deployment.deploy;
    let args = [site.facts.state.clone(), deploy.dir.trim_end_matches('/').to_string(), name.to_string()];
    let output = site
        .host
        .output(&Cmd::script(SWITCH, args.into_iter().chain(deploy.shared.iter().cloned())), Duration::from_secs(120))
        .await?;
    if !output.ok() {
        let message = format!("{}: switching {} failed: {}", site.host.name(), deploy.dir, output.complaint());
        return Err(Failure::new(Exit::Activate, message, "may the user write to the directory that holds it?"));
    }
    let text = output.text();
    Ok(match text.lines().find_map(|line| line.strip_prefix("before ")) {
        Some("none") | None => Current::Nothing,
        Some(name) => Current::Release(name.into()),
    })
}
