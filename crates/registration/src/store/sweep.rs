//! Deletes what is no longer needed, in small batches.

use std::sync::Arc;

use clock::Time;
use secrets::RegistrationId;

use super::{
    Result, Store, limits,
    sql::{Tx, values},
    tally,
};
use crate::domain::RegistrationChange;

/// Maximum rows of one table deleted in one step, for which writers wait. Among a million registrations, a deletion
/// touches many index pages: 500 rows took 53 ms on SQLite, too long for a writer; 250 take half of that.
const FORGOTTEN_AT_ONCE: u64 = 250;

/// Tables swept by themselves: a query whether there are rows, because only the deletion blocks writers, and the
/// deletion. Of these, access links are counted.
const ALONE: [[&str; 2]; 5] = [
    [
        "SELECT expires_at FROM counter WHERE expires_at < $1 ORDER BY expires_at LIMIT 1",
        "DELETE FROM counter WHERE bucket IN (SELECT bucket FROM counter WHERE expires_at < $1 LIMIT 250)",
    ],
    [
        "SELECT expires_at FROM jti WHERE expires_at < $1 ORDER BY expires_at LIMIT 1",
        "DELETE FROM jti WHERE (issuer, digest) IN (SELECT issuer, digest FROM jti WHERE expires_at < $1 LIMIT 250)",
    ],
    [
        "SELECT expires_at FROM watermark WHERE expires_at < $1 ORDER BY expires_at LIMIT 1",
        "DELETE FROM watermark WHERE (issuer, tenant, subject) IN
            (SELECT issuer, tenant, subject FROM watermark WHERE expires_at < $1 LIMIT 250)",
    ],
    ["SELECT expires_at FROM tally WHERE expires_at < $1 ORDER BY expires_at LIMIT 1", tally::EXPIRE],
    ["SELECT expires_at FROM access_link WHERE expires_at < $1 ORDER BY expires_at LIMIT 1", UNSHOW],
];
const UNSHOW: &str =
    "DELETE FROM access_link WHERE digest IN (SELECT digest FROM access_link WHERE expires_at < $1 LIMIT 250)";

const CUT: &str = "SELECT forget_at, id FROM registration WHERE forget_at < $1
    ORDER BY forget_at, id LIMIT 1 OFFSET 249";
/// Whether there is a registration to delete; read without a write permit.
const FIRST: &str = "SELECT forget_at FROM registration WHERE forget_at < $1 ORDER BY forget_at LIMIT 1";
/// Rows deleted with the batch of registrations up to (`forget_at`, `id`) = (`$1`, `$2`), in this order: people without
/// other rows, links of subjects, registrations. The first two are found through the batch, whose size is limited, so
/// that no planner prefers to scan their tables. A person is found through a registration, or through the link of its
/// subject, which is deleted too. Credentials and claim links are deleted with their registration.
const BATCHED: [&str; 3] = [
    "DELETE FROM principal WHERE email IN
        (SELECT email FROM (SELECT email FROM registration
            WHERE (forget_at, id) <= ($1, $2) ORDER BY forget_at, id LIMIT 250) AS batch WHERE email IS NOT NULL
        UNION SELECT own.email FROM (SELECT issuer, tenant, subject FROM registration
            WHERE (forget_at, id) <= ($1, $2) ORDER BY forget_at, id LIMIT 250) AS batch
            JOIN delegation AS own ON own.issuer = batch.issuer AND own.tenant = batch.tenant
                AND own.subject = batch.subject
            WHERE own.email IS NOT NULL)
        AND NOT EXISTS
            (SELECT id FROM registration WHERE (forget_at, id) > ($1, $2) AND registration.email = principal.email)
        AND NOT EXISTS (SELECT own.issuer FROM delegation AS own WHERE own.email = principal.email AND
            (EXISTS (SELECT id FROM registration WHERE (forget_at, id) > ($1, $2) AND registration.issuer = own.issuer
                AND registration.tenant = own.tenant AND registration.subject = own.subject)
            OR NOT EXISTS (SELECT id FROM registration WHERE registration.issuer = own.issuer
                AND registration.tenant = own.tenant AND registration.subject = own.subject)))",
    "DELETE FROM delegation WHERE (issuer, tenant, subject) IN
        (SELECT issuer, tenant, subject FROM (SELECT issuer, tenant, subject FROM registration
            WHERE (forget_at, id) <= ($1, $2) ORDER BY forget_at, id LIMIT 250) AS batch WHERE issuer IS NOT NULL)
        AND NOT EXISTS (SELECT id FROM registration WHERE (forget_at, id) > ($1, $2)
            AND registration.issuer = delegation.issuer AND registration.tenant = delegation.tenant
            AND registration.subject = delegation.subject)",
    "DELETE FROM registration WHERE id IN
        (SELECT id FROM registration WHERE (forget_at, id) <= ($1, $2) ORDER BY forget_at, id LIMIT 250)",
];

