//! ISUCON13 (isupipe): one JSON document in the file of `--result-path`.
//!
//! Format: `bench/cmd/bench/bench.go` of isucon/isucon13. On a pass the document is only in the file; on a fail the same
//! document is printed on standard output as well. So a pass in the file with a fail on standard output means that the
//! file is an old one that could not be overwritten.

use super::Context;
use super::channels::{Channels, Source};
use super::error::ErrorKind;
use super::json::{self, Fields, Json};
use super::lines::MAX_LOG_LINE;
use super::outcome::{Claim, Codes, Invalid, Notes};

/// All of them are always written.
const FIELDS: [&str; 5] = ["pass", "score", "messages", "language", "resolved_count"];
/// The first message of a fail, and its reason.
const HEADINGS: [(&str, &str); 3] = [
    ("初期化が失敗しました", "initialize"),
    ("整合性チェックに失敗しました", "pretest"),
    ("ベンチマーク走行が中断されました", "aborted"),
];
/// The class of an error by the beginning of its text (`bench/internal/bencherror/message.go`).
const CLASSES: [(&str, &str); 4] = [
    ("[一般エラー]", "application"),
    ("[リクエストタイムアウト]", "timeout"),
    ("[仕様違反]", "violation"),
    ("[ベンチ本体のエラー]", "system"),
];
/// The code that isucandar puts in front of the same error when it prints it a second time.
const CODES: [(&str, &str); 4] = [
    ("benchmark-application: ", "application"),
    ("benchmark-timeout: ", "timeout"),
    ("benchmark-critical: ", "violation"),
    ("system: ", "system"),
];

pub(super) fn read<'c>(channels: &'c Channels, context: &Context<'c>) -> Result<Claim, Invalid> {
    let printed = channels.output().map(|source| printed(source, context)).transpose()?.flatten();
    let Some(file) = &channels.result_file else {
        return match printed {
            Some(line) => from_print(&line),
            None => Err(super::no_channel("the result file (a pass is written nowhere else)")),
        };
    };
    let bytes = match json::slurp(file, context.options.started_at, context.options.max_document) {
        Ok(bytes) => bytes,
        // The file could not be written: the fail is on standard output all the same.
        Err(error) if matches!(error.kind, ErrorKind::MissingResult | ErrorKind::StaleResult) => {
            return match printed.as_deref().map(from_print) {
                Some(Ok(mut claim)) => {
                    claim.notes.warn("result_file_not_written");
                    Ok(claim)
                }
                _ => Err(error),
            };
        }
        Err(error) => return Err(error),
    };
    let claim = claim(&bytes)?;
    if claim.pass && printed.is_some() {
        return Err(Invalid::new(
            ErrorKind::Contradiction,
            "the result file says pass, but standard output holds a failed result: the file is probably an old one",
        )
        .with(claim.notes));
    }
    Ok(claim)
}

/// The last JSON line of standard output. Log lines begin with a time.
fn printed<'c>(source: &'c Source, context: &Context<'c>) -> Result<Option<Vec<u8>>, Invalid> {
    let mut lines = context.lines_of_any_age(source, longest(context))?;
    let mut last = None;
    while let Some(line) = lines.next().map_err(super::unreadable)? {
        if line.bytes.starts_with(b"{") {
            last = Some(line.bytes.to_vec());
        }
    }
    Ok(last)
}

fn longest(context: &Context<'_>) -> usize {
    usize::try_from(context.options.max_document).unwrap_or(usize::MAX).max(MAX_LOG_LINE)
}

/// A result from standard output. Only a fail is ever printed there.
fn from_print(line: &[u8]) -> Result<Claim, Invalid> {
    let claim = claim(line)?;
    if claim.pass {
        return Err(Invalid::new(
            ErrorKind::Contradiction,
            "standard output holds a passed result, which the benchmarker writes only to its result file",
        ));
    }
    Ok(claim)
}

fn claim(bytes: &[u8]) -> Result<Claim, Invalid> {
    let root = json::document(bytes)?;
    let fields = Fields::new(&root);
    let mut notes = Notes::default();
    fields.exactly(&FIELDS, &mut notes)?;
    let pass = fields.bool("pass")?;
    let score = fields.integer("score")?;
    // A Go slice that nothing was added to is written as null.
    let messages = if fields.get("messages") == Some(&Json::Null) { Vec::new() } else { fields.strings("messages")? };
    fields.string("language")?;
    let resolved = fields.integer("resolved_count")?;
    let score = score.at_least(0, "score")?;
    resolved.at_least(0, "resolved_count")?;

    messages.iter().for_each(|message| notes.message(message));
    let heading = messages.first().and_then(|first| HEADINGS.iter().find(|(text, _)| text == first));
    let reason = match heading {
        Some((_, reason)) => Some(*reason),
        None if messages.is_empty() => Some("final_check"),
        None => None,
    };
    let codes = classes(&messages, pass);
    if pass && codes.contains_key("violation") {
        notes.warn("violation_with_pass");
    }
    if pass && codes.contains_key("system") {
        notes.warn("system_error_with_pass");
    }
    Ok(Claim { pass, score: Some(score), codes: Some(codes), reason: reason.map(str::to_owned), notes })
}

/// Counts of distinct error texts by class. An unclassified text counts only in a passed run, where every message but
/// the statistics is an error; in a failed one it only explains the heading.
fn classes(messages: &[&str], pass: bool) -> Codes {
    let mut distinct = std::collections::BTreeMap::new();
    for message in messages {
        let (text, code) = strip_code(message);
        let class = CLASSES.iter().find(|(start, _)| text.starts_with(start)).map(|(_, class)| *class).or(code);
        let class = match class {
            Some(class) => class,
            None if !pass || is_statistic(text) || HEADINGS.iter().any(|(heading, _)| *heading == text) => {
                continue;
            }
            None => "other",
        };
        distinct.insert(text, class);
    }
    let mut codes = Codes::new();
    for class in distinct.into_values() {
        *codes.entry(class.to_owned()).or_default() += 1;
    }
    codes
}

fn strip_code(message: &str) -> (&str, Option<&'static str>) {
    let (mut text, mut code) = (message, None);
    while let Some((rest, class)) = CODES.iter().find_map(|(start, class)| Some((text.strip_prefix(start)?, *class))) {
        (text, code) = (rest, code.or(Some(class)));
    }
    (text, code)
}

/// The counters that close the list of a passed run (older builds write all five).
fn is_statistic(text: &str) -> bool {
    ["名前解決成功数 ", "名前解決失敗数 ", "売上: ", "遅延による離脱: ", "スパムによる離脱: "]
        .iter()
        .any(|start| text.strip_prefix(start).is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit())))
}
