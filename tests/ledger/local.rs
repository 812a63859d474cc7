//! One repository, no remote.

use isugate::{
    ledger::{Ledger, LedgerError},
    verdict::Verdict,
};

use super::fixture::*;

#[test]
fn the_branch_is_made_on_first_use_and_the_work_tree_index_and_head_stay_as_they_were() {
    let place = tempfile::tempdir().unwrap();
    let repo = repository(place.path());
    let state = |repo: &std::path::Path| {
        (
            git(repo, &["status", "--porcelain=v2", "--branch"]),
            std::fs::read(repo.join(".git/index")).unwrap(),
            git(repo, &["symbolic-ref", "HEAD"]),
        )
    };
    let before = state(&repo);
    let ledger = ledger(&repo, None);
    assert!(ledger.runs().unwrap().entries.is_empty());
    append(&ledger, 1, 1000, Verdict::Accept, None);
    append(&ledger, 2, 900, Verdict::Revert, Some(1));
    assert_eq!(state(&repo), before);
    assert_eq!(git(&repo, &["rev-list", "--count", BRANCH]), "2");
    assert_eq!(
        git(&repo, &["log", "-1", "--format=%s|%an <%ae>", BRANCH]),
        format!("run {}: revert 900|Ann Author <ann@e.example>", id(2))
    );
    let files = git(&repo, &["ls-tree", "-r", "--name-only", BRANCH]);
    let wanted = [id(1), id(2)].map(|id| format!("runs/{id}/decision.json\nruns/{id}/run.json")).join("\n");
    assert_eq!(files, format!("README.md\n{wanted}\nscore.svg"));
    git(&repo, &["fsck", "--strict"]);
}

#[test]
fn a_run_recorded_again_is_not_counted_twice_and_another_of_its_id_is_refused() {
    let place = tempfile::tempdir().unwrap();
    let ledger = ledger(&repository(place.path()), None);
    append(&ledger, 1, 1000, Verdict::Revert, None);
    ledger.decide(&id(1), decided(Verdict::Accept, "ann", &time(2))).unwrap();
    append(&ledger, 1, 1000, Verdict::Revert, None);
    assert_eq!(ledger.find(&id(1)).unwrap().decision.decisions.len(), 2);
    let other = ledger.append(&run(1, Some(1001)), &verdict_of(1, Verdict::Accept, None));
    assert!(matches!(other, Err(LedgerError::AlreadyRecorded { .. })));
    let crossed = ledger.append(&run(3, Some(1)), &verdict_of(4, Verdict::Accept, None));
    assert!(matches!(crossed, Err(LedgerError::Mismatch { .. })));
    let mut outside = run(3, Some(1));
    outside.id = "../../x".into();
    assert!(matches!(
        ledger.append(&outside, &verdict_of(3, Verdict::Accept, None)),
        Err(LedgerError::BadRunId { .. })
    ));
}

#[test]
fn the_baseline_is_the_last_accepted_by_the_time_of_the_decision() {
    let place = tempfile::tempdir().unwrap();
    let ledger = ledger(&repository(place.path()), None);
    let series = "0123456789ab";
    let baseline = || ledger.baseline(series, None).unwrap().map(|entry| entry.run.id);
    assert_eq!(baseline(), None);
    append(&ledger, 1, 1000, Verdict::Accept, None);
    append(&ledger, 2, 2000, Verdict::Revert, Some(1));
    append(&ledger, 3, 1500, Verdict::Accept, Some(1));
    append(&ledger, 4, 3000, Verdict::Inconclusive, Some(3));
    assert_eq!(baseline(), Some(id(3)));
    assert_eq!(ledger.baseline(series, Some(&id(3))).unwrap().map(|e| e.run.id), Some(id(1)));
    assert!(ledger.baseline("ffffffffffff", None).unwrap().is_none());
    // An older run that a person accepts later is the newer decision.
    ledger.decide(&id(2), decided(Verdict::Accept, "ann", &time(9))).unwrap();
    assert_eq!(baseline(), Some(id(2)));
    ledger.decide(&id(2), decided(Verdict::Revert, "ann", &time(10))).unwrap();
    assert_eq!(baseline(), Some(id(3)));
    let merged_only = ledger.baseline_where(series, |entry| entry.run.id != id(3)).unwrap();
    assert_eq!(merged_only.map(|e| e.run.id), Some(id(1)));
    assert_eq!(ledger.find(&id(2)).unwrap().decision.verdict(), Some(Verdict::Revert));
}

