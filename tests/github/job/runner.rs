//! A runner on a host, from an archive of our own in the place of GitHub's program.

use std::process::Command;

use serde_json::json;

use crate::{
    fake::{Fault, On, REGISTRATION, World},
    rig::{
        process,
        sshd::{Options, Sshd},
    },
};

const CONFIG: &str = r#"#!/bin/sh
echo "$ACTIONS_RUNNER_INPUT_TOKEN $*" >.runner
tr '\0' ' ' </proc/$$/cmdline >cmdline
"#;
const SERVICE: &str = "#!/bin/sh\necho \"$@\" >>service.log\n[ \"$1\" = install ] && touch .service\nexit 0\n";

/// The archive, made on the host itself; its path and SHA-256.
fn archive(host: &Sshd, version: &str) -> (String, String) {
    let home = host.home().display();
    let script = format!(
        "set -e; rm -rf {home}/a; mkdir -p {home}/a/bin {home}/bin; cd {home}/a; printf '#!/bin/sh\\necho {version}\\n' >bin/Runner.Listener; \
         cat >config.sh <<'X'\n{CONFIG}X\ncat >svc.sh <<'X'\n{SERVICE}X\nprintf '#!/bin/sh\\nshift; exec \"$@\"\\n' >{home}/bin/sudo; \
         chmod +x bin/* *.sh {home}/bin/sudo; tar -czf {home}/runner.tar.gz .; sha256sum {home}/runner.tar.gz"
    );
    let sum = host.access().run(&script).unwrap();
    (format!("file://{home}/runner.tar.gz"), sum.split_whitespace().next().unwrap().to_owned())
}

/// `isugate runner` for the host `app1` of a configuration.
pub fn isugate(world: &World, dir: &std::path::Path, verb: &str) -> (Option<i32>, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_isugate"))
        .args(["runner", verb, "--host", "app1", "--repository", &world.name, "--api-url", &world.url()])
        .current_dir(dir)
        .env("ISUGATE_GITHUB_TOKEN", &world.token)
        .output()
        .unwrap();
    (output.status.code(), process::text(&[output.stdout, output.stderr].concat()))
}

#[test]
fn a_runner_is_planned_installed_left_alone_and_replaced_when_it_is_old() {
    let world = World::new();
    let mut options = Options::new("ghrunner", 80);
    // A stand-in for sudo comes first: the test's user may not become root. bash looks for `~` in PATH itself.
    options.env = vec![("PATH".into(), "~/bin:/usr/local/bin:/usr/bin:/bin".into())];
    let host = Sshd::start(&options).unwrap();
    let dir = tempfile::tempdir().unwrap();
    process::run(Command::new("git").args(["init", "-q"]).arg(dir.path())).unwrap();
    let config = format!(
        "version: 1\ncontest: generic\nssh: {{ config: {} }}\nhosts:\n  app1: {{ ssh: ghrunner, roles: [app] }}\nbench: {{ on: app, run: \"true\" }}\n",
        host.access().config.display()
    );
    std::fs::write(dir.path().join("isugate.yml"), config).unwrap();
    let offer = |version: &str| {
        let (url, sum) = archive(&host, version);
        let machine = host.access().run("uname -m").unwrap();
        let architecture = if machine.trim() == "x86_64" { "x64" } else { "arm64" };
        let name = format!("actions-runner-linux-{architecture}-{version}.tar.gz");
        world.state().downloads = json!([{
            "os": "linux", "architecture": architecture, "download_url": url, "filename": name, "sha256_checksum": sum,
        }]);
    };
    offer("2.330.0");
    let runner = |file: &str| host.access().run(&format!("cat ~/actions-runner/{file}")).unwrap_or_default();

    let (status, said) = isugate(&world, dir.path(), "plan");
    assert_eq!(status, Some(0), "{said}");
    assert!(said.contains("runner 2.330.0 is fetched"), "{said}");
    assert!(runner(".runner").is_empty() && world.count(On::RunnerToken) == 0, "a plan changes nothing");

    let (status, said) = isugate(&world, dir.path(), "install");
    assert_eq!(status, Some(0), "{said}");
    let registered = runner(".runner");
    assert!(
        registered.starts_with(&format!("{REGISTRATION} --unattended --replace --url https://github.com/team/")),
        "{registered}"
    );
    assert!(registered.contains("--labels isucon"), "{registered}");
    assert!(
        !runner("cmdline").contains(REGISTRATION) && !said.contains(REGISTRATION),
        "the registration token is no argument"
    );
    assert!(runner("service.log").contains("start"), "{}", runner("service.log"));

    let (_, said) = isugate(&world, dir.path(), "install");
    assert!(said.contains("is there and current") && world.count(On::RunnerToken) == 1, "{said}");
    offer("2.331.0");
    let (status, said) = isugate(&world, dir.path(), "install");
    assert_eq!(status, Some(0), "{said}");
    assert!(said.contains("runner 2.330.0 is replaced by 2.331.0"), "{said}");
    assert!(runner("service.log").contains("stop"), "{}", runner("service.log"));

    offer("2.332.0");
    world.state().downloads[0]["sha256_checksum"] = json!("0".repeat(64));
    let (status, said) = isugate(&world, dir.path(), "install");
    assert_eq!(status, Some(1), "{said}");
    assert!(said.contains("another SHA-256"), "{said}");

    world.next(On::Downloads, Fault::permission());
    let (status, said) = isugate(&world, dir.path(), "plan");
    assert_eq!(status, Some(1), "{said}");
    assert!(said.contains("Administration"), "{said}");
}
