//! How often things may be asked for: the numbers, and for whom they are counted.

use std::time::Duration;

use super::Caller;
use crate::{
    domain::{Mailbox, secret::Pepper},
    store::{Budget, BudgetScope, Guesses},
};

const HOUR: Duration = Duration::from_hours(1);
const DAY: Duration = Duration::from_hours(24);

/// How many clients the /48 network of an IPv6 client counts for when it asks for emails. Security: a network of that
/// size is easily had, and holds 65,536 clients.
const CLIENTS_PER_NETWORK: u32 = 50;

/// Makes budgets whose names identify no client and no person.
pub(super) struct Budgets<'a> {
    pub(super) quotas: Quotas,
    pub(super) pepper: &'a Pepper,
    pub(super) caller: Caller,
}

/// Why a person is written to. Security: each reason has a budget of its own, so that an attacker who makes agents ask
/// a person cannot keep that person from seeing, and taking back, what agents hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EmailKind {
    /// An agent asks.
    ClaimRequest,
    /// What an agent asked for is void.
    Superseded,
    /// The person, or another in their name, wants to see what agents hold.
    AccessLink,
    /// Something was taken back.
    Revocation,
}

impl EmailKind {
    /// Returns its name in budgets.
    const fn name(self) -> &'static str {
        match self {
            Self::ClaimRequest => "claim",
            Self::Superseded => "notice",
            Self::AccessLink => "access",
            Self::Revocation => "revoked",
        }
    }

    /// Whether agents cause it, with whatever mailbox they like. The other emails go only to people in whose name
    /// agents hold something.
    const fn is_caused_by_agents(self) -> bool {
        matches!(self, Self::ClaimRequest | Self::Superseded)
    }
}

impl Budgets<'_> {
    /// Returns the budgets for an anonymous registration.
    pub(super) fn anonymous(&self) -> Vec<Budget> {
        let all = self.shared("anonymous", self.quotas.anonymous, HOUR);
        [all].into_iter().chain(self.own("anonymous", self.quotas.anonymous_per_client)).collect()
    }

    /// Returns the budgets for a registration by e-mail. Security: the budget of all clients is not that for providers'
    /// assertions, which a client cannot make up; a client has one budget for both.
    pub(super) fn email(&self) -> Vec<Budget> {
        let all = self.shared("email", self.quotas.assertions, HOUR);
        [vec![all], self.token()].concat()
    }

    /// Returns the budgets for examining what seems to be a provider's assertion.
    pub(super) fn token(&self) -> Vec<Budget> {
        self.own("assertion", self.quotas.assertions_per_client).into_iter().collect()
    }

    /// Returns the budgets for an assertion that a provider has signed. Security: what any client can make up does not
    /// count here, so networks have no shares of it: the agents of a provider may all come from one.
    pub(super) fn assertion(&self) -> Vec<Budget> {
        vec![of_all("assertion", self.quotas.assertions, HOUR)]
    }

    /// Returns the budgets for a guess at a code.
    pub(super) fn guesses(&self) -> Guesses {
        Guesses {
            own: self.own("code", self.quotas.wrong_codes_per_client),
            all: self.shared("code", self.quotas.wrong_codes, HOUR),
        }
    }

    /// Returns the budgets for asking that `mailbox` be written to, whether it then is or not.
    pub(super) fn for_request(&self, kind: EmailKind, mailbox: &Mailbox) -> Vec<Budget> {
        let own = self.own("letter", self.quotas.emails_per_client);
        // Security: whether people are sent what they ask for is decided later, when the network is no longer known.
        let share =
            (kind == EmailKind::AccessLink).then(|| self.network("access", self.quotas.emails / 5, DAY)).flatten();
        let crowd = self.network_v6("letter", self.quotas.emails_per_client.saturating_mul(CLIENTS_PER_NETWORK), HOUR);
        own.into_iter().chain(crowd).chain(share).chain(self.for_mailbox(kind, mailbox)).collect()
    }

    /// Returns the budgets for what `mailbox` receives.
    pub(super) fn for_mailbox(&self, kind: EmailKind, mailbox: &Mailbox) -> Vec<Budget> {
        // A user of this machine writes to themselves.
        if self.caller == Caller::Unlimited {
            return Vec::new();
        }
        let (what, name, most) = (kind.name(), mailbox.folded(), self.quotas.emails_per_mailbox);
        vec![self.of_one(what, &name, most, HOUR), self.of_one(what, &name, most.saturating_mul(2), DAY)]
    }

    /// Returns the budgets for an email to `mailbox` that is really written. Security: asking for emails that never
    /// arrive takes nothing from others. And agents, which may cause as many emails as there are for all or for a
    /// domain, take nothing from people who want to see what agents hold; if it were one budget, what is left of it
    /// would also tell agents whether an email was sent.
    pub(super) fn for_sent_email(&self, kind: EmailKind, mailbox: &Mailbox) -> Vec<Budget> {
        if !kind.is_caused_by_agents() {
            return vec![of_all("access", self.quotas.emails, DAY)];
        }
        let mut budgets = vec![self.shared("letter", self.quotas.emails, DAY)];
        if self.caller != Caller::Unlimited {
            let mark = self.pepper.mark(&format!("domain {}", mailbox.domain()));
            let whose = BudgetScope::Domain { mark, masked: mail::masked(&format!("@{}", mailbox.domain())) };
            budgets.push(Budget { whose, ..self.shared("domain", self.quotas.emails_per_domain, DAY) });
        }
        budgets
    }

    /// Returns a budget that is shared by all networks, of which each may take only so much.
    fn shared(&self, what: &'static str, most: u32, window: Duration) -> Budget {
        let network = match self.caller {
            Caller::Unlimited => None,
            // Security: what the service writes of its own accord is caused by agents too.
            Caller::Service => Some("service".to_owned()),
            Caller::Client(number) => Some(self.pepper.mark(&network_of(number))),
        };
        Budget { network, ..of_all(what, most, window) }
    }

    /// Returns the client's own budget, if it has one.
    fn own(&self, what: &'static str, most: u32) -> Option<Budget> {
        let Caller::Client(number) = self.caller else { return None };
        Some(self.of_one(what, &format!("client {number}"), most, HOUR))
    }

    /// Returns a budget of the client's network alone.
    fn network(&self, what: &'static str, most: u32, window: Duration) -> Option<Budget> {
        let Caller::Client(number) = self.caller else { return None };
        Some(self.of_one(what, &network_of(number), most.max(1), window))
    }

    /// Does the same as `network` for a network of IPv6, which holds more clients than can be counted one by one.
    fn network_v6(&self, what: &'static str, most: u32, window: Duration) -> Option<Budget> {
        self.network(what, most, window).filter(|_| matches!(self.caller, Caller::Client(IPV6..)))
    }

    /// Returns the budget of the one that `name` names.
    fn of_one(&self, what: &'static str, name: &str, most: u32, window: Duration) -> Budget {
        Budget { what, whose: BudgetScope::One(self.pepper.mark(name)), most, window, network: None }
    }
}

