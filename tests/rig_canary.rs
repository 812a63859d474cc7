//! Canaries for the rig: what the other tests take for granted about the real
//! parts that they run on. When one of these fails, believe no other test.

pub mod rig;

use anyhow::{Context, Result, ensure};
use rig::git_http::GitHttp;
use rig::git_remote::{self, GitRemote, git};
use rig::process;
use rig::scope;
use rig::ssh;
use rig::sshd::{Options, Sshd};
use rig::systemd_host::SystemdHost;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// ssh's own failure, as opposed to the remote command's.
const SSH_FAILED: Option<i32> = Some(255);

#[test]
fn a_command_runs_as_the_servers_user_and_its_exit_status_comes_back() -> Result<()> {
    let sshd = Sshd::start(&Options::new("t1", 1))?;
    assert_eq!(sshd.access().run("id -un")?.trim(), sshd.access().user);
    assert_eq!(sshd.access().output("exit 7")?.status.code(), Some(7));
    assert_eq!(sshd.access().run(&format!("touch {0}/made && ls {0}", sshd.home().display()))?.trim(), "made");
    Ok(())
}

#[test]
fn a_session_has_the_environment_that_the_test_gave_it() -> Result<()> {
    let path = ("PATH".to_owned(), "/usr/bin:/bin:/opt/a b".to_owned());
    let sshd = Sshd::start(&Options { env: vec![path], ..Options::new("t13", 13) })?;
    assert_eq!(sshd.access().run("echo $PATH")?, "/usr/bin:/bin:/opt/a b\n");
    Ok(())
}

#[test]
fn an_unknown_host_key_is_refused() -> Result<()> {
    let sshd = Sshd::start(&Options::new("t2", 2))?;
    sshd.forget_host_key()?;
    let output = sshd.access().output("true")?;
    assert_eq!(output.status.code(), SSH_FAILED);
    let said = process::text(&output.stderr);
    assert!(said.contains("host key is known for"), "{said}");
    Ok(())
}

#[test]
fn a_changed_host_key_is_refused() -> Result<()> {
    let sshd = Sshd::start(&Options::new("t3", 3))?;
    sshd.access().run("true")?;
    sshd.change_host_key()?;
    let output = sshd.access().output("true")?;
    assert_eq!(output.status.code(), SSH_FAILED);
    let said = process::text(&output.stderr);
    assert!(said.contains("REMOTE HOST IDENTIFICATION HAS CHANGED"), "{said}");
    Ok(())
}

#[test]
fn a_stopped_server_refuses_and_serves_again_after_its_start() -> Result<()> {
    let sshd = Sshd::start(&Options::new("t4", 4))?;
    sshd.stop()?;
    let output = sshd.access().output("true")?;
    assert_eq!(output.status.code(), SSH_FAILED);
    assert!(process::text(&output.stderr).contains("Connection refused"));
    sshd.start_again()?;
    sshd.access().run("true")?;
    Ok(())
}

#[test]
fn a_frozen_server_keeps_the_client_waiting_until_it_is_thawed() -> Result<()> {
    let sshd = Sshd::start(&Options::new("t5", 5))?;
    sshd.freeze()?;
    let mut client = sshd.access().command();
    client.args(["-o", "ConnectTimeout=1"]).arg("true");
    let output = process::output(&mut client)?;
    sshd.thaw()?;
    assert_eq!(output.status.code(), SSH_FAILED);
    let said = process::text(&output.stderr);
    assert!(said.contains("timed out"), "{said}");
    sshd.access().run("true")?;
    Ok(())
}

#[test]
fn a_broken_connection_ends_the_client_but_not_what_detached_itself() -> Result<()> {
    let sshd = Sshd::start(&Options::new("t6", 6))?;
    let home = sshd.home().display().to_string();
    let job = format!(
        "setsid sh -c 'echo started; sleep 2; echo done >{home}/result' >{home}/out 2>&1 </dev/null & sleep 60"
    );
    let mut client = sshd.access().command().arg(job).spawn()?;
    process::wait_for("the job", Duration::from_secs(20), || Ok(sshd.home().join("out").exists().then_some(())))?;
    assert!(sshd.kill_connections()? > 0);
    assert_eq!(client.wait()?.code(), SSH_FAILED);
    process::wait_for("the detached job's result", Duration::from_secs(20), || {
        Ok(sshd.home().join("result").exists().then_some(()))
    })
}

