//! ISUCON14's error codes: `bench/benchmarker/world/errors.go` of isucon/isucon14.

use super::CodeInfo;

type Row = (u32, bool, &'static str, &'static str, &'static str);

/// Number, critical, name, English, Japanese. 4, 14, 16, 23 and 28 are not used.
#[rustfmt::skip]
const TABLE: [Row; 31] = [
    (0, false, "Unknown", "an error without a code", "コードのないエラー"),
    (1, false, "FailedToSendChairCoordinate", "a chair could not send its position; every retry counts", "椅子が座標を送れなかった(再試行も1回ずつ数える)"),
    (2, false, "FailedToDepart", "the request to depart failed", "出発の通知に失敗した"),
    (3, false, "FailedToAcceptRequest", "a chair could not accept its ride", "椅子がライドを受け付けられなかった"),
    (5, false, "FailedToEvaluate", "the evaluation, or the page before it, failed", "評価(またはその前の画面)に失敗した"),
    (6, true, "EvaluateTimeout", "the evaluation took 10 s or longer", "評価が10秒以内に終わらなかった"),
    (7, false, "FailedToCheckRequestHistory", "the ride history failed or differs", "ライド履歴の取得に失敗したか、内容が違う"),
    (8, false, "FailedToCreateRequest", "the estimate is wrong or the ride could not be created", "見積もりが違うか、ライドを作成できなかった"),
    (9, true, "UserNotRequestingButStatusChanged", "a user without a ride got a status", "ライドのないユーザーに状態の変化が届いた"),
    (10, true, "ChairNotAssignedButStatusChanged", "a chair without a ride got a status", "ライドのない椅子に状態の変化が届いた"),
    (11, true, "UnexpectedUserRequestStatusTransitionOccurred", "a user saw a status change that cannot happen", "ユーザー側であり得ない状態遷移が起きた"),
    (12, true, "UnexpectedChairRequestStatusTransitionOccurred", "a chair saw a status change that cannot happen", "椅子側であり得ない状態遷移が起きた"),
    (13, false, "FailedToActivate", "a chair could not become active", "椅子が配車受付を始められなかった"),
    (15, true, "ChairAlreadyHasRequest", "a busy chair was given a second ride", "ライド中の椅子に別のライドが割り当てられた"),
    (17, false, "FailedToRegisterUser", "a user could not register", "ユーザー登録に失敗した"),
    (18, false, "FailedToRegisterOwner", "an owner could not register", "オーナー登録に失敗した"),
    (19, false, "FailedToRegisterChair", "a chair could not register", "椅子の登録に失敗した"),
    (20, false, "FailedToConnectNotificationStream", "the notification API could not be reached", "通知APIに接続できなかった"),
    (21, false, "FailedToRegisterPaymentMethods", "a payment method could not be registered", "支払い方法の登録に失敗した"),
    (22, false, "FailedToGetOwnerSales", "the owner's sales could not be read", "オーナーの売上を取得できなかった"),
    (24, false, "SalesMismatched", "the owner's sales differ from what the benchmarker knows", "オーナーの売上が期待と違う"),
    (25, false, "FailedToGetOwnerChairs", "the owner's chairs could not be read", "オーナーの椅子一覧を取得できなかった"),
    (26, false, "IncorrectOwnerChairsData", "the owner's chairs differ, for instance a distance that is late by more than 3 s", "オーナーの椅子一覧の内容が違う(総移動距離の反映が3秒より遅いなど)"),
    (27, false, "TooOldNearbyChairsResponse", "a nearby chair's position is older than 3 s", "近くの椅子の座標が3秒より古い"),
    (29, false, "ChairReceivedDataIsWrong", "a notification to a chair has wrong content", "椅子が受け取った通知の内容が違う"),
    (30, false, "WrongNearbyChairs", "nearby chairs failed or hold a chair that cannot be there", "近くの椅子の取得に失敗したか、あり得ない椅子が含まれる"),
    (31, false, "LackOfNearbyChairs", "a chair that must be listed nearby is missing", "近くの椅子に、あるはずの椅子がない"),
    (32, true, "MatchingTimeout", "a ride stayed without a chair for 30 s", "ライドが30秒間マッチングされなかった"),
    (33, false, "UserReceivedDataIsWrong", "a notification to a user has wrong content", "ユーザーが受け取った通知の内容が違う"),
    (34, true, "SkippedPaymentButEvaluated", "a ride was completed without a payment at the benchmarker; also when another program holds the payment port", "支払いなしで評価が完了した(決済用ポートを別のプログラムが使っている場合も)"),
    (35, true, "WrongPaymentRequest", "a payment without a ride, twice, or of a wrong amount", "ライドのない支払い、二重の支払い、または金額違い"),
];

/// Whether the benchmarker has this code.
pub(in crate::result) fn known(code: u64) -> bool {
    TABLE.iter().any(|row| u64::from(row.0) == code)
}

pub(super) fn info(code: &str) -> Option<CodeInfo> {
    let number: u32 = code.parse().ok()?;
    TABLE.iter().find(|row| row.0 == number).map(|&(_, critical, name, meaning_en, meaning_ja)| CodeInfo {
        name,
        meaning_en,
        meaning_ja,
        critical,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_holes_of_the_table_are_unknown() {
        for code in [4, 14, 16, 23, 28, 36, 999] {
            assert!(!known(code), "{code}");
        }
        assert_eq!(TABLE.iter().filter(|row| row.1).count(), 9);
    }

    #[test]
    fn a_code_has_its_name() {
        assert_eq!(info("30").map(|i| (i.name, i.critical)), Some(("WrongNearbyChairs", false)));
        assert_eq!(info("34").map(|i| (i.name, i.critical)), Some(("SkippedPaymentButEvaluated", true)));
        assert_eq!(info("x"), None);
    }
}
