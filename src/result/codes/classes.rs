//! Error classes of the benchmarkers that have no numbered codes.

use super::CodeInfo;
use crate::result::format::Format;

type Row = (&'static str, bool, &'static str, &'static str);

/// isucon/isucon13 `bench/internal/bencherror/message.go`. Counts are of distinct texts.
const ISUCON13: [Row; 5] = [
    ("application", false, "wrong answers", "一般エラー"),
    ("timeout", false, "requests that timed out", "リクエストタイムアウト"),
    ("violation", true, "violations of the specification; in the load phase they do not fail the run", "仕様違反"),
    ("system", true, "errors of the benchmarker itself", "ベンチ本体のエラー"),
    ("other", false, "errors without a class, for instance cancelled requests", "分類のないエラー(キャンセルなど)"),
];

/// isucon/isucon12-qualify `scenario.go`, `validation.go`.
const ISUCON12_QUALIFY: [Row; 2] = [
    ("normal", false, "errors that cost 1 % each", "1件につき1%の減点"),
    ("critical", false, "errors that cost 10 % each", "1件につき10%の減点"),
];

/// isucon/isucon12-final `apperror.go`.
const ISUCON12_FINAL: [Row; 13] = [
    ("initialize-error-failed-to-load-json", true, "initialize did not answer JSON", "初期化の応答がJSONではない"),
    ("initialize-error-failed", true, "initialize failed", "初期化に失敗した"),
    ("initialize-error-invalid-req", true, "initialize could not be requested", "初期化のリクエストに失敗した"),
    ("scenario-error-status-code", false, "unexpected status code (15 points each)", "ステータスコードが違う(1件15点)"),
    ("scenario-error-invalid-request", false, "the request failed (15 points each)", "リクエストに失敗した(1件15点)"),
    ("scenario-error-invalid-json", false, "the answer is not JSON (15 points each)", "応答がJSONではない(1件15点)"),
    ("scenario-error-invalid-response", false, "wrong answer (15 points each)", "応答の内容が違う(1件15点)"),
    (
        "validation-error-failed-to-load-json",
        true,
        "an answer of the consistency check is not JSON",
        "整合性チェックの応答がJSONではない",
    ),
    (
        "validation-error-invalid-request",
        true,
        "a request of the consistency check failed",
        "整合性チェックのリクエストに失敗した",
    ),
    (
        "validation-error-invalid-status-code",
        true,
        "unexpected status code in the consistency check",
        "整合性チェックでステータスコードが違う",
    ),
    (
        "validation-error-invalid-response-body",
        true,
        "wrong answer in the consistency check",
        "整合性チェックで応答の内容が違う",
    ),
    ("internal-error-creating-agent", true, "error of the benchmarker itself", "ベンチマーカー内部のエラー"),
    ("internal-error-cannot-refresh-master", true, "error of the benchmarker itself", "ベンチマーカー内部のエラー"),
];

/// isucon/isucon11-qualify `bench/scenario/error.go`.
const ISUCON11_QUALIFY: [Row; 13] = [
    ("critical", true, "ends the run", "即失格"),
    ("security incident", true, "data of another user was shown", "他のユーザーの情報が見えた"),
    ("panic", true, "panic in the benchmarker", "ベンチマーカーのpanic"),
    ("status code", false, "unexpected status code", "ステータスコードが違う"),
    ("content type", false, "unexpected content type", "Content-Typeが違う"),
    ("json", false, "the answer is not the expected JSON", "JSONが読めない"),
    ("asset", false, "a static file differs", "静的ファイルが違う"),
    ("mismatch", false, "the answer differs from what is expected", "応答の内容が期待と違う"),
    ("invalid", false, "invalid answer", "応答が不正"),
    ("bad-response", false, "bad answer", "応答が不正"),
    ("http", false, "the request failed", "HTTPリクエストに失敗した"),
    ("check-sum", false, "a checksum differs", "チェックサムが違う"),
    ("timeout", false, "timed out (10 cost 1 point)", "タイムアウト(10件で1点)"),
];

/// isucon/isucon11-final `benchmarker/fails/fails.go`.
const ISUCON11_FINAL: [Row; 8] = [
    ("critical-error", true, "ends the run", "致命的なエラー"),
    ("application-error", false, "wrong answer (50 points each)", "応答の内容が違う(1件50点)"),
    ("http-error", false, "the request failed (50 points each)", "HTTPリクエストに失敗した(1件50点)"),
    ("json-error", false, "the answer is not JSON (50 points each)", "JSONが読めない(1件50点)"),
    ("invalid-status-code", false, "unexpected status code (50 points each)", "ステータスコードが違う(1件50点)"),
    ("invalid-content-type", false, "unexpected content type (50 points each)", "Content-Typeが違う(1件50点)"),
    ("invalid-resource", false, "a static file differs (50 points each)", "リソースが違う(1件50点)"),
    ("timeout", false, "timed out (100 cost 100 points)", "タイムアウト(100件で100点)"),
];

const ISUCON10_QUALIFY: [Row; 1] = [("messages", false, "errors of all classes together", "全種類のエラーの合計")];

/// isucon/isucon9-qualify `bench/fails`. Counts are of distinct texts.
const ISUCON9_QUALIFY: [Row; 4] = [
    ("critical", true, "ends the run", "即失格"),
    (
        "application",
        false,
        "wrong answers (500 points each, 10 fail the run)",
        "アプリケーションエラー(1件500点、10件で失格)",
    ),
    ("timeout", false, "timed out (200 are free)", "タイムアウト(200件までは無料)"),
    ("unexpected", true, "errors that the organisers must look at", "運営に連絡が必要なエラー"),
];

const PRIVATE_ISU: [Row; 1] = [("fail", false, "failed requests and checks", "失敗したリクエストと検査")];

/// kayac/kayac-isucon-2022 `bench`.
const KAYAC_2022: [Row; 9] = [
    ("load-json", false, "the answer is not JSON", "JSONが読めない"),
    ("agent", false, "the client could not be made", "クライアントを作れない"),
    ("request", false, "the request failed", "リクエストに失敗した"),
    ("status-code", false, "unexpected status code", "ステータスコードが違う"),
    ("cache-control", false, "wrong Cache-Control", "Cache-Controlが違う"),
    ("broken-json", false, "broken JSON", "JSONが壊れている"),
    ("path", false, "unexpected path", "パスが違う"),
    ("failed", false, "failed", "失敗"),
    ("validation", false, "wrong answer", "応答の内容が違う"),
];

const K6: [Row; 3] = [
    ("checks_failed", false, "failed checks", "失敗したcheck"),
    ("requests_failed", false, "failed HTTP requests", "失敗したHTTPリクエスト"),
    ("thresholds_crossed", true, "thresholds that were crossed", "超えた閾値"),
];

const WRK: [Row; 5] = [
    ("connect", false, "connections that could not be made", "接続エラー"),
    ("read", false, "read errors", "読み取りエラー"),
    ("write", false, "write errors", "書き込みエラー"),
    ("timeout", false, "requests that timed out", "タイムアウト"),
    ("non_2xx_or_3xx", false, "answers that are neither 2xx nor 3xx", "2xx・3xx以外の応答"),
];

const HYPERFINE: [Row; 1] =
    [("non_zero_exit", false, "runs that ended with another exit status than 0", "0以外で終わった実行")];

pub(super) fn info(format: Format, code: &str) -> Option<CodeInfo> {
    let rows: &[Row] = match format {
        Format::Isucon13 => &ISUCON13,
        Format::Isucon12Qualify => &ISUCON12_QUALIFY,
        Format::Isucon12Final => &ISUCON12_FINAL,
        Format::Isucon11Qualify => &ISUCON11_QUALIFY,
        Format::Isucon11Final => &ISUCON11_FINAL,
        Format::Isucon10Qualify => &ISUCON10_QUALIFY,
        Format::Isucon9Qualify => &ISUCON9_QUALIFY,
        Format::PrivateIsu => &PRIVATE_ISU,
        Format::Kayac2022 => &KAYAC_2022,
        Format::K6 => &K6,
        Format::Wrk => &WRK,
        Format::Hyperfine => &HYPERFINE,
        Format::Isucon14 | Format::ReportFd | Format::Generic | Format::Portal | Format::Oha => &[],
    };
    rows.iter().find(|row| row.0 == code).map(|&(name, critical, meaning_en, meaning_ja)| CodeInfo {
        name,
        meaning_en,
        meaning_ja,
        critical,
    })
}