#[test]
fn one_connection_carries_no_more_sessions_than_the_server_allows() -> Result<()> {
    let sshd = Sshd::start(&Options { max_sessions: 1, ..Options::new("t7", 7) })?;
    let dir = tempfile::tempdir()?;
    let control = format!("ControlPath={}", dir.path().join("c").display());
    let job = format!("touch {}/started; sleep 30", sshd.home().display());
    let mut master = sshd.access().command().args(["-M", "-o", &control, &job]).spawn()?;
    process::wait_for("the first session", Duration::from_secs(20), || {
        Ok(sshd.home().join("started").exists().then_some(()))
    })?;
    let second =
        process::output(sshd.access().command().args(["-v", "-o", &control, "-o", "ProxyCommand=false", "true"]))?;
    master.kill()?;
    master.wait()?;
    let said = process::text(&second.stderr);
    assert!(said.contains("Session open refused by peer"), "{said}");
    Ok(())
}

#[test]
fn two_servers_with_different_users_are_reached_through_one_configuration() -> Result<()> {
    let (a, b) = (Sshd::start(&Options::new("t8", 8))?, Sshd::start(&Options::new("t9", 9))?);
    let dir = tempfile::tempdir()?;
    let config = dir.path().join("config");
    ssh::join_configs(&config, &[a.access(), b.access()])?;
    for sshd in [&a, &b] {
        let user = process::run(Command::new("ssh").arg("-F").arg(&config).args([&sshd.access().alias, "id -un"]))?;
        assert_eq!(user.trim(), sshd.access().user);
    }
    Ok(())
}

#[test]
fn a_dropped_server_leaves_no_process_user_or_file() -> Result<()> {
    let sshd = Sshd::start(&Options::new("t10", 10))?;
    let pid = sshd.access().run("setsid sleep 600 >/dev/null 2>&1 </dev/null & echo $!")?.trim().parse()?;
    assert!(process::is_alive(pid));
    let mut local = Command::new("sleep");
    sshd.access().end_with_host(local.arg("600"));
    let mut local = local.spawn()?;
    let (address, port) = sshd.address();
    let address = format!("{address}:{port}");
    let (user, log) = (sshd.access().user.clone(), sshd.log());
    drop(sshd);
    assert!(!process::is_alive(pid));
    assert!(!process::is_alive(local.id()));
    local.wait()?;
    assert!(std::net::TcpStream::connect(address).is_err());
    assert!(!log.exists());
    if process::is_root() {
        assert!(!process::output(Command::new("id").arg(&user))?.status.success(), "{user} is still there");
    }
    Ok(())
}

/// One commit in a new repository at `dir`; returns its id.
fn commit_in(dir: &Path, text: &str) -> Result<String> {
    process::run(git().args(["init", "--quiet", "--initial-branch=main"]).arg(dir))?;
    std::fs::write(dir.join("file"), text)?;
    process::run(git().arg("-C").arg(dir).args(["add", "file"]))?;
    process::run(git().arg("-C").arg(dir).args(["commit", "--quiet", "-m", "a commit"]))?;
    Ok(process::run(git().arg("-C").arg(dir).args(["rev-parse", "HEAD"]))?.trim().to_owned())
}

#[test]
fn a_push_arrives_over_file_and_ssh() -> Result<()> {
    let sshd = Sshd::start(&Options::new("t11", 11))?;
    let dir = tempfile::tempdir()?;
    let commit = commit_in(dir.path(), "text")?;
    let (by_file, by_ssh) = (GitRemote::new()?, GitRemote::on(&sshd, "team")?);
    for (remote, url) in [(&by_file, by_file.file_url()), (&by_ssh, by_ssh.ssh_url(&sshd))] {
        let mut push = git();
        push.env("GIT_SSH_COMMAND", git_remote::ssh_command(&sshd));
        process::run(push.arg("-C").arg(dir.path()).args(["push", "--quiet", &url, "main"]))?;
        assert_eq!(remote.commit("main")?.as_deref(), Some(commit.as_str()));
    }
    Ok(())
}

