//! The stages deploy and ready: the commit onto all hosts, or onto none.

use std::collections::BTreeMap;

use futures::future::join_all;
use sha2::{Digest, Sha256};

use super::{Session, Way};
use crate::{
    deploy::{self, Current, hex},
    exit::{Failure, gather},
    host::Cmd,
    report::Stage,
};

/// Ships, builds and activates the commit; waits until everything answers.
///
/// # Errors
/// What failed; every host runs what it ran before, or the message says which does not.
pub async fn deploy(way: &mut Way<'_>, session: &Session) -> Result<(), Failure> {
    if way.setting.config.deploy.is_none() {
        return Ok(());
    }
    way.stage(Stage::Deploy, async |way: &mut Way| {
        let Some(deployment) = way.deployment() else { return Ok(((), "nothing to deploy".into())) };
        let targets: Vec<_> = session.sites.iter().filter(|site| site.deploys).collect();
        let all = join_all(targets.iter().map(|site| deploy::prepare(&deployment, site)));
        let prepared = gather(all.await)?;
        let activation = deploy::activate(&deployment, &session.sites).await?;
        let mut hosts = BTreeMap::new();
        for (site, prepared) in targets.iter().zip(prepared) {
            let record = crate::ledger::HostRecord {
                revision: Some(way.commit.id.clone()),
                artifacts: prepared.artifacts,
                shipped: prepared.shipped,
                built: prepared.built,
                ..Default::default()
            };
            hosts.insert(site.host.name().to_string(), record);
        }
        let count = |what: fn(&crate::ledger::HostRecord) -> bool| hosts.values().filter(|host| what(host)).count();
        let (shipped, built) = (count(|h| h.shipped), count(|h| h.built));
        let outcome =
            format!("{} on {} hosts ({shipped} got objects, {built} built)", &way.commit.id[..12], hosts.len());
        way.hosts = hosts;
        way.open.activation = activation;
        Ok(((), outcome))
    })
    .await?;
    way.stage(Stage::Ready, async |way: &mut Way| {
        let Some(deployment) = way.deployment() else { return Ok(((), String::new())) };
        let result = deploy::ready::wait(&deployment, &session.sites).await;
        if let Err(mut failure) = result {
            let states = deploy::undo(&deployment, &session.sites, &way.open.activation).await;
            failure.message = format!("{}\n  {}", failure.message, states.join("\n  "));
            return Err(failure);
        }
        Ok(((), format!("{} checks", deployment.deploy.ready.len())))
    })
    .await
}

/// What is on the hosts right before the benchmark: revision, units, probes. Also where nothing was deployed.
///
/// # Errors
/// A unit that a host does not know, a host that is gone.
pub async fn look_before(way: &mut Way<'_>, session: &Session) -> Result<(), Failure> {
    let looks = session.sites.iter().map(|site| async {
        let units = deploy::unit_names(&way.setting.config, site.host.name());
        deploy::unit_states(&site.host, &units).await
    });
    let looked = gather(join_all(looks).await)?;
    for (site, units) in session.sites.iter().zip(looked) {
        let record = way.hosts.entry(site.host.name().to_string()).or_default();
        record.units = units.states;
        if record.revision.is_none() {
            if let Current::Release(commit) = &site.facts.current {
                record.revision = Some(commit.clone());
            }
        }
    }
    let probes = way.setting.config.probe.clone();
    for probe in &probes {
        for name in way.setting.config.hosts_on(&probe.on) {
            let Some(site) = session.sites.iter().find(|site| site.host.name() == name) else { continue };
            let output = site.host.output(&Cmd::line(&probe.run), std::time::Duration::from_secs(60)).await?;
            if !output.ok() {
                way.warnings.push(format!("{name}: the probe {} failed: {}", probe.name, output.complaint()));
                continue;
            }
            let sum = hex(&Sha256::digest(&output.stdout));
            way.hosts.entry(name.to_string()).or_default().probes.insert(probe.name.clone(), sum);
        }
    }
    Ok(())
}
