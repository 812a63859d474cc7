//! Several clones and a remote with real hooks.

use std::{
    fs::Permissions,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use isugate::{
    ledger::{LedgerError, SyncState},
    verdict::Verdict,
};

use super::fixture::*;

/// A bare remote and so many clones of it.
fn team(place: &Path, clones: usize) -> (PathBuf, Vec<PathBuf>) {
    let remote = place.join("remote.git");
    git(place, &["init", "-q", "--bare", "-b", "main", remote.to_str().unwrap()]);
    let url = format!("file://{}", remote.display());
    let clones = (0..clones).map(|n| {
        let clone = repository(&place.join(format!("clone{n}")));
        git(&clone, &["remote", "add", "origin", &url]);
        clone
    });
    (remote.clone(), clones.collect())
}

fn hook(remote: &Path, name: &str, script: &str) {
    let file = remote.join("hooks").join(name);
    std::fs::write(&file, format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(&file, Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn without_a_remote_everything_works_and_says_that_it_is_local() {
    let place = tempfile::tempdir().unwrap();
    let repo = repository(place.path());
    for remote in [None, Some("origin"), Some("-x")] {
        let report = ledger(&repo, remote).sync().unwrap();
        assert_eq!((report.state, report.tries, report.warning), (SyncState::Local, 0, None));
    }
}

#[test]
fn what_one_records_the_other_gets_and_the_branch_is_made_on_the_remote() {
    let place = tempfile::tempdir().unwrap();
    let (remote, clones) = team(place.path(), 2);
    let (one, two) = (ledger(&clones[0], Some("origin")), ledger(&clones[1], Some("origin")));
    let empty = one.sync().unwrap();
    assert_eq!((empty.state, empty.sent), (SyncState::Shared, 0));
    append(&one, 1, 1000, Verdict::Accept, None);
    let sent = one.sync().unwrap();
    assert_eq!((sent.state, sent.sent, sent.received, sent.tries), (SyncState::Shared, 1, 0, 1));
    let got = two.sync().unwrap();
    assert_eq!((got.state, got.sent, got.received), (SyncState::Shared, 0, 1));
    assert_eq!(ids(&two), [id(1)]);
    assert_eq!(git(&remote, &["rev-parse", BRANCH]), git(&clones[1], &["rev-parse", BRANCH]));
    assert!(!clones[0].join(".git/FETCH_HEAD").exists());
}

#[test]
fn two_ledgers_that_began_apart_are_joined_with_all_runs_and_pages() {
    let place = tempfile::tempdir().unwrap();
    let (remote, clones) = team(place.path(), 2);
    let (one, two) = (ledger(&clones[0], Some("origin")), ledger(&clones[1], Some("origin")));
    append(&one, 1, 1000, Verdict::Accept, None);
    append(&two, 2, 900, Verdict::Revert, None);
    one.sync().unwrap();
    let joined = two.sync().unwrap();
    assert_eq!((joined.state, joined.sent, joined.received), (SyncState::Shared, 1, 1));
    one.sync().unwrap();
    assert_eq!(ids(&one), [id(1), id(2)]);
    assert_eq!(ids(&two), ids(&one));
    let page = git(&remote, &["show", &format!("{BRANCH}:README.md")]);
    assert!(page.contains(&id(1)) && page.contains(&id(2)), "{page}");
    assert_eq!(git(&remote, &["rev-list", "--count", "--merges", BRANCH]), "1");
}

#[test]
fn decisions_that_two_people_made_about_one_run_are_both_kept() {
    let place = tempfile::tempdir().unwrap();
    let (_, clones) = team(place.path(), 2);
    let (one, two) = (ledger(&clones[0], Some("origin")), ledger(&clones[1], Some("origin")));
    append(&one, 1, 1000, Verdict::Inconclusive, None);
    one.sync().unwrap();
    two.sync().unwrap();
    one.decide(&id(1), decided(Verdict::Accept, "ann", &time(3))).unwrap();
    two.decide(&id(1), decided(Verdict::Revert, "bob", &time(2))).unwrap();
    one.sync().unwrap();
    two.sync().unwrap();
    one.sync().unwrap();
    for side in [&one, &two] {
        let entry = side.find(&id(1)).unwrap();
        let by: Vec<_> = entry.decision.decisions.iter().map(|d| d.by.as_str()).collect();
        assert_eq!(by, ["isugate", "bob", "ann"]);
        assert_eq!(entry.decision.current().unwrap().verdict, Verdict::Accept);
    }
}

#[test]
fn machines_that_append_and_share_at_once_all_end_up_in_the_branch() {
    const EACH: u32 = 4;
    if let (Ok(repo), Ok(which)) = (std::env::var("LEDGER_TEST_REPO"), std::env::var("LEDGER_TEST_WHICH")) {
        let (ledger, which): (_, u32) = (ledger(repo.as_ref(), Some("origin")), which.parse().unwrap());
        for n in 0..EACH {
            append(&ledger, which * EACH + n, 1000, Verdict::Accept, None);
            ledger.sync().unwrap();
        }
        return;
    }
    let place = tempfile::tempdir().unwrap();
    let (remote, clones) = team(place.path(), 3);
    let test = "shared::machines_that_append_and_share_at_once_all_end_up_in_the_branch";
    let start = |(which, repo): (usize, &PathBuf)| {
        as_process(test, &[("LEDGER_TEST_REPO", repo.to_str().unwrap()), ("LEDGER_TEST_WHICH", &which.to_string())])
    };
    let children: Vec<_> = clones.iter().enumerate().map(start).collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    // Whoever lost five races in a row is told, and shares with the next sync; nothing is lost either way.
    for clone in &clones {
        assert_eq!(ledger(clone, Some("origin")).sync().unwrap().state, SyncState::Shared);
    }
    let all: Vec<String> = (0..3 * EACH).map(id).collect();
    assert_eq!(git(&remote, &["ls-tree", "--name-only", &format!("{BRANCH}:runs")]).lines().collect::<Vec<_>>(), all);
    git(&remote, &["fsck", "--strict"]);
}

#[test]
fn a_push_that_lost_the_race_is_made_again_on_top_of_the_winners() {
    let place = tempfile::tempdir().unwrap();
    let (remote, clones) = team(place.path(), 2);
    let (one, two) = (ledger(&clones[0], Some("origin")), ledger(&clones[1], Some("origin")));
    append(&one, 1, 1000, Verdict::Accept, None);
    append(&two, 2, 1000, Verdict::Accept, None);
    two.sync().unwrap();
    // The winner's push arrives between the loser's fetch and push: the hook plays it, once.
    let winner = git(&remote, &["rev-parse", BRANCH]);
    git(&remote, &["update-ref", "-d", &format!("refs/heads/{BRANCH}")]);
    hook(
        &remote,
        "pre-receive",
        &format!(
            "[ -e once ] && exit 0\ntouch once\nenv -u GIT_QUARANTINE_PATH git update-ref refs/heads/{BRANCH} {winner}"
        ),
    );
    let mut pauses = Vec::new();
    let report = one.sync_with(|failed| pauses.push(failed)).unwrap();
    assert_eq!((report.state, report.tries, report.warning.as_deref()), (SyncState::Shared, 2, None));
    assert_eq!(pauses, [1]);
    assert_eq!(git(&remote, &["ls-tree", "--name-only", &format!("{BRANCH}:runs")]), format!("{}\n{}", id(1), id(2)));
}

#[test]
fn what_a_rejecting_hook_says_is_told_once_and_clean_and_nothing_is_lost() {
    let place = tempfile::tempdir().unwrap();
    let (remote, clones) = team(place.path(), 1);
    hook(
        &remote,
        "pre-receive",
        "printf '\\033[31mno pushes\\033[0m during the contest\\n' >&2; echo x >> count; exit 1",
    );
    let one = ledger(&clones[0], Some("origin"));
    append(&one, 1, 1000, Verdict::Accept, None);
    let report = one.sync().unwrap();
    assert_eq!((report.state, report.pending, report.tries), (SyncState::Pending, 1, 1));
    let warning = report.warning.unwrap();
    assert!(warning.contains("pre-receive hook declined") && warning.contains("during the contest"), "{warning}");
    assert!(!warning.contains(char::is_control), "{warning:?}");
    assert_eq!(std::fs::read_to_string(remote.join("count")).unwrap(), "x\n");
    std::fs::remove_file(remote.join("hooks/pre-receive")).unwrap();
    assert_eq!(one.sync().unwrap().sent, 1);
}

#[test]
fn a_remote_that_is_away_costs_a_warning_and_is_caught_up_with_later() {
    let place = tempfile::tempdir().unwrap();
    let (remote, clones) = team(place.path(), 1);
    let one = ledger(&clones[0], Some("origin"));
    append(&one, 1, 1000, Verdict::Accept, None);
    one.sync().unwrap();
    let away = place.path().join("away");
    std::fs::rename(&remote, &away).unwrap();
    append(&one, 2, 1000, Verdict::Accept, Some(1));
    append(&one, 3, 1000, Verdict::Accept, Some(2));
    let report = one.sync().unwrap();
    assert_eq!((report.state, report.pending), (SyncState::Pending, 2));
    assert!(
        report.warning.unwrap().starts_with("2 runs or decisions are recorded here and not yet shared with `origin`")
    );
    std::fs::rename(&away, &remote).unwrap();
    let report = one.sync().unwrap();
    assert_eq!((report.state, report.sent, report.warning), (SyncState::Shared, 2, None));
}

#[test]
fn a_network_that_fails_is_tried_again_and_a_secret_in_its_address_is_not_shown() {
    let place = tempfile::tempdir().unwrap();
    let repo = repository(place.path());
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    git(&repo, &["remote", "add", "origin", &format!("http://x:hunter2@127.0.0.1:{port}/r.git")]);
    let one = ledger(&repo, Some("origin"));
    append(&one, 1, 1000, Verdict::Accept, None);
    let report = one.sync_with(|_| {}).unwrap();
    assert_eq!((report.state, report.tries, report.pending), (SyncState::Pending, 5, 1));
    let warning = report.warning.unwrap();
    assert!(!warning.contains("hunter2"), "{warning}");
}

#[test]
fn a_branch_of_the_remote_that_is_no_ledger_is_left_alone() {
    let place = tempfile::tempdir().unwrap();
    let (remote, clones) = team(place.path(), 1);
    git(&clones[0], &["push", "-q", "origin", &format!("main:refs/heads/{BRANCH}")]);
    let before = git(&remote, &["rev-parse", BRANCH]);
    let one = ledger(&clones[0], Some("origin"));
    append(&one, 1, 1000, Verdict::Accept, None);
    assert!(matches!(one.sync(), Err(LedgerError::NotALedger { .. })));
    assert_eq!(git(&remote, &["rev-parse", BRANCH]), before);
    assert_eq!(ids(&one), [id(1)]);
}

#[test]
fn a_branch_that_was_removed_on_the_remote_is_made_again() {
    let place = tempfile::tempdir().unwrap();
    let (remote, clones) = team(place.path(), 1);
    let one = ledger(&clones[0], Some("origin"));
    append(&one, 1, 1000, Verdict::Accept, None);
    one.sync().unwrap();
    git(&remote, &["update-ref", "-d", &format!("refs/heads/{BRANCH}")]);
    let report = one.sync().unwrap();
    assert_eq!((report.state, report.sent), (SyncState::Shared, 1));
}

#[test]
fn a_shallow_clone_of_one_branch_shares_too() {
    let place = tempfile::tempdir().unwrap();
    let (remote, clones) = team(place.path(), 1);
    git(&clones[0], &["push", "-q", "origin", "main"]);
    let one = ledger(&clones[0], Some("origin"));
    append(&one, 1, 1000, Verdict::Accept, None);
    append(&one, 2, 1000, Verdict::Accept, Some(1));
    one.sync().unwrap();
    let runner = place.path().join("runner");
    git(
        place.path(),
        &[
            "clone",
            "-q",
            "--depth",
            "1",
            "--branch",
            "main",
            &format!("file://{}", remote.display()),
            runner.to_str().unwrap(),
        ],
    );
    let two = ledger(&runner, Some("origin"));
    append(&two, 3, 1000, Verdict::Accept, None);
    let report = two.sync().unwrap();
    assert_eq!((report.state, report.received, report.sent), (SyncState::Shared, 2, 1));
    append(&two, 4, 1000, Verdict::Accept, None);
    assert_eq!(two.sync().unwrap().sent, 1);
    assert_eq!(ids(&two), (1..=4).map(id).collect::<Vec<_>>());
}
