//! ISUCON10 qualifier (isuumo): one JSON line on standard output. The exit status is 0 even for a bad option.
//!
//! Format: `bench/cmd/bench/bench.go` and `bench/fails/fails.go` of isucon/isucon10-qualify. A fail may have a score.

use super::channels::Channels;
use super::json::{self, Fields, Json};
use super::outcome::{Claim, Codes, Invalid};
use super::{Context, json_line};

const FIELDS: [&str; 5] = ["pass", "score", "messages", "reason", "language"];
const REASONS: [(&str, &str); 8] = [
    ("コマンドライン引数のパースに失敗しました", "bench_setup"),
    ("ベンチ対象サーバーのURLが不正です", "bench_setup"),
    ("ベンチマーカーの初期化に失敗しました", "bench_setup"),
    ("POST /initializeに失敗しました", "initialize"),
    ("アプリケーション互換性チェックに失敗しました", "pretest"),
    ("致命的なエラーが発生しました", "critical"),
    ("アプリケーションエラーが10回以上発生しました", "too_many_errors"),
    ("スコアが0点を下回りました", "score_not_positive"),
];

pub(super) fn read<'c>(channels: &'c Channels, context: &Context<'c>) -> Result<Claim, Invalid> {
    let (bytes, mut notes) = json_line::find(channels, context)?;
    let root = json::document(&bytes)?;
    let fields = Fields::new(&root);
    fields.exactly(&FIELDS, &mut notes)?;
    let pass = fields.bool("pass")?;
    let score = fields.integer("score")?;
    let messages = messages(fields.get("messages"))?;
    let reason = fields.string("reason")?;
    fields.string("language")?;
    let score = score.at_least(0, "score")?;
    let mut total = 0u64;
    let mut critical = false;
    for (text, count) in &messages {
        let count = count.at_least(1, "count")?.unsigned_abs();
        total = total.saturating_add(count);
        critical |= text.ends_with("(critical error)");
        notes.message(&format!("{text} ×{count}"));
    }

    if pass && reason != "OK" {
        let message = format!("pass is true, and yet the reason is {}", json::field_name(reason));
        return Err(Invalid::new(super::ErrorKind::Contradiction, message).with(notes));
    }
    if pass && critical {
        notes.warn("critical_with_pass");
    }
    let mut codes = Codes::new();
    if total > 0 {
        codes.insert("messages".to_owned(), total);
    }
    let reason = REASONS.iter().find(|(text, _)| *text == reason).map(|(_, reason)| (*reason).to_owned());
    Ok(Claim { pass, score: Some(score), codes: Some(codes), reason, notes })
}

/// `[{"text": …, "count": …}, …]`
fn messages<'d, 'a>(value: Option<&'d Json<'a>>) -> Result<Vec<(&'d str, json::Integer<'a>)>, Invalid> {
    let Some(Json::Array(items)) = value else {
        return Err(json::wrong_type("messages", "an array of objects", value));
    };
    items
        .iter()
        .map(|item| match item {
            Json::Object(pairs) => {
                let fields = Fields::new(pairs);
                fields.require(&["text", "count"])?;
                Ok((fields.string("text")?, fields.integer("count")?))
            }
            other => Err(json::wrong_type("messages", "an array of objects", Some(other))),
        })
        .collect()
}
