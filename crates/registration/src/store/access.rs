//! Links to a person's access page, and the registrations that the page lists.

use std::{str::FromStr as _, sync::Arc};

use clock::Time;
use contract::Locale;
use secrets::{Digest, Mailbox};

use super::{
    Result, Store, limits,
    registrations::parse_record,
    sql::{SqlRow, values},
};
use crate::domain::{Deed, QueuedEmail, RegistrationRecord};

const INSERT: &str = "INSERT INTO access_link (digest, email, locale, expires_at) VALUES ($1, $2, $3, $4)";
const READ: &str = "SELECT email, locale, expires_at FROM access_link WHERE digest = $1";
const OF: &str = "SELECT email, locale, expires_at FROM access_link WHERE email = $1";
/// Registrations with a credential in force. At most 200 are listed; "revoke all" ends the rest too.
const BY_EMAIL: &str = "SELECT body FROM registration WHERE email = $1
    AND EXISTS (SELECT digest FROM credential
        WHERE credential.registration = registration.id AND revoked_at IS NULL AND expires_at > $2)
    ORDER BY id LIMIT 200";

/// A link to the access page of one mailbox.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccessLink {
    pub(crate) email: Mailbox,
    pub locale: Locale,
    pub expires: Time,
}

impl Store {
    /// Stores a link and the e-mail that carries it.
    pub(crate) async fn offer_access(
        &self,
        link: AccessLink,
        digest: Digest,
        post: QueuedEmail,
        now: Time,
    ) -> Result<()> {
        let db = Arc::clone(&self.db);
        self.run(async move {
            let mut tx = db.begin().await?;
            let values = values![digest.as_str(), link.email.as_str(), link.locale.as_str(), link.expires];
            tx.run(INSERT, values).await?;
            limits::count_link(&mut tx).await?;
            super::effects::mail(&mut tx, &post, now).await?;
            tx.audit_deed(Deed::AccessRequested);
            Ok(tx.commit().await?)
        })
        .await
    }

    pub(crate) async fn access_link(&self, digest: &Digest) -> Result<Option<AccessLink>> {
        let Some(row) = self.one(READ, values![digest.as_str()]).await? else { return Ok(None) };
        link(&row).map(Some)
    }

    /// Returns the access links of `mailbox`, by expiry.
    pub async fn links_of(&self, mailbox: &Mailbox) -> Result<Vec<AccessLink>> {
        let rows = self.all(OF, values![mailbox.as_str()]).await?;
        let mut links = rows.iter().map(link).collect::<Result<Vec<_>>>()?;
        links.sort_by_key(|link| link.expires);
        Ok(links)
    }

    /// Returns the registrations of `mailbox`, claimed or pending, whose credential is in force at `now`.
    pub(crate) async fn records_of(&self, mailbox: &Mailbox, now: Time) -> Result<Vec<RegistrationRecord>> {
        self.all(BY_EMAIL, values![mailbox.as_str(), now]).await?.iter().map(|row| parse_record(row, 0)).collect()
    }
}

fn link(row: &SqlRow) -> Result<AccessLink> {
    Ok(AccessLink {
        email: Mailbox::from_stored(row.text(0)?),
        locale: Locale::from_str(&row.text(1)?).unwrap_or(Locale::DEFAULT),
        expires: Time::from_millis(row.number(2)?),
    })
}