#[test]
fn a_bad_entry_is_listed_with_its_reason_and_hides_no_other() {
    let place = tempfile::tempdir().unwrap();
    let repo = repository(place.path());
    let ledger = ledger(&repo, None);
    for at in 1..=5 {
        append(&ledger, at, 1000, Verdict::Accept, None);
    }
    plant(&repo, &format!("runs/{}/run.json", id(1)), "{ torn");
    let newer = serde_json::to_string(&run(2, Some(7))).unwrap().replace("\"1.0\"", "\"2.0\"");
    plant(&repo, &format!("runs/{}/run.json", id(2)), &newer);
    plant(&repo, &format!("runs/{}/run.json", id(3)), &serde_json::to_string(&run(4, Some(7))).unwrap());
    plant(&repo, "runs/\u{1b}[31mevil/run.json", "{}");
    plant(&repo, "runs/stray", "a file");
    let listing = ledger.runs().unwrap();
    assert_eq!(listing.entries.iter().map(|e| e.run.id.clone()).collect::<Vec<_>>(), [id(4), id(5)]);
    let reason = |of: &str| listing.unreadable.iter().find(|bad| bad.id.contains(of)).unwrap().reason.clone();
    assert_eq!(listing.unreadable.len(), 5);
    assert!(reason(&id(1)).starts_with("run.json: "));
    assert_eq!(reason(&id(2)), "run.json has schema version 2.0; this isugate reads 1.x");
    assert!(reason(&id(3)).contains(&id(4)));
    assert!(reason("evil").contains("not the id of a run"));
    assert!(!format!("{listing:?}").contains("\\u{1b}"));
    assert!(matches!(ledger.find(&id(2)), Err(LedgerError::Unreadable { .. })));
    assert!(
        ledger.decide(&id(2), decided(Verdict::Accept, "ann", &time(9))).is_ok(),
        "its decision.json is of this version"
    );
    append(&ledger, 6, 1000, Verdict::Accept, None);
    assert_eq!(ledger.runs().unwrap().entries.len(), 3);
}

#[test]
fn fields_of_a_newer_minor_version_survive_an_override() {
    let place = tempfile::tempdir().unwrap();
    let repo = repository(place.path());
    let ledger = ledger(&repo, None);
    append(&ledger, 1, 1000, Verdict::Revert, None);
    let mut newer = serde_json::to_value(verdict_of(1, Verdict::Revert, None)).unwrap();
    newer["schema_version"] = "1.9".into();
    newer["weather"] = "fair".into();
    newer["decisions"][0]["odds"] = 0.25.into();
    plant(&repo, &format!("runs/{}/decision.json", id(1)), &newer.to_string());
    ledger.decide(&id(1), decided(Verdict::Accept, "ann", &time(2))).unwrap();
    let (_, decision) = ledger.find_raw(&id(1)).unwrap();
    assert_eq!(
        (&decision["weather"], &decision["decisions"][0]["odds"], &decision["schema_version"]),
        (&"fair".into(), &0.25.into(), &"1.9".into())
    );
    assert_eq!(decision["decisions"][1]["by"], "ann");
    assert_eq!(ledger.find(&id(1)).unwrap().decision.unknown["weather"], "fair");
}

#[test]
fn a_run_is_found_by_the_shortest_unique_beginning_or_by_the_part_after_the_dash() {
    let place = tempfile::tempdir().unwrap();
    let ledger = ledger(&repository(place.path()), None);
    for at in 0..15 {
        append(&ledger, at, 1000, Verdict::Accept, None);
    }
    let whole = id(7);
    assert_eq!(ledger.find(&whole).unwrap().run.id, whole);
    assert_eq!(ledger.find(&whole[..13]).unwrap().run.id, whole);
    assert_eq!(ledger.find(&whole[17..]).unwrap().run.id, whole);
    let Err(LedgerError::Ambiguous { candidates, more, .. }) = ledger.find("2026") else { panic!("not ambiguous") };
    assert_eq!((candidates.len(), more, &candidates[0]), (10, 5, &id(14)));
    for nothing in ["", "2027", "\u{1b}[2J", "zzzzzzz"] {
        let said = ledger.find(nothing).unwrap_err().to_string();
        assert!(said.contains("isugate history") && !said.contains('\u{1b}'), "{said}");
    }
}

