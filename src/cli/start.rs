//! What every command that touches hosts or the ledger begins with: the configuration, the repository, who we are, signals, and the
//! view of the progress.

use std::{
    io::IsTerminal,
    path::{Path, PathBuf},
};

use tokio_util::sync::CancellationToken;

use crate::{
    config::{self, Config},
    report::progress::{self, Progress},
    run::{Setting, work_tree},
};

/// Loads the configuration and hands it with its repository to a command that only reads or writes the ledger.
pub(super) fn with_ledger(
    path: &Path,
    command: impl FnOnce(&Path, &Config) -> anyhow::Result<u8>,
) -> anyhow::Result<u8> {
    let loaded = config::load(path)?;
    command(&work_tree(&loaded.root)?, &loaded.config)
}

/// Loads the configuration and runs an asynchronous command under it. The first SIGINT, SIGTERM or SIGHUP cancels it, a second
/// one ends the process.
pub(super) fn with_hosts(
    path: &Path,
    quiet: bool,
    command: impl AsyncFnOnce(&Setting) -> anyhow::Result<u8>,
) -> anyhow::Result<u8> {
    let loaded = config::load(path)?;
    let work_tree: PathBuf = work_tree(&loaded.root)?;
    let actions = std::env::var_os("GITHUB_ACTIONS").is_some_and(|value| value == "true");
    let progress: Progress = match () {
        () if quiet => progress::quiet(),
        () if actions || !std::io::stderr().is_terminal() => progress::plain(actions),
        () => progress::terminal(),
    };
    let cancel = CancellationToken::new();
    let setting = Setting {
        by: who(&work_tree),
        config: loaded.config,
        root: loaded.root,
        work_tree,
        events: progress.events(),
        cancel: cancel.clone(),
        proposal: None,
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(4).enable_all().build()?;
    let result = runtime.block_on(async {
        tokio::spawn(listen(cancel)?);
        command(&setting).await
    });
    // What still waits for a host that does not answer must not hold up the end.
    runtime.shutdown_timeout(std::time::Duration::from_millis(500));
    progress.finish();
    result
}

/// Runs something asynchronous that touches no host.
pub(super) fn block_on<T>(work: impl Future<Output = anyhow::Result<T>>) -> anyhow::Result<T> {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?.block_on(work)
}

fn listen(cancel: CancellationToken) -> std::io::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    let mut hangup = signal(SignalKind::hangup())?;
    Ok(async move {
        loop {
            let stubborn = tokio::select! {
                _ = interrupt.recv() => true,
                _ = terminate.recv() => false,
                _ = hangup.recv() => false,
            };
            // A workflow runner sends SIGINT, then SIGTERM: the second is no person's impatience.
            if cancel.is_cancelled() && stubborn {
                std::process::exit(crate::exit::Exit::Interrupted as i32);
            }
            cancel.cancel();
        }
    })
}

/// Who starts a run: the actor of a workflow, else git's name, else user and machine.
fn who(work_tree: &Path) -> String {
    let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.trim().is_empty());
    if let Some(actor) = variable("GITHUB_ACTOR") {
        return actor;
    }
    let configured =
        git2::Repository::open(work_tree).and_then(|repository| repository.config()?.get_string("user.name"));
    let machine = rustix::system::uname().nodename().to_string_lossy().into_owned();
    let user = variable("USER").or_else(|| variable("LOGNAME")).unwrap_or_else(|| "someone".into());
    match configured {
        Ok(name) if !name.trim().is_empty() => format!("{} ({user}@{machine})", name.trim()),
        _ => format!("{user}@{machine}"),
    }
}
