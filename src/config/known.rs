//! The names of contests and result formats that the configuration may use.

/// The contests that `contest:` may name. `generic` stands for a service of one's own.
pub const CONTESTS: &[&str] = &[
    "generic",
    "isucon14",
    "isucon13",
    "isucon12-qualify",
    "isucon12-final",
    "isucon11-qualify",
    "isucon11-final",
    "isucon10-qualify",
    "isucon9-qualify",
    "private-isu",
    "kayac-isucon-2022",
];

/// The formats that `bench.format:` may name besides the contests' own.
const OTHER_FORMATS: &[&str] = &["report-fd", "portal", "k6", "oha", "wrk", "hyperfine"];

/// Every format that `bench.format:` may name: each contest's, and those of other tools.
pub const FORMATS: &[&str] = &concat_names();

const fn concat_names() -> [&'static str; CONTESTS.len() + OTHER_FORMATS.len()] {
    let mut all = [""; CONTESTS.len() + OTHER_FORMATS.len()];
    let mut at = 0;
    while at < all.len() {
        all[at] = if at < CONTESTS.len() { CONTESTS[at] } else { OTHER_FORMATS[at - CONTESTS.len()] };
        at += 1;
    }
    all
}

/// Whether a contest's preset brings a benchmark command, so that `bench.run` may be left out.
pub(super) fn has_bench_command(contest: &str) -> bool {
    contest != "generic" && CONTESTS.contains(&contest)
}
