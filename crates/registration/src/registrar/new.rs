//! A new registration before it is stored.

use clock::Time;
use contract::{
    Locale,
    agent_auth::{CredentialType, RegistrationType},
    agent_replies::POLL_INTERVAL,
    scopes::Scope,
};
use secrets::{ClaimToken, RegistrationId, Secret, Seed};

use super::Registrar;
use crate::domain::{
    Issued, MatchPhrase, Pending, Registered, RegistrationError, RegistrationRecord,
    claim::Claim,
    credential::Credential,
    record::{CredentialDraft, Poll, UNCLAIMED},
};

/// The parts of a new registration. None depends on the store.
#[derive(Clone)]
pub(super) struct NewRegistration {
    id: RegistrationId,
    claim_token: ClaimToken,
    pub(super) seed: Seed,
    credential: Secret,
    wanted: CredentialType,
    /// The match phrase, in the person's language.
    pub(super) phrase: MatchPhrase,
    pub(super) now: Time,
    site_url: String,
}

impl Registrar {
    /// Prepares a registration for a credential of type `wanted`, with a person who reads `locale`.
    pub(super) fn new_registration(
        &self,
        wanted: CredentialType,
        locale: Locale,
        now: Time,
    ) -> Result<NewRegistration, RegistrationError> {
        let entropy = &self.0.entropy;
        Ok(NewRegistration {
            id: entropy.registration()?,
            claim_token: entropy.claim_token()?,
            seed: self.0.pepper.seed(entropy)?,
            credential: entropy.credential(wanted)?,
            wanted,
            phrase: MatchPhrase::draw(entropy, locale)?,
            now,
            site_url: self.site_url().to_owned(),
        })
    }
}

impl NewRegistration {
    /// Returns an unclaimed registration without a credential.
    pub(super) fn record(&self, kind: RegistrationType) -> RegistrationRecord {
        RegistrationRecord {
            id: self.id.clone(),
            kind,
            created: self.now,
            provider: None,
            bound: None,
            wanted: self.wanted,
            scopes: Scope::ALL.to_vec(),
            claim: Claim::open(self.now.plus(UNCLAIMED)),
            credential: Credential::Absent,
            poll: Poll::new(),
            claim_token: Some(self.claim_token.0.digest()),
            match_phrase: None,
            end: None,
        }
    }

    pub(super) fn draft(&self) -> CredentialDraft {
        CredentialDraft { digest: self.credential.digest() }
    }

    /// Returns the answer to the agent, with the claim if it `is_pending`.
    pub(super) fn registered(&self, record: &RegistrationRecord, is_pending: bool) -> Registered {
        Registered {
            id: record.id.clone(),
            kind: record.kind,
            issued: record.credential.active().map(|active| Issued::new(self.credential.clone(), active)),
            pending: is_pending.then(|| Pending {
                site_url: self.site_url.clone(),
                now: self.now,
                claim_token: self.claim_token.clone(),
                expires: record.claim.deadline(),
                scopes: record.scopes.clone(),
                interval: POLL_INTERVAL,
                match_phrase: record.match_phrase,
                attempt_expires: record.claim.attempt().map(|attempt| record.claim.end_of(attempt, self.now)),
            }),
        }
    }
}
