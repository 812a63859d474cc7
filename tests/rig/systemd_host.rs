//! Hosts that boot a real systemd: containers of a Debian root file system, each
//! with its own files, network address and cgroup.
//!
//! The user is `isucon` with passwordless sudo; nginx runs as a unit. A host is
//! reached over SSH from the machine's own network as well as from the hosts'
//! ([`Network::command`]). Files survive a reboot inside, and end with the value.

use super::network::{self, Network};
use super::process;
use super::scope::Scope;
use super::ssh::{self, Access, Entry};
use anyhow::{Context, Result, bail, ensure};
use std::fs::{self, File};
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// The user that deploys; has passwordless sudo.
pub const USER: &str = "isucon";
/// From the start of a host until systemd says that it is up.
const BOOT_LIMIT: Duration = Duration::from_secs(60);

/// A running host; ended on drop as by a power cut.
#[derive(Debug)]
pub struct SystemdHost {
    name: String,
    index: usize,
    access: Access,
    cgroup: String,
    dir: PathBuf,
    container: Mutex<Child>,
    group: Arc<Group>,
}

/// What the hosts started together share.
#[derive(Debug)]
struct Group {
    network: Network,
    scope: Scope,
}

impl SystemdHost {
    /// Whether this machine can boot such hosts.
    ///
    /// # Errors
    /// Says what is missing, and what to do about it.
    pub fn available() -> Result<()> {
        ensure!(process::is_root(), "systemd hosts need root; run the tests as root");
        for name in ["systemd-nspawn", "debootstrap", "ip", "nc", "unshare", "flock"] {
            process::program(name)?;
        }
        let unified = Path::new("/sys/fs/cgroup/cgroup.controllers").exists();
        let hybrid = ["systemd", "unified"]
            .iter()
            .all(|name| Path::new("/sys/fs/cgroup").join(name).join("cgroup.procs").exists());
        ensure!(
            unified || hybrid,
            "systemd hosts need cgroups (version 2, or 1 with the hierarchies `systemd` and `unified`) at /sys/fs/cgroup"
        );
        Ok(())
    }

    /// Boots one host in a network of its own.
    ///
    /// # Errors
    /// As [`SystemdHost::start_all`].
    pub fn start(name: &str) -> Result<Self> {
        Self::start_all(&[name])?.pop().context("no host was started")
    }

    /// Boots hosts at the same time, in one network, where each knows the others
    /// by name. Builds their root file system first if there is none (a minute).
    ///
    /// # Errors
    /// When the machine cannot ([`SystemdHost::available`]), or a host does not
    /// come up; the message holds its console.
    pub fn start_all(names: &[&str]) -> Result<Vec<Self>> {
        Self::available()?;
        let sysroot = PathBuf::from(process::run(&mut Command::new(process::script("make-sysroot")))?.trim());
        let scope = Scope::new()?;
        let network = Network::new(&scope, names.len())?;
        let client_key = ssh::new_key(&scope.dir().join("id"))?;
        let group = Arc::new(Group { network, scope });

        let mut known_hosts = String::new();
        let mut hosts = Vec::new();
        for (index, name) in names.iter().enumerate() {
            let host_key = group.lay_out(name, names, &client_key)?;
            known_hosts.push_str(&format!("{} {host_key}\n", network::address(index)));
        }
        group.write_client_files(names, &known_hosts)?;
        for (index, name) in names.iter().enumerate() {
            hosts.push(Self::boot(&group, &sysroot, index, name)?);
        }
        for host in &hosts {
            host.wait_until_up()?;
        }
        Ok(hosts)
    }

    /// How to reach it. The file knows all hosts that were started together.
    pub fn access(&self) -> &Access {
        &self.access
    }

    /// Its host name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its address in the hosts' network.
    pub fn address(&self) -> String {
        network::address(self.index)
    }

    /// The network that it shares with the hosts started together.
    pub fn network(&self) -> &Network {
        &self.group.network
    }

    /// Runs a script as [`USER`] and returns status and output.
    ///
    /// # Errors
    /// When `ssh` cannot be started.
    pub fn output(&self, script: &str) -> Result<Output> {
        self.access.output(script)
    }

    /// Runs a script as [`USER`] and returns its stdout.
    ///
    /// # Errors
    /// When it does not exit with 0; the message holds its stderr.
    pub fn exec(&self, script: &str) -> Result<String> {
        self.access.run(script)
    }

    /// Unplugs it: packets are lost, nothing is refused.
    ///
    /// # Errors
    /// When `ip` fails.
    pub fn unplug(&self) -> Result<()> {
        self.group.network.unplug(self.index)
    }

    /// Plugs it in again.
    ///
    /// # Errors
    /// When `ip` fails.
    pub fn plug(&self) -> Result<()> {
        self.group.network.plug(self.index)
    }

    /// Reboots it from inside and waits until it is up again, with its files.
    ///
    /// # Errors
    /// When it does not come back.
    pub fn reboot(&self) -> Result<()> {
        let boot_id = "cat /proc/sys/kernel/random/boot_id";
        let before = self.exec(boot_id)?;
        self.output("sudo systemctl reboot")?;
        process::wait_for("the next boot", BOOT_LIMIT, || {
            self.still_runs()?;
            let output = self.output(boot_id)?;
            Ok((output.status.success() && process::text(&output.stdout) != before).then_some(()))
        })?;
        self.wait_until_up()
    }

