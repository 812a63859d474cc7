//! Any other benchmarker: the user says where score and outcome are.
//!
//! Either a JSON document (a file, or the last line of standard output) with the paths of its fields, or regular
//! expressions with the named captures `score` and `pass` over the lines of standard output. Without a description: a JSON
//! object with `pass` and `score`.

use regex::Regex;
use serde::{Deserialize, Serialize};

use super::channels::{Channels, Ended, Source};
use super::error::ErrorKind;
use super::json::{self, Json};
use super::lines::MAX_LOG_LINE;
use super::outcome::{Claim, Codes, Invalid, Notes};
use super::{Context, json_line};

/// Where a benchmarker's result is and how it is read (`bench.result` in `isugate.yml`).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct GenericSpec {
    /// The channel. Without it: the result file if there is one, else standard output.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<Origin>,
    /// The result is a JSON document. Not together with `patterns`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub json: Option<JsonSpec>,
    /// The result is in the lines of a text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub patterns: Option<PatternSpec>,
    /// Whether the run passed is told by exit status 0. Then the result need not say so.
    pub pass_by_exit_status: bool,
    /// What to do with more than one result.
    pub matches: Matches,
}

/// A channel, by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    ResultFile,
    Stdout,
    Stderr,
    Merged,
}

/// More than one result: an error, or the last counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Matches {
    #[default]
    Single,
    Last,
}

/// Paths of fields in a JSON document: names and array indices joined by dots, as in `summary.runs.0.score`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct JsonSpec {
    /// The path of the score, an integer.
    pub score: String,
    /// The path of the outcome, true or false.
    pub pass: String,
    /// The path of the messages, an array of strings. They are optional.
    pub messages: String,
    /// The path of an object from error codes to counts. It is optional.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub codes: Option<String>,
}

impl Default for JsonSpec {
    fn default() -> Self {
        Self { score: "score".to_owned(), pass: "pass".to_owned(), messages: "messages".to_owned(), codes: None }
    }
}

/// Regular expressions over lines. Each is tried on each whole line.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PatternSpec {
    /// Has the named capture `score`; may have `pass`.
    pub score: String,
    /// Has the named capture `pass`: true, pass, passed, ok; or false, fail, failed, ng.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pass: Option<String>,
}

/// Reads the result as the description says.
pub(super) fn read<'c>(channels: &'c Channels, context: &Context<'c>) -> Result<Claim, Invalid> {
    let default = GenericSpec::default();
    let spec = context.options.generic.as_ref().unwrap_or(&default);
    if spec.pass_by_exit_status && context.ended.is_none() {
        return Err(Invalid::new(
            ErrorKind::BadOptions,
            "the outcome is to be told by the exit status, but the exit status is not known",
        ));
    }
    match (&spec.json, &spec.patterns) {
        (Some(_), Some(_)) => Err(Invalid::new(
            ErrorKind::BadOptions,
            "`json` and `patterns` cannot both describe the result: remove one",
        )),
        (_, Some(patterns)) => read_lines(patterns, spec, channels, context),
        (Some(json), None) => read_json(json, spec, channels, context),
        (None, None) => read_json(&JsonSpec::default(), spec, channels, context),
    }
}

fn source(from: Option<Origin>, channels: &Channels) -> Result<&Source, Invalid> {
    let (source, name) = match from {
        Some(Origin::ResultFile) => (channels.result_file.as_ref(), "the result file"),
        Some(Origin::Stdout) => (channels.output(), "the standard output"),
        Some(Origin::Stderr) => (channels.stderr.as_ref(), "the standard error"),
        Some(Origin::Merged) => (channels.merged.as_ref(), "the merged output"),
        None => (channels.result_file.as_ref().or_else(|| channels.output()), "the output"),
    };
    source.ok_or_else(|| super::no_channel(name))
}

fn exit_passed(context: &Context<'_>) -> bool {
    context.ended == Some(Ended::Exited(0))
}

