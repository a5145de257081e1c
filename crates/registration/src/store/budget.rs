//! Budgets: how often something is allowed in a window of time, and for which clients. No I/O.

use std::time::Duration;

use clock::Time;

/// A limit in a window of time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Budget {
    /// The counter's name, also in logs and metrics.
    pub(crate) what: &'static str,
    pub(crate) whose: BudgetScope,
    pub(crate) most: u32,
    pub(crate) window: Duration,
    /// The mark of the client's network, if networks share this budget.
    pub(crate) network: Option<String>,
}

/// Which clients or mailboxes share a budget.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BudgetScope {
    /// All clients. Exhaustion is logged.
    AllClients,
    /// All mailboxes of one domain. Exhaustion is logged.
    Domain {
        /// A keyed digest of the domain.
        mark: String,
        /// The domain as it is logged: `***@g***.com`.
        masked: String,
    },
    /// One client or mailbox, by a keyed digest, which is no personal data.
    One(String),
}

impl Budget {
    /// Returns the name of the counter for the window that contains `now`, and the end of that window.
    pub(super) fn bucket(&self, now: Time) -> (String, Time) {
        let length = i64::try_from(self.window.as_millis()).unwrap_or(i64::MAX).max(1);
        let index = now.millis().div_euclid(length);
        let end = Time::from_millis(index.saturating_add(1).saturating_mul(length));
        let seconds = length / 1000;
        let bucket = match &self.whose {
            BudgetScope::AllClients => format!("{}/{seconds}/{index}", self.what),
            BudgetScope::Domain { mark, .. } | BudgetScope::One(mark) => {
                format!("{}/{mark}/{seconds}/{index}", self.what)
            }
        };
        (bucket, end)
    }

    /// Returns the name of the counter of the client's network in the same window.
    pub(super) fn network_bucket(&self, bucket: &str) -> Option<String> {
        self.network.as_ref().map(|mark| format!("{bucket}/{mark}"))
    }

    /// Whether one more may be taken when all clients have taken `total`, and the client's network `own` of these.
    pub(super) fn allows(&self, total: i64, own: Option<i64>) -> bool {
        total < i64::from(self.most) && own.is_none_or(|own| own == 0 || own < self.share(total))
    }

    /// Returns how much one network may take when `total` are taken: a fifth; a fiftieth once two fifths are used;
    /// nothing in the last fifth, where only networks that have taken nothing get one each.
    ///
    /// Security: an attacker gets addresses of one network cheaply, further networks dearly. With a fifth throughout,
    /// four networks would exhaust everything but the last fifth, and each further network would take a newcomer's
    /// place. With these steps, two dozen attacking networks leave nearly all of the last fifth to others.
    fn share(&self, total: i64) -> i64 {
        let most = i64::from(self.most);
        if total >= most - most / 5 {
            0
        } else if total >= most * 2 / 5 {
            (most / 50).max(1)
        } else {
            (most / 5).max(1)
        }
    }

    pub(super) fn exhaustion(&self, now: Time) -> Exhausted {
        Exhausted { wait: self.bucket(now).1.since(now) }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Exhausted {
    /// Time until its window ends.
    pub(crate) wait: Duration,
}

/// The result of work that needed budgets, or the exhausted budget.
pub type Within<T> = std::result::Result<T, Exhausted>;

/// The budgets of wrong codes. A guess is counted before it is compared, and given back if it is right.
#[derive(Clone, Debug)]
pub struct Guesses {
    /// `None` if the client is not limited.
    pub(crate) own: Option<Budget>,
    pub(crate) all: Budget,
}
