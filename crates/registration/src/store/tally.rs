//! Counts of requests by month, for the operator's report. Any number of sidecars add to the same rows.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use clock::Time;

use super::{
    Result, Store, limits,
    sql::{Tx, values},
};

/// Rows of one transaction, which other writers wait for.
const ROWS_AT_ONCE: usize = 50;
/// The name of the row for everything beyond a limit.
const OTHER: &str = "other";
/// How long counts are kept: a year can be compared with the one before. Documented in `docs/operators.md`.
pub const KEPT: Duration = Duration::from_hours(24 * 430);
/// How long words and paths are kept, as a digest, that were not used on enough days. Then their count is added to the
/// others'.
pub const KEPT_SECRET: Duration = Duration::from_hours(24 * 31);
/// What the names of rows begin with that are digests.
const DIGEST: char = '#';

const ADD: &str = "UPDATE tally SET count = count + $4,
    days = days + CASE WHEN last_day < $5 THEN 1 ELSE 0 END,
    last_day = CASE WHEN last_day < $5 THEN $5 ELSE last_day END
    WHERE month = $1 AND kind = $2 AND name = $3";
const INSERT: &str = "INSERT INTO tally (month, kind, name, count, days, last_day, expires_at)
    VALUES ($1, $2, $3, $4, 1, $5, $6)
    ON CONFLICT (month, kind, name) DO UPDATE SET count = tally.count + excluded.count,
    days = tally.days + CASE WHEN tally.last_day < excluded.last_day THEN 1 ELSE 0 END,
    last_day = CASE WHEN tally.last_day < excluded.last_day THEN excluded.last_day ELSE tally.last_day END";
/// Security: the words leave the process only after their days were read, because a server may log parameters.
const USED_DAYS: &str = "SELECT days FROM tally WHERE month = $1 AND kind = $2 AND name = $3 AND words IS NULL";
const REVEAL: &str = "UPDATE tally SET words = $4, expires_at = $5
    WHERE month = $1 AND kind = $2 AND name = $3 AND words IS NULL";
const ROWS: &str = "SELECT COUNT(*) FROM tally WHERE month = $1 AND kind = $2";
const NEW_ROWS: &str = "SELECT COUNT(*) FROM tally WHERE month = $1 AND kind = $2 AND days < 2";
/// The row that recurs least, of those used on more than `$3` days.
const LEAST: &str = "SELECT name, count FROM tally
    WHERE month = $1 AND kind = $2 AND days > $3 AND name NOT IN ('other', 'elsewhere')
    ORDER BY days, count, last_day LIMIT 1";
const REMOVE: &str = "DELETE FROM tally WHERE month = $1 AND kind = $2 AND name = $3";
pub(super) const EXPIRE: &str = "DELETE FROM tally WHERE (month, kind, name) IN
    (SELECT month, kind, name FROM tally WHERE expires_at < $1 LIMIT 250)
    RETURNING month, kind, name, words, count, expires_at";
const READ: &str = "SELECT kind, name, words, count FROM tally WHERE month = $1 AND (kind, name) > ($2, $3)
    ORDER BY kind, name LIMIT 2000";

/// A count to add.
#[derive(Clone, Debug)]
pub struct TallyRow {
    /// The day, such as `2026-11-30`; its month is the row's.
    pub day: String,
    pub kind: &'static str,
    pub name: String,
    pub count: u64,
    /// When the count expires.
    pub expires: Time,
    /// Words that are stored in clear once they were used on enough days.
    pub secret_words: Option<SecretWords>,
    /// The most rows of this kind in a month. A further name takes the place of the one that recurs least, whose count is
    /// added to `other`.
    pub max_rows: u64,
}

/// Words that few may have used.
#[derive(Clone, Debug)]
pub struct SecretWords {
    pub words: String,
    pub min_days: u64,
    /// When the digest expires.
    pub expires: Time,
}

