//! What providers say: admitting a user on a provider's word, and taking the word back.

use std::{sync::Arc, time::Duration};

use super::{
    Answer, BATCH, Budget, Result, Store, Within, limits,
    registrations::{insert, mailbox, update},
    sql::{Tx, values},
};
use crate::{
    Time,
    registration::{By, Effect, Mailbox, Record, RegistrationId, Spent, Step, Subject, providers::SKEW},
};

/// How long a withdrawn word is remembered: longer than any assertion lives.
const REMEMBERED: Duration = Duration::from_hours(24);

/// Before any word.
const NEVER: Time = Time::from_millis(0);

/// What whoever admits, withdraws or takes back locks behind the counter of registrations: of two about one user, one waits.
const LOCK: &str = "INSERT INTO watermark (issuer, tenant, subject, revoked_before, expires_at)
    VALUES ($1, $2, $3, $4, $5)
    ON CONFLICT (issuer, tenant, subject) DO UPDATE SET
        revoked_before = CASE WHEN excluded.revoked_before > watermark.revoked_before
            THEN excluded.revoked_before ELSE watermark.revoked_before END,
        expires_at = CASE WHEN excluded.expires_at > watermark.expires_at
            THEN excluded.expires_at ELSE watermark.expires_at END
    RETURNING revoked_before";
const DELEGATION: &str = "SELECT email FROM delegation WHERE issuer = $1 AND tenant = $2 AND subject = $3";
const KNOWN: &str = "SELECT email FROM principal WHERE email = $1";
const MARK: &str = "SELECT revoked_before FROM watermark WHERE issuer = $1 AND tenant = $2 AND subject = $3";
const SEEN: &str = "SELECT ended FROM jti WHERE issuer = $1 AND digest = $2";
const SETTLE: &str = "INSERT INTO jti (issuer, digest, expires_at, ended) VALUES ($1, $2, $3, $4)
    ON CONFLICT DO NOTHING";
const BY_SUBJECT: &str = "SELECT id, tenant FROM registration
    WHERE issuer = $1 AND tenant = $2 AND subject = $3 AND id > $4 ORDER BY id LIMIT $5";
const BY_USER: &str = "SELECT id, tenant FROM registration
    WHERE issuer = $1 AND subject = $2 AND (tenant, id) > ($3, $4) ORDER BY tenant, id LIMIT $5";
const BY_EMAIL: &str =
    "SELECT id, tenant FROM registration WHERE issuer = $1 AND email = $2 AND id > $3 ORDER BY id LIMIT $4";

/// To whom a subject is linked; to nobody's mailbox where the provider vouched for a telephone number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Linked(pub(crate) Option<Mailbox>);

/// What is known of a user whom a provider asserts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Acquaintance {
    /// Until when the provider's word is void.
    pub(crate) revoked_before: Option<Time>,
    /// Whether the subject is linked, and to whom.
    pub(crate) link: Option<Linked>,
    /// Whether the asserted mailbox is somebody's already.
    pub(crate) is_known: bool,
}

/// Whom an event is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Reported {
    Subject(Subject),
    /// Whoever the provider calls `name`, in each of its tenants.
    User {
        issuer: String,
        name: String,
    },
    Email {
        issuer: String,
        email: Mailbox,
    },
}

/// The name of the row for whoever reads `email`. Security: it holds a control character, which no claim of a provider
/// does, so no subject can be asserted whose row it would be.
pub(super) fn mailbox_row(email: &Mailbox) -> String {
    format!("mailbox\n{}", email.as_str())
}

/// The row for whoever a provider calls `name`, in each of its tenants. Security: as above.
pub(super) fn user_row(issuer: String, name: String) -> Subject {
    Subject { issuer, tenant: "each\ntenant".to_owned(), name }
}

