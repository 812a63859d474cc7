//! The reasons for a verdict, in a contestant's words, English or Japanese.

use super::code_names::NameOf;
use super::correctness::{CodeRow, Effect, Rule};
use super::facts::{Intent, Lang, Side};

/// Why the gate says what it says. Effects and noise are shares (0.05 is 5 %), times are runs.
#[derive(Clone, Debug, PartialEq)]
pub enum Reason {
    /// The first run of a series becomes its baseline.
    FirstBaseline { score: Option<i64> },
    /// The candidate is the baseline.
    Same { commit: String },
    /// The benchmarker said `pass=false`.
    Failed { score: Option<i64>, codes: Vec<(String, u64)> },
    /// A run of the candidate gave no whole result.
    NoResult,
    /// The baseline itself fails today.
    BaselineFails { runs: usize },
    /// `pass=true` with nothing scored, where the baseline scores.
    ScoredNothing { baseline: Option<i64> },
    /// A code decides.
    Code { row: CodeRow, new_score: Option<i64>, old_score: Option<i64> },
    /// A code was seen once.
    CodeOnce { row: CodeRow, one_more: bool },
    /// Better.
    Better { effect: f64, least: f64, low: f64, runs: usize, p: f64, intent: Intent },
    /// Not better, or worse.
    NotBetter { effect: f64, low: f64, high: f64, runs: usize, p: f64, intent: Intent },
    /// Going on is not worth it, or the budget is used up.
    CannotTell { effect: f64, low: f64, high: f64, runs: usize, p: f64, capped: bool },
    /// What it would cost to know.
    MoreRuns { runs: usize, minutes: Option<f64>, to_tell: f64 },
    /// Where the test stands, and what comes next.
    GoOn { p: f64, runs: usize, budget: usize, next: Side },
    /// The candidate falls into the low mode more often.
    MoreOftenLow { p: f64, factor: f64, net: f64 },
    /// A baseline run of today that cannot be used.
    BaselineUnusable { runs: usize },
    /// A green run is not proof.
    Unseen { runs: usize, bound: f64 },
}

/// A whole number with its thousands apart: `637,737`.
pub fn grouped(n: i64) -> String {
    let digits = n.unsigned_abs().to_string();
    let mut out = String::new();
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i) % 3 == 0 {
            out.push(',');
        }
        out.push(c);
    }
    if n < 0 { format!("-{out}") } else { out }
}

/// An effect on the log scale as a percentage with its sign: `+5.1 %`.
fn percent(log: f64) -> String {
    let x = 100.0 * log.exp_m1();
    let x = if x.abs() < 0.05 { 0.0 } else { x };
    if x.abs() >= 100.0 { format!("{x:+.0} %") } else { format!("{x:+.1} %") }
}

/// A probability that never claims to be certain.
fn chance(p: f64) -> String {
    let x = 100.0 * p;
    if x > 99.9 {
        ">99.9 %".to_owned()
    } else if x < 0.1 {
        "<0.1 %".to_owned()
    } else {
        format!("{x:.1} %")
    }
}

fn score(n: Option<i64>, lang: Lang) -> String {
    match (n, lang) {
        (Some(n), _) => grouped(n),
        (None, Lang::En) => "no score".to_owned(),
        (None, Lang::Ja) => "スコアなし".to_owned(),
    }
}

fn code(code: &str, name: Option<&str>) -> String {
    match name {
        Some(name) => format!("{code} {name}"),
        None => code.to_owned(),
    }
}

fn list(codes: &[(String, u64)], name_of: NameOf) -> String {
    let named = codes.iter().map(|(c, n)| format!("{} ×{n}", code(c, name_of(c))));
    named.collect::<Vec<_>>().join(", ")
}

fn plural(n: usize, one: &str) -> String {
    if n == 1 { format!("1 {one}") } else { format!("{n} {one}s") }
}

impl Reason {
    /// The sentence.
    pub fn say(&self, lang: Lang, name_of: NameOf) -> String {
        match lang {
            Lang::En => self.english(name_of),
            Lang::Ja => self.japanese(name_of),
        }
    }

