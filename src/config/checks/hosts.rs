//! Checks of `hosts`: names, roles, and how each is reached; and which names there are for the steps to use.

use std::collections::{BTreeMap, BTreeSet};

use super::text::{is_address, is_name, is_port};
use crate::config::{conform::of, cursor::Value, diagnostic::quoted, error::Findings, select::Destination};

/// The names of hosts and roles.
pub(super) struct Names<'t> {
    hosts: BTreeMap<&'t str, BTreeSet<&'t str>>,
}

impl<'t> Names<'t> {
    /// The hosts that a name or role selects.
    pub(super) fn select(&self, on: &str) -> Vec<&'t str> {
        self.hosts.iter().filter(|(name, roles)| **name == on || roles.contains(on)).map(|(name, _)| *name).collect()
    }

    /// Whether there is any host.
    pub(super) fn any(&self) -> bool {
        !self.hosts.is_empty()
    }

    /// Whether a host has that name.
    pub(super) fn is_host(&self, name: &str) -> bool {
        self.hosts.contains_key(name)
    }

    /// All names of hosts.
    pub(super) fn hosts(&self) -> Vec<&'t str> {
        self.hosts.keys().copied().collect()
    }

    /// All names of hosts and roles.
    pub(super) fn all(&self) -> Vec<&'t str> {
        let all: BTreeSet<&str> =
            self.hosts.iter().flat_map(|(name, roles)| roles.iter().chain([name])).copied().collect();
        all.into_iter().collect()
    }
}

const NAME_HELP: &str = "use letters, digits, `_` and `-`";

/// Checks all hosts and gathers their names.
pub(super) fn check<'t>(root: &Value<'t>, found: &mut Findings) -> Names<'t> {
    let mut names = Names { hosts: BTreeMap::new() };
    let Some(hosts) =
        root.get("hosts").or_else(|| root.entries().into_iter().map(|(_, v)| v).find(|v| v.path == "hosts"))
    else {
        return names;
    };
    let entries = hosts.entries();
    if entries.is_empty() && (hosts.is_absent() || matches!(hosts.node().kind, crate::config::tree::Kind::Map(_))) {
        let help = "add one, such as `app1: { ssh: isucon@192.168.0.11, roles: [app] }`";
        found.add(hosts.key_place(), "hosts", "hosts: there is no host", Some(help.into()));
    }
    for (key, host) in &entries {
        // A repeated key is a mistake of its own.
        let Some(name) = key.text().filter(|name| !names.hosts.contains_key(name)) else { continue };
        if !is_name(name) {
            let message = format!("hosts: {} can't be a host's name", quoted(name));
            found.add(key.node().place, &host.path, message, Some(NAME_HELP.into()));
        }
        let roles = names.hosts.entry(name).or_default();
        for role in host.get("roles").iter().flat_map(Value::items) {
            let Some(text) = role.text() else { continue };
            if !is_name(text) {
                let message = format!("{}{} can't be a role's name", of(&role), quoted(text));
                found.add(role.place(), &role.path, message, Some(NAME_HELP.into()));
            } else if !roles.insert(text) {
                let message = format!("{}the role {} is given twice", of(&role), quoted(text));
                found.add(role.place(), &role.path, message, Some("remove one".into()));
            }
        }
        reach(host, found);
    }
    for (key, host) in &entries {
        for role in host.get("roles").iter().flat_map(Value::items) {
            let Some(text) = role.text().filter(|text| key.text() != Some(*text)) else { continue };
            if names.hosts.get(text).is_some_and(|roles| !roles.contains(text)) {
                let message = format!("{}{} is also the name of another host", of(&role), quoted(text));
                let help = format!("rename one of them, so that `on: {text}` means one thing");
                found.add(role.place(), &role.path, message, Some(help));
            }
        }
    }
    names
}

/// How one host is reached.
fn reach(host: &Value<'_>, found: &mut Findings) {
    let mut add = |value: &Value<'_>, message: String, help: String| {
        found.add(value.place(), &value.path, format!("{}{message}", of(value)), Some(help));
    };
    let ssh = host.get_text("ssh");
    let local = host.get("local").filter(|v| v.text().is_some_and(|text| text.eq_ignore_ascii_case("true")));
    // What is given and has the wrong type is a mistake of its own.
    let given = host.get("ssh").is_some()
        || host.get_text("local").is_some_and(|(text, _)| !text.eq_ignore_ascii_case("false"));
    match (&ssh, &local) {
        (Some(_), Some(local)) => add(local, "both `ssh` and `local`".into(), "keep one of them".into()),
        (None, None) if !given && !super::mistyped(host, &["ssh", "local"]) => {
            let help = "add `ssh: user@address`, or `local: true` for this machine";
            add(host, "neither `ssh` nor `local`".into(), help.into());
        }
        _ => {}
    }
    if let Some((text, value)) = ssh
        && let Some((message, help)) = destination(text)
    {
        add(&value, message, help);
    }
    if let Some((text, value)) = host.get_text("address")
        && !is_address(text)
    {
        let help = "write a host name or an IP address, without port, user and brackets";
        add(&value, format!("{} is not an address", quoted(text)), help.into());
    }
    if let Some((text, value)) = host.get_text("state_dir") {
        let below = text.strip_prefix("~/").map(super::text::relative);
        if let Err(wrong) = below.unwrap_or_else(|| super::text::absolute(text)) {
            add(&value, format!("{} {wrong}", quoted(text)), "such as `/home/isucon/.isugate` or `~/.isugate`".into());
        }
    }
}

/// What is wrong with an SSH destination, and what would be right. It becomes an argument of `ssh` and its host part
/// goes into command lines, so only letters that mean nothing to either are taken.
fn destination(text: &str) -> Option<(String, String)> {
    let help = || "write `user@address`, `ssh://user@address:port`, or an alias of `~/.ssh/config`".to_string();
    let Destination { user, host, port } = Destination::read(text);
    if text.chars().any(|c| c.is_whitespace() || c.is_control()) {
        return Some(("the destination contains blanks or control characters".into(), help()));
    }
    if [Some(text), user, Some(host)].into_iter().flatten().any(|part| part.starts_with('-')) {
        return Some((format!("{}: `ssh` would take what begins with `-` for an option", quoted(text)), help()));
    }
    // `ssh host:22` looks for a host of that very name; two colons and more are an IPv6 address.
    if let Some((name, number)) = host.split_once(':')
        && port.is_none()
        && is_port(number)
    {
        let user = user.map(|user| format!("{user}@")).unwrap_or_default();
        let message = format!("{} names a port in a way that `ssh` does not know", quoted(text));
        return Some((message, format!("write {}", quoted(&format!("ssh://{user}{name}:{number}")))));
    }
    let user_is_right = user.is_none_or(|user| {
        !user.is_empty()
            && user.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.' | b'+' | b'@'))
    });
    if !is_address(host) || !user_is_right {
        return Some((format!("{} is not a destination", quoted(text)), help()));
    }
    if port.is_some_and(|port| !is_port(port)) {
        return Some((format!("{} has no valid port", quoted(text)), "ports go from 1 to 65535".into()));
    }
    None
}
