//! The table of states and operations: the answer in each status, before anything else is looked at.

use super::call::CallResult;

/// The columns. The last one is for what does not exist at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ClaimStatus {
    Unclaimed,
    Initiated,
    Shown,
    Over,
    Claimed,
    Expired,
    Denied,
    Revoked,
    Unknown,
}

/// An operation: an answer for each column.
pub(super) struct OperationRow([&'static str; 9]);

impl OperationRow {
    pub(super) const fn at(&self, status: ClaimStatus) -> &'static str {
        self.0[status as usize]
    }

    /// Returns the answer about a registration that does not exist.
    pub(super) fn unknown(&self) -> CallResult {
        CallResult::of(self.at(ClaimStatus::Unknown))
    }
}

pub(super) const VOID: &str = "claim_superseded";
pub(super) const WAIT: &str = "authorization_pending";
const LATE: &str = "claim_expired";
const DONE: &str = "claim_completed";
const EARLY: &str = "otp_not_generated";
const NO: &str = "access_denied";

/// Asking a person.
pub(super) const CLAIM: OperationRow =
    OperationRow(["200", "200", "200", "200", "claimed_or_in_flight", LATE, NO, LATE, "invalid_claim_token"]);
/// Opening the link, asking for the code.
pub(super) const LINK: OperationRow = OperationRow([VOID, "200", "200", LATE, DONE, LATE, LATE, LATE, VOID]);
/// Refusing: who was asked may, also when their code is over, or somebody else is asked.
pub(super) const DENY: OperationRow = OperationRow(["200", "200", "200", "200", DONE, LATE, LATE, LATE, VOID]);
/// Handing in a code.
pub(super) const CODE: OperationRow =
    OperationRow([EARLY, EARLY, "200", "otp_expired", "previously_claimed", LATE, NO, LATE, "invalid_claim_token"]);
/// Polling.
pub(super) const GRANT: OperationRow =
    OperationRow([WAIT, WAIT, WAIT, "expired_token", "200", "expired_token", NO, "invalid_grant", "invalid_grant"]);
