//! Connections to all hosts, what was found there, and the lease over them.

use std::sync::Arc;

use futures::future::join_all;

use super::Setting;
use crate::{
    deploy::{self, Current, Site},
    exit::{Exit, Failure, gather},
    host::Host,
    isutools::Client,
    lease::{Claim, Lease},
};

/// All hosts of a configuration, connected.
pub struct Session {
    /// In the order of their names.
    pub sites: Vec<Site>,
    /// Admin servers, in the order of the configuration.
    pub isutools: Vec<Client>,
    /// The hosts, held; absent before the lease stage.
    pub lease: Option<Lease>,
    /// Whether all that is to be ready was seen to be so.
    pub was_ready: bool,
}

impl Session {
    /// Connects to all hosts at the same time and looks at them.
    ///
    /// # Errors
    /// All that is wrong with any of them, in one message; the exit status is the first's.
    pub async fn open(setting: &Setting, commit: Option<&str>) -> Result<Session, Failure> {
        let connect = |(name, host): (&String, &crate::config::shape::HostConfig)| {
            let (name, ssh, options) = (name.clone(), host.ssh.clone(), setting.ssh());
            async move {
                let host = match ssh {
                    Some(destination) => Host::ssh(&name, &destination, options).await?,
                    None => Host::local(&name),
                };
                deploy::inspect(&setting.config, Arc::new(host), commit).await
            }
        };
        let all = join_all(setting.config.hosts.iter().map(connect));
        let results = tokio::select! {
            results = all => results,
            () = setting.cancel.cancelled() => return Err(interrupted()),
        };
        let sites = gather(results)?;
        let mut isutools = Vec::new();
        for entry in &setting.config.isutools {
            let host = setting.config.hosts_on(&entry.on).first().map(|name| name.to_string());
            let site = sites.iter().find(|site| Some(site.host.name()) == host.as_deref());
            isutools.extend(site.and_then(|site| Client::new(site.host.clone(), &entry.url, &entry.data_dir)));
        }
        Ok(Session { sites, isutools, lease: None, was_ready: false })
    }

    /// The host that a role or name with exactly one host means.
    ///
    /// # Errors
    /// None or several: the configuration's checks should have said so.
    pub fn only(&self, setting: &Setting, on: &str) -> Result<&Site, Failure> {
        let names = setting.config.hosts_on(on);
        let site = self.sites.iter().find(|site| names == [site.host.name()]);
        site.ok_or_else(|| {
            Failure::new(Exit::Usage, format!("`{on}` must name exactly one host"), "correct isugate.yml")
        })
    }

    /// Looks at all hosts once more, for another commit than before.
    ///
    /// # Errors
    /// A host that does not answer.
    pub async fn look_again(&mut self, setting: &Setting, commit: &str) -> Result<(), Failure> {
        let looks = self.sites.iter().map(|site| deploy::look(&setting.config, site.host.clone(), Some(commit)));
        self.sites = gather(join_all(looks).await)?;
        Ok(())
    }

    /// Notes that a commit is on all hosts that get the tree, and that all is ready: we have just put it there.
    pub fn deployed(&mut self, commit: &str) {
        self.was_ready = true;
        for site in self.sites.iter_mut().filter(|site| site.deploys) {
            site.facts.current = Current::Release(commit.into());
            (site.facts.has_commit, site.facts.has_repo) = (true, true);
        }
    }

    /// Takes the hosts.
    ///
    /// # Errors
    /// Someone else holds one.
    pub async fn take(&mut self, claim: &Claim) -> Result<(), Failure> {
        self.lease = Some(Lease::acquire(&self.sites, claim).await?);
        Ok(())
    }

    /// Gives the hosts back; says what could not be given back.
    pub async fn give_back(&mut self) -> Vec<String> {
        match self.lease.take() {
            Some(lease) => lease.release().await,
            None => Vec::new(),
        }
    }
}

pub(super) fn interrupted() -> Failure {
    Failure::new(Exit::Interrupted, "interrupted", "`isugate bench` starts anew")
}
