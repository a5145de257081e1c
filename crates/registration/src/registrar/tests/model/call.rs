//! The calls of the registrar, and their results.
//!
//! A strategy counts back from the newest: registration 0 is the last one. The wallet turns these positions into
//! numbers when the call is made, so that a shrunk sequence still has meaning.

use std::collections::BTreeSet;

use contract::{errors::AgentErrorCode, scopes::Scope};
use proptest::test_runner::TestCaseError;

/// A call. Registrations, attempts, credentials, links, assertions and reports are numbered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Call {
    /// An agent registers: at the registration endpoint, or with an assertion at the token endpoint.
    Register {
        word: ModelIdentity,
        is_brief: bool,
        is_exchange: bool,
    },
    /// An agent sends an assertion again.
    Replay {
        word: usize,
        is_brief: bool,
    },
    /// An agent requests a person's consent.
    Claim {
        registration: usize,
        person: usize,
    },
    /// The email of an attempt is taken from the outbox and sent.
    Send {
        attempt: usize,
    },
    /// A person opens the link, shows the code, or refuses.
    View {
        attempt: usize,
    },
    Show {
        attempt: usize,
    },
    Deny {
        attempt: usize,
    },
    /// An agent sends a code.
    Complete {
        registration: usize,
        code: SentCode,
    },
    /// An agent polls with the claim grant.
    Poll {
        registration: usize,
    },
    /// A request presents a credential.
    Use {
        credential: usize,
    },
    /// The holder of a credential or claim token revokes it.
    ReturnCredential {
        credential: usize,
    },
    ReturnClaim {
        registration: usize,
    },
    /// A provider reports that its assertions about a subject are void, since so many seconds ago or, once the report
    /// has a number, since that time.
    Report {
        event: usize,
        whom: ReportSubject,
        since: i64,
        form: ReportForm,
    },
    /// The provider repeats a report.
    Repeat {
        event: usize,
    },
    /// A person requests an access link, opens it, or revokes one or all registrations.
    Ask {
        person: usize,
    },
    Look {
        access: usize,
    },
    TakeBack {
        access: usize,
        registration: Option<usize>,
    },
    /// An operator revokes registrations, erases a person, or tidies.
    Revoke {
        which: Revoked,
    },
    Erase {
        person: usize,
    },
    Tidy,
    /// Time passes.
    Wait(Wait),
}

/// The identity of a registration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ModelIdentity {
    Anonymous,
    Mailbox(usize),
    /// An assertion of the provider, usable once: for a user with a mailbox or a telephone number; made so many seconds
    /// ago or, once it has a number, at that time; `is_stale` if the user signed in too long ago.
    Provider {
        jti: usize,
        user: usize,
        person: Option<usize>,
        asserted: i64,
        is_stale: bool,
    },
}

/// What an agent sends as the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SentCode {
    /// The code of an attempt.
    Code(usize),
    /// Six digits that are no valid code.
    Guess,
    /// A text that is no code.
    Slip,
}

/// The subject of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ReportSubject {
    User(usize),
    Mailbox(usize),
}

/// The format of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReportForm {
    Logout,
    SecurityEvent,
}

/// Which registrations an operator revokes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Revoked {
    All,
    One(usize),
    Person(usize),
    Issuer,
}

/// How long to wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wait {
    Seconds(i64),
    /// Until just before, or at, a change that the model predicts.
    Moment {
        number: usize,
        is_before: bool,
    },
}

/// The answer, all of which must match the model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct CallResult {
    pub(super) code: &'static str,
    pub(super) registration: Option<usize>,
    pub(super) attempt: Option<usize>,
    pub(super) credential: Option<usize>,
    pub(super) access: Option<usize>,
    pub(super) scopes: Vec<Scope>,
    /// The end of the attempt, credential or link, in milliseconds.
    pub(super) until: Option<i64>,
    /// The remaining guesses.
    pub(super) left: Option<u8>,
    /// The number of registrations that ended.
    pub(super) ended: u64,
    /// The listed registrations.
    pub(super) held: BTreeSet<usize>,
}

impl CallResult {
    pub(super) fn of(code: &'static str) -> Self {
        Self { code, ..Self::default() }
    }

    /// Rejects the case if the store was late, as on a busy machine: whether the call had an effect is then unknown.
    pub(super) fn check_answered(&self) -> Result<(), TestCaseError> {
        if self.code == AgentErrorCode::TemporarilyUnavailable.as_str() {
            return Err(TestCaseError::reject("the store was late"));
        }
        Ok(())
    }

    pub(super) fn ended(ended: u64) -> Self {
        Self { ended, ..Self::of("200") }
    }
}

/// The stored data of a person: whether they are known, the linked users of the provider, and the registrations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct PersonRows {
    pub(super) is_known: bool,
    pub(super) users: BTreeSet<usize>,
    pub(super) registrations: BTreeSet<usize>,
}
