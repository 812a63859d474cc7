//! What others decide by: the rules that the gate is measured against.

use super::comparison::Comparison;

/// What a rule says at its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Said {
    /// Keep the candidate.
    Accept,
    /// Take it back.
    Revert,
    /// It cannot tell.
    Neither,
}

/// A rule that decides a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rival {
    /// One run of the candidate above the baseline's last.
    OneRun,
    /// One run, at least 10 % above or below the baseline's last.
    TenPercent,
    /// Welch's t-test, one-sided 5 %: three runs of the candidate against three of the baseline's in the ledger.
    Welch,
    /// Mann and Whitney's exact test, one-sided 5 %: five runs of each side, interleaved.
    MannWhitney,
    /// Wald's sequential test on pairs for +3 %, errors 5 % and 10 %, spread pooled from the ledger.
    Sprt,
}

impl Rival {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::OneRun, Self::TenPercent, Self::Welch, Self::MannWhitney, Self::Sprt];

    /// What it is called in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::OneRun => "one run",
            Self::TenPercent => "±10 %, one run",
            Self::Welch => "Welch 3+3",
            Self::MannWhitney => "Mann–Whitney 5+5",
            Self::Sprt => "plain SPRT",
        }
    }

    /// Decides a comparison with at most `budget` runs; a rule with a fixed number of runs takes that.
    pub fn decide(self, c: &mut Comparison<'_>, budget: usize) -> Said {
        match self {
            Self::OneRun => one_run(c),
            Self::TenPercent => ten_percent(c),
            Self::Welch => welch(c),
            Self::MannWhitney => mann_whitney(c),
            Self::Sprt => sprt(c, budget),
        }
    }
}

fn one_run(c: &mut Comparison<'_>) -> Said {
    let last = c.baseline.last().copied().unwrap_or_default();
    if c.run(true) > last { Said::Accept } else { Said::Revert }
}

fn ten_percent(c: &mut Comparison<'_>) -> Said {
    let last = c.baseline.last().copied().unwrap_or_default();
    let change = (c.run(true) - last).exp_m1();
    if change > 0.10 {
        Said::Accept
    } else if change < -0.10 {
        Said::Revert
    } else {
        Said::Neither
    }
}

fn mean(xs: &[f64]) -> f64 {
    xs.iter().sum::<f64>() / xs.len().max(1) as f64
}

/// Sum of squared deviations from the mean.
fn squares(xs: &[f64]) -> f64 {
    let m = mean(xs);
    xs.iter().map(|x| (x - m) * (x - m)).sum()
}

/// One-sided 5 % points of Student's t with 1 to 30 degrees of freedom.
const T_POINT: [f64; 30] = [
    6.314, 2.920, 2.353, 2.132, 2.015, 1.943, 1.895, 1.860, 1.833, 1.812, 1.796, 1.782, 1.771, 1.761, 1.753, 1.746,
    1.740, 1.734, 1.729, 1.725, 1.721, 1.717, 1.714, 1.711, 1.708, 1.706, 1.703, 1.701, 1.699, 1.697,
];

/// The point for a number of degrees of freedom that need not be whole; linear in its reciprocal between them.
fn t_point(df: f64) -> f64 {
    let df = df.clamp(1.0, 30.0);
    let low = (df.floor() as usize).min(29);
    let (a, b) = (T_POINT[low - 1], T_POINT[low]);
    let (x, y) = (1.0 / low as f64, 1.0 / (low + 1) as f64);
    b + (a - b) * (1.0 / df - y) / (x - y)
}

fn welch(c: &mut Comparison<'_>) -> Said {
    let new: Vec<f64> = (0..3).map(|_| c.run(true)).collect();
    let old = c.baseline.clone();
    if old.len() < 2 {
        return Said::Neither;
    }
    let part = |xs: &[f64]| squares(xs) / (xs.len() - 1) as f64 / xs.len() as f64;
    let (a, b) = (part(&new), part(&old));
    let df = (a + b).powi(2) / (a * a / (new.len() - 1) as f64 + b * b / (old.len() - 1) as f64);
    let t = (mean(&new) - mean(&old)) / (a + b).sqrt();
    if t > t_point(df) {
        Said::Accept
    } else if t < -t_point(df) {
        Said::Revert
    } else {
        Said::Neither
    }
}

/// With five and five, U of 21 or more has probability 0.0476 where nothing differs.
const U_POINT: usize = 21;

fn mann_whitney(c: &mut Comparison<'_>) -> Said {
    let (mut new, mut old) = (Vec::new(), Vec::new());
    for _ in 0..5 {
        new.push(c.run(true));
        old.push(c.run(false));
    }
    let wins = new.iter().flat_map(|x| old.iter().filter(move |y| x > y)).count();
    if wins >= U_POINT {
        Said::Accept
    } else if 25 - wins >= U_POINT {
        Said::Revert
    } else {
        Said::Neither
    }
}

fn sprt(c: &mut Comparison<'_>, budget: usize) -> Said {
    let effect = 0.03;
    let (mut sum, mut df) = (4.0 * 0.04 * 0.04, 4.0);
    for group in c.groups().filter(|g| g.len() > 1) {
        sum += squares(group);
        df += (group.len() - 1) as f64;
    }
    let variance = 2.0 * sum / df;
    let (accept, revert) = ((0.90f64 / 0.05).ln(), (0.10f64 / 0.95).ln());
    let mut total = 0.0;
    for pair in 1..=budget / 2 {
        total += c.run(true) - c.run(false);
        let ratio = effect / variance * (total - pair as f64 * effect / 2.0);
        if ratio >= accept {
            return Said::Accept;
        }
        if ratio <= revert {
            return Said::Revert;
        }
    }
    Said::Neither
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_points_of_t_are_interpolated() {
        assert!((t_point(4.0) - 2.132).abs() < 1e-9);
        assert!((t_point(2.5) - 2.58).abs() < 0.05, "{}", t_point(2.5));
        assert!((t_point(1e9) - 1.697).abs() < 1e-9);
    }

    #[test]
    fn twenty_one_wins_of_twenty_five_have_five_per_cent() {
        // Count the orders of five and five with U >= 21.
        let (mut hits, mut all) = (0u32, 0u32);
        for mask in 0u32..1 << 10 {
            if mask.count_ones() == 5 {
                all += 1;
                let wins: u32 =
                    (0..10).filter(|i| mask >> i & 1 == 1).map(|i| i - (mask & ((1 << i) - 1)).count_ones()).sum();
                hits += u32::from(wins as usize >= U_POINT);
            }
        }
        assert_eq!(all, 252);
        assert!(f64::from(hits) / f64::from(all) <= 0.05, "{hits}");
    }
}
