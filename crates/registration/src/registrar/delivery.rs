//! Emails between the outbox and the mail server: whether they are still wanted, and from when they count as sent.

use clock::Time;
use forms::{Content, Email};

use super::Registrar;
use crate::{
    domain::{Digest, Mailbox, Record, Seed},
    registrar::{Caller, budgets::EmailKind},
    store::StoreError,
};

/// What happens to an email.
pub(crate) enum DeliveryDecision {
    /// It is sent, like this.
    Sent(Email),
    /// Its reader wants no messages; this is what would be sent.
    Unwanted(Email),
    /// There is no reason to send it any more.
    Void,
}

#[cfg(test)]
impl DeliveryDecision {
    /// Returns the email, if it is sent.
    pub(crate) fn into_sent(self) -> Option<Email> {
        if let Self::Sent(email) = self { Some(email) } else { None }
    }
}

impl Registrar {
    /// Returns what happens to `email` at `now`. `seed` is that of its link.
    pub(crate) async fn decide_delivery(
        &self,
        email: Email,
        seed: &Seed,
        now: Time,
    ) -> Result<DeliveryDecision, StoreError> {
        if self.0.store.has_opted_out(&Mailbox::from_stored(email.to.as_str()).digest()).await? {
            return Ok(DeliveryDecision::Unwanted(email));
        }
        match email.content {
            Content::Claim { .. } => {}
            Content::Superseded { .. } | Content::Revoked { .. } => return Ok(DeliveryDecision::Sent(email)),
            // Security: decided here, and not where it was asked for, so that the client that asked cannot tell.
            Content::Access { .. } => {
                let to = Mailbox::from_stored(email.to.as_str());
                return Ok(if self.holds(&to, now).await? {
                    DeliveryDecision::Sent(email)
                } else {
                    DeliveryDecision::Void
                });
            }
        }
        let Some(record) = self.record_of(seed).await? else { return Ok(DeliveryDecision::Void) };
        // A request that has lapsed meanwhile is not announced; the time of any other begins now, unless its email
        // left before.
        let claim = record.claim.clone().send(seed, now).unwrap_or(record.claim);
        let Ok(attempt) = claim.attempt_for_link(seed, now) else { return Ok(DeliveryDecision::Void) };
        let mut email = email;
        if let Content::Claim { expires, match_phrase, .. } = &mut email.content {
            *expires = claim.end_of(attempt, now);
            *match_phrase = record.match_phrase.map(|phrase| phrase.to_string());
        }
        Ok(DeliveryDecision::Sent(email))
    }

    /// Returns what `decision`, which was that of the email `id` when it was taken, has become since: the email waits
    /// until it may be sent, and meanwhile its reader may be erased, or stop messages.
    pub(crate) async fn recheck_delivery(
        &self,
        decision: DeliveryDecision,
        id: &str,
    ) -> Result<DeliveryDecision, StoreError> {
        let email = match &decision {
            DeliveryDecision::Sent(email) | DeliveryDecision::Unwanted(email) => email,
            DeliveryDecision::Void => return Ok(decision),
        };
        let to = Mailbox::from_stored(email.to.as_str()).digest();
        Ok(match (self.0.store.is_unwanted(id, &to).await?, decision) {
            (None, _) => DeliveryDecision::Void,
            (Some(true), DeliveryDecision::Sent(email)) => DeliveryDecision::Unwanted(email),
            (Some(_), decision) => decision,
        })
    }

    /// Takes the budget of the email `id`, whose decision is known, unless that was done when it was written or since.
    /// Returns whether there was any left. The email may be tried until `expires`.
    ///
    /// Security: an email that an agent causes takes as much if its reader wants no messages. Otherwise what is left
    /// for the reader's domain, and for all, would tell agents whether the reader wants any.
    pub(crate) async fn take_email_budget(
        &self,
        decision: &DeliveryDecision,
        id: &str,
        expires: Time,
        now: Time,
    ) -> Result<bool, StoreError> {
        let (email, is_sent) = match decision {
            DeliveryDecision::Sent(email) => (email, true),
            DeliveryDecision::Unwanted(email) => (email, false),
            DeliveryDecision::Void => return Ok(true),
        };
        let to = Mailbox::from_stored(email.to.as_str());
        let budgets = self.budgets(Caller::Service);
        let budgets = match email.content {
            Content::Claim { .. } | Content::Revoked { .. } => return Ok(true),
            Content::Access { .. } if !is_sent => return Ok(true),
            Content::Access { .. } => budgets.for_sent_email(EmailKind::AccessLink, &to),
            Content::Superseded { .. } => {
                [budgets.for_mailbox(EmailKind::Superseded, &to), budgets.for_sent_email(EmailKind::Superseded, &to)]
                    .concat()
            }
        };
        // Not by how often it was tried: if a try breaks off in between, it is unknown whether it was counted.
        Ok(self.0.store.take_once(&Digest::of(id.as_bytes()), expires, budgets, now).await?.is_ok())
    }

    /// Records that the email of `seed`, which asks a person, was sent or given up. It counts as sent from `now` on,
    /// which may be a moment in the future.
    pub(crate) async fn record_sent(&self, seed: &Seed, now: Time) -> Result<(), StoreError> {
        let Some((id, seed)) = self.0.store.by_link(&self.0.pepper.link(seed).0.digest()).await? else { return Ok(()) };
        self.0.store.update(&id, now, move |record| record.record_sent(&seed, now)).await.map(drop)
    }

    async fn record_of(&self, seed: &Seed) -> Result<Option<Record>, StoreError> {
        match self.0.store.by_link(&self.0.pepper.link(seed).0.digest()).await? {
            Some((id, _)) => self.0.store.record(&id).await,
            None => Ok(None),
        }
    }
}
