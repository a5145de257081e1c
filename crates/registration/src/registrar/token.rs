//! The token and revocation endpoints, and the check of a credential.

use clock::Time;
use contract::{agent_auth::CredentialType, agent_replies::RegistrationStatusReply, errors::AgentErrorCode as Code};
use providers::resource_name;
use secrets::{ClaimToken, Digest, RegistrationId, Secret};

use super::{Registrar, overview};
use crate::{
    domain::{
        Issued, RegistrationError, Token,
        record::{CredentialDraft, RegistrationRecord},
    },
    registrar::{Caller, Exchange},
    store::{CredentialHolder, StoreError},
};

impl Registrar {
    /// Handles a poll of the claim grant.
    pub async fn redeem(&self, claim_token: ClaimToken, now: Time) -> Result<Token, RegistrationError> {
        let (id, credential) = self.claimable(&claim_token).await?;
        let draft = CredentialDraft { digest: credential.digest() };
        let polled = self.0.store.poll(&id, now, move |record| record.redeem(draft, now)).await?;
        token(polled, credential)
    }

    /// Replaces the credential from before the claim by one that belongs to the reply to the code.
    pub(crate) async fn replace_claimed(&self, claim_token: ClaimToken, now: Time) -> Result<Token, RegistrationError> {
        let (id, credential) = self.claimable(&claim_token).await?;
        let draft = CredentialDraft { digest: credential.digest() };
        let replaced = self.0.store.update(&id, now, move |record| record.issue_claimed(draft, now)).await?;
        token(replaced, credential)
    }

    /// Returns the registration of a claim token, and a new credential of the kind that it wants.
    async fn claimable(&self, claim_token: &ClaimToken) -> Result<(RegistrationId, Secret), RegistrationError> {
        let found = self.0.store.by_claim_token(&claim_token.0.digest()).await?;
        let RegistrationRecord { id, wanted, .. } = found.ok_or(Code::InvalidGrant)?;
        Ok((id, self.0.entropy.credential(wanted)?))
    }

    /// Exchanges an assertion for an access token (RFC 7523).
    pub async fn exchange(&self, request: Exchange, caller: &Caller, now: Time) -> Result<Token, RegistrationError> {
        let rules = self.rules();
        let offers = &rules.offers;
        if !offers.has_exchange() {
            return Err(self.not_offered_error(Code::UnsupportedGrantType));
        }
        let is_ours = |name: &str| self.0.resources.iter().any(|ours| ours == resource_name(name));
        if !request.resource.as_deref().is_none_or(is_ours) {
            return Err(Code::InvalidTarget.into());
        }
        if offers.has_identity_profile() && is_own(&request.assertion) {
            return self.exchange_own(request, now).await;
        }
        if !offers.has_provider_exchange() {
            let is_for_registration = offers.has_provider_registration();
            return Err(if is_for_registration { Code::UnsupportedCredentialType } else { Code::InvalidIssuer }.into());
        }
        let registered = self.register_asserted(request, *caller, now).await?;
        let issued = registered.issued.ok_or(Code::InternalError)?;
        Ok(Token { id: registered.id, kind: registered.kind, issued })
    }

    /// Exchanges an assertion of the identity profile. It is the credential itself, so the token is the same text and
    /// nothing is stored.
    async fn exchange_own(&self, request: Exchange, now: Time) -> Result<Token, RegistrationError> {
        let Exchange { assertion, scopes, client, .. } = request;
        let digest = assertion.digest();
        let id = self.0.store.by_credential(&digest).await?.ok_or(Code::InvalidGrant)?;
        if !self.0.store.is_live(&digest, now).await? {
            return Err(Code::InvalidGrant.into());
        }
        let record = self.0.store.record(&id).await?.ok_or(Code::InvalidGrant)?;
        // Security: clients of this profile have no secret, so any that is sent is wrong (RFC 7523, 3).
        if !client.is(id.as_str(), None) {
            return Err(Code::InvalidClient.into());
        }
        let active = record.credential.active().filter(|active| active.digest == digest).ok_or(Code::InvalidGrant)?;
        if scopes.is_some_and(|wanted| wanted.iter().any(|scope| !active.scopes.contains(scope))) {
            return Err(Code::InvalidScope.into());
        }
        Ok(Token { kind: record.kind, issued: Issued::new(assertion, active), id })
    }

    /// Revokes the registration of `token`. An unknown or expired token is no error (RFC 7009, 2.2).
    pub async fn revoke_token(&self, token: &Secret, now: Time) -> Result<(), RegistrationError> {
        let digest = token.digest();
        let found = match self.0.store.by_credential(&digest).await? {
            Some(id) => Some(id),
            None => self.0.store.by_claim_token(&digest).await?.map(|record| record.id),
        };
        let Some(id) = found else { return Ok(()) };
        self.0.store.update(&id, now, move |record| record.revoke_by_holder(&digest, now)).await?;
        Ok(())
    }

    /// Returns the registration of the holder of a credential, as its agent may see it; `None` if it has just ended.
    pub async fn status(
        &self,
        held: &CredentialHolder,
        now: Time,
    ) -> Result<Option<RegistrationStatusReply>, StoreError> {
        let Some(record) = self.0.store.record(&held.registration).await? else { return Ok(None) };
        let Some(active) = record.credential.active() else { return Ok(None) };
        let state = overview::state(&record, now);
        Ok(Some(RegistrationStatusReply {
            registration_id: record.id.as_str().to_owned(),
            state,
            claimed: record.is_held(now),
            credential_expires: overview::format_time(active.expires),
            scopes: held.scopes.clone(),
        }))
    }

    /// Returns the holder of a credential in force.
    pub async fn check(&self, digest: &Digest, now: Time) -> Result<Option<CredentialHolder>, StoreError> {
        let held = self.0.store.use_credential(digest, now).await;
        self.0.store.metrics().count_credential_check(&held);
        held
    }
}

/// Returns the reply with `credential`, which a step has issued to the registration; `None` is one that has just ended.
fn token(
    issued: Option<Result<RegistrationRecord, RegistrationError>>,
    credential: Secret,
) -> Result<Token, RegistrationError> {
    let record = issued.unwrap_or(Err(Code::InvalidGrant.into()))?;
    let active = record.credential.active().ok_or(Code::InternalError)?;
    Ok(Token { kind: record.kind, issued: Issued::new(credential, active), id: record.id.clone() })
}

/// Whether `assertion` has the form of a credential of this service, which no signed token has.
fn is_own(assertion: &Secret) -> bool {
    let text = assertion.reveal();
    !text.contains('.') && CredentialType::ALL.into_iter().any(|kind| text.starts_with(kind.prefix()))
}
