//! A host as a place to deploy to: where isugate keeps its files there, what runs now, what is missing.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use crate::{
    config::{Config, shape::Deploy},
    exit::{Exit, Failure},
    host::{Cmd, Host},
};

const INSPECT: &str = include_str!("scripts/inspect.sh");

/// For commands that only look.
pub(crate) const QUICK: Duration = Duration::from_secs(30);

/// A host with what is known of it.
pub struct Site {
    /// The connection.
    pub host: Arc<Host>,
    /// What was found.
    pub facts: Facts,
    /// Whether the tree goes there.
    pub deploys: bool,
}

/// What was found on a host.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Facts {
    /// The user that we are there.
    pub user: String,
    /// Where isugate keeps its files, absolute.
    pub state: String,
    /// Programs that are not there.
    pub missing: Vec<String>,
    /// A directory that we should write to and may not.
    pub unwritable: Option<String>,
    /// Free space where isugate keeps its files, KiB.
    pub free_kb: Option<u64>,
    /// Whether we are root or may become it without a password.
    pub root: bool,
    /// What `deploy.dir` is.
    pub current: Current,
    /// Whether the commit's objects are there.
    pub has_commit: bool,
    /// Whether the host's repository may be pushed to.
    pub has_repo: bool,
}

/// What `deploy.dir` is on a host.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Current {
    /// It does not exist, or nothing is deployed.
    #[default]
    Nothing,
    /// A directory that isugate did not make.
    Unmanaged,
    /// One of isugate's releases, by commit (or `original`: what was there before isugate).
    Release(String),
    /// A symbolic link to somewhere else, or no directory at all.
    Elsewhere(String),
}

impl std::fmt::Display for Current {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Current::Nothing => f.write_str("nothing deployed"),
            Current::Unmanaged => f.write_str("a directory that isugate did not make"),
            Current::Release(name) if name == "original" => f.write_str("what was there before isugate"),
            Current::Release(commit) => write!(f, "commit {}", &commit[..commit.len().min(12)]),
            Current::Elsewhere(target) => write!(f, "a link to {target}"),
        }
    }
}

/// The hosts that get the tree: those that build, hold files of it, or are restarted by a command of it.
pub fn targets(config: &Config) -> BTreeSet<String> {
    let Some(deploy) = &config.deploy else { return BTreeSet::new() };
    let build = deploy.build.iter().map(|step| step.on.as_str());
    let files = deploy.files.iter().map(|step| step.on.as_str());
    let restart = deploy.restart.iter().filter(|step| step.run.is_some()).map(|step| step.on.as_str());
    build.chain(files).chain(restart).flat_map(|on| config.hosts_on(on)).map(str::to_string).collect()
}

/// Whether a step of the configuration needs root on the host.
fn needs_root(config: &Config, deploy: &Deploy, host: &str) -> Option<String> {
    let on = |role: &str| config.hosts_on(role).contains(&host);
    let unit = deploy.restart.iter().filter(|r| on(&r.on)).find_map(|r| r.unit.clone());
    unit.map(|unit| format!("restarting {unit}"))
        .or_else(|| deploy.files.iter().find(|f| f.sudo && on(&f.on)).map(|f| format!("writing {}", f.to)))
}

/// Looks at a host before a run.
///
/// # Errors
/// What makes a run impossible there, with the next step.
pub async fn inspect(config: &Config, host: Arc<Host>, commit: Option<&str>) -> Result<Site, Failure> {
    let site = look(config, host, commit).await?;
    refuse(config, site.host.name(), &site.facts)?;
    Ok(site)
}

