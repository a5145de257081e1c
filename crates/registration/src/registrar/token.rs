//! The token endpoint and the revocation endpoint, and the lookup of who holds a credential.

use clock::Time;
use contract::agent_errors::AgentErrorCode as Code;

use super::Registrar;
use crate::{
    domain::{
        ClaimToken, Digest, Issued, RegistrationError, Secret, Token,
        assertion::resource_name,
        record::{Draft, Record},
    },
    registrar::{Caller, Exchange},
    store::{Held, StoreError},
};

impl Registrar {
    /// Answers a poll with the claim grant.
    pub async fn redeem(&self, claim_token: ClaimToken, now: Time) -> Result<Token, RegistrationError> {
        let found = self.0.store.by_claim_token(&claim_token.0.digest()).await?;
        let Record { id, wanted, .. } = found.ok_or(Code::InvalidGrant)?;
        let credential = self.0.entropy.credential(wanted)?;
        let draft = Draft { digest: credential.digest() };
        let step = move |record: Record| record.redeem(draft, now);
        let record = self.0.store.poll(&id, now, step).await?.unwrap_or(Err(Code::InvalidGrant.into()))?;
        let active = record.credential.active().ok_or(Code::InternalError)?;
        Ok(Token { kind: record.kind, issued: Issued::new(credential, active), id })
    }

    /// Exchanges an assertion for an access token (RFC 7523).
    pub async fn exchange(&self, request: Exchange, caller: &Caller, now: Time) -> Result<Token, RegistrationError> {
        if !self.offers().has_exchange() {
            return Err(Code::UnsupportedGrantType.into());
        }
        let is_ours = |name: &str| self.0.resources.iter().any(|ours| ours == resource_name(name));
        if !request.resource.as_deref().is_none_or(is_ours) {
            return Err(Code::InvalidTarget.into());
        }
        let registered = self.register_asserted(request, *caller, now).await?;
        let issued = registered.issued.ok_or(Code::InternalError)?;
        Ok(Token { id: registered.id, kind: registered.kind, issued })
    }

    /// Ends whatever `token` is good for. A token that is unknown or over counts as ended already (RFC 7009).
    pub async fn revoke_token(&self, token: &Secret, now: Time) -> Result<(), RegistrationError> {
        let digest = token.digest();
        let found = match self.0.store.by_credential(&digest).await? {
            Some(id) => Some(id),
            None => self.0.store.by_claim_token(&digest).await?.map(|record| record.id),
        };
        let Some(id) = found else { return Ok(()) };
        self.0.store.update(&id, now, move |record| record.give_back(&digest, now)).await?;
        Ok(())
    }

    /// Returns who holds the credential of this digest.
    pub async fn check(&self, digest: &Digest, now: Time) -> Result<Option<Held>, StoreError> {
        let held = self.0.store.held(digest, now).await;
        self.0.store.metrics().checked(&held);
        held
    }
}
