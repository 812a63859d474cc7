//! The token that GitHub knows us by: where it comes from, and how it stays out of everything else.
//!
//! A program that we start inherits our environment, and `ps e` shows it. So the token is taken out of it before anything else
//! happens: it goes into memory that has no name, and the program starts itself anew, in the same process, without the variable.
//!
//! `git` gets it in the same way: it starts us as its askpass program, for GitHub's own address only.

use std::{
    io::{Read, Write},
    os::{fd::AsRawFd, unix::process::CommandExt},
    process::Command,
};

/// Where the token is when a workflow starts us. The action sets the first; the second is for use by hand.
const VARIABLES: [&str; 2] = ["ISUGATE_GITHUB_TOKEN", "GITHUB_TOKEN"];
/// Where it is after that: the number of an inherited file descriptor.
const DESCRIPTOR: &str = "ISUGATE_TOKEN_FD";
/// Set when `git` may start us to ask for the token.
const ASKPASS: &str = "ISUGATE_ASKPASS";
/// Tokens are a few hundred bytes.
const MAX: usize = 4000;

/// A token. It shows itself to nobody but who asks for it by name.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

impl Token {
    /// A token from its text.
    pub fn new(text: impl Into<String>) -> Token {
        Token(text.into())
    }

    /// The text.
    pub(super) fn reveal(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Token(…)")
    }
}

/// Takes the token out of the environment. Does not return when there was one there: the program starts anew without it.
///
/// # Errors
/// A token that cannot be one, or the system.
pub fn take() -> Result<Option<Token>, String> {
    if let Some(token) = inherited()? {
        return Ok(Some(token));
    }
    let token = VARIABLES.iter().find_map(|name| std::env::var(name).ok().filter(|value| !value.trim().is_empty()));
    let Some(token) = token else { return Ok(None) };
    let token = token.trim();
    if token.len() > MAX || !token.bytes().all(|b| b.is_ascii_graphic()) {
        return Err("the token holds characters that no token has; next: see the action's input github-token".into());
    }
    Err(start_anew(token))
}

/// The token as it was handed to this process when it started itself anew.
fn inherited() -> Result<Option<Token>, String> {
    let Some(number) = std::env::var_os(DESCRIPTOR) else { return Ok(None) };
    let number: u32 = number.to_str().and_then(|n| n.parse().ok()).ok_or(format!("{DESCRIPTOR} is no number"))?;
    let broken = |e: std::io::Error| format!("{DESCRIPTOR}: {e}");
    let mut text = String::new();
    let file = std::fs::File::open(format!("/proc/self/fd/{number}")).map_err(broken)?;
    file.take(MAX as u64).read_to_string(&mut text).map_err(broken)?;
    Ok((!text.is_empty()).then_some(Token(text)))
}

/// The answer for `git`, when it has started us to ask for a user or a password. `None` when it has not. Other addresses than
/// GitHub's get an empty answer.
pub fn answer_git() -> Option<String> {
    std::env::var_os(ASKPASS)?;
    let mut arguments = std::env::args().skip(1);
    let prompt =
        arguments.next().filter(|prompt| prompt.starts_with("Username for ") || prompt.starts_with("Password for "))?;
    if arguments.next().is_some() {
        return None;
    }
    let server = std::env::var("GITHUB_SERVER_URL").unwrap_or_else(|_| "https://github.com".into());
    let asks = prompt.split('\'').nth(1).unwrap_or_default();
    if !same_server(asks, &server) {
        return Some(String::new());
    }
    match prompt.starts_with("Username") {
        true => Some("x-access-token".into()),
        false => Some(inherited().ok().flatten().map(|token| token.0).unwrap_or_default()),
    }
}

/// Whether a URL, with a user's name or without, is of a server.
fn same_server(url: &str, server: &str) -> bool {
    let parts = |url: &str| {
        let (scheme, rest) = url.split_once("://")?;
        let authority = rest.split('/').next()?;
        let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
        Some((scheme.to_ascii_lowercase(), host.to_ascii_lowercase()))
    };
    parts(url).is_some_and(|asked| Some(asked) == parts(server))
}

fn start_anew(token: &str) -> String {
    let cannot = |e: &dyn std::fmt::Display| format!("the token could not be taken out of the environment: {e}");
    // Without CLOEXEC: it must outlive the exec below, and git's own children must find it.
    let memory = match rustix::fs::memfd_create("isugate", rustix::fs::MemfdFlags::empty()) {
        Ok(memory) => memory,
        Err(e) => return cannot(&e),
    };
    let mut memory = std::fs::File::from(memory);
    if let Err(e) = memory.write_all(token.as_bytes()) {
        return cannot(&e);
    }
    let own = match std::env::current_exe() {
        Ok(own) => own,
        Err(e) => return cannot(&e),
    };
    let mut command = Command::new(&own);
    command.args(std::env::args_os().skip(1)).env(DESCRIPTOR, memory.as_raw_fd().to_string());
    command.env("GIT_ASKPASS", &own).env(ASKPASS, "1");
    for name in VARIABLES {
        command.env_remove(name);
    }
    cannot(&command.exec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_servers_own_address_gets_an_answer() {
        assert!(same_server("https://github.com", "https://github.com"));
        assert!(same_server("https://x-access-token@GitHub.com/a/b.git", "https://github.com"));
        for other in [
            "https://github.com.evil.example",
            "http://github.com",
            "https://github.com@evil.example",
            "",
            "github.com",
        ] {
            assert!(!same_server(other, "https://github.com"), "{other}");
        }
    }

    #[test]
    fn a_token_does_not_show_itself() {
        assert_eq!(format!("{:?}", Token::new("ghs_secret")), "Token(…)");
    }
}
