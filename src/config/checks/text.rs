//! Which texts are right as names, paths, addresses, ports and URLs. Pure questions, answered with a sentence on what is
//! wrong.

/// A name of hosts, roles and the like: it goes into templates, file names and messages.
pub(super) fn is_name(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
}

/// A name that is also a file's.
pub(super) fn is_file_name(text: &str) -> bool {
    let allowed = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.');
    text.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_') && text.bytes().all(allowed) && text.len() <= 100
}

/// A host name or IP address, without brackets: it may go into a command line.
pub(super) fn is_address(text: &str) -> bool {
    let allowed = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-');
    let plain = |text: &str| !text.is_empty() && !text.starts_with('-') && text.bytes().all(allowed);
    match text.split_once('%') {
        _ if !text.contains(':') => plain(text),
        Some((address, zone)) => address.parse::<std::net::Ipv6Addr>().is_ok() && plain(zone),
        None => text.parse::<std::net::Ipv6Addr>().is_ok(),
    }
}

/// A TCP port.
pub(super) fn is_port(text: &str) -> bool {
    text.bytes().all(|b| b.is_ascii_digit()) && text.parse::<u16>().is_ok_and(|port| port > 0)
}

/// A name of a systemd unit, with or without its suffix.
pub(super) fn is_unit(text: &str) -> bool {
    let allowed = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.' | b'@' | b':' | b'\\');
    !text.is_empty() && !text.starts_with('-') && text.bytes().all(allowed) && text.len() <= 255
}

/// What is wrong with an absolute path on a host.
pub(super) fn absolute(path: &str) -> Result<(), &'static str> {
    if !path.starts_with('/') {
        return Err("must be absolute");
    }
    sound(path)
}

/// What is wrong with a path below some directory.
pub(super) fn relative(path: &str) -> Result<(), &'static str> {
    if path.is_empty() {
        return Err("is empty");
    }
    if path.starts_with(['/', '~']) {
        return Err("must be relative");
    }
    if path.starts_with('-') {
        return Err("must not begin with `-`; write `./-`");
    }
    sound(path)
}

fn sound(path: &str) -> Result<(), &'static str> {
    if path.split('/').any(|part| part == "..") {
        return Err("must not contain `..`");
    }
    if path.chars().any(char::is_control) {
        return Err("must not contain control characters");
    }
    Ok(())
}

/// The host and the port of `address:port`, the address without brackets.
pub(super) fn address_port(text: &str) -> Option<(&str, &str)> {
    let (address, port) = text.rsplit_once(':')?;
    let bare = match address.strip_prefix('[') {
        Some(inner) => inner.strip_suffix(']')?,
        None if address.contains(':') => return None,
        None => address,
    };
    (is_address(bare) && is_port(port)).then_some((bare, port))
}

/// The parts of a URL that are checked.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Url<'u> {
    /// In the spelling of the file.
    pub scheme: &'u str,
    /// Without brackets.
    pub host: &'u str,
    /// From the first `/`, `?` or `#` behind the host.
    pub rest: &'u str,
}

/// Takes a URL apart; what is wrong with it when that fails. User names are not allowed in it.
pub(super) fn url(text: &str) -> Result<Url<'_>, &'static str> {
    let (scheme, after) = text.split_once("://").ok_or("is not a URL such as http://127.0.0.1:8080/")?;
    if text.chars().any(|c| c.is_control() || c.is_whitespace()) {
        return Err("must not contain blanks or control characters");
    }
    let (authority, rest) = after.split_at(after.find(['/', '?', '#']).unwrap_or(after.len()));
    if authority.contains('@') {
        return Err("must not contain a user name or password");
    }
    let (host, port) = match authority.strip_prefix('[') {
        Some(inner) => {
            let (host, port) = inner.split_once(']').ok_or("has a `[` without `]`")?;
            (host, port)
        }
        None => authority.split_at(authority.find(':').unwrap_or(authority.len())),
    };
    if !is_address(host) {
        return Err("has no valid host name or address");
    }
    match port.strip_prefix(':') {
        Some(port) if is_port(port) => {}
        None if port.is_empty() => {}
        _ => return Err("has no valid port; ports go from 1 to 65535"),
    }
    Ok(Url { scheme, host, rest })
}

/// Whether a host is `localhost` or a loopback address written out: the only ones that isutools answers to.
pub(super) fn is_loopback(host: &str) -> bool {
    host.eq_ignore_ascii_case("localhost")
        || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.to_canonical().is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_loopback_literals_are_loopback() {
        for host in ["localhost", "127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"] {
            assert!(is_loopback(host), "{host}");
        }
        for host in ["127.1", "0.0.0.0", "localhost.", "app1", "10.0.0.1", "::2", ""] {
            assert!(!is_loopback(host), "{host}");
        }
    }

    #[test]
    fn urls_are_taken_apart() {
        let of = |scheme, host, rest| Ok(Url { scheme, host, rest });
        assert_eq!(url("http://127.0.0.1:8080/a?b"), of("http", "127.0.0.1", "/a?b"));
        assert_eq!(url("http://[::1]:1"), of("http", "::1", ""));
        assert_eq!(url("https://a.example"), of("https", "a.example", ""));
        for wrong in
            ["127.0.0.1:80", "http://", "http://u:p@h/", "http://h:0/", "http://h:x", "http://[::1", "http://a b/"]
        {
            assert!(url(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn an_address_has_a_port() {
        assert_eq!(address_port("127.0.0.1:80"), Some(("127.0.0.1", "80")));
        assert_eq!(address_port("[::1]:80"), Some(("::1", "80")));
        for wrong in ["80", ":80", "::1:80", "a:", "a:0", "a:65536", "[::1]80", "a b:80", "a:+80"] {
            assert_eq!(address_port(wrong), None, "{wrong}");
        }
    }
}