#[test]
fn a_push_over_http_wants_the_token_and_obeys_the_hook() -> Result<()> {
    let dir = tempfile::tempdir()?;
    // More than git sends in one piece, so that the request is chunked.
    let noise: String = (0u64..400_000).map(|n| format!("{:x}", n.wrapping_mul(0x9E37_79B9_7F4A_7C15))).collect();
    let commit = commit_in(dir.path(), &noise)?;
    let server = GitHttp::start_with_token(GitRemote::new()?, "secret")?;
    let push = |url: &str| process::output(git().arg("-C").arg(dir.path()).args(["push", "--quiet", url, "main"]));
    let with_token = server.url().replace("http://", "http://x-access-token:secret@");

    assert!(!push(&server.url())?.status.success());
    server.remote().refuse_pushes("it's closed")?;
    let refused = push(&with_token)?;
    let said = process::text(&refused.stderr);
    assert!(
        !refused.status.success() && said.contains("it's closed") && said.contains("pre-receive hook declined"),
        "{said}"
    );
    server.remote().take_pushes()?;
    server.fail_next(1);
    assert!(process::text(&push(&with_token)?.stderr).contains("503"));
    assert_eq!(server.remote().commit("main")?, None);

    let pushed = push(&with_token)?;
    assert!(pushed.status.success(), "{}", process::text(&pushed.stderr));
    assert_eq!(server.remote().commit("main")?, Some(commit.clone()));
    let clone = dir.path().join("clone");
    process::run(git().args(["clone", "--quiet", &with_token]).arg(&clone))?;
    assert_eq!(process::run(git().arg("-C").arg(&clone).args(["rev-parse", "HEAD"]))?.trim(), commit);
    Ok(())
}

#[test]
fn hosts_boot_together_know_each_other_and_are_up() -> Result<()> {
    let hosts = SystemdHost::start_all(&["isu1", "isu2"])?;
    let [isu1, isu2] = hosts.as_slice() else { anyhow::bail!("{} hosts", hosts.len()) };
    for host in &hosts {
        assert_eq!(
            host.exec("cat /proc/1/comm; hostname; id -un; sudo id -un")?,
            format!("systemd\n{}\nisucon\nroot\n", host.name())
        );
        assert_eq!(host.exec("systemctl is-system-running")?.trim(), "running");
    }
    let page = isu1.exec("curl -sS --max-time 5 http://isu2/")?;
    assert!(page.contains("Welcome to nginx"), "{page}");
    // From where the controller may run, without the proxy of the configuration.
    let reached = process::run(isu1.network().command("curl")?.args([
        "-sS",
        "--max-time",
        "5",
        &format!("http://{}/", isu2.address()),
    ]))?;
    assert_eq!(reached, page);
    Ok(())
}

/// A service of three workers that, as some do, ignore SIGTERM.
const THREE_WORKERS: &str = r#"
sudo tee /etc/systemd/system/workers.service >/dev/null <<'EOF'
[Service]
ExecStart=/bin/sh -c 'trap "" TERM; for i in 1 2 3; do sleep 1001 & done; wait'
TimeoutStopSec=1
Restart=always
RestartSec=100ms
EOF
sudo systemctl daemon-reload && sudo systemctl start workers"#;

#[test]
fn a_restart_ends_every_child_of_a_unit_and_a_crash_is_counted() -> Result<()> {
    // Two hosts: it is a shared cgroup that would make restarts leave children.
    let hosts = SystemdHost::start_all(&["isu1", "isu2"])?;
    for host in &hosts {
        host.exec(THREE_WORKERS)?;
    }
    for host in &hosts {
        let workers = || host.exec("ps -C sleep -o args= | grep -c '^sleep 1001$' || true");
        let restarts = || host.exec("systemctl show -P NRestarts workers");
        let three = |when| process::wait_for(when, Duration::from_secs(20), || Ok((workers()? == "3\n").then_some(())));
        three("three workers")?;
        host.exec("sudo systemctl restart workers")?;
        three("three workers after a restart")?;
        assert_eq!(restarts()?, "0\n");
        assert_eq!(host.exec("systemctl status workers | grep -c 'sleep 1001$'")?, "3\n");

        host.exec("sudo kill -KILL $(systemctl show -P MainPID workers)")?;
        process::wait_for("a counted crash", Duration::from_secs(20), || Ok((restarts()? == "1\n").then_some(())))?;
        three("three workers after a crash")?;
    }
    let host = hosts.first().context("a host")?;
    assert_eq!(host.output("systemctl restart workers")?.status.code(), Some(4), "a restart needs sudo");
    assert_eq!(host.output("sudo systemctl restart no-such-unit")?.status.code(), Some(5));
    Ok(())
}