const fn of_all(what: &'static str, most: u32, window: Duration) -> Budget {
    Budget { what, whose: BudgetScope::AllClients, most, window, network: None }
}

/// The first number of an IPv6 client: those of IPv4 have 32 bits.
const IPV6: u64 = 1 << 32;

/// Returns the network of the client with this number: a /24 of IPv4, or a /48 of IPv6, which is what its user is given
/// at most. A /56 is a part of it and can take no more.
fn network_of(number: u64) -> String {
    format!("network {}", if number < IPV6 { number >> 8 } else { number >> 16 })
}

/// How often things may be asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quotas {
    /// Anonymous registrations of one client in an hour.
    pub anonymous_per_client: u32,
    /// All anonymous registrations in an hour.
    pub anonymous: u32,
    /// Registrations of one client by e-mail and on a provider's word in an hour, together.
    pub assertions_per_client: u32,
    /// All registrations by e-mail in an hour, and as many on providers' word.
    pub assertions: u32,
    /// Letters that one client may ask for in an hour.
    pub emails_per_client: u32,
    /// Letters of each kind to one mailbox in an hour; twice as many in a day.
    pub emails_per_mailbox: u32,
    /// Letters that agents cause to all mailboxes of one domain in a day.
    pub emails_per_domain: u32,
    /// All emails that agents cause in a day, and as many that people ask for themselves.
    pub emails: u32,
    /// Wrong codes of one client in an hour.
    pub wrong_codes_per_client: u32,
    /// All wrong codes in an hour.
    pub wrong_codes: u32,
    /// Registrations that are kept, of all kinds and states; once there are as many, no client registers without an
    /// identity.
    pub registrations: u64,
    /// Links to what agents hold that are kept; once there are as many, no other is sent.
    pub links: u64,
}

impl Quotas {
    /// Returns every kind of budget that all clients share, with its limit if it is counted in windows.
    pub(super) const fn shared(&self) -> [(&'static str, Option<u32>); 9] {
        [
            ("anonymous", Some(self.anonymous)),
            ("email", Some(self.assertions)),
            ("assertion", Some(self.assertions)),
            ("letter", Some(self.emails)),
            ("domain", Some(self.emails_per_domain)),
            ("access", Some(self.emails)),
            ("code", Some(self.wrong_codes)),
            ("registrations", None),
            ("links", None),
        ]
    }
}

impl Default for Quotas {
    fn default() -> Self {
        Self {
            anonymous_per_client: 5,
            anonymous: 300,
            assertions_per_client: 60,
            assertions: 1000,
            emails_per_client: 20,
            emails_per_mailbox: 5,
            emails_per_domain: 500,
            emails: 2000,
            wrong_codes_per_client: 20,
            wrong_codes: 100,
            registrations: 1_000_000,
            links: 100_000,
        }
    }
}
