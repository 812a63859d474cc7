//! Properties of the result readers under arbitrary and mutated input. The bodies are those of the fuzz target.

#[path = "../../fuzz/properties.rs"]
mod shared;

use std::path::{Path, PathBuf};

use isugate::result::{Format, Outcome};
use proptest::prelude::*;
use proptest::sample::{Index, select};
use shared::{By, check, is_harmless, parse};

/// A sample with one result channel.
#[derive(Debug, Clone)]
struct Seed {
    id: String,
    format: Format,
    by: By,
    bytes: Vec<u8>,
    outcome: Outcome,
}

fn seeds() -> Vec<Seed> {
    let folder: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/results");
    let manifest = std::fs::read(folder.join("manifest.json")).unwrap();
    let samples: Vec<serde_json::Value> = serde_json::from_slice(&manifest).unwrap();
    let channels =
        [("result_file", By::ResultFile), ("stdout", By::Stdout), ("merged", By::Merged), ("report_fd", By::ReportFd)];
    samples
        .iter()
        .filter_map(|sample| {
            let (file, by) = channels.iter().find_map(|(name, by)| Some((sample["files"][*name].as_str()?, *by)))?;
            let format: Format = sample["adapter"].as_str().unwrap().parse().unwrap();
            let bytes = std::fs::read(folder.join(file)).unwrap();
            // Long logs only make the tests slow.
            (bytes.len() < 20_000).then(|| Seed {
                id: sample["id"].as_str().unwrap().to_owned(),
                format,
                by,
                outcome: serde_json::from_value(sample["expect"]["verdict"].clone()).unwrap(),
                bytes,
            })
        })
        .collect()
}

/// One change of the bytes.
#[derive(Debug, Clone)]
enum Change {
    Set(Index, u8),
    Insert(Index, u8),
    Delete(Index),
    Cut(Index),
    Double(Index, Index),
    Swap(Index, Index),
}

impl Change {
    fn apply(&self, bytes: &mut Vec<u8>) {
        if bytes.is_empty() {
            return;
        }
        let length = bytes.len();
        match self {
            Self::Set(at, byte) => bytes[at.index(length)] = *byte,
            Self::Insert(at, byte) => bytes.insert(at.index(length), *byte),
            Self::Delete(at) => drop(bytes.remove(at.index(length))),
            Self::Cut(at) => bytes.truncate(at.index(length)),
            Self::Double(a, b) => {
                let (from, to) = (a.index(length).min(b.index(length)), a.index(length).max(b.index(length)));
                let part = bytes[from..to].to_vec();
                bytes.splice(to..to, part);
            }
            Self::Swap(a, b) => bytes.swap(a.index(length), b.index(length)),
        }
    }
}

fn change() -> impl Strategy<Value = Change> {
    let byte = prop_oneof![any::<u8>(), select(b"0123456789-.\"{}[]:, =\n\r\\tfn".to_vec())];
    prop_oneof![
        (any::<Index>(), byte.clone()).prop_map(|(at, byte)| Change::Set(at, byte)),
        (any::<Index>(), byte).prop_map(|(at, byte)| Change::Insert(at, byte)),
        any::<Index>().prop_map(Change::Delete),
        any::<Index>().prop_map(Change::Cut),
        (any::<Index>(), any::<Index>()).prop_map(|(a, b)| Change::Double(a, b)),
        (any::<Index>(), any::<Index>()).prop_map(|(a, b)| Change::Swap(a, b)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_are_read_without_panic(
        format in select(Format::ALL.to_vec()),
        by in select(By::ALL.to_vec()),
        input in prop::collection::vec(any::<u8>(), 0..2_000),
        chunk in 1usize..100,
    ) {
        check(format, by, &input, chunk);
    }

    #[test]
    fn a_changed_sample_keeps_all_properties(
        seed in select(seeds()),
        changes in prop::collection::vec(change(), 1..6),
        chunk in 1usize..5_000,
    ) {
        let mut input = seed.bytes.clone();
        changes.iter().for_each(|change| change.apply(&mut input));
        check(seed.format, seed.by, &input, chunk);
    }

    #[test]
    fn a_few_changed_bytes_never_turn_a_fail_into_a_pass(
        seed in select(seeds().into_iter().filter(|seed| seed.outcome == Outcome::Fail).collect::<Vec<_>>()),
        changes in prop::collection::vec(change(), 1..3),
    ) {
        let mut input = seed.bytes.clone();
        changes.iter().for_each(|change| change.apply(&mut input));
        let parsed = parse(seed.format, seed.by, &input, None);
        prop_assert_ne!(parsed.outcome, Outcome::Pass, "{}", seed.id);
    }

    #[test]
    fn a_beginning_of_a_passed_run_is_that_pass_or_none(
        seed in select(seeds().into_iter().filter(|seed| seed.outcome == Outcome::Pass).collect::<Vec<_>>()),
        cut in any::<Index>(),
    ) {
        let whole = parse(seed.format, seed.by, &seed.bytes, None);
        let part = parse(seed.format, seed.by, &seed.bytes[..cut.index(seed.bytes.len())], None);
        if part.outcome == Outcome::Pass {
            prop_assert_eq!((part.score, part.codes), (whole.score, whole.codes), "{}", seed.id);
        }
    }

    #[test]
    fn two_runs_in_one_stream_are_never_a_pass(
        first in select(seeds()),
        second in select(seeds().into_iter().filter(|seed| seed.outcome == Outcome::Pass).collect::<Vec<_>>()),
    ) {
        // Only a stream that already holds a result, of the same benchmarker by the same channel.
        if first.format == second.format && first.by == second.by && first.outcome != Outcome::Invalid {
            let input = [first.bytes.as_slice(), second.bytes.as_slice()].concat();
            let parsed = parse(second.format, second.by, &input, None);
            prop_assert_ne!(parsed.outcome, Outcome::Pass, "{} then {}", first.id, second.id);
        }
    }

    #[test]
    fn foreign_text_is_harmless_wherever_it_is_shown(text in "(\\PC|[\u{0}-\u{9f}]|[<>@|`*_#\\[\\]&]){0,200}") {
        is_harmless(&text);
    }
}

#[test]
fn the_seeds_cover_the_formats_of_the_samples() {
    let seeds = seeds();
    assert!(seeds.len() > 80, "{}", seeds.len());
    assert!(seeds.iter().filter(|seed| seed.outcome == Outcome::Fail).count() > 15);
}
