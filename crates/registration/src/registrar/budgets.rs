//! The limits of requests, and for which clients and mailboxes they are counted.

use std::time::Duration;

use secrets::{Mailbox, Pepper};

use super::Caller;
use crate::store::{Budget, BudgetScope, Guesses};

const HOUR: Duration = Duration::from_hours(1);
const DAY: Duration = Duration::from_hours(24);

/// How many clients' e-mail budgets a /48 network of IPv6 has. Security: an attacker easily gets such a network, which
/// holds 65,536 clients.
const CLIENTS_PER_NETWORK: u32 = 50;

/// Builds budgets. Their names identify no client and no person.
pub(super) struct Budgets<'a> {
    pub(super) quotas: Quotas,
    pub(super) pepper: &'a Pepper,
    pub(super) caller: Caller,
}

/// The kinds of e-mails that have budgets of their own. Security: an attacker who triggers claim requests to a person
/// must not exhaust the budget of their access links.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EmailKind {
    /// An agent asks the person to claim a registration.
    ClaimRequest,
    /// A claim request is void.
    Superseded,
    /// Requested on the access page, by anyone.
    AccessLink,
    /// Registrations were revoked.
    Revocation,
}

impl EmailKind {
    /// Returns the name of the mailbox budget.
    const fn name(self) -> &'static str {
        match self {
            Self::ClaimRequest => "claim",
            Self::Superseded => "notice",
            Self::AccessLink => "access",
            Self::Revocation => "revoked",
        }
    }

    /// Whether agents cause the e-mail, to a mailbox of their choice. The others go only to people with registrations.
    const fn is_caused_by_agents(self) -> bool {
        matches!(self, Self::ClaimRequest | Self::Superseded)
    }
}

impl Budgets<'_> {
    pub(super) fn anonymous(&self) -> Vec<Budget> {
        let all = self.shared("anonymous", self.quotas.anonymous, HOUR);
        [all].into_iter().chain(self.own("anonymous", self.quotas.anonymous_per_client)).collect()
    }

    /// Returns the budgets of a registration by e-mail. Security: the shared budget is not that of signed assertions,
    /// which clients cannot invent; each client has one budget for both.
    pub(super) fn email(&self) -> Vec<Budget> {
        let all = self.shared("email", self.quotas.assertions, HOUR);
        [vec![all], self.token()].concat()
    }

    /// Returns the budgets of verifying an assertion.
    pub(super) fn token(&self) -> Vec<Budget> {
        self.own("assertion", self.quotas.assertions_per_client).into_iter().collect()
    }

    /// Returns the budgets of a verified assertion. Security: clients cannot invent these, so networks have no shares;
    /// all agents of a provider may come from one network.
    pub(super) fn assertion(&self) -> Vec<Budget> {
        vec![shared_budget("assertion", self.quotas.assertions, HOUR)]
    }

    /// Returns the budgets of a guess at a code.
    pub(super) fn guesses(&self) -> Guesses {
        Guesses {
            own: self.own("code", self.quotas.wrong_codes_per_client),
            all: self.shared("code", self.quotas.wrong_codes, HOUR),
        }
    }

    /// Returns the budgets of a request for an e-mail to `mailbox`, sent or not.
    pub(super) fn for_request(&self, kind: EmailKind, mailbox: &Mailbox) -> Vec<Budget> {
        let own = self.own("letter", self.quotas.emails_per_client);
        // Security: whether an access link is sent is decided later, when the network is not known any more, so its
        // share of what is sent and of what is stored is taken here.
        let links = u32::try_from(self.quotas.links).unwrap_or(u32::MAX);
        let most = self.quotas.emails.min(links) / 5;
        let share = (kind == EmailKind::AccessLink).then(|| self.network("access", most, DAY)).flatten();
        let crowd = self.network_v6("letter", self.quotas.emails_per_client.saturating_mul(CLIENTS_PER_NETWORK), HOUR);
        own.into_iter().chain(crowd).chain(share).chain(self.for_mailbox(kind, mailbox)).collect()
    }

    pub(super) fn for_mailbox(&self, kind: EmailKind, mailbox: &Mailbox) -> Vec<Budget> {
        // Without limits, the client is on this machine and writes to itself.
        if self.caller == Caller::Unlimited {
            return Vec::new();
        }
        let (what, name, most) = (kind.name(), mailbox.folded(), self.quotas.emails_per_mailbox);
        vec![self.one_budget(what, &name, most, HOUR), self.one_budget(what, &name, most.saturating_mul(2), DAY)]
    }

    /// Returns the budgets of an e-mail that is really sent. Security: requests for e-mails that are never sent take
    /// nothing from others. And agents, which may exhaust the total or a domain, take nothing from people who request
    /// access links; with one budget, its rest would also show agents whether a link was sent.
    pub(super) fn for_sent_email(&self, kind: EmailKind, mailbox: &Mailbox) -> Vec<Budget> {
        if !kind.is_caused_by_agents() {
            return vec![shared_budget("access", self.quotas.emails, DAY)];
        }
        let mut budgets = vec![self.shared("letter", self.quotas.emails, DAY)];
        if self.caller != Caller::Unlimited {
            let mark = self.pepper.mark(&format!("domain {}", mailbox.domain()));
            let whose = BudgetScope::Domain { mark, masked: mail::masked(&format!("@{}", mailbox.domain())) };
            budgets.push(Budget { whose, ..self.shared("domain", self.quotas.emails_per_domain, DAY) });
        }
        budgets
    }

    /// Returns a budget of all clients, in which each network has a limited share.
    fn shared(&self, what: &'static str, most: u32, window: Duration) -> Budget {
        let network = match self.caller {
            Caller::Unlimited => None,
            // Security: what the service sends by itself is caused by agents too.
            Caller::Service => Some("service".to_owned()),
            Caller::Client(number) => Some(self.pepper.mark(&network_of(number))),
        };
        Budget { network, ..shared_budget(what, most, window) }
    }

    /// Returns the client's own budget, unless it is unlimited.
    fn own(&self, what: &'static str, most: u32) -> Option<Budget> {
        let Caller::Client(number) = self.caller else { return None };
        Some(self.one_budget(what, &format!("client {number}"), most, HOUR))
    }

    /// Returns the budget of the client's network.
    fn network(&self, what: &'static str, most: u32, window: Duration) -> Option<Budget> {
        let Caller::Client(number) = self.caller else { return None };
        Some(self.one_budget(what, &network_of(number), most.max(1), window))
    }

    /// Returns the budget of an IPv6 network, which holds too many clients to count each.
    fn network_v6(&self, what: &'static str, most: u32, window: Duration) -> Option<Budget> {
        self.network(what, most, window).filter(|_| matches!(self.caller, Caller::Client(IPV6..)))
    }

    /// Returns the budget of one client, network or mailbox.
    fn one_budget(&self, what: &'static str, name: &str, most: u32, window: Duration) -> Budget {
        Budget { what, whose: BudgetScope::One(self.pepper.mark(name)), most, window, network: None }
    }
}

