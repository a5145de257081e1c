//! What can be asked of the registrar, and what it answers.
//!
//! A call that a strategy makes counts back from the newest: registration 0 is the last one. The wallet turns these
//! positions into names when the call is made, so that a shortened sequence still means something.

use std::collections::BTreeSet;

use contract::{agent_errors::AgentErrorCode, scopes::Scope};
use proptest::test_runner::TestCaseError;

/// Something that is asked for. Registrations, attempts, credentials, links, words and reports have numbers for names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Call {
    /// An agent registers: by the registration endpoint, or with a word at the token endpoint.
    Register {
        word: ModelIdentity,
        is_brief: bool,
        is_exchange: bool,
    },
    /// An agent repeats a word that it has used before.
    Replay {
        word: usize,
        is_brief: bool,
    },
    /// An agent asks a person.
    Claim {
        registration: usize,
        person: usize,
    },
    /// The email of an attempt is taken from the outbox to be sent.
    Send {
        attempt: usize,
    },
    /// A person opens the link, asks for the code, or refuses.
    View {
        attempt: usize,
    },
    Show {
        attempt: usize,
    },
    Deny {
        attempt: usize,
    },
    /// An agent hands in something for a code.
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
    /// The holder of one of these gives it back.
    ReturnCredential {
        credential: usize,
    },
    ReturnClaim {
        registration: usize,
    },
    /// A provider reports that its word for somebody is void, since so many seconds ago or, once the report has a name,
    /// since then.
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
    /// A person asks for the link to what agents hold, looks, takes back one thing or all.
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
    /// An operator ends some registrations, erases a person, or tidies.
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

/// On whose word somebody registers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ModelIdentity {
    Anonymous,
    Mailbox(usize),
    /// A provider's word, which may be used once: for a user, at a mailbox or a telephone; made so many seconds ago or,
    /// once it has a name, then; perhaps of a user who signed in too long ago.
    Provider {
        jti: usize,
        user: usize,
        person: Option<usize>,
        asserted: i64,
        is_stale: bool,
    },
}

/// What is handed in as a code.
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

/// Which registrations an operator ends.
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
    /// Until just before, or just after, something that the model knows of happens.
    Moment {
        number: usize,
        is_before: bool,
    },
}

/// What is answered. All of it must be as the model says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct CallResult {
    pub(super) code: &'static str,
    pub(super) registration: Option<usize>,
    pub(super) attempt: Option<usize>,
    pub(super) credential: Option<usize>,
    pub(super) access: Option<usize>,
    pub(super) scopes: Vec<Scope>,
    /// When what the answer is about ends, in milliseconds.
    pub(super) until: Option<i64>,
    /// How many guesses are left.
    pub(super) left: Option<u8>,
    /// How many registrations ended.
    pub(super) ended: u64,
    /// What agents hold.
    pub(super) held: BTreeSet<usize>,
}

impl CallResult {
    pub(super) fn of(code: &'static str) -> Self {
        Self { code, ..Self::default() }
    }

    /// Rejects the case if the store was late, as it may be on a machine that is busy with other things: then the call may
    /// have been made or not.
    pub(super) fn is_an_answer(&self) -> Result<(), TestCaseError> {
        if self.code == AgentErrorCode::TemporarilyUnavailable.as_str() {
            return Err(TestCaseError::reject("the store was late"));
        }
        Ok(())
    }

    pub(super) fn ended(ended: u64) -> Self {
        Self { ended, ..Self::of("200") }
    }
}

/// What is kept about a person: whether they are known, the provider's users who are linked to them, registrations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct PersonRows {
    pub(super) is_known: bool,
    pub(super) users: BTreeSet<usize>,
    pub(super) registrations: BTreeSet<usize>,
}
