//! What providers said about a user, and up to when that is void: the table `watermark`.
//!
//! An assertion is compared by the time that its provider gave it. If a provider's clock runs ahead, what it says
//! shortly before a revocation by anybody else therefore still counts afterwards.

use std::{collections::BTreeSet, time::Duration};

use clock::Time;

use super::{
    Result, Store,
    sql::{SqlRow, SqlValue, Tx, values},
};
use crate::domain::{Mailbox, Subject};

/// How long a withdrawn word is remembered: longer than any assertion lives.
const REMEMBERED: Duration = Duration::from_hours(24);

/// A time before any word.
pub(super) const UNSAID: Time = Time::from_millis(0);

/// The row that admitting, withdrawing and taking back lock, after the counter of registrations: of two about one user,
/// one waits.
const LOCK: &str = "INSERT INTO watermark (issuer, tenant, subject, revoked_before, expires_at)
    VALUES ($1, $2, $3, $4, $5)
    ON CONFLICT (issuer, tenant, subject) DO UPDATE SET
        revoked_before = CASE WHEN excluded.revoked_before > watermark.revoked_before
            THEN excluded.revoked_before ELSE watermark.revoked_before END,
        expires_at = CASE WHEN excluded.expires_at > watermark.expires_at
            THEN excluded.expires_at ELSE watermark.expires_at END
    RETURNING revoked_before";
const OF_MAILBOX: &str = "SELECT issuer, revoked_before, expires_at FROM watermark WHERE subject = $1";
const OF_USER: &str = "SELECT issuer, revoked_before, expires_at FROM watermark
    WHERE issuer = $1 AND tenant = $2 AND subject = $3";
const UNMARK_MAILBOX: &str = "DELETE FROM watermark WHERE subject = $1";
// What was said about a user is forgotten with the last person it concerned: one mailbox may follow another.
const UNMARK: &str = "DELETE FROM watermark WHERE issuer = $1 AND tenant = $2 AND subject = $3
    AND NOT EXISTS (SELECT id FROM registration WHERE registration.issuer = watermark.issuer
        AND registration.subject = watermark.subject AND registration.tenant = watermark.tenant
        AND (registration.email IS NULL OR registration.email <> $4))";
const UNMARK_USER: &str = "DELETE FROM watermark WHERE issuer = $1 AND tenant = $2 AND subject = $3
    AND NOT EXISTS (SELECT id FROM registration WHERE registration.issuer = watermark.issuer
        AND registration.subject = watermark.subject
        AND (registration.email IS NULL OR registration.email <> $4))";

/// The record that a provider spoke of a user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Watermark {
    /// The provider.
    pub issuer: String,
    /// Who it is about.
    pub about: WatermarkSubject,
    /// Up to when the provider's word is void.
    pub void_before: Option<Time>,
    /// Until when this is remembered.
    pub expires: Time,
}

/// Whom a mark is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WatermarkSubject {
    /// A mailbox.
    Mailbox,
    /// The user of this name, in every tenant.
    User(String),
    /// A user of a provider.
    Subject {
        /// The tenant at the provider.
        tenant: String,
        /// The name at the provider.
        name: String,
    },
}

/// Whom an event is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReportedUser {
    /// A user of a provider.
    Subject(Subject),
    /// The user whom the provider calls `name`, in each of its tenants.
    User {
        /// The provider.
        issuer: String,
        /// The name at the provider.
        name: String,
    },
    /// A mailbox.
    Email {
        /// The provider.
        issuer: String,
        /// The mailbox.
        email: Mailbox,
    },
}

impl ReportedUser {
    /// Returns the row that admitting and withdrawing both lock.
    pub(super) fn key(&self) -> Subject {
        match self {
            Self::Subject(subject) => subject.clone(),
            Self::User { issuer, name } => user_row(issuer.clone(), name.clone()),
            Self::Email { issuer, email } => {
                Subject { issuer: issuer.clone(), tenant: String::new(), name: mailbox_row(email) }
            }
        }
    }
}

impl Store {
    /// Returns what providers said about `mailbox` and about `users`, as far as it is remembered.
    pub async fn watermarks_of(&self, mailbox: &Mailbox, mut users: Vec<Subject>) -> Result<Vec<Watermark>> {
        let rows = self.all(OF_MAILBOX, values![mailbox_row(mailbox)]).await?;
        let mut marks = rows.iter().map(|row| read(row, WatermarkSubject::Mailbox)).collect::<Result<Vec<_>>>()?;
        marks.sort_by(|one, other| one.issuer.cmp(&other.issuer));
        let parts = |user: &Subject| (user.issuer.clone(), user.name.clone(), user.tenant.clone());
        users.sort_by_key(parts);
        users.dedup();
        let mut last = None;
        for Subject { issuer, tenant, name } in users {
            let user = (issuer.clone(), name.clone());
            if last.as_ref() != Some(&user) {
                let row = user_row(issuer.clone(), name.clone());
                if let Some(row) = self.one(OF_USER, values![row.issuer, row.tenant, row.name]).await? {
                    marks.push(read(&row, WatermarkSubject::User(name.clone()))?);
                }
                last = Some(user);
            }
            if let Some(row) = self.one(OF_USER, values![issuer, tenant.clone(), name.clone()]).await? {
                marks.push(read(&row, WatermarkSubject::Subject { tenant, name })?);
            }
        }
        Ok(marks)
    }
}