/// A stored count.
#[derive(Clone, Debug)]
pub struct StoredTally {
    pub kind: String,
    pub name: String,
    pub words: Option<String>,
    pub count: u64,
}

impl Store {
    /// Adds `rows`, and removes those that were added, so that a caller can try the rest again.
    pub async fn add_tallies(&self, rows: &mut Vec<TallyRow>) -> Result<()> {
        // Months and kinds together, because their rows are counted once a transaction.
        rows.sort_by(|one, other| {
            let key = |row: &TallyRow| (row.day.clone(), row.kind, row.name.clone());
            key(other).cmp(&key(one))
        });
        while !rows.is_empty() {
            let batch = rows[rows.len().saturating_sub(ROWS_AT_ONCE)..].to_vec();
            let (db, length) = (Arc::clone(&self.db), batch.len());
            self.run(async move {
                let mut tx = db.begin().await?;
                // Rows that make room are locked in no order.
                limits::lock_registrations(&mut tx).await?;
                let mut known = KnownRows::default();
                for row in batch.into_iter().rev() {
                    add(&mut tx, row, &mut known).await?;
                }
                Ok(tx.commit().await?)
            })
            .await?;
            rows.truncate(rows.len() - length);
            tokio::task::yield_now().await;
        }
        Ok(())
    }

    /// Calls `each` for every count of `month`, such as `2026-11`.
    pub async fn each_tally(&self, month: &str, mut each: impl FnMut(StoredTally)) -> Result<()> {
        let (mut kind, mut name) = (String::new(), String::new());
        loop {
            let rows = self.all(READ, values![month, kind.as_str(), name.as_str()]).await?;
            let Some(last) = rows.last() else { return Ok(()) };
            (kind, name) = (last.text(0)?, last.text(1)?);
            for row in &rows {
                each(StoredTally {
                    kind: row.text(0)?,
                    name: row.text(1)?,
                    words: row.maybe_text(2)?,
                    count: u64::try_from(row.number(3)?).unwrap_or(0),
                });
            }
        }
    }
}

/// The number of rows of the month and kind that the transaction adds to; rows come in this order.
#[derive(Default)]
struct KnownRows {
    month: String,
    kind: &'static str,
    rows: u64,
    /// Those used on one day.
    new_rows: u64,
}

impl KnownRows {
    async fn count(&mut self, tx: &mut Tx, month: &str, kind: &'static str) -> Result<()> {
        if (self.month.as_str(), self.kind) != (month, kind) {
            let (rows, new_rows) = (count(tx, ROWS, month, kind).await?, count(tx, NEW_ROWS, month, kind).await?);
            *self = Self { month: month.to_owned(), kind, rows, new_rows };
        }
        Ok(())
    }

    /// Makes room for one more row of at most `max`: the row with the fewest days, then the smallest count, is added to
    /// `other`. Rows of one day keep half of the places, so that what began to recur does not lock out new names. Returns
    /// whether there is room.
    async fn make_room(&mut self, tx: &mut Tx, max: u64, expires: Time) -> Result<bool> {
        let (month, kind) = (self.month.as_str(), self.kind);
        if self.rows >= max {
            let is_crowded = self.new_rows < max / 2;
            let Some(row) = tx.one(LEAST, values![month, kind, i64::from(is_crowded)]).await? else { return Ok(false) };
            let (name, count) = (row.text(0)?, row.number(1)?);
            tx.run(REMOVE, values![month, kind, name]).await?;
            tx.run(INSERT, values![month, kind, OTHER, count, format!("{month}-01"), expires]).await?;
            self.rows -= 1;
            self.new_rows = self.new_rows.saturating_sub(u64::from(!is_crowded));
        }
        self.rows += 1;
        self.new_rows += 1;
        Ok(true)
    }
}

async fn count(tx: &mut Tx, sql: &'static str, month: &str, kind: &str) -> Result<u64> {
    let rows = tx.one(sql, values![month, kind]).await?.map(|row| row.number(0)).transpose()?.unwrap_or(0);
    Ok(u64::try_from(rows).unwrap_or(0))
}

