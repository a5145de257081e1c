//! Everything that is stored about one mailbox: its export and its deletion.

use std::sync::Arc;

use clock::Time;
use providers::Subject;
use secrets::{Mailbox, RegistrationId};

use super::{
    BATCH, Result, Store, email_opt_out, limits,
    people::forget_person_without_rows,
    registrations::{parse_record, update_of},
    sql::{SqlRow, Tx, values},
    watermarks,
};
use crate::domain::{By, RegistrationRecord};

/// Everything that is stored about a mailbox.
#[derive(Clone, Debug)]
pub struct PersonalData {
    pub records: Vec<RegistrationRecord>,
    /// When the mailbox became known.
    pub known_since: Option<Time>,
    /// Users of providers that are linked to it.
    pub delegations: Vec<Subject>,
    /// Number of e-mails waiting to be sent to it.
    pub emails: usize,
    pub has_opted_out: bool,
}

impl PersonalData {
    /// Whether nothing refers to the person; an opt-out alone does not count.
    pub fn is_empty(&self) -> bool {
        self.records.is_empty() && self.known_since.is_none() && self.delegations.is_empty() && self.emails == 0
    }
}

const DELETE: &str = "DELETE FROM registration WHERE id = $1 AND email = $2";
const UNLINK: &str = "DELETE FROM delegation WHERE issuer = $1 AND tenant = $2 AND subject = $3
    AND NOT EXISTS (SELECT id FROM registration WHERE registration.issuer = delegation.issuer
        AND registration.tenant = delegation.tenant AND registration.subject = delegation.subject)
    RETURNING email";
const UNLINK_OF: &str = "DELETE FROM delegation WHERE issuer = $1 AND tenant = $2 AND subject = $3 AND email = $4";
const UNPOST: &str = "DELETE FROM outbox WHERE recipient = $1";
// Keeps claim e-mails of registrations that still exist.
const UNPOST_REST: &str = "DELETE FROM outbox WHERE recipient = $1
    AND seed NOT IN (SELECT link.seed FROM registration JOIN link ON link.registration = registration.id
        WHERE registration.email = $1)";
const UNSHOW: &str = "DELETE FROM access_link WHERE email = $1";
const UNKNOW: &str = "DELETE FROM principal WHERE email = $1";
const KNOWN_SINCE: &str = "UPDATE principal SET created_at = $2 WHERE email = $1 AND created_at < $2";
const KNOWN: &str = "SELECT created_at FROM principal WHERE email = $1";
const WAITING: &str = "SELECT COUNT(*) FROM outbox WHERE recipient = $1";
const SOME_BY_EMAIL: &str =
    "SELECT id, issuer, tenant, subject FROM registration WHERE email = $1 ORDER BY id LIMIT $2";
const ONE_BY_EMAIL: &str = "SELECT id, issuer, tenant, subject FROM registration WHERE id = $1 AND email = $2";
const BODIES: &str = "SELECT id, body FROM registration WHERE email = $1 AND id > $2 ORDER BY id LIMIT 200";
const LINKED: &str = "SELECT issuer, tenant, subject FROM delegation
    WHERE email = $1 AND (issuer, tenant, subject) > ($2, $3, $4) ORDER BY issuer, tenant, subject LIMIT 200";

impl Store {
    /// Returns everything about `mailbox`, read in batches.
    pub async fn personal_data(&self, mailbox: &Mailbox) -> Result<PersonalData> {
        let email = mailbox.as_str();
        let known = self.one(KNOWN, values![email]).await?;
        let waiting = self.one(WAITING, values![email]).await?.map(|row| row.number(0)).transpose()?;
        let mut personal_data = PersonalData {
            records: Vec::new(),
            known_since: known.map(|row| row.number(0)).transpose()?.map(Time::from_millis),
            delegations: Vec::new(),
            emails: usize::try_from(waiting.unwrap_or(0)).unwrap_or(0),
            has_opted_out: self.has_opted_out(&mailbox.digest()).await?,
        };
        let mut last = String::new();
        loop {
            let rows = self.all(BODIES, values![email, last]).await?;
            let Some(row) = rows.last() else { break };
            last = row.text(0)?;
            for row in &rows {
                personal_data.records.push(parse_record(row, 1)?);
            }
        }
        // Sorts before every subject: no name is empty.
        let mut last = Subject { issuer: String::new(), tenant: String::new(), name: String::new() };
        loop {
            let Subject { issuer, tenant, name } = last;
            let rows = self.all(LINKED, values![email, issuer, tenant, name]).await?;
            for row in &rows {
                personal_data.delegations.push(Subject {
                    issuer: row.text(0)?,
                    tenant: row.text(1)?,
                    name: row.text(2)?,
                });
            }
            match personal_data.delegations.last() {
                Some(read) if !rows.is_empty() => last = read.clone(),
                _ => return Ok(personal_data),
            }
        }
    }

