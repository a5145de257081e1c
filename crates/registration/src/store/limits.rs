//! Counters shared by all replicas: windows of fixed length, counted first in a transaction.
//!
//! A budget shared by networks has a counter for each network beside the total, in the same window and transaction.
//! [`Budget::share`] limits each network.

use std::{sync::Arc, time::Duration};

use clock::Time;
use secrets::Digest;

use super::{
    Result, Store,
    budget::{Budget, Exhausted, Guesses, Within},
    levels::Levels,
    sql::{Db, Tx, values},
};
use crate::domain::Conflict;

const COUNT: &str = "INSERT INTO counter (bucket, count, expires_at) VALUES ($1, 1, $2)
    ON CONFLICT (bucket) DO UPDATE SET count = counter.count + 1 RETURNING count";
const READ: &str = "SELECT count FROM counter WHERE bucket = $1";
const NOTE: &str = "INSERT INTO counter (bucket, count, expires_at) VALUES ($1, 1, $2) ON CONFLICT DO NOTHING";
const LEAVE: &str = "UPDATE counter SET count = count - $2 WHERE bucket = $1";
const MISCOUNTED: &str = "SELECT count FROM counter WHERE bucket = $1 AND count <> (SELECT COUNT(*) FROM access_link)";
const RECOUNT: &str = "UPDATE counter SET count = (SELECT COUNT(*) FROM access_link) WHERE bucket = $1";
/// How long a counter is kept after its window. A transaction that counted at the end of the window may still wait for
/// the counter of registrations, which a sweep holds.
const SPARE: Duration = Duration::from_mins(1);
/// The counter of stored registrations.
const REGISTRATIONS: &str = "registrations";
/// The counter of stored access links.
pub(super) const LINKS: &str = "links";

/// The limits of a new registration.
#[derive(Clone, Debug, Default)]
pub struct RegistrationGate {
    pub(crate) budgets: Vec<Budget>,
    /// Maximum number of stored registrations, whatever is left of the budgets.
    pub(crate) most: Option<u64>,
}

/// Takes one from each of `budgets`. If any is used up, returns the one with the longest wait; `tx` must then be rolled
/// back.
pub(super) async fn take(tx: &mut Tx, levels: &Levels, budgets: &[Budget], now: Time) -> Result<Option<Exhausted>> {
    let mut exhausted = None;
    for budget in budgets {
        let (total, own) = count(tx, budget, now).await?;
        levels.note(budget, total, now);
        if !budget.allows(total - 1, own.map(|own| own - 1)) {
            exhausted = exhausted.max(Some(budget.exhaustion(now)));
        }
    }
    Ok(exhausted)
}

/// Begins a transaction that has taken one from each of `budgets`, unless one is used up.
///
/// Security: taking locks the counters until commit. Check for exhaustion first, or refused requests would block
/// writers; and check under the write permit, or they would take the connections of readers.
pub(super) async fn begin(db: &Db, levels: &Levels, budgets: &[Budget], now: Time) -> Result<Within<Tx>> {
    let permit = db.acquire_write_permit().await?;
    if let Some(exhausted) = find_exhausted(db, levels, budgets, now).await? {
        return Ok(Err(exhausted));
    }
    let mut tx = db.begin_with(permit).await?;
    match take(&mut tx, levels, budgets, now).await? {
        None => Ok(Ok(tx)),
        Some(exhausted) => {
            tx.roll_back().await?;
            Ok(Err(exhausted))
        }
    }
}

/// Returns the exhausted budget with the longest wait, without taking anything.
async fn find_exhausted(db: &Db, levels: &Levels, budgets: &[Budget], now: Time) -> Result<Option<Exhausted>> {
    let mut exhausted = None;
    for budget in budgets {
        let bucket = budget.bucket(now).0;
        let own = match budget.network_bucket(&bucket) {
            Some(own) => Some(read(db, own).await?),
            None => None,
        };
        let total = read(db, bucket).await?;
        if !budget.allows(total, own) {
            levels.note(budget, total, now);
            exhausted = exhausted.max(Some(budget.exhaustion(now)));
        }
    }
    Ok(exhausted)
}

async fn read(db: &Db, bucket: String) -> Result<i64> {
    Ok(db.one(READ, values![bucket]).await?.map(|row| row.number(0)).transpose()?.unwrap_or(0))
}

/// Takes one from `budget`, even if it is used up. Returns how many are taken in total and by the network, this one
/// included. The total is locked first, so that no two transactions wait for each other.
async fn count(tx: &mut Tx, budget: &Budget, now: Time) -> Result<(i64, Option<i64>)> {
    let (bucket, end) = budget.bucket(now);
    let own = budget.network_bucket(&bucket);
    let total = count_in(tx, bucket, end).await?;
    Ok(match own {
        Some(own) => (total, Some(count_in(tx, own, end).await?)),
        None => (total, None),
    })
}

async fn count_in(tx: &mut Tx, bucket: String, end: Time) -> Result<i64> {
    let row = tx.one(COUNT, values![bucket, end.plus(SPARE)]).await?;
    Ok(row.map(|row| row.number(0)).transpose()?.unwrap_or(i64::MAX))
}