async fn add(tx: &mut Tx, row: TallyRow, known: &mut KnownRows) -> Result<()> {
    let TallyRow { day, kind, mut name, count, expires, secret_words, max_rows } = row;
    let month = day.get(..7).unwrap_or_default();
    let count = i64::try_from(count).unwrap_or(i64::MAX);
    if secret_words.is_some() {
        name.insert(0, DIGEST);
    }
    if tx.run(ADD, values![month, kind, name.as_str(), count, day.as_str()]).await? == 0 {
        known.count(tx, month, kind).await?;
        if name != OTHER && !known.make_room(tx, max_rows, expires).await? {
            OTHER.clone_into(&mut name);
        }
        let of_digest = secret_words.as_ref().filter(|_| name != OTHER).map(|words| words.expires);
        let inserted = values![month, kind, name.as_str(), count, day.as_str(), of_digest.unwrap_or(expires)];
        tx.run(INSERT, inserted).await?;
    }
    if let Some(SecretWords { words, min_days, .. }) = secret_words.filter(|_| name != OTHER) {
        let days = tx.one(USED_DAYS, values![month, kind, name.as_str()]).await?;
        let days = days.map(|row| row.number(0)).transpose()?.unwrap_or(0);
        if u64::try_from(days).is_ok_and(|days| days >= min_days) {
            tx.run(REVEAL, values![month, kind, name, words, expires]).await?;
        }
    }
    Ok(())
}

