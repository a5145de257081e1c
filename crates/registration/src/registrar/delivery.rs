//! Decides for each e-mail in the outbox whether it is sent, and when it counts as sent.

use clock::Time;
use forms::{EmailContent, EmailDraft};
use secrets::{Digest, Mailbox, Seed};

use super::Registrar;
use crate::{
    domain::RegistrationRecord,
    registrar::{Caller, budgets::EmailKind},
    store::StoreError,
};

pub(crate) enum DeliveryDecision {
    /// Send this.
    Sent(EmailDraft),
    /// The reader has opted out of this.
    Unwanted(EmailDraft),
    /// No longer needed.
    Void,
}

#[cfg(test)]
impl DeliveryDecision {
    /// Returns the e-mail to send.
    pub(crate) fn into_sent(self) -> Option<EmailDraft> {
        if let Self::Sent(email) = self { Some(email) } else { None }
    }
}

impl Registrar {
    /// Decides about `email`, whose secrets derive from `seed`.
    pub(crate) async fn decide_delivery(
        &self,
        email: EmailDraft,
        seed: &Seed,
        now: Time,
    ) -> Result<DeliveryDecision, StoreError> {
        if self.0.store.has_opted_out(&Mailbox::from_stored(email.to.as_str()).digest()).await? {
            return Ok(DeliveryDecision::Unwanted(email));
        }
        match email.content {
            EmailContent::Claim { .. } => {}
            EmailContent::Superseded { .. } | EmailContent::Revoked { .. } => return Ok(DeliveryDecision::Sent(email)),
            // Security: decided here and not at the request, so that the client cannot tell.
            EmailContent::Access { .. } => {
                let to = Mailbox::from_stored(email.to.as_str());
                return Ok(if self.holds(&to, now).await? {
                    DeliveryDecision::Sent(email)
                } else {
                    DeliveryDecision::Void
                });
            }
        }
        let Some(record) = self.record_of(seed).await? else { return Ok(DeliveryDecision::Void) };
        // A void request is not sent. The person's time starts now, unless the e-mail was sent before.
        let claim = record.claim.clone().send(seed, now).unwrap_or(record.claim);
        let Ok(attempt) = claim.attempt_for_link(seed, now) else { return Ok(DeliveryDecision::Void) };
        let mut email = email;
        if let EmailContent::Claim { expires, match_phrase, .. } = &mut email.content {
            *expires = claim.end_of(attempt, now);
            *match_phrase = record.match_phrase.map(|phrase| phrase.to_string());
        }
        Ok(DeliveryDecision::Sent(email))
    }

    /// Updates `decision` after the e-mail `id` has waited for its slot: meanwhile the reader may have been erased or
    /// have opted out.
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

    /// Takes the budget of the e-mail `id`, unless it was taken when the e-mail was stored or at an earlier try.
    /// Returns whether the budget sufficed. The e-mail may be tried until `expires`.
    ///
    /// Security: an e-mail caused by an agent takes as much if the reader has opted out; otherwise the rest of the
    /// budgets would show agents who has.
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
            EmailContent::Claim { .. } | EmailContent::Revoked { .. } => return Ok(true),
            EmailContent::Access { .. } if !is_sent => return Ok(true),
            EmailContent::Access { .. } => budgets.for_sent_email(EmailKind::AccessLink, &to),
            EmailContent::Superseded { .. } => {
                [budgets.for_mailbox(EmailKind::Superseded, &to), budgets.for_sent_email(EmailKind::Superseded, &to)]
                    .concat()
            }
        };
        // Not by the number of tries: after an interrupted try it is unknown whether it was counted.
        Ok(self.0.store.take_once(&Digest::of(id.as_bytes()), expires, budgets, now).await?.is_ok())
    }

    /// Records that the claim request of `seed` was sent or given up. It counts as sent from `now`, which may be in the
    /// future.
    pub(crate) async fn record_sent(&self, seed: &Seed, now: Time) -> Result<(), StoreError> {
        let Some((id, seed)) = self.0.store.by_link(&self.0.pepper.link(seed).0.digest()).await? else { return Ok(()) };
        self.0.store.update(&id, now, move |record| record.record_sent(&seed, now)).await.map(drop)
    }

    async fn record_of(&self, seed: &Seed) -> Result<Option<RegistrationRecord>, StoreError> {
        match self.0.store.by_link(&self.0.pepper.link(seed).0.digest()).await? {
            Some((id, _)) => self.0.store.record(&id).await,
            None => Ok(None),
        }
    }
}