    fn english(&self, name_of: NameOf) -> String {
        let lang = Lang::En;
        match self {
            Self::FirstBaseline { score: s } => {
                format!("{}: first run of this series, taken as the first baseline: accept", score(*s, lang))
            }
            Self::Same { commit } => {
                format!("{commit} is the baseline itself: nothing to compare, the run goes to the noise ledger")
            }
            Self::Failed { score: s, codes } if codes.is_empty() => {
                format!("pass=false ({}): revert", score(*s, lang))
            }
            Self::Failed { score: s, codes } => {
                format!("pass=false ({}), code {}: revert", score(*s, lang), list(codes, name_of))
            }
            Self::NoResult => "the run gave no whole result (no score): it says nothing about the code: invalid".into(),
            Self::BaselineFails { runs } => format!(
                "the baseline itself failed in {} of today: the hosts are not what they were, nothing can be told about the candidate: invalid",
                plural(*runs, "run")
            ),
            Self::ScoredNothing { baseline } => {
                format!("pass=true, but it scored 0 where the baseline has {}: revert", score(*baseline, lang))
            }
            Self::Code { row, new_score, old_score } => english_code(row, *new_score, *old_score),
            Self::CodeOnce { row, one_more } => format!(
                "code {} ×{}, never seen in {} of the baseline{}",
                code(&row.code, row.name.as_deref()),
                row.new,
                plural(row.old_runs, "run"),
                if *one_more { ": one more run of the candidate will show whether it is chance" } else { "" }
            ),
            Self::Better { effect, low, runs, p, intent: Intent::Gain, .. } => format!(
                "{} (at least {}) after {}, better than the baseline with probability {}: accept",
                percent(*effect),
                percent(*low),
                plural(*runs, "run"),
                chance(*p)
            ),
            Self::Better { effect, least, low, runs, p, .. } => format!(
                "{} (at least {}) after {}, not below {} with probability {}: accept",
                percent(*effect),
                percent(*low),
                plural(*runs, "run"),
                percent(*least),
                chance(*p)
            ),
            Self::NotBetter { effect, low, high, runs, p, intent } => format!(
                "{} (between {} and {}) after {}, {} with probability {}: revert",
                percent(*effect),
                percent(*low),
                percent(*high),
                plural(*runs, "run"),
                if *intent == Intent::Gain { "better than the baseline only" } else { "no real loss only" },
                chance(*p)
            ),
            Self::CannotTell { effect, low, high, runs, p, capped } => format!(
                "{} (between {} and {}) after {}, better than the baseline with probability {}: {}: inconclusive",
                percent(*effect),
                percent(*low),
                percent(*high),
                plural(*runs, "run"),
                chance(*p),
                if *capped { "the budget is used up" } else { "the runs that are left would hardly decide it" }
            ),
            Self::MoreRuns { runs, minutes, to_tell } => format!(
                "to tell {} from nothing would take about {} more{}",
                percent(*to_tell),
                plural(*runs, "run"),
                minutes.map(|m| format!(" ({m:.0} min)")).unwrap_or_default()
            ),
            Self::GoOn { p, runs, budget, next } => format!(
                "better than the baseline with probability {} after {runs} of {budget} runs: next the {}",
                chance(*p),
                if *next == Side::Candidate { "candidate" } else { "baseline" }
            ),
            Self::MoreOftenLow { p, factor, net } => format!(
                "the candidate falls into the low mode (×{factor:.2}) more often than the baseline (probability {}); a single run would change by {} on average",
                chance(*p),
                percent(*net)
            ),
            Self::BaselineUnusable { runs } => {
                format!("{} of the baseline failed or gave no score and does not count", plural(*runs, "run"))
            }
            Self::Unseen { runs, bound } => format!(
                "no failure in {} does not mean safe: a failure in up to {} of runs would go unseen (95 %)",
                plural(*runs, "run"),
                chance(*bound)
            ),
        }
    }

