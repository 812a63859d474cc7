//! oha: the JSON of `--json` or `--output-format json`, on standard output or in the file of `-o`.
//!
//! Format: `src/printer.rs` of hatoo/oha. `successRate` counts every answer, of whatever status; the requests that the
//! end of the run cut off are listed as errors and are none.

use super::Context;
use super::channels::Channels;
use super::figure::{self, Better, ScoreSpec};
use super::json::{self, Fields, Json};
use super::outcome::{Claim, Codes, Invalid, Notes};

/// What oha calls a request that the end of the run cut off.
const CUT_OFF: &str = "aborted due to deadline";

pub(super) fn read<'c>(channels: &'c Channels, context: &Context<'c>) -> Result<Claim, Invalid> {
    let source = channels.result_file.as_ref().or_else(|| channels.output());
    let source = source.ok_or_else(|| super::no_channel("the standard output"))?;
    let bytes = json::slurp(source, context.options.started_at, context.options.max_document)?;
    let root = json::document(&bytes)?;
    let fields = Fields::new(&root);
    fields.require(&["summary", "latencyPercentiles", "statusCodeDistribution", "errorDistribution"])?;
    let statuses = figure::object("statusCodeDistribution", fields.get("statusCodeDistribution"))?;
    let errors = figure::object("errorDistribution", fields.get("errorDistribution"))?;

    let mut codes = Codes::new();
    let mut fine = 0u64;
    for (status, count) in statuses {
        let count = figure::count("statusCodeDistribution", Some(count))?;
        let is_error = status.parse::<u16>().is_ok_and(|status| status >= 400);
        if is_error && count > 0 {
            codes.insert(format!("status_{}", json::field_name(status)), count);
        } else {
            fine = fine.saturating_add(count);
        }
    }
    for (error, count) in errors {
        let count = figure::count("errorDistribution", Some(count))?;
        if count > 0 && error != CUT_OFF {
            codes.insert(format!("error_{}", json::field_name(error)), count);
        }
    }
    let default = ScoreSpec::new("summary.requestsPerSec", Better::Higher);
    let spec = context.options.score.as_ref().unwrap_or(&default);
    let (section, name) = spec.figure.split_once('.').unwrap_or(("", spec.figure.as_str()));
    let value = match (section, fields.get(section)) {
        ("summary" | "latencyPercentiles", Some(Json::Object(section))) => Fields::new(section).get(name),
        _ => None,
    };
    let value = value.ok_or_else(|| {
        spec.unknown("summary.requestsPerSec, summary.average, latencyPercentiles.p99 and their like")
    })?;
    let mut notes = Notes::default();
    let score = spec.score(figure::number(&spec.figure, Some(value))?, "", &mut notes)?;
    Ok(Claim { pass: fine > 0, score: Some(score), codes: Some(codes), reason: Some("no_success".to_owned()), notes })
}