#[test]
fn a_bad_nginx_configuration_is_seen_by_its_check_and_a_good_one_served() -> Result<()> {
    let host = SystemdHost::start("isu1")?;
    let site = "/etc/nginx/sites-enabled/default";
    host.exec(&format!("echo 'server {{ listen 8080; return 200 new; }}' | sudo tee {site} && sudo nginx -t && sudo systemctl reload nginx"))?;
    process::wait_for("the new configuration", Duration::from_secs(20), || {
        Ok((process::text(&host.output("curl -s http://127.0.0.1:8080/")?.stdout) == "new").then_some(()))
    })?;
    host.exec(&format!("echo 'server {{ listen }}' | sudo tee {site}"))?;
    let check = host.output("sudo nginx -t")?;
    assert_eq!(check.status.code(), Some(1));
    assert!(process::text(&check.stderr).contains(site));
    Ok(())
}

#[test]
fn an_unplugged_host_is_silent_and_a_rebooted_one_keeps_its_files() -> Result<()> {
    let host = SystemdHost::start("isu1")?;
    host.unplug()?;
    let started = Instant::now();
    let mut client = host.access().command();
    let output = process::output(client.args(["-o", "ConnectTimeout=1"]).arg("true"))?;
    assert_eq!(output.status.code(), SSH_FAILED);
    ensure!(
        started.elapsed() >= Duration::from_secs(1),
        "it was refused, not silent: {}",
        process::text(&output.stderr)
    );
    host.plug()?;
    host.exec("echo kept >note")?;
    host.reboot()?;
    assert_eq!(host.exec("cat note")?, "kept\n");
    Ok(())
}

#[test]
fn a_dropped_host_leaves_no_cgroup_namespace_or_file() -> Result<()> {
    let host = SystemdHost::start("isu1")?;
    let scope = host.access().config.parent().context("a directory")?.to_owned();
    let id = scope.file_name().context("a name")?.to_string_lossy().into_owned();
    let left = || -> Result<String> {
        process::run(Command::new("sh").args(["-c", &format!("ls -d /sys/fs/cgroup/*/isugate-{id}* /run/netns/isugate-{id}* {} 2>&1 | grep -v 'cannot access' || true", scope.display())]))
    };
    assert_ne!(left()?, "");
    drop(host);
    assert_eq!(left()?, "");
    Ok(())
}

/// Runs another test of this file in a process of its own and kills that process
/// as soon as `file` in its scope holds something; returns what `list` of the
/// scope held, after the guard has removed the scope.
fn kill_in_the_middle(test: &str, file: &str, list: &str) -> Result<String> {
    let mut victim = Command::new(std::env::current_exe()?).args(["--exact", test]).stdout(Stdio::null()).spawn()?;
    let prefix = format!("{}-", victim.id());
    let scope = process::wait_for("the test in the middle", Duration::from_secs(60), || {
        let mut entries = std::fs::read_dir(scope::base()?)?.flatten();
        let scope = entries.find(|entry| entry.file_name().to_string_lossy().starts_with(&prefix));
        let scope = scope.map(|entry| entry.path());
        Ok(scope.filter(|scope| scope.join(file).metadata().is_ok_and(|file| file.len() > 0)))
    })?;
    let owned = std::fs::read_to_string(scope.join(list))?;
    victim.kill()?;
    victim.wait()?;
    process::wait_for("the guard", Duration::from_secs(20), || Ok((!scope.exists()).then_some(())))?;
    Ok(owned)
}

#[test]
fn a_killed_test_process_leaves_no_server() -> Result<()> {
    let test = "a_broken_connection_ends_the_client_but_not_what_detached_itself";
    let processes = kill_in_the_middle(test, "home/out", "pids")?;
    let pid = processes.split(' ').next().context("the test owned no process")?.parse()?;
    assert!(!process::is_alive(pid));
    Ok(())
}

#[test]
fn a_killed_test_process_leaves_no_host() -> Result<()> {
    let test = "a_restart_ends_every_child_of_a_unit_and_a_crash_is_counted";
    let cgroups = kill_in_the_middle(test, "isu1/upper/etc/systemd/system/workers.service", "cgroups")?;
    ensure!(!cgroups.is_empty(), "the test owned no cgroup");
    for cgroup in cgroups.lines() {
        let left = process::run(Command::new("find").args(["/sys/fs/cgroup", "-maxdepth", "2", "-name", cgroup]))?;
        assert_eq!(left, "");
    }
    Ok(())
}
