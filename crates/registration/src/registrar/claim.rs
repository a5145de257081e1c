//! The agent's side of a claim: asking a person, and sending the code.

use clock::Time;
use contract::{agent_replies::POLL_INTERVAL, errors::AgentErrorCode as Code};
use secrets::{Pepper, is_same};

use super::Registrar;
use crate::{
    domain::{
        ClaimStarted, Completed, MatchPhrase, RegistrationError,
        record::{CredentialDraft, RegistrationRecord, Step},
    },
    registrar::{Caller, ClaimRequest, Completion, budgets::EmailKind},
};

impl Registrar {
    /// Asks a person to claim a registration. The answer does not reveal whether the person is known.
    pub async fn claim(
        &self,
        request: ClaimRequest,
        caller: &Caller,
        now: Time,
    ) -> Result<ClaimStarted, RegistrationError> {
        let started = self.start_claim(request, caller, now).await;
        self.0.store.metrics().count_claim_step("requested", &started);
        started
    }

    async fn start_claim(
        &self,
        request: ClaimRequest,
        caller: &Caller,
        now: Time,
    ) -> Result<ClaimStarted, RegistrationError> {
        let ClaimRequest { claim_token, email, locale } = request;
        if !self.has_mail() {
            return Err(Code::ClaimNotEnabled.into());
        }
        let found = self.0.store.by_claim_token(&claim_token.0.digest()).await?;
        let record = found.ok_or(Code::InvalidClaimToken)?;
        let id = record.id.clone();
        // A trial run shows whether an e-mail would be sent, because e-mails are counted before they are stored. If
        // another request interferes, one e-mail too many is counted.
        let seed = self.0.pepper.seed(&self.0.entropy)?;
        let phrase = MatchPhrase::draw(&self.0.entropy, locale)?;
        let (_, effects, _) = record.ask(&email, phrase, seed.clone(), &self.0.pepper, now)?;
        let is_new = !effects.is_empty();
        if is_new {
            let budgets = self.budgets(*caller);
            self.take(
                [
                    budgets.for_request(EmailKind::ClaimRequest, &email),
                    budgets.for_sent_email(EmailKind::ClaimRequest, &email),
                ]
                .concat(),
                now,
            )
            .await?;
        }
        let pepper = self.0.pepper.clone();
        let step = move |record: RegistrationRecord| {
            let pending = record.ask(&email, phrase, seed, &pepper, now);
            match pending {
                Err(refusal) => Step::Keep(Err(refusal)),
                Ok((record, effects, attempt)) if effects.is_empty() => {
                    Step::Keep(Ok((record.claim.end_of(&attempt, now), record.match_phrase, attempt)))
                }
                // This e-mail was not counted, so do not store it; the agent may retry.
                Ok(_) if !is_new => Step::Keep(Err(RegistrationError::Limited { retry_after: 1 })),
                Ok((record, effects, attempt)) => {
                    let answer = (record.claim.end_of(&attempt, now), record.match_phrase, attempt);
                    Step::Save(Box::new(record), effects, Ok(answer))
                }
            }
        };
        let started = if is_new {
            self.0.store.update_person(&id, now, step).await?
        } else {
            self.0.store.update(&id, now, step).await?
        };
        let (expires, match_phrase, attempt) = started.unwrap_or(Err(Code::InvalidClaimToken.into()))?;
        if is_new {
            self.0.emails.notify_one();
        }
        let attempt = self.0.pepper.attempt(&attempt.seed);
        Ok(ClaimStarted { id, attempt, expires, interval: POLL_INTERVAL, match_phrase })
    }

    /// Checks the code that the person was shown. A text that does not look like a code is no guess: it is rejected
    /// without using up a try or a budget.
    pub async fn complete(
        &self,
        request: Completion,
        caller: &Caller,
        now: Time,
    ) -> Result<Completed, RegistrationError> {
        let completed = self.finish_claim(request, caller, now).await;
        self.0.store.metrics().count_claim_step("completed", &completed);
        completed
    }

    async fn finish_claim(
        &self,
        request: Completion,
        caller: &Caller,
        now: Time,
    ) -> Result<Completed, RegistrationError> {
        let Completion { claim_token, otp } = request;
        let found = self.0.store.by_claim_token(&claim_token.0.digest()).await?;
        let record = found.ok_or(Code::InvalidClaimToken)?;
        let id = record.id.clone();
        if !Pepper::is_code(&otp) {
            return Err(record.claim.no_code_error(now));
        }
        // Security: reject before counting: counting a guess takes locks for which all claims and registrations wait.
        record.claim.guessable_attempt(now)?;
        let credential = self.0.entropy.credential(record.wanted)?;
        let draft = CredentialDraft { digest: credential.digest() };
        let (pepper, store) = (self.0.pepper.clone(), self.0.store.clone());
        let is_right = move |seed: &_| -> bool {
            // Security: constant time, although another try would reveal as much.
            let is_right = is_same(pepper.code(seed).reveal().as_bytes(), otp.reveal().as_bytes());
            store.metrics().count_code(is_right);
            is_right
        };
        let digest = draft.digest.clone();
        let step = move |record: RegistrationRecord| record.complete(is_right, draft, now);
        // Guesses are limited across registrations too.
        let guessed = self.0.store.guess(&id, self.budgets(*caller).guesses(), now, step).await?;
        let record = guessed?.unwrap_or(Err(Code::InvalidClaimToken.into()))?;
        let active = record.credential.active().ok_or(Code::InternalError)?;
        Ok(Completed {
            kind: record.kind,
            credential_type: active.kind,
            expires: active.expires,
            scopes: active.scopes.clone(),
            credential: (active.digest == digest).then_some(credential),
            id,
        })
    }
}
