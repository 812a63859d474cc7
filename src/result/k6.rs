//! k6: the JSON of `--summary-export`, or of a `handleSummary` that writes `JSON.stringify(data)`.
//!
//! In the export a threshold's value is **true when it was crossed**; in the data of `handleSummary` it is
//! `{"ok": false}`. `http_req_failed` counts the failed requests as `passes`. Seen on k6 1.1.0. Exit status 99 is a
//! crossed threshold.

use super::Context;
use super::channels::Channels;
use super::error::ErrorKind;
use super::figure::{self, Better, ScoreSpec};
use super::json::{self, Fields, Json};
use super::outcome::{Claim, Codes, Invalid, Notes};

pub(super) fn read<'c>(channels: &'c Channels, context: &Context<'c>) -> Result<Claim, Invalid> {
    let source = channels.result_file.as_ref().or_else(|| channels.output());
    let source = source.ok_or_else(|| super::no_channel("the summary (--summary-export FILE)"))?;
    let bytes = json::slurp(source, context.options.started_at, context.options.max_document)?;
    let root = json::document(&bytes)?;
    let metrics = figure::object("metrics", Fields::new(&root).get("metrics"))?;
    let mut notes = Notes::default();
    let mut codes = Codes::new();

    let (crossed, names) = thresholds(metrics)?;
    let checks_failed = tally(metrics, "checks", "fails")?.unwrap_or(0);
    let requests_failed = tally(metrics, "http_req_failed", "passes")?.unwrap_or(0);
    let requests_fine = tally(metrics, "http_req_failed", "fails")?.unwrap_or(0);
    for (code, count) in
        [("checks_failed", checks_failed), ("requests_failed", requests_failed), ("thresholds_crossed", crossed)]
    {
        if count > 0 {
            codes.insert(code.to_owned(), count);
        }
    }
    let default = ScoreSpec::new("http_reqs.rate", Better::Higher);
    let spec = context.options.score.as_ref().unwrap_or(&default);
    let value = find(metrics, &spec.figure)?
        .ok_or_else(|| spec.unknown("METRIC.STATISTIC of its `metrics`, as http_reqs.rate"))?;
    let score = spec.score(value, "", &mut notes)?;
    names.iter().for_each(|name| notes.message(&format!("threshold crossed: {name}")));
    let reason = if crossed > 0 { "thresholds" } else { "no_success" };
    let pass = crossed == 0 && (requests_failed == 0 || requests_fine > 0);
    Ok(Claim { pass, score: Some(score), codes: Some(codes), reason: Some(reason.to_owned()), notes })
}

/// A metric's statistics: in the export they are its own fields, in the data of `handleSummary` under `values`.
fn statistics<'d, 'a>(name: &str, metric: &'d Json<'a>) -> Result<&'d [(String, Json<'a>)], Invalid> {
    let fields = figure::object(name, Some(metric))?;
    match Fields::new(fields).get("values") {
        Some(values) => figure::object(name, Some(values)),
        None => Ok(fields),
    }
}

fn tally(metrics: &[(String, Json<'_>)], metric: &str, statistic: &str) -> Result<Option<u64>, Invalid> {
    let Some(found) = Fields::new(metrics).get(metric) else {
        return Ok(None);
    };
    let value = Fields::new(statistics(metric, found)?).get(statistic);
    value.map(|_| figure::count(&format!("{metric}.{statistic}"), value)).transpose()
}

/// `METRIC.STATISTIC`; both may hold dots, as in `http_req_duration.p(99.9)`.
fn find(metrics: &[(String, Json<'_>)], name: &str) -> Result<Option<f64>, Invalid> {
    for (metric, value) in metrics {
        let Some(statistic) = name.strip_prefix(metric.as_str()).and_then(|rest| rest.strip_prefix('.')) else {
            continue;
        };
        if let Some(found) = Fields::new(statistics(metric, value)?).get(statistic) {
            return figure::number(name, Some(found)).map(Some);
        }
    }
    Ok(None)
}

/// How many thresholds were crossed, and which.
fn thresholds(metrics: &[(String, Json<'_>)]) -> Result<(u64, Vec<String>), Invalid> {
    let mut crossed = Vec::new();
    for (metric, value) in metrics {
        let Some(thresholds) = Fields::new(figure::object(metric, Some(value))?).get("thresholds") else {
            continue;
        };
        for (threshold, state) in figure::object("thresholds", Some(thresholds))? {
            let is_crossed = match state {
                Json::Bool(crossed) => *crossed,
                Json::Object(fields) => !Fields::new(fields).bool("ok")?,
                other => {
                    return Err(json::wrong_type("thresholds", "true, false or an object with `ok`", Some(other)));
                }
            };
            if is_crossed {
                crossed.push(format!("{} {}", json::field_name(metric), json::field_name(threshold)));
            }
        }
    }
    let count = u64::try_from(crossed.len()).map_err(|_| Invalid::new(ErrorKind::OutOfRange, "too many thresholds"))?;
    Ok((count, crossed))
}
