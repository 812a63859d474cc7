//! What the commands print, and the pages in the branch.

use std::path::Path;

use isugate::{
    cli::{chart, decide, history, show},
    exit::{self, Exit},
    ledger::{CHART_RUNS, Ledger, Listing, render_chart},
    verdict::Verdict,
};
use unicode_width::UnicodeWidthStr;

use super::fixture::*;

/// What a foreign text may hold.
const EVIL: &str = "a|b\u{1b}[31m\u{202e}<img src=x onerror=y>`c` [l](http://e.example) @team\n| x";

fn args() -> history::Args {
    history::Args { limit: 20, all_series: false, json: false }
}

/// Accepted, reverted, undecided and spoilt runs, one with foreign text in every place.
fn filled(repo: &Path) -> Ledger {
    let ledger = ledger(repo, None);
    append(&ledger, 1, 567_276, Verdict::Accept, None);
    let mut evil = run(2, Some(637_737));
    evil.subject = EVIL.into();
    evil.by = EVIL.into();
    evil.result.codes = Some([(EVIL.to_owned(), 13)].into());
    evil.result.messages = vec![EVIL.into()];
    evil.evidence = vec![isugate::ledger::EvidenceFile { path: EVIL.into(), size: 12_345, sha256: "ab".repeat(32) }];
    let mut verdict = verdict_of(2, Verdict::Revert, Some(1));
    verdict.decisions[0].reasons = vec![EVIL.into()];
    ledger.append(&evil, &verdict).unwrap();
    ledger.append(&run(3, None), &verdict_of(3, Verdict::Invalid, Some(1))).unwrap();
    append(&ledger, 4, 570_000, Verdict::Inconclusive, Some(1));
    ledger.decide(&id(4), decided(Verdict::Accept, "Ann <ann@e.example>", &time(6))).unwrap();
    ledger
}

#[test]
fn the_table_shows_the_newest_first_with_both_verdicts_and_the_difference_to_its_baseline() {
    let place = tempfile::tempdir().unwrap();
    let listing = filled(&repository(place.path())).runs().unwrap();
    let table = history::table(&listing, &args(), history::Look { width: None, colour: false });
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!(lines.len(), 5, "{table}");
    assert!(lines[1].starts_with(&id(4)), "{table}");
    for wanted in [
        "570,000",
        "+0.5",
        "pass",
        "17×6 24×1",
        "accept (gate: inconclusive)",
        "Ann <ann@e.example>",
        "2026-11-30 15:04",
    ] {
        assert!(lines[1].contains(wanted), "{wanted} in {}", lines[1]);
    }
    assert!(lines[3].contains("+12.4") && lines[3].contains("revert"), "{table}");
    assert!(lines[2].contains('–') && lines[2].contains("invalid"), "{table}");
    assert!(!table.contains('\u{1b}') && !table.contains('\u{202e}'), "{table:?}");
    assert_eq!(
        history::table(&listing, &history::Args { limit: 2, ..args() }, history::Look { width: None, colour: false })
            .lines()
            .count(),
        3
    );
}

#[test]
fn the_table_fits_every_width_down_to_forty_columns() {
    let place = tempfile::tempdir().unwrap();
    let listing = filled(&repository(place.path())).runs().unwrap();
    for width in 40..200 {
        let table = history::table(&listing, &args(), history::Look { width: Some(width), colour: false });
        for line in table.lines() {
            assert!(line.width() <= width, "{} > {width}: {line}", line.width());
        }
        for kept in [&id(2)[17..], "637,737", "revert"] {
            assert!(table.contains(kept), "{kept} at {width}:\n{table}");
        }
    }
}

#[test]
fn colours_change_nothing_but_the_colour() {
    let place = tempfile::tempdir().unwrap();
    let listing = filled(&repository(place.path())).runs().unwrap();
    let plain = history::table(&listing, &args(), history::Look { width: Some(120), colour: false });
    let coloured = history::table(&listing, &args(), history::Look { width: Some(120), colour: true });
    assert!(coloured.contains("\u{1b}[31mrevert"), "{coloured:?}");
    let code = regex::Regex::new("\u{1b}\\[[0-9;]*m").unwrap();
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(words(&code.replace_all(&coloured, "")), words(&plain));
}