#[test]
fn a_branch_of_the_users_own_is_never_written_to() {
    let place = tempfile::tempdir().unwrap();
    let repo = repository(place.path());
    let Err(refused) = Ledger::open(&repo, "main", None) else { panic!("main was taken for a ledger") };
    assert!(matches!(refused, LedgerError::NotALedger { .. }), "{refused}");
    for wrong in ["", "a..b", "-x y", "x.lock", "a\u{1b}b"] {
        assert!(matches!(Ledger::open(&repo, wrong, None), Err(LedgerError::BadBranch { .. })), "{wrong:?}");
    }
    assert!(matches!(Ledger::open(std::path::Path::new("/proc"), BRANCH, None), Err(LedgerError::NoRepository { .. })));
    // A folder `runs` does not make it a ledger where the page is the user's own.
    git(&repo, &["switch", "-q", "-c", "other"]);
    std::fs::create_dir(repo.join("runs")).unwrap();
    std::fs::write(repo.join("runs/x"), "x").unwrap();
    std::fs::write(repo.join("README.md"), "# mine\n").unwrap();
    git(&repo, &["add", "."]);
    git(&repo, &["commit", "-q", "-m", "mine"]);
    assert!(matches!(Ledger::open(&repo, "other", None), Err(LedgerError::NotALedger { .. })));
}

#[test]
fn a_ledger_that_is_checked_out_is_not_moved_under_its_reader() {
    let place = tempfile::tempdir().unwrap();
    let repo = repository(&place.path().join("repo"));
    let ledger = ledger(&repo, None);
    append(&ledger, 1, 1000, Verdict::Accept, None);
    let beside = place.path().join("beside");
    git(&repo, &["worktree", "add", "-q", beside.to_str().unwrap(), BRANCH]);
    assert!(matches!(ledger.check_writable(), Err(LedgerError::CheckedOut { .. })));
    assert!(matches!(
        ledger.append(&run(2, Some(1)), &verdict_of(2, Verdict::Accept, None)),
        Err(LedgerError::CheckedOut { .. })
    ));
    assert_eq!(ids(&ledger), [id(1)]);
    git(&repo, &["worktree", "remove", beside.to_str().unwrap()]);
    append(&ledger, 2, 1000, Verdict::Accept, None);
    // And from a work tree of another branch it is written as from the first.
    git(&repo, &["worktree", "add", "-q", "-b", "topic", beside.to_str().unwrap()]);
    append(&super::fixture::ledger(&beside, None), 3, 1000, Verdict::Accept, None);
    assert_eq!(ids(&ledger), [id(1), id(2), id(3)]);
}

#[test]
fn processes_that_append_at_once_lose_nothing() {
    const EACH: u32 = 15;
    if let (Ok(repo), Ok(which)) = (std::env::var("LEDGER_TEST_REPO"), std::env::var("LEDGER_TEST_WHICH")) {
        let (ledger, which): (_, u32) = (ledger(repo.as_ref(), None), which.parse().unwrap());
        return (0..EACH).for_each(|n| append(&ledger, which * EACH + n, 1000, Verdict::Accept, None));
    }
    let place = tempfile::tempdir().unwrap();
    let repo = repository(place.path());
    let test = "local::processes_that_append_at_once_lose_nothing";
    let start = |which: u32| {
        as_process(test, &[("LEDGER_TEST_REPO", repo.to_str().unwrap()), ("LEDGER_TEST_WHICH", &which.to_string())])
    };
    let children: Vec<_> = (0..3).map(start).collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    assert_eq!(ids(&ledger(&repo, None)), (0..3 * EACH).map(id).collect::<Vec<_>>());
    assert_eq!(git(&repo, &["rev-list", "--count", BRANCH]), (3 * EACH).to_string());
}

#[test]
fn a_machine_on_which_git_knows_nobody_can_write() {
    if let Ok(repo) = std::env::var("LEDGER_TEST_REPO") {
        return append(&ledger(repo.as_ref(), None), 1, 1000, Verdict::Accept, None);
    }
    let place = tempfile::tempdir().unwrap();
    let repo = repository(&place.path().join("repo"));
    git(&repo, &["config", "--unset", "user.name"]);
    git(&repo, &["config", "--unset", "user.email"]);
    let home = place.path().join("home");
    std::fs::create_dir(&home).unwrap();
    let test = "local::a_machine_on_which_git_knows_nobody_can_write";
    let home = home.to_str().unwrap();
    let mut child =
        as_process(test, &[("LEDGER_TEST_REPO", repo.to_str().unwrap()), ("HOME", home), ("XDG_CONFIG_HOME", home)]);
    assert!(child.wait().unwrap().success());
    assert_eq!(git(&repo, &["log", "-1", "--format=%an <%ae>", BRANCH]), "isugate <isugate@localhost>");
}
