//! The hosts of a field: three SSH servers with a user each. The same path, [`site`], is another directory on each of them.

use std::{
    os::unix::fs::{PermissionsExt, chown},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use anyhow::{Context, Result};

use crate::rig::{
    scope,
    sshd::{Options, Sshd},
};

/// Two hosts that run the application and one that runs the benchmarker.
pub struct Servers {
    pub app1: Sshd,
    pub app2: Sshd,
    pub bench: Sshd,
}

impl Servers {
    /// Servers of the test's own, for tests that break them.
    pub fn own() -> Result<Arc<Servers>> {
        let site = site()?;
        let start = |alias: &str, n| Sshd::start(&Options { site: Some(site.clone()), ..Options::new(alias, n) });
        Ok(Arc::new(Servers { app1: start("app1", 101)?, app2: start("app2", 102)?, bench: start("bench", 103)? }))
    }

    /// Servers that all tests share; the rig's guard ends them with the test process.
    pub fn shared() -> Result<Arc<Servers>> {
        static SHARED: Mutex<Option<Arc<Servers>>> = Mutex::new(None);
        let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
        if shared.is_none() {
            *shared = Some(Self::own()?);
        }
        shared.clone().context("no servers")
    }

    /// A server by its alias.
    pub fn get(&self, alias: &str) -> &Sshd {
        match alias {
            "app1" => &self.app1,
            "app2" => &self.app2,
            "bench" => &self.bench,
            other => panic!("no server {other}"),
        }
    }
}

/// The path that is another directory on each host.
fn site() -> Result<PathBuf> {
    let site = scope::base()?.join("site");
    std::fs::create_dir_all(&site).context("no place for the site")?;
    for dir in [scope::base()?, site.clone()] {
        std::fs::set_permissions(&dir, std::fs::Permissions::from_mode(0o711))?;
    }
    Ok(site)
}

/// One host as a field sees it.
pub struct Place {
    pub alias: &'static str,
    servers: Arc<Servers>,
    /// The field's directory on the host, as seen from there.
    pub dir: String,
    /// The same directory, as seen from here.
    pub real: PathBuf,
}

impl Place {
    pub fn new(alias: &'static str, servers: &Arc<Servers>, name: &str) -> Result<Place> {
        let home = servers.get(alias).home();
        let real = home.join("site").join(name);
        std::fs::create_dir(&real).with_context(|| format!("cannot make {}", real.display()))?;
        let place = Place { alias, servers: servers.clone(), dir: format!("{}/{name}", site()?.display()), real };
        place.give(&place.real)?;
        Ok(place)
    }

    pub fn sshd(&self) -> &Sshd {
        self.servers.get(self.alias)
    }

    /// Makes a file or directory the user's.
    pub fn give(&self, path: &Path) -> Result<()> {
        use std::os::unix::fs::MetadataExt;
        let owner = std::fs::metadata(self.sshd().home())?;
        chown(path, Some(owner.uid()), Some(owner.gid()))
            .with_context(|| format!("cannot give {} away", path.display()))
    }

    /// Writes a file there.
    pub fn write(&self, name: &str, text: &str) -> Result<()> {
        let path = self.real.join(name);
        let mut made = Vec::new();
        let mut parent = path.parent();
        while let Some(dir) = parent.filter(|dir| !dir.exists()) {
            made.push(dir.to_owned());
            parent = dir.parent();
        }
        for dir in made.iter().rev() {
            std::fs::create_dir(dir)?;
            self.give(dir)?;
        }
        std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
        self.give(&path)
    }

    /// The content of a file there; empty if there is none.
    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.real.join(name)).unwrap_or_default().trim().to_owned()
    }

    /// Name of the release that `webapp` points at: a commit, or `original`.
    pub fn release(&self) -> Option<String> {
        let target = std::fs::read_link(self.real.join("webapp")).ok()?;
        Some(target.file_name()?.to_string_lossy().into_owned())
    }

    /// Whether someone holds the host.
    pub fn leased(&self) -> bool {
        self.real.join("webapp.isugate/lease").exists() || self.real.join("state/lease").exists()
    }

    /// Processes of isugate's jobs that are still there: their working directory is below its own directory. The
    /// application's is not.
    pub fn jobs(&self) -> Vec<String> {
        let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
        let below = [format!("{}/webapp.isugate", self.dir), format!("{}/state", self.dir)];
        let mine = |pid: &str| {
            let cwd = std::fs::read_link(format!("/proc/{pid}/cwd")).ok()?;
            let line = std::fs::read(format!("/proc/{pid}/cmdline")).ok()?;
            let line = String::from_utf8_lossy(&line).replace('\0', " ");
            // The supervisor's working directory is the user's home until it is done.
            let below = below.iter().any(|dir| cwd.starts_with(dir) || line.contains(dir.as_str()));
            below.then(|| format!("{pid} {}", line.chars().take(200).collect::<String>()))
        };
        entries.flatten().filter_map(|entry| mine(&entry.file_name().to_string_lossy())).collect()
    }
}
