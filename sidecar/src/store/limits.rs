//! Counters that hold across replicas: windows of fixed length, counted in one transaction before anything is done.

use std::{sync::Arc, time::Duration};

use super::{
    Result, Store,
    sql::{Tx, values},
};
use crate::{Time, registration::Conflict};

const COUNT: &str = "INSERT INTO counter (bucket, count, expires_at) VALUES ($1, 1, $2)
    ON CONFLICT (bucket) DO UPDATE SET count = counter.count + 1 RETURNING count";
const READ: &str = "SELECT count FROM counter WHERE bucket = $1";
const LEAVE: &str = "UPDATE counter SET count = count - $2 WHERE bucket = $1";
/// The counter of all registrations that are kept.
const REGISTRATIONS: &str = "registrations";

/// So many in a window of time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Budget {
    /// What is counted, and for whom; no personal data.
    pub(crate) key: String,
    pub(crate) most: u32,
    pub(crate) window: Duration,
}

impl Budget {
    /// The counter of the window of `now`, and its end.
    fn bucket(&self, now: Time) -> (String, Time) {
        let length = i64::try_from(self.window.as_millis()).unwrap_or(i64::MAX).max(1);
        let index = now.millis().div_euclid(length);
        let end = Time::from_millis(index.saturating_add(1).saturating_mul(length));
        (format!("{}/{}/{index}", self.key, length / 1000), end)
    }
}

/// What a new registration has to pass.
#[derive(Clone, Debug, Default)]
pub(crate) struct Gate {
    /// One of each is taken, or the registration is not kept.
    pub(crate) budgets: Vec<Budget>,
    /// Beyond how many registrations it is not kept, whatever is left of the budgets.
    pub(crate) most: Option<u64>,
}

/// Takes one from each of `budgets`; the wait where one of them is used up, and then `tx` is to be rolled back.
pub(super) async fn take(tx: &mut Tx, budgets: &[Budget], now: Time) -> Result<Option<Duration>> {
    let mut wait = None;
    for budget in budgets {
        let (bucket, end) = budget.bucket(now);
        let row = tx.one(COUNT, values![bucket, end]).await?;
        let count = row.map(|row| row.number(0)).transpose()?.unwrap_or(i64::MAX);
        if count > i64::from(budget.most) {
            wait = wait.max(Some(end.since(now)));
        }
    }
    Ok(wait)
}

/// Counts a registration that comes, of which there may be `most`.
pub(super) async fn arrive(tx: &mut Tx, most: Option<u64>) -> Result<()> {
    let row = tx.one(COUNT, values![REGISTRATIONS, i64::MAX]).await?;
    let count = row.map(|row| row.number(0)).transpose()?.unwrap_or(i64::MAX);
    let is_full = most.is_some_and(|most| i64::try_from(most).is_ok_and(|most| count > most));
    if is_full { Err(Conflict::Full.into()) } else { Ok(()) }
}

/// Counts registrations that go.
pub(super) async fn leave(tx: &mut Tx, gone: u64) -> Result<()> {
    let gone = i64::try_from(gone).unwrap_or(i64::MAX);
    tx.run(LEAVE, values![REGISTRATIONS, gone]).await?;
    Ok(())
}

impl Store {
    /// Takes one from each of `budgets`, or from none where one of them is used up: then the time until it is not.
    pub(crate) async fn take(&self, budgets: Vec<Budget>, now: Time) -> Result<std::result::Result<(), Duration>> {
        if budgets.is_empty() {
            return Ok(Ok(()));
        }
        let db = Arc::clone(&self.db);
        self.run(async move {
            let mut tx = db.begin().await?;
            let wait = take(&mut tx, &budgets, now).await?;
            match wait {
                None => tx.commit().await?,
                Some(_) => tx.roll_back().await?,
            }
            Ok(wait.map_or(Ok(()), Err))
        })
        .await
    }

    /// Whether something is left of each of `budgets`; takes nothing.
    pub(crate) async fn is_left(&self, budgets: Vec<Budget>, now: Time) -> Result<std::result::Result<(), Duration>> {
        let db = Arc::clone(&self.db);
        self.run(async move {
            for budget in &budgets {
                let (bucket, end) = budget.bucket(now);
                let row = db.one(READ, values![bucket]).await?;
                let count = row.map(|row| row.number(0)).transpose()?.unwrap_or(0);
                if count >= i64::from(budget.most) {
                    return Ok(Err(end.since(now)));
                }
            }
            Ok(Ok(()))
        })
        .await
    }
}
