//! The branch's `score.svg`: scores of one series over its runs, what was decided told by shape and by colour, and the
//! baseline that each run was compared with as a step. It brings its own ground, so it reads on a light and a dark page.

use std::{collections::HashMap, fmt::Write as _};

use super::{
    Entry, RunId,
    append::verdict_word,
    read::baseline_of,
    text::{cut, grouped, xml},
};
use crate::{result::Outcome, verdict::Verdict};

/// Runs that the picture shows: the last of the series.
pub const MAX_RUNS: usize = 100;

/// Size of the picture and of the plot in it, in pixels.
const WIDTH: f64 = 960.0;
const HEIGHT: f64 = 380.0;
const LEFT: f64 = 84.0;
const RIGHT: f64 = 936.0;
const TOP: f64 = 64.0;
const BOTTOM: f64 = 312.0;

/// Colours of Okabe and Ito's palette, which colour-blind people can tell apart, lightened for the dark ground.
const STYLE: &str = "\
.ground{fill:#ffffff}text{fill:#24292f;font:12px system-ui,-apple-system,'Segoe UI','DejaVu Sans',sans-serif}\
.title{font-size:15px;font-weight:600}.soft{fill:#59636e}.grid{stroke:#d1d9e0;stroke-width:1}\
.base{fill:none;stroke:#0072b2;stroke-width:1.5;stroke-dasharray:5 3}\
.accept{fill:#0072b2;stroke:#0072b2}.revert{fill:none;stroke:#d55e00;stroke-width:2}\
.inconclusive{fill:none;stroke:#767d86;stroke-width:2}.invalid{fill:none;stroke:#767d86;stroke-width:2}\
@media(prefers-color-scheme:dark){.ground{fill:#0d1117}text{fill:#e6edf3}.soft{fill:#9198a1}.grid{stroke:#30363d}\
.base{stroke:#56b4e9}.accept{fill:#56b4e9;stroke:#56b4e9}.revert{stroke:#ff8a3d}.inconclusive,.invalid{stroke:#9198a1}}";

/// The picture of a series (its key; by default the newest run's) among `entries`, which are in time order.
pub fn render(entries: &[Entry], series: Option<&str>) -> String {
    let key = series.or_else(|| entries.last().map(|entry| entry.run.series.key.as_str())).unwrap_or_default();
    let of_series: Vec<&Entry> = entries.iter().filter(|entry| entry.run.series.key == key).collect();
    let runs = &of_series[of_series.len().saturating_sub(MAX_RUNS)..];
    let title = match runs.last() {
        Some(last) => format!(
            "Score, {} ({} run{})",
            xml(&cut(&last.run.series.contest, 40)),
            runs.len(),
            if runs.len() == 1 { "" } else { "s" }
        ),
        None => "Score".into(),
    };
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" role=\"img\" \
         aria-label=\"{title}\">\n<style>{STYLE}</style>\n<rect class=\"ground\" width=\"{WIDTH}\" height=\"{HEIGHT}\" rx=\"6\"/>\n\
         <text class=\"title\" x=\"24\" y=\"30\">{title}</text>\n"
    );
    legend(&mut svg);
    let scores: HashMap<&str, i64> =
        entries.iter().filter_map(|e| Some((e.run.id.as_str(), e.run.result.score?))).collect();
    let levels: Vec<Option<i64>> =
        runs.iter().map(|run| scores.get(run.decision.baseline.as_deref()?).copied()).collect();
    let now = baseline_of(entries, key, |_| true).and_then(|entry| entry.run.result.score);
    // Runs that failed or say nothing do not stretch the axis; they stand on it.
    let telling =
        runs.iter().filter(|run| run.run.result.outcome == Outcome::Pass && verdict_of(run) != Some(Verdict::Invalid));
    let values = telling.filter_map(|run| run.run.result.score).chain(levels.iter().copied().flatten()).chain(now);
    let Some((low, high)) =
        values.fold(None, |range, v| Some(range.map_or((v, v), |(l, h): (i64, i64)| (l.min(v), h.max(v)))))
    else {
        svg.push_str(
            "<text class=\"soft\" x=\"480\" y=\"190\" text-anchor=\"middle\">No run with a score yet.</text>\n</svg>\n",
        );
        return svg;
    };
    let (from, to, step) = axis(low as f64, high as f64);
    let y = |score: f64| (BOTTOM - (score - from) / (to - from) * (BOTTOM - TOP)).clamp(TOP, BOTTOM);
    let slot = (RIGHT - LEFT) / runs.len() as f64;
    let x = |at: usize| LEFT + slot * (at as f64 + 0.5);

    for line in 0..=((to - from) / step).round() as i64 {
        let value = from + step * line as f64;
        let (at, label) = (y(value), grouped(value.round() as i64));
        let _ = writeln!(
            svg,
            "<path class=\"grid\" d=\"M{LEFT} {at:.1}H{RIGHT}\"/><text class=\"soft\" x=\"{:.0}\" y=\"{:.1}\" text-anchor=\"end\">{label}</text>",
            LEFT - 8.0,
            at + 4.0
        );
    }
    times(&mut svg, runs, slot);

    // The step: what each run was compared with, and to the right of the last one what the next will be.
    let mut path = String::new();
    let mut before = None;
    for (at, level) in levels.iter().copied().chain([now]).enumerate() {
        if let Some(level) = level {
            let (left, right) = (if at == 0 { LEFT } else { x(at - 1) }, if at == runs.len() { RIGHT } else { x(at) });
            let _ = write!(
                path,
                "{}{left:.1} {y:.1}H{right:.1}",
                if before.is_some() { "L" } else { "M" },
                y = y(level as f64)
            );
        }
        before = level;
    }
    if !path.is_empty() {
        let _ = writeln!(svg, "<path class=\"base\" d=\"{path}\"/>");
    }
    for (at, entry) in runs.iter().enumerate() {
        let Some(verdict) = verdict_of(entry) else { continue };
        let score = entry.run.result.score;
        let height = score.filter(|_| verdict != Verdict::Invalid).map_or(BOTTOM, |score| y(score as f64));
        let told = format!(
            "{}: {} {}",
            xml(&entry.run.id),
            score.map_or_else(|| "no score".into(), grouped),
            verdict_word(verdict)
        );
        let _ = writeln!(svg, "<g><title>{told}</title>{}</g>", mark(verdict, x(at), height));
    }
    svg.push_str("</svg>\n");
    svg
}

