//! The templates of the Markdown view: those built in, and those of a user's folder that replace them.

use std::path::{Path, PathBuf};

use handlebars::{Handlebars, RenderErrorReason, TemplateErrorReason, no_escape};
use serde_json::Value;

/// The built-in templates: name, file name, text. `report` includes the others as partials.
const BUILT_IN: [(&str, &str, &str); 13] = [
    ("report", "report.md.hbs", include_str!("../../templates/report.md.hbs")),
    ("verdict", "verdict.md.hbs", include_str!("../../templates/verdict.md.hbs")),
    ("score", "score.md.hbs", include_str!("../../templates/score.md.hbs")),
    ("codes", "codes.md.hbs", include_str!("../../templates/codes.md.hbs")),
    ("noise", "noise.md.hbs", include_str!("../../templates/noise.md.hbs")),
    ("warnings", "warnings.md.hbs", include_str!("../../templates/warnings.md.hbs")),
    ("hosts", "hosts.md.hbs", include_str!("../../templates/hosts.md.hbs")),
    ("evidence", "evidence.md.hbs", include_str!("../../templates/evidence.md.hbs")),
    ("messages", "messages.md.hbs", include_str!("../../templates/messages.md.hbs")),
    ("environment", "environment.md.hbs", include_str!("../../templates/environment.md.hbs")),
    ("files", "files.md.hbs", include_str!("../../templates/files.md.hbs")),
    ("output", "output.md.hbs", include_str!("../../templates/output.md.hbs")),
    ("dropped", "dropped.md.hbs", include_str!("../../templates/dropped.md.hbs")),
];

/// What is wrong with a template, and where.
#[derive(Debug, thiserror::Error)]
pub enum TemplateError {
    /// A folder or file that cannot be read.
    #[error("{}: cannot be read: {reason}; next: make it readable, or correct report.templates", path.display())]
    Unreadable {
        /// The folder or file.
        path: PathBuf,
        /// What the system says.
        reason: String,
    },
    /// A file that replaces no template.
    #[error("{}: there is no template of this name; the nearest is {nearest}; next: rename or remove the file", path.display())]
    UnknownName {
        /// The file.
        path: PathBuf,
        /// The nearest right name.
        nearest: &'static str,
    },
    /// A template that is wrong in itself, or asks for something that there is not.
    #[error("{file}:{line}:{column}: {problem}")]
    Wrong {
        /// The file, or the built-in template's name.
        file: String,
        /// Line, from 1.
        line: usize,
        /// Column, from 1.
        column: usize,
        /// What is wrong, with the next step.
        problem: String,
    },
}

/// The templates of the Markdown view.
pub struct Templates {
    registry: Handlebars<'static>,
    files: Vec<(&'static str, PathBuf)>,
}

impl Default for Templates {
    fn default() -> Self {
        Templates::built_in()
    }
}

impl Templates {
    /// The built-in templates.
    pub fn built_in() -> Templates {
        let mut registry = Handlebars::new();
        registry.set_strict_mode(true);
        // Every value is escaped before a template can see it, so that no template can forget to.
        registry.register_escape_fn(no_escape);
        for (name, _, text) in BUILT_IN {
            // A built-in template that does not parse shows as missing when it is rendered; a test renders them all.
            let _ = registry.register_template_string(name, text);
        }
        Templates { registry, files: Vec::new() }
    }

    /// The built-in templates and those of `folder`, none of them rendered yet.
    pub(super) fn read(folder: &Path) -> Result<Templates, TemplateError> {
        let mut templates = Templates::built_in();
        let unreadable = |path: &Path, error: &dyn std::fmt::Display| TemplateError::Unreadable {
            path: path.into(),
            reason: error.to_string(),
        };
        let mut paths = Vec::new();
        for entry in folder.read_dir().map_err(|error| unreadable(folder, &error))? {
            paths.push(entry.map_err(|error| unreadable(folder, &error))?.path());
        }
        paths.sort();
        for path in paths.into_iter().filter(|path| path.extension().is_some_and(|extension| extension == "hbs")) {
            let given = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            let Some((name, ..)) = BUILT_IN.iter().find(|(_, file, _)| *file == given) else {
                return Err(TemplateError::UnknownName { nearest: nearest(&given), path });
            };
            let text = std::fs::read_to_string(&path).map_err(|error| unreadable(&path, &error))?;
            templates.registry.register_template_string(name, &text).map_err(|error| TemplateError::Wrong {
                file: path.display().to_string(),
                line: error.pos().map_or(1, |(line, _)| line),
                column: error.pos().map_or(1, |(_, column)| column),
                problem: syntax(error.reason()),
            })?;
            templates.files.push((name, path));
        }
        Ok(templates)
    }

    /// The report's template with `context`, whose texts are escaped already.
    pub(super) fn render(&self, context: &Value) -> Result<String, TemplateError> {
        self.registry.render("report", context).map_err(|error| {
            let name = error.template_name.as_deref().unwrap_or("report");
            let problem = match error.reason() {
                RenderErrorReason::MissingVariable(Some(variable)) => {
                    format!("there is no variable `{variable}` here; next: see the list of variables in docs/report.md")
                }
                RenderErrorReason::PartialNotFound(partial) => {
                    format!(
                        "there is no template `{partial}`; the nearest is `{}`",
                        nearest(partial).trim_end_matches(".md.hbs")
                    )
                }
                other => other.to_string(),
            };
            TemplateError::Wrong {
                file: self.file(name),
                line: error.line_no.unwrap_or(1),
                column: error.column_no.unwrap_or(1),
                problem,
            }
        })
    }

    fn file(&self, name: &str) -> String {
        match self.files.iter().find(|(known, _)| *known == name) {
            Some((_, path)) => path.display().to_string(),
            None => format!("built-in template {name}.md.hbs"),
        }
    }
}

fn nearest(given: &str) -> &'static str {
    let distance = |file: &str| strsim::damerau_levenshtein(file, given);
    BUILT_IN.iter().map(|(_, file, _)| *file).min_by_key(|file| distance(file)).unwrap_or(BUILT_IN[0].1)
}

fn syntax(reason: &TemplateErrorReason) -> String {
    format!("{reason}; next: see how templates are written in docs/report.md")
}
