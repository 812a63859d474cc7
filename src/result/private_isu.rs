//! private-isu: one JSON line on standard output. Exit status 2 with it is a judged fail.
//!
//! Format: `benchmarker/cli.go` of catatsuy/private-isu. The run fails only before the load; after that it passes
//! whatever `fail` counts.

use super::channels::Channels;
use super::json::{self, Fields};
use super::outcome::{Claim, Codes, Invalid};
use super::{Context, json_line};

const FIELDS: [&str; 5] = ["pass", "score", "success", "fail", "messages"];
/// Printed when the benchmarker itself was set up wrongly.
const SETUP: &str = "！！！主催者に連絡してください！！！";

pub(super) fn read<'c>(channels: &'c Channels, context: &Context<'c>) -> Result<Claim, Invalid> {
    let (bytes, mut notes) = json_line::find(channels, context)?;
    let root = json::document(&bytes)?;
    let fields = Fields::new(&root);
    fields.exactly(&FIELDS, &mut notes)?;
    let pass = fields.bool("pass")?;
    let score = fields.integer("score")?;
    let success = fields.integer("success")?;
    let fails = fields.integer("fail")?;
    let messages = fields.strings("messages")?;
    let score = score.at_least(0, "score")?;
    success.at_least(0, "success")?;
    let fails = fails.at_least(0, "fail")?.unsigned_abs();

    messages.iter().for_each(|message| notes.message(message));
    let mut codes = Codes::new();
    if fails > 0 {
        codes.insert("fail".to_owned(), fails);
        if pass {
            notes.warn("fails_with_pass");
        }
    }
    let reason = if messages.iter().any(|m| m.contains(SETUP)) {
        "bench_setup"
    } else if messages.iter().any(|m| m.starts_with("初期化リクエスト")) {
        "initialize"
    } else {
        "pretest"
    };
    Ok(Claim { pass, score: Some(score), codes: Some(codes), reason: Some(reason.to_owned()), notes })
}