/// A fail by exit status gets its own reason.
fn claim(
    pass: Option<bool>,
    score: i64,
    codes: Option<Codes>,
    notes: Notes,
    spec: &GenericSpec,
    context: &Context<'_>,
) -> Claim {
    let by_exit = !spec.pass_by_exit_status || exit_passed(context);
    let said = pass.unwrap_or(spec.pass_by_exit_status);
    let reason = if said && !by_exit { "exit_status" } else { "reported_fail" };
    Claim { pass: said && by_exit, score: Some(score), codes, reason: Some(reason.to_owned()), notes }
}

fn read_json<'c>(
    json: &JsonSpec,
    spec: &GenericSpec,
    channels: &'c Channels,
    context: &Context<'c>,
) -> Result<Claim, Invalid> {
    let source = source(spec.from, channels)?;
    let is_file = channels.result_file.as_ref().is_some_and(|file| std::ptr::eq(file, source));
    let mut notes = Notes::default();
    let bytes = if is_file {
        json::slurp(source, context.options.started_at, context.options.max_document)?
    } else {
        json_line::last_line(source, spec.matches, channels.stdout.is_none(), context, &mut notes)?
    };
    let root = Json::Object(json::document(&bytes)?);

    let score = at(&root, &json.score).ok_or_else(|| missing(&json.score))?;
    let pass = match at(&root, &json.pass) {
        Some(value) => Some(value),
        None if spec.pass_by_exit_status => None,
        None => return Err(missing(&json.pass)),
    };
    let pass = match pass {
        Some(Json::Bool(pass)) => Some(*pass),
        None => None,
        other => return Err(json::wrong_type(&json.pass, "true or false", other)),
    };
    let score = json::integer(&json.score, Some(score))?;
    let messages = messages(&json.messages, at(&root, &json.messages))?;
    let codes = json.codes.as_deref().map(|path| codes(path, at(&root, path))).transpose()?;
    let score = score.at_least(i64::MIN, &json.score)?;
    messages.iter().for_each(|message| notes.message(message));
    Ok(claim(pass, score, codes, notes, spec, context))
}

fn missing(path: &str) -> Invalid {
    Invalid::new(ErrorKind::MissingField, format!("the result document has no `{}`", json::field_name(path)))
}

/// The value at a dotted path.
fn at<'d, 'a>(root: &'d Json<'a>, path: &str) -> Option<&'d Json<'a>> {
    path.split('.').try_fold(root, |value, step| match value {
        Json::Object(fields) => fields.iter().find(|(key, _)| key == step).map(|(_, value)| value),
        Json::Array(items) => items.get(step.parse::<usize>().ok()?),
        _ => None,
    })
}

fn messages<'d>(path: &str, value: Option<&'d Json<'_>>) -> Result<Vec<&'d str>, Invalid> {
    match value {
        None | Some(Json::Null) => Ok(Vec::new()),
        Some(Json::Array(items)) => items
            .iter()
            .map(|item| match item {
                Json::String(text) => Ok(text.as_str()),
                other => Err(json::wrong_type(path, "an array of strings", Some(other))),
            })
            .collect(),
        other => Err(json::wrong_type(path, "an array of strings", other)),
    }
}

fn codes(path: &str, value: Option<&Json<'_>>) -> Result<Codes, Invalid> {
    match value {
        None | Some(Json::Null) => Ok(Codes::new()),
        Some(Json::Object(fields)) => {
            let mut codes = Codes::new();
            for (code, count) in fields {
                let count = json::integer(path, Some(count))?.at_least(0, path)?.unsigned_abs();
                if count > 0 {
                    codes.insert(json::field_name(code), count);
                }
            }
            Ok(codes)
        }
        other => Err(json::wrong_type(path, "an object from codes to counts", other)),
    }
}

fn compile(pattern: &str, capture: &str) -> Result<Regex, Invalid> {
    let bad = |why: String| Invalid::new(ErrorKind::BadOptions, format!("the pattern for `{capture}` {why}"));
    let regex = Regex::new(pattern).map_err(|error| {
        bad(format!("is not a regular expression: {}", crate::text::terminal_line(&error.to_string())))
    })?;
    if !regex.capture_names().flatten().any(|name| name == capture) {
        return Err(bad(format!("has no capture of that name: write (?<{capture}>…) around the value")));
    }
    Ok(regex)
}

