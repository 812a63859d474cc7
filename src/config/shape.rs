//! The shape of `isugate.yml`, field by field, with units and defaults. Reading it is `config::load`'s matter.

use std::{collections::BTreeMap, time::Duration};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::duration;

mod decide;

pub use decide::{Code, CodeDefault, CodePolicy, IntegrityConfig, Intent, Preset, VerdictConfig};

/// The whole of `isugate.yml`.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Version of the file's shape; 1.
    pub version: u32,
    /// Which contest's preset to take (`isucon14`, `isucon13`, `private-isu`, …); `generic` for a service of your own.
    #[serde(default = "generic")]
    pub contest: String,
    /// The machines, by the names that the rest of the file uses.
    pub hosts: BTreeMap<String, HostConfig>,
    /// How `ssh` hosts are reached, where `~/.ssh/config` does not say it.
    #[serde(default)]
    pub ssh: SshConfig,
    /// How a commit gets onto the hosts. Without it nothing is deployed.
    #[serde(default)]
    pub deploy: Option<Deploy>,
    /// The benchmarker.
    pub bench: Bench,
    /// The isutools admin servers to take evidence from.
    #[serde(default)]
    pub isutools: Vec<Isutools>,
    /// Commands whose output is kept and shown with a run.
    #[serde(default)]
    pub collect: Vec<Collect>,
    /// State that must not drift from the baseline's.
    #[serde(default)]
    pub probe: Vec<Probe>,
    /// How to decide.
    #[serde(default)]
    pub verdict: VerdictConfig,
    /// Where runs and decisions are kept.
    #[serde(default)]
    pub ledger: LedgerConfig,
    /// What is shown where.
    #[serde(default)]
    pub report: ReportConfig,
    /// What GitHub is told.
    #[serde(default)]
    pub github: GithubConfig,
}

fn generic() -> String {
    "generic".into()
}

/// One machine.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HostConfig {
    /// Where to connect: `user@address`, `ssh://user@address:port`, or an alias of `~/.ssh/config`.
    #[serde(default)]
    pub ssh: Option<String>,
    /// `true`: this machine itself.
    #[serde(default)]
    pub local: bool,
    /// What the machine does; steps name hosts by role or by name.
    #[serde(default)]
    pub roles: Vec<String>,
    /// The address that `{{host.NAME}}` stands for; by default the one in `ssh`, `127.0.0.1` for `local`.
    #[serde(default)]
    pub address: Option<String>,
    /// Where isugate keeps its files on the host; by default `<deploy.dir>.isugate`, or `~/.isugate` where nothing is deployed.
    #[serde(default)]
    pub state_dir: Option<String>,
}

/// Options of the SSH connections; whatever is absent comes from the user's own SSH configuration and agent.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SshConfig {
    /// An SSH client configuration file, as `ssh -F`. Relative to `isugate.yml`.
    pub config: Option<String>,
    /// A private key file, as `ssh -i`. Relative to `isugate.yml`.
    pub identity_file: Option<String>,
    /// A known-hosts file. Host keys are always checked strictly. Relative to `isugate.yml`.
    pub known_hosts: Option<String>,
    /// How long a connection may take to be made; default 10s.
    #[serde(with = "duration::text")]
    #[schemars(with = "duration::DurationText")]
    pub connect_timeout: Duration,
}

impl Default for SshConfig {
    fn default() -> Self {
        SshConfig { config: None, identity_file: None, known_hosts: None, connect_timeout: Duration::from_secs(10) }
    }
}

/// How a commit gets onto the hosts.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Deploy {
    /// Where the repository's tree stands on the hosts, absolute. It becomes a symbolic link to the running release.
    pub dir: String,
    /// Paths below `dir` that are not in git and are kept from release to release, such as uploads or initial data.
    #[serde(default)]
    pub shared: Vec<String>,
    /// Patterns of what an unmanaged `dir` may lose from sight when isugate first takes it over, such as `*.log`.
    #[serde(default)]
    pub leave_behind: Vec<String>,
    /// Commands that build the application, run in the new release's directory.
    #[serde(default)]
    pub build: Vec<BuildStep>,
    /// Files that the build makes, to be hashed; by default everything in the release that the commit does not hold.
    #[serde(default)]
    pub artifacts: Vec<String>,
    /// Files outside `dir` that come from the repository.
    #[serde(default)]
    pub files: Vec<FilesStep>,
    /// What to restart, in this order, once the release is in place.
    #[serde(default)]
    pub restart: Vec<Restart>,
    /// What must answer before the benchmarker may start.
    #[serde(default)]
    pub ready: Vec<Ready>,
    /// How many releases to keep on a host beside the running one and the baseline's; default 5.
    #[serde(default = "five")]
    pub keep: usize,
}

fn five() -> usize {
    5
}

/// One build command.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BuildStep {
    /// A role or a host.
    pub on: String,
    /// The command line, given to `bash -c` in the release's directory.
    pub run: String,
    /// How long it may take; default 10m.
    #[serde(default = "ten_minutes", with = "duration::text")]
    #[schemars(with = "duration::DurationText")]
    pub timeout: Duration,
}

fn ten_minutes() -> Duration {
    Duration::from_secs(600)
}

