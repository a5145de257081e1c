//! Registrations: one document each, changed by one transition at a time.

use std::sync::Arc;

use clock::Time;
use providers::Subject;
use secrets::{Digest, Mailbox, RegistrationId, Seed};

use super::{
    Guesses, RegistrationGate, Result, StepResult, Store, StoreError, StoreFailure, Within, effects,
    limits::{self, Guessing},
    people::forget_person_without_rows,
    sql::{SqlRow, Tx, values},
};
use crate::domain::{Effect, RegistrationError, RegistrationRecord, Step};

const LOCK: &str = "UPDATE registration SET version = version + 1 WHERE id = $1 RETURNING version, body";
const LOCK_OF: &str = "UPDATE registration SET version = version + 1 WHERE id = $1 AND email = $2 RETURNING id";
/// `expires_at` is [`Time::NEVER`] (`$7`) if the registration needs no claim or its expiry was reported. It then stays
/// so, whatever `$5` is: each expiry is reported once.
const SAVE: &str = "UPDATE registration SET body = $3, email = $4, forget_at = $6,
    expires_at = CASE WHEN expires_at = $7 THEN expires_at ELSE $5 END WHERE id = $1 AND version = $2";
const INSERT: &str = "INSERT INTO registration
    (id, version, body, claim_token, email, issuer, tenant, subject, expires_at, forget_at)
    VALUES ($1, 0, $2, $3, $4, $5, $6, $7, $8, $9)";
const READ: &str = "SELECT body FROM registration WHERE id = $1";
const BY_CLAIM_TOKEN: &str = "SELECT body FROM registration WHERE claim_token = $1";
const BY_LINK: &str = "SELECT registration, seed FROM link WHERE digest = $1";

/// What a change does besides the transition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ChangeMode {
    Plain,
    /// May move the registration to another person: locks the counter of registrations.
    HandsOver,
    /// A poll, which may come too early: checked without a lock.
    Polls,
}

/// What a step did to a registration, with the step's result.
pub(super) enum Updated<T> {
    /// There is no such registration.
    Unknown,
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
    /// Stores a new registration with its effects, unless `gate` is exhausted.
    pub(crate) async fn insert(
        &self,
        record: RegistrationRecord,
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

    /// Applies `step` to the registration `id`, which is locked. The new state and its effects are stored together or
    /// not at all. Returns `None` if there is no such registration.
    pub async fn update<T: Send + 'static>(
        &self,
        id: &RegistrationId,
        now: Time,
        step: impl FnOnce(RegistrationRecord) -> Step<T> + Send + 'static,
    ) -> Result<Option<StepResult<T>>> {
        self.change(id, ChangeMode::Plain, now, step).await
    }

