//! What operators do to many registrations, or to everything about a person.

use std::sync::Arc;

use super::{
    Result, Store, limits,
    providers::mailbox_row,
    registrations::{body, update, update_of},
    sql::{Db, Row, Tx, Value, values},
    void,
};
use crate::{
    Time,
    registration::{By, Mailbox, Record, RegistrationId, Subject},
};

/// Which registrations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Selection {
    All,
    One(RegistrationId),
    /// The same, if it is this mailbox's.
    Own(RegistrationId, Mailbox),
    Email(Mailbox),
    Issuer(String),
}

/// Everything that is kept about a mailbox.
#[derive(Clone, Debug)]
pub(crate) struct Dossier {
    pub(crate) records: Vec<Record>,
    /// Since when the mailbox is known.
    pub(crate) known_since: Option<Time>,
    /// Providers and their subjects that are linked to it.
    pub(crate) delegations: Vec<(String, String, String)>,
    /// Letters that wait.
    pub(crate) letters: usize,
    /// Whether the person wants no messages.
    pub(crate) is_silent: bool,
}

impl Dossier {
    /// Whether nothing is kept that tells of the person.
    pub(crate) fn is_empty(&self) -> bool {
        self.records.is_empty() && self.known_since.is_none() && self.delegations.is_empty() && self.letters == 0
    }
}

/// How many of these one transaction ends.
const BATCH: usize = 200;
const IDS: &str = "SELECT id, issuer, tenant, subject FROM registration WHERE id > $1 ORDER BY id LIMIT 200";
const ONE: &str = "SELECT id, issuer, tenant, subject FROM registration WHERE id = $2 AND id > $1";
const OWN: &str = "SELECT id, issuer, tenant, subject FROM registration WHERE id = $2 AND id > $1 AND email = $3";
const BY_EMAIL: &str =
    "SELECT id, issuer, tenant, subject FROM registration WHERE email = $2 AND id > $1 ORDER BY id LIMIT 200";
const DELETE: &str = "DELETE FROM registration WHERE id = $1 AND email = $2";
const UNLINK: &str = "DELETE FROM delegation WHERE issuer = $1 AND tenant = $2 AND subject = $3
    AND NOT EXISTS (SELECT id FROM registration WHERE registration.issuer = delegation.issuer
        AND registration.tenant = delegation.tenant AND registration.subject = delegation.subject)
    RETURNING email";
const LEAVE: &str = "DELETE FROM principal WHERE email = $1
    AND NOT EXISTS (SELECT id FROM registration WHERE registration.email = principal.email)
    AND NOT EXISTS (SELECT issuer FROM delegation WHERE delegation.email = principal.email)";
const SOME_BY_EMAIL: &str = "SELECT id FROM registration WHERE email = $1 ORDER BY id LIMIT 200";
const BODIES: &str = "SELECT id, body FROM registration WHERE email = $1 AND id > $2 ORDER BY id LIMIT 200";
const LINKED: &str = "SELECT issuer, tenant, subject FROM delegation
    WHERE email = $1 AND (issuer, tenant, subject) > ($2, $3, $4) ORDER BY issuer, tenant, subject LIMIT 200";
