//! Fills `{{name}}` in command lines. Nothing else is special: no escapes, no blocks.

use std::fmt;

/// One `{{name}}` in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Variable<'t> {
    /// The name, without the blanks around it.
    pub name: &'t str,
    /// Where `{{` begins, in bytes.
    pub start: usize,
    /// Where `}}` has ended, in bytes.
    pub end: usize,
}

/// Why a template can't be filled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TemplateError {
    /// `{{` without `}}` in the same line.
    Unclosed {
        /// Where `{{` begins, in bytes.
        at: usize,
    },
    /// A name that has no value.
    Unknown {
        /// The name.
        name: String,
        /// Where `{{` begins, in bytes.
        at: usize,
    },
}

impl fmt::Display for TemplateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TemplateError::Unclosed { .. } => f.write_str("`{{` is not closed by `}}`"),
            TemplateError::Unknown { name, .. } => {
                write!(f, "unknown template variable `{{{{{}}}}}`", super::diagnostic::safe(name))
            }
        }
    }
}

impl std::error::Error for TemplateError {}

/// The variables of a text, in its order.
pub fn variables(text: &str) -> impl Iterator<Item = Result<Variable<'_>, TemplateError>> {
    let mut from = 0;
    std::iter::from_fn(move || {
        let start = from + text.get(from..)?.find("{{")?;
        // Whichever comes first: the end of the variable or of its line. Looking no further keeps long texts linear.
        let inner = start + 2;
        let stop = text.as_bytes()[inner..].windows(2).position(|pair| pair == b"}}" || pair[0] == b'\n');
        let stop = stop.map_or(text.len(), |offset| inner + offset);
        Some(if text[stop..].starts_with("}}") {
            from = stop + 2;
            Ok(Variable { name: text[inner..stop].trim(), start, end: from })
        } else {
            from = stop;
            Err(TemplateError::Unclosed { at: start })
        })
    })
}

/// Fills every variable with what `value` has for its name. What is filled in is not looked at again.
///
/// # Errors
/// The first variable that is unclosed, or that `value` does not know.
pub fn fill(text: &str, value: &dyn Fn(&str) -> Option<String>) -> Result<String, TemplateError> {
    let mut filled = String::with_capacity(text.len());
    let mut done = 0;
    for variable in variables(text) {
        let Variable { name, start, end } = variable?;
        filled.push_str(&text[done..start]);
        match value(name) {
            Some(value) => filled.push_str(&value),
            None => return Err(TemplateError::Unknown { name: name.into(), at: start }),
        }
        done = end;
    }
    filled.push_str(&text[done..]);
    Ok(filled)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ab(name: &str) -> Option<String> {
        match name {
            "a" => Some("1".into()),
            "b" => Some("{{a}}".into()),
            _ => None,
        }
    }

    #[test]
    fn variables_are_filled_once() {
        assert_eq!(fill("x {{a}}{{ b }} }} y", &ab).unwrap(), "x 1{{a}} }} y");
        assert_eq!(fill("no variables { }", &ab).unwrap(), "no variables { }");
    }

    #[test]
    fn unknown_and_unclosed_variables_are_refused_with_their_place() {
        assert_eq!(fill("é {{c}}", &ab), Err(TemplateError::Unknown { name: "c".into(), at: 3 }));
        assert_eq!(fill("{{a}} {{a", &ab), Err(TemplateError::Unclosed { at: 6 }));
        assert_eq!(fill("{{a\n}}", &ab), Err(TemplateError::Unclosed { at: 0 }));
        assert_eq!(fill("{{}}", &ab), Err(TemplateError::Unknown { name: String::new(), at: 0 }));
    }
}
