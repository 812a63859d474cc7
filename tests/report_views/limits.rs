//! Reports that are too long: what goes first, and that the report says so.

use isugate::report::{self, CodeRow, Limit, Templates};

use super::samples;

fn long() -> report::Report {
    let mut report = samples::hostile();
    report.output_tail = "| a line with <html> & more |\n".repeat(1_600);
    report.run.result.messages = (0..5_000).map(|n| format!("message {n} from @someone")).collect();
    report.codes = (0..700)
        .map(|n| CodeRow {
            code: n.to_string(),
            name: None,
            baseline: 0.0,
            candidate: 1,
            rule: "none is allowed".into(),
            vetoes: n == 699,
        })
        .collect();
    report.warnings = (0..700).map(|n| format!("warning {n}")).collect();
    report
}

#[test]
fn a_report_that_fits_is_left_whole() -> Result<(), Box<dyn std::error::Error>> {
    let (report, templates) = (samples::accept(), Templates::built_in());
    assert_eq!(report::markdown_limited(&report, &templates, Limit::COMMENT)?, report::markdown(&report, &templates)?);
    Ok(())
}

#[test]
fn the_benchmarkers_output_goes_before_anything_else_and_the_report_says_so() -> Result<(), Box<dyn std::error::Error>>
{
    let (mut report, templates) = (samples::revert_by_codes(), Templates::built_in());
    report.output_tail = "line\n".repeat(9_000);
    let whole = report::markdown(&report, &templates)?;
    let shorter = report::markdown_limited(&report, &templates, Limit::Bytes(whole.len() - 1))?;
    assert!(
        shorter.contains("> Left out to fit the size limit: Last lines of the benchmarker (shortened)."),
        "{shorter}"
    );
    assert!(shorter.contains("SELECT") && shorter.contains("nearby chairs") && shorter.contains("<pre>"));
    let shorter = report::markdown_limited(&report, &templates, Limit::Bytes(4_000))?;
    assert!(!shorter.contains("<pre>") && shorter.contains("size limit: Last lines of the benchmarker."), "{shorter}");
    Ok(())
}

#[test]
fn whatever_the_limit_the_text_keeps_it_and_begins_with_the_verdict() -> Result<(), Box<dyn std::error::Error>> {
    let (report, templates) = (long(), Templates::built_in());
    for most in [65_536, 8_000, 900, 40] {
        for limit in [Limit::Characters(most), Limit::Bytes(most)] {
            let text = report::markdown_limited(&report, &templates, limit)?;
            assert!(limit.holds(&text), "{limit:?}: {}", text.len());
            assert!(text.starts_with("## ⛔ REVERT"), "{limit:?}: {text}");
            assert_eq!(text.matches("<details>").count(), text.matches("</details>").count());
        }
    }
    Ok(())
}

#[test]
fn a_code_that_speaks_against_the_run_outlives_those_that_do_not() -> Result<(), Box<dyn std::error::Error>> {
    let text = report::markdown_limited(&long(), &Templates::built_in(), Limit::Characters(20_000))?;
    assert!(text.contains("| ❌ | 699 |") && !text.contains("| 300 |"), "{text}");
    Ok(())
}

#[test]
fn characters_are_counted_as_utf_16_and_bytes_as_utf_8() {
    assert!(Limit::Characters(3).holds("日本語") && !Limit::Characters(3).holds("😀😀"));
    assert!(Limit::Bytes(9).holds("日本語") && !Limit::Bytes(8).holds("日本語"));
    assert_eq!(Limit::COMMENT.minus(36), Limit::Characters(65_500));
}
