//! Provider assertions and reports: registers a user, and revokes registrations.

use std::sync::Arc;

use clock::Time;
use providers::{SKEW, Subject};
use secrets::{Mailbox, RegistrationId};

use super::{
    BATCH, Budget, Result, StepResult, Store, Within, limits,
    people::{Linked, find_link},
    registrations::{insert, update},
    sql::{Tx, values},
    watermarks::{ReportedUser, UNSAID, mark, void_all, wider_mark},
};
use crate::domain::{By, Effect, RegistrationRecord, Spent, Step};

const KNOWN: &str = "SELECT email FROM principal WHERE email = $1";
const SEEN: &str = "SELECT ended FROM jti WHERE issuer = $1 AND digest = $2";
const SETTLE: &str = "INSERT INTO jti (issuer, digest, expires_at, ended) VALUES ($1, $2, $3, $4)
    ON CONFLICT DO NOTHING";
const BY_SUBJECT: &str = "SELECT id, tenant FROM registration
    WHERE issuer = $1 AND tenant = $2 AND subject = $3 AND id > $4 ORDER BY id LIMIT $5";
const BY_USER: &str = "SELECT id, tenant FROM registration
    WHERE issuer = $1 AND subject = $2 AND (tenant, id) > ($3, $4) ORDER BY tenant, id LIMIT $5";
const BY_EMAIL: &str =
    "SELECT id, tenant FROM registration WHERE issuer = $1 AND email = $2 AND id > $3 ORDER BY id LIMIT $4";

/// What the store has about an asserted user.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KnownUser {
    /// Assertions made up to this time are void.
    pub(crate) revoked_before: Option<Time>,
    /// The link of the subject.
    pub(crate) link: Option<Linked>,
    /// Whether the asserted mailbox belongs to a known person.
    pub(crate) is_known: bool,
}

