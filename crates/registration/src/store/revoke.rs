//! Ends many registrations: of a person, of a provider, or all.

use std::sync::Arc;

use clock::Time;
use forms::EmailContent;
use secrets::{Digest, Mailbox, RegistrationId};

use super::{
    BATCH, Budget, Result, Store, StoreError, StoreFailure, effects,
    email_queue::LEASE,
    limits,
    registrations::{update, update_of},
    sql::{Tx, values},
    watermarks,
};
use crate::domain::{By, QueuedEmail, RegistrationRecord};

/// The registrations to end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Selection {
    All,
    One(RegistrationId),
    /// Those of the mailbox of an access link, while the link exists: one, or all.
    Linked(Digest, Mailbox, Option<RegistrationId>),
    /// Those of a mailbox.
    Email(Mailbox),
    /// Those that a provider vouched for.
    Issuer(String),
    /// Those of the user `name` of a provider, in every tenant.
    User {
        issuer: String,
        name: String,
    },
}

// Each continues after the ID `$1`, one batch after another.
const IDS: &str = "SELECT id, issuer, tenant, subject FROM registration WHERE id > $1 ORDER BY id LIMIT $2";
const ONE: &str = "SELECT id, issuer, tenant, subject FROM registration WHERE id = $2 AND id > $1";
const OWN: &str = "SELECT id, issuer, tenant, subject FROM registration WHERE id = $2 AND id > $1 AND email = $3";
const BY_EMAIL: &str =
    "SELECT id, issuer, tenant, subject FROM registration WHERE email = $2 AND id > $1 ORDER BY id LIMIT $3";
const BY_ISSUER: &str =
    "SELECT id, issuer, tenant, subject FROM registration WHERE issuer = $2 AND id > $1 ORDER BY id LIMIT $3";
// In the order of the index by user, which the ID `$1` alone does not name.
const BY_USER: &str = "SELECT id, issuer, tenant, subject FROM registration WHERE issuer = $2 AND subject = $3
    AND (tenant, id) > (COALESCE((SELECT tenant FROM registration WHERE id = $1), ''), $1)
    ORDER BY tenant, id LIMIT $4";
const OF_USER: &str = "SELECT id FROM registration WHERE issuer = $1 AND subject = $2 LIMIT 1";
const NEXT_ISSUER: &str = "SELECT issuer FROM registration WHERE issuer > $1 ORDER BY issuer LIMIT 1";
const LOCK_LINK: &str = "UPDATE access_link SET email = email WHERE digest = $1 RETURNING digest";

/// How often an operator's command may have to wait for the database.
const ATTEMPTS: u32 = 10;

/// How many registrations ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RevocationCounts {
    pub all: usize,
    /// Those with a credential in force in a person's name.
    pub(crate) held: usize,
}

/// The e-mail about a revocation, and its budgets. It is stored with the revocation or not at all; if a budget is used
/// up, it is not sent.
#[derive(Clone, Debug)]
pub struct RevocationNotice {
    pub(crate) post: QueuedEmail,
    pub(crate) budgets: Vec<Budget>,
}

impl RevocationNotice {
    /// Returns the e-mail about `count` registrations.
    fn email_for(&self, count: usize) -> QueuedEmail {
        let mut post = self.post.clone();
        if let EmailContent::Revoked { count: total, .. } = &mut post.email.content {
            *total = count;
        }
        post
    }
}

impl Store {
    /// Returns the issuers of stored registrations, in order.
    pub async fn issuers(&self) -> Result<Vec<String>> {
        let mut issuers = Vec::new();
        let mut last = String::new();
        while let Some(row) = self.one(NEXT_ISSUER, values![last]).await? {
            last = row.text(0)?;
            issuers.push(last.clone());
        }
        Ok(issuers)
    }

    /// Whether a registration of the user `name` of `issuer` is stored, in any tenant.
    pub async fn has_user(&self, issuer: &str, name: &str) -> Result<bool> {
        Ok(self.one(OF_USER, values![issuer, name]).await?.is_some())
    }

    /// Ends every registration of `selection` in the name of `by`, in batches, and voids earlier assertions about their
    /// users.
    pub async fn revoke(&self, selection: &Selection, by: By, now: Time) -> Result<RevocationCounts> {
        self.revoke_and_notify(selection, by, None, now).await
    }

