//! Templates of the user's: what they can replace, and what they are told when they are wrong.

use std::{fs, path::Path};

use isugate::report::{self, TemplateError, Templates};

use super::samples;

type Outcome = Result<(), Box<dyn std::error::Error>>;

fn folder(files: &[(&str, &str)]) -> std::io::Result<tempfile::TempDir> {
    let folder = tempfile::tempdir()?;
    for (name, text) in files {
        fs::write(folder.path().join(name), text)?;
    }
    Ok(folder)
}

fn refused(folder: &Path) -> String {
    Templates::load(Some(folder)).err().map(|error| error.to_string()).unwrap_or_default()
}

#[test]
fn a_file_of_the_same_name_replaces_one_part_and_leaves_the_others() -> Outcome {
    let folder =
        folder(&[("hosts.md.hbs", "**Where**: {{#each hosts}}{{this}}{{/each}}\n"), ("README.md", "not a template")])?;
    let shown = report::markdown(&samples::accept(), &Templates::load(Some(folder.path()))?)?;
    assert!(shown.contains("**Where**: app1 is on the candidate") && shown.contains("### Noise"), "{shown}");
    assert!(!shown.contains("### Hosts"));
    Ok(())
}

#[test]
fn a_template_cannot_reach_a_value_that_is_not_escaped() -> Outcome {
    let folder = folder(&[("report.md.hbs", "{{run.subject}} {{{run.subject}}} {{&run.subject}}\n")])?;
    let mut report = samples::accept();
    report.run.subject = "<b> @all".into();
    let shown = report::markdown(&report, &Templates::load(Some(folder.path()))?)?;
    assert_eq!(shown, format!("{0} {0} {0}\n", "&lt;b&gt; @&#8203;all"));
    Ok(())
}

#[test]
fn a_variable_that_there_is_not_is_named_with_file_and_line_before_any_run() -> Outcome {
    let folder = folder(&[("codes.md.hbs", "### Codes\n\n{{#each codes}}\n- {{kode}}\n{{/each}}\n")])?;
    let message = refused(folder.path());
    assert!(
        message.contains("codes.md.hbs:4:") && message.contains("`kode`") && message.contains("docs/report.md"),
        "{message}"
    );
    assert!(message.starts_with(&folder.path().display().to_string()), "{message}");
    Ok(())
}

#[test]
fn a_template_that_takes_a_baseline_for_granted_is_refused_before_the_first_run() -> Outcome {
    let folder = folder(&[("score.md.hbs", "{{score.now}} against {{baseline.id}}\n")])?;
    let message = refused(folder.path());
    assert!(message.contains("score.md.hbs:1:") && message.contains("`baseline.id`"), "{message}");
    Ok(())
}

#[test]
fn a_template_that_does_not_parse_is_named_with_file_and_line_before_any_run() -> Outcome {
    let folder = folder(&[("noise.md.hbs", "{{#if noise}}\n{{#each noise}}\n- {{this}}\n{{/if}}\n")])?;
    let Err(error @ TemplateError::Wrong { line, .. }) = Templates::load(Some(folder.path())) else {
        return Err("the template was taken".into());
    };
    assert!(error.to_string().contains("noise.md.hbs:") && line >= 1, "{error}");
    Ok(())
}

#[test]
fn a_name_that_replaces_nothing_gets_the_nearest_right_one() -> Outcome {
    let folder = folder(&[("code.md.hbs", "x")])?;
    let message = refused(folder.path());
    assert!(message.contains("code.md.hbs") && message.contains("the nearest is codes.md.hbs"), "{message}");
    Ok(())
}

#[test]
fn a_folder_that_is_not_there_is_named() {
    let message = refused(Path::new("/nonexistent/templates"));
    assert!(message.starts_with("/nonexistent/templates: cannot be read"), "{message}");
}

#[test]
fn a_partial_that_there_is_not_is_named() -> Outcome {
    let folder = folder(&[("report.md.hbs", "{{> verdict}}\n{{> scores}}\n")])?;
    let message = refused(folder.path());
    assert!(
        message.contains("report.md.hbs:2:") && message.contains("`scores`") && message.contains("`score`"),
        "{message}"
    );
    Ok(())
}
