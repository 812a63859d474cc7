//! Removing releases that nobody needs any more.

use super::{Deployment, Site, site::QUICK};
use crate::host::{Cmd, HostError};

const PRUNE: &str = include_str!("scripts/prune.sh");

/// Keeps the newest releases of a host and those that are named.
///
/// # Errors
/// [`HostError`]; a release that could not be removed is left alone.
pub async fn prune(deployment: &Deployment<'_>, site: &Site, stay: &[String]) -> Result<(), HostError> {
    let args = [site.facts.state.clone(), deployment.deploy.keep.to_string()];
    let cmd = Cmd::script(PRUNE, args.into_iter().chain(stay.iter().cloned()));
    site.host.output(&cmd, QUICK).await.map(drop)
}