#[test]
fn other_series_are_counted_and_shown_on_demand_and_what_cannot_be_read_is_named() {
    let place = tempfile::tempdir().unwrap();
    let repo = repository(place.path());
    let ledger = filled(&repo);
    let mut other = run(9, Some(20_000));
    other.series.key = "ffffffffffff".into();
    ledger.append(&other, &verdict_of(9, Verdict::Accept, None)).unwrap();
    plant(&repo, &format!("runs/{}/run.json", id(1)), "{");
    let listing = ledger.runs().unwrap();
    let look = history::Look { width: None, colour: false };
    let table = history::table(&listing, &args(), look);
    assert!(table.contains("3 runs of other series not shown (--all-series)"), "{table}");
    assert!(table.contains(&format!("unreadable: {}: run.json: ", id(1))), "{table}");
    let all = history::table(&listing, &history::Args { all_series: true, ..args() }, look);
    assert!(all.contains(&id(2)) && all.contains(&id(9)) && !all.contains("not shown"), "{all}");
    let document = history::document(&listing, &history::Args { all_series: true, ..args() });
    assert_eq!((&document["runs"][0]["id"], &document["unreadable"][0]["id"]), (&id(9).into(), &id(1).into()));
    assert_eq!(document["runs"][1]["gate_verdict"], "inconclusive");
    assert_eq!(document["runs"][1]["verdict"], "accept");
    let empty = history::table(&Listing::default(), &args(), look);
    assert!(empty.contains("isugate bench"), "{empty}");
}

#[test]
fn a_run_is_shown_with_all_decisions_and_no_escape_sequence() {
    let place = tempfile::tempdir().unwrap();
    let repo = repository(place.path());
    let ledger = filled(&repo);
    let (own, base) = (ledger.find(&id(4)).unwrap(), ledger.find(&id(1)).unwrap());
    let shown = show::details(&own, Some(&base), &repo);
    for wanted in [
        "inconclusive at",
        "isugate (the gate)",
        "accept at",
        "Ann <ann@e.example>",
        "(567,276, +0.5 %)",
        "exit status 0",
    ] {
        assert!(shown.contains(wanted), "{wanted} in\n{shown}");
    }
    let evil = show::details(&ledger.find(&id(2)).unwrap(), None, &repo);
    assert!(
        evil.contains(".isugate/runs/") && evil.contains("12,345 bytes") && evil.contains("not on this machine"),
        "{evil}"
    );
    assert!(!evil.contains('\u{1b}') && !evil.contains('\u{202e}'), "{evil:?}");
    assert_eq!(show::run(&show::Args { run: id(4), json: false }, &repo, &config()).unwrap(), 0);
    let missing = show::run(&show::Args { run: "2027".into(), json: true }, &repo, &config()).unwrap_err();
    assert_eq!(exit::of(&missing), Exit::Usage);
}

#[test]
fn a_person_overrides_with_a_reason_and_never_without() {
    let place = tempfile::tempdir().unwrap();
    let repo = repository(place.path());
    let ledger = filled(&repo);
    let decide = |run: &str, reason: &str, verdict| {
        decide::run(&decide::Args { run: run.into(), reason: reason.into(), json: false }, &repo, &config(), verdict)
    };
    for empty in ["", "  \n"] {
        assert_eq!(exit::of(&decide(&id(2), empty, Verdict::Accept).unwrap_err()), Exit::Usage);
    }
    assert_eq!(exit::of(&decide("2026", "which?", Verdict::Accept).unwrap_err()), Exit::Usage);
    assert_eq!(exit::of(&decide(&id(3), "it was fine", Verdict::Accept).unwrap_err()), Exit::Usage);
    assert_eq!(ledger.find(&id(2)).unwrap().decision.decisions.len(), 1);
    assert_eq!(decide(&id(2)[17..], "the judge was wrong", Verdict::Accept).unwrap(), 0);
    let entry = ledger.find(&id(2)).unwrap();
    let current = entry.decision.current().unwrap();
    assert_eq!(
        (entry.decision.verdict(), current.verdict, current.by_person),
        (Some(Verdict::Revert), Verdict::Accept, true)
    );
    assert_eq!(
        (current.by.as_str(), current.reasons.as_slice()),
        ("Ann Author <ann@e.example>", &["the judge was wrong".to_owned()][..])
    );
    assert_eq!(ledger.baseline("0123456789ab", None).unwrap().map(|e| e.run.id), Some(id(2)));
}

