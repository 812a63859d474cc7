//! What spoiled a run, in a sentence that names host, unit or process, and second.

use super::facts::Language;
use super::integrity::{Violation, What};

impl Violation {
    /// The sentence.
    pub fn say(&self, lang: Language) -> String {
        let subject = self.subject.as_deref().unwrap_or("?");
        let host = self.host.as_deref().map(|h| format!("{h}: ")).unwrap_or_default();
        let at = match (self.second, lang) {
            (Some(s), Language::En) => format!(" at second {s:.0}"),
            (Some(s), Language::Ja) => format!("({s:.0} 秒)"),
            (None, _) => String::new(),
        };
        let what = match lang {
            Language::En => self.english(subject, &at),
            Language::Ja => self.japanese(subject, &at),
        };
        format!("{host}{what}: invalid")
    }

    fn english(&self, subject: &str, at: &str) -> String {
        match &self.what {
            What::Changed { before, after: Some(after) } => {
                format!("{subject} changed during the run ({} → {})", short(before), short(after))
            }
            What::Changed { after: None, .. } => format!("{subject} cannot be read any more"),
            What::Restarted { restarts: Some((a, b)) } => {
                format!("{subject} was restarted{at}: it crashed and systemd started it again (restarts {a} → {b})")
            }
            What::Restarted { restarts: None } => {
                format!("{subject} was restarted{at}: someone did it, or its host was restarted")
            }
            What::Stopped => format!("{subject} does not run any more"),
            What::LeaseLost => format!("the lease on the hosts was lost{at}"),
            What::Duration { seconds, expected } => {
                format!("the benchmark took {seconds:.0} s, where this series takes {expected:.0} s")
            }
            What::BrokenResult { why } => format!("the result is not whole ({why})"),
            What::OtherBenchmarker => "another benchmarker than this series has".into(),
            What::OtherFlags => "the benchmarker ran with other flags than this series has".into(),
            What::OtherWindow => format!("{subject}' snapshot belongs to another run"),
            What::ForeignLoad { share, limit } => format!(
                "{:.0} % of the CPU went to foreign processes (limit {:.0} %), most to {subject}{at}",
                100.0 * share,
                100.0 * limit
            ),
            What::Steal { share, limit } => format!(
                "{:.0} % of the CPU was stolen by the hypervisor (limit {:.0} %), most{at}",
                100.0 * share,
                100.0 * limit
            ),
        }
    }

    fn japanese(&self, subject: &str, at: &str) -> String {
        match &self.what {
            What::Changed { before, after: Some(after) } => {
                format!("計測中に {subject} が変わった({} → {})", short(before), short(after))
            }
            What::Changed { after: None, .. } => format!("{subject} が読めなくなった"),
            What::Restarted { restarts: Some((a, b)) } => {
                format!("計測中に {subject} が落ちて systemd が再起動した{at}(再起動回数 {a} → {b})")
            }
            What::Restarted { restarts: None } => format!("計測中に {subject} が再起動した{at}"),
            What::Stopped => format!("{subject} が動いていない"),
            What::LeaseLost => format!("ホストの占有を失った{at}"),
            What::Duration { seconds, expected } => {
                format!("ベンチマークに {seconds:.0} 秒かかった(このシリーズでは {expected:.0} 秒)")
            }
            What::BrokenResult { why } => format!("結果が揃っていない({why})"),
            What::OtherBenchmarker => "ベンチマーカーがこのシリーズのものと違う".into(),
            What::OtherFlags => "ベンチマーカーのオプションがこのシリーズと違う".into(),
            What::OtherWindow => format!("{subject} のスナップショットは別の計測のもの"),
            What::ForeignLoad { share, limit } => format!(
                "無関係なプロセスが CPU の {:.0} % を使った(上限 {:.0} %)、最大は {subject}{at}",
                100.0 * share,
                100.0 * limit
            ),
            What::Steal { share, limit } => {
                format!("ハイパーバイザーに CPU の {:.0} % を奪われた(上限 {:.0} %){at}", 100.0 * share, 100.0 * limit)
            }
        }
    }
}

fn short(hash: &str) -> String {
    hash.chars().take(12).collect()
}
