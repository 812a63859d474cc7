//! A self-hosted runner on one of the hosts: which program GitHub offers, what is there, and what it takes to register it.

use serde::Deserialize;

use super::{
    client::Client,
    error::{ApiError, Need},
};

/// Looks at the host; prints `name value` lines.
pub const LOOK: &str = include_str!("scripts/runner-look.sh");
/// Installs, registers and starts the runner; the registration token comes on standard input.
pub const INSTALL: &str = include_str!("scripts/runner-install.sh");

/// A runner program that GitHub offers.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Download {
    /// `linux`, `osx`, `win`.
    pub os: String,
    /// `x64`, `arm64`, `arm`.
    pub architecture: String,
    /// Where the archive is.
    pub download_url: String,
    /// Its name, which holds the version.
    pub filename: String,
    /// Its SHA-256.
    #[serde(default)]
    pub sha256_checksum: Option<String>,
}

impl Download {
    /// The version in the archive's name, as in `actions-runner-linux-x64-2.330.0.tar.gz`.
    pub fn version(&self) -> Option<&str> {
        let stem = self.filename.strip_suffix(".tar.gz")?;
        let version = stem.rsplit('-').next()?;
        let whole = version.bytes().all(|b| b.is_ascii_digit() || b == b'.') && version.contains('.');
        whole.then_some(version)
    }
}

/// What is on the host.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Facts {
    /// `x64`, `arm64`, or what `uname -m` says.
    pub architecture: String,
    /// Version of the runner that is there.
    pub version: Option<String>,
    /// Whether it is registered.
    pub registered: bool,
    /// Whether the user is root.
    pub root: bool,
    /// Whether the user may become root without a password.
    pub sudo: bool,
    /// Programs that are missing.
    pub missing: Vec<String>,
}

/// Reads what [`LOOK`] printed.
pub fn facts(text: &str) -> Facts {
    let mut facts = Facts::default();
    for (name, value) in text.lines().filter_map(|line| line.split_once(' ')) {
        match name {
            "machine" => {
                facts.architecture = match value {
                    "x86_64" => "x64".into(),
                    "aarch64" => "arm64".into(),
                    other => other.into(),
                }
            }
            "version" => facts.version = Some(value.into()).filter(|_| value != "none"),
            "registered" => facts.registered = value == "yes",
            "root" => facts.root = value == "yes",
            "sudo" => facts.sudo = value == "yes",
            "missing" => facts.missing.push(value.into()),
            _ => {}
        }
    }
    facts
}

/// What has to be done on a host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// The program to have there.
    pub download: Download,
    /// Its version.
    pub version: String,
    /// Its SHA-256.
    pub sha256: String,
    /// Whether the program must be fetched.
    pub fetch: bool,
    /// Whether the runner must be registered.
    pub register: bool,
}

/// Compares what is there with what GitHub offers. GitHub stops serving a runner some weeks after a newer one: an old one is
/// replaced.
///
/// # Errors
/// Sentences on what must be put right first.
pub fn plan(facts: &Facts, offered: &[Download]) -> Result<Plan, Vec<String>> {
    let mut wrong = Vec::new();
    if facts.root {
        wrong.push("the user is root, and the runner refuses to run as root: name another user in `ssh`".into());
    }
    if !facts.sudo && !facts.root {
        wrong.push("`sudo -n true` fails: the service is installed by root; allow it without a password".into());
    }
    if !facts.missing.is_empty() {
        wrong.push(format!("missing on the host: {}", facts.missing.join(", ")));
    }
    let download = offered.iter().find(|d| d.os == "linux" && d.architecture == facts.architecture);
    let usable = download.and_then(|d| {
        let sha256 =
            d.sha256_checksum.clone().filter(|sum| sum.len() == 64 && sum.bytes().all(|b| b.is_ascii_hexdigit()));
        Some((d.clone(), d.version()?.to_owned(), sha256?))
    });
    if usable.is_none() {
        wrong.push(format!("GitHub offers no runner with a SHA-256 for linux {}", facts.architecture));
    }
    match usable {
        Some((download, version, sha256)) if wrong.is_empty() => Ok(Plan {
            fetch: facts.version.as_deref() != Some(&version),
            register: !facts.registered,
            download,
            version,
            sha256,
        }),
        _ => Err(wrong),
    }
}

/// The programs that GitHub offers.
///
/// # Errors
/// What GitHub says.
pub async fn downloads(client: &Client) -> Result<Vec<Download>, ApiError> {
    client.get("/actions/runners/downloads", "the runner programs", Need::Runner).await
}

/// A token that registers one runner; it ends within an hour.
///
/// # Errors
/// What GitHub says.
pub async fn registration_token(client: &Client) -> Result<String, ApiError> {
    #[derive(Deserialize)]
    struct Told {
        token: String,
    }
    let path = "/actions/runners/registration-token";
    let what = "the registration token";
    let post = || client.post::<Told>(path, &serde_json::Value::Null, what, Need::Runner);
    match post().await {
        // A second token does no harm.
        Err(ApiError::Unsure { .. }) => post().await,
        done => done,
    }
    .map(|told| told.token)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offered() -> Vec<Download> {
        vec![Download {
            os: "linux".into(),
            architecture: "x64".into(),
            download_url: "https://example.invalid/r.tar.gz".into(),
            filename: "actions-runner-linux-x64-2.330.0.tar.gz".into(),
            sha256_checksum: Some("a".repeat(64)),
        }]
    }

    #[test]
    fn an_old_runner_is_replaced_and_a_current_one_is_left() {
        let mut facts = facts("machine x86_64\nversion 2.320.0\nregistered yes\nroot no\nsudo yes\n");
        let old = plan(&facts, &offered()).unwrap();
        assert_eq!((old.version.as_str(), old.fetch, old.register), ("2.330.0", true, false));
        facts.version = Some("2.330.0".into());
        assert!(!plan(&facts, &offered()).unwrap().fetch);
    }

    #[test]
    fn all_that_must_be_put_right_first_is_said_at_once() {
        let facts = facts("machine riscv64\nversion none\nregistered no\nroot no\nsudo no\nmissing curl\n");
        assert_eq!(plan(&facts, &offered()).unwrap_err().len(), 3);
        let mut unsigned = offered();
        unsigned[0].sha256_checksum = None;
        let facts = self::facts("machine x86_64\nroot no\nsudo yes\n");
        assert!(plan(&facts, &unsigned).is_err());
    }
}
