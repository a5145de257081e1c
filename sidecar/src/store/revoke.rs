//! Ends many registrations at once: those of a person, of a provider, or all.

use std::sync::Arc;

use super::{
    BATCH, Result, Store, limits,
    registrations::{update, update_of},
    sql::values,
    void,
};
use crate::{
    Time,
    registration::{By, Digest, Mailbox, Record, RegistrationId},
};

/// Which registrations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Selection {
    All,
    One(RegistrationId),
    /// What is the mailbox's to which the link of this digest leads, while it does: one of these, or all.
    Linked(Digest, Mailbox, Option<RegistrationId>),
    Email(Mailbox),
    Issuer(String),
}

// Each begins after the registration named `$1`, so that a batch follows the other however many there are.
const IDS: &str = "SELECT id, issuer, tenant, subject FROM registration WHERE id > $1 ORDER BY id LIMIT $2";
const ONE: &str = "SELECT id, issuer, tenant, subject FROM registration WHERE id = $2 AND id > $1";
const OWN: &str = "SELECT id, issuer, tenant, subject FROM registration WHERE id = $2 AND id > $1 AND email = $3";
const BY_EMAIL: &str =
    "SELECT id, issuer, tenant, subject FROM registration WHERE email = $2 AND id > $1 ORDER BY id LIMIT $3";
const BY_ISSUER: &str =
    "SELECT id, issuer, tenant, subject FROM registration WHERE issuer = $2 AND id > $1 ORDER BY id LIMIT $3";
const LOCK_LINK: &str = "UPDATE access_link SET email = email WHERE digest = $1 RETURNING digest";

/// What became of a selection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Ended {
    /// Registrations that were not over.
    pub(crate) all: usize,
    /// Those of them with which an agent held something in a person's name.
    pub(crate) held: usize,
}

impl Store {
    /// Ends every registration of `selection` in the name of `by`, a batch in one transaction, and lets nothing count that
    /// providers have said before of their users.
    pub(crate) async fn revoke(&self, selection: &Selection, by: By, now: Time) -> Result<Ended> {
        let mut ended = Ended::default();
        let mut last = String::new();
        loop {
            let db = Arc::clone(&self.db);
            let (sql, values) = match selection {
                Selection::All => (IDS, values![last, BATCH]),
                Selection::One(id) => (ONE, values![last, id.as_str()]),
                Selection::Linked(_, mailbox, Some(id)) => (OWN, values![last, id.as_str(), mailbox.as_str()]),
                Selection::Email(mailbox) | Selection::Linked(_, mailbox, None) => {
                    (BY_EMAIL, values![last, mailbox.as_str(), BATCH])
                }
                Selection::Issuer(issuer) => (BY_ISSUER, values![last, issuer.as_str(), BATCH]),
            };
            let (link, whose) = match selection {
                Selection::Linked(link, mailbox, _) => (Some(link.clone()), Some(mailbox.clone())),
                Selection::Email(mailbox) => (None, Some(mailbox.clone())),
                Selection::All | Selection::One(_) | Selection::Issuer(_) => (None, None),
            };
            let step = self.run(async move {
                let mut tx = db.begin().await?;
                // Nobody registers meanwhile, whom this would not see.
                limits::leave(&mut tx, 0).await?;
                let rows = match by {
                    // After a restore nothing counts that was said before, of nobody.
                    By::Restore => tx.all(sql, values).await?,
                    _ => void::find(&mut tx, sql, values, now).await?,
                };
                if let Some(link) = link
                    && tx.one(LOCK_LINK, values![link.as_str()]).await?.is_none()
                {
                    // Its person was erased.
                    return Ok((Ended::default(), None));
                }
                let mut ended = Ended::default();
                for row in &rows {
                    let id = RegistrationId::new(row.text(0)?);
                    let mut is_held = false;
                    let end = |record: Record| {
                        is_held = record.is_held(now);
                        record.revoke(by, now)
                    };
                    let (is_ended, _) = match &whose {
                        Some(mailbox) => update_of(&mut tx, (&id, mailbox), now, end).await?,
                        None => update(&mut tx, &id, now, end).await?,
                    };
                    if is_ended {
                        ended.all += 1;
                        ended.held += usize::from(is_held);
                    }
                }
                tx.commit().await?;
                // After the last batch nothing is looked for: who registers meanwhile comes after this.
                Ok((ended, rows.get(BATCH - 1).map(|row| row.text(0)).transpose()?))
            });
            let (more, next) = step.await?;
            ended.all += more.all;
            ended.held += more.held;
            let Some(next) = next else { return Ok(ended) };
            last = next;
        }
    }
}