#[test]
fn the_page_in_the_branch_has_one_row_a_run_whatever_the_texts_hold() {
    let place = tempfile::tempdir().unwrap();
    let repo = repository(place.path());
    filled(&repo);
    let page = git(&repo, &["show", &format!("{BRANCH}:README.md")]);
    let rows: Vec<&str> = page.lines().filter(|line| line.starts_with("| [")).collect();
    assert_eq!(rows.len(), 4, "{page}");
    assert!(rows[0].starts_with(&format!("| [{0}](runs/{0}/run.json) |", id(4))), "{page}");
    assert!(rows[0].contains("**accept** (gate: inconclusive)"), "{page}");
    for row in &rows {
        assert_eq!(row.matches('|').count(), 9, "{row}");
    }
    for raw in ["<img", "@team", "[l](http", "://e", " `c`", "\u{1b}", "\u{202e}"] {
        assert!(!page.contains(raw), "{raw:?} in {page}");
    }
    assert!(page.ends_with("4 of 4 runs, newest first."), "{page}");
}

#[test]
fn the_page_keeps_to_the_last_fifty_and_the_picture_to_its_number() {
    let place = tempfile::tempdir().unwrap();
    let repo = repository(place.path());
    let ledger = ledger(&repo, None);
    for at in 0..120 {
        append(
            &ledger,
            at,
            500_000 + i64::from(at * 7919 % 1000) * 100,
            if at % 3 == 0 { Verdict::Accept } else { Verdict::Revert },
            at.checked_sub(1).map(|b| b / 3 * 3),
        );
    }
    let page = git(&repo, &["show", &format!("{BRANCH}:README.md")]);
    assert_eq!(page.lines().filter(|line| line.starts_with("| [")).count(), 50);
    assert!(page.ends_with("50 of 120 runs, newest first."), "{page}");
    let svg = git(&repo, &["show", &format!("{BRANCH}:score.svg")]);
    assert_eq!(svg.matches("<title>").count(), CHART_RUNS);
    assert!(svg.len() < 40_000, "{}", svg.len());
}

#[test]
fn the_picture_tells_verdicts_by_shape_and_holds_no_foreign_markup() {
    let place = tempfile::tempdir().unwrap();
    let repo = repository(place.path());
    let mut entries = filled(&repo).runs().unwrap().entries;
    entries.iter_mut().for_each(|entry| entry.run.series.contest = "<script>&\"'\u{1b}".into());
    let svg = render_chart(&entries, None);
    assert!(svg.contains("&lt;script&gt;") && !svg.contains("<script") && !svg.contains('\u{1b}'), "{svg}");
    // One of each shape is the legend's; two runs are accepted, one by a person.
    for (shape, wanted) in [
        ("<circle class=\"accept\"", 3),
        ("<path class=\"revert\"", 2),
        ("<path class=\"inconclusive\"", 1),
        ("<path class=\"invalid\"", 2),
    ] {
        assert_eq!(svg.matches(shape).count(), wanted, "{shape}");
    }
    let out = place.path().join("chart.svg");
    assert_eq!(chart::run(&chart::Args { out: Some(out.clone()), series: None }, &repo, &config()).unwrap(), 0);
    assert!(std::fs::read_to_string(out).unwrap().starts_with("<svg"));
    let unknown = chart::run(&chart::Args { out: None, series: Some("no".into()) }, &repo, &config()).unwrap_err();
    assert_eq!(exit::of(&unknown), Exit::Usage);
}
