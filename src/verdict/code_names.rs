//! Names of error codes, for the contests whose benchmarker counts them by number.

/// A function that names a code.
pub type NameOf = fn(&str) -> Option<&'static str>;

/// ISUCON14's codes (`bench/benchmarker/world/errors.go`, without the common prefix `ErrorCode`).
const ISUCON14: [(&str, &str); 31] = [
    ("0", "Unknown"),
    ("1", "FailedToSendChairCoordinate"),
    ("2", "FailedToDepart"),
    ("3", "FailedToAcceptRequest"),
    ("5", "FailedToEvaluate"),
    ("6", "EvaluateTimeout"),
    ("7", "FailedToCheckRequestHistory"),
    ("8", "FailedToCreateRequest"),
    ("9", "UserNotRequestingButStatusChanged"),
    ("10", "ChairNotAssignedButStatusChanged"),
    ("11", "UnexpectedUserRequestStatusTransitionOccurred"),
    ("12", "UnexpectedChairRequestStatusTransitionOccurred"),
    ("13", "FailedToActivate"),
    ("15", "ChairAlreadyHasRequest"),
    ("17", "FailedToRegisterUser"),
    ("18", "FailedToRegisterOwner"),
    ("19", "FailedToRegisterChair"),
    ("20", "FailedToConnectNotificationStream"),
    ("21", "FailedToRegisterPaymentMethods"),
    ("22", "FailedToGetOwnerSales"),
    ("24", "SalesMismatched"),
    ("25", "FailedToGetOwnerChairs"),
    ("26", "IncorrectOwnerChairsData"),
    ("27", "TooOldNearbyChairsResponse"),
    ("29", "ChairReceivedDataIsWrong"),
    ("30", "WrongNearbyChairs"),
    ("31", "LackOfNearbyChairs"),
    ("32", "MatchingTimeout"),
    ("33", "UserReceivedDataIsWrong"),
    ("34", "SkippedPaymentButEvaluated"),
    ("35", "WrongPaymentRequest"),
];

/// Names an ISUCON14 code.
pub fn isucon14(code: &str) -> Option<&'static str> {
    ISUCON14.iter().find(|(c, _)| *c == code).map(|(_, name)| *name)
}

/// Names no code: for benchmarkers whose codes are words already.
pub fn none(_: &str) -> Option<&'static str> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_codes_have_names_and_holes_have_none() {
        assert_eq!(isucon14("30"), Some("WrongNearbyChairs"));
        assert_eq!(isucon14("14"), None);
        assert_eq!(none("30"), None);
    }
}
