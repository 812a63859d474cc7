//! Getting a commit onto the hosts: ship, lay out, build, activate, restart, wait, and back.

mod activate;
mod prepare;
mod prune;
pub mod ready;
mod site;
mod units;

use std::path::Path;

pub use activate::{Activation, activate, undo};
pub(crate) use prepare::hex;
pub use prepare::{Prepared, artifacts, prepare};
pub use prune::prune;
pub use site::{Current, Facts, Site, inspect, look, targets};
use tokio_util::sync::CancellationToken;
pub use units::{Units, names as unit_names, states as unit_states};

use crate::{
    config::{Config, shape::Deploy},
    exit::{Exit, Failure},
    report::Events,
};

/// One commit on its way to the hosts.
#[derive(Clone, Copy)]
pub struct Deployment<'a> {
    /// The whole configuration.
    pub config: &'a Config,
    /// Its deploy part.
    pub deploy: &'a Deploy,
    /// The repository here.
    pub repo: &'a Path,
    /// The commit, 40 hex digits.
    pub commit: &'a str,
    /// The run's id.
    pub run: &'a str,
    /// Where the run's files are here.
    pub directory: &'a Path,
    /// Where events go.
    pub events: &'a Events,
    /// Cancelled by a signal.
    pub cancel: &'a CancellationToken,
}

impl Deployment<'_> {
    fn still_wanted(&self) -> Result<(), Failure> {
        match self.cancel.is_cancelled() {
            true => Err(self.interrupted()),
            false => Ok(()),
        }
    }

    fn interrupted(&self) -> Failure {
        Failure::new(Exit::Interrupted, "interrupted", "`isugate bench` starts anew")
    }
}
