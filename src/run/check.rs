//! `isugate check`: everything that can be known before a run.

use serde::Serialize;

use super::{Session, Setting, plan};
use crate::{
    bench, deploy,
    exit::{Exit, Failure},
    lease,
};

/// One thing that was looked at.
#[derive(Debug, Clone, Serialize)]
pub struct Finding {
    /// Whether it is as it should be.
    pub ok: bool,
    /// What was found.
    pub what: String,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
    #[serde(skip)]
    exit: Option<Exit>,
}

impl Finding {
    fn good(what: impl Into<String>) -> Finding {
        Finding { ok: true, what: what.into(), next: None, exit: None }
    }

    fn bad(failure: Failure) -> Finding {
        Finding { ok: false, what: failure.message, next: failure.next, exit: Some(failure.exit) }
    }

    fn of<T>(result: Result<T, Failure>, what: impl FnOnce(T) -> String) -> Finding {
        match result {
            Ok(value) => Finding::good(what(value)),
            Err(failure) => Finding::bad(failure),
        }
    }
}

/// Looks at everything. Nothing is changed on any host but that isugate's own directory is made there.
///
/// # Errors
/// Hosts that cannot be reached at all.
pub async fn check(setting: &Setting) -> Result<Vec<Finding>, Failure> {
    let plan = plan(&setting.config)?;
    let mut findings = vec![Finding::good("isugate.yml is right")];
    let session = Session::open(setting, None).await?;
    for site in &session.sites {
        let name = site.host.name();
        let tree = if site.deploys { format!(", {} in deploy.dir", site.facts.current) } else { String::new() };
        findings.push(Finding::good(format!("{name}: reached as {}{tree}", site.facts.user)));
        let units = deploy::unit_names(&setting.config, name);
        if !units.is_empty() {
            let states = deploy::unit_states(&site.host, &units).await;
            findings.push(Finding::of(states, |units| {
                let shown: Vec<_> =
                    units.states.iter().map(|(unit, state)| format!("{unit} {}", state.active)).collect();
                format!("{name}: units {}", shown.join(", "))
            }));
        }
        if let Some(held) = lease::show(site).await? {
            let next = "wait, or `isugate lease break --reason …` if its holder is gone";
            findings.push(Finding::bad(Failure::new(Exit::Leased, format!("{name}: {held}"), next)));
        }
    }
    let site = session.only(setting, &setting.config.bench.on)?;
    let cwd = plan.dir.clone().unwrap_or_else(|| site.facts.state.clone());
    let looked = bench::look(&site.host, &plan.command, &cwd, &[], 0).await;
    findings.push(Finding::of(looked, |look| match look.sha256 {
        Some(sum) => format!("{}: the benchmarker is there (SHA-256 {})", site.host.name(), &sum[..12]),
        None => format!("{}: which program the benchmarker is cannot be told from bench.run", site.host.name()),
    }));
    for client in &session.isutools {
        let answer = async {
            let revision = client.revision(std::time::Duration::ZERO).await?;
            client.probe().await?;
            Ok(revision)
        };
        let host = client.host().to_string();
        let result = answer
            .await
            .map_err(|e: crate::isutools::IsutoolsError| Failure::new(Exit::Isutools, e.to_string(), e.next()));
        findings.push(Finding::of(result, |revision| {
            format!("{host}: isutools answers and can write, revision {}", revision.as_deref().unwrap_or("unknown"))
        }));
    }
    Ok(findings)
}

/// The exit status of the first thing that is not as it should be.
pub fn worst(findings: &[Finding]) -> Exit {
    findings.iter().find_map(|finding| finding.exit).unwrap_or(Exit::Done)
}
