//! Names and words of other people: they reach programs as they are, and terminals, logs and pages as text.

use anyhow::Result;

use super::{
    field::{BENCH, Field},
    servers::Servers,
};

#[test]
fn odd_names_reach_the_hosts_as_they_are() -> Result<()> {
    // A space, what a shell would run, and what a URL would decode.
    let mut field = Field::on(Servers::shared()?, " $(id) %41&b")?;
    let branch = "feature/$(touch_pwned)`id`;'quo\"te'&|x";
    field.commit("v2", &[("score", "2000"), ("a \"b\" 'c' $(id) \n d.txt", "x"), ("日本語/無い", "")]).err();
    let odd = ["a \"b\" 'c' $(id)\n.txt", "-rf", " lead", "日本語.txt"];
    for name in odd {
        std::fs::write(field.repo().join(name), "odd")?;
    }
    field.git(&["add", "-A"])?;
    field.git(&["checkout", "-q", "-b", branch])?;
    field.git(&["commit", "-q", "-m", "Fix `$(id)` <b>&amp; | @everyone #1 'x'\n\nbody"])?;
    field.configure("  build:\n", "  artifacts: [built]\n  build:\n")?;
    field.isugate(&["bench"])?.exits(0).says(&["Fix `$(id)`"]);
    let release = field.app1.release().unwrap_or_default();
    for name in odd {
        assert_eq!(field.app1.read(&format!("webapp.isugate/releases/{release}/{name}")), "odd", "{name:?}");
    }
    assert_eq!(field.record()?["branch"], branch);
    let page = field.last("report.md");
    assert!(!page.contains("<b>") && !page.contains("@everyone"), "{page}");
    field.isugate(&["bench", branch])?.exits(0);
    field.isugate(&["bench", "$(id)"])?.exits(2).says(&["`$(id)` names no commit", "next:"]);
    field.isugate(&["bench", "--", "--upload-pack=x"])?.exits(2).says(&["names no commit"]);
    field.tidy()
}

#[test]
fn what_a_benchmarker_says_is_text_everywhere() -> Result<()> {
    let field = Field::new()?;
    let evil = "echo 'time=13:00:00.100 level=WARN msg=\"\\x1b[2J\\x1b]0;title\\a椅子 ::error::pwned <script> @everyone (CODE=30)\"'\n\
                printf '  ::set-output name=x::y\\n::error::pwned\\n\\033[31mred\\033[2J ##[error]x\\r::stop-commands::z\\n'\n";
    field.bench_script(&format!("{evil}{}", BENCH.replace("map='map[]'", "map='map[30:1]'")))?;
    let mut command = field.command(&["bench"]);
    let summary = field.work().join("summary.md");
    command.env("GITHUB_ACTIONS", "true").env("GITHUB_STEP_SUMMARY", &summary);
    let run = field.run(command)?.exits(0);
    let raw = |text: &str| text.contains('\u{1b}') || text.contains('\u{7}');
    assert!(!raw(&run.stdout) && !raw(&run.stderr), "{}\n{}", run.stdout, run.stderr);
    for line in run.stderr.lines().chain(run.stdout.lines()) {
        let line = line.trim_start();
        let ours =
            ["::group::", "::endgroup::", "::warning title=isugate::"].iter().any(|known| line.starts_with(known));
        assert!(ours || !line.starts_with("::"), "a workflow command: {line}");
        assert!(!line.contains("##[error]"), "{line}");
    }
    for page in [std::fs::read_to_string(&summary)?, field.last("report.md")] {
        assert!(!raw(&page) && !page.contains("<script>") && page.contains("椅子"), "{page}");
    }
    // What was said is kept as it was.
    assert!(raw(&field.last("bench/stdout")));
    field.tidy()
}

#[test]
fn what_a_build_says_is_no_workflow_command_when_it_fails() -> Result<()> {
    let mut field = Field::new()?;
    field.configure("bash build.sh app1", "printf '::error::pwned\\\\n::set-env name=X::y\\\\n' >&2; exit 3 #")?;
    let mut command = field.command(&["bench"]);
    command.env("GITHUB_ACTIONS", "true");
    let run = field.run(command)?.exits(22).says(&["pwned"]);
    let bad = |line: &&str| {
        let line = line.trim_start();
        line.starts_with("::error") || line.starts_with("::set-env")
    };
    assert_eq!(run.stderr.lines().filter(bad).count(), 0, "{}", run.stderr);
    Ok(())
}