impl Reported {
    /// The row that admitting and withdrawing both lock.
    fn key(&self) -> Subject {
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
    /// Lets `decide` make a registration of what is known about `subject`, in one transaction, if it passes `gate`.
    /// Security: what is refused, and what was seen before, takes nothing.
    pub(crate) async fn admit<T: Send + 'static>(
        &self,
        (subject, email): (Subject, Option<Mailbox>),
        gate: Vec<Budget>,
        now: Time,
        decide: impl FnOnce(Acquaintance) -> Answer<(Record, Vec<Effect>, T)> + Send + 'static,
    ) -> Result<Within<Answer<T>>> {
        let db = Arc::clone(&self.db);
        self.run(async move {
            let mut tx = db.begin().await?;
            let exhausted = limits::take(&mut tx, &gate, now).await?;
            limits::arrive(&mut tx, None).await?;
            let acquaintance = acquaintance(&mut tx, &subject, email.as_ref(), now).await?;
            let (record, effects, answer) = match (decide(acquaintance), exhausted) {
                (Ok(decided), None) => decided,
                (Ok(_), Some(exhausted)) => {
                    tx.roll_back().await?;
                    return Ok(Err(exhausted));
                }
                (Err(refusal), _) => {
                    tx.roll_back().await?;
                    return Ok(Ok(Err(refusal)));
                }
            };
            insert(&mut tx, &record, effects, now).await?;
            tx.commit().await?;
            Ok(Ok(Ok(answer)))
        })
        .await
    }

    /// Takes a provider's word back: what rests on it and was asserted before `issued_at` ends. Usually that is one
    /// transaction. Of very many registrations each ends a batch, and the event counts as seen with the last, so that
    /// one that breaks off is taken up again when the provider repeats it. How many ended by the event, now or when it came
    /// first.
    pub(crate) async fn withdraw(&self, spent: Spent, about: Reported, issued_at: Time, now: Time) -> Result<usize> {
        let mut ended = 0;
        let mut last = Last::default();
        loop {
            let (db, spent, about) = (Arc::clone(&self.db), spent.clone(), about.clone());
            let (before, after) = (ended, last);
            let step = self.run(async move {
                let mut tx = db.begin().await?;
                let step = withdraw(&mut tx, (&spent, &about), (before, after), issued_at, now).await?;
                tx.commit().await?;
                Ok(step)
            });
            match step.await? {
                Batch::Repeated(count) => return Ok(count),
                Batch::Ended(more, None) => return Ok(ended + more),
                Batch::Ended(more, Some(next)) => {
                    ended += more;
                    last = next;
                }
            }
        }
    }

    /// Lets nothing count that any provider has said up to `now`: what it has said since a copy of the store was made,
    /// and what was taken back since, nobody knows any more.
    pub(crate) async fn begin_anew(&self, now: Time) -> Result<()> {
        let db = Arc::clone(&self.db);
        self.run(async move {
            let mut tx = db.begin().await?;
            mark(&mut tx, &everybody(), now, now).await?;
            Ok(tx.commit().await?)
        })
        .await
    }

    /// Remembers that an event was seen, which asks for nothing.
    pub(crate) async fn acknowledge(&self, spent: Spent) -> Result<()> {
        const ACKNOWLEDGE: &str =
            "INSERT INTO jti (issuer, digest, expires_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING RETURNING issuer";
        self.one(ACKNOWLEDGE, values![spent.issuer, spent.jti, spent.expires]).await.map(drop)
    }
}

/// What one transaction of a withdrawal did.
enum Batch {
    /// Nothing: the event was seen, and ended so many.
    Repeated(usize),
    /// So many ended; after the last there may be more.
    Ended(usize, Option<Last>),
}

/// The registration with which a batch ended, by what they are in order; at first, what stands before each.
#[derive(Default)]
struct Last {
    tenant: String,
    id: String,
}

