//! The mailboxes that have opted out of e-mails.

use std::sync::Arc;

use clock::Time;
use secrets::Digest;

use super::{
    Result, Store,
    sql::{Tx, values},
};
use crate::domain::Deed;

const READ: &str = "SELECT mailbox FROM silence WHERE mailbox = $1";
const STOP: &str = "INSERT INTO silence (mailbox, created_at) VALUES ($1, $2) ON CONFLICT DO NOTHING";
const RESUME: &str = "DELETE FROM silence WHERE mailbox = $1";

impl Store {
    pub async fn has_opted_out(&self, mailbox: &Digest) -> Result<bool> {
        Ok(self.one(READ, values![mailbox.as_str()]).await?.is_some())
    }

    /// Opts the mailbox out, or in again if `again`.
    pub async fn set_email_opt_out(&self, mailbox: &Digest, again: bool, now: Time) -> Result<()> {
        let (db, mailbox) = (Arc::clone(&self.db), mailbox.clone());
        self.run(async move {
            let mut tx = db.begin().await?;
            if again {
                resume(&mut tx, &mailbox).await?;
            } else {
                tx.run(STOP, values![mailbox.as_str(), now]).await?;
            }
            tx.audit_deed(if again { Deed::EmailsResumed } else { Deed::EmailsStopped });
            Ok(tx.commit().await?)
        })
        .await
    }

    /// Replaces the opt-outs by those of `other`.
    pub async fn copy_email_opt_outs(&self, other: &Self) -> Result<()> {
        const SOME: &str = "SELECT mailbox, created_at FROM silence WHERE mailbox > $1 ORDER BY mailbox LIMIT 500";
        let db = Arc::clone(&self.db);
        self.run(async move {
            let mut tx = db.begin().await?;
            tx.run("DELETE FROM silence", values![]).await?;
            Ok(tx.commit().await?)
        })
        .await?;
        let mut last = String::new();
        loop {
            let rows = other.all(SOME, values![last]).await?;
            let Some(row) = rows.last() else { return Ok(()) };
            last = row.text(0)?;
            let db = Arc::clone(&self.db);
            self.run(async move {
                let mut tx = db.begin().await?;
                for row in rows {
                    tx.run(STOP, values![row.text(0)?, row.number(1)?]).await?;
                }
                Ok(tx.commit().await?)
            })
            .await?;
        }
    }
}

/// Deletes the opt-out of the mailbox.
pub(super) async fn resume(tx: &mut Tx, mailbox: &Digest) -> Result<()> {
    tx.run(RESUME, values![mailbox.as_str()]).await?;
    Ok(())
}
