//! The reboot check on a host that really restarts.

use std::{os::unix::fs::PermissionsExt, process::Command};

use serde_json::json;

use super::act::{Act, git};
use crate::{
    fake::World,
    rig::{process, systemd_host::SystemdHost},
};

#[test]
fn what_does_not_come_up_by_itself_after_a_restart_fails_the_reboot_check() {
    let host = SystemdHost::start("isu1").unwrap();
    let (world, dir) = (World::new(), tempfile::tempdir().unwrap());
    let repo = dir.path().join("repo");
    process::run(Command::new("git").args(["init", "-q", "-b", "main"]).arg(&repo)).unwrap();
    let config = host.access().config.display().to_string();
    let text = format!(
        "version: 1\ncontest: generic\nssh: {{ config: {config} }}\nhosts:\n  isu1: {{ ssh: isu1, roles: [bench] }}\nbench:\n  on: bench\n  \
         run: \"if curl -sf http://127.0.0.1/ >/dev/null; then echo '{{\\\"pass\\\":true,\\\"score\\\":1000}}'; else echo '{{\\\"pass\\\":false,\\\"score\\\":0}}'; fi\"\n  \
         timeout: 60s\n"
    );
    std::fs::write(repo.join("isugate.yml"), text).unwrap();
    let act = Act::new(&world, &repo, host.access());
    let ledger = act.share_the_ledger();
    // In the place of the SSH configuration that a runner has.
    let bin = dir.path().join("bin");
    std::fs::create_dir(&bin).unwrap();
    let ssh = format!("#!/bin/sh\nexec {} -F {config} \"$@\"\n", process::program("ssh").unwrap().display());
    std::fs::write(bin.join("ssh"), ssh).unwrap();
    std::fs::set_permissions(bin.join("ssh"), std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let repository = json!({"full_name": world.name, "private": true, "default_branch": "main"});
    let event = json!({"inputs": {"hosts": "isu1"}, "ref": "refs/heads/main", "repository": repository});
    let event = ("workflow_dispatch", event);
    let run = || {
        let output = act.command("isugate-reboot.yml", &event).env("PATH", &path).output().unwrap();
        (output.status.success(), process::text(&[output.stdout, output.stderr].concat()))
    };
    let boot = || host.exec("cat /proc/sys/kernel/random/boot_id").unwrap();

    // It was started by hand and is not enabled: before the restart nobody sees it.
    host.exec("sudo systemctl disable nginx && systemctl is-active nginx && curl -sf http://127.0.0.1/ >/dev/null")
        .unwrap();
    let first = boot();
    let (ok, log) = run();
    assert!(!ok && boot() != first, "{log}");
    host.exec("sudo systemctl enable --now nginx").unwrap();
    let second = boot();
    let (ok, log) = run();
    assert!(ok && boot() != second, "{log}");
    assert!(git(&ledger, &["show", "isugate-ledger:README.md"]).contains("1,000"), "{log}");
    let runs = git(&ledger, &["ls-tree", "--name-only", "isugate-ledger:runs"]);
    assert_eq!(runs.lines().count(), 2, "{runs}");
}
