//! Who wants no more messages.

use std::sync::Arc;

use super::{Result, Store, sql::values};
use crate::{Time, registration::Digest};

const READ: &str = "SELECT mailbox FROM silence WHERE mailbox = $1";
const STOP: &str = "INSERT INTO silence (mailbox, created_at) VALUES ($1, $2) ON CONFLICT DO NOTHING";
const RESUME: &str = "DELETE FROM silence WHERE mailbox = $1";

impl Store {
    /// Whether whoever reads the mailbox of this digest wants no more messages.
    pub(crate) async fn is_silent(&self, mailbox: &Digest) -> Result<bool> {
        let (db, mailbox) = (Arc::clone(&self.db), mailbox.clone());
        self.run(async move { Ok(db.one(READ, values![mailbox.as_str()]).await?.is_some()) }).await
    }

    /// Lets the mailbox of this digest get no more messages, or get them `again`.
    pub(crate) async fn silence(&self, mailbox: &Digest, again: bool, now: Time) -> Result<()> {
        let (db, mailbox) = (Arc::clone(&self.db), mailbox.clone());
        self.run(async move {
            let mut tx = db.begin().await?;
            if again {
                tx.run(RESUME, values![mailbox.as_str()]).await?;
            } else {
                tx.run(STOP, values![mailbox.as_str(), now]).await?;
            }
            Ok(tx.commit().await?)
        })
        .await
    }
}