/// Looks at a host in whatever state it is: a disk that is full by now must not keep anyone from going back.
///
/// # Errors
/// It does not answer.
pub async fn look(config: &Config, host: Arc<Host>, commit: Option<&str>) -> Result<Site, Failure> {
    let name = host.name().to_string();
    let deploys = targets(config).contains(&name);
    let deploy = config.deploy.as_ref();
    let state = match (config.hosts.get(&name).and_then(|h| h.state_dir.clone()), deploy) {
        (Some(dir), _) => dir,
        (None, Some(deploy)) if deploys => format!("{}.isugate", deploy.dir.trim_end_matches('/')),
        _ => String::new(),
    };
    let dir = deploy.filter(|_| deploys).map_or("", |d| d.dir.trim_end_matches('/'));
    let mut tools = vec![state, dir.to_string(), commit.unwrap_or("none").to_string()];
    if deploys {
        tools.push("git".into());
    }
    if let Some(deploy) = deploy {
        let on = |role: &str| config.hosts_on(role).contains(&name.as_str());
        if deploy.restart.iter().any(|r| r.unit.is_some() && on(&r.on)) {
            tools.push("systemctl".into());
        }
        if deploy.ready.iter().any(|r| r.http.as_deref().is_some_and(|u| u.starts_with("https:")) && on(&r.on)) {
            tools.push("curl".into());
        }
    }
    let output = host.ask(&Cmd::script(INSPECT, tools), QUICK).await?;
    if !output.ok() {
        let message = format!("{name}: looking at the host failed: {}", output.complaint());
        let next = "isugate needs bash on the host; see that `ssh HOST bash -c true` works and prints nothing";
        return Err(Failure::new(Exit::Failed, message, next));
    }
    if !output.stdout.starts_with(b"uid ") {
        let said = output.text().lines().next().unwrap_or_default().to_string();
        let message = format!("{name}: the login shell prints something of its own: {said}");
        let next =
            "make ~/.bashrc there silent for shells that are not interactive: its output cannot be told from ours";
        return Err(Failure::new(Exit::Failed, message, next));
    }
    let facts = parse(&output.text());
    Ok(Site { host, facts, deploys })
}

fn parse(text: &str) -> Facts {
    let mut facts = Facts::default();
    for (key, value) in text.lines().filter_map(|line| line.split_once(' ')) {
        match key {
            "user" => facts.user = value.into(),
            "state" => facts.state = value.into(),
            "missing" => facts.missing.push(value.into()),
            "unwritable" => facts.unwritable = Some(value.into()),
            "free_kb" => facts.free_kb = value.trim().parse().ok(),
            "root" => facts.root = value == "yes",
            "has" => facts.has_commit = value == "yes",
            "repo" => facts.has_repo = value == "ready",
            "elsewhere" | "odd" => facts.current = Current::Elsewhere(value.into()),
            "current" => {
                facts.current = match value {
                    "none" => Current::Nothing,
                    "unmanaged" => Current::Unmanaged,
                    name => Current::Release(name.into()),
                }
            }
            _ => {}
        }
    }
    facts
}

fn refuse(config: &Config, name: &str, facts: &Facts) -> Result<(), Failure> {
    if !facts.missing.is_empty() {
        let list = facts.missing.join(", ");
        let next = format!("install it there, on Debian or Ubuntu: sudo apt-get install {}", packages(&facts.missing));
        return Err(Failure::new(Exit::Failed, format!("{name}: {list} is missing on the host"), next));
    }
    if let Some(dir) = &facts.unwritable {
        let message = format!("{name}: {} may not write to {dir}", facts.user);
        let next = format!("make it writable for {}, or set hosts.{name}.state_dir to a directory that is", facts.user);
        return Err(Failure::new(Exit::Failed, message, next));
    }
    if let Current::Elsewhere(target) = &facts.current {
        let message = format!("{name}: deploy.dir is a link to {target}, or not a directory; isugate did not make it");
        return Err(Failure::new(Exit::Failed, message, "point deploy.dir at the real directory"));
    }
    if facts.free_kb.is_some_and(|kb| kb < 100 * 1024) {
        let message = format!("{name}: less than 100 MiB are free in {}", facts.state);
        return Err(Failure::new(Exit::Failed, message, "free some space: old logs, old isutools snapshots"));
    }
    if let Some(what) = config.deploy.as_ref().and_then(|d| needs_root(config, d, name)).filter(|_| !facts.root) {
        let message = format!("{name}: {what} needs root, and {} may not use sudo without a password", facts.user);
        let next = format!("allow it: echo '{} ALL=(ALL) NOPASSWD:ALL' | sudo tee /etc/sudoers.d/isugate", facts.user);
        return Err(Failure::new(Exit::Failed, message, next));
    }
    Ok(())
}

fn packages(tools: &[String]) -> String {
    let package = |tool: &String| match tool.as_str() {
        "setsid" | "flock" => "util-linux".to_string(),
        "sha256sum" | "stat" | "tail" => "coreutils".into(),
        "systemctl" => "systemd".into(),
        tool => tool.into(),
    };
    tools.iter().map(package).collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>().join(" ")
}