impl Store {
    /// Makes a registration by `decide` from what is known about `subject`, in one transaction, if `gate` has room.
    /// Security: a rejected or replayed assertion takes nothing from the budgets.
    pub(crate) async fn admit<T: Send + 'static>(
        &self,
        (subject, email): (Subject, Option<Mailbox>),
        gate: Vec<Budget>,
        now: Time,
        decide: impl FnOnce(KnownUser) -> StepResult<(RegistrationRecord, Vec<Effect>, T)> + Send + 'static,
    ) -> Result<Within<StepResult<T>>> {
        let (db, levels) = (Arc::clone(&self.db), Arc::clone(&self.levels));
        self.run(async move {
            let mut tx = db.begin().await?;
            let exhausted = limits::take(&mut tx, &levels, &gate, now).await?;
            limits::count_registration(&mut tx, None).await?;
            let known_user = known_user(&mut tx, &subject, email.as_ref(), now).await?;
            let (record, effects, answer) = match (decide(known_user), exhausted) {
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

    /// Ends the registrations that rest on assertions made up to `issued_at` plus `SKEW`. Usually one transaction; with
    /// very many registrations one for each batch, and the event counts as seen only with the last, so that an
    /// interrupted withdrawal is resumed when the provider repeats the event. Returns how many ended because of the
    /// event, now or when it first came.
    pub(crate) async fn withdraw(
        &self,
        spent: Spent,
        about: ReportedUser,
        issued_at: Time,
        now: Time,
    ) -> Result<usize> {
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

    /// Voids all assertions made up to `now`. After a restore, assertions and revocations since the copy are unknown.
    pub async fn void_all_assertions(&self, now: Time) -> Result<()> {
        let db = Arc::clone(&self.db);
        self.run(async move {
            let mut tx = db.begin().await?;
            void_all(&mut tx, now).await?;
            Ok(tx.commit().await?)
        })
        .await
    }

    /// Records an event without consequences as seen.
    pub(crate) async fn acknowledge(&self, spent: Spent) -> Result<()> {
        const ACKNOWLEDGE: &str =
            "INSERT INTO jti (issuer, digest, expires_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING RETURNING issuer";
        self.one(ACKNOWLEDGE, values![spent.issuer, spent.jti, spent.expires]).await.map(drop)
    }
}

/// The result of one transaction of a withdrawal.
enum Batch {
    /// The event was seen before, and ended this many.
    Repeated(usize),
    /// Ended this many; there may be more after `Last`.
    Ended(usize, Option<Last>),
}

/// The last registration of a batch, in the order of the query. The default sorts first.
#[derive(Default)]
struct Last {
    tenant: String,
    id: String,
}

/// Ends a batch after the registration `last`; `before` have already ended.
async fn withdraw(
    tx: &mut Tx,
    (spent, about): (&Spent, &ReportedUser),
    (before, last): (usize, Last),
    issued_at: Time,
    now: Time,
) -> Result<Batch> {
    // Lock, so that every registration is seen.
    limits::lock_registrations(tx).await?;
    // Lock before reading: the second of two concurrent events then finds the event seen.
    mark(tx, &about.key(), UNSAID, now).await?;
    if let Some(row) = tx.one(SEEN, values![spent.issuer.clone(), spent.jti.clone()]).await? {
        return Ok(Batch::Repeated(usize::try_from(row.number(0)?).unwrap_or(0)));
    }
    mark(tx, &about.key(), issued_at, now).await?;
    let rows = match about {
        ReportedUser::Subject(subject) => {
            let Subject { issuer, tenant, name } = subject.clone();
            tx.all(BY_SUBJECT, values![issuer, tenant, name, last.id, BATCH]).await?
        }
        ReportedUser::User { issuer, name } => {
            tx.all(BY_USER, values![issuer.clone(), name.clone(), last.tenant, last.id, BATCH]).await?
        }
        ReportedUser::Email { issuer, email } => {
            tx.all(BY_EMAIL, values![issuer.clone(), email.as_str(), last.id, BATCH]).await?
        }
    };
    let mut ended = 0;
    for row in &rows {
        let id = RegistrationId::new(row.text(0)?);
        let updated = update(tx, &id, now, |record| {
            let before = record.provider.as_ref().is_some_and(|word| word.asserted <= issued_at.plus(SKEW));
            if before { record.revoke(By::Provider, now) } else { Step::Keep(Ok(false)) }
        })
        .await?;
        ended += usize::from(updated.is_change());
    }
    if let Some(last) = rows.get(BATCH - 1) {
        return Ok(Batch::Ended(ended, Some(Last { id: last.text(0)?, tenant: last.text(1)? })));
    }
    let count = i64::try_from(before + ended).unwrap_or(i64::MAX);
    tx.run(SETTLE, values![spent.issuer.clone(), spent.jti.clone(), spent.expires, count]).await?;
    Ok(Batch::Ended(ended, None))
}

async fn known_user(tx: &mut Tx, subject: &Subject, email: Option<&Mailbox>, now: Time) -> Result<KnownUser> {
    let mut revoked_before = mark(tx, subject, UNSAID, now).await?;
    revoked_before = revoked_before.max(wider_mark(tx, subject).await?);
    let link = find_link(tx, subject).await?;
    // Security: without an asserted mailbox, the user gets that of the link, and a report may have been about it.
    if let Some(email) = email.or_else(|| link.as_ref().and_then(|link| link.0.as_ref())) {
        let about = ReportedUser::Email { issuer: subject.issuer.clone(), email: email.clone() };
        revoked_before = revoked_before.max(mark(tx, &about.key(), UNSAID, now).await?);
    }
    let is_known = match email {
        Some(email) => tx.one(KNOWN, values![email.as_str()]).await?.is_some(),
        None => false,
    };
    Ok(KnownUser { revoked_before: Some(revoked_before).filter(|time| *time > UNSAID), link, is_known })
}
