//! A real OpenSSH server on loopback, with its own host key and client key.
//!
//! As root it serves a user made for it, as anybody else the current user. A
//! network fault is played on the server's side: stop, freeze, dropped
//! connections, a new host key.

use super::process;
use super::scope::{MARK, Scope};
use super::ssh::{self, Access, Entry};
use anyhow::{Context, Result, bail, ensure};
use std::fs::{self, File};
use std::io::Read;
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::{MetadataExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::time::Duration;

/// What to start.
#[derive(Debug, Clone)]
pub struct Options {
    /// Name of the host in the client configuration. As root also part of the
    /// user's name.
    pub alias: String,
    /// The address is `127.0.1.N`.
    pub n: u8,
    /// Channels a connection may have at the same time; OpenSSH's default is 10.
    pub max_sessions: u32,
    /// As root: serve the current user (root) rather than a new one.
    pub current_user: bool,
    /// Environment of every session, over what the server sets: `PATH` for
    /// programs that are not where the system's are. Values hold no quotes.
    pub env: Vec<(String, String)>,
    /// More lines for `sshd_config`.
    pub extra: String,
    /// A directory that the server's sessions see in the place of their user's `home/site`, so that several servers on one
    /// machine can have the same path each with its own files. Needs root.
    pub site: Option<PathBuf>,
}

impl Options {
    /// A host `alias` at 127.0.1.`n` with OpenSSH's defaults.
    pub fn new(alias: &str, n: u8) -> Self {
        Self {
            alias: alias.to_owned(),
            n,
            max_sessions: 10,
            current_user: false,
            env: Vec::new(),
            extra: String::new(),
            site: None,
        }
    }
}

/// A running server; stopped on drop, with its user and all that ran there.
#[derive(Debug)]
pub struct Sshd {
    access: Access,
    address: String,
    port: u16,
    home: PathBuf,
    site: Option<PathBuf>,
    daemon: Mutex<Option<Child>>,
    // Last: the daemon's child is waited for after the scope has killed it.
    scope: Scope,
}

impl Sshd {
    /// Starts a server and waits until it answers.
    ///
    /// # Errors
    /// When OpenSSH is not installed or the server does not come up; the message
    /// holds its log.
    pub fn start(options: &Options) -> Result<Self> {
        let scope = Scope::new()?;
        let dir = scope.dir().to_owned();
        let address = format!("127.0.1.{}", options.n);
        let home = dir.join("home");
        fs::create_dir(&home).with_context(|| format!("cannot make {}", home.display()))?;
        let user = if process::is_root() && !options.current_user {
            let number = scope.id().rsplit('-').next().unwrap_or_default();
            let user = format!("isugate-{}-{}-{number}", options.alias, std::process::id());
            add_user(&scope, &user, &home)?;
            user
        } else {
            process::run(Command::new("id").arg("-un"))?.trim().to_owned()
        };
        if process::is_root() {
            // Where sshd confines its unprivileged part; a package's service makes it at boot.
            fs::create_dir_all("/run/sshd").context("cannot make /run/sshd")?;
        }

        let host_key = ssh::new_key(&dir.join("host_key"))?;
        let client_key = ssh::new_key(&dir.join("id"))?;
        fs::write(dir.join("authorized_keys"), format!("{client_key}\n")).context("cannot write authorized_keys")?;
        let access = Access::new(&scope, &options.alias, &user);
        if options.site.is_some() {
            ensure!(process::is_root(), "a site of a server's own needs root; run the tests as root");
            let own = home.join("site");
            let owner = fs::metadata(&home).context("the home is gone")?;
            fs::create_dir(&own).with_context(|| format!("cannot make {}", own.display()))?;
            chown(&own, Some(owner.uid()), Some(owner.gid()))
                .with_context(|| format!("cannot give {} away", own.display()))?;
        }
        let site = options.site.clone();
        let mut sshd = Self { access, address, port: 0, home, site, daemon: Mutex::new(None), scope };

        // A port that was free a moment ago may be taken by the time sshd binds it.
        let mut last = None;
        for _ in 0..5 {
            let listener = TcpListener::bind((sshd.address.as_str(), 0))
                .with_context(|| format!("no free port on {}", sshd.address))?;
            sshd.port = listener.local_addr()?.port();
            drop(listener);
            sshd.write_files(&host_key, options)?;
            match sshd.launch() {
                Ok(()) => return Ok(sshd),
                Err(error) => last = Some(error),
            }
        }
        Err(last.unwrap_or_else(|| anyhow::anyhow!("sshd was not started")))
    }

    /// How to reach it.
    pub fn access(&self) -> &Access {
        &self.access
    }

    /// Address and port that it listens on.
    pub fn address(&self) -> (&str, u16) {
        (&self.address, self.port)
    }

    /// A directory that its user owns; the user's home if the user is new.
    pub fn home(&self) -> &Path {
        &self.home
    }

    /// What the server logs.
    pub fn log(&self) -> PathBuf {
        self.scope.dir().join("sshd.log")
    }

    /// Commands and file transfers that it was asked for so far.
    ///
    /// # Errors
    /// When the log cannot be read.
    pub fn sessions(&self) -> Result<usize> {
        Ok(self.log_text()?.matches("Starting session: ").count())
    }

    /// What the server has logged so far.
    ///
    /// # Errors
    /// When the log cannot be read.
    pub fn log_text(&self) -> Result<String> {
        fs::read(self.log()).map(|bytes| process::text(&bytes)).context("cannot read sshd.log")
    }

    /// The host keys that clients expect.
    pub fn known_hosts(&self) -> PathBuf {
        self.scope.dir().join("known_hosts")
    }

    /// Takes the host key out of what clients know: a host never seen before.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn forget_host_key(&self) -> Result<()> {
        fs::write(self.known_hosts(), "").context("cannot write known_hosts")
    }

    /// Starts anew with another host key, which clients do not expect.
    ///
    /// # Errors
    /// When the server does not come up again.
    pub fn change_host_key(&self) -> Result<()> {
        self.stop()?;
        let key = self.scope.dir().join("host_key");
        fs::remove_file(&key).context("cannot remove the old host key")?;
        ssh::new_key(&key)?;
        self.launch()
    }

    /// Ends the server and its connections: the next connect is refused. What
    /// was started in sessions and detached itself runs on, as it does when a
    /// server is restarted.
    ///
    /// # Errors
    /// When `kill` cannot be started.
    pub fn stop(&self) -> Result<()> {
        self.kill_connections()?;
        if let Some(mut child) = self.lock().take() {
            process::signal("KILL", &[child.id()])?;
            child.wait().context("cannot wait for sshd")?;
        }
        Ok(())
    }

    /// Starts it again after [`Sshd::stop`], on the same port with the same key.
    ///
    /// # Errors
    /// When it runs already or does not come up.
    pub fn start_again(&self) -> Result<()> {
        self.launch()
    }

    /// Stops server and connections where they are (SIGSTOP): connections are
    /// neither served nor ended, as with a host that hangs.
    ///
    /// # Errors
    /// When it does not run.
    pub fn freeze(&self) -> Result<()> {
        process::signal("STOP", &self.processes()?)
    }

    /// Lets it go on after [`Sshd::freeze`].
    ///
    /// # Errors
    /// When it does not run.
    pub fn thaw(&self) -> Result<()> {
        process::signal("CONT", &self.processes()?)
    }

    /// Drops every connection, as a broken link does; returns how many processes
    /// served them. The server goes on, and so does what has detached itself.
    ///
    /// # Errors
    /// When `kill` cannot be started.
    pub fn kill_connections(&self) -> Result<usize> {
        let Some(daemon) = self.pid() else { return Ok(0) };
        let serving = connections(daemon);
        process::signal("KILL", &serving)?;
        Ok(serving.len())
    }

    fn write_files(&self, host_key: &str, options: &Options) -> Result<()> {
        let dir = self.scope.dir();
        let path = |name: &str| dir.join(name).display().to_string();
        // Only the first SetEnv line counts, so it holds all of them.
        let env: String = options.env.iter().map(|(name, value)| format!(" \"{name}={value}\"")).collect();
        let config = format!(
            "ListenAddress {}\nPort {}\nHostKey {}\nPidFile none\nAuthorizedKeysFile {}\nStrictModes no\nUsePAM no\n\
             PasswordAuthentication no\nKbdInteractiveAuthentication no\nPermitRootLogin prohibit-password\nSubsystem sftp internal-sftp\n\
             PrintMotd no\nLogLevel VERBOSE\nMaxSessions {}\nMaxStartups 100:30:200\nSetEnv {MARK}={}{env}\n{}\n",
            self.address,
            self.port,
            path("host_key"),
            path("authorized_keys"),
            options.max_sessions,
            self.scope.id(),
            options.extra
        );
        fs::write(dir.join("sshd_config"), config).context("cannot write sshd_config")?;
        fs::write(self.known_hosts(), format!("[{}]:{} {host_key}\n", self.address, self.port))
            .context("cannot write known_hosts")?;
        ssh::write_config(
            &self.access.config,
            &[Entry {
                alias: &self.access.alias,
                address: &self.address,
                port: self.port,
                user: &self.access.user,
                key: &dir.join("id"),
                known_hosts: &self.known_hosts(),
                proxy_command: None,
            }],
        )
    }

    fn launch(&self) -> Result<()> {
        let mut daemon = self.lock();
        ensure!(daemon.is_none(), "sshd runs already");
        let log = File::options().create(true).append(true).open(self.log()).context("cannot write sshd.log")?;
        // sshd executes itself anew for each connection and wants its full path for that.
        let program = process::program("sshd")?;
        let mut command = match &self.site {
            None => Command::new(program),
            Some(site) => {
                let mut command = Command::new(process::program("unshare")?);
                command.args(["-m", "--propagation", "private", "sh", "-c"]);
                command.arg(r#"mount --bind "$0" "$1" && shift && exec "$@""#);
                command.args([&self.home.join("site"), site, &program]);
                command
            }
        };
        command.arg("-D").arg("-e").arg("-f").arg(self.scope.dir().join("sshd_config"));
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log).process_group(0);
        self.scope.mark(&mut command);
        let mut child = command.spawn().context("cannot start sshd")?;
        self.scope.owns_process(child.id())?;

        let up = process::wait_for("sshd's greeting", Duration::from_secs(30), || {
            if let Some(status) = child.try_wait().context("cannot wait for sshd")? {
                bail!("sshd ended with {status}");
            }
            Ok(greets(&self.address, self.port).then_some(()))
        });
        if let Err(error) = up {
            process::signal("KILL", &[child.id()])?;
            child.wait().context("cannot wait for sshd")?;
            bail!("{error:#}: {}", fs::read_to_string(self.log()).unwrap_or_default());
        }
        *daemon = Some(child);
        Ok(())
    }

    fn processes(&self) -> Result<Vec<u32>> {
        let daemon = self.pid().context("sshd does not run")?;
        Ok(connections(daemon).into_iter().chain([daemon]).collect())
    }

    fn pid(&self) -> Option<u32> {
        self.lock().as_ref().map(Child::id)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Child>> {
        self.daemon.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

impl Drop for Sshd {
    fn drop(&mut self) {
        if let Err(error) = self.scope.reap() {
            eprintln!("rig: {error:#}");
        }
        if let Some(mut child) = self.lock().take() {
            let _ = child.wait();
        }
    }
}

/// A server has up to two processes a connection, one the child of the other.
/// Their children, the users' commands, are not among them.
fn connections(daemon: u32) -> Vec<u32> {
    let serving =
        |pid| process::children(pid).into_iter().filter(|(_, name)| name.starts_with("sshd")).map(|(pid, _)| pid);
    serving(daemon).flat_map(|pid| serving(pid).chain([pid]).collect::<Vec<_>>()).collect()
}

fn greets(address: &str, port: u16) -> bool {
    let Ok(mut stream) = TcpStream::connect((address, port)) else { return false };
    let mut greeting = [0; 4];
    stream.set_read_timeout(Some(Duration::from_secs(2))).is_ok()
        && stream.read_exact(&mut greeting).is_ok()
        && &greeting == b"SSH-"
}

fn add_user(scope: &Scope, user: &str, home: &Path) -> Result<()> {
    scope.owns_user(user)?;
    process::run(
        Command::new(process::program("useradd")?)
            .args([
                "--no-create-home",
                "--no-log-init",
                "--user-group",
                "--shell",
                "/bin/bash",
                "--comment",
                "isugate test rig",
                "--home-dir",
            ])
            .arg(home)
            .arg(user),
    )?;
    // A new account is locked, and sshd refuses a locked one even with a key.
    process::run(Command::new(process::program("usermod")?).args(["-p", "*", user]))?;
    let id = |flag| -> Result<u32> {
        process::run(Command::new("id").args([flag, user]))?.trim().parse().context("id printed no number")
    };
    chown(home, Some(id("-u")?), Some(id("-g")?)).with_context(|| format!("cannot give {} to {user}", home.display()))
}
