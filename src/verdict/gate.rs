//! The score part of the gate, and the memory that makes it quick.
//!
//! A gate remembers the ledger and the runs of its last request, since the next one mostly adds a run. What it answers
//! depends on the request alone.

use super::correctness::{Effect as CodeEffect, Findings};
use super::facts::{Intent, Side, Verdict};
use super::lines::{Lines, Look, least};
use super::model::ledger::learn;
use super::model::normal::cdf;
use super::model::posterior::Effect;
use super::noise::{Ledger, Summary, summarise};
use super::sequential::Test;
use super::state::{More, Score, State};
use super::step::{Answer, Decision, Request};
use super::words::Reason;

/// A single run's score that falls by more than this on average (log scale), by the low mode alone, is a loss.
const LOSS: f64 = -0.03;
/// A candidate that is this probably more often in the low mode is told as such.
const OFTEN: f64 = 0.9;

/// A gate with its memory.
#[derive(Clone, Debug, Default)]
pub struct Gate {
    known: Option<Known>,
}

#[derive(Clone, Debug)]
struct Known {
    ledger: Ledger,
    zero: f64,
    noise: Summary,
    start: Test,
    runs: Vec<(f64, bool)>,
    test: Test,
}

impl Known {
    fn new(ledger: Ledger, zero: f64) -> Self {
        let own: Vec<f64> = ledger.baseline.iter().map(|x| x - zero).collect();
        let learned = learn(&ledger.others, &own);
        let start = Test::from_ledger(&learned);
        let noise = summarise(&learned, &ledger);
        Self { ledger, zero, noise, test: start.clone(), start, runs: Vec::new() }
    }

    fn take(&mut self, runs: &[(f64, bool)]) {
        if !runs.starts_with(&self.runs) {
            self.test = self.start.clone();
            self.runs.clear();
        }
        for &(x, candidate) in &runs[self.runs.len()..] {
            self.test.push(x - self.zero, candidate);
            self.runs.push((x, candidate));
        }
    }
}

impl Gate {
    /// Answers one request.
    pub fn answer(&mut self, request: &Request) -> Answer {
        let findings = request.findings();
        let mut state = State { runs: request.used(), budget: request.budget(), ..State::default() };
        let decision = match request.before_score(&findings) {
            Some(decision) => decision,
            None if request.base().is_none() => request.first_of_series(),
            None => self.by_score(request, &findings, &mut state),
        };
        let say = |r: &Reason| r.say(request.lang, request.name_of());
        Answer {
            verdict: decision.verdict,
            next: decision.next,
            reasons: decision.reasons.iter().map(say).collect(),
            codes: findings.rows,
            state,
        }
    }

    fn by_score(&mut self, request: &Request, findings: &Findings, state: &mut State) -> Decision {
        let runs: Vec<(f64, bool)> =
            request.today.iter().filter_map(|r| Some((r.log_score()?, request.side(r)? == Side::Candidate))).collect();
        let known = self.remember(request, &runs);
        known.take(&runs);
        state.noise = Some(known.noise.clone());
        let spent = state.runs >= state.budget;
        let mut notes = notes(request, findings, state.runs - runs.len());
        if !runs.iter().any(|r| r.1) {
            return if spent { cannot_start(notes) } else { Decision::next(Side::Candidate, notes) };
        }
        let least = least(request.intent);
        let told = known.test.told(least);
        let effect = known.test.effect();
        let lines = Lines::after(state.runs, state.budget, request.intent);
        let p = cdf(told.z);
        state.score = Some(Score::new(&told, &effect, &lines, p));
        if effect.more_often_low > OFTEN {
            let factor = known.noise.low_factor;
            notes.insert(0, Reason::MoreOftenLow { p: effect.more_often_low, factor, net: effect.net });
        }
        let often_worse = effect.more_often_low > OFTEN && effect.net < LOSS;
        let verdict = match lines.look(&told) {
            Look::Accept if often_worse => Some(Verdict::Revert),
            Look::Accept if findings.one_more && !spent => None,
            Look::Accept if findings.one_more => Some(Verdict::Inconclusive),
            Look::Accept => Some(Verdict::Accept),
            Look::GiveUp if told.z < 0.0 => Some(Verdict::Revert),
            Look::GiveUp => Some(Verdict::Inconclusive),
            Look::GoOn if spent => Some(Verdict::Inconclusive),
            Look::GoOn => None,
        };
        let Some(verdict) = verdict else {
            let candidate = findings.one_more || known.test.candidate_next();
            let next = if candidate { Side::Candidate } else { Side::Baseline };
            let go_on = Reason::GoOn { p, runs: state.runs, budget: state.budget, next };
            return Decision::next(next, std::iter::once(go_on).chain(notes).collect());
        };
        let (low, high) = known.test.bounds();
        let runs = runs.len();
        let told_why = why(verdict, &effect, (low, high), runs, p, least, request.intent, spent);
        let mut reasons = vec![told_why];
        if verdict == Verdict::Inconclusive {
            let more = More::new(&effect, runs, request.run_seconds);
            let to_tell = more.to_tell.ln_1p();
            reasons.push(Reason::MoreRuns { runs: more.runs, minutes: more.minutes, to_tell });
            state.more = Some(more);
        }
        reasons.append(&mut notes);
        Decision::verdict(verdict, reasons)
    }

    fn remember(&mut self, request: &Request, runs: &[(f64, bool)]) -> &mut Known {
        let ledger = Ledger::new(&request.history, request.base());
        let first_today = runs.first().map(|r| r.0);
        let zero = ledger.baseline.first().copied().or(first_today).unwrap_or_default();
        let same = |k: &Known| k.ledger == ledger && k.zero == zero;
        match self.known.take().filter(same) {
            Some(known) => self.known.insert(known),
            None => self.known.insert(Known::new(ledger, zero)),
        }
    }
}

#[allow(clippy::too_many_arguments)]
fn why(
    verdict: Verdict,
    effect: &Effect,
    (low, high): (f64, f64),
    runs: usize,
    p: f64,
    least: f64,
    intent: Intent,
    capped: bool,
) -> Reason {
    let effect = effect.mean;
    match verdict {
        Verdict::Accept => Reason::Better { effect, least, low, runs, p, intent },
        Verdict::Revert => Reason::NotBetter { effect, low, high, runs, p, intent },
        Verdict::Inconclusive | Verdict::Invalid => Reason::CannotTell { effect, low, high, runs, p, capped },
    }
}

/// No run of the candidate can be compared, and no run is left.
fn cannot_start(notes: Vec<Reason>) -> Decision {
    let nothing = Reason::NoResult;
    Decision::verdict(Verdict::Invalid, std::iter::once(nothing).chain(notes).collect())
}

/// What is worth saying beside the verdict.
fn notes(request: &Request, findings: &Findings, unusable: usize) -> Vec<Reason> {
    let warned = findings.rows.iter().filter(|r| r.effect == CodeEffect::Warn);
    let mut notes: Vec<Reason> =
        warned.map(|row| Reason::CodeOnce { row: row.clone(), one_more: findings.one_more }).collect();
    let baseline_empty =
        request.today.iter().filter(|r| request.side(r) == Some(Side::Baseline) && r.log_score().is_none()).count();
    if unusable > 0 && baseline_empty > 0 {
        notes.push(Reason::BaselineUnusable { runs: baseline_empty });
    }
    notes
}
