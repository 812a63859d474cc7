//! Exact tests on counts.

/// Natural logarithm of `n!` by summing up to 64 and by Stirling's series above it (error below 1e-12).
fn ln_factorial(n: u64) -> f64 {
    if n < 64 {
        return (2..=n).map(|i| (i as f64).ln()).sum();
    }
    let x = n as f64 + 1.0;
    let series = 1.0 / (12.0 * x) - 1.0 / (360.0 * x.powi(3)) + 1.0 / (1260.0 * x.powi(5));
    (x - 0.5) * x.ln() - x + 0.5 * (2.0 * std::f64::consts::PI).ln() + series
}

/// Probability that a binomial variable of `n` trials with success probability `p` is `k` or more.
pub(crate) fn upper_tail(k: u64, n: u64, p: f64) -> f64 {
    if k == 0 {
        return 1.0;
    }
    if k > n || p <= 0.0 {
        return 0.0;
    }
    if p >= 1.0 {
        return 1.0;
    }
    let (log_p, log_q) = (p.ln(), (-p).ln_1p());
    let log_term =
        |i: u64| ln_factorial(n) - ln_factorial(i) - ln_factorial(n - i) + i as f64 * log_p + (n - i) as f64 * log_q;
    // From the first term on, each is the one before it times (n - i) / (i + 1) * p / q.
    let odds = p / (1.0 - p);
    let mut term = log_term(k).exp();
    let mut sum = term;
    for i in k..n {
        term *= (n - i) as f64 / (i + 1) as f64 * odds;
        sum += term;
        if term < sum * 1e-17 && (i as f64) > n as f64 * p {
            break;
        }
    }
    sum.min(1.0)
}

/// Whether something that happened `new` times in `new_runs` runs is more frequent than `old` times in `old_runs`.
///
/// Given how often it happened in all, the number that falls on the new runs is binomial with their share of the runs
/// (the exact conditional test for two Poisson rates; Przyborowski and Wilenski, 1940). Returns its one-sided p-value.
pub(crate) fn more_frequent(new: u64, new_runs: usize, old: u64, old_runs: usize) -> f64 {
    let runs = (new_runs + old_runs).max(1) as f64;
    upper_tail(new, new.saturating_add(old), new_runs as f64 / runs)
}

/// Upper 95 % bound on the probability of a failure that was never seen in `runs` runs ("rule of three": about 3 / n).
pub fn unseen_failure_bound(runs: usize) -> f64 {
    if runs == 0 { 1.0 } else { 1.0 - 0.05f64.powf(1.0 / runs as f64) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tails_agree_with_sums_by_hand() {
        assert!((upper_tail(2, 3, 0.5) - 0.5).abs() < 1e-12);
        assert!((upper_tail(13, 13, 0.5) - 0.5f64.powi(13)).abs() < 1e-15);
        assert!((upper_tail(1, 10, 0.1) - (1.0 - 0.9f64.powi(10))).abs() < 1e-12);
        assert!((upper_tail(60, 100, 0.5) - 0.028_443_966_820_490_35).abs() < 1e-10);
        assert!((upper_tail(500, 1_000, 0.5) - 0.512_612_508_946_9).abs() < 1e-7);
    }

    #[test]
    fn seven_new_errors_against_one_clean_run_are_more_than_chance() {
        assert!(more_frequent(7, 1, 0, 1) < 0.01);
        assert!(more_frequent(6, 1, 0, 1) > 0.01);
        assert!(more_frequent(2, 2, 0, 3) > 0.1);
        assert!(more_frequent(205, 1, 2, 3) < 1e-9);
    }

    #[test]
    fn two_green_runs_do_not_mean_safe() {
        assert!((unseen_failure_bound(2) - 0.776).abs() < 0.001);
        assert!((unseen_failure_bound(60) - 0.0487).abs() < 0.001);
    }
}