/// Whether a counted guess may be compared.
pub(super) enum Guessing {
    /// Yes.
    Free,
    /// Only if it is the first guess at its registration: the network's share is used up, but this client has not
    /// guessed wrong. It takes nothing from the shared budget.
    ///
    /// Security: without this, a few clients that guess at registrations of their own would block every claim. With it,
    /// an hour allows at most the budget plus one wrong guess for each client, each of those at a code that was shown
    /// and not yet guessed at.
    FirstOnly(Exhausted),
}

/// Counts a guess.
pub(super) async fn guess(tx: &mut Tx, levels: &Levels, guesses: &Guesses, now: Time) -> Result<Within<Guessing>> {
    let mut own = 0;
    if let Some(budget) = &guesses.own {
        own = count(tx, budget, now).await?.0;
        if own > i64::from(budget.most) {
            return Ok(Err(budget.exhaustion(now)));
        }
    }
    let all = &guesses.all;
    let (total, network) = count(tx, all, now).await?;
    // Without this guess, which may be right.
    levels.note(all, total - 1, now);
    if all.allows(total - 1, network.map(|network| network - 1)) {
        return Ok(Ok(Guessing::Free));
    }
    put_back(tx, std::slice::from_ref(all), now).await?;
    Ok(if own <= 1 { Ok(Guessing::FirstOnly(all.exhaustion(now))) } else { Err(all.exhaustion(now)) })
}

/// Gives a right guess back; also to the shared budget if `is_free`.
pub(super) async fn refund_guess(tx: &mut Tx, guesses: &Guesses, is_free: bool, now: Time) -> Result<()> {
    put_back(tx, guesses.own.as_slice(), now).await?;
    put_back(tx, if is_free { std::slice::from_ref(&guesses.all) } else { &[] }, now).await
}

/// Gives one back to each of `budgets`, from which this transaction has taken.
pub(super) async fn put_back(tx: &mut Tx, budgets: &[Budget], now: Time) -> Result<()> {
    for budget in budgets {
        let bucket = budget.bucket(now).0;
        let own = budget.network_bucket(&bucket);
        for bucket in [Some(bucket), own].into_iter().flatten() {
            tx.run(LEAVE, values![bucket, 1_i64]).await?;
        }
    }
    Ok(())
}

/// Locks the counter of registrations until `tx` ends.
///
/// Every transaction that makes, deletes or reassigns registrations calls this or [`count_registration`], after taking
/// budgets and before anything else. So these transactions wait for each other only here, and what one of them reads
/// stays unchanged until it ends.
pub(super) async fn lock_registrations(tx: &mut Tx) -> Result<()> {
    uncount_registrations(tx, 0).await
}

/// Counts a new registration, up to `most`, and locks like [`lock_registrations`].
pub(super) async fn count_registration(tx: &mut Tx, most: Option<u64>) -> Result<()> {
    let row = tx.one(COUNT, values![REGISTRATIONS, Time::NEVER]).await?;
    let count = row.map(|row| row.number(0)).transpose()?.unwrap_or(i64::MAX);
    let is_full = most.is_some_and(|most| i64::try_from(most).is_ok_and(|most| count > most));
    if is_full { Err(Conflict::Full.into()) } else { Ok(()) }
}

/// Counts a new access link, in a transaction that locks nothing else. Others lock this counter only after that of
/// registrations, so no two wait for each other.
pub(super) async fn count_link(tx: &mut Tx) -> Result<()> {
    tx.one(COUNT, values![LINKS, Time::NEVER]).await?;
    Ok(())
}

/// Uncounts deleted registrations, under [`lock_registrations`].
pub(super) async fn uncount_registrations(tx: &mut Tx, gone: u64) -> Result<()> {
    uncount(tx, REGISTRATIONS, gone).await
}

/// Uncounts deleted rows of `counter`.
pub(super) async fn uncount(tx: &mut Tx, counter: &'static str, gone: u64) -> Result<()> {
    let gone = i64::try_from(gone).unwrap_or(i64::MAX);
    tx.run(LEAVE, values![counter, gone]).await?;
    Ok(())
}

impl Store {
    /// Takes one from each of `budgets`, or nothing if one is used up.
    pub(crate) async fn take(&self, budgets: Vec<Budget>, now: Time) -> Result<Within<()>> {
        if budgets.is_empty() {
            return Ok(Ok(()));
        }
        let (db, levels) = (Arc::clone(&self.db), Arc::clone(&self.levels));
        self.run(async move {
            Ok(match begin(&db, &levels, &budgets, now).await? {
                Ok(tx) => Ok(tx.commit().await?),
                Err(exhausted) => Err(exhausted),
            })
        })
        .await
    }

