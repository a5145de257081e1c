//! Letters between the outbox and the mail server: whether they are still wanted, and from when they count as sent.

use clock::Time;
use forms::{Content, Letter};

use super::Registrar;
use crate::{
    domain::{Digest, Mailbox, Record, Seed},
    registrar::{Caller, budgets::Writing},
    store::StoreError,
};

/// What happens to a letter.
pub(crate) enum Fate {
    /// It is sent, like this.
    Sent(Letter),
    /// Its reader wants no messages; this is what would be sent.
    Unwanted(Letter),
    /// There is no reason to send it any more.
    Void,
}

#[cfg(test)]
impl Fate {
    /// Returns the letter, if it is sent.
    pub(crate) fn sent(self) -> Option<Letter> {
        if let Self::Sent(letter) = self { Some(letter) } else { None }
    }
}

impl Registrar {
    /// Returns what happens to `letter` at `now`. `seed` is that of its link.
    pub(crate) async fn fate(&self, letter: Letter, seed: &Seed, now: Time) -> Result<Fate, StoreError> {
        if self.0.store.is_silent(&Mailbox::known(letter.to.as_str()).digest()).await? {
            return Ok(Fate::Unwanted(letter));
        }
        match letter.content {
            Content::Claim { .. } => {}
            Content::Superseded { .. } | Content::Revoked { .. } => return Ok(Fate::Sent(letter)),
            // Security: decided here, and not where it was asked for, so that whoever asked cannot tell.
            Content::Access { .. } => {
                let to = Mailbox::known(letter.to.as_str());
                return Ok(if self.holds(&to, now).await? { Fate::Sent(letter) } else { Fate::Void });
            }
        }
        let Some(record) = self.asked_by(seed).await? else { return Ok(Fate::Void) };
        // A request that has lapsed meanwhile is not announced; the time of any other begins now, unless its letter
        // left before.
        let claim = record.claim.clone().send(seed, now).unwrap_or(record.claim);
        let Ok(attempt) = claim.for_link(seed, now) else { return Ok(Fate::Void) };
        let mut letter = letter;
        if let Content::Claim { expires, .. } = &mut letter.content {
            *expires = claim.end_of(attempt, now);
        }
        Ok(Fate::Sent(letter))
    }

    /// Returns what `fate`, which was that of the letter `id` when it was taken, has become since: the letter waits
    /// until it may be sent, and meanwhile its reader may be erased, or stop messages.
    pub(crate) async fn fate_since(&self, fate: Fate, id: &str) -> Result<Fate, StoreError> {
        let letter = match &fate {
            Fate::Sent(letter) | Fate::Unwanted(letter) => letter,
            Fate::Void => return Ok(fate),
        };
        let to = Mailbox::known(letter.to.as_str()).digest();
        Ok(match (self.0.store.is_unwanted(id, &to).await?, fate) {
            (None, _) => Fate::Void,
            (Some(true), Fate::Sent(letter)) => Fate::Unwanted(letter),
            (Some(_), fate) => fate,
        })
    }

    /// Takes the budget of the letter `id`, whose fate is known, unless that was done when it was written or since.
    /// Returns whether there was any left. The letter may be tried until `expires`.
    ///
    /// Security: a letter that an agent causes takes as much if its reader wants no messages. Otherwise what is left
    /// for the reader's domain, and for everybody, would tell agents whether the reader wants any.
    pub(crate) async fn affords(&self, fate: &Fate, id: &str, expires: Time, now: Time) -> Result<bool, StoreError> {
        let (letter, is_sent) = match fate {
            Fate::Sent(letter) => (letter, true),
            Fate::Unwanted(letter) => (letter, false),
            Fate::Void => return Ok(true),
        };
        let to = Mailbox::known(letter.to.as_str());
        let budgets = self.budgets(Caller::Service);
        let budgets = match letter.content {
            Content::Claim { .. } | Content::Revoked { .. } => return Ok(true),
            Content::Access { .. } if !is_sent => return Ok(true),
            Content::Access { .. } => budgets.written(Writing::Access, &to),
            Content::Superseded { .. } => {
                [budgets.received(Writing::Lapse, &to), budgets.written(Writing::Lapse, &to)].concat()
            }
        };
        // Not by how often it was tried: if a try breaks off in between, nobody knows whether it was counted.
        let taken = self.0.store.take_once(&Digest::of(id.as_bytes()), expires, budgets, now).await?;
        Ok(self.limited(taken, now).is_ok())
    }

    /// Records that the letter of `seed`, which asks a person, was sent or given up. It counts as sent from `now` on,
    /// which may be a moment in the future.
    pub(crate) async fn sent(&self, seed: &Seed, now: Time) -> Result<(), StoreError> {
        let Some((id, seed)) = self.0.store.by_link(&self.0.pepper.link(seed).0.digest()).await? else { return Ok(()) };
        self.0.store.update(&id, now, move |record| record.sent(&seed, now)).await.map(drop)
    }

    async fn asked_by(&self, seed: &Seed) -> Result<Option<Record>, StoreError> {
        match self.0.store.by_link(&self.0.pepper.link(seed).0.digest()).await? {
            Some((id, _)) => self.0.store.record(&id).await,
            None => Ok(None),
        }
    }
}