    fn japanese(&self, name_of: NameOf) -> String {
        let lang = Lang::Ja;
        match self {
            Self::FirstBaseline { score: s } => {
                format!("{}: このシリーズの最初の計測なので、最初の基準とする: accept", score(*s, lang))
            }
            Self::Same { commit } => {
                format!("{commit} は基準そのもの: 比べる相手がない。計測はノイズの記録に加える")
            }
            Self::Failed { score: s, codes } if codes.is_empty() => {
                format!("pass=false ({}): revert", score(*s, lang))
            }
            Self::Failed { score: s, codes } => {
                format!("pass=false ({})、コード {}: revert", score(*s, lang), list(codes, name_of))
            }
            Self::NoResult => "結果が揃っていない(スコアなし)。コードについて何も言えない: invalid".into(),
            Self::BaselineFails { runs } => {
                format!("今日は基準自体が {runs} 回失敗した。環境が変わっており、候補について何も言えない: invalid")
            }
            Self::ScoredNothing { baseline } => {
                format!("pass=true だがスコアは 0 (基準は {}): revert", score(*baseline, lang))
            }
            Self::Code { row, new_score, old_score } => japanese_code(row, *new_score, *old_score),
            Self::CodeOnce { row, one_more } => format!(
                "コード {} ×{}、基準の {} 回では一度も出ていない{}",
                code(&row.code, row.name.as_deref()),
                row.new,
                row.old_runs,
                if *one_more { "。偶然かどうか、候補をもう 1 回走らせて確かめる" } else { "" }
            ),
            Self::Better { effect, low, runs, p, intent: Intent::Gain, .. } => format!(
                "{runs} 回で {} (少なくとも {})、基準より速い確率 {}: accept",
                percent(*effect),
                percent(*low),
                chance(*p)
            ),
            Self::Better { effect, least, low, runs, p, .. } => format!(
                "{runs} 回で {} (少なくとも {})、{} を下回らない確率 {}: accept",
                percent(*effect),
                percent(*low),
                percent(*least),
                chance(*p)
            ),
            Self::NotBetter { effect, low, high, runs, p, intent } => format!(
                "{runs} 回で {} ({} 〜 {})、{}確率は {} しかない: revert",
                percent(*effect),
                percent(*low),
                percent(*high),
                if *intent == Intent::Gain { "基準より速い" } else { "悪化していない" },
                chance(*p)
            ),
            Self::CannotTell { effect, low, high, runs, p, capped } => format!(
                "{runs} 回で {} ({} 〜 {})、基準より速い確率 {}。{}: inconclusive",
                percent(*effect),
                percent(*low),
                percent(*high),
                chance(*p),
                if *capped { "計測回数を使い切った" } else { "残りの回数ではまず決まらない" }
            ),
            Self::MoreRuns { runs, minutes, to_tell } => format!(
                "{} を見分けるには、あと約 {runs} 回{}必要",
                percent(*to_tell),
                minutes.map(|m| format!("(約 {m:.0} 分)")).unwrap_or_default()
            ),
            Self::GoOn { p, runs, budget, next } => format!(
                "{budget} 回中 {runs} 回、基準より速い確率 {}。次は{}",
                chance(*p),
                if *next == Side::Candidate { "候補" } else { "基準" }
            ),
            Self::MoreOftenLow { p, factor, net } => format!(
                "候補は基準より頻繁に低いモード(×{factor:.2})に落ちる(確率 {})。1 回あたりのスコアは平均で {} 変わる",
                chance(*p),
                percent(*net)
            ),
            Self::BaselineUnusable { runs } => {
                format!("基準の計測 {runs} 回は失敗またはスコアなしなので数えない")
            }
            Self::Unseen { runs, bound } => format!(
                "{runs} 回失敗なしでも安全とは言えない: 失敗率が {} でも見えないことがある(95 %)",
                chance(*bound)
            ),
        }
    }
}

/// `637,737 > 567,276, but `, where the score alone would have spoken for the candidate.
fn head(new: Option<i64>, old: Option<i64>, but: &str) -> String {
    match (new, old) {
        (Some(n), Some(o)) if n > o => format!("{} > {}{but}", grouped(n), grouped(o)),
        _ => String::new(),
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

fn japanese_code(row: &CodeRow, new: Option<i64>, old: Option<i64>) -> String {
    let name = code(&row.code, row.name.as_deref());
    let head = head(new, old, " だが、");
    match (row.rule, row.effect) {
        (Rule::Deny, _) => format!("{head}コード {name} ×{} (禁止されている): revert", row.new),
        (Rule::Allow, Effect::Revert) => {
            format!("{head}コード {name} ×{}、許容は 1 回の計測で {} まで: revert", row.new, row.allowed.unwrap_or(0))
        }
        _ if row.new_runs == 1 && row.old_runs <= 1 => {
            format!("{head}コード {name} ×{} (基準 {}): revert", row.new, row.old)
        }
        _ => format!(
            "{head}コード {name} が {} 回の計測で ×{} (基準は {} 回で {}): revert",
            row.new_runs, row.new, row.old_runs, row.old
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::super::code_names::isucon14;
    use super::*;

    fn thirteen() -> Reason {
        let row = CodeRow {
            code: "30".into(),
            name: isucon14("30").map(str::to_owned),
            old: 0,
            old_runs: 1,
            new: 13,
            new_runs: 1,
            rule: Rule::NoMoreThanBaseline,
            allowed: None,
            p: Some(1e-4),
            effect: Effect::Revert,
        };
        Reason::Code { row, new_score: Some(637_737), old_score: Some(567_276) }
    }

    #[test]
    fn a_contestant_would_say_it_so() {
        assert_eq!(
            thirteen().say(Lang::En, isucon14),
            "637,737 > 567,276, but code 30 WrongNearbyChairs ×13 (baseline 0): revert"
        );
        assert_eq!(
            thirteen().say(Lang::Ja, isucon14),
            "637,737 > 567,276 だが、コード 30 WrongNearbyChairs ×13 (基準 0): revert"
        );
    }

    #[test]
    fn numbers_read_well() {
        assert_eq!(grouped(1_234_567), "1,234,567");
        assert_eq!(grouped(-999), "-999");
        assert_eq!(percent(0.0002), "+0.0 %");
        assert_eq!(percent(-0.05), "-4.9 %");
        assert_eq!(chance(0.99999), ">99.9 %");
    }
}
