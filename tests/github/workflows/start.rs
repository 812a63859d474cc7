//! What the action's one step does before it becomes isugate.

use std::{
    os::unix::fs::PermissionsExt,
    path::Path,
    process::{Command, Output, Stdio},
    time::Duration,
};

use crate::rig::process;

/// The script, as the action's step starts it.
fn command(dir: &Path, variables: &[(&str, &str)]) -> Command {
    let mut command = Command::new("bash");
    command.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/action-start")).current_dir(dir);
    command.env("RUNNER_TEMP", dir).env("RUNNER_TOOL_CACHE", dir.join("tools")).envs(variables.iter().copied());
    command.stdin(Stdio::null());
    command
}

fn start(dir: &Path, variables: &[(&str, &str)]) -> Output {
    command(dir, variables).output().unwrap()
}

fn stand_in(path: &Path) {
    std::fs::write(path, "#!/bin/sh\necho pid $$ args \"$@\"\nenv\n").unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn key_and_known_hosts_become_files_and_the_token_stays_a_variable_of_isugate_alone() {
    let dir = tempfile::tempdir().unwrap();
    let program = dir.path().join("stand-in");
    stand_in(&program);
    let variables = [
        ("ISUGATE_BINARY", program.to_str().unwrap()),
        ("ISUGATE_SSH_KEY", "-----BEGIN KEY-----\r\nabc"),
        ("ISUGATE_KNOWN_HOSTS", "host key"),
        ("ISUGATE_GITHUB_TOKEN", "ghs_x"),
    ];
    let output = start(dir.path(), &variables);
    let said = process::text(&output.stdout);
    assert!(said.contains(" args ci\n") && said.contains("ISUGATE_GITHUB_TOKEN=ghs_x\n"), "{said}");
    assert!(!said.contains("BEGIN KEY") && !said.contains("ISUGATE_BINARY"), "{said}");
    let at = |name: &str| {
        said.lines().find_map(|line| line.strip_prefix(&format!("{name}="))).map(str::to_owned).unwrap_or_default()
    };
    let key = at("ISUGATE_SSH_KEY_FILE");
    assert_eq!(std::fs::read_to_string(&key).unwrap(), "-----BEGIN KEY-----\nabc\n");
    assert_eq!(std::fs::metadata(&key).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(std::fs::read_to_string(at("ISUGATE_KNOWN_HOSTS_FILE")).unwrap(), "host key\n");
}

#[test]
fn a_release_is_taken_only_with_the_right_sum() {
    let dir = tempfile::tempdir().unwrap();
    let releases = dir.path().join("releases/v0.1.0");
    std::fs::create_dir_all(&releases).unwrap();
    stand_in(&dir.path().join("isugate"));
    let architecture = process::run(Command::new("uname").arg("-m")).unwrap();
    let name = format!("isugate-v0.1.0-{}-unknown-linux-musl.tar.gz", architecture.trim());
    let archive = releases.join(&name);
    process::run(Command::new("tar").arg("-czf").arg(&archive).arg("-C").arg(dir.path()).arg("isugate")).unwrap();
    let url = format!("file://{}", dir.path().join("releases").display());
    let variables = |sum: &'static str| {
        [("ISUGATE_VERSION", "v0.1.0"), ("ISUGATE_RELEASES", url.as_str()), ("ISUGATE_SHA256", sum)].to_vec()
    };
    let wrong = start(dir.path(), &variables(Box::leak("0".repeat(64).into_boxed_str())));
    assert_eq!(wrong.status.code(), Some(2));
    assert!(process::text(&wrong.stderr).contains("another SHA-256"), "{}", process::text(&wrong.stderr));
    let none = start(dir.path(), &variables(""));
    assert_eq!(none.status.code(), Some(2), "without a list there is nothing to check against");
    let sums = process::run(Command::new("sha256sum").arg(&name).current_dir(&releases)).unwrap();
    std::fs::write(releases.join("SHA256SUMS"), sums).unwrap();
    let right = start(dir.path(), &variables(""));
    assert!(process::text(&right.stdout).contains(" args ci\n"), "{}", process::text(&right.stderr));
    // Kept: no fetching again.
    std::fs::remove_file(&archive).unwrap();
    assert!(start(dir.path(), &variables("")).status.success());
}

#[test]
fn a_version_that_is_none_and_a_binary_that_is_not_there_are_said() {
    let dir = tempfile::tempdir().unwrap();
    for (variable, value) in
        [("ISUGATE_VERSION", "v1/../../x"), ("ISUGATE_VERSION", "latest; id"), ("ISUGATE_BINARY", "/nowhere/isugate")]
    {
        let output = start(dir.path(), &[(variable, value)]);
        assert_eq!(output.status.code(), Some(2), "{value}");
        assert!(process::text(&output.stderr).contains("the input "), "{}", process::text(&output.stderr));
    }
}

/// A crate that takes no time to build but for a build script that sleeps for `seconds`.
fn crate_of(dir: &Path, seconds: &str) {
    std::fs::create_dir_all(dir.join("src")).unwrap();
    let manifest = "[package]\nname = \"isugate\"\nversion = \"0.0.0\"\nedition = \"2024\"\n[workspace]\n";
    std::fs::write(dir.join("Cargo.toml"), manifest).unwrap();
    std::fs::write(dir.join("Cargo.lock"), "version = 4\n[[package]]\nname = \"isugate\"\nversion = \"0.0.0\"\n")
        .unwrap();
    let main = r#"fn main() { println!("built, args {:?}", std::env::args().skip(1).collect::<Vec<_>>()); }"#;
    std::fs::write(dir.join("src/main.rs"), main).unwrap();
    let build = format!("fn main() {{ std::process::Command::new(\"sleep\").arg(\"{seconds}\").status().unwrap(); }}");
    std::fs::write(dir.join("build.rs"), build).unwrap();
}

#[test]
fn the_actions_own_source_is_built_once_and_started() {
    let dir = tempfile::tempdir().unwrap();
    let source = dir.path().join("action");
    crate_of(&source, "0");
    let variables = [("ISUGATE_ACTION", source.to_str().unwrap()), ("ISUGATE_VERSION", "source")];
    for _ in 0..2 {
        let output = start(dir.path(), &variables);
        let said = process::text(&output.stdout);
        assert!(said.contains("built, args [\"ci\"]"), "{said}{}", process::text(&output.stderr));
    }
    assert!(dir.path().join("tools/isugate/source/release/isugate").exists(), "it is kept for the next job");
    // A build that fails says so and starts nothing old.
    std::fs::write(source.join("src/main.rs"), "fn main() { nothing }").unwrap();
    let output = start(dir.path(), &variables);
    assert_eq!(output.status.code(), Some(2));
    assert!(process::text(&output.stderr).contains("isugate could not be built"));
}

#[test]
fn a_cancellation_during_the_build_ends_it_with_all_that_it_started() {
    let dir = tempfile::tempdir().unwrap();
    let source = dir.path().join("action");
    // No other run's.
    let seconds = format!("77.{}", std::process::id());
    crate_of(&source, &seconds);
    let variables = [("ISUGATE_ACTION", source.to_str().unwrap()), ("ISUGATE_VERSION", "source")];
    let mut running = command(dir.path(), &variables).spawn().unwrap();
    let sleeps = || {
        let all = process::run(Command::new("sh").args(["-c", "pgrep -xa sleep || true"]))?;
        Ok(all.lines().any(|line| line.ends_with(&format!("sleep {seconds}"))).then_some(()))
    };
    process::wait_for("the build", Duration::from_secs(60), sleeps).unwrap();
    process::signal("INT", &[running.id()]).unwrap();
    let status = process::wait_for("the end", Duration::from_secs(7), || Ok(running.try_wait()?)).unwrap();
    assert_eq!(status.code(), Some(130));
    let gone = || Ok(sleeps()?.is_none().then_some(()));
    process::wait_for("the end of the build script", Duration::from_secs(7), gone).unwrap();
}
