//! The fixed words that a comment holds beside the report, in the languages that it can be written in.

use crate::{config::shape::Language, lease::Held, report, verdict::Verdict};

/// All fixed words. `{}` stands for what is filled in, in this order.
pub(super) struct Words {
    language: Language,
    pub no_verdict: &'static str,
    pub waiting: &'static str,
    pub runs: &'static str,
    pub columns: &'static str,
    pub score: &'static str,
    pub job: &'static str,
    pub merged: &'static str,
    pub started: &'static str,
    pub status: &'static str,
    pub freed: &'static str,
    pub decided: &'static str,
    free: &'static str,
    held: &'static str,
}

impl Words {
    /// The words of a language.
    pub fn of(language: Language) -> &'static Words {
        match language {
            Language::En => &EN,
            Language::Ja => &JA,
        }
    }

    /// A verdict's word within a sentence.
    pub fn verdict(&self, verdict: Option<Verdict>) -> String {
        match (self.language, verdict) {
            (Language::En, Some(verdict)) => crate::ledger::verdict_word(verdict).into(),
            (Language::En, None) => self.no_verdict.into(),
            (Language::Ja, verdict) => report::verdict_word(self.language, verdict).into(),
        }
    }

    /// Who holds a host.
    pub fn lease(&self, held: Option<&Held>) -> String {
        held.map_or_else(
            || self.free.into(),
            |held| {
                let times = [held.held_for.to_string(), held.ends_in.to_string()];
                fill(self.held, &[&held.holder, &times[0], &held.reason, &held.run, &times[1]])
            },
        )
    }
}

/// Fills the `{}` of a fixed sentence, one after the other. What is filled in may hold `{}` itself.
pub(super) fn fill(sentence: &str, values: &[&str]) -> String {
    let mut values = values.iter();
    let mut parts = sentence.split("{}");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        out.push_str(values.next().unwrap_or(&""));
        out.push_str(part);
    }
    out
}

static EN: Words = Words {
    language: Language::En,
    no_verdict: "no verdict",
    waiting: "waiting for the hosts",
    runs: "Runs of this pull request ({})",
    columns: "| run | commit | | score | decided by |",
    score: "score",
    job: "log, report and evidence of this job",
    merged: "merged as {} by {}: run {} is a baseline of the main branch now",
    started: "{} started a benchmark of {}",
    status: "status, asked by {}: {}",
    freed: "{} freed the hosts ({}); before: {}",
    decided: "{}: {} by {}: {} (the gate said {})",
    free: "free",
    held: "held by {} for {} s ({}, run {}); ends in {} s unless renewed",
};

static JA: Words = Words {
    language: Language::Ja,
    no_verdict: "判定なし",
    waiting: "ホストが空くのを待っています",
    runs: "このプルリクエストの実行 ({})",
    columns: "| 実行 | コミット | | スコア | 判断 |",
    score: "スコア",
    job: "このジョブのログ・レポート・証跡",
    merged: "{} としてマージされました ({})。実行 {} が main の基準になりました",
    started: "{} が {} のベンチマークを始めました",
    status: "{} が状態を尋ねました: {}",
    freed: "{} がホストを解放しました ({})。それまで: {}",
    decided: "{}: {} (判断: {}): {} (自動判定は {})",
    free: "空き",
    held: "{} が {} 秒前から使用中 ({}、実行 {})。更新されなければあと {} 秒で空きます",
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_languages_have_a_place_for_every_value_and_a_value_is_no_place() {
        let sentences = |w: &Words| [w.merged, w.started, w.status, w.freed, w.decided, w.held, w.runs];
        for (en, ja) in sentences(&EN).into_iter().zip(sentences(&JA)) {
            assert_eq!(en.matches("{}").count(), ja.matches("{}").count(), "{en}");
        }
        assert_eq!(EN.columns.matches('|').count(), JA.columns.matches('|').count());
        assert_eq!(fill("{} and {}", &["{}", "b"]), "{} and b");
    }
}
