//! Which hosts a role or a name selects, and by which address the others reach a host.

use super::shape::{Config, HostConfig};

impl Config {
    /// The names of the hosts that `on` selects, sorted: the host of that name, and those that have that role.
    pub fn hosts_on(&self, on: &str) -> Vec<&str> {
        let selected = |(name, host): &(&String, &HostConfig)| *name == on || host.roles.iter().any(|role| role == on);
        self.hosts.iter().filter(selected).map(|(name, _)| name.as_str()).collect()
    }

    /// What `{{host.NAME}}` stands for: the host's `address`, else the host part of its `ssh` destination (without user,
    /// port, scheme and brackets), else `127.0.0.1` for `local`. `None` when there is no such host.
    pub fn host_address(&self, name: &str) -> Option<String> {
        let host = self.hosts.get(name)?;
        match (&host.address, &host.ssh) {
            (Some(address), _) => Some(address.clone()),
            (None, Some(ssh)) => Some(Destination::read(ssh).host.to_string()),
            (None, None) => host.local.then(|| "127.0.0.1".to_string()),
        }
    }
}

/// The parts of an SSH destination as `ssh` understands it: `[user@]host`, or `ssh://[user@]host[:port]`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Destination<'d> {
    pub user: Option<&'d str>,
    /// Without brackets.
    pub host: &'d str,
    /// Only with `ssh://`.
    pub port: Option<&'d str>,
}

impl<'d> Destination<'d> {
    pub(super) fn read(text: &'d str) -> Self {
        let (uri, rest) = match text.strip_prefix("ssh://") {
            Some(rest) => (true, rest.trim_end_matches('/')),
            None => (false, text),
        };
        let (user, host) = match rest.rsplit_once('@') {
            Some((user, host)) => (Some(user), host),
            None => (None, rest),
        };
        let (host, port) = match host.strip_prefix('[').and_then(|inner| inner.split_once(']')) {
            Some((inner, after)) => (inner, after.strip_prefix(':')),
            None if uri => host.rsplit_once(':').map_or((host, None), |(host, port)| (host, Some(port))),
            None => (host, None),
        };
        Destination { user, host, port }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_host_part_of_a_destination_has_no_user_port_scheme_or_brackets() {
        for (text, host) in [
            ("isucon@192.168.0.11", "192.168.0.11"),
            ("app1", "app1"),
            ("ssh://isucon@app1.example:2222", "app1.example"),
            ("ssh://app1/", "app1"),
            ("ssh://u@[fe80::1]:22", "fe80::1"),
            ("u@[::1]", "::1"),
            ("u@fe80::1", "fe80::1"),
            ("a@b@host", "host"),
        ] {
            assert_eq!(Destination::read(text).host, host, "{text}");
        }
    }
}