/// The result of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Swept {
    /// Deleted rows.
    pub(crate) rows: u64,
    pub(crate) is_more: bool,
}

/// Whether a registration has expired; read without a write permit.
const LAPSED: &str = "SELECT expires_at FROM registration WHERE expires_at <= $1 ORDER BY expires_at LIMIT 1";
/// Only one process reports an expiry: a second one finds `expires_at` changed.
const EXPIRE: &str = "UPDATE registration SET expires_at = $2
    WHERE id IN (SELECT id FROM registration WHERE expires_at <= $1 LIMIT 250) AND expires_at <= $1 RETURNING id";

impl Store {
    /// Marks up to a batch of unclaimed registrations as expired and returns them, each once.
    pub(crate) async fn expire_batch(&self, now: Time) -> Result<Vec<RegistrationId>> {
        if self.one(LAPSED, values![now]).await?.is_none() {
            return Ok(Vec::new());
        }
        let db = Arc::clone(&self.db);
        self.run(async move {
            let mut tx = db.begin().await?;
            // Lock order: whatever locks many rows takes this lock first.
            limits::lock_registrations(&mut tx).await?;
            let rows = tx.all(EXPIRE, values![now, Time::NEVER]).await?;
            let expired = rows.iter().map(|row| Ok(RegistrationId::new(row.text(0)?))).collect::<Result<Vec<_>>>()?;
            for id in &expired {
                tx.audit_change(id.clone(), RegistrationChange::Expired);
            }
            tx.commit().await?;
            Ok(expired)
        })
        .await
    }

    /// Deletes up to a batch of each kind, each in its own transaction, so that other writers do not wait long.
    pub(crate) async fn sweep(&self, now: Time) -> Result<Swept> {
        let mut swept = Swept::default();
        for [question, deletion] in ALONE {
            if self.one(question, values![now]).await?.is_none() {
                continue;
            }
            let db = Arc::clone(&self.db);
            let step = self.run(async move {
                let mut tx = db.begin().await?;
                limits::lock_registrations(&mut tx).await?;
                let gone = match deletion {
                    tally::EXPIRE => tally::expire_counts(&mut tx, now).await?,
                    deletion => tx.run(deletion, values![now]).await?,
                };
                if deletion == UNSHOW {
                    limits::uncount(&mut tx, limits::LINKS, gone).await?;
                }
                tx.commit().await?;
                Ok(gone)
            });
            swept.add(step.await?);
        }
        if self.one(FIRST, values![now]).await?.is_none() {
            self.recount_links().await?;
            return Ok(swept);
        }
        let db = Arc::clone(&self.db);
        let step = self.run(async move {
            let mut tx = db.begin().await?;
            let gone = forget(&mut tx, now).await?;
            tx.commit().await?;
            Ok(gone)
        });
        swept.add(step.await?);
        Ok(swept)
    }
}

impl Swept {
    fn add(&mut self, gone: u64) {
        self.rows += gone;
        self.is_more |= gone >= FORGOTTEN_AT_ONCE;
    }
}

/// Deletes a batch of registrations and the rows that go with them. Returns the number of rows.
async fn forget(tx: &mut Tx, now: Time) -> Result<u64> {
    // Lock: a new registration could be linked to a person who is being deleted.
    limits::lock_registrations(tx).await?;
    let (moment, id) = match tx.one(CUT, values![now]).await? {
        Some(row) => (row.number(0)?, row.text(1)?),
        // Less than a batch is left. No ID is empty.
        None => (now.millis(), String::new()),
    };
    let mut gone = [0; BATCHED.len()];
    for (gone, statement) in gone.iter_mut().zip(BATCHED) {
        *gone = tx.run(statement, values![moment, id.clone()]).await?;
    }
    let [.., registrations] = gone;
    if registrations > 0 {
        limits::uncount_registrations(tx, registrations).await?;
    }
    Ok(gone.into_iter().sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_statement_has_the_same_limit() {
        let deletions = ALONE.map(|[_, deletion]| deletion);
        let limit = format!("LIMIT {FORGOTTEN_AT_ONCE})");
        for text in deletions.iter().chain(&BATCHED).chain([&EXPIRE]) {
            assert!(text.contains(&limit) && text.matches("LIMIT").count() == text.matches(&limit).count(), "{text}");
        }
        assert!(CUT.ends_with(&format!("OFFSET {}", FORGOTTEN_AT_ONCE - 1)));
    }
}
