//! Ends many registrations at once: those of a person, of a provider, or all.

use std::sync::Arc;

use super::{Result, Store, registrations::update, sql::values};
use crate::{
    Time,
    registration::{By, Mailbox, RegistrationId},
};

/// Which registrations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Selection {
    All,
    One(RegistrationId),
    Email(Mailbox),
    Issuer(String),
}

// Each begins after the registration named `$1`, so that a batch follows the other however many there are.
const IDS: &str = "SELECT id FROM registration WHERE id > $1 ORDER BY id LIMIT 200";
const ONE: &str = "SELECT id FROM registration WHERE id = $2 AND id > $1";
const BY_EMAIL: &str = "SELECT id FROM registration WHERE email = $2 AND id > $1 ORDER BY id LIMIT 200";
const BY_ISSUER: &str = "SELECT id FROM registration WHERE issuer = $2 AND id > $1 ORDER BY id LIMIT 200";

impl Store {
    /// Ends every registration of `selection` in the name of `by`, a batch in one transaction; how many those were.
    pub(crate) async fn revoke(&self, selection: &Selection, by: By, now: Time) -> Result<usize> {
        let mut ended = 0;
        let mut last = String::new();
        loop {
            let db = Arc::clone(&self.db);
            let (sql, values) = match selection {
                Selection::All => (IDS, values![last]),
                Selection::One(id) => (ONE, values![last, id.as_str()]),
                Selection::Email(mailbox) => (BY_EMAIL, values![last, mailbox.as_str()]),
                Selection::Issuer(issuer) => (BY_ISSUER, values![last, issuer.as_str()]),
            };
            let step = self.run(async move {
                let mut tx = db.begin().await?;
                let (mut ended, mut last) = (0, None);
                for row in tx.all(sql, values).await? {
                    let id = RegistrationId::new(row.text(0)?);
                    ended += usize::from(update(&mut tx, &id, now, |record| record.revoke(by, now)).await?.0);
                    last = Some(id.as_str().to_owned());
                }
                tx.commit().await?;
                Ok((ended, last))
            });
            let (more, next) = step.await?;
            ended += more;
            let Some(next) = next else { return Ok(ended) };
            last = next;
        }
    }
}
