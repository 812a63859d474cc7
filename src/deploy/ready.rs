//! Waiting until everything answers: TCP, HTTP or a command, each tried on the host itself.

use std::time::Duration;

use futures::future::join_all;

use super::{Deployment, Site, site::QUICK, units};
use crate::{
    config::shape::Ready,
    exit::{Exit, Failure, gather},
    host::Cmd,
};

const READY: &str = include_str!("scripts/ready.sh");
const JOURNAL: &str = include_str!("scripts/journal.sh");

/// How long an application that answered before a benchmark may take to answer after it.
const AFTERWARDS: Duration = Duration::from_secs(10);

/// Waits for all checks, on all hosts at the same time.
///
/// # Errors
/// All that did not answer in their time, with what each said last.
pub async fn wait(deployment: &Deployment<'_>, sites: &[Site]) -> Result<(), Failure> {
    let all = join_all(checks(deployment, sites).map(|(site, check)| one(deployment, site, check)));
    let results = tokio::select! {
        results = all => results,
        () = deployment.cancel.cancelled() => return Err(deployment.interrupted()),
    };
    gather(results).map(drop)
}

/// What does not answer any more after a benchmark, a sentence for each check.
pub async fn silent(deployment: &Deployment<'_>, sites: &[Site]) -> Vec<String> {
    let all = checks(deployment, sites).map(async |(site, check)| {
        let host = site.host.name();
        match ask(deployment, site, check, check.within.min(AFTERWARDS)).await {
            Ok(None) => None,
            Ok(Some(Silence { what, said })) => {
                Some(format!("{host}: {what} does not answer any more after the benchmark: {said}"))
            }
            Err(failure) => Some(format!("{host}: nobody knows whether it still answers: {}", failure.message)),
        }
    });
    tokio::select! {
        sentences = join_all(all) => sentences.into_iter().flatten().collect(),
        () = deployment.cancel.cancelled() => Vec::new(),
    }
}

fn checks<'a>(deployment: &'a Deployment<'_>, sites: &'a [Site]) -> impl Iterator<Item = (&'a Site, &'a Ready)> {
    deployment.deploy.ready.iter().flat_map(|check| {
        let hosts = deployment.config.hosts_on(&check.on);
        sites.iter().filter(move |site| hosts.contains(&site.host.name())).map(move |site| (site, check))
    })
}

/// A check that was not met: what was asked, and what came back last.
struct Silence {
    what: String,
    said: String,
}

/// Tries one check for so long; `None` if it is met.
async fn ask(
    deployment: &Deployment<'_>,
    site: &Site,
    check: &Ready,
    limit: Duration,
) -> Result<Option<Silence>, Failure> {
    let within = limit.as_millis().to_string();
    let (args, what) = match (&check.tcp, &check.http, &check.run) {
        (Some(tcp), ..) => {
            let (address, port) = tcp.rsplit_once(':').unwrap_or((tcp, ""));
            let address = address.trim_matches(['[', ']']);
            (vec!["tcp".into(), within, address.into(), port.into()], format!("TCP {tcp}"))
        }
        (_, Some(http), _) => {
            let expect = check.expect.unwrap_or(200).to_string();
            let args = match Url::parse(http) {
                Some(url) if !url.tls => {
                    vec!["http".into(), within, url.address, url.port, url.authority, url.path, expect.clone()]
                }
                _ => vec!["https".into(), within, http.clone(), expect.clone()],
            };
            (args, format!("{http} with status {expect}"))
        }
        (.., Some(run)) => (vec!["run".into(), within, run.clone()], format!("`{run}`")),
        _ => return Ok(None),
    };
    let mut cmd = Cmd::script(READY, args);
    if check.run.is_some() {
        cmd = cmd.cwd(deployment.deploy.dir.clone());
    }
    let output = site.host.output(&cmd.tethered(), limit + Duration::from_secs(40)).await?;
    Ok((!output.ok()).then(|| Silence { what, said: output.complaint() }))
}

async fn one(deployment: &Deployment<'_>, site: &Site, check: &Ready) -> Result<(), Failure> {
    let Some(Silence { what, said }) = ask(deployment, site, check, check.within).await? else { return Ok(()) };
    let host = site.host.name();
    let mut message = format!("{host}: not ready within {} s: {what}: {said}", check.within.as_secs());
    let units = units::names(deployment.config, host);
    if !units.is_empty() {
        // It explains; without it the message is still true.
        let journal = site.host.ask(&Cmd::script(JOURNAL, units), QUICK).await;
        for line in journal.map(|output| output.text()).unwrap_or_default().lines().take(40) {
            message.push_str("\n    ");
            message.push_str(line);
        }
    }
    let next = format!("look at the application's log on {host}; or raise `within` of this check in deploy.ready");
    Err(Failure::new(Exit::NotReady, message, next))
}

/// The parts of an HTTP URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Url {
    /// `https`.
    pub tls: bool,
    /// Host without brackets.
    pub address: String,
    /// Port, 80 or 443 by default.
    pub port: String,
    /// Host and port as written: the `Host` header.
    pub authority: String,
    /// Path and query, `/` at least.
    pub path: String,
}

impl Url {
    /// Takes a URL apart; `None` if it is not an HTTP URL.
    pub fn parse(text: &str) -> Option<Url> {
        let (scheme, rest) = text.split_once("://")?;
        let tls = match scheme {
            "http" => false,
            "https" => true,
            _ => return None,
        };
        let cut = rest.find(['/', '?']).unwrap_or(rest.len());
        let (authority, path) = rest.split_at(cut);
        let path = if path.starts_with('/') { path.to_string() } else { format!("/{path}") };
        let default = if tls { "443" } else { "80" };
        let (address, port) = match authority.rsplit_once(':') {
            Some((address, port)) if port.chars().all(|c| c.is_ascii_digit()) && !port.is_empty() => (address, port),
            _ => (authority, default),
        };
        let address = address.trim_matches(['[', ']']);
        let plain = |c: char| !c.is_control() && !c.is_whitespace();
        (!address.is_empty() && text.chars().all(plain)).then(|| Url {
            tls,
            address: address.into(),
            port: port.into(),
            authority: authority.into(),
            path,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_is_taken_apart() {
        let parts = |text| Url::parse(text).map(|u| (u.tls, u.address, u.port, u.authority, u.path));
        let s = |tls, a: &str, p: &str, au: &str, pa: &str| Some((tls, a.into(), p.into(), au.into(), pa.into()));
        assert_eq!(parts("http://127.0.0.1:8080/x?y"), s(false, "127.0.0.1", "8080", "127.0.0.1:8080", "/x?y"));
        assert_eq!(parts("https://a.example"), s(true, "a.example", "443", "a.example", "/"));
        assert_eq!(parts("http://[::1]:7/"), s(false, "::1", "7", "[::1]:7", "/"));
        for text in ["", "ftp://x/", "http://", "http://a b/", "http:///x"] {
            assert_eq!(parts(text), None, "{text}");
        }
    }
}