/// Locks the subject's row, raises its mark to `revoked_before`, and returns the mark.
pub(super) async fn mark(tx: &mut Tx, subject: &Subject, revoked_before: Time, now: Time) -> Result<Time> {
    let Subject { issuer, tenant, name } = subject.clone();
    let expires = now.plus(REMEMBERED);
    let row = tx.one(LOCK, values![issuer, tenant, name, revoked_before, expires]).await?;
    Ok(row.map(|row| row.number(0)).transpose()?.map_or(UNSAID, Time::from_millis))
}

/// Returns the later of two marks: that of everybody, and that of the user whom `subject` names, in every tenant. A
/// transaction that holds the counter of registrations need not lock them: they are not raised meanwhile.
pub(super) async fn wider_mark(tx: &mut Tx, subject: &Subject) -> Result<Time> {
    let mut revoked_before = UNSAID;
    for Subject { issuer, tenant, name } in [all_users(), user_row(subject.issuer.clone(), subject.name.clone())] {
        if let Some(row) = tx.one(OF_USER, values![issuer, tenant, name]).await? {
            revoked_before = revoked_before.max(Time::from_millis(row.number(1)?));
        }
    }
    Ok(revoked_before)
}

/// Voids everything that any provider has said up to `now`.
pub(super) async fn void_all(tx: &mut Tx, now: Time) -> Result<()> {
    mark(tx, &all_users(), now, now).await.map(drop)
}

/// Returns the registrations that `sql` finds, whose second to fourth columns name the user. Voids what providers have
/// said about these users up to `now`; until the transaction ends, nothing new is said about them.
///
/// Security: whoever takes back what an agent holds means it. An assertion that was made before, and was not used yet
/// or may come again, would bring it back at once; the provider has to make a new one.
pub(super) async fn void_users(
    tx: &mut Tx,
    sql: &'static str,
    values: Vec<SqlValue>,
    now: Time,
) -> Result<Vec<SqlRow>> {
    let mut void = BTreeSet::new();
    loop {
        let rows = tx.all(sql, values.clone()).await?;
        // Another registration may have come while this transaction waited for others.
        let new: Vec<_> = users_of(&rows)?.difference(&void).cloned().collect();
        if new.is_empty() {
            return Ok(rows);
        }
        // Always in the same order, so that no two transactions wait for each other.
        for (issuer, tenant, name) in &new {
            let user = Subject { issuer: issuer.clone(), tenant: tenant.clone(), name: name.clone() };
            mark(tx, &user, now, now).await?;
        }
        void.extend(new);
    }
}

/// Forgets when providers took their word back for `mailbox` and for the users of its registrations `rows`, whose
/// second to fourth columns name them. Whatever uses one of these marks locks it before registrations.
pub(super) async fn forget(tx: &mut Tx, mailbox: &Mailbox, rows: &[SqlRow]) -> Result<()> {
    tx.run(UNMARK_MAILBOX, values![mailbox_row(mailbox)]).await?;
    // Always in the same order, so that no two transactions wait for each other.
    for (issuer, tenant, name) in users_of(rows)? {
        let user = user_row(issuer.clone(), name.clone());
        tx.run(UNMARK, values![issuer, tenant, name, mailbox.as_str()]).await?;
        // Whatever uses these holds the counter of registrations.
        tx.run(UNMARK_USER, values![user.issuer, user.tenant, user.name, mailbox.as_str()]).await?;
    }
    Ok(())
}

/// Returns the users of registrations as issuer, tenant and name: the second to fourth columns of `rows`.
fn users_of(rows: &[SqlRow]) -> Result<BTreeSet<(String, String, String)>> {
    let mut users = BTreeSet::new();
    for row in rows {
        if let (Some(issuer), Some(tenant), Some(name)) = (row.maybe_text(1)?, row.maybe_text(2)?, row.maybe_text(3)?) {
            users.insert((issuer, tenant, name));
        }
    }
    Ok(users)
}

/// The row that stands for every user of every provider; no issuer has an empty name.
const fn all_users() -> Subject {
    Subject { issuer: String::new(), tenant: String::new(), name: String::new() }
}

/// Returns the name of the row for the reader of `email`. Security: it holds a control character, which no claim of a
/// provider does, so no subject whose row it would be can be asserted.
fn mailbox_row(email: &Mailbox) -> String {
    format!("mailbox\n{}", email.as_str())
}

/// Returns the row for the user whom a provider calls `name`, in each of its tenants. Security: as above.
fn user_row(issuer: String, name: String) -> Subject {
    Subject { issuer, tenant: "each\ntenant".to_owned(), name }
}

fn read(row: &SqlRow, about: WatermarkSubject) -> Result<Watermark> {
    let void_before = Some(row.number(1)?).filter(|time| *time > 0).map(Time::from_millis);
    Ok(Watermark { issuer: row.text(0)?, about, void_before, expires: Time::from_millis(row.number(2)?) })
}
