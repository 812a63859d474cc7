//! How long a long ledger takes. `cargo test --test ledger speed -- --nocapture` prints the times.

use std::time::{Duration, Instant};

use isugate::{cli::history, verdict::Verdict};

use super::fixture::*;

/// A ledger of so many runs, written in one commit of loose objects, which is the slowest to read.
fn long(repo: &std::path::Path, runs: u32) {
    append(&ledger(repo, None), 0, 1000, Verdict::Accept, None);
    let repo = git2::Repository::open(repo).unwrap();
    let parent = repo.find_reference(&format!("refs/heads/{BRANCH}")).unwrap().peel_to_commit().unwrap();
    let mut update = git2::build::TreeUpdateBuilder::new();
    for at in 1..runs {
        let (run, decision) = (run(at, Some(1000)), verdict_of(at, Verdict::Accept, Some(at - 1)));
        let files = [
            ("run", serde_json::to_vec_pretty(&run).unwrap()),
            ("decision", serde_json::to_vec_pretty(&decision).unwrap()),
        ];
        for (name, bytes) in files {
            update.upsert(format!("runs/{}/{name}.json", id(at)), repo.blob(&bytes).unwrap(), git2::FileMode::Blob);
        }
    }
    let tree = update.create_updated(&repo, &parent.tree().unwrap()).unwrap();
    let who = git2::Signature::now("a", "a@e.example").unwrap();
    repo.commit(Some(&format!("refs/heads/{BRANCH}")), &who, &who, "many", &repo.find_tree(tree).unwrap(), &[&parent])
        .unwrap();
}

fn fastest(times: usize, mut what: impl FnMut()) -> Duration {
    (0..times)
        .map(|_| {
            let started = Instant::now();
            what();
            started.elapsed()
        })
        .min()
        .unwrap_or_default()
}

#[test]
fn a_thousand_runs_are_listed_and_added_to_without_a_wait() {
    let place = tempfile::tempdir().unwrap();
    let repo = repository(place.path());
    long(&repo, 1000);
    let args = history::Args { limit: 1000, all_series: false, json: false };
    let shown = fastest(5, || {
        let table = history::table(
            &ledger(&repo, None).runs().unwrap(),
            &args,
            history::Look { width: Some(120), colour: true },
        );
        assert_eq!(table.lines().count(), 1001);
    });
    let mut next = 1000;
    let added = fastest(5, || {
        append(&ledger(&repo, None), next, 1000, Verdict::Accept, None);
        next += 1;
    });
    let found = fastest(5, || assert!(ledger(&repo, None).find(&id(500)).is_ok()));
    println!("1,000 runs: history {shown:.0?}, append {added:.0?}, find {found:.1?}");
    // An unoptimised build on a busy machine is several times slower than what people run.
    assert!(shown < Duration::from_secs(4), "history took {shown:?}");
    assert!(added < Duration::from_secs(1), "an append took {added:?}");
}
