//! How often things may be asked for: the numbers, and who they are counted for.

use std::time::Duration;

use super::Caller;
use crate::{
    config::Quotas,
    registration::{Mailbox, secret::Pepper},
    store::{Budget, Guesses, Whose},
};

const HOUR: Duration = Duration::from_hours(1);
const DAY: Duration = Duration::from_hours(24);

/// Makes budgets in which nobody can be found again.
pub(super) struct Budgets<'a> {
    pub(super) quotas: &'a Quotas,
    pub(super) pepper: &'a Pepper,
    pub(super) caller: Caller,
}

/// Why somebody is written to. Security: each has a budget of its own, so that nobody who makes agents ask a person
/// keeps the person from seeing, and taking back, what agents hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Writing {
    /// An agent asks.
    Claim,
    /// What an agent asked is void.
    Lapse,
    /// The person, as it seems, wants to see what agents hold.
    Access,
    /// Something was taken back.
    Revoked,
}

impl Writing {
    /// What it is called in budgets.
    const fn name(self) -> &'static str {
        match self {
            Self::Claim => "claim",
            Self::Lapse => "notice",
            Self::Access => "access",
            Self::Revoked => "revoked",
        }
    }

    /// Whether agents bring it about, with whatever mailbox they like. The other letters go to people in whose name
    /// agents hold something, and to nobody else.
    const fn is_agents(self) -> bool {
        matches!(self, Self::Claim | Self::Lapse)
    }
}

impl Budgets<'_> {
    /// For an anonymous registration.
    pub(super) fn anonymous(&self) -> Vec<Budget> {
        let all = of_all("anonymous", self.quotas.anonymous, HOUR);
        [all].into_iter().chain(self.own("anonymous", self.quotas.anonymous_per_client)).collect()
    }

    /// For a registration by e-mail. Security: everybody's part is not that of providers' assertions, which nobody can make
    /// up; a client has one part for both.
    pub(super) fn email(&self) -> Vec<Budget> {
        let all = of_all("email", self.quotas.assertions, HOUR);
        [vec![all], self.token()].concat()
    }

    /// For looking at what seems to be an assertion of a provider.
    pub(super) fn token(&self) -> Vec<Budget> {
        self.own("assertion", self.quotas.assertions_per_client).into_iter().collect()
    }

    /// For an assertion that a provider has signed. Security: what anybody can make up does not count here.
    pub(super) fn assertion(&self) -> Vec<Budget> {
        vec![of_all("assertion", self.quotas.assertions, HOUR)]
    }

    /// For a guess at a code.
    pub(super) fn guesses(&self) -> Guesses {
        Guesses {
            own: self.own("code", self.quotas.wrong_codes_per_client),
            all: of_all("code", self.quotas.wrong_codes, HOUR),
        }
    }

    /// For asking that `mailbox` be written to, whether it then is or not.
    pub(super) fn asked(&self, why: Writing, mailbox: &Mailbox) -> Vec<Budget> {
        let own = self.own("letter", self.quotas.letters_per_client);
        own.into_iter().chain(self.received(why, mailbox)).collect()
    }

    /// For what `mailbox` receives.
    pub(super) fn received(&self, why: Writing, mailbox: &Mailbox) -> Vec<Budget> {
        // Somebody at this machine writes to themselves.
        if self.caller == Caller::Unlimited {
            return Vec::new();
        }
        let (what, name, most) = (why.name(), mailbox.folded(), self.quotas.letters_per_mailbox);
        vec![self.of_one(what, &name, most, HOUR), self.of_one(what, &name, most.saturating_mul(2), DAY)]
    }

    /// For a letter to `mailbox` that is really written. Security: asking for letters that nobody ever gets takes
    /// nothing from others. And agents, which may bring about as many as there are for everybody or for a domain, take
    /// nothing from people who want to see what agents hold; were it one budget, what is left of it would also tell
    /// agents whether a letter went to somebody.
    pub(super) fn written(&self, why: Writing, mailbox: &Mailbox) -> Vec<Budget> {
        if !why.is_agents() {
            return vec![of_all("access", self.quotas.letters, DAY)];
        }
        let mut budgets = vec![of_all("letter", self.quotas.letters, DAY)];
        if self.caller != Caller::Unlimited {
            let domain = format!("domain {}", mailbox.domain());
            budgets.push(self.of_one("letter", &domain, self.quotas.letters_per_domain, DAY));
        }
        budgets
    }

    /// The part of the client, where it has one.
    fn own(&self, what: &'static str, most: u32) -> Option<Budget> {
        let Caller::Client(number) = self.caller else { return None };
        Some(self.of_one(what, &format!("client {number}"), most, HOUR))
    }

    /// The part of whom `name` names.
    fn of_one(&self, what: &'static str, name: &str, most: u32, window: Duration) -> Budget {
        Budget { what, whose: Whose::One(self.pepper.mark(name)), most, window }
    }
}

const fn of_all(what: &'static str, most: u32, window: Duration) -> Budget {
    Budget { what, whose: Whose::Everybody, most, window }
}
