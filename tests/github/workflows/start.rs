//! What the action's one step does before it becomes isugate.

use std::{
    os::unix::fs::PermissionsExt,
    path::Path,
    process::{Command, Output},
};

use crate::rig::process;

/// The script with a stand-in that prints what it was given.
fn start(dir: &Path, variables: &[(&str, &str)]) -> Output {
    let mut command = Command::new("bash");
    command.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/action-start")).current_dir(dir);
    command.env("RUNNER_TEMP", dir).env("RUNNER_TOOL_CACHE", dir.join("tools")).envs(variables.iter().copied());
    command.output().unwrap()
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