fn verdict_of(entry: &Entry) -> Option<Verdict> {
    entry.decision.current().map(|decision| decision.verdict)
}

/// A mark: its shape alone tells the verdict.
fn mark(verdict: Verdict, x: f64, y: f64) -> String {
    let class = verdict_word(verdict);
    match verdict {
        Verdict::Accept => format!("<circle class=\"{class}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\"/>"),
        Verdict::Revert => format!("<path class=\"{class}\" d=\"M{:.1} {:.1}h9l-4.5 8z\"/>", x - 4.5, y - 4.0),
        Verdict::Inconclusive => format!("<path class=\"{class}\" d=\"M{:.1} {:.1}h7v7h-7z\"/>", x - 3.5, y - 3.5),
        Verdict::Invalid => format!("<path class=\"{class}\" d=\"M{:.1} {:.1}l8 8m0 -8l-8 8\"/>", x - 4.0, y - 4.0),
    }
}

fn legend(svg: &mut String) {
    let places =
        [(Verdict::Accept, 478.0), (Verdict::Revert, 562.0), (Verdict::Inconclusive, 644.0), (Verdict::Invalid, 758.0)];
    for (verdict, x) in places {
        let _ = writeln!(
            svg,
            "{}<text class=\"soft\" x=\"{:.0}\" y=\"30\">{}</text>",
            mark(verdict, x, 26.0),
            x + 10.0,
            verdict_word(verdict)
        );
    }
    let _ =
        writeln!(svg, "<path class=\"base\" d=\"M834 26h26\"/><text class=\"soft\" x=\"868\" y=\"30\">baseline</text>");
}

/// Labels the axis with days, or with times where all is of one day, as far apart as the labels need.
fn times(svg: &mut String, runs: &[&Entry], slot: f64) {
    let ids: Vec<RunId> = runs.iter().filter_map(|entry| entry.run.id.parse().ok()).collect();
    let minutes: Vec<String> = ids.iter().map(RunId::minute).collect();
    let days: Vec<&str> = minutes.iter().map(|minute| &minute[..10]).collect();
    let one_day = days.first() == days.last();
    let (mut shown, mut last_x) = ("", f64::NEG_INFINITY);
    for (at, minute) in minutes.iter().enumerate() {
        let label = if one_day { &minute[11..] } else { &minute[..10] };
        let x = LEFT + slot * (at as f64 + 0.5);
        if label != shown && x - last_x >= 76.0 {
            let (tick, text) = (BOTTOM + 6.0, BOTTOM + 20.0);
            let _ = writeln!(
                svg,
                "<path class=\"grid\" d=\"M{x:.1} {BOTTOM}V{tick}\"/><text class=\"soft\" x=\"{x:.1}\" y=\"{text}\" text-anchor=\"middle\">{label}</text>"
            );
            last_x = x;
        }
        shown = label;
    }
    let (middle, below) = (f64::midpoint(LEFT, RIGHT), BOTTOM + 48.0);
    let day = if one_day { format!("{}, ", days.first().unwrap_or(&"")) } else { String::new() };
    let _ = writeln!(
        svg,
        "<text class=\"soft\" x=\"{middle:.0}\" y=\"{below}\" text-anchor=\"middle\">runs in time order, {day}UTC; on the axis: invalid, or a score outside the picture</text>"
    );
}

/// The ends of the axis and the step of its grid: round numbers around the scores, about five lines.
fn axis(low: f64, high: f64) -> (f64, f64, f64) {
    let span = (high - low).max(high.abs() * 0.02).max(4.0);
    let pad = (span - (high - low)) / 2.0;
    let (low, high) = (low - pad, high + pad);
    let rough = span / 4.0;
    let power = 10_f64.powf(rough.log10().floor());
    let step =
        [1.0, 2.0, 5.0, 10.0].into_iter().map(|m| m * power).find(|step| *step >= rough).unwrap_or(power).max(1.0);
    let (from, to) = ((low / step).floor() * step, (high / step).ceil() * step);
    // Below zero only where scores are; zero itself where it is near.
    let from = if from > 0.0 && from <= span || from < 0.0 && low + pad >= 0.0 { 0.0 } else { from };
    (from, if to > from { to } else { from + step }, step)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_axis_has_round_ends_around_the_scores() {
        assert_eq!(axis(500_000.0, 640_000.0), (500_000.0, 650_000.0, 50_000.0));
        assert_eq!(axis(0.0, 0.0), (0.0, 2.0, 1.0));
        let (from, to, step) = axis(567_276.0, 567_276.0);
        assert!(from <= 567_276.0 && to >= 567_276.0 && to > from && step >= 1.0);
        let (from, to, _) = axis(-50.0, 9_000.0);
        assert!(from <= -50.0 && to >= 9_000.0);
    }

    #[test]
    fn no_runs_give_a_picture_that_says_so() {
        assert!(render(&[], None).contains("No run with a score yet."));
    }
}