const fn shared_budget(what: &'static str, most: u32, window: Duration) -> Budget {
    Budget { what, whose: BudgetScope::AllClients, most, window, network: None }
}

/// The lowest number of an IPv6 client; IPv4 addresses have 32 bits.
const IPV6: u64 = 1 << 32;

/// Returns the network of a client: a /24 of IPv4 or a /48 of IPv6, the most that a subscriber gets.
fn network_of(number: u64) -> String {
    format!("network {}", if number < IPV6 { number >> 8 } else { number >> 16 })
}

/// The configured limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quotas {
    /// Anonymous registrations of one client per hour.
    pub anonymous_per_client: u32,
    /// All anonymous registrations per hour.
    pub anonymous: u32,
    /// Registrations of one client by e-mail and on assertions, together, per hour.
    pub assertions_per_client: u32,
    /// All registrations by e-mail per hour, and as many on assertions.
    pub assertions: u32,
    /// E-mails that one client may trigger per hour.
    pub emails_per_client: u32,
    /// E-mails of each kind to one mailbox per hour; twice as many per day.
    pub emails_per_mailbox: u32,
    /// E-mails caused by agents to all mailboxes of one domain per day.
    pub emails_per_domain: u32,
    /// All e-mails caused by agents per day, and as many access links and notices.
    pub emails: u32,
    /// Wrong codes of one client per hour.
    pub wrong_codes_per_client: u32,
    /// All wrong codes per hour.
    pub wrong_codes: u32,
    /// Stored registrations of all kinds and states. At this number, agents without an identity are refused.
    pub registrations: u64,
    /// Stored access links. At this number, requests for more are refused.
    pub links: u64,
}

impl Quotas {
    /// Returns the kinds of shared budgets, with the limit of those that have windows.
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
