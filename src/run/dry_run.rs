//! `isugate bench --dry-run`: what would be done, from configuration and repository alone.

use std::fmt::Write;

use super::{BenchOptions, Setting, plan, resolve};
use crate::{deploy, exit::Failure, text::terminal_line};

/// What would be done, as text. No host is touched.
///
/// # Errors
/// A revision that names no commit, a mistake in the configuration.
pub fn dry_run(setting: &Setting, options: &BenchOptions) -> Result<String, Failure> {
    let config = &setting.config;
    let plan = plan(config)?;
    let commit = resolve(&setting.work_tree, options.revision.as_deref())?;
    let mut text = String::new();
    let mut line = |what: String| {
        // Writing to a String does not fail.
        let _ = writeln!(text, "{}", terminal_line(&what));
    };
    line(format!("commit    {} {}", &commit.id[..12], commit.subject));
    for (name, host) in &config.hosts {
        let at = host.ssh.as_deref().unwrap_or("this machine");
        line(format!("host      {name} at {at}, roles {}", host.roles.join(", ")));
    }
    let on = |role: &str| config.hosts_on(role).join(", ");
    if let (Some(step), true) = (&config.deploy, options.deploy) {
        line(format!("ship      to {}", deploy::targets(config).into_iter().collect::<Vec<_>>().join(", ")));
        step.build.iter().for_each(|s| line(format!("build     {}: {}", on(&s.on), s.run)));
        step.files.iter().for_each(|s| line(format!("files     {}: {} to {}", on(&s.on), s.from, s.to)));
        line(format!("switch    {}", step.dir));
        for s in &step.restart {
            line(format!("restart   {}: {}", on(&s.on), s.unit.as_deref().or(s.run.as_deref()).unwrap_or_default()));
        }
        for s in &step.ready {
            let what = s.tcp.as_deref().or(s.http.as_deref()).or(s.run.as_deref()).unwrap_or_default();
            line(format!("ready     {}: {what} within {} s", on(&s.on), s.within.as_secs()));
        }
    }
    config.isutools.iter().for_each(|s| line(format!("isutools  {}: {}", on(&s.on), s.url)));
    line(format!(
        "bench     {}: {} (at most {} s, read as {})",
        on(&config.bench.on),
        plan.command,
        plan.limit.as_secs(),
        plan.format()
    ));
    config.collect.iter().for_each(|s| line(format!("collect   {}: {}: {}", on(&s.on), s.name, s.run)));
    line(format!(
        "ledger    branch {}, remote {}",
        config.ledger.branch,
        config.ledger.remote.as_deref().unwrap_or("none")
    ));
    Ok(text)
}