/// Files or a folder of the repository that are copied to a place outside `deploy.dir`.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FilesStep {
    /// A role or a host.
    pub on: String,
    /// A file or folder of the repository.
    pub from: String,
    /// Where it goes, absolute. A folder is laid over what is there; files of other origin stay.
    pub to: String,
    /// A command that must succeed before anything is restarted, such as `nginx -t`.
    #[serde(default)]
    pub check: Option<String>,
    /// Whether copying and checking need root (`sudo -n`).
    #[serde(default)]
    pub sudo: bool,
}

/// One thing to restart: a systemd unit, or a command where there are none.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Restart {
    /// A role or a host.
    pub on: String,
    /// A systemd unit.
    #[serde(default)]
    pub unit: Option<String>,
    /// A command line, given to `bash -c` in `deploy.dir`.
    #[serde(default)]
    pub run: Option<String>,
}

/// One thing that must answer.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Ready {
    /// A role or a host; the check is made from there.
    pub on: String,
    /// `address:port` that must accept a connection.
    #[serde(default)]
    pub tcp: Option<String>,
    /// A URL that must answer.
    #[serde(default)]
    pub http: Option<String>,
    /// The HTTP status that `http` must answer with; default 200.
    #[serde(default)]
    pub expect: Option<u16>,
    /// A command line that must exit with 0.
    #[serde(default)]
    pub run: Option<String>,
    /// How long to wait for it; default 30s.
    #[serde(default = "thirty_seconds", with = "duration::text")]
    #[schemars(with = "duration::DurationText")]
    pub within: Duration,
}

fn thirty_seconds() -> Duration {
    Duration::from_secs(30)
}

/// The benchmarker.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Bench {
    /// A role or a host that names exactly one host.
    pub on: String,
    /// The command line, given to `bash -c`; by default the contest preset's.
    /// `{{host.NAME}}`, `{{port.NAME}}`, `{{result_file}}`, `{{run_dir}}`, `{{commit}}` are filled in.
    #[serde(default)]
    pub run: Option<String>,
    /// Where it runs; by default a directory of the run's own.
    #[serde(default)]
    pub dir: Option<String>,
    /// Wall-clock limit, after which its whole process group is ended; by default the contest preset's, or 180s.
    #[serde(default, with = "duration::optional")]
    #[schemars(with = "Option<duration::DurationText>")]
    pub timeout: Option<Duration>,
    /// Whether a run that only prepares is made first, where the benchmarker has such a mode: a broken commit costs seconds.
    #[serde(default)]
    pub prepare: bool,
    /// How its result is read; by default as the contest's.
    #[serde(default)]
    pub format: Option<String>,
    /// For `format: generic` and tools of other fields: where score and outcome stand.
    #[serde(default)]
    pub result: Option<serde_json::Value>,
}

/// One isutools admin server.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Isutools {
    /// A role or a host that names exactly one host; the server is asked from there.
    pub on: String,
    /// The admin server as seen from that host; default `http://127.0.0.1:19191`.
    #[serde(default = "isutools_url")]
    pub url: String,
    /// The server's `ISUTOOLS_DATA_DIR`, absolute.
    pub data_dir: String,
    /// Whether a run without this evidence is refused before it starts; default false.
    #[serde(default)]
    pub required: bool,
}

fn isutools_url() -> String {
    "http://127.0.0.1:19191".into()
}

/// A command whose output is kept.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Collect {
    /// A role or a host.
    pub on: String,
    /// Name of the digest, for the file and the report.
    pub name: String,
    /// The command line, given to `bash -c` in `deploy.dir` after the benchmark.
    pub run: String,
    /// How long it may take; default 1m.
    #[serde(default = "one_minute", with = "duration::text")]
    #[schemars(with = "duration::DurationText")]
    pub timeout: Duration,
}

fn one_minute() -> Duration {
    Duration::from_secs(60)
}

/// A command whose output must be what it was when the baseline ran.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Probe {
    /// A role or a host.
    pub on: String,
    /// Name of the probe.
    pub name: String,
    /// The command line, given to `bash -c` before the benchmark.
    pub run: String,
}

/// Where runs and decisions are kept.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct LedgerConfig {
    /// The branch; default `isugate-ledger`.
    pub branch: String,
    /// The git remote it is shared over; absent or unknown to the repository: kept here only.
    pub remote: Option<String>,
}

impl Default for LedgerConfig {
    fn default() -> Self {
        LedgerConfig { branch: "isugate-ledger".into(), remote: None }
    }
}

/// What is shown where.
#[derive(Debug, Clone, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ReportConfig {
    /// A folder whose `*.hbs` files replace the built-in templates of the same name. Relative to `isugate.yml`.
    pub templates: Option<String>,
    /// Language of reasons and code names; default `en`.
    pub language: Language,
}

/// Language of what a person reads.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Language {
    /// English.
    #[default]
    En,
    /// Japanese.
    Ja,
}

/// What GitHub is told.
#[derive(Debug, Clone, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct GithubConfig {
    /// How the pull request is commented on.
    pub comment: CommentMode,
    /// Whether a check run is made.
    pub check: bool,
    /// Whether jobs of a public repository may reach the hosts; default false.
    pub allow_public: bool,
    /// Who our comments are by, such as `my-app[bot]`; default: as GitHub says.
    pub author: Option<String>,
}

/// How the pull request is commented on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CommentMode {
    /// One comment, kept up to date.
    #[default]
    Sticky,
    /// None.
    Off,
}
