//! The table of states and operations: the answer for each status, before anything else is checked.

use super::call::CallResult;

/// The columns. `Unknown` stands for a registration that does not exist.
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

/// The answer of an operation for each column.
pub(super) struct OperationRow([&'static str; 9]);

impl OperationRow {
    pub(super) const fn at(&self, status: ClaimStatus) -> &'static str {
        self.0[status as usize]
    }

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

/// Request for a person's consent.
pub(super) const CLAIM: OperationRow =
    OperationRow(["200", "200", "200", "200", "claimed_or_in_flight", LATE, NO, LATE, "invalid_claim_token"]);
/// Opening the link, and showing the code.
pub(super) const LINK: OperationRow = OperationRow([VOID, "200", "200", LATE, DONE, LATE, LATE, LATE, VOID]);
/// Refusal by a person who was asked, even if the code is over or another person was asked since.
pub(super) const DENY: OperationRow = OperationRow(["200", "200", "200", "200", DONE, LATE, LATE, LATE, VOID]);
/// Completion with a code.
pub(super) const CODE: OperationRow =
    OperationRow([EARLY, EARLY, "200", "otp_expired", "previously_claimed", LATE, NO, LATE, "invalid_claim_token"]);
/// Poll with the claim grant.
pub(super) const GRANT: OperationRow =
    OperationRow([WAIT, WAIT, WAIT, "expired_token", "200", "expired_token", NO, "invalid_grant", "invalid_grant"]);
