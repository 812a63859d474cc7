//! The same on a host with a real systemd: the stand-in's `svc.sh` does with units what GitHub's does.

use std::process::Command;

use serde_json::json;

use super::runner::isugate;
use crate::{
    fake::{On, REGISTRATION, World},
    rig::{process, systemd_host::SystemdHost},
};

/// Registers: keeps a hash of the token and its arguments, and what every user can see of the processes meanwhile.
const CONFIG: &str = r#"#!/bin/bash
set -e
printf '%s' "$ACTIONS_RUNNER_INPUT_TOKEN" | sha256sum | cut -d' ' -f1 >.runner
echo "$*" >>.runner
ps -eo user,args >~/seen-processes
"#;

/// `svc.sh install USER|start|stop|status`, for root.
const SERVICE: &str = r#"#!/bin/bash
set -e
[ "$(id -u)" = 0 ] || { echo 'Must run as sudo' >&2; exit 1; }
cd "$(dirname "$0")"
name=actions.runner.stand-in.service
case $1 in
  install)
    [ ! -e .service ] || { echo 'exists' >&2; exit 1; }
    cat >/etc/systemd/system/$name <<UNIT
[Unit]
After=network.target
[Service]
ExecStart=$PWD/bin/Runner.Listener run
User=$2
WorkingDirectory=$PWD
KillMode=process
TimeoutStopSec=5min
[Install]
WantedBy=multi-user.target
UNIT
    chmod 644 /etc/systemd/system/$name
    systemctl daemon-reload
    systemctl enable --quiet $name
    echo $name >.service
    ;;
  start|stop|status) systemctl --no-pager $1 $name ;;
  *) exit 2 ;;
esac
"#;

/// The archive of a version, made on the host; its SHA-256.
fn archive(host: &SystemdHost, version: &str) -> String {
    let script = format!(
        "set -e; rm -rf ~/made; mkdir -p ~/made/bin; cd ~/made\n\
         printf '#!/bin/sh\\n[ \"$1\" = --version ] && {{ echo {version}; exit; }}\\nexec sleep infinity\\n' >bin/Runner.Listener\n\
         cat >config.sh <<'X'\n{CONFIG}X\ncat >svc.sh <<'X'\n{SERVICE}X\n\
         chmod +x bin/Runner.Listener config.sh svc.sh; tar -czf ~/runner-{version}.tar.gz .; sha256sum ~/runner-{version}.tar.gz"
    );
    host.exec(&script).unwrap().split_whitespace().next().unwrap().to_owned()
}

#[test]
fn the_service_is_registered_enabled_and_running_outlives_a_reboot_and_leaves_no_token_behind() {
    let host = SystemdHost::start("runner").unwrap();
    let (world, dir) = (World::new(), tempfile::tempdir().unwrap());
    process::run(Command::new("git").args(["init", "-q"]).arg(dir.path())).unwrap();
    let config = format!(
        "version: 1\ncontest: generic\nssh: {{ config: {} }}\nhosts:\n  app1: {{ ssh: runner, roles: [app] }}\nbench: {{ on: app, run: \"true\" }}\n",
        host.access().config.display()
    );
    std::fs::write(dir.path().join("isugate.yml"), config).unwrap();
    let machine = host.exec("uname -m").unwrap();
    let architecture = if machine.trim() == "x86_64" { "x64" } else { "arm64" };
    let offer = |version: &str, sum: &str| {
        world.state().downloads = json!([{
            "os": "linux", "architecture": architecture, "sha256_checksum": sum,
            "download_url": format!("file:///home/isucon/runner-{version}.tar.gz"),
            "filename": format!("actions-runner-linux-{architecture}-{version}.tar.gz"),
        }]);
    };
    let unit = |property: &str| {
        host.exec(&format!("systemctl show --value -p {property} actions.runner.stand-in")).unwrap().trim().to_owned()
    };
    let sum = archive(&host, "2.330.0");

    // What is not what GitHub says it is never runs.
    offer("2.330.0", &"0".repeat(64));
    let (status, said) = isugate(&world, dir.path(), "install");
    assert_eq!(status, Some(1), "{said}");
    assert!(said.contains("another SHA-256"), "{said}");
    assert_eq!(host.exec("ls -A ~/actions-runner").unwrap(), "");
    assert_eq!(unit("LoadState"), "not-found");

    offer("2.330.0", &sum);
    let (status, said) = isugate(&world, dir.path(), "install");
    assert_eq!(status, Some(0), "{said}");
    let state = || ["ActiveState", "UnitFileState", "User"].map(unit);
    assert_eq!(state(), ["active", "enabled", "isucon"], "{said}");
    let registered = host.exec("cat ~/actions-runner/.runner").unwrap();
    let hashed = process::run(Command::new("sh").args(["-c", "printf %s \"$0\" | sha256sum", REGISTRATION])).unwrap();
    assert_eq!(registered.lines().next(), hashed.split_whitespace().next(), "the token has arrived");
    let arguments = format!("--url https://github.com/{} --name isugate-app1 --labels isucon", world.name);
    assert!(registered.contains(&arguments), "{registered}");

    // Neither token is on the host: in a file, in the journal, in what every user sees of the processes.
    for token in [REGISTRATION, &world.token] {
        // Not as an argument: this search would find itself.
        let search = format!(
            "printf '%s\\n' {} | rev >/tmp/wanted; sudo grep -rlsI -f /tmp/wanted /etc /home /root /tmp /var /run || true; \
             sudo journalctl --no-pager -o cat | grep -cf /tmp/wanted || true; rm /tmp/wanted",
            token.chars().rev().collect::<String>()
        );
        assert_eq!(host.exec(&search).unwrap().trim(), "/tmp/wanted\n0", "of {token}");
    }
    let seen = host.exec("cat ~/seen-processes").unwrap();
    assert!(seen.contains("config.sh") && !seen.contains(REGISTRATION) && !seen.contains(&world.token), "{seen}");

    // Once more: nothing is done again, and the service is not even restarted.
    let (before, asked) = (unit("MainPID"), world.count(On::RunnerToken));
    let (status, said) = isugate(&world, dir.path(), "install");
    assert_eq!(status, Some(0), "{said}");
    assert_eq!((unit("MainPID"), world.count(On::RunnerToken)), (before.clone(), asked), "{said}");

    // A newer one takes its place, under the same registration.
    let sum = archive(&host, "2.331.0");
    offer("2.331.0", &sum);
    let (status, said) = isugate(&world, dir.path(), "install");
    assert_eq!(status, Some(0), "{said}");
    assert_eq!(host.exec("~/actions-runner/bin/Runner.Listener --version").unwrap().trim(), "2.331.0");
    assert_ne!(unit("MainPID"), before);
    assert_eq!(world.count(On::RunnerToken), asked);

    host.reboot().unwrap();
    assert_eq!(state(), ["active", "enabled", "isucon"]);
}
