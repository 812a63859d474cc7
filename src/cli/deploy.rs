//! `isugate deploy [REV]` and `isugate rollback`.

use std::path::Path;

use crate::run;

/// Arguments of `isugate deploy`.
#[derive(Debug, clap::Args)]
pub struct DeployArgs {
    /// The commit; HEAD by default.
    revision: Option<String>,
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
}

/// Arguments of `isugate rollback`.
#[derive(Debug, clap::Args)]
pub struct RollbackArgs {
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
}

/// Puts a commit onto the hosts.
///
/// # Errors
/// What failed, with the state of every host.
pub fn deploy(args: DeployArgs, config: &Path) -> anyhow::Result<u8> {
    super::start::with_hosts(config, args.json, async |setting| {
        let commit = run::resolve(&setting.work_tree, args.revision.as_deref())?;
        print(&run::deploy_only(setting, commit).await?, args.json);
        Ok(0)
    })
}

/// Puts the last accepted commit back.
///
/// # Errors
/// What failed, with the state of every host; no accepted run.
pub fn rollback(args: RollbackArgs, config: &Path) -> anyhow::Result<u8> {
    super::start::with_hosts(config, args.json, async |setting| {
        let commit = run::last_accepted(setting)?;
        print(&run::deploy_only(setting, commit).await?, args.json);
        Ok(0)
    })
}

fn print(states: &[String], json: bool) {
    match json {
        true => println!("{}", serde_json::json!({ "hosts": states })),
        false => states.iter().for_each(|state| println!("{}", crate::text::terminal_line(state))),
    }
}
