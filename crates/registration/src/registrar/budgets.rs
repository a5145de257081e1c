//! How often things may be asked for: the numbers, and for whom they are counted.

use std::time::Duration;

use super::Caller;
use crate::{
    domain::{Mailbox, secret::Pepper},
    registrar::Quotas,
    store::{Budget, Guesses, Whose},
};

const HOUR: Duration = Duration::from_hours(1);
const DAY: Duration = Duration::from_hours(24);

/// How many clients the /48 network of an IPv6 client counts for when it asks for emails. Security: a network of that
/// size is easily had, and holds 65,536 clients.
const NETWORK: u32 = 50;

/// Makes budgets from which nobody can be identified.
pub(super) struct Budgets<'a> {
    pub(super) quotas: &'a Quotas,
    pub(super) pepper: &'a Pepper,
    pub(super) caller: Caller,
}

/// Why somebody is written to. Security: each reason has a budget of its own, so that nobody who makes agents ask a
/// person can keep that person from seeing, and taking back, what agents hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Writing {
    /// An agent asks.
    Claim,
    /// What an agent asked for is void.
    Lapse,
    /// The person, or somebody in their name, wants to see what agents hold.
    Access,
    /// Something was taken back.
    Revoked,
}

impl Writing {
    /// Returns its name in budgets.
    const fn name(self) -> &'static str {
        match self {
            Self::Claim => "claim",
            Self::Lapse => "notice",
            Self::Access => "access",
            Self::Revoked => "revoked",
        }
    }

    /// Whether agents cause it, with whatever mailbox they like. The other emails go only to people in whose name
    /// agents hold something.
    const fn is_agents(self) -> bool {
        matches!(self, Self::Claim | Self::Lapse)
    }
}

impl Budgets<'_> {
    /// Returns the budgets for an anonymous registration.
    pub(super) fn anonymous(&self) -> Vec<Budget> {
        let all = of_all("anonymous", self.quotas.anonymous, HOUR);
        [all].into_iter().chain(self.own("anonymous", self.quotas.anonymous_per_client)).collect()
    }

    /// Returns the budgets for a registration by e-mail. Security: everybody's budget is not that for providers'
    /// assertions, which nobody can make up; a client has one budget for both.
    pub(super) fn email(&self) -> Vec<Budget> {
        let all = of_all("email", self.quotas.assertions, HOUR);
        [vec![all], self.token()].concat()
    }

    /// Returns the budgets for examining what seems to be a provider's assertion.
    pub(super) fn token(&self) -> Vec<Budget> {
        self.own("assertion", self.quotas.assertions_per_client).into_iter().collect()
    }

    /// Returns the budgets for an assertion that a provider has signed. Security: what anybody can make up does not
    /// count here.
    pub(super) fn assertion(&self) -> Vec<Budget> {
        vec![of_all("assertion", self.quotas.assertions, HOUR)]
    }

    /// Returns the budgets for a guess at a code.
    pub(super) fn guesses(&self) -> Guesses {
        Guesses {
            own: self.own("code", self.quotas.wrong_codes_per_client),
            all: of_all("code", self.quotas.wrong_codes, HOUR),
        }
    }

    /// Returns the budgets for asking that `mailbox` be written to, whether it then is or not.
    pub(super) fn asked(&self, why: Writing, mailbox: &Mailbox) -> Vec<Budget> {
        let own = self.own("letter", self.quotas.letters_per_client);
        own.into_iter()
            .chain(self.network("letter", self.quotas.letters_per_client))
            .chain(self.received(why, mailbox))
            .collect()
    }

    /// Returns the budgets for what `mailbox` receives.
    pub(super) fn received(&self, why: Writing, mailbox: &Mailbox) -> Vec<Budget> {
        // Somebody at this machine is writing to themselves.
        if self.caller == Caller::Unlimited {
            return Vec::new();
        }
        let (what, name, most) = (why.name(), mailbox.folded(), self.quotas.letters_per_mailbox);
        vec![self.of_one(what, &name, most, HOUR), self.of_one(what, &name, most.saturating_mul(2), DAY)]
    }

    /// Returns the budgets for an email to `mailbox` that is really written. Security: asking for emails that nobody
    /// ever gets takes nothing from others. And agents, which may cause as many emails as there are for everybody or
    /// for a domain, take nothing from people who want to see what agents hold; if it were one budget, what is left of
    /// it would also tell agents whether an email went to somebody.
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

    /// Returns the client's own budget, if it has one.
    fn own(&self, what: &'static str, most: u32) -> Option<Budget> {
        let Caller::Client(number) = self.caller else { return None };
        Some(self.of_one(what, &format!("client {number}"), most, HOUR))
    }

    /// Returns the budget of the client's network, if it has one: the numbers of IPv4 clients have 32 bits.
    fn network(&self, what: &'static str, most: u32) -> Option<Budget> {
        let Caller::Client(number @ 0x1_0000_0000..) = self.caller else { return None };
        Some(self.of_one(what, &format!("network {}", number >> 16), most.saturating_mul(NETWORK), HOUR))
    }

    /// Returns the budget of the one that `name` names.
    fn of_one(&self, what: &'static str, name: &str, most: u32, window: Duration) -> Budget {
        Budget { what, whose: Whose::One(self.pepper.mark(name)), most, window }
    }
}

const fn of_all(what: &'static str, most: u32, window: Duration) -> Budget {
    Budget { what, whose: Whose::Everybody, most, window }
}
