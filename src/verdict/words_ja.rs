//! The reasons in Japanese.

use super::code_names::NameOf;
use super::correctness::{CodeRow, Effect, Rule};
use super::facts::{Intent, Language, Side};
use super::words::{Reason, chance, code, head, list, percent, score};

/// The sentence.
pub(crate) fn say(reason: &Reason, name_of: NameOf) -> String {
    let lang = Language::Ja;
    match reason {
        Reason::FirstBaseline { score: s } => {
            format!("{}: このシリーズの最初の計測なので、最初の基準とする: accept", score(*s, lang))
        }
        Reason::Same { commit } => {
            format!("{commit} は基準そのもの: 比べる相手がない。計測はノイズの記録に加える")
        }
        Reason::Failed { score: s, codes } if codes.is_empty() => {
            format!("pass=false ({}): revert", score(*s, lang))
        }
        Reason::Failed { score: s, codes } => {
            format!("pass=false ({})、コード {}: revert", score(*s, lang), list(codes, name_of))
        }
        Reason::NoResult => "結果が揃っていない(スコアなし)。コードについて何も言えない: invalid".into(),
        Reason::BaselineFails { runs } => {
            format!("今日は基準自体が {runs} 回失敗した。環境が変わっており、候補について何も言えない: invalid")
        }
        Reason::ScoredNothing { baseline } => {
            format!("pass=true だがスコアは 0 (基準は {}): revert", score(*baseline, lang))
        }
        Reason::Code { row, new_score, old_score } => japanese_code(row, *new_score, *old_score),
        Reason::CodeOnce { row, one_more } => format!(
            "コード {} ×{}、基準の {} 回では一度も出ていない{}",
            code(&row.code, row.name.as_deref()),
            row.new,
            row.old_runs,
            if *one_more { "。偶然かどうか、候補をもう 1 回走らせて確かめる" } else { "" }
        ),
        Reason::Better { effect, low, runs, p, intent: Intent::Gain, .. } => format!(
            "{runs} 回で {} (少なくとも {})、基準より速い確率 {}: accept",
            percent(*effect),
            percent(*low),
            chance(*p)
        ),
        Reason::Better { effect, least, low, runs, p, .. } => format!(
            "{runs} 回で {} (少なくとも {})、{} を下回らない確率 {}: accept",
            percent(*effect),
            percent(*low),
            percent(*least),
            chance(*p)
        ),
        Reason::NotBetter { effect, low, high, runs, p, intent } => format!(
            "{runs} 回で {} ({} 〜 {})、{}確率は {} しかない: revert",
            percent(*effect),
            percent(*low),
            percent(*high),
            if *intent == Intent::Gain { "基準より速い" } else { "悪化していない" },
            chance(*p)
        ),
        Reason::CannotTell { effect, low, high, runs, p, capped } => format!(
            "{runs} 回で {} ({} 〜 {})、基準より速い確率 {}。{}: inconclusive",
            percent(*effect),
            percent(*low),
            percent(*high),
            chance(*p),
            if *capped { "計測回数を使い切った" } else { "残りの回数ではまず決まらない" }
        ),
        Reason::MoreRuns { runs, minutes, to_tell } => format!(
            "{} を見分けるには、あと約 {runs} 回{}必要",
            percent(*to_tell),
            minutes.map(|m| format!("(約 {m:.0} 分)")).unwrap_or_default()
        ),
        Reason::GoOn { p, runs, budget, next } => format!(
            "{budget} 回中 {runs} 回、基準より速い確率 {}。次は{}",
            chance(*p),
            if *next == Side::Candidate { "候補" } else { "基準" }
        ),
        Reason::MoreOftenLow { p, factor, net } => format!(
            "候補は基準より頻繁に低いモード(×{factor:.2})に落ちる(確率 {})。1 回あたりのスコアは平均で {} 変わる",
            chance(*p),
            percent(*net)
        ),
        Reason::BaselineUnusable { runs } => {
            format!("基準の計測 {runs} 回は失敗またはスコアなしなので数えない")
        }
        Reason::Unseen { runs, bound } => {
            format!("{runs} 回失敗なしでも安全とは言えない: 失敗率が {} でも見えないことがある(95 %)", chance(*bound))
        }
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