const BY_ISSUER: &str =
    "SELECT id, issuer, tenant, subject FROM registration WHERE issuer = $2 AND id > $1 ORDER BY id LIMIT 200";

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
                Selection::All => (IDS, values![last]),
                Selection::One(id) => (ONE, values![last, id.as_str()]),
                Selection::Own(id, mailbox) => (OWN, values![last, id.as_str(), mailbox.as_str()]),
                Selection::Email(mailbox) => (BY_EMAIL, values![last, mailbox.as_str()]),
                Selection::Issuer(issuer) => (BY_ISSUER, values![last, issuer.as_str()]),
            };
            let whose = match selection {
                Selection::Email(mailbox) | Selection::Own(_, mailbox) => Some(mailbox.clone()),
                Selection::All | Selection::One(_) | Selection::Issuer(_) => None,
            };
            let step = self.run(async move {
                let mut tx = db.begin().await?;
                let mut ended = Ended::default();
                let rows = match by {
                    // After a restore nothing counts that was said before, of nobody.
                    By::Restore => tx.all(sql, values).await?,
                    _ => void::find(&mut tx, sql, values, now).await?,
                };
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

    /// Everything that is kept about `mailbox`, read a batch at a time.
    pub(crate) async fn dossier(&self, mailbox: &Mailbox) -> Result<Dossier> {
        let (db, own) = (Arc::clone(&self.db), mailbox.clone());
        let mut dossier = self
            .run(async move {
                let email = own.as_str();
                let known = db.one("SELECT created_at FROM principal WHERE email = $1", values![email]).await?;
                let digest = own.digest();
                let silent = db.one("SELECT mailbox FROM silence WHERE mailbox = $1", values![digest.as_str()]).await?;
                let letters = db.one("SELECT COUNT(*) FROM outbox WHERE recipient = $1", values![email]).await?;
                let letters = letters.map(|row| row.number(0)).transpose()?.unwrap_or(0);
                Ok(Dossier {
                    records: Vec::new(),
                    known_since: known.map(|row| row.number(0)).transpose()?.map(Time::from_millis),
                    delegations: Vec::new(),
                    letters: usize::try_from(letters).unwrap_or(0),
                    is_silent: silent.is_some(),
                })
            })
            .await?;
        let mut last = String::new();
        loop {
            let rows = self.read(BODIES, values![mailbox.as_str(), last]).await?;
            let Some(row) = rows.last() else { break };
            last = row.text(0)?;
            for row in &rows {
                dossier.records.push(body(row, 1)?);
            }
        }
        let mut last = <(String, String, String)>::default();
        loop {
            let (issuer, tenant, subject) = last;
            let rows = self.read(LINKED, values![mailbox.as_str(), issuer, tenant, subject]).await?;
            for row in &rows {
                dossier.delegations.push((row.text(0)?, row.text(1)?, row.text(2)?));
            }
            match dossier.delegations.last() {
                Some(read) if !rows.is_empty() => last = read.clone(),
                _ => return Ok(dossier),
            }
        }
    }

    async fn read(&self, sql: &'static str, values: Vec<Value>) -> Result<Vec<Row>> {
        let db = Arc::clone(&self.db);
        self.run(async move { Ok(db.all(sql, values).await?) }).await
    }

    /// Ends in the name of `by` and forgets everything about `mailbox`, a batch of registrations at a time. How many
    /// those were.
    pub(crate) async fn erase(&self, mailbox: &Mailbox, by: By, now: Time) -> Result<u64> {
        let mut all = 0;
        loop {
            let (db, mailbox) = (Arc::clone(&self.db), mailbox.clone());
            let (gone, is_last) = self
                .run(async move {
                    let mut tx = db.begin().await?;
                    // Nobody registers meanwhile.
                    limits::leave(&mut tx, 0).await?;
                    forget_word(&mut tx, &mailbox).await?;
                    let mut gone = 0;
                    let rows = tx.all(SOME_BY_EMAIL, values![mailbox.as_str()]).await?;
                    let mut subjects = Vec::new();
                    for row in &rows {
                        // Ended first, so that nothing that happens beside an end is left out.
                        let id = RegistrationId::new(row.text(0)?);
                        let end = |record: Record| {
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
                        limits::leave(&mut tx, gone).await?;
                    }
                    if is_last {
                        // In the same transaction, so that nobody sees a part of a person.
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

    /// Up to 500 registrations, by name, after the one named `last`.
    pub(crate) async fn records_after(&self, last: String) -> Result<Vec<Record>> {
        const SQL: &str = "SELECT body FROM registration WHERE id > $1 ORDER BY id LIMIT 500";
        let db = Arc::clone(&self.db);
        self.run(async move { db.all(SQL, values![last]).await?.iter().map(|row| body(row, 0)).collect() }).await
    }

    /// Whether the credential of this digest is in force at `now`; a look that leaves no trace.
    pub(crate) async fn is_live(&self, digest: String, now: Time) -> Result<bool> {
        const SQL: &str = "SELECT digest FROM credential WHERE digest = $1 AND revoked_at IS NULL AND expires_at > $2";
        let db = Arc::clone(&self.db);
        self.run(async move { Ok(db.one(SQL, values![digest, now]).await?.is_some()) }).await
    }

    /// Empties the log beside the file, so that what was forgotten stands nowhere any more. `false` where a reader of this
    /// moment still needs it.
    pub(crate) async fn scrub(&self) -> Result<bool> {
        let Db::Sqlite(..) = &*self.db else { return Ok(true) };
        let db = Arc::clone(&self.db);
        self.run(async move {
            let row = db.one("PRAGMA wal_checkpoint(TRUNCATE)", values![]).await?;
            Ok(row.map(|row| row.number(0)).transpose()?.is_none_or(|busy| busy == 0))
        })
        .await
    }

    /// Copies the whole store into the file at `path`, which must be empty. `false` where the store is not a file.
    pub(crate) async fn copy_to(&self, path: &std::path::Path) -> Result<bool> {
        let Some(path) = path.to_str().map(str::to_owned) else { return Ok(false) };
        let Db::Sqlite(..) = &*self.db else { return Ok(false) };
        let db = Arc::clone(&self.db);
        // A large store takes longer than an answer may, and nobody waits behind it.
        let copied = self.runtime.spawn(async move { db.all("VACUUM INTO $1", values![path]).await }).await;
        match copied {
            Ok(Ok(_)) => Ok(true),
            Ok(Err(error)) => Err(error.into()),
            Err(_) => Err(super::StoreError::Down),
        }
    }
}

/// Forgets to whom `subject` is linked, and the person, if nothing else is left of either.
async fn forget_subject(tx: &mut Tx, subject: Subject) -> Result<()> {
    let Subject { issuer, tenant, name } = subject;
    let Some(row) = tx.one(UNLINK, values![issuer, tenant, name]).await? else { return Ok(()) };
    if let Some(email) = row.maybe_text(0)? {
        tx.run(LEAVE, values![email]).await?;
    }
    Ok(())
}

/// Forgets when a provider took its word for `mailbox` back: first of all, in the order in which providers' words lock.
async fn forget_word(tx: &mut Tx, mailbox: &Mailbox) -> Result<()> {
    tx.run("DELETE FROM watermark WHERE subject = $1", values![mailbox_row(mailbox)]).await?;
    Ok(())
}

/// Forgets what else is kept about `mailbox` beside registrations.
async fn forget(tx: &mut Tx, mailbox: &Mailbox) -> Result<()> {
    for sql in [
        "DELETE FROM principal WHERE email = $1",
        "DELETE FROM delegation WHERE email = $1",
        "DELETE FROM access_link WHERE email = $1",
        "DELETE FROM outbox WHERE recipient = $1",
    ] {
        tx.run(sql, values![mailbox.as_str()]).await?;
    }
    tx.run("DELETE FROM silence WHERE mailbox = $1", values![mailbox.digest().as_str()]).await?;
    Ok(())
}