    /// What it wrote to its console.
    pub fn console(&self) -> String {
        fs::read(self.dir.join("console")).map(|bytes| process::text(&bytes)).unwrap_or_default()
    }

    fn boot(group: &Arc<Group>, sysroot: &Path, index: usize, name: &str) -> Result<Self> {
        let dir = group.scope.dir().join(name);
        let cgroup = format!("isugate-{}-{name}", group.scope.id());
        group.scope.owns_cgroup(&cgroup)?;
        let console = File::create(dir.join("console")).context("cannot write the console")?;
        let container = Command::new(process::script("run-test-host"))
            .args([sysroot, &dir])
            .args([group.network.host(index)?, &cgroup, name])
            .stdin(Stdio::null())
            .stdout(console.try_clone().context("cannot write the console")?)
            .stderr(console)
            .process_group(0)
            .spawn()
            .context("cannot start run-test-host")?;
        group.scope.owns_process(container.id())?;
        let access = Access::new(&group.scope, name, USER);
        Ok(Self {
            name: name.to_owned(),
            index,
            access,
            cgroup,
            dir,
            container: Mutex::new(container),
            group: Arc::clone(group),
        })
    }

    fn wait_until_up(&self) -> Result<()> {
        let up = process::wait_for("SSH", BOOT_LIMIT, || {
            self.still_runs()?;
            Ok(self.output("true")?.status.success().then_some(()))
        });
        up.with_context(|| format!("{} does not come up; its console: {}", self.name, self.console()))?;
        let state = process::text(&self.output("systemctl is-system-running --wait")?.stdout);
        if state.trim() != "running" {
            let failed = self.exec("systemctl list-units --failed --plain --no-legend").unwrap_or_default();
            bail!("{} is {}: {failed}", self.name, state.trim());
        }
        Ok(())
    }

    fn still_runs(&self) -> Result<()> {
        if let Some(status) = self.container().try_wait().context("cannot wait for the container")? {
            bail!("the container ended with {status}");
        }
        Ok(())
    }

    fn container(&self) -> std::sync::MutexGuard<'_, Child> {
        self.container.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for SystemdHost {
    fn drop(&mut self) {
        // Every process of the host at once. Older kernels lack the file: then
        // the scope's end kills the container by its processes.
        let kill = ["/sys/fs/cgroup", "/sys/fs/cgroup/unified"]
            .map(|root| Path::new(root).join(&self.cgroup).join("cgroup.kill"));
        let killed = kill.iter().find(|path| path.exists()).is_some_and(|path| fs::write(path, "1").is_ok());
        let ended = killed
            && process::wait_for("the end of the container", Duration::from_secs(5), || {
                Ok(self.container().try_wait().context("cannot wait for the container")?.map(drop))
            })
            .is_ok();
        if !ended {
            if let Err(error) = self.group.scope.reap() {
                eprintln!("rig: {error:#}");
            }
            let _ = self.container().wait();
        }
    }
}

impl Group {
    /// Writes what makes this host another than the next one, over the shared
    /// root file system; returns its public host key.
    fn lay_out(&self, name: &str, names: &[&str], client_key: &str) -> Result<String> {
        let dir = self.scope.dir().join(name);
        let upper = dir.join("upper");
        for part in ["upper/etc/ssh", "upper/home/isucon/.ssh", "work", "merged"] {
            fs::create_dir_all(dir.join(part)).with_context(|| format!("cannot make {part} of {name}"))?;
        }
        let mut hosts = String::from("127.0.0.1 localhost\n::1 localhost\n");
        for (index, other) in names.iter().enumerate() {
            hosts.push_str(&format!("{} {other}\n", network::address(index)));
        }
        fs::write(upper.join("etc/hosts"), hosts).context("cannot write /etc/hosts")?;
        let home = upper.join("home/isucon");
        fs::write(home.join(".ssh/authorized_keys"), format!("{client_key}\n"))
            .context("cannot write authorized_keys")?;
        // The image's first user: it is the only account that make-sysroot adds.
        for (path, mode) in [("", 0o755), (".ssh", 0o700), (".ssh/authorized_keys", 0o600)] {
            let path = home.join(path);
            chown(&path, Some(1000), Some(1000))
                .with_context(|| format!("cannot give {} to {USER}", path.display()))?;
            fs::set_permissions(&path, fs::Permissions::from_mode(mode))
                .with_context(|| format!("cannot change {}", path.display()))?;
        }
        ssh::new_key(&upper.join("etc/ssh/ssh_host_ed25519_key"))
    }

    fn write_client_files(&self, names: &[&str], known_hosts: &str) -> Result<()> {
        let dir = self.scope.dir();
        let known = dir.join("known_hosts");
        let key = dir.join("id");
        fs::write(&known, known_hosts).context("cannot write known_hosts")?;
        let addresses: Vec<String> = (0..names.len()).map(network::address).collect();
        let mut entries = Vec::new();
        for (alias, address) in names.iter().zip(&addresses) {
            let proxy_command = Some(self.network.proxy_command(address, 22)?);
            entries.push(Entry { alias, address, port: 22, user: USER, key: &key, known_hosts: &known, proxy_command });
        }
        ssh::write_config(&dir.join("ssh_config"), &entries)
    }
}
