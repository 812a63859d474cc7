//! A network of its own for systemd hosts: one namespace a host, and one with
//! the bridge that joins them, where the controller may run too.
//!
//! No interface, address or route is added to the machine's own network. Every
//! network has the same addresses, since they cannot meet.

use super::process;
use super::scope::Scope;
use anyhow::{Context, Result, ensure};
use std::process::Command;

/// Address of the controller's side of the bridge.
pub const CONTROLLER: &str = "10.77.0.1";

/// The namespaces of one group of hosts; removed with its scope.
#[derive(Debug)]
pub struct Network {
    controller: String,
    hosts: Vec<String>,
}

impl Network {
    /// Makes the namespaces for `count` hosts, with bridge and addresses up.
    ///
    /// # Errors
    /// When there are more than 200 hosts, or `ip` fails.
    pub fn new(scope: &Scope, count: usize) -> Result<Self> {
        ensure!(count <= 200, "a network holds at most 200 hosts");
        let controller = format!("isugate-{}-ctl", scope.id());
        let hosts: Vec<String> = (0..count).map(|index| format!("isugate-{}-h{index}", scope.id())).collect();
        for netns in hosts.iter().chain([&controller]) {
            scope.owns_netns(netns)?;
            ip(&["netns", "add", netns])?;
            ip(&["-n", netns, "link", "set", "lo", "up"])?;
        }
        ip(&["-n", &controller, "link", "add", "br0", "type", "bridge", "forward_delay", "0"])?;
        ip(&["-n", &controller, "addr", "add", &format!("{CONTROLLER}/24"), "dev", "br0"])?;
        ip(&["-n", &controller, "link", "set", "br0", "up"])?;
        for (index, netns) in hosts.iter().enumerate() {
            let port = port(index);
            ip(&["-n", &controller, "link", "add", &port, "type", "veth", "peer", "name", "eth0", "netns", netns])?;
            ip(&["-n", &controller, "link", "set", &port, "master", "br0", "up"])?;
            ip(&["-n", netns, "addr", "add", &format!("{}/24", address(index)), "dev", "eth0"])?;
            ip(&["-n", netns, "link", "set", "eth0", "up"])?;
        }
        Ok(Self { controller, hosts })
    }

    /// The namespace of host `index`.
    ///
    /// # Errors
    /// When there is no such host.
    pub fn host(&self, index: usize) -> Result<&str> {
        self.hosts.get(index).map(String::as_str).with_context(|| format!("no host {index} in this network"))
    }

    /// A command that runs `program` where the hosts' addresses are reachable.
    /// The machine's own loopback is not reachable from there.
    ///
    /// # Errors
    /// When `ip` is not installed.
    pub fn command(&self, program: &str) -> Result<Command> {
        self.command_in(&self.controller, program)
    }

    /// A command that runs `program` in the namespace of host `index`, outside
    /// its container: for `nft` and `tc`.
    ///
    /// # Errors
    /// When there is no such host or `ip` is not installed.
    pub fn command_on(&self, index: usize, program: &str) -> Result<Command> {
        self.command_in(self.host(index)?, program)
    }

    /// For a client configuration: carries a connection from the machine's own
    /// network to a host.
    ///
    /// # Errors
    /// When `ip` or `nc` is not installed.
    pub fn proxy_command(&self, address: &str, port: u16) -> Result<String> {
        Ok(format!(
            "{} netns exec {} {} {address} {port}",
            process::program("ip")?.display(),
            self.controller,
            process::program("nc")?.display()
        ))
    }

    /// Unplugs host `index`: packets are lost, nothing is refused.
    ///
    /// # Errors
    /// When `ip` fails.
    pub fn unplug(&self, index: usize) -> Result<()> {
        ip(&["-n", &self.controller, "link", "set", &port(index), "down"])
    }

    /// Plugs host `index` in again.
    ///
    /// # Errors
    /// When `ip` fails.
    pub fn plug(&self, index: usize) -> Result<()> {
        ip(&["-n", &self.controller, "link", "set", &port(index), "up"])
    }

    fn command_in(&self, netns: &str, program: &str) -> Result<Command> {
        let mut command = Command::new(process::program("ip")?);
        command.args(["netns", "exec", netns, program]);
        Ok(command)
    }
}

/// Address of host `index`.
pub fn address(index: usize) -> String {
    format!("10.77.0.{}", 11 + index)
}

fn port(index: usize) -> String {
    format!("host{index}")
}

fn ip(args: &[&str]) -> Result<()> {
    process::run(Command::new(process::program("ip")?).args(args)).map(drop)
}
