//! Registrations: one document each, changed by one transition at a time.

use std::sync::Arc;

use clock::Time;

use super::{
    Guesses, RegistrationGate, Result, StepResult, Store, StoreError, StoreFailure, Within, effects,
    limits::{self, Guessing},
    people::forget_person_without_rows,
    sql::{SqlRow, Tx, values},
};
use crate::domain::{Digest, Effect, Mailbox, Record, RegistrationError, RegistrationId, Seed, Step};

const LOCK: &str = "UPDATE registration SET version = version + 1 WHERE id = $1 RETURNING version, body";
const LOCK_OF: &str = "UPDATE registration SET version = version + 1 WHERE id = $1 AND email = $2 RETURNING id";
/// `expires_at` is [`Time::NEVER`], `$7`, for two reasons: nobody has to claim the registration, or the sweep has
/// reported that nobody did in time. Either way it stays so, whatever `$5` says: each expiry is reported once.
const SAVE: &str = "UPDATE registration SET body = $3, email = $4, forget_at = $6,
    expires_at = CASE WHEN expires_at = $7 THEN expires_at ELSE $5 END WHERE id = $1 AND version = $2";
const INSERT: &str = "INSERT INTO registration
    (id, version, body, claim_token, email, issuer, tenant, subject, expires_at, forget_at)
    VALUES ($1, 0, $2, $3, $4, $5, $6, $7, $8, $9)";
const READ: &str = "SELECT body FROM registration WHERE id = $1";
const BY_CLAIM_TOKEN: &str = "SELECT body FROM registration WHERE claim_token = $1";
const BY_LINK: &str = "SELECT registration, seed FROM link WHERE digest = $1";

/// What a change must take care of besides the registration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ChangeMode {
    Plain,
    /// It may take the registration from a person.
    HandsOver,
    /// It may come too often.
    Polls,
}

/// What a step did to a registration inside a transaction, with the step's answer.
pub(super) enum Updated<T> {
    /// There is no such registration, and the step was not called.
    Unknown,
    /// The registration is unchanged.
    Kept(StepResult<T>),
    Changed(StepResult<T>),
}

impl<T> Updated<T> {
    pub(super) const fn is_change(&self) -> bool {
        matches!(self, Self::Changed(_))
    }

    fn answer(self) -> Option<StepResult<T>> {
        match self {
            Self::Unknown => None,
            Self::Kept(answer) | Self::Changed(answer) => Some(answer),
        }
    }
}

impl Store {
    /// Stores a new registration with its effects if it passes `gate`; otherwise returns what stopped it.
    pub(crate) async fn insert(
        &self,
        record: Record,
        effects: Vec<Effect>,
        gate: RegistrationGate,
        now: Time,
    ) -> Result<Within<()>> {
        let (db, levels) = (Arc::clone(&self.db), Arc::clone(&self.levels));
        self.run(async move {
            let mut tx = match limits::begin(&db, &levels, &gate.budgets, now).await? {
                Ok(tx) => tx,
                Err(exhausted) => return Ok(Err(exhausted)),
            };
            limits::count_registration(&mut tx, gate.most).await?;
            insert(&mut tx, &record, effects, now).await?;
            tx.commit().await?;
            Ok(Ok(()))
        })
        .await
    }

