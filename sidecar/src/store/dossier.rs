//! Everything that is kept about one person: shown to them, and forgotten.

use std::sync::Arc;

use super::{
    Result, Store, limits,
    providers::mailbox_row,
    registrations::{body, update},
    sql::{Row, Tx, Value, values},
};
use crate::{
    Time,
    registration::{By, Mailbox, Record, RegistrationId, Subject},
};

/// Everything that is kept about a mailbox.
#[derive(Clone, Debug)]
pub(crate) struct Dossier {
    pub(crate) records: Vec<Record>,
    /// Since when the mailbox is known.
    pub(crate) known_since: Option<Time>,
    /// Users of providers that are linked to it.
    pub(crate) delegations: Vec<Subject>,
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

const SOME_BY_EMAIL: &str = "SELECT id FROM registration WHERE email = $1 ORDER BY id LIMIT 200";
const BODIES: &str = "SELECT id, body FROM registration WHERE email = $1 AND id > $2 ORDER BY id LIMIT 200";
const LINKED: &str = "SELECT issuer, tenant, subject FROM delegation
    WHERE email = $1 AND (issuer, tenant, subject) > ($2, $3, $4) ORDER BY issuer, tenant, subject LIMIT 200";

impl Store {
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
        // Before every other: nobody has empty names.
        let mut last = Subject { issuer: String::new(), tenant: String::new(), name: String::new() };
        loop {
            let Subject { issuer, tenant, name } = last;
            let rows = self.read(LINKED, values![mailbox.as_str(), issuer, tenant, name]).await?;
            for row in &rows {
                dossier.delegations.push(Subject { issuer: row.text(0)?, tenant: row.text(1)?, name: row.text(2)? });
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
            let gone = self
                .run(async move {
                    let mut tx = db.begin().await?;
                    let mut gone = 0;
                    for row in tx.all(SOME_BY_EMAIL, values![mailbox.as_str()]).await? {
                        // Ended first, so that nothing that happens beside an end is left out.
                        let id = RegistrationId::new(row.text(0)?);
                        update(&mut tx, &id, now, |record| record.revoke(by, now)).await?;
                        gone += tx.run("DELETE FROM registration WHERE id = $1", values![id.as_str()]).await?;
                    }
                    if gone == 0 {
                        forget(&mut tx, &mailbox).await?;
                    } else {
                        limits::leave(&mut tx, gone).await?;
                    }
                    tx.commit().await?;
                    Ok(gone)
                })
                .await?;
            if gone == 0 {
                return Ok(all);
            }
            all += gone;
        }
    }
}

/// Forgets what is kept about `mailbox` beside registrations.
async fn forget(tx: &mut Tx, mailbox: &Mailbox) -> Result<()> {
    for sql in [
        "DELETE FROM principal WHERE email = $1",
        "DELETE FROM delegation WHERE email = $1",
        "DELETE FROM access_link WHERE email = $1",
        "DELETE FROM outbox WHERE recipient = $1",
    ] {
        tx.run(sql, values![mailbox.as_str()]).await?;
    }
    tx.run("DELETE FROM watermark WHERE subject = $1", values![mailbox_row(mailbox)]).await?;
    tx.run("DELETE FROM silence WHERE mailbox = $1", values![mailbox.digest().as_str()]).await?;
    Ok(())
}
