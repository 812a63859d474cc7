//! ISUCON9 qualifier (isucari): one JSON line on standard output; on a fail the score is 0.
//!
//! Format: `cmd/bench/main.go` and `bench/fails` of isucon/isucon9-qualify. The end of a text tells its class.

use super::channels::Channels;
use super::json::{self, Fields};
use super::outcome::{Claim, Codes, Invalid};
use super::{Context, json_line};

const FIELDS: [&str; 5] = ["pass", "score", "campaign", "language", "messages"];
/// So many application errors fail the run.
const APPLICATION_LIMIT: u64 = 10;

pub(super) fn read<'c>(channels: &'c Channels, context: &Context<'c>) -> Result<Claim, Invalid> {
    let (bytes, mut notes) = json_line::find(channels, context)?;
    let root = json::document(&bytes)?;
    let fields = Fields::new(&root);
    fields.exactly(&FIELDS, &mut notes)?;
    let pass = fields.bool("pass")?;
    let score = fields.integer("score")?;
    let campaign = fields.integer("campaign")?;
    let language = fields.string("language")?;
    let messages = fields.strings("messages")?;
    let score = score.at_least(0, "score")?;
    campaign.at_least(0, "campaign")?;

    let mut codes = Codes::new();
    for message in &messages {
        notes.message(message);
        *codes.entry(class(message).to_owned()).or_default() += 1;
    }
    let count = |class: &str| codes.get(class).copied().unwrap_or(0);
    if pass && (count("critical") > 0 || count("unexpected") > 0) {
        notes.warn("critical_with_pass");
    }
    let reason = if language.is_empty() || messages.iter().any(|m| m.starts_with("POST /initialize")) {
        "initialize"
    } else if count("critical") > 0 || count("unexpected") > 0 {
        "critical"
    } else if count("application") >= APPLICATION_LIMIT {
        "too_many_errors"
    } else {
        "score_not_positive"
    };
    Ok(Claim { pass, score: Some(score), codes: Some(codes), reason: Some(reason.to_owned()), notes })
}

fn class(message: &str) -> &'static str {
    if message.ends_with("(critical error)") {
        "critical"
    } else if message.ends_with("（タイムアウトしました）") {
        "timeout"
    } else if message.contains("運営に連絡してください") {
        "unexpected"
    } else {
        "application"
    }
}
