//! The outbox: e-mails that wait to be sent.

use std::{sync::Arc, time::Duration};

use clock::Time;
use contract::forms::MessageKind;
use forms::EmailDraft;
use secrets::{Digest, Seed};

use super::{Result, Store, limits, sql::values};

/// How long an e-mail is reserved for the worker that took it: the wait for a slot and a late answer of the mail server
/// included.
pub const LEASE: Duration = Duration::from_secs(90);

/// The fewest tries first: e-mails that the mail server keeps rejecting slowly do not delay others.
const TAKE: &str = "UPDATE outbox SET due_at = $2, tries = tries + 1
    WHERE id = (SELECT id FROM outbox WHERE pile = $3 AND due_at <= $1 ORDER BY pile, tries, due_at LIMIT 1)
    AND due_at <= $1
    RETURNING id, seed, letter, tries, expires_at";
const DELETE: &str = "DELETE FROM outbox WHERE id = $1 RETURNING id";
/// No row if the e-mail is gone; the mailbox is not NULL if it has opted out.
const WAITS: &str = "SELECT silence.mailbox FROM outbox LEFT JOIN silence ON silence.mailbox = $2 WHERE outbox.id = $1";
const UNSHOW: &str = "DELETE FROM access_link WHERE digest = $1";
const DEFER: &str = "UPDATE outbox SET due_at = $2 WHERE id = $1 RETURNING id";
const WAITING: &str = "SELECT COUNT(*), MIN(created_at) FROM outbox WHERE created_at > 0";
const NEXT: &str = "SELECT due_at FROM outbox WHERE pile = $1 ORDER BY pile, due_at LIMIT 1";

/// A queue of e-mails. The queues do not delay each other.
///
/// Security: an access link is sent only to a known person. A client that requests one for another mailbox, and then an
/// e-mail for its own, must not learn from the delay whether the first was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EmailQueue {
    /// Access links.
    Links,
    Others,
}

impl EmailQueue {
    pub(super) const fn of(kind: MessageKind) -> Self {
        match kind {
            MessageKind::Access => Self::Links,
            MessageKind::Claim | MessageKind::Superseded | MessageKind::Revoked => Self::Others,
        }
    }

    pub(super) const fn number(self) -> i64 {
        match self {
            Self::Others => 0,
            Self::Links => 1,
        }
    }
}

#[derive(Debug)]
pub struct Due {
    pub id: String,
    pub seed: Seed,
    /// `None` if the stored text cannot be parsed.
    pub email: Option<EmailDraft>,
    /// Tries, including this one.
    pub(crate) tries: u32,
    pub(crate) expires: Time,
}

impl Store {
    /// Takes a due e-mail and reserves it for [`LEASE`].
    pub(crate) async fn take_email_of(&self, queue: EmailQueue, now: Time) -> Result<Option<Due>> {
        let values = values![now, now.plus(LEASE), queue.number()];
        let Some(row) = self.one(TAKE, values).await? else { return Ok(None) };
        Ok(Some(Due {
            id: row.text(0)?,
            seed: Seed::new(row.text(1)?),
            email: serde_json::from_str(&row.text(2)?).ok(),
            tries: u32::try_from(row.number(3)?).unwrap_or(u32::MAX),
            expires: Time::from_millis(row.number(4)?),
        }))
    }

    /// Whether `mailbox` has opted out; `None` if the e-mail `id` is gone.
    pub(crate) async fn is_unwanted(&self, id: &str, mailbox: &Digest) -> Result<Option<bool>> {
        let row = self.one(WAITS, values![id, mailbox.as_str()]).await?;
        Ok(row.map(|row| row.maybe_text(0)).transpose()?.map(|silent| silent.is_some()))
    }

    /// Deletes an e-mail that was sent or given up.
    pub async fn drop_email(&self, id: &str) -> Result<()> {
        self.one(DELETE, values![id]).await.map(drop)
    }

    /// Deletes an e-mail that is not sent, and the access `link` that it carried.
    pub(crate) async fn drop_email_and_link(&self, id: &str, link: &Digest) -> Result<()> {
        let (db, id, link) = (Arc::clone(&self.db), id.to_owned(), link.clone());
        self.run(async move {
            let mut tx = db.begin().await?;
            // Lock order: links before the outbox, as where links are made and erased.
            let gone = tx.run(UNSHOW, values![link.as_str()]).await?;
            limits::uncount(&mut tx, limits::LINKS, gone).await?;
            tx.run(DELETE, values![id]).await?;
            Ok(tx.commit().await?)
        })
        .await
    }

    /// Puts an e-mail back until `due`.
    pub(crate) async fn defer_email(&self, id: &str, due: Time) -> Result<()> {
        self.one(DEFER, values![id, due]).await.map(drop)
    }

    /// Returns how many e-mails wait, and for how long the oldest has waited.
    pub(crate) async fn waiting_emails(&self, now: Time) -> Result<(i64, Duration)> {
        let Some(row) = self.one(WAITING, values![]).await? else { return Ok((0, Duration::ZERO)) };
        let oldest = row.maybe_number(1)?.map(|since| now.since(Time::from_millis(since)));
        Ok((row.number(0)?, oldest.unwrap_or_default()))
    }

    /// Returns when the next e-mail of `queue` is due.
    pub(crate) async fn next_email(&self, queue: EmailQueue) -> Result<Option<Time>> {
        let row = self.one(NEXT, values![queue.number()]).await?;
        Ok(row.map(|row| row.number(0)).transpose()?.map(Time::from_millis))
    }
}