/// Deletes a batch of expired counts. Those of digests are added to the others of their month, so that the sum of a month
/// stays what it was. Returns the number of rows.
pub(super) async fn expire_counts(tx: &mut Tx, now: Time) -> Result<u64> {
    let rows = tx.all(EXPIRE, values![now]).await?;
    let mut others: BTreeMap<(String, String), (i64, i64)> = BTreeMap::new();
    for row in &rows {
        if row.text(2)?.starts_with(DIGEST) && row.maybe_text(3)?.is_none() {
            let (sum, expires) = others.entry((row.text(0)?, row.text(1)?)).or_default();
            *sum = sum.saturating_add(row.number(4)?);
            *expires = row.number(5)?.max(*expires);
        }
    }
    for ((month, kind), (sum, expires)) in others {
        let (day, expires) = (format!("{month}-01"), Time::from_millis(expires).plus(KEPT.saturating_sub(KEPT_SECRET)));
        tx.run(INSERT, values![month, kind, OTHER, sum, day, expires]).await?;
    }
    Ok(rows.len() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::testing::{postgres_with_relay, runtime, stores};

    const EXPIRES: Time = Time::from_millis(1_800_000_000_000);

    fn row(day: &str, kind: &'static str, name: &str, count: u64) -> TallyRow {
        let secret_words = (kind == "unfound").then(|| SecretWords {
            words: format!("words of {name}"),
            min_days: 3,
            expires: EXPIRES,
        });
        let expires = if kind == "unfound" { EXPIRES.plus(KEPT.saturating_sub(KEPT_SECRET)) } else { EXPIRES };
        TallyRow { day: day.to_owned(), kind, name: name.to_owned(), count, expires, secret_words, max_rows: 3 }
    }

    async fn read(store: &Store, month: &str) -> Vec<(String, String, Option<String>, u64)> {
        let mut read = Vec::new();
        store.each_tally(month, |row| read.push((row.kind, row.name, row.words, row.count))).await.unwrap();
        read
    }

    #[test]
    fn sidecars_add_to_the_same_rows_and_further_names_are_counted_together() {
        for kept in stores() {
            let store = &kept.store;
            runtime().block_on(async {
                let mut rows: Vec<_> =
                    (0..250).map(|number| row("2026-11-30", "page", &format!("p{number:03}"), 2)).collect();
                store.add_tallies(&mut rows).await.unwrap();
                assert!(rows.is_empty());
                let two = || vec![row("2026-11-30", "page", "p001", 5), row("2026-12-01", "page", "p001", 1)];
                let (mut one, mut other) = (two(), two());
                let (first, second) = tokio::join!(store.add_tallies(&mut one), store.add_tallies(&mut other));
                first.and(second).unwrap();
                let rows = read(store, "2026-11").await;
                let count = |name: &str| rows.iter().find(|row| row.1 == name).map_or(0, |row| row.3);
                assert_eq!((rows.len(), count("p001"), count("other")), (4, 10, 496), "{} {rows:?}", kept.name);
                assert_eq!(read(store, "2026-12").await.len(), 1);
                assert_eq!(read(store, "2026-10").await, []);
            });
        }
    }

    #[test]
    fn flood_of_names_hides_none_that_recurs_and_none_that_comes_after_it() {
        const INVENTED: u64 = 1_000;
        for kept in stores() {
            let store = &kept.store;
            runtime().block_on(async {
                let row = |day: u64, name: &str| TallyRow {
                    max_rows: 40,
                    ..row(&format!("2026-11-{day:02}"), "unfound", name, 1)
                };
                for day in 1..=6 {
                    // One comes on two days before and one after the flood, and one, used twice a day, begins in it.
                    let names = [(1..=6, "before", 1), (3..=5, "within", 2), (4..=6, "after", 1)];
                    let mut rows: Vec<_> = Vec::new();
                    if day == 3 {
                        rows = (0..INVENTED).map(|number| row(day, &format!("i{number}"))).collect();
                        store.add_tallies(&mut rows).await.unwrap();
                    }
                    let known =
                        names.iter().filter(|(days, name, _)| days.contains(&day) && (day != 3 || *name == "within"));
                    rows.extend(known.map(|(_, name, count)| TallyRow { count: *count, ..row(day, name) }));
                    store.add_tallies(&mut rows).await.unwrap();
                }
                let rows = read(store, "2026-11").await;
                let mut words: Vec<_> = rows.iter().filter_map(|row| Some((row.2.as_deref()?, row.3))).collect();
                words.sort_unstable();
                let expected = [("words of after", 3), ("words of before", 5), ("words of within", 6)];
                assert_eq!(words, expected, "{}", kept.name);
                assert_eq!(rows.iter().map(|row| row.3).sum::<u64>(), INVENTED + 14, "{}", kept.name);
                assert!(rows.len() <= 41, "{} rows", rows.len());
            });
        }
    }

    #[test]
    fn names_that_recur_leave_half_of_the_rows_to_new_ones() {
        for kept in stores() {
            let store = &kept.store;
            runtime().block_on(async {
                let row = |day: u64, name: String| TallyRow {
                    max_rows: 40,
                    ..row(&format!("2026-11-{day:02}"), "missing", &name, 1)
                };
                for day in [1, 2] {
                    store
                        .add_tallies(&mut (0..40).map(|number| row(day, format!("r{number}"))).collect())
                        .await
                        .unwrap();
                }
                store.add_tallies(&mut (0..20).map(|number| row(3, format!("new {number}"))).collect()).await.unwrap();
                let rows = read(store, "2026-11").await;
                let count = |start: &str| rows.iter().filter(|row| row.1.starts_with(start)).count();
                assert_eq!((count("r"), count("new")), (20, 20), "{} {rows:?}", kept.name);
            });
        }
    }

    #[test]
    fn words_are_stored_only_after_enough_days_and_a_day_counts_once() {
        for kept in stores() {
            let store = &kept.store;
            runtime().block_on(async {
                for (day, is_stored) in
                    [("01", false), ("01", false), ("02", false), ("02", false), ("01", false), ("03", true)]
                {
                    // Two sidecars.
                    for _ in 0..2 {
                        let mut rows = vec![row(&format!("2026-11-{day}"), "unfound", "d1", 50)];
                        store.add_tallies(&mut rows).await.unwrap();
                    }
                    let read = read(store, "2026-11").await;
                    assert_eq!(read[0].2.is_some(), is_stored, "{} {day}", kept.name);
                }
                assert_eq!(read(store, "2026-11").await[0].2.as_deref(), Some("words of d1"));
            });
        }
    }

    #[test]
    fn words_are_not_sent_to_the_server_before_enough_days() {
        let Some((kept, relay)) = postgres_with_relay() else { return println!("no PostgreSQL") };
        runtime().block_on(async {
            relay.delay_answer("words of d1", Duration::ZERO);
            for day in ["01", "01", "02"] {
                let mut rows = vec![row(&format!("2026-11-{day}"), "unfound", "d1", 50)];
                kept.store.add_tallies(&mut rows).await.unwrap();
                assert!(relay.awaits_word(), "{day}");
            }
            kept.store.add_tallies(&mut vec![row("2026-11-03", "unfound", "d1", 50)]).await.unwrap();
            assert!(!relay.awaits_word(), "the relay sees the words that are sent");
        });
    }

    #[test]
    fn counts_are_deleted_when_they_expire() {
        for kept in stores() {
            let store = &kept.store;
            runtime().block_on(async {
                store.add_tallies(&mut vec![row("2026-11-01", "page", "p", 1)]).await.unwrap();
                store.sweep(EXPIRES).await.unwrap();
                assert_eq!(read(store, "2026-11").await.len(), 1);
                store.sweep(EXPIRES.plus(Duration::from_millis(1))).await.unwrap();
                assert_eq!(read(store, "2026-11").await, [], "{}", kept.name);
            });
        }
    }

    #[test]
    fn counts_of_expired_digests_are_added_to_the_others_of_their_month() {
        for kept in stores() {
            let store = &kept.store;
            let sum = async || {
                let rows = read(store, "2026-11").await;
                (rows.len(), rows.iter().map(|(.., count)| count).sum::<u64>())
            };
            runtime().block_on(async {
                // Of five names three have a row, and one of these is stored legibly.
                for (day, names) in [("01", 0..1), ("02", 0..1), ("03", 0..5)] {
                    let names = names.map(|name| row(&format!("2026-11-{day}"), "unfound", &format!("d{name}"), 10));
                    store.add_tallies(&mut names.collect()).await.unwrap();
                }
                assert_eq!(sum().await, (4, 70), "{}", kept.name);
                store.sweep(EXPIRES.plus(Duration::from_millis(1))).await.unwrap();
                let expected = [("#d0", Some("words of d0"), 30), ("other", None, 40)];
                let expected = expected.map(|(name, words, count)| {
                    ("unfound".to_owned(), name.to_owned(), words.map(str::to_owned), count)
                });
                assert_eq!(read(store, "2026-11").await, expected, "{}", kept.name);
                let end = EXPIRES.plus(KEPT.saturating_sub(KEPT_SECRET));
                store.sweep(end).await.unwrap();
                assert_eq!(sum().await, (2, 70), "the overflow does not expire with the digests");
                store.sweep(end.plus(Duration::from_millis(1))).await.unwrap();
                assert_eq!(sum().await, (0, 0), "{}", kept.name);
            });
        }
    }

    #[test]
    fn others_exist_after_the_last_digest_even_if_nothing_exceeded_a_limit() {
        for kept in stores() {
            runtime().block_on(async {
                kept.store.add_tallies(&mut vec![row("2026-11-30", "unfound", "d1", 7)]).await.unwrap();
                kept.store.sweep(EXPIRES.plus(Duration::from_millis(1))).await.unwrap();
                let expected = ("unfound".to_owned(), "other".to_owned(), None, 7);
                assert_eq!(read(&kept.store, "2026-11").await, [expected], "{}", kept.name);
            });
        }
    }
}
