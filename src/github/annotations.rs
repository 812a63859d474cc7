//! Mistakes in files, shown on their lines: as a workflow command in the job's log and on the check's page.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::{config::ConfigError, text};

/// Annotations that one step may make; GitHub drops the others.
const MOST: usize = 10;

/// Something to be said about a line of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Annotation {
    /// The file, relative to the repository's top.
    pub path: String,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// What is wrong, and what would be right.
    pub message: String,
}

impl Annotation {
    /// As the API takes it.
    pub(super) fn for_check(&self) -> Value {
        json!({
            "path": self.path, "start_line": self.line, "end_line": self.line,
            "annotation_level": "failure", "message": text::terminal(&self.message), "title": "isugate.yml",
        })
    }

    /// As a workflow command. Source: "Workflow commands for GitHub Actions", "Setting an error message".
    pub fn command(&self) -> String {
        format!(
            "::error file={},line={},col={},title={}::{}",
            property(&self.path),
            self.line,
            self.column,
            property("isugate.yml"),
            text::workflow_data(&self.message)
        )
    }
}

/// The mistakes of a configuration as annotations on its lines. `path` is the file relative to the repository's top.
pub fn of_config(error: &ConfigError, path: &str) -> Vec<Annotation> {
    let annotation = |mistake: &crate::config::Diagnostic| Annotation {
        path: path.into(),
        line: mistake.line,
        column: mistake.column,
        message: match &mistake.help {
            Some(help) => format!("{}\nhelp: {help}", mistake.message),
            None => mistake.message.clone(),
        },
    };
    error.diagnostics().iter().take(MOST).map(annotation).collect()
}

/// The value of a command's property: a colon or a comma would end it.
fn property(text: &str) -> String {
    text::workflow_data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_name_and_a_message_cannot_end_the_command() {
        let path = "a,line=9::b\n::set-env".into();
        let command = Annotation { path, line: 3, column: 5, message: "100 %\n::error::x".into() }.command();
        assert_eq!(
            command,
            "::error file=a%2Cline=9%3A%3Ab%0A%3A%3Aset-env,line=3,col=5,title=isugate.yml::100 %25%0A::error::x"
        );
    }
}
