//! hyperfine: the file of `--export-json`, with one command in it. Times are in seconds.
//!
//! Format: `src/benchmark/benchmark_result.rs` of sharkdp/hyperfine. Seen on 1.15: when a command fails, hyperfine exits 1
//! and leaves the file empty, unless it was told `--ignore-failure`.

use super::Context;
use super::channels::Channels;
use super::error::ErrorKind;
use super::figure::{self, Better, ScoreSpec};
use super::json::{self, Fields, Json};
use super::outcome::{Claim, Codes, Invalid, Notes};

const FIGURES: [&str; 6] = ["mean", "median", "min", "max", "user", "system"];

pub(super) fn read<'c>(channels: &'c Channels, context: &Context<'c>) -> Result<Claim, Invalid> {
    let source = channels.result_file.as_ref().ok_or_else(|| super::no_channel("the file of --export-json"))?;
    let bytes = json::slurp(source, context.options.started_at, context.options.max_document)?;
    let root = json::document(&bytes)?;
    let fields = Fields::new(&root);
    fields.require(&["results"])?;
    let results = match fields.get("results") {
        Some(Json::Array(results)) => results,
        other => return Err(json::wrong_type("results", "an array", other)),
    };
    let result = match results.as_slice() {
        [one] => Fields::new(figure::object("results", Some(one))?),
        [] => {
            return Err(Invalid::new(ErrorKind::MissingResult, "`results` is empty: no command was measured"));
        }
        _ => {
            return Err(Invalid::new(
                ErrorKind::MultipleResults,
                "`results` holds more than one command: measure one command a run",
            ));
        }
    };
    result.require(&["command", "mean", "median", "min", "max", "exit_codes"])?;
    let exits = match result.get("exit_codes") {
        Some(Json::Array(exits)) => exits,
        other => return Err(json::wrong_type("exit_codes", "an array", other)),
    };
    // null: a signal ended the command.
    let failed = exits
        .iter()
        .map(|exit| match exit {
            Json::Null => Ok(true),
            other => Ok(json::integer("exit_codes", Some(other))?.at_least(i64::from(i32::MIN), "exit_codes")? != 0),
        })
        .collect::<Result<Vec<bool>, Invalid>>()?
        .into_iter()
        .filter(|failed| *failed)
        .count();

    let default = ScoreSpec::new("mean", Better::Lower);
    let spec = context.options.score.as_ref().unwrap_or(&default);
    let value = FIGURES.contains(&spec.figure.as_str()).then(|| result.get(&spec.figure)).flatten();
    let value = value.ok_or_else(|| spec.unknown(&FIGURES.join(", ")))?;
    let mut notes = Notes::default();
    let score = spec.score(figure::number(&spec.figure, Some(value))?, " s", &mut notes)?;
    let mut codes = Codes::new();
    if failed > 0 {
        codes.insert("non_zero_exit".to_owned(), failed as u64);
    }
    let pass = !exits.is_empty() && failed < exits.len();
    Ok(Claim { pass, score: Some(score), codes: Some(codes), reason: Some("no_success".to_owned()), notes })
}
