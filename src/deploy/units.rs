//! Restarting what was configured, in order, and the state of systemd units before and after.

use std::{collections::BTreeMap, time::Duration};

use futures::future::join_all;

use super::{Deployment, Site, site::QUICK};
use crate::{
    config::{Config, shape::Restart},
    exit::{Exit, Failure, gather},
    host::{Cmd, Host},
    ledger::UnitState,
};

const UNITS: &str = include_str!("scripts/units.sh");
const RESTART: &str = include_str!("scripts/restart.sh");

/// Restarts everything in the order of the configuration; hosts of one entry at the same time. `commits` says what a host is on
/// where that is not the deployment's commit. Being cancelled ends the commands.
///
/// # Errors
/// What failed in the first entry that did, with what each host said.
pub async fn restart(
    deployment: &Deployment<'_>,
    sites: &[Site],
    commits: &BTreeMap<String, String>,
) -> Result<(), Failure> {
    for step in &deployment.deploy.restart {
        let all = join_all(chosen(deployment, sites, step).map(|site| {
            let commit = commits.get(site.host.name()).map_or(deployment.commit, String::as_str);
            one(deployment, site, step, commit)
        }));
        let results = tokio::select! {
            results = all => results,
            () = deployment.cancel.cancelled() => return Err(deployment.interrupted()),
        };
        gather(results)?;
    }
    Ok(())
}

/// The hosts that an entry means.
fn chosen<'s>(deployment: &Deployment<'_>, sites: &'s [Site], step: &Restart) -> impl Iterator<Item = &'s Site> {
    let hosts: Vec<String> = deployment.config.hosts_on(&step.on).into_iter().map(str::to_string).collect();
    sites.iter().filter(move |site| hosts.iter().any(|host| host == site.host.name()))
}

/// As [`restart`], but goes on after a failure: a host that is gone must not keep the others on what they should not run.
pub async fn restart_all(
    deployment: &Deployment<'_>,
    sites: &[Site],
    commits: &BTreeMap<String, String>,
) -> Vec<Failure> {
    let mut failures = Vec::new();
    for step in &deployment.deploy.restart {
        let results = join_all(chosen(deployment, sites, step).map(|site| {
            let commit = commits.get(site.host.name()).map_or(deployment.commit, String::as_str);
            one(deployment, site, step, commit)
        }));
        failures.extend(results.await.into_iter().filter_map(Result::err));
    }
    failures
}

async fn one(deployment: &Deployment<'_>, site: &Site, step: &Restart, commit: &str) -> Result<(), Failure> {
    let (cmd, what) = match (&step.unit, &step.run) {
        (Some(unit), _) => (Cmd::script(RESTART, [unit.clone()]), unit.clone()),
        (None, Some(run)) => {
            let cmd = Cmd::line(run).cwd(deployment.deploy.dir.clone());
            (cmd.env("ISUGATE_COMMIT", commit).env("ISUTOOLS_GIT_HASH", commit).tethered(), format!("`{run}`"))
        }
        (None, None) => return Ok(()),
    };
    let output = site.host.output(&cmd, Duration::from_secs(120)).await?;
    if output.ok() {
        return Ok(());
    }
    if let (Some(unit), Some(5)) = (&step.unit, output.code) {
        return Err(unknown(site.host.name(), unit));
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let said: Vec<_> = said.lines().rev().take(12).collect();
    let said = said.into_iter().rev().collect::<Vec<_>>().join("\n    ");
    let host = site.host.name();
    let message = format!("{host}: restarting {what} failed\n    {said}");
    let next = match &step.unit {
        Some(unit) => format!("see on {host}: journalctl -u {unit} -n 50"),
        None => format!("try the command on {host} in {}", deployment.deploy.dir),
    };
    Err(Failure::new(Exit::NotReady, message, next))
}

fn unknown(host: &str, unit: &str) -> Failure {
    let message = format!("{host}: systemd knows no unit {unit}");
    let next = "see `systemctl list-units --type=service` there and correct deploy.restart";
    Failure::new(Exit::NotReady, message, next)
}

/// The units that the configuration restarts on a host.
pub fn names(config: &Config, host: &str) -> Vec<String> {
    let restart = config.deploy.iter().flat_map(|deploy| &deploy.restart);
    restart.filter(|step| config.hosts_on(&step.on).contains(&host)).filter_map(|step| step.unit.clone()).collect()
}

/// Units of one host as they were at one time.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Units {
    /// Each by its name.
    pub states: BTreeMap<String, UnitState>,
    /// How long ago each was started, to the second.
    pub ages: BTreeMap<String, Duration>,
}

/// State of units on a host.
///
/// # Errors
/// A unit that the host does not know.
pub async fn states(host: &Host, units: &[String]) -> Result<Units, Failure> {
    if units.is_empty() {
        return Ok(Units::default());
    }
    let output = host.ask(&Cmd::script(UNITS, units.iter().cloned()), QUICK).await?;
    let mut states: BTreeMap<String, UnitState> = BTreeMap::new();
    let (mut current, mut ages) = (None, BTreeMap::new());
    for line in output.text().lines() {
        if let Some(unit) = line.strip_prefix("unit ") {
            current = Some(unit.to_string());
            states.insert(unit.into(), UnitState::default());
            continue;
        }
        let (Some(unit), Some((key, value))) = (&current, line.split_once('=')) else { continue };
        if (key, value) == ("LoadState", "not-found") {
            return Err(unknown(host.name(), unit));
        }
        let Some(state) = states.get_mut(unit) else { continue };
        let number = value.parse().unwrap_or(0);
        match key {
            "ActiveState" => state.active = value.into(),
            "ExecMainStartTimestampMonotonic" => state.started_us = number,
            "NRestarts" => state.restarts = number,
            "MainPID" => state.pid = number,
            "Age" => drop(ages.insert(unit.clone(), Duration::from_secs(number))),
            _ => {}
        }
    }
    Ok(Units { states, ages })
}
