//! Nothing that came from outside acts on the medium that it is shown in.

use isugate::report::{self, Templates};
use isugate::text;
use proptest::prelude::*;

use super::samples;

/// Texts made of what is dangerous somewhere, between ordinary characters.
fn nasty() -> impl Strategy<Value = String> {
    let pieces = prop_oneof![
        Just("\x1b[31m"),
        Just("\x1b]0;x\x07"),
        Just("\x1b["),
        Just("\x1b"),
        Just("\r"),
        Just("\n"),
        Just("\t"),
        Just("\u{9b}2J"),
        Just("\u{202e}"),
        Just("\u{2066}"),
        Just("\u{200b}"),
        Just("\u{2028}"),
        Just("|"),
        Just("\\"),
        Just("`"),
        Just("```"),
        Just("<!--"),
        Just("-->"),
        Just("<b>"),
        Just("&lt;"),
        Just("@org/team"),
        Just("#12"),
        Just("GH-3"),
        Just("https://a.b/"),
        Just("www.a.b"),
        Just("["),
        Just("]("),
        Just("*"),
        Just("_"),
        Just("~~"),
        Just("$x$"),
        Just("::error::"),
        Just("##["),
        Just("- "),
        Just("1. "),
        Just("# "),
        Just("> "),
        Just("    "),
        Just("日本"),
        Just("word"),
        Just(" "),
    ];
    prop_oneof![proptest::collection::vec(pieces, 0..24).prop_map(|all| all.concat()), ".{0,60}", any::<String>()]
}

/// The cells of a table's row as GitHub-flavoured Markdown splits it: at each `|` that no backslash precedes.
/// Source: GitHub Flavored Markdown Spec 0.29, 4.10.
fn cells(row: &str) -> usize {
    let inner = row.trim().trim_start_matches('|');
    let mut before = ' ';
    let bars = inner.chars().filter(|c| {
        let splits = *c == '|' && before != '\\';
        before = *c;
        splits
    });
    bars.count()
}

proptest! {
    #[test]
    fn text_for_a_terminal_has_no_control_character_but_the_newline(raw in nasty()) {
        let shown = text::terminal(&raw);
        let acts = |c: char| c != '\n' && (c.is_control() || ('\u{202a}'..='\u{202e}').contains(&c) || ('\u{2066}'..='\u{2069}').contains(&c));
        prop_assert!(!shown.contains(acts), "{shown:?}");
        prop_assert!(!text::terminal_line(&raw).contains('\n'));
        prop_assert_eq!(text::terminal(&shown), shown);
    }

    #[test]
    fn a_table_keeps_its_rows_and_cells_whatever_stands_in_it(raw in nasty()) {
        for cell in [text::markdown(&raw), text::markdown_code(&raw)] {
            let row = format!("| {cell} | 1 |");
            prop_assert_eq!(row.lines().count(), 1);
            prop_assert_eq!(cells(&row), 2, "{}", row);
        }
    }

    #[test]
    fn markdown_from_outside_is_no_html_no_mention_no_reference_and_no_link(raw in nasty()) {
        let shown = text::markdown(&raw);
        prop_assert!(!shown.contains(['<', '>', '"', '$']), "{shown}");
        for (at, c) in shown.char_indices() {
            let (before, after) = (&shown[..at], &shown[at + c.len_utf8()..]);
            match c {
                '@' => prop_assert!(after.starts_with("&#8203;"), "{shown}"),
                '*' | '_' | '`' | '[' | ']' | '~' => prop_assert!(before.ends_with('\\'), "{shown}"),
                // Either one of our own entities, or neutralised.
                '#' => prop_assert!(before.ends_with('&') || (before.ends_with('\\') && after.starts_with("&#8203;")), "{shown}"),
                _ => {}
            }
        }
        prop_assert!(!shown.contains("://") && !shown.to_lowercase().contains("www."), "{shown}");
        for outside in [text::markdown_code(&raw), text::markdown_block(&raw), text::html_line(&raw)] {
            prop_assert!(!outside.contains("<!--") && !outside.contains("</pre") && !outside.contains("<b>"), "{outside}");
        }
    }

    #[test]
    fn a_code_span_ends_where_it_should(raw in nasty()) {
        let shown = text::markdown_code(&raw);
        let inner = shown.strip_prefix('`').and_then(|s| s.strip_suffix('`'));
        let inner = inner.or_else(|| shown.strip_prefix("<code>").and_then(|s| s.strip_suffix("</code>"))).unwrap_or(&shown);
        prop_assert!(!inner.contains(['`', '<', '>', '|', '\n']), "{shown}");
        prop_assert!(shown.starts_with('`') || inner.matches('@').count() == inner.matches("@&#8203;").count(), "{shown}");
        prop_assert_eq!(shown.is_empty(), text::terminal_line(&raw).trim().is_empty());
    }

    #[test]
    fn no_line_from_outside_starts_a_workflow_command(raw in nasty()) {
        let shown = text::workflow_line(&raw);
        prop_assert!(!shown.trim_start().starts_with("::") && !shown.contains("##[") && !shown.contains(['\n', '\r']), "{shown:?}");
        prop_assert!(!text::workflow_data(&raw).contains(['\n', '\r']));
    }
}

#[test]
fn ordinary_text_stays_readable() {
    assert_eq!(text::terminal("\x1b[1;32mok\x1b[0m\r\n\x1b]8;;http://x\x1b\\link"), "ok\nlink");
    assert_eq!(text::terminal("50%\rdone"), "50%\\rdone");
    assert_eq!(
        text::markdown("score rose by 1.4 % (σ), it's fine - really"),
        "score rose by 1.4 % (σ), it's fine - really"
    );
    assert_eq!(text::markdown_code("SELECT a FROM b"), "`SELECT a FROM b`");
    assert_eq!(text::markdown_code("SELECT `a`"), "<code>SELECT &#96;a&#96;</code>");
}

#[test]
fn a_hostile_run_shows_no_control_character_and_leaves_the_structure_of_the_page()
-> Result<(), Box<dyn std::error::Error>> {
    let (hostile, tame) = (samples::hostile(), samples::revert_by_codes());
    for width in [60, 80, 140] {
        let shown = report::terminal(&hostile, width, false);
        assert!(shown.chars().all(|c| c == '\n' || !c.is_control()));
    }
    let shown = report::markdown(&hostile, &Templates::built_in())?;
    assert!(!shown.contains("<!--") && !shown.contains("<script") && !shown.contains("<img"));
    // What the benchmarker printed stands between `<pre>` and `</pre>`, where nothing is a heading.
    let prose = |text: &str| text.split("<pre>").next().unwrap_or_default().to_owned();
    let headings =
        |text: &str| prose(text).lines().filter(|line| line.starts_with('#')).map(str::to_owned).collect::<Vec<_>>();
    let mut expected = headings(&report::markdown(&tame, &Templates::built_in())?);
    expected.insert(3, "### Warnings".into());
    assert_eq!(headings(&shown), expected);
    for tag in ["<details>", "</details>", "<pre>", "</pre>"] {
        let count = |text: &str| text.matches(tag).count();
        assert_eq!(count(&shown), count(&report::markdown(&tame, &Templates::built_in())?), "{tag}");
    }
    Ok(())
}
