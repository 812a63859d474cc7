//! The main workflow on the demo target: a Go application with a database that is built and started on the host over SSH, its
//! benchmarker, and isutools' contract.

use std::{
    net::TcpListener,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::{Value, json};

use super::act::{Act, git};
use crate::{
    fake::World,
    rig::{
        go, process,
        sshd::{Options, Sshd},
    },
};

/// What a build on the host needs: Go, and the caches that all tests share.
fn environment() -> String {
    let caches = go::caches().unwrap();
    format!(
        "PATH=/usr/local/go/bin:$PATH GOTOOLCHAIN=local GOFLAGS=-modcacherw GOMODCACHE={} GOCACHE={} ",
        caches.join("mod").display(),
        caches.join("build").display()
    )
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// The demo's repository, with a configuration as `scripts/demo` has it.
fn repository(dir: &Path, host: &Sshd) -> PathBuf {
    let demo = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/demo");
    let (repo, home) = (dir.join("repo"), host.home().display());
    process::run(Command::new(demo.join("make-repo")).arg(&repo)).unwrap();
    let bench = host.home().join("bench");
    go::build("bench", "./cmd/bench", &bench).unwrap();
    let (port, admin) = (free_port(), free_port());
    let settings =
        format!("ADDR=127.0.0.1:{port}\nISUTOOLS_ADDR=127.0.0.1:{admin}\nISUTOOLS_DATA_DIR={home}/isutools\n");
    std::fs::write(host.home().join("demo.env"), settings).unwrap();
    std::fs::create_dir(host.home().join("isutools")).unwrap();
    let environment = environment();
    let text = format!(
        "version: 1\ncontest: isucon14\nssh: {{ config: {config} }}\nhosts:\n  app1: {{ ssh: demo, roles: [app, bench], address: 127.0.0.1 }}\n\
         deploy:\n  dir: {home}/webapp\n  build: [{{ on: app, run: \"{environment}app/build $ISUGATE_COMMIT\" }}]\n  \
         restart: [{{ on: app, run: app/service restart }}]\n  ready: [{{ on: app, http: \"http://127.0.0.1:{port}/healthz\", within: 20s }}]\n\
         bench:\n  on: bench\n  run: \"{bench} run --target http://127.0.0.1:{port} --payment-url http://127.0.0.1:{{{{port.payment}}}} \
         --payment-bind-port {{{{port.payment}}}} -t 2\"\n  timeout: 60s\n\
         isutools: [{{ on: app1, url: \"http://127.0.0.1:{admin}\", data_dir: {home}/isutools }}]\ngithub: {{ check: true }}\n",
        config = host.access().config.display(),
        bench = bench.display(),
    );
    std::fs::write(repo.join("isugate.yml"), text).unwrap();
    repo
}

#[test]
fn the_demo_target_is_deployed_and_benchmarked_and_a_wrong_answer_is_a_revert_on_the_pull_request() {
    let (world, dir) = (World::new(), tempfile::tempdir().unwrap());
    // The user that has Go's caches, with another home: what a shell there begins with is not the test's business.
    let home = ("HOME".to_owned(), dir.path().display().to_string());
    let options = Options { current_user: true, env: vec![home], ..Options::new("demo", 89) };
    let host = Sshd::start(&options).unwrap();
    let repo = repository(dir.path(), &host);
    git(&repo, &["branch", "-m", "baseline", "main"]);
    let act = Act::new(&world, &repo, host.access());
    act.share_the_ledger();
    let main = git(&repo, &["rev-parse", "HEAD"]).trim().to_owned();
    let known: Value = json!({"full_name": world.name, "private": true, "default_branch": "main"});
    let push = json!({"ref": "refs/heads/main", "after": main, "repository": known});
    let (ok, log) = act.run("isugate.yml", &("push", push));
    assert!(ok, "{log}");
    assert_eq!(world.state().check().1, "success", "{log}");

    let head = git(&repo, &["rev-parse", "faster-but-wrong"]).trim().to_owned();
    let from = json!({"sha": head, "ref": "faster-but-wrong", "repo": {"full_name": world.name}});
    let pull = json!({"number": 7, "merged": false, "head": from});
    let event = json!({"action": "opened", "number": 7, "pull_request": pull, "repository": known});
    let (ok, log) = act.run("isugate.yml", &("pull_request", event));
    assert!(!ok, "{log}");
    let comments = world.comments();
    assert!(comments[0].contains("REVERT") && comments[0].contains("Error codes"), "{}\n{log}", comments[0]);
    // isutools' snapshot was saved, and its figures stand beside the baseline's.
    assert!(comments[0].contains("Evidence of app1") && comments[0].contains("200 GET /areas/"), "{}", comments[0]);
    let stop = format!("{}/webapp/app/service stop", host.home().display());
    host.access().run(&stop).unwrap();
}
