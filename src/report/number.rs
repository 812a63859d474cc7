//! Figures as a person reads them: thousands separators, signed differences, durations, sizes.

use std::time::Duration;

/// `637737` as `637,737`.
pub fn thousands(value: i64) -> String {
    let digits = value.unsigned_abs().to_string();
    let mut out = String::with_capacity(digits.len() + 7);
    if value < 0 {
        out.push('-');
    }
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A count, which a benchmarker may give as anything that fits into 64 bits.
pub fn count(value: u64) -> String {
    i64::try_from(value).map_or_else(|_| value.to_string(), thousands)
}

/// A mean of counts: whole where it is whole, else with one decimal.
pub fn mean(value: f64) -> String {
    let rounded = (value * 10.0).round() / 10.0;
    match rounded.fract() == 0.0 && rounded.abs() < 1e15 {
        true => thousands(rounded as i64),
        false => format!("{rounded:.1}"),
    }
}

/// The difference from `before` to `now` in percent of `before`; none where `before` is 0 or less.
pub fn change(now: f64, before: f64) -> Option<f64> {
    (before > 0.0).then(|| (now - before) / before * 100.0)
}

/// `12.4` as `+12.4 %`: always with a sign, always one decimal.
pub fn percent(value: f64) -> String {
    let rounded = (value * 10.0).round() / 10.0;
    match rounded == 0.0 {
        true => "±0.0 %".into(),
        false => format!("{rounded:+.1} %"),
    }
}

/// Nanoseconds in the largest unit that leaves three significant digits: `950ns`, `12.3µs`, `4.20ms`, `1.23s`, `2m03s`, `1h02m`.
pub fn duration_ns(ns: u64) -> String {
    let in_unit = |unit: f64, name: &str| {
        let value = ns as f64 / unit;
        match value {
            v if v < 9.995 => format!("{v:.2}{name}"),
            v if v < 99.95 => format!("{v:.1}{name}"),
            v => format!("{v:.0}{name}"),
        }
    };
    let seconds = (ns as f64 / 1e9).round() as u64;
    match ns {
        0 => "0s".into(),
        1..1_000 => format!("{ns}ns"),
        1_000..999_500 => in_unit(1e3, "µs"),
        999_500..999_500_000 => in_unit(1e6, "ms"),
        _ if seconds < 60 => in_unit(1e9, "s"),
        _ if seconds < 3600 => format!("{}m{:02}s", seconds / 60, seconds % 60),
        _ => format!("{}h{:02}m", seconds / 3600, seconds % 3600 / 60),
    }
}

/// As [`duration_ns`].
pub fn duration(duration: Duration) -> String {
    duration_ns(u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX))
}

/// As [`duration_ns`]; seconds that are no number or less than 0 are 0.
pub fn seconds(value: f64) -> String {
    duration(Duration::try_from_secs_f64(value).unwrap_or_default())
}

/// A size in bytes with binary units: `512 B`, `1.4 KiB`, `32.0 MiB`.
pub fn bytes(value: u64) -> String {
    let mut size = value as f64;
    for unit in ["B", "KiB", "MiB"] {
        if size < 1023.95 {
            return if unit == "B" { format!("{value} B") } else { format!("{size:.1} {unit}") };
        }
        size /= 1024.0;
    }
    format!("{size:.1} GiB")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_separated_for_every_length_and_sign() {
        let shown: Vec<_> = [0, 7, 999, 1_000, 637_737, -1_234_567, i64::MIN].into_iter().map(thousands).collect();
        assert_eq!(shown, ["0", "7", "999", "1,000", "637,737", "-1,234,567", "-9,223,372,036,854,775,808"]);
        assert_eq!(count(u64::MAX), "18446744073709551615");
    }

    #[test]
    fn a_difference_has_a_sign_and_one_decimal_and_needs_something_to_differ_from() {
        assert_eq!(change(637_737.0, 567_276.0).map(percent).as_deref(), Some("+12.4 %"));
        assert_eq!(change(546_855.0, 567_276.0).map(percent).as_deref(), Some("-3.6 %"));
        assert_eq!(percent(-0.04), "±0.0 %");
        assert_eq!(change(5.0, 0.0), None);
    }

    #[test]
    fn durations_never_show_a_full_unit_as_sixty_or_a_thousand_of_a_smaller_one() {
        let shown: Vec<_> = [
            0,
            950,
            12_345,
            999_499,
            999_500,
            4_200_000,
            999_499_999,
            999_500_000,
            59_499_999_999,
            59_500_000_000,
            123e9 as u64,
        ]
        .into_iter()
        .map(duration_ns)
        .collect();
        assert_eq!(
            shown,
            ["0s", "950ns", "12.3µs", "999µs", "1.00ms", "4.20ms", "999ms", "1.00s", "59.5s", "1m00s", "2m03s"]
        );
        assert_eq!(seconds(3725.0), "1h02m");
        assert_eq!(seconds(f64::NAN), "0s");
    }

    #[test]
    fn sizes_and_means_are_short() {
        assert_eq!([512, 1_434, 33_554_432].map(bytes), ["512 B", "1.4 KiB", "32.0 MiB"]);
        assert_eq!([13.0, 0.25, 1234.0].map(mean), ["13", "0.3", "1,234"]);
    }
}
