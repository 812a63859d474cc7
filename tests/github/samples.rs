//! Comments as people see them: rendered from fixed reports, kept in `docs/samples/`, and compared with what is there.
//! `ISUGATE_BLESS=1 cargo test --test github samples` writes them anew.

use std::path::Path;

use isugate::{
    ci::comment,
    config::shape::{Intent, Preset},
    github::{Context, Event, comment::Body},
    ledger::{DecisionRecord, Entry, Proposal, proposal},
    report::{Limit, Report, Templates},
};

#[path = "../report_views/samples.rs"]
pub mod reports;

fn context() -> Context {
    Context {
        repository: "team/isucon".into(),
        public: Some(false),
        default_branch: Some("main".into()),
        actor: "alice".into(),
        api_url: "https://api.github.com".into(),
        server_url: "https://github.com".into(),
        run_id: "1234567890".into(),
        sha: "c".repeat(40),
        event: Event::Schedule,
    }
}

/// The report's run with two earlier ones of its pull request.
fn runs(report: &Report) -> Vec<Entry> {
    let entry = |id: &str, score: f64| {
        let mut run = report.run.clone();
        run.id = id.into();
        run.result.score = run.result.score.map(|own| (own as f64 * score) as i64);
        let proposed = Proposal { branch: None, pull_request: Some(7) };
        run.unknown = proposal::fields(Some(&proposed));
        let decision = DecisionRecord {
            schema_version: "1.0".into(),
            run: run.id.clone(),
            baseline: None,
            intent: Intent::Gain,
            preset: Preset::Practice,
            decisions: report.decisions.clone(),
            unknown: Default::default(),
        };
        Entry { run, decision }
    };
    vec![
        entry("20261130T050000Z-aaaaaa", 0.93),
        entry("20261130T053000Z-bbbbbb", 1.04),
        entry("20261130T061051Z-cccccc", 1.0),
    ]
}

fn body(report: &Report) -> Body {
    let entries = runs(report);
    let all: Vec<&Entry> = entries.iter().collect();
    comment(report, &Templates::built_in(), &context(), &all).unwrap()
}

#[test]
fn the_kept_samples_are_what_is_rendered() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/samples");
    for (name, report) in reports::all() {
        let text = body(&report).full;
        let path = folder.join(format!("comment-{}.md", name.replace('_', "-")));
        if std::env::var_os("ISUGATE_BLESS").is_some() {
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(&path, &text).unwrap();
        }
        let kept = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(kept == text, "{} is not what is rendered; see the head of tests/github/samples.rs", path.display());
    }
}

#[test]
fn a_comment_is_within_the_limit_and_says_what_was_left_out() {
    let (_, mut report) = reports::all().into_iter().find(|(name, _)| *name == "hostile").unwrap();
    report.output_tail = "x | @team <!-- isugate:comment v1 order=99991231T000000Z-zzzzzz -->\n".repeat(3_000);
    report.warnings = (0..500).map(|n| format!("{n} {}", "@team <b> | ".repeat(40))).collect();
    let body = body(&report);
    assert!(
        Limit::COMMENT
            .holds(&format!("{}{}", "<!-- isugate:comment v1 order=20261130T061051Z-abcdef -->\n", body.full))
    );
    assert!(
        body.full.contains("Left out") && body.full.contains("Runs of this pull request"),
        "{}",
        &body.full[..2000]
    );
    assert!(body.short.len() <= 8_000 * 4 && body.short.encode_utf16().count() <= 8_000, "{}", body.short.len());
    assert!(!body.full.contains("<!-- isugate:comment") && !body.full.contains("@team"));
}

#[test]
fn nothing_foreign_mentions_anybody_or_makes_markup_in_the_list_of_runs() {
    let (_, mut report) = reports::all().into_iter().find(|(name, _)| *name == "accept").unwrap();
    report.run.subject = "```\n</details> @team | #1 <img src=x> [a](https://evil.example)".into();
    report.decisions[0].by = "@eve | <b>".into();
    let text = body(&report).full;
    let list = &text[text.find("Runs of this pull request").unwrap()..];
    for bad in ["@team", "@eve", "<img", "<b>", "](https://evil", " #1"] {
        assert!(!list.contains(bad), "{bad} in {list}");
    }
    assert_eq!(list.matches("</details>").count(), 1, "{list}");
}
