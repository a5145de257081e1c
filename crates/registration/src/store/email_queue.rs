//! Emails that are waiting to be sent.

use std::{sync::Arc, time::Duration};

use clock::Time;
use contract::forms::MessageKind;
use forms::Email;

use super::{Result, Store, limits, sql::values};
use crate::domain::{Digest, Seed};

/// How long an email that is being sent is reserved for its sender: it waits for its turn, and the answer may be late.
pub const LEASE: Duration = Duration::from_secs(90);

/// Emails tried least often come first, so that emails that the mail server takes long to refuse, again and again, do
/// not hold up those of others.
const TAKE: &str = "UPDATE outbox SET due_at = $2, tries = tries + 1
    WHERE id = (SELECT id FROM outbox WHERE pile = $3 AND due_at <= $1 ORDER BY pile, tries, due_at LIMIT 1)
    AND due_at <= $1
    RETURNING id, seed, letter, tries, expires_at";
const DELETE: &str = "DELETE FROM outbox WHERE id = $1 RETURNING id";
/// One row for as long as the email waits; in it the mailbox, if its reader wants no messages.
const WAITS: &str = "SELECT silence.mailbox FROM outbox LEFT JOIN silence ON silence.mailbox = $2 WHERE outbox.id = $1";
const UNSHOW: &str = "DELETE FROM access_link WHERE digest = $1";
const DEFER: &str = "UPDATE outbox SET due_at = $2 WHERE id = $1 RETURNING id";
/// How many wait, and since when the oldest does.
const WAITING: &str = "SELECT COUNT(*), MIN(created_at) FROM outbox WHERE created_at > 0";
const NEXT: &str = "SELECT due_at FROM outbox WHERE pile = $1 ORDER BY pile, due_at LIMIT 1";

/// The queue in which an email waits. Emails of one queue do not wait for those of the other.
///
/// Security: a link to what agents hold is sent only if the person is known. A client that asks for one in another
/// person's name, and then for an email of their own, must not be able to see that theirs had to wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EmailQueue {
    /// Links to what agents hold.
    Links,
    /// Everything else.
    Others,
}

impl EmailQueue {
    /// Returns where emails of this kind wait.
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

/// An email that is due.
#[derive(Debug)]
pub struct Due {
    /// Its name.
    pub id: String,
    /// What its secrets are derived from.
    pub seed: Seed,
    /// `None` if it cannot be read.
    pub email: Option<Email>,
    /// How often it was tried, this time included.
    pub(crate) tries: u32,
    /// When it becomes pointless.
    pub(crate) expires: Time,
}

impl Store {
    /// Takes a due email of `queue`, so that no other worker sends it for a minute and a half.
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

    /// Whether the reader of `mailbox` wants no messages; `None` if the email `id`, which is for them, is gone.
    pub(crate) async fn is_unwanted(&self, id: &str, mailbox: &Digest) -> Result<Option<bool>> {
        let row = self.one(WAITS, values![id, mailbox.as_str()]).await?;
        Ok(row.map(|row| row.maybe_text(0)).transpose()?.map(|silent| silent.is_some()))
    }

    /// Forgets an email that was sent, or never will be.
    pub async fn drop_email(&self, id: &str) -> Result<()> {
        self.one(DELETE, values![id]).await.map(drop)
    }

    /// Forgets an email that was not sent, and the `link` to what agents hold that is of no use without it.
    pub(crate) async fn drop_email_and_link(&self, id: &str, link: &Digest) -> Result<()> {
        let (db, id, link) = (Arc::clone(&self.db), id.to_owned(), link.clone());
        self.run(async move {
            let mut tx = db.begin().await?;
            // In the order of those who make links and of those who erase them, or two would wait for each other.
            let gone = tx.run(UNSHOW, values![link.as_str()]).await?;
            limits::uncount(&mut tx, limits::LINKS, gone).await?;
            tx.run(DELETE, values![id]).await?;
            Ok(tx.commit().await?)
        })
        .await
    }

    /// Puts an email back until `due`.
    pub(crate) async fn defer_email(&self, id: &str, due: Time) -> Result<()> {
        self.one(DEFER, values![id, due]).await.map(drop)
    }

    /// Returns how many emails wait to be sent, and for how long the oldest has.
    pub(crate) async fn waiting_emails(&self, now: Time) -> Result<(i64, Duration)> {
        let Some(row) = self.one(WAITING, values![]).await? else { return Ok((0, Duration::ZERO)) };
        let oldest = row.maybe_number(1)?.map(|since| now.since(Time::from_millis(since)));
        Ok((row.number(0)?, oldest.unwrap_or_default()))
    }

    /// Returns when the next email of `queue` is due.
    pub(crate) async fn next_email(&self, queue: EmailQueue) -> Result<Option<Time>> {
        let row = self.one(NEXT, values![queue.number()]).await?;
        Ok(row.map(|row| row.number(0)).transpose()?.map(Time::from_millis))
    }
}