/// A value that lines hold: how many did, and the last one.
#[derive(Default)]
struct Held<T> {
    count: u32,
    last: Option<Result<T, Invalid>>,
}

impl<T> Held<T> {
    fn see(&mut self, value: Result<T, Invalid>) {
        self.count = self.count.saturating_add(1);
        self.last = Some(value);
    }

    fn take(self, what: &str, policy: Matches) -> Result<Option<T>, Invalid> {
        if self.count > 1 && policy == Matches::Single {
            return Err(Invalid::new(
                ErrorKind::MultipleResults,
                format!("{} lines hold a {what}; say `matches: last` if the last one counts", self.count),
            ));
        }
        self.last.transpose()
    }
}

fn read_lines<'c>(
    patterns: &PatternSpec,
    spec: &GenericSpec,
    channels: &'c Channels,
    context: &Context<'c>,
) -> Result<Claim, Invalid> {
    let for_score = compile(&patterns.score, "score")?;
    let for_pass = match &patterns.pass {
        Some(pattern) => Some(compile(pattern, "pass")?),
        None if for_score.capture_names().flatten().any(|name| name == "pass") => None,
        None if spec.pass_by_exit_status => None,
        None => {
            return Err(Invalid::new(
                ErrorKind::BadOptions,
                "nothing tells whether the run passed: add a pattern for `pass` or `pass_by_exit_status: true`",
            ));
        }
    };
    let mut notes = Notes::default();
    let (mut score, mut pass) = (Held::<i64>::default(), Held::<bool>::default());
    let mut torn = false;
    let mut lines = context.lines(source(spec.from, channels)?, MAX_LOG_LINE)?;
    while let Some(line) = lines.next().map_err(super::unreadable)? {
        if line.over_long {
            notes.warn("over_long_line");
            continue;
        }
        let text = String::from_utf8_lossy(line.bytes);
        if !line.whole {
            torn = for_score.is_match(&text) || for_pass.as_ref().is_some_and(|p| p.is_match(&text));
            continue;
        }
        if let Some(found) = for_score.captures(&text) {
            score.see(integer(found.name("score").map_or("", |m| m.as_str())));
            if for_pass.is_none()
                && let Some(word) = found.name("pass")
            {
                pass.see(outcome(word.as_str()));
            }
        }
        if let Some(word) = for_pass.as_ref().and_then(|p| p.captures(&text)).as_ref().and_then(|c| c.name("pass")) {
            pass.see(outcome(word.as_str()));
        }
    }
    if torn {
        return Err(Invalid::new(ErrorKind::Truncated, "the last line holds a result but has no end: it may be cut")
            .with(notes));
    }
    let none = |what: &str| Invalid::new(ErrorKind::MissingResult, format!("no line holds a {what}"));
    let score = score.take("score", spec.matches)?.ok_or_else(|| none("score"))?;
    let pass = match pass.take("word for `pass`", spec.matches)? {
        None if !spec.pass_by_exit_status => return Err(none("word for `pass`")),
        pass => pass,
    };
    Ok(claim(pass, score, Some(Codes::new()), notes, spec, context))
}

fn integer(digits: &str) -> Result<i64, Invalid> {
    let shown = || json::field_name(digits);
    let plain = digits.strip_prefix('-').unwrap_or(digits);
    if plain.is_empty() || !plain.bytes().all(|b| b.is_ascii_digit()) {
        let kind = if plain.parse::<f64>().is_ok() { ErrorKind::NonInteger } else { ErrorKind::WrongType };
        return Err(Invalid::new(kind, format!("the score is `{}`; it must be an integer", shown())));
    }
    digits.parse().map_err(|_| Invalid::new(ErrorKind::OutOfRange, format!("the score is {}, beyond 64 bits", shown())))
}

fn outcome(word: &str) -> Result<bool, Invalid> {
    match word.to_ascii_lowercase().as_str() {
        "true" | "pass" | "passed" | "ok" => Ok(true),
        "false" | "fail" | "failed" | "ng" => Ok(false),
        _ => Err(Invalid::new(
            ErrorKind::WrongType,
            format!(
                "the word for `pass` is `{}`; it must be true, pass, passed, ok, false, fail, failed or ng",
                json::field_name(word)
            ),
        )),
    }
}