    /// Applies `step` to the current registration `id`, which no other transaction changes meanwhile. What `step` saves
    /// happens as a whole or not at all. Returns `None` if there is no such registration.
    pub async fn update<T: Send + 'static>(
        &self,
        id: &RegistrationId,
        now: Time,
        step: impl FnOnce(Record) -> Step<T> + Send + 'static,
    ) -> Result<Option<StepResult<T>>> {
        self.change(id, ChangeMode::Plain, now, step).await
    }

    /// Like `update`, for a `step` that may take a registration from a person, who is forgotten if nothing else is left
    /// of them.
    pub async fn hand_over<T: Send + 'static>(
        &self,
        id: &RegistrationId,
        now: Time,
        step: impl FnOnce(Record) -> Step<T> + Send + 'static,
    ) -> Result<Option<StepResult<T>>> {
        self.change(id, ChangeMode::HandsOver, now, step).await
    }

    /// Like [`Store::update`], for a poll, which takes no lock when nothing about it is to be stored.
    pub(crate) async fn poll<T: Send + 'static>(
        &self,
        id: &RegistrationId,
        now: Time,
        step: impl FnOnce(Record) -> Step<T> + Send + 'static,
    ) -> Result<Option<StepResult<T>>> {
        self.change(id, ChangeMode::Polls, now, step).await
    }

    async fn change<T: Send + 'static>(
        &self,
        id: &RegistrationId,
        mode: ChangeMode,
        now: Time,
        step: impl FnOnce(Record) -> Step<T> + Send + 'static,
    ) -> Result<Option<StepResult<T>>> {
        let db = Arc::clone(&self.db);
        let id = id.clone();
        self.run(async move {
            let permit = db.acquire_write_permit().await?;
            if mode == ChangeMode::Polls
                && let Some(row) = db.one(READ, values![id.as_str()]).await?
                && let Some(refusal) = parse_record(&row, 0)?.early_poll_error(now)
            {
                return Ok(Some(Err(refusal)));
            }
            let mut tx = db.begin_with(permit).await?;
            if mode == ChangeMode::HandsOver {
                limits::lock_registrations(&mut tx).await?;
            }
            let updated = update(&mut tx, &id, now, step).await?;
            if updated.is_change() {
                tx.commit().await?;
            } else {
                tx.roll_back().await?;
            }
            Ok(updated.answer())
        })
        .await
    }

    /// Like `update`, for a guess at a code. The guess is counted before it is compared, and given back if it is not
    /// wrong. The budgets and the registration change together, so that however many guess at once, no more guesses are
    /// compared than are left.
    pub(crate) async fn guess<T: Send + 'static>(
        &self,
        id: &RegistrationId,
        guesses: Guesses,
        now: Time,
        step: impl FnOnce(Record) -> Step<T> + Send + 'static,
    ) -> Result<Within<Option<StepResult<T>>>> {
        let (db, levels) = (Arc::clone(&self.db), Arc::clone(&self.levels));
        let id = id.clone();
        self.run(async move {
            let mut tx = db.begin().await?;
            let guessing = match limits::guess(&mut tx, &levels, &guesses, now).await? {
                Ok(guessing) => guessing,
                Err(exhausted) => {
                    tx.roll_back().await?;
                    return Ok(Err(exhausted));
                }
            };
            let is_free = matches!(guessing, Guessing::Free);
            // A claim may take a user's link from a person.
            limits::lock_registrations(&mut tx).await?;
            let mut refused = None;
            let updated = update(&mut tx, &id, now, |record| match guessing {
                Guessing::FirstOnly(exhausted) if !record.claim.is_untried() => {
                    refused = Some(exhausted);
                    Step::Keep(Err(RegistrationError::STORE))
                }
                Guessing::Free | Guessing::FirstOnly(_) => step(record),
            })
            .await?;
            if let Some(exhausted) = refused {
                tx.roll_back().await?;
                return Ok(Err(exhausted));
            }
            match &updated {
                Updated::Unknown | Updated::Kept(_) => tx.roll_back().await?,
                Updated::Changed(answer) => {
                    if !matches!(answer, Err(RegistrationError::WrongCode { .. })) {
                        limits::give_back(&mut tx, &guesses, is_free, now).await?;
                    }
                    tx.commit().await?;
                }
            }
            Ok(Ok(updated.answer()))
        })
        .await
    }

    /// Returns the registration `id`.
    pub async fn record(&self, id: &RegistrationId) -> Result<Option<Record>> {
        self.one(READ, values![id.as_str()]).await?.map(|row| parse_record(&row, 0)).transpose()
    }

    /// Returns the registration whose claim token has this digest.
    pub(crate) async fn by_claim_token(&self, digest: &Digest) -> Result<Option<Record>> {
        self.one(BY_CLAIM_TOKEN, values![digest.as_str()]).await?.map(|row| parse_record(&row, 0)).transpose()
    }

    /// Returns the registration and the attempt to which the link of this digest leads.
    pub async fn by_link(&self, digest: &Digest) -> Result<Option<(RegistrationId, Seed)>> {
        let row = self.one(BY_LINK, values![digest.as_str()]).await?;
        row.map(|row| Ok((RegistrationId::new(row.text(0)?), Seed::new(row.text(1)?)))).transpose()
    }
}

