//! What the views look like: whole documents, kept as snapshots.

use isugate::report::{self, Templates};
use unicode_width::UnicodeWidthStr;

use super::samples;

#[test]
fn a_terminal_of_80_and_of_140_columns_shows_the_whole_report_within_its_width() {
    for (name, report) in samples::all() {
        for width in [80, 140] {
            let shown = report::terminal(&report, width, false);
            for line in shown.lines().filter(|line| line.trim() != isugate::text::terminal_line(&report.directory)) {
                assert!(line.width() <= width, "{name}: {} columns: {line}", line.width());
            }
            insta::assert_snapshot!(format!("terminal_{name}_{width}"), shown);
        }
    }
}

#[test]
fn the_first_lines_hold_the_verdict_and_its_reason() {
    let first = |report| report::terminal(&report, 80, false).lines().take(3).collect::<Vec<_>>().join("\n");
    assert!(first(samples::accept()).starts_with("ACCEPT  637,737 (+12.4 %)\n  - The score rose by 12.4 %"));
    assert!(first(samples::revert_by_codes()).contains("Code 30 (WrongNearbyChairs) came 13 times"));
    assert!(first(samples::invalid_by_restart()).contains("was restarted 31 s into the benchmark"));
    assert!(first(samples::overridden()).starts_with("ACCEPT  546,855 (-3.6 %)  decided by bob"));
}

#[test]
fn a_run_that_says_nothing_about_the_code_shows_no_difference_of_scores() {
    let shown = report::terminal(&samples::invalid_by_restart(), 80, false);
    assert!(!shown.contains("12.4 %"), "{shown}");
    assert_eq!(report::json(&samples::invalid_by_restart())["score_change_percent"], serde_json::Value::Null);
}

#[test]
fn colour_changes_nothing_but_colour() {
    let report = samples::revert_by_codes();
    let coloured = report::terminal(&report, 80, true);
    assert!(coloured.starts_with("\x1b[1;31mREVERT"));
    assert_eq!(isugate::text::terminal(&coloured), report::terminal(&report, 80, false));
}

#[test]
fn markdown_holds_the_whole_report() -> Result<(), Box<dyn std::error::Error>> {
    for (name, report) in samples::all() {
        insta::assert_snapshot!(format!("markdown_{name}"), report::markdown(&report, &Templates::built_in())?);
    }
    Ok(())
}

#[test]
fn json_holds_the_whole_report() {
    for (name, report) in samples::all() {
        insta::assert_snapshot!(format!("json_{name}"), report::json_text(&report));
    }
}

#[test]
fn json_shown_on_a_terminal_is_the_same_document_without_a_control_character() -> Result<(), Box<dyn std::error::Error>>
{
    let report = samples::hostile();
    let shown = report::json_text(&report);
    assert!(shown.chars().all(|c| c == '\n' || !c.is_control()));
    assert_eq!(serde_json::from_str::<serde_json::Value>(&shown)?, report::json(&report));
    Ok(())
}