    /// Like `take`, but once for each `name`: repeated calls before `until` take nothing and succeed.
    pub(crate) async fn take_once(
        &self,
        name: &Digest,
        until: Time,
        budgets: Vec<Budget>,
        now: Time,
    ) -> Result<Within<()>> {
        let (db, levels, bucket) =
            (Arc::clone(&self.db), Arc::clone(&self.levels), format!("counted/{}", name.as_str()));
        self.run(async move {
            let mut tx = db.begin().await?;
            if tx.run(NOTE, values![bucket, until.plus(SPARE)]).await? == 0 {
                tx.roll_back().await?;
                return Ok(Ok(()));
            }
            let exhausted = take(&mut tx, &levels, &budgets, now).await?;
            match exhausted {
                None => tx.commit().await?,
                Some(_) => tx.roll_back().await?,
            }
            Ok(exhausted.map_or(Ok(()), Err))
        })
        .await
    }

    /// Counts another delivery of the e-mail `name` without an answer, and returns the count. It is kept until `until`.
    pub(crate) async fn count_unanswered(&self, name: &Digest, until: Time) -> Result<i64> {
        let row = self.one(COUNT, values![format!("unanswered/{}", name.as_str()), until.plus(SPARE)]).await?;
        Ok(row.map(|row| row.number(0)).transpose()?.unwrap_or(i64::MAX))
    }

    /// Whether `most` access links are stored. Concurrent callers may all get `false`.
    pub(crate) async fn is_full_of_links(&self, most: u64) -> Result<bool> {
        let row = self.one(READ, values![LINKS]).await?;
        let count = row.map(|row| row.number(0)).transpose()?.unwrap_or(0);
        Ok(u64::try_from(count).is_ok_and(|count| count >= most))
    }

    /// Corrects the count of access links: during an upgrade, sidecars of a version that does not count them make and
    /// delete them too.
    pub(super) async fn recount_links(&self) -> Result<()> {
        if self.one(MISCOUNTED, values![LINKS]).await?.is_none() {
            return Ok(());
        }
        let db = Arc::clone(&self.db);
        self.run(async move {
            let mut tx = db.begin().await?;
            lock_registrations(&mut tx).await?;
            // Lock in a statement of its own: PostgreSQL's count uses a snapshot from before the statement.
            uncount(&mut tx, LINKS, 0).await?;
            tx.run(RECOUNT, values![LINKS]).await?;
            Ok(tx.commit().await?)
        })
        .await
    }

    /// Checks that no budget is used up, without taking anything.
    pub(crate) async fn check_budgets(&self, budgets: Vec<Budget>, now: Time) -> Result<Within<()>> {
        let (db, levels) = (Arc::clone(&self.db), Arc::clone(&self.levels));
        self.run(async move {
            let _permit = db.acquire_read_permit().await?;
            Ok(find_exhausted(&db, &levels, &budgets, now).await?.map_or(Ok(()), Err))
        })
        .await
    }
}

#[cfg(test)]
mod tests {
    use clock::Clock;

    use super::*;
    use crate::store::{
        budget::BudgetScope,
        testing::{file, runtime},
    };

    #[test]
    fn exhausted_budget_with_the_longest_wait_is_returned() {
        let (hour, day) = (Duration::from_hours(1), Duration::from_hours(24));
        let used_up = |what, whose, window| Budget { what, whose, most: 0, window, network: None };
        let kept = file();
        let (all, part) =
            (used_up("all", BudgetScope::AllClients, hour), used_up("part", BudgetScope::One("one".to_owned()), day));
        for budgets in [vec![all.clone(), part.clone()], vec![part, all]] {
            let taken = runtime().block_on(kept.store.take(budgets, Clock::manual().now())).unwrap();
            assert_eq!(taken, Err(Exhausted { wait: day }));
        }
    }

    #[test]
    fn network_takes_at_most_a_fifth_and_the_last_fifth_is_for_newcomers() {
        let kept = file();
        let now = Clock::manual().now();
        let window = Duration::from_hours(1);
        let mut taken = std::collections::BTreeMap::new();
        let mut take = |network: u32| {
            let network = format!("n{network:02}");
            let budget =
                Budget { what: "k", whose: BudgetScope::AllClients, most: 100, window, network: Some(network.clone()) };
            let is_taken = runtime().block_on(kept.store.take(vec![budget], now)).unwrap().is_ok();
            *taken.entry(network).or_insert(0) += u32::from(is_taken);
            is_taken
        };
        // In any order, a network that has taken something gets nothing of the last fifth.
        for network in 0..30 {
            while take(network) {}
        }
        assert_eq!((20..30).filter(|network| taken[&format!("n{network:02}")] == 2).count(), 2);
        let all: Vec<u32> = taken.into_values().collect();
        // Two networks with a fifth each, twenty with a fiftieth each, eight newcomers with one each.
        assert_eq!(all, [&[20; 2][..], &[2; 20], &[1; 8]].concat());
        // Without a network there are no shares.
        let own = Budget { what: "k", whose: BudgetScope::AllClients, most: 100, window, network: None };
        let mut rest = 0;
        while runtime().block_on(kept.store.take(vec![own.clone()], now)).unwrap().is_ok() {
            rest += 1;
        }
        assert_eq!(rest, 12);
    }
}