/// Stores a new registration, which has been counted, inside a transaction.
pub(super) async fn insert(tx: &mut Tx, record: &Record, effects: Vec<Effect>, now: Time) -> Result<()> {
    let subject = record.subject();
    let part = |of: fn(&crate::domain::Subject) -> &String| subject.as_ref().map(|subject| of(subject).clone());
    let values = values![
        record.id.as_str(),
        record_json(record)?,
        record.claim_token.as_ref().map(|digest| digest.as_str().to_owned()),
        record.mailbox().map(|mailbox| mailbox.as_str().to_owned()),
        part(|subject| &subject.issuer),
        part(|subject| &subject.tenant),
        part(|subject| &subject.name),
        record.expires(),
        record.forget_at(),
    ];
    tx.run(INSERT, values).await?;
    effects::apply(tx, &record.id, effects, now).await
}

/// Like [`Store::update`], inside a transaction, but only if `id` is still `mailbox`'s: the caller looked for it by the
/// mailbox without a lock, and meanwhile another person may have been asked.
pub(super) async fn update_of<T>(
    tx: &mut Tx,
    (id, mailbox): (&RegistrationId, &Mailbox),
    now: Time,
    step: impl FnOnce(Record) -> Step<T>,
) -> Result<Updated<T>> {
    match tx.one(LOCK_OF, values![id.as_str(), mailbox.as_str()]).await? {
        Some(_) => update(tx, id, now, step).await,
        None => Ok(Updated::Unknown),
    }
}

/// Like [`Store::update`], inside a transaction. A step may take the registration from a person, who is forgotten if
/// nothing else is left of them: a transaction with such a step has locked the counter of registrations by
/// [`limits::lock_registrations`].
pub(super) async fn update<T>(
    tx: &mut Tx,
    id: &RegistrationId,
    now: Time,
    step: impl FnOnce(Record) -> Step<T>,
) -> Result<Updated<T>> {
    // On PostgreSQL the write locks the row; on SQLite the transaction has already locked the file.
    let Some(row) = tx.one(LOCK, values![id.as_str()]).await? else { return Ok(Updated::Unknown) };
    let version = row.number(0)?;
    let record = parse_record(&row, 1)?;
    let before = record.mailbox().cloned();
    match step(record) {
        Step::Keep(answer) => Ok(Updated::Kept(answer)),
        Step::Save(record, effects, answer) => {
            // A registration that has ended stays with the person it belonged to, so that nothing of them is left when
            // it is forgotten.
            let kept = before.as_ref().filter(|_| record.claim.is_ended());
            let mailbox = record.mailbox().or(kept);
            let left = before.as_ref().filter(|before| mailbox != Some(before)).map(|left| left.as_str().to_owned());
            let email = mailbox.map(|mailbox| mailbox.as_str().to_owned());
            let (expires, forget_at) = (record.expires(), record.forget_at());
            let saved = values![id.as_str(), version, record_json(&record)?, email, expires, forget_at, Time::NEVER];
            if tx.run(SAVE, saved).await? != 1 {
                tracing::error!(registration = %id, "a registration changed while it was locked");
                return Err(StoreError::Down(StoreFailure::Unusable));
            }
            effects::apply(tx, id, effects, now).await?;
            if let Some(left) = left {
                forget_person_without_rows(tx, left).await?;
            }
            Ok(Updated::Changed(answer))
        }
    }
}

/// Parses the document in a column.
pub(super) fn parse_record(row: &SqlRow, column: usize) -> Result<Record> {
    serde_json::from_str(&row.text(column)?).map_err(|_| {
        tracing::error!("the document of a registration cannot be parsed");
        StoreError::Down(StoreFailure::Unusable)
    })
}

fn record_json(record: &Record) -> Result<String> {
    serde_json::to_string(record).map_err(|_| StoreError::Down(StoreFailure::Unusable))
}