    /// Like `update`, for a `step` that may move the registration to another person. A person without other rows is
    /// deleted.
    pub async fn update_person<T: Send + 'static>(
        &self,
        id: &RegistrationId,
        now: Time,
        step: impl FnOnce(RegistrationRecord) -> Step<T> + Send + 'static,
    ) -> Result<Option<StepResult<T>>> {
        self.change(id, ChangeMode::HandsOver, now, step).await
    }

    /// Like [`Store::update`], for a poll. One that comes too early takes no lock.
    pub(crate) async fn poll<T: Send + 'static>(
        &self,
        id: &RegistrationId,
        now: Time,
        step: impl FnOnce(RegistrationRecord) -> Step<T> + Send + 'static,
    ) -> Result<Option<StepResult<T>>> {
        self.change(id, ChangeMode::Polls, now, step).await
    }

    async fn change<T: Send + 'static>(
        &self,
        id: &RegistrationId,
        mode: ChangeMode,
        now: Time,
        step: impl FnOnce(RegistrationRecord) -> Step<T> + Send + 'static,
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
    /// wrong. Budgets and registration change in one transaction, so that concurrent guesses cannot exceed the budgets.
    pub(crate) async fn guess<T: Send + 'static>(
        &self,
        id: &RegistrationId,
        guesses: Guesses,
        now: Time,
        step: impl FnOnce(RegistrationRecord) -> Step<T> + Send + 'static,
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
            // A claim may move a user's link to another person.
            limits::lock_registrations(&mut tx).await?;
            let mut refused = None;
            let updated = update(&mut tx, &id, now, |record| match guessing {
                Guessing::FirstOnly(exhausted) if !record.claim.has_no_guess() => {
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
                        limits::refund_guess(&mut tx, &guesses, is_free, now).await?;
                    }
                    tx.commit().await?;
                }
            }
            Ok(Ok(updated.answer()))
        })
        .await
    }

    pub async fn record(&self, id: &RegistrationId) -> Result<Option<RegistrationRecord>> {
        self.one(READ, values![id.as_str()]).await?.map(|row| parse_record(&row, 0)).transpose()
    }

    pub(crate) async fn by_claim_token(&self, digest: &Digest) -> Result<Option<RegistrationRecord>> {
        self.one(BY_CLAIM_TOKEN, values![digest.as_str()]).await?.map(|row| parse_record(&row, 0)).transpose()
    }

    /// Returns the registration and the attempt of a claim link.
    /// Returns the seeds of open links and of messages in the queue, at most a thousand of each.
    pub async fn open_seeds(&self) -> Result<Vec<Seed>> {
        let mut seeds = Vec::new();
        for sql in ["SELECT seed FROM link LIMIT 1000", "SELECT seed FROM outbox LIMIT 1000"] {
            for row in self.all(sql, values![]).await? {
                seeds.push(Seed::new(row.text(0)?));
            }
        }
        Ok(seeds)
    }

    pub async fn by_link(&self, digest: &Digest) -> Result<Option<(RegistrationId, Seed)>> {
        let row = self.one(BY_LINK, values![digest.as_str()]).await?;
        row.map(|row| Ok((RegistrationId::new(row.text(0)?), Seed::new(row.text(1)?)))).transpose()
    }
}

/// Stores a registration that was counted before.
pub(super) async fn insert(tx: &mut Tx, record: &RegistrationRecord, effects: Vec<Effect>, now: Time) -> Result<()> {
    let subject = record.subject();
    let part = |of: fn(&Subject) -> &String| subject.as_ref().map(|subject| of(subject).clone());
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

/// Like [`Store::update`], inside a transaction, but only if `id` still belongs to `mailbox`: it was found without a
/// lock and may have moved to another person.
pub(super) async fn update_of<T>(
    tx: &mut Tx,
    (id, mailbox): (&RegistrationId, &Mailbox),
    now: Time,
    step: impl FnOnce(RegistrationRecord) -> Step<T>,
) -> Result<Updated<T>> {
    match tx.one(LOCK_OF, values![id.as_str(), mailbox.as_str()]).await? {
        Some(_) => update(tx, id, now, step).await,
        None => Ok(Updated::Unknown),
    }
}

/// Like [`Store::update`], inside a transaction. If the step may move the registration to another person, the caller
/// has called [`limits::lock_registrations`].
pub(super) async fn update<T>(
    tx: &mut Tx,
    id: &RegistrationId,
    now: Time,
    step: impl FnOnce(RegistrationRecord) -> Step<T>,
) -> Result<Updated<T>> {
    // On PostgreSQL the statement locks the row; on SQLite the transaction has locked the file.
    let Some(row) = tx.one(LOCK, values![id.as_str()]).await? else { return Ok(Updated::Unknown) };
    let version = row.number(0)?;
    let record = parse_record(&row, 1)?;
    let before = record.mailbox().cloned();
    match step(record) {
        Step::Keep(answer) => Ok(Updated::Kept(answer)),
        Step::Save(record, effects, answer) => {
            // A registration that has ended keeps its mailbox, so that the person's data are deleted with it.
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

pub(super) fn parse_record(row: &SqlRow, column: usize) -> Result<RegistrationRecord> {
    serde_json::from_str(&row.text(column)?).map_err(|_| {
        tracing::error!("the document of a registration cannot be parsed");
        StoreError::Down(StoreFailure::Unusable)
    })
}

fn record_json(record: &RegistrationRecord) -> Result<String> {
    serde_json::to_string(record).map_err(|_| StoreError::Down(StoreFailure::Unusable))
}
