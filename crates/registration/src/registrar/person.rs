//! The person's side of a claim: view the request, get the code, deny, opt out of e-mails.

use clock::Time;
use contract::errors::AgentErrorCode as Code;
use secrets::{LinkToken, RegistrationId, Seed, StopToken};

use super::Registrar;
use crate::{
    domain::{Challenge, ClaimView, RegistrationError, RegistrationRecord},
    store::StoreError,
};

impl Registrar {
    /// Returns what the claim page shows. Changes nothing.
    ///
    /// The country of the request is not shown: that would need a database of addresses, and people could check it only
    /// poorly.
    pub async fn view(&self, link: &LinkToken, now: Time) -> Result<ClaimView, RegistrationError> {
        let (id, seed) = self.find_attempt(link).await?;
        let record = self.0.store.record(&id).await?.ok_or(Code::ClaimSuperseded)?;
        let attempt = record.claim.attempt_for_link(&seed, now)?;
        Ok(ClaimView {
            agent: record.agent().to_owned(),
            provider: record.provider.as_ref().map(|provider| provider.name.clone()),
            match_phrase: record.match_phrase.map(|phrase| phrase.to_string()),
            email: attempt.email.as_str().to_owned(),
            scopes: record.scopes.clone(),
            requested: attempt.requested,
            expires: record.claim.end_of(attempt, now),
            locale: attempt.locale,
        })
    }

    /// Returns the code to show, the same one for as long as the attempt lasts.
    pub async fn challenge(&self, link: &LinkToken, now: Time) -> Result<Challenge, RegistrationError> {
        let (id, seed) = self.find_attempt(link).await?;
        let own = seed.clone();
        let step = move |record: RegistrationRecord| record.show(&own, now);
        let record = self.update(&id, Code::ClaimSuperseded, now, step).await?;
        let attempt = record.claim.attempt_for_link(&seed, now)?;
        self.0.store.metrics().codes_shown.increment();
        Ok(Challenge {
            agent: record.agent().to_owned(),
            code: self.0.pepper.code(&attempt.seed),
            expires: record.claim.end_of(attempt, now),
            locale: attempt.locale,
        })
    }

    /// Denies the claim.
    pub async fn deny(&self, link: &LinkToken, now: Time) -> Result<(), RegistrationError> {
        let denied = self.deny_linked(link, now).await;
        self.0.store.metrics().count_claim_step("denied", &denied);
        denied
    }

    async fn deny_linked(&self, link: &LinkToken, now: Time) -> Result<(), RegistrationError> {
        let (id, seed) = self.find_attempt(link).await?;
        let pepper = self.0.pepper.clone();
        let step = move |record: RegistrationRecord| record.deny(&seed, &pepper, now);
        self.0.store.update_person(&id, now, step).await?.unwrap_or(Err(Code::ClaimSuperseded.into()))
    }

    async fn find_attempt(&self, link: &LinkToken) -> Result<(RegistrationId, Seed), RegistrationError> {
        Ok(self.0.store.by_link(&link.0.digest()).await?.ok_or(Code::ClaimSuperseded)?)
    }

    /// Whether the person of the link `stop` gets e-mails; `None` if the link is unknown.
    pub async fn gets_emails(&self, stop: &StopToken) -> Result<Option<bool>, StoreError> {
        let Some(mailbox) = self.0.pepper.mailbox_of_stop_link(stop) else { return Ok(None) };
        Ok(Some(!self.0.store.has_opted_out(&mailbox).await?))
    }

    /// Opts the person of the link `stop` out of e-mails, or in again if `again`. Returns `false` if the link is
    /// unknown.
    pub async fn set_email_opt_out(&self, stop: &StopToken, again: bool, now: Time) -> Result<bool, StoreError> {
        let Some(mailbox) = self.0.pepper.mailbox_of_stop_link(stop) else { return Ok(false) };
        self.0.store.set_email_opt_out(&mailbox, again, now).await?;
        Ok(true)
    }
}
