//! The reasons in English.

use super::code_names::NameOf;
use super::correctness::{CodeRow, Effect, Rule};
use super::facts::{Intent, Language, Side};
use super::words::{Reason, chance, code, head, list, percent, plural, score};

/// The sentence.
pub(crate) fn say(reason: &Reason, name_of: NameOf) -> String {
    let lang = Language::En;
    match reason {
        Reason::FirstBaseline { score: s } => {
            format!("{}: first run of this series, taken as the first baseline: accept", score(*s, lang))
        }
        Reason::Same { commit } => {
            format!("{commit} is the baseline itself: nothing to compare, the run goes to the noise ledger")
        }
        Reason::Failed { score: s, codes } if codes.is_empty() => {
            format!("pass=false ({}): revert", score(*s, lang))
        }
        Reason::Failed { score: s, codes } => {
            format!("pass=false ({}), code {}: revert", score(*s, lang), list(codes, name_of))
        }
        Reason::NoResult => "the run gave no whole result (no score): it says nothing about the code: invalid".into(),
        Reason::BaselineFails { runs } => format!(
            "the baseline itself failed in {} of today: the hosts are not what they were, nothing can be told about the candidate: invalid",
            plural(*runs, "run")
        ),
        Reason::ScoredNothing { baseline } => {
            format!("pass=true, but it scored 0 where the baseline has {}: revert", score(*baseline, lang))
        }
        Reason::Code { row, new_score, old_score } => english_code(row, *new_score, *old_score),
        Reason::CodeOnce { row, one_more } => format!(
            "code {} ×{}, never seen in {} of the baseline{}",
            code(&row.code, row.name.as_deref()),
            row.new,
            plural(row.old_runs, "run"),
            if *one_more { ": one more run of the candidate will show whether it is chance" } else { "" }
        ),
        Reason::Better { effect, low, runs, p, intent: Intent::Gain, .. } => format!(
            "{} (at least {}) after {}, better than the baseline with probability {}: accept",
            percent(*effect),
            percent(*low),
            plural(*runs, "run"),
            chance(*p)
        ),
        Reason::Better { effect, least, low, runs, p, .. } => format!(
            "{} (at least {}) after {}, not below {} with probability {}: accept",
            percent(*effect),
            percent(*low),
            plural(*runs, "run"),
            percent(*least),
            chance(*p)
        ),
        Reason::NotBetter { effect, low, high, runs, p, intent } => format!(
            "{} (between {} and {}) after {}, {} with probability {}: revert",
            percent(*effect),
            percent(*low),
            percent(*high),
            plural(*runs, "run"),
            if *intent == Intent::Gain { "better than the baseline only" } else { "no real loss only" },
            chance(*p)
        ),
        Reason::CannotTell { effect, low, high, runs, p, capped } => format!(
            "{} (between {} and {}) after {}, better than the baseline with probability {}: {}: inconclusive",
            percent(*effect),
            percent(*low),
            percent(*high),
            plural(*runs, "run"),
            chance(*p),
            if *capped { "the budget is used up" } else { "the runs that are left would hardly decide it" }
        ),
        Reason::MoreRuns { runs, minutes, to_tell } => format!(
            "to tell {} from nothing would take about {} more{}",
            percent(*to_tell),
            plural(*runs, "run"),
            minutes.map(|m| format!(" ({m:.0} min)")).unwrap_or_default()
        ),
        Reason::GoOn { p, runs, budget, next } => format!(
            "better than the baseline with probability {} after {runs} of {budget} runs: next the {}",
            chance(*p),
            if *next == Side::Candidate { "candidate" } else { "baseline" }
        ),
        Reason::MoreOftenLow { p, factor, net } => format!(
            "the candidate falls into the low mode (×{factor:.2}) more often than the baseline (probability {}); a single run would change by {} on average",
            chance(*p),
            percent(*net)
        ),
        Reason::BaselineUnusable { runs } => {
            format!("{} of the baseline failed or gave no score and does not count", plural(*runs, "run"))
        }
        Reason::Unseen { runs, bound } => format!(
            "no failure in {} does not mean safe: a failure in up to {} of runs would go unseen (95 %)",
            plural(*runs, "run"),
            chance(*bound)
        ),
    }
}

fn english_code(row: &CodeRow, new: Option<i64>, old: Option<i64>) -> String {
    let name = code(&row.code, row.name.as_deref());
    let head = head(new, old, ", but ");
    match (row.rule, row.effect) {
        (Rule::Deny, _) => format!("{head}code {name} ×{} (denied by the policy): revert", row.new),
        (Rule::Allow, Effect::Revert) => format!(
            "{head}code {name} ×{}, over the {} a run that the policy allows: revert",
            row.new,
            row.allowed.unwrap_or(0)
        ),
        _ if row.new_runs == 1 && row.old_runs <= 1 => {
            format!("{head}code {name} ×{} (baseline {}): revert", row.new, row.old)
        }
        _ => format!(
            "{head}code {name} ×{} in {} (baseline {} in {}): revert",
            row.new,
            plural(row.new_runs, "run"),
            row.old,
            plural(row.old_runs, "run")
        ),
    }
}