/// Ends a batch of what rests on a word, after the registration `last`; `before` have ended already.
async fn withdraw(
    tx: &mut Tx,
    (spent, about): (&Spent, &Reported),
    (before, last): (usize, Last),
    issued_at: Time,
    now: Time,
) -> Result<Batch> {
    // Nobody registers meanwhile, whom this would not see.
    limits::leave(tx, 0).await?;
    // The lock first: of two that arrive together one waits here, and then finds the event seen.
    mark(tx, &about.key(), NEVER, now).await?;
    if let Some(row) = tx.one(SEEN, values![spent.issuer.clone(), spent.jti.clone()]).await? {
        return Ok(Batch::Repeated(usize::try_from(row.number(0)?).unwrap_or(0)));
    }
    mark(tx, &about.key(), issued_at, now).await?;
    let rows = match about {
        Reported::Subject(subject) => {
            let Subject { issuer, tenant, name } = subject.clone();
            tx.all(BY_SUBJECT, values![issuer, tenant, name, last.id, BATCH]).await?
        }
        Reported::User { issuer, name } => {
            tx.all(BY_USER, values![issuer.clone(), name.clone(), last.tenant, last.id, BATCH]).await?
        }
        Reported::Email { issuer, email } => {
            tx.all(BY_EMAIL, values![issuer.clone(), email.as_str(), last.id, BATCH]).await?
        }
    };
    let mut ended = 0;
    for row in &rows {
        let id = RegistrationId::new(row.text(0)?);
        let (is_ended, _) = update(tx, &id, now, |record| {
            let before = record.provider.as_ref().is_some_and(|word| word.asserted <= issued_at.plus(SKEW));
            if before { record.revoke(By::Provider, now) } else { Step::Keep(Ok(false)) }
        })
        .await?;
        ended += usize::from(is_ended);
    }
    if let Some(last) = rows.get(BATCH - 1) {
        return Ok(Batch::Ended(ended, Some(Last { id: last.text(0)?, tenant: last.text(1)? })));
    }
    let count = i64::try_from(before + ended).unwrap_or(i64::MAX);
    tx.run(SETTLE, values![spent.issuer.clone(), spent.jti.clone(), spent.expires, count]).await?;
    Ok(Batch::Ended(ended, None))
}

/// Stands for every user of every provider; no issuer has an empty name.
const fn everybody() -> Subject {
    Subject { issuer: String::new(), tenant: String::new(), name: String::new() }
}

async fn acquaintance(tx: &mut Tx, subject: &Subject, email: Option<&Mailbox>, now: Time) -> Result<Acquaintance> {
    let mut revoked_before = mark(tx, subject, NEVER, now).await?;
    // Nobody raises these meanwhile: the counter of registrations is locked.
    for Subject { issuer, tenant, name } in [everybody(), user_row(subject.issuer.clone(), subject.name.clone())] {
        if let Some(row) = tx.one(MARK, values![issuer, tenant, name]).await? {
            revoked_before = revoked_before.max(Time::from_millis(row.number(0)?));
        }
    }
    let link = linked(tx, subject).await?;
    // Security: who names no mailbox comes in that of the link, of which a report may have spoken.
    if let Some(email) = email.or_else(|| link.as_ref().and_then(|link| link.0.as_ref())) {
        let about = Reported::Email { issuer: subject.issuer.clone(), email: email.clone() };
        revoked_before = revoked_before.max(mark(tx, &about.key(), NEVER, now).await?);
    }
    let is_known = match email {
        Some(email) => tx.one(KNOWN, values![email.as_str()]).await?.is_some(),
        None => false,
    };
    Ok(Acquaintance { revoked_before: Some(revoked_before).filter(|time| *time > NEVER), link, is_known })
}

/// To whom `subject` is linked, if it is.
pub(super) async fn linked(tx: &mut Tx, subject: &Subject) -> Result<Option<Linked>> {
    let Subject { issuer, tenant, name } = subject.clone();
    let row = tx.one(DELEGATION, values![issuer, tenant, name]).await?;
    Ok(row.map(|row| row.maybe_text(0)).transpose()?.map(|email| Linked(mailbox(email))))
}

/// Locks the subject's row, raises its mark to `revoked_before`, and gives the mark.
pub(super) async fn mark(tx: &mut Tx, subject: &Subject, revoked_before: Time, now: Time) -> Result<Time> {
    let Subject { issuer, tenant, name } = subject.clone();
    let expires = now.plus(REMEMBERED);
    let row = tx.one(LOCK, values![issuer, tenant, name, revoked_before, expires]).await?;
    Ok(Time::from_millis(row.map(|row| row.number(0)).transpose()?.unwrap_or(0)))
}
