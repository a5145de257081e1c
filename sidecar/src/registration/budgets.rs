//! How often things may be asked for: the numbers, and who they are counted for.

use std::time::Duration;

use super::{Caller, Mailbox, secret::Pepper};
use crate::store::Budget;

const HOUR: Duration = Duration::from_hours(1);
const DAY: Duration = Duration::from_hours(24);

/// How often things may be asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quotas {
    /// Anonymous registrations of one client in an hour.
    pub anonymous_per_client: u32,
    /// All anonymous registrations in an hour.
    pub anonymous: u32,
    /// Asserted registrations of one client in an hour.
    pub assertions_per_client: u32,
    /// All asserted registrations in an hour.
    pub assertions: u32,
    /// Letters to one mailbox in an hour; twice as many in a day.
    pub letters_per_mailbox: u32,
    /// All letters in a day.
    pub letters: u32,
    /// Wrong codes of one client in an hour.
    pub wrong_codes_per_client: u32,
    /// All wrong codes in an hour.
    pub wrong_codes: u32,
}

impl Default for Quotas {
    fn default() -> Self {
        Self {
            anonymous_per_client: 5,
            anonymous: 100,
            assertions_per_client: 60,
            assertions: 1000,
            letters_per_mailbox: 5,
            letters: 2000,
            wrong_codes_per_client: 20,
            wrong_codes: 100,
        }
    }
}

/// Makes budgets in which nobody can be found again.
pub(super) struct Budgets<'a> {
    pub(super) quotas: &'a Quotas,
    pub(super) pepper: &'a Pepper,
    pub(super) caller: Caller,
}

impl Budgets<'_> {
    /// For an anonymous registration.
    pub(super) fn anonymous(&self) -> Vec<Budget> {
        self.pair("anonymous", self.quotas.anonymous_per_client, self.quotas.anonymous)
    }

    /// For a registration with an assertion.
    pub(super) fn assertion(&self) -> Vec<Budget> {
        self.pair("assertion", self.quotas.assertions_per_client, self.quotas.assertions)
    }

    /// For the word of a provider that nobody has looked at: what its sender has left.
    pub(super) fn unverified_word(&self) -> Vec<Budget> {
        self.assertion().split_off(1)
    }

    /// For the same once it is known who signed it: what there is left for all. Security: what anybody can make up does
    /// not use up what everybody needs.
    pub(super) fn verified_word(&self) -> Vec<Budget> {
        let mut budgets = self.assertion();
        budgets.truncate(1);
        budgets
    }

    /// For a wrong code.
    pub(super) fn wrong_code(&self) -> Vec<Budget> {
        self.pair("code", self.quotas.wrong_codes_per_client, self.quotas.wrong_codes)
    }

    /// For a letter to `mailbox`.
    pub(super) fn letter(&self, mailbox: &Mailbox) -> Vec<Budget> {
        let mut budgets = vec![budget("letter".to_owned(), self.quotas.letters, DAY)];
        // Somebody at this machine writes to themselves.
        if self.caller != Caller::Unlimited {
            let key = format!("letter/{}", self.pepper.mark(mailbox.as_str()));
            budgets.push(budget(key.clone(), self.quotas.letters_per_mailbox, HOUR));
            budgets.push(budget(key, self.quotas.letters_per_mailbox.saturating_mul(2), DAY));
        }
        budgets
    }

    /// What there is for all, and then what there is for the client.
    fn pair(&self, what: &str, per_client: u32, all: u32) -> Vec<Budget> {
        let mut budgets = vec![budget(what.to_owned(), all, HOUR)];
        if let Caller::Client(number) = self.caller {
            let client = self.pepper.mark(&format!("client {number}"));
            budgets.push(budget(format!("{what}/{client}"), per_client, HOUR));
        }
        budgets
    }
}

const fn budget(key: String, most: u32, window: Duration) -> Budget {
    Budget { key, most, window }
}
