//! The gate on the scores of a real contest, with orders and days shuffled by a seed.

use std::collections::BTreeMap;

use isugate::verdict::simulate::random::Random;
use isugate::verdict::step::Request;
use isugate::verdict::{Gate, RunFacts, Side, Verdict};
use serde_json::Value;

const SCORES: &str = include_str!("../../fixtures/verdict/contest-scores.json");
const TRIALS: u64 = 200;

struct Contest(Value);

/// The scores of each revision and day as a shuffled deck, shuffled anew when it is used up.
type Decks = BTreeMap<String, Vec<i64>>;

impl Contest {
    fn new() -> Self {
        Self(serde_json::from_str(SCORES).expect("the fixture is JSON"))
    }

    /// A run of a revision on a day, drawn from what it scored then; one soft code now and then, as it was.
    fn run(&self, revision: &str, commit: &str, day: &str, decks: &mut Decks, r: &mut Random) -> RunFacts {
        let deck = decks.entry(format!("{revision} {day}")).or_default();
        if deck.is_empty() {
            deck.extend(self.scores(revision, day));
            if revision == "C" {
                deck.extend(self.scores("C again", day));
            }
            for i in (1..deck.len()).rev() {
                deck.swap(i, r.below(i + 1));
            }
        }
        let mut codes = BTreeMap::new();
        if revision == "D" {
            codes.insert("26".to_owned(), 34 + r.below(6) as u64);
        } else if r.uniform() < 0.25 {
            codes.insert(["26", "17"][r.below(2)].to_owned(), 1);
        }
        RunFacts { commit: commit.to_owned(), score: deck.pop(), pass: Some(true), codes: Some(codes), id: None }
    }

    fn scores(&self, revision: &str, day: &str) -> Vec<i64> {
        let list = self.0["revisions"][revision][day].as_array().expect("a list of scores");
        list.iter().filter_map(Value::as_i64).collect()
    }

    /// How a comparison of two revisions ends: verdict and first reason.
    fn compare(&self, from: &str, to: &str, seed: u64) -> (Verdict, String) {
        let (mut r, mut decks) = (Random::new(seed, 0), Decks::new());
        let day = |r: &mut Random| if r.uniform() < 0.5 { "quiet" } else { "loaded" };
        let (before, mut today) = (day(&mut r), day(&mut r));
        if to == "D" {
            today = "loaded";
        }
        let mut history = Vec::new();
        for earlier in ["A", "B", "C"].iter().take_while(|e| **e != from).chain([&from]) {
            for _ in 0..3 {
                history.push(self.run(earlier, earlier, before, &mut decks, &mut r));
            }
        }
        let mut request = Request {
            history,
            baseline: Some(from.to_owned()),
            candidate: "candidate".to_owned(),
            budget_runs: Some(12),
            ..Request::default()
        };
        let mut gate = Gate::default();
        loop {
            let answer = gate.answer(&request);
            match (answer.verdict, answer.next) {
                (Some(verdict), None) => return (verdict, answer.reasons[0].clone()),
                (None, Some(Side::Candidate)) => {
                    request.today.push(self.run(to, "candidate", today, &mut decks, &mut r));
                }
                (None, Some(Side::Baseline)) => {
                    request.today.push(self.run(from, from, today, &mut decks, &mut r));
                }
                other => panic!("neither or both: {other:?}"),
            }
            assert!(request.today.len() <= 12);
        }
    }

    fn accepted(&self, from: &str, to: &str) -> u64 {
        (0..TRIALS).filter(|s| self.compare(from, to, *s).0 == Verdict::Accept).count() as u64
    }
}

#[test]
fn real_gains_are_accepted_in_most() {
    let contest = Contest::new();
    let (ab, bc) = (contest.accepted("A", "B"), contest.accepted("B", "C"));
    println!("A to B accepted in {ab}, B to C in {bc} of {TRIALS}");
    assert!(ab > TRIALS * 8 / 10 && bc > TRIALS * 9 / 10);
}

#[test]
fn the_same_code_again_is_hardly_ever_accepted() {
    let n = Contest::new().accepted("C", "C");
    println!("C to C accepted in {n} of {TRIALS}");
    assert!(n <= TRIALS / 20);
}

#[test]
fn a_step_back_is_never_accepted() {
    assert_eq!(Contest::new().accepted("C", "B"), 0);
}

#[test]
fn a_stale_page_is_taken_back_by_its_codes() {
    let contest = Contest::new();
    for seed in 0..TRIALS {
        let (verdict, reason) = contest.compare("C", "D", seed);
        assert_eq!(verdict, Verdict::Revert, "{seed}");
        assert!(reason.contains("code 26 IncorrectOwnerChairsData"), "{reason}");
    }
}