    /// Like `revoke`, and sends the e-mail of `notice` if a credential in force was revoked. Each batch rewrites the
    /// e-mail with the total so far, due a little later; the last makes it due now. So a crash between batches still
    /// sends one e-mail.
    pub(crate) async fn revoke_and_notify(
        &self,
        selection: &Selection,
        by: By,
        notice: Option<RevocationNotice>,
        now: Time,
    ) -> Result<RevocationCounts> {
        let mut ended = RevocationCounts::default();
        let mut last = String::new();
        let mut is_written = false;
        // An operator's command goes on when a busy database has let it wait; others are asked again from outside.
        let mut attempts = if matches!(by, By::Operator | By::Restore) { ATTEMPTS } else { 1 };
        loop {
            let (db, levels) = (Arc::clone(&self.db), Arc::clone(&self.levels));
            let (selection, last_one, notice) = (selection.clone(), last.clone(), notice.clone());
            let before = ended.held;
            let step = self.run(async move {
                let mut tx = db.begin().await?;
                // Lock order: budgets first. The e-mail takes from them once; what it does not need is put back.
                let unpaid = notice.as_ref().filter(|_| !is_written);
                let is_paid = match unpaid {
                    Some(notice) => limits::take(&mut tx, &levels, &notice.budgets, now).await?.is_none(),
                    None => is_written,
                };
                // Lock, so that every registration is seen.
                limits::lock_registrations(&mut tx).await?;
                let Some((more, next)) = end_batch(&mut tx, &selection, last_one, by, now).await? else {
                    return Ok((RevocationCounts::default(), None, is_written));
                };
                let (is_held, is_last) = (more.held > 0, next.is_none());
                let writes = is_paid && (is_held || is_written && is_last);
                if let Some(notice) = unpaid.filter(|_| !writes) {
                    limits::put_back(&mut tx, &notice.budgets, now).await?;
                }
                if let Some(notice) = notice.filter(|_| writes) {
                    let due = if is_last { now } else { now.plus(LEASE) };
                    effects::queue_email_at(&mut tx, &notice.email_for(before + more.held), due).await?;
                }
                tx.commit().await?;
                Ok((more, next, is_written || writes))
            });
            let done = step.await;
            if matches!(done, Err(StoreError::Down(StoreFailure::Late(_)))) && attempts > 1 {
                attempts -= 1;
                continue;
            }
            let (more, next, has_written) = done?;
            is_written = has_written;
            ended.all += more.all;
            ended.held += more.held;
            let Some(next) = next else { return Ok(ended) };
            last = next;
        }
    }
}

/// Ends a batch of `selection` after the ID `last`. Returns what ended and the ID after which the next batch begins, or
/// `None` if the access link is gone.
async fn end_batch(
    tx: &mut Tx,
    selection: &Selection,
    last: String,
    by: By,
    now: Time,
) -> Result<Option<(RevocationCounts, Option<String>)>> {
    let (sql, values) = match selection {
        Selection::All => (IDS, values![last, BATCH]),
        Selection::One(id) => (ONE, values![last, id.as_str()]),
        Selection::Linked(_, mailbox, Some(id)) => (OWN, values![last, id.as_str(), mailbox.as_str()]),
        Selection::Email(mailbox) | Selection::Linked(_, mailbox, None) => {
            (BY_EMAIL, values![last, mailbox.as_str(), BATCH])
        }
        Selection::Issuer(issuer) => (BY_ISSUER, values![last, issuer.as_str(), BATCH]),
        Selection::User { issuer, name } => (BY_USER, values![last, issuer.as_str(), name.as_str(), BATCH]),
    };
    let (link, whose) = match selection {
        Selection::Linked(link, mailbox, _) => (Some(link), Some(mailbox)),
        Selection::Email(mailbox) => (None, Some(mailbox)),
        Selection::All | Selection::One(_) | Selection::Issuer(_) | Selection::User { .. } => (None, None),
    };
    let rows = match by {
        // After a restore, all assertions are void already.
        By::Restore => tx.all(sql, values).await?,
        _ => watermarks::void_users(tx, sql, values, now).await?,
    };
    if let Some(link) = link
        && tx.one(LOCK_LINK, values![link.as_str()]).await?.is_none()
    {
        // The person was erased.
        return Ok(None);
    }
    let mut ended = RevocationCounts::default();
    for row in &rows {
        let id = RegistrationId::new(row.text(0)?);
        let mut is_held = false;
        let end = |record: RegistrationRecord| {
            is_held = record.is_held(now);
            record.revoke(by, now)
        };
        let updated = match whose {
            Some(mailbox) => update_of(tx, (&id, mailbox), now, end).await?,
            None => update(tx, &id, now, end).await?,
        };
        if updated.is_change() {
            ended.all += 1;
            ended.held += usize::from(is_held);
        }
    }
    // A registration made after the last batch is not part of this revocation.
    Ok(Some((ended, rows.get(BATCH - 1).map(|row| row.text(0)).transpose()?)))
}

#[cfg(test)]
mod tests {
    use providers::testing::ISSUER;

    use super::*;
    use crate::{
        registrar::tests::models::models,
        store::{
            DEADLINE,
            testing::{runtime, stores},
        },
        testing::START,
    };

    #[test]
    fn operator_revokes_all_although_the_database_is_busy() {
        for kept in stores() {
            runtime().block_on(async {
                let count = models(&kept).await.len();
                let busy = kept.replica.begin_locking_registrations().await;
                let (revoked, ()) = tokio::join!(kept.store.revoke(&Selection::All, By::Operator, START), async {
                    tokio::time::sleep(DEADLINE * 5 / 4).await;
                    // PostgreSQL may have ended it already.
                    drop(busy);
                });
                assert_eq!(revoked.unwrap().all, count, "{}", kept.name);
            });
        }
    }

    #[test]
    fn issuers_are_listed_once() {
        for kept in stores() {
            runtime().block_on(async {
                assert!(kept.store.issuers().await.unwrap().is_empty());
                let [.., vouched] = models(&kept).await;
                kept.multiply(&vouched, 1, 3).await;
                assert_eq!(kept.store.issuers().await.unwrap(), [ISSUER], "{}", kept.name);
            });
        }
    }
}
