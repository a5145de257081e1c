//! Ends many registrations at once: those of a person, of a provider, or all.

use std::sync::Arc;

use super::{
    Result, Store, limits,
    registrations::{update, update_of},
    sql::values,
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

/// How many of these one transaction ends.
const BATCH: usize = 200;
// Each begins after the registration named `$1`, so that a batch follows the other however many there are.
const IDS: &str = "SELECT id FROM registration WHERE id > $1 ORDER BY id LIMIT 200";
const ONE: &str = "SELECT id FROM registration WHERE id = $2 AND id > $1";
const BY_EMAIL: &str = "SELECT id FROM registration WHERE email = $2 AND id > $1 ORDER BY id LIMIT 200";
const BY_ISSUER: &str = "SELECT id FROM registration WHERE issuer = $2 AND id > $1 ORDER BY id LIMIT 200";
const LOCK_LINK: &str = "UPDATE access_link SET email = email WHERE digest = $1 RETURNING digest";

impl Store {
    /// Ends every registration of `selection` in the name of `by`, a batch in one transaction; how many those were.
    pub(crate) async fn revoke(&self, selection: &Selection, by: By, now: Time) -> Result<usize> {
        let mut ended = 0;
        let mut last = String::new();
        loop {
            let db = Arc::clone(&self.db);
            let (sql, values) = match selection {
                Selection::All => (IDS, values![last]),
                Selection::One(id) | Selection::Linked(_, _, Some(id)) => (ONE, values![last, id.as_str()]),
                Selection::Email(mailbox) | Selection::Linked(_, mailbox, None) => {
                    (BY_EMAIL, values![last, mailbox.as_str()])
                }
                Selection::Issuer(issuer) => (BY_ISSUER, values![last, issuer.as_str()]),
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
                if let Some(link) = link
                    && tx.one(LOCK_LINK, values![link.as_str()]).await?.is_none()
                {
                    // Its person was erased.
                    return Ok((0, None));
                }
                let mut ended = 0;
                let rows = tx.all(sql, values).await?;
                for row in &rows {
                    let id = RegistrationId::new(row.text(0)?);
                    let end = |record: Record| record.revoke(by, now);
                    let (is_ended, _) = match &whose {
                        Some(mailbox) => update_of(&mut tx, (&id, mailbox), now, end).await?,
                        None => update(&mut tx, &id, now, end).await?,
                    };
                    ended += usize::from(is_ended);
                }
                tx.commit().await?;
                // After the last batch nothing is looked for: who registers meanwhile comes after this.
                Ok((ended, rows.get(BATCH - 1).map(|row| row.text(0)).transpose()?))
            });
            let (more, next) = step.await?;
            ended += more;
            let Some(next) = next else { return Ok(ended) };
            last = next;
        }
    }
}
