//! What the score was compared by, as sentences for the report: the series' noise, the runs that it rests on, where the test stands.

use crate::verdict::state::{Score, State};

/// Sentences on the noise and the test, in English or Japanese.
pub fn sentences(state: &State, ja: bool) -> Vec<String> {
    let mut said = Vec::new();
    if let Some(noise) = &state.noise {
        let percent = |share: f64| format!("{:.1} %", share * 100.0);
        let (within, range) = (percent(noise.within), noise.within_range.map(percent).join("–"));
        said.push(match ja {
            true => format!(
                "ノイズ: 同じコミットのスコアのばらつきは {within} (90 % 区間 {range})。根拠は {} コミット {} 計測と事前分布",
                noise.commits, noise.runs
            ),
            false => format!(
                "noise: scores of one commit scatter by {within} (90 %: {range}), from {} runs of {} commits and a stated prior",
                noise.runs, noise.commits
            ),
        });
        if noise.two_modes > 0.05 {
            let (two, low, factor) = (percent(noise.two_modes), percent(noise.p_low), noise.low_factor);
            said.push(match ja {
                true => format!("低いモードがある確率 {two}: あれば計測の {low} がスコア ×{factor:.2} になる"),
                false => format!("a low mode exists with {two}: if so, {low} of runs score ×{factor:.2}"),
            });
        }
    }
    said.extend(state.score.as_ref().map(|score| stands(score, state, ja)));
    if let Some(more) = &state.more {
        let minutes = more.minutes.map(|m| format!(" ({m:.0} min)")).unwrap_or_default();
        let tell = more.to_tell * 100.0;
        said.push(match ja {
            true => format!("{tell:+.1} % を見分けるにはあと約 {} 計測{minutes}", more.runs),
            false => format!("to tell {tell:+.1} % from nothing would take about {} more runs{minutes}", more.runs),
        });
    }
    said
}

fn stands(score: &Score, state: &State, ja: bool) -> String {
    let (effect, deviation) = (score.effect * 100.0, score.effect_deviation * 100.0);
    let better = score.p_better * 100.0;
    let (safe, accept, z, give_up) = (score.safe, score.accept_at, score.z, score.give_up_at);
    let (runs, budget) = (state.runs, state.budget);
    match ja {
        true => format!(
            "検定: 効果 {effect:+.1} % ± {deviation:.1}、良い確率 {better:.1} %、{runs}/{budget} 計測、採用 {safe:.2} (≥ {accept:.2})、\
             打ち切り {z:.2} (≤ {give_up:.2})"
        ),
        false => format!(
            "test: effect {effect:+.1} % ± {deviation:.1}, better with {better:.1} %, run {runs} of {budget}; accept at {accept:.2} \
             (now {safe:.2}), give up at {give_up:.2} (now {z:.2})"
        ),
    }
}
