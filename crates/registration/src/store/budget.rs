//! Budgets: how many of something are allowed in a window of time, and for whom. No I/O.

use std::time::Duration;

use clock::Time;

/// How many are allowed in a window of time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Budget {
    /// What is counted.
    pub(crate) what: &'static str,
    pub(crate) whose: BudgetScope,
    pub(crate) most: u32,
    pub(crate) window: Duration,
    /// The network that takes, known by a mark, if this is shared with other networks.
    pub(crate) network: Option<String>,
}

/// For whom something is counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BudgetScope {
    /// For all clients together. If it is used up, an operator is told.
    AllClients,
    /// For all mailboxes of one domain, known by a mark. If it is used up, an operator is told.
    Domain {
        /// The mark.
        mark: String,
        /// What an operator is told of its name.
        masked: String,
    },
    /// For one client or mailbox, known by a mark that is no personal data.
    One(String),
}

impl Budget {
    /// Returns the counter of the window that contains `now`, and the end of that window.
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

    /// Returns the counter of the network that takes, beside the counter of all.
    pub(super) fn network_bucket(&self, bucket: &str) -> Option<String> {
        self.network.as_ref().map(|mark| format!("{bucket}/{mark}"))
    }

    /// Whether one more may be taken once `total` are taken, `own` of them by the network that takes.
    pub(super) fn allows(&self, total: i64, own: Option<i64>) -> bool {
        total < i64::from(self.most) && own.is_none_or(|own| own == 0 || own < self.share(total))
    }

    /// Returns how much one network may take once `total` are taken: a fifth, and a fiftieth once two fifths are used.
    /// The last fifth is for networks that have taken nothing yet, one each.
    ///
    /// Security: addresses are cheap by the network and dear beyond. With a fifth throughout, four networks would use
    /// up all that is not kept for newcomers, and each further network would take a newcomer's place. With these steps,
    /// two dozen networks that do nothing else leave nearly all of the last fifth to others.
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

/// A budget that is used up.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Exhausted {
    /// How long it stays used up.
    pub(crate) wait: Duration,
}

/// The result of what passed because something was left of every budget, or else the budget that is used up.
pub type Within<T> = std::result::Result<T, Exhausted>;

/// The budgets of wrong codes. A guess is counted before it is compared, and given back if it is right.
#[derive(Clone, Debug)]
pub struct Guesses {
    /// The client's own budget, or `None` if the client is not limited.
    pub(crate) own: Option<Budget>,
    pub(crate) all: Budget,
}
