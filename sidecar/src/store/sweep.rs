//! Forgets what nobody needs any more, a little at a time.

use std::sync::Arc;

use super::{Result, Store, limits, sql::values};
use crate::Time;

/// Most rows of one table that one step forgets.
pub(crate) const BATCH: u64 = 500;

const REGISTRATIONS: &str =
    "DELETE FROM registration WHERE id IN (SELECT id FROM registration WHERE forget_at < $1 LIMIT 500)";

/// What is forgotten, and by which index it is found.
const STATEMENTS: [&str; 7] = [
    "DELETE FROM counter WHERE bucket IN (SELECT bucket FROM counter WHERE expires_at < $1 LIMIT 500)",
    "DELETE FROM jti WHERE (issuer, digest) IN (SELECT issuer, digest FROM jti WHERE expires_at < $1 LIMIT 500)",
    "DELETE FROM watermark WHERE (issuer, tenant, subject) IN
        (SELECT issuer, tenant, subject FROM watermark WHERE expires_at < $1 LIMIT 500)",
    "DELETE FROM access_link WHERE digest IN (SELECT digest FROM access_link WHERE expires_at < $1 LIMIT 500)",
    // Credentials and links go with their registration.
    REGISTRATIONS,
    "DELETE FROM delegation WHERE (issuer, tenant, subject) IN
        (SELECT issuer, tenant, subject FROM delegation WHERE created_at < $1 AND NOT EXISTS
            (SELECT id FROM registration WHERE registration.issuer = delegation.issuer
                AND registration.tenant = delegation.tenant AND registration.subject = delegation.subject)
         LIMIT 500)",
    "DELETE FROM principal WHERE email IN
        (SELECT email FROM principal WHERE created_at < $1
            AND NOT EXISTS (SELECT id FROM registration WHERE registration.email = principal.email)
            AND NOT EXISTS (SELECT issuer FROM delegation WHERE delegation.email = principal.email)
         LIMIT 500)",
];

/// What a step did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Swept {
    /// Rows that are gone.
    pub(crate) rows: u64,
    /// Whether there may be more.
    pub(crate) is_more: bool,
}

impl Store {
    /// Forgets up to a batch of each kind, each in a transaction of its own, so that nobody waits long.
    pub(crate) async fn sweep(&self, now: Time) -> Result<Swept> {
        let mut swept = Swept::default();
        for statement in STATEMENTS {
            let db = Arc::clone(&self.db);
            let gone = self
                .run(async move {
                    let mut tx = db.begin().await?;
                    let gone = tx.run(statement, values![now]).await?;
                    if statement == REGISTRATIONS && gone > 0 {
                        limits::leave(&mut tx, gone).await?;
                    }
                    tx.commit().await?;
                    Ok(gone)
                })
                .await?;
            swept.rows += gone;
            swept.is_more |= gone >= BATCH;
        }
        Ok(swept)
    }
}
