//! Files outside the tree: nginx's configuration, laid with a check and taken back.

use anyhow::Result;

use super::app;
use super::rig::process;
use super::team::Turn;

/// Every file below /etc/nginx with its mode, owner and content.
const STATE: &str = "cd /etc/nginx && sudo find . \\( -type f -o -type l \\) -printf '%p %m %u:%g %l ' \
                     -exec sh -c 'sha256sum <\"$1\"' _ {} \\; | sort";

#[test]
fn the_commits_configuration_is_served_with_the_owner_and_mode_that_its_place_had() -> Result<()> {
    let turn = Turn::take()?;
    let site = "/etc/nginx/sites-available/default";
    turn.host(1).exec(&format!("sudo chgrp www-data {site} && sudo chmod 640 {site}"))?;
    let commit = turn.commit(&app::files(1000))?;
    let said = turn.bench()?;
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    let page = turn.host(3).exec("curl -sS http://isu1/")?;
    assert_eq!(page, format!("{commit} 1000\n"));
    assert_eq!(turn.host(1).exec(&format!("sudo cat {site}"))?, app::SITE);
    assert_eq!(turn.host(1).exec(&format!("stat -c '%U:%G %a' {site}"))?, "root:www-data 640\n");
    Ok(())
}

#[test]
fn a_broken_configuration_is_refused_and_everything_is_as_it_was() -> Result<()> {
    let turn = Turn::take()?;
    let good = turn.commit(&app::files(1000))?;
    assert_eq!(turn.bench()?.code, Some(0));
    let (files, started) = (turn.host(1).exec(STATE)?, "systemctl show -P MainPID app nginx");
    let before = [turn.host(1).exec(started)?, turn.host(2).exec(started)?];

    let mut files_of_bad = app::files(2000);
    files_of_bad[3].1 = "server { listen }\n".into();
    files_of_bad.push(("etc/nginx/conf.d/new.conf", "# new\n".into()));
    turn.commit(&files_of_bad)?;
    let said = turn.bench()?;
    assert_eq!(said.code, Some(23), "{}", said.stderr);
    let named = "isu1: `nginx -t` refused the files of etc/nginx";
    assert!(said.stderr.contains(named) && said.stderr.contains("sites-enabled/default:1"), "{}", said.stderr);
    assert_eq!(turn.host(1).exec(STATE)?, files);
    assert_eq!(
        turn.host(1).exec("sudo nginx -t 2>&1 | tail -n 1; systemctl is-active nginx")?.lines().last(),
        Some("active")
    );
    assert_eq!(turn.host(3).exec("curl -sS http://isu1/")?, format!("{good} 1000\n"));
    assert_eq!([turn.host(1).exec(started)?, turn.host(2).exec(started)?], before, "nothing was restarted");
    assert_eq!((turn.answers(1)?, turn.answers(2)?), (good.clone(), good));
    Ok(())
}

#[test]
fn what_the_next_commit_does_not_have_is_gone_and_what_stood_there_before_is_back() -> Result<()> {
    let turn = Turn::take()?;
    let pristine = turn.host(1).exec(STATE)?;
    let mut files = app::files(1000);
    files.push(("etc/nginx/conf.d/extra.conf", "# of the first commit\n".into()));
    files.push(("etc/nginx/mime.types", "types { text/html html; }\n".into()));
    turn.commit(&files)?;
    assert_eq!(turn.bench()?.code, Some(0));
    assert_ne!(turn.host(1).exec(STATE)?, pristine);
    assert_eq!(turn.host(1).exec("cat /etc/nginx/mime.types")?, "types { text/html html; }\n");

    let mut files = app::files(2000);
    files.truncate(3);
    files.push((
        "etc/nginx/conf.d/app.conf",
        "server { listen 81; location / { proxy_pass http://127.0.0.1:8080; } }\n".into(),
    ));
    let commit = turn.commit(&files)?;
    turn.replace(
        "{ on: nginx, http: \"http://127.0.0.1/\", within: 10s }",
        "{ on: nginx, http: \"http://127.0.0.1:81/\" }",
    )?;
    turn.replace("{{host.isu1}}", "{{host.isu1}}:81")?;
    let said = turn.bench()?;
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    assert_eq!(turn.host(3).exec("curl -sS http://isu1:81/")?, format!("{commit} 2000\n"));
    turn.host(1).exec("sudo rm /etc/nginx/conf.d/app.conf")?;
    assert_eq!(turn.host(1).exec(STATE)?, pristine);
    Ok(())
}

#[test]
fn files_that_can_not_be_written_are_refused_whole() -> Result<()> {
    let turn = Turn::take()?;
    turn.commit(&app::files(1000))?;
    assert_eq!(turn.bench()?.code, Some(0));
    // Not even root writes there: the second of two changed files fails.
    turn.host(1).exec("sudo mkdir /etc/nginx/zone && sudo mount -t tmpfs -o ro tmpfs /etc/nginx/zone")?;
    let before = turn.host(1).exec(STATE)?;
    let mut files = app::files(2000);
    files[3].1 = format!("# changed\n{}", app::SITE);
    files.push(("etc/nginx/zone/z.conf", "# z\n".into()));
    turn.commit(&files)?;
    let said = turn.bench()?;
    let after = turn.host(1).exec(STATE)?;
    process::run(turn.host(1).access().command().arg("sudo umount /etc/nginx/zone"))?;
    assert_eq!(said.code, Some(23), "{}", said.stderr);
    assert!(said.stderr.contains("Read-only file system"), "{}", said.stderr);
    assert_eq!(after, before);
    Ok(())
}