    /// Deletes what the store has about `mailbox` and `other` does not: registrations, which have ended already, and
    /// links of users that are not in `since`, the data of `other`.
    ///
    /// If anything was deleted, or if a registration no longer asks the person (`is_unasked`), also deletes access
    /// links and e-mails without a registration, and sets the time since which the person is known to that of `since`.
    pub async fn forget_difference(
        &self,
        mailbox: &Mailbox,
        other: &Self,
        since: PersonalData,
        is_unasked: bool,
    ) -> Result<()> {
        let own = self.personal_data(mailbox).await?;
        let mut gone = Vec::new();
        for record in own.records {
            if other.record(&record.id).await?.is_none() {
                gone.push(record.id);
            }
        }
        let links: Vec<_> = own.delegations.into_iter().filter(|link| !since.delegations.contains(link)).collect();
        if gone.is_empty() && links.is_empty() && !is_unasked {
            return Ok(());
        }
        for batch in gone.chunks(BATCH) {
            let (db, mailbox, batch) = (Arc::clone(&self.db), mailbox.clone(), batch.to_vec());
            let step = self.run(async move {
                let mut tx = db.begin().await?;
                limits::lock_registrations(&mut tx).await?;
                let mut rows = Vec::new();
                for id in &batch {
                    rows.extend(tx.one(ONE_BY_EMAIL, values![id.as_str(), mailbox.as_str()]).await?);
                }
                forget_first(&mut tx, &mailbox, &rows).await?;
                let mut gone = 0;
                for id in &batch {
                    gone += tx.run(DELETE, values![id.as_str(), mailbox.as_str()]).await?;
                }
                limits::uncount_registrations(&mut tx, gone).await?;
                Ok(tx.commit().await?)
            });
            step.await?;
        }
        let (db, mailbox) = (Arc::clone(&self.db), mailbox.clone());
        self.run(async move {
            let mut tx = db.begin().await?;
            limits::lock_registrations(&mut tx).await?;
            for Subject { issuer, tenant, name } in links {
                tx.run(UNLINK_OF, values![issuer, tenant, name, mailbox.as_str()]).await?;
            }
            delete_access_links(&mut tx, &mailbox).await?;
            tx.run(UNPOST_REST, values![mailbox.as_str()]).await?;
            match since.known_since {
                Some(known) => tx.run(KNOWN_SINCE, values![mailbox.as_str(), known]).await?,
                None => tx.run(UNKNOW, values![mailbox.as_str()]).await?,
            };
            forget_person_without_rows(&mut tx, mailbox.as_str().to_owned()).await?;
            Ok(tx.commit().await?)
        })
        .await
    }

    /// Ends in the name of `by`, and then deletes, everything about `mailbox`, in batches. Returns the number of
    /// registrations.
    pub async fn erase(&self, mailbox: &Mailbox, by: By, now: Time) -> Result<u64> {
        let mut all = 0;
        loop {
            let (db, mailbox) = (Arc::clone(&self.db), mailbox.clone());
            let (gone, is_last) = self
                .run(async move {
                    let mut tx = db.begin().await?;
                    // Lock, so that no registration is made meanwhile.
                    limits::lock_registrations(&mut tx).await?;
                    let rows = tx.all(SOME_BY_EMAIL, values![mailbox.as_str(), BATCH]).await?;
                    forget_first(&mut tx, &mailbox, &rows).await?;
                    let mut gone = 0;
                    let mut subjects = Vec::new();
                    for row in &rows {
                        // End it first, for the side effects of the end.
                        let id = RegistrationId::new(row.text(0)?);
                        let end = |record: RegistrationRecord| {
                            subjects.extend(record.subject());
                            record.revoke(by, now)
                        };
                        update_of(&mut tx, (&id, &mailbox), now, end).await?;
                        gone += tx.run(DELETE, values![id.as_str(), mailbox.as_str()]).await?;
                    }
                    for subject in subjects {
                        forget_subject(&mut tx, subject).await?;
                    }
                    let is_last = rows.len() < BATCH;
                    if gone > 0 {
                        limits::uncount_registrations(&mut tx, gone).await?;
                    }
                    if is_last {
                        // In one transaction, so that no reader sees part of a person.
                        forget(&mut tx, &mailbox).await?;
                    }
                    tx.commit().await?;
                    Ok((gone, is_last))
                })
                .await?;
            all += gone;
            if is_last {
                return Ok(all);
            }
        }
    }
}

/// Deletes the link of `subject` if no registration has it, and its person if nothing refers to them.
async fn forget_subject(tx: &mut Tx, subject: Subject) -> Result<()> {
    let Subject { issuer, tenant, name } = subject;
    let Some(row) = tx.one(UNLINK, values![issuer, tenant, name]).await? else { return Ok(()) };
    match row.maybe_text(0)? {
        Some(email) => forget_person_without_rows(tx, email).await,
        None => Ok(()),
    }
}

/// Deletes the watermarks of `mailbox` and of the users of `rows`, and access links. Lock order: these before
/// registrations.
async fn forget_first(tx: &mut Tx, mailbox: &Mailbox, rows: &[SqlRow]) -> Result<()> {
    watermarks::forget(tx, mailbox, rows).await?;
    delete_access_links(tx, mailbox).await
}

async fn delete_access_links(tx: &mut Tx, mailbox: &Mailbox) -> Result<()> {
    let gone = tx.run(UNSHOW, values![mailbox.as_str()]).await?;
    if gone > 0 {
        limits::uncount(tx, limits::LINKS, gone).await?;
    }
    Ok(())
}

/// Deletes everything about `mailbox` except registrations.
async fn forget(tx: &mut Tx, mailbox: &Mailbox) -> Result<()> {
    for sql in [UNKNOW, "DELETE FROM delegation WHERE email = $1", UNPOST] {
        tx.run(sql, values![mailbox.as_str()]).await?;
    }
    email_opt_out::resume(tx, &mailbox.digest()).await
}
