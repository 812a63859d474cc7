//! Hosts that lack what a run needs, or go away.

use std::time::Duration;

use anyhow::Result;

use super::app;
use super::rig::process;
use super::team::{Turn, said};

#[test]
fn a_user_without_sudo_is_told_before_anything_is_changed() -> Result<()> {
    let turn = Turn::take()?;
    turn.commit(&app::files(1000))?;
    // One of root's processes gives it back, since the user can not.
    let take_away = "touch /tmp/no-sudo; cd /; sudo setsid sh -c 'mv /etc/sudoers.d/isucon /root/isucon
                     while [ -e /tmp/no-sudo ]; do sleep 0.1; done; mv /root/isucon /etc/sudoers.d/isucon' >/dev/null 2>&1 </dev/null &
                     while sudo -n true 2>/dev/null; do sleep 0.1; done";
    turn.host(2).exec(take_away)?;
    let said = turn.bench();
    turn.host(2).exec("rm /tmp/no-sudo; until sudo -n true 2>/dev/null; do sleep 0.1; done")?;
    let said = said?;
    assert_eq!(said.code, Some(1), "{}", said.stderr);
    assert!(
        said.stderr.contains("isu2: restarting app needs root, and isucon may not use sudo without a password"),
        "{}",
        said.stderr
    );
    assert!(said.stderr.contains("next: allow it: echo 'isucon ALL=(ALL) NOPASSWD:ALL'"), "{}", said.stderr);
    assert!(!turn.host(1).output("test -e ~/webapp")?.status.success());
    Ok(())
}

#[test]
fn a_full_disk_is_named_with_its_host_and_the_others_stay_as_they_are() -> Result<()> {
    let turn = Turn::take()?;
    turn.host(2)
        .exec("mkdir ~/webapp.isugate && sudo mount -t tmpfs -o size=130m,uid=1000,gid=1000 tmpfs ~/webapp.isugate")?;
    let good = turn.commit(&app::files(1000))?;
    assert_eq!(turn.bench()?.code, Some(0));
    turn.replace(
        "run: ./build",
        "run: \"./build && if [ $(hostname) = isu2 ]; then head -c 200M /dev/zero >big; fi\"",
    )?;
    turn.commit(&app::files(2000))?;
    let said = turn.bench()?;
    assert_eq!(said.code, Some(22), "{}", said.stderr);
    assert!(said.stderr.contains("isu2: ") && said.stderr.contains("the disk is full"), "{}", said.stderr);
    assert!(!said.stderr.contains("UNKNOWN"), "{}", said.stderr);
    assert_eq!((turn.answers(1)?, turn.answers(2)?), (good.clone(), good));
    let said = turn.bench()?;
    assert_eq!(said.code, Some(1), "{}", said.stderr);
    assert!(said.stderr.contains("isu2: less than 100 MiB are free in /home/isucon/webapp.isugate"), "{}", said.stderr);
    Ok(())
}

#[test]
fn a_host_that_is_unplugged_during_the_restarts_leaves_no_other_host_on_the_new_commit() -> Result<()> {
    let turn = Turn::take()?;
    let good = turn.commit(&app::files(1000))?;
    assert_eq!(turn.bench()?.code, Some(0));
    // Its stop takes long: there is time to pull the plug.
    let slow = "sudo mkdir -p /etc/systemd/system/app.service.d && printf '[Service]\\nExecStopPost=/bin/sh -c \"touch /tmp/stopping; sleep 2\"\\n' | \
                sudo tee /etc/systemd/system/app.service.d/slow.conf && sudo systemctl daemon-reload && sudo rm -f /tmp/stopping";
    turn.host(2).exec(slow)?;
    turn.commit(&app::files(2000))?;
    let child = turn.start(&["bench", "--json"])?;
    process::wait_for("the restart", Duration::from_secs(30), || {
        Ok(turn.host(2).output("test -e /tmp/stopping")?.status.success().then_some(()))
    })?;
    turn.host(2).unplug()?;
    let said = said(child.wait_with_output()?)?;
    turn.host(2).plug()?;
    assert_eq!(said.code, Some(20), "{}", said.stderr);
    assert_eq!(turn.answers(1)?, good);
    assert!(said.stderr.contains(&format!("isu1: back on commit {}", &good[..12])), "{}", said.stderr);
    assert!(said.stderr.contains("isu2: UNKNOWN"), "{}", said.stderr);
    // The host is there again, and its lease still that of the run which could not give it back: it says so.
    let said = turn.bench()?;
    assert!(said.code == Some(13) && said.stderr.contains("isu2: held by"), "{}", said.stderr);
    assert!(said.stderr.contains("isugate lease break"), "{}", said.stderr);
    process::run(&mut turn.isugate(&["lease", "break", "--reason", "it was off the network"]))?;
    // Then one command brings all of them to the same commit.
    let said = turn.bench()?;
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    assert_eq!(turn.answers(1)?, turn.answers(2)?);
    Ok(())
}
