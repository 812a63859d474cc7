//! Benchmarkers that print one JSON document as one line of standard output.
//!
//! The document is the last line that is not empty, and no other line may look like one. In a merged stream other lines
//! may follow it.

use super::channels::{Channels, Source};
use super::error::ErrorKind;
use super::json;
use super::outcome::{Invalid, Notes};
use super::{Context, Matches};

/// Finds the document. What was noticed on the way comes with it.
pub(super) fn find<'c>(channels: &'c Channels, context: &Context<'c>) -> Result<(Vec<u8>, Notes), Invalid> {
    let mut notes = Notes::default();
    match (&channels.stdout, &channels.result_file, &channels.merged) {
        (Some(source), _, _) => {
            last_line(source, Matches::Single, false, context, &mut notes).map(|line| (line, notes))
        }
        (None, Some(source), _) => {
            json::slurp(source, context.options.started_at, context.options.max_document).map(|bytes| (bytes, notes))
        }
        (None, None, Some(source)) => {
            last_line(source, Matches::Single, true, context, &mut notes).map(|line| (line, notes))
        }
        (None, None, None) => Err(super::no_channel("the standard output")),
    }
}

/// The last line that is not empty; in a `merged` stream, the last that looks like a document.
pub(super) fn last_line<'c>(
    source: &'c Source,
    matches: Matches,
    merged: bool,
    context: &Context<'c>,
    notes: &mut Notes,
) -> Result<Vec<u8>, Invalid> {
    let limit = context.options.max_document;
    let mut lines = context.lines(source, usize::try_from(limit).unwrap_or(usize::MAX))?;
    let mut last: Vec<u8> = Vec::new();
    let mut documents = 0u32;
    let mut last_is_document = false;
    let mut too_large = false;
    while let Some(line) = lines.next().map_err(super::unreadable)? {
        if line.bytes.trim_ascii().is_empty() {
            continue;
        }
        let is_document = line.bytes.trim_ascii_start().starts_with(b"{");
        documents += u32::from(is_document);
        if merged && !is_document {
            continue;
        }
        if is_document && line.crlf {
            notes.warn("crlf");
        }
        too_large = line.over_long;
        last_is_document = is_document;
        last.clear();
        last.extend_from_slice(line.bytes);
    }
    if too_large {
        return Err(Invalid::new(
            ErrorKind::TooLarge,
            format!("the result line is longer than {limit} bytes, the most that a result document may have"),
        ));
    }
    if documents > 1 && matches == Matches::Single {
        return Err(Invalid::new(ErrorKind::MultipleResults, "more than one line of the output is a JSON document"));
    }
    if documents > 0 && !last_is_document {
        return Err(Invalid::new(ErrorKind::TrailingData, "something follows the result line"));
    }
    if last.is_empty() {
        return Err(Invalid::new(
            ErrorKind::Empty,
            "the output holds no result: the benchmarker ended before it; see its standard error",
        ));
    }
    Ok(last)
}
