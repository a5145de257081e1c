//! Watermarks: up to when the assertions of providers about a user are void.
//!
//! An assertion is compared by its own `iat`. If a provider's clock runs ahead, an assertion made shortly before a
//! revocation therefore still counts.

use std::{collections::BTreeSet, time::Duration};

use clock::Time;
use providers::Subject;
use secrets::Mailbox;

use super::{
    Result, Store,
    sql::{SqlRow, SqlValue, Tx, values},
};

/// How long a watermark is kept: longer than any assertion lives.
const REMEMBERED: Duration = Duration::from_hours(24);

/// A time before any assertion.
pub(super) const UNSAID: Time = Time::from_millis(0);

/// The row that registering, withdrawing and revoking lock, after the counter of registrations, so that two
/// transactions about one user wait for each other.
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
// Deleted with the last mailbox of the user: one mailbox may follow another.
const UNMARK: &str = "DELETE FROM watermark WHERE issuer = $1 AND tenant = $2 AND subject = $3
    AND NOT EXISTS (SELECT id FROM registration WHERE registration.issuer = watermark.issuer
        AND registration.subject = watermark.subject AND registration.tenant = watermark.tenant
        AND (registration.email IS NULL OR registration.email <> $4))";
const UNMARK_USER: &str = "DELETE FROM watermark WHERE issuer = $1 AND tenant = $2 AND subject = $3
    AND NOT EXISTS (SELECT id FROM registration WHERE registration.issuer = watermark.issuer
        AND registration.subject = watermark.subject
        AND (registration.email IS NULL OR registration.email <> $4))";

/// A provider's statements about a user, and up to when they are void.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Watermark {
    pub issuer: String,
    pub about: WatermarkSubject,
    /// Statements made up to this time are void.
    pub void_before: Option<Time>,
    /// When the watermark is deleted.
    pub expires: Time,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WatermarkSubject {
    /// A mailbox.
    Mailbox,
    /// The user of this name at the provider, in every tenant.
    User(String),
    /// A user of a provider.
    Subject {
        /// The tenant at the provider.
        tenant: String,
        /// The name at the provider.
        name: String,
    },
}

/// The subject of a provider's report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReportedUser {
    /// A user of a provider.
    Subject(Subject),
    /// The user `name` of a provider, in every tenant.
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
        email: Mailbox,
    },
}

impl ReportedUser {
    /// Returns the key of the row to lock.
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

/// Locks the subject's row, raises its watermark to `revoked_before`, and returns it.
pub(super) async fn mark(tx: &mut Tx, subject: &Subject, revoked_before: Time, now: Time) -> Result<Time> {
    let Subject { issuer, tenant, name } = subject.clone();
    let expires = now.plus(REMEMBERED);
    let row = tx.one(LOCK, values![issuer, tenant, name, revoked_before, expires]).await?;
    Ok(row.map(|row| row.number(0)).transpose()?.map_or(UNSAID, Time::from_millis))
}

/// Returns the later of two watermarks: that of all users, and that of `subject`'s name in every tenant. They need no
/// lock under the counter of registrations, where nothing raises them.
pub(super) async fn wider_mark(tx: &mut Tx, subject: &Subject) -> Result<Time> {
    let mut revoked_before = UNSAID;
    for Subject { issuer, tenant, name } in [all_users(), user_row(subject.issuer.clone(), subject.name.clone())] {
        if let Some(row) = tx.one(OF_USER, values![issuer, tenant, name]).await? {
            revoked_before = revoked_before.max(Time::from_millis(row.number(1)?));
        }
    }
    Ok(revoked_before)
}

/// Voids all assertions made up to `now`.
pub(super) async fn void_all(tx: &mut Tx, now: Time) -> Result<()> {
    mark(tx, &all_users(), now, now).await.map(drop)
}

/// Returns the registrations that `sql` selects, with the user in columns 2 to 4, and voids the assertions about these
/// users up to `now`. Until the transaction ends, no new ones are accepted.
///
/// Security: an assertion made before a revocation, unused or reusable, would restore the access at once; the provider
/// has to make a new one.
pub(super) async fn void_users(
    tx: &mut Tx,
    sql: &'static str,
    values: Vec<SqlValue>,
    now: Time,
) -> Result<Vec<SqlRow>> {
    let mut void = BTreeSet::new();
    loop {
        let rows = tx.all(sql, values.clone()).await?;
        // Registrations may have come while this transaction waited.
        let new: Vec<_> = users_of(&rows)?.difference(&void).cloned().collect();
        if new.is_empty() {
            return Ok(rows);
        }
        // Ordered, so that no two transactions wait for each other.
        for (issuer, tenant, name) in &new {
            let user = Subject { issuer: issuer.clone(), tenant: tenant.clone(), name: name.clone() };
            mark(tx, &user, now, now).await?;
        }
        void.extend(new);
    }
}

/// Deletes the watermarks of `mailbox` and of the users in columns 2 to 4 of `rows`. Lock order: watermarks before
/// registrations.
pub(super) async fn forget(tx: &mut Tx, mailbox: &Mailbox, rows: &[SqlRow]) -> Result<()> {
    tx.run(UNMARK_MAILBOX, values![mailbox_row(mailbox)]).await?;
    // Ordered, so that no two transactions wait for each other.
    for (issuer, tenant, name) in users_of(rows)? {
        let user = user_row(issuer.clone(), name.clone());
        tx.run(UNMARK, values![issuer, tenant, name, mailbox.as_str()]).await?;
        // These need no lock of their own: their users hold the counter of registrations.
        tx.run(UNMARK_USER, values![user.issuer, user.tenant, user.name, mailbox.as_str()]).await?;
    }
    Ok(())
}

/// Returns issuer, tenant and name from columns 2 to 4 of `rows`.
fn users_of(rows: &[SqlRow]) -> Result<BTreeSet<(String, String, String)>> {
    let mut users = BTreeSet::new();
    for row in rows {
        if let (Some(issuer), Some(tenant), Some(name)) = (row.maybe_text(1)?, row.maybe_text(2)?, row.maybe_text(3)?) {
            users.insert((issuer, tenant, name));
        }
    }
    Ok(users)
}

/// The row for all users of all providers: no issuer is empty.
const fn all_users() -> Subject {
    Subject { issuer: String::new(), tenant: String::new(), name: String::new() }
}

/// Returns the name of the row for a mailbox. Security: it contains a control character, which no claim may, so no
/// asserted subject has this row.
fn mailbox_row(email: &Mailbox) -> String {
    format!("mailbox\n{}", email.as_str())
}

/// Returns the row for the user `name` in every tenant. Security: as above.
fn user_row(issuer: String, name: String) -> Subject {
    Subject { issuer, tenant: "each\ntenant".to_owned(), name }
}

fn read(row: &SqlRow, about: WatermarkSubject) -> Result<Watermark> {
    let void_before = Some(row.number(1)?).filter(|time| *time > 0).map(Time::from_millis);
    Ok(Watermark { issuer: row.text(0)?, about, void_before, expires: Time::from_millis(row.number(2)?) })
}
