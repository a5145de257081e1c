//! The identity profile: registration for public clients of the auth.md protocol, pinned to version 0.7 (specification,
//! "Registration in the identity profile").
//!
//! Only requests and replies differ; [`Registrar`] does the work, so limits, checks and states are the same as in the
//! other profile. The assertion is the credential itself, which the token endpoint returns as the access token.

mod reply;

use clock::Time;
use contract::{
    Locale,
    agent_auth::{AssertionType, CredentialType, IdentityType},
    agent_requests::{ASSERTION, ASSERTION_TYPE, CLAIM_TOKEN, LOCALE, LOGIN_HINT, TYPE, USER_CODE},
    errors::AgentErrorCode as Code,
};
use secrets::{ClaimToken, Mailbox, Secret};

pub use self::reply::{AttemptReply, CompletedReply, IdentityReply};
use crate::{
    domain::{RegistrationError, Token},
    registrar::{Caller, ClaimRequest, Completion, Identity, Registrar, RegistrationRequest},
    strict_json::StrictObject,
};

pub struct IdentityRequest<'a> {
    pub registrar: &'a Registrar,
    /// The body.
    pub bytes: &'a [u8],
    /// The preferred language.
    pub locale: Locale,
    pub caller: &'a Caller,
    pub now: Time,
}

impl IdentityRequest<'_> {
    pub async fn register(self) -> Result<IdentityReply, RegistrationError> {
        let object = StrictObject::parse(self.bytes)?;
        let identity = identity(&object)?;
        let rules = self.registrar.rules();
        let offers = &rules.offers;
        let kinds = match &identity {
            Identity::Anonymous => &offers.anonymous,
            Identity::Email(_) | Identity::Provider(_) => &offers.credentials,
        };
        // Clients of this profile cannot choose. They exchange their assertion repeatedly, so they get the credential
        // that lives longest.
        let credential = kinds.contains(&CredentialType::ApiKey).then_some(CredentialType::ApiKey);
        let request = RegistrationRequest { identity, credential, locale: self.locale(&object)? };
        Ok(self.registrar.register(request, self.caller, self.now).await?.into())
    }

    pub async fn claim(self) -> Result<AttemptReply, RegistrationError> {
        let object = StrictObject::parse(self.bytes)?;
        // Version 0.7 names the type after the field, its client after the registration.
        if ![None, Some(LOGIN_HINT), Some(IdentityType::ServiceAuth.as_str())].contains(&object.text(TYPE)?) {
            return Err(RegistrationError::Malformed("A claim is of the `type` `service_auth`, with a `login_hint`."));
        }
        let request = ClaimRequest {
            claim_token: claim_token(&object)?,
            email: login_hint(&object)?,
            locale: self.locale(&object)?,
        };
        let started = self.registrar.claim(request, self.caller, self.now).await?;
        Ok(AttemptReply::new(&started, self.registrar.site_url()))
    }

    /// Checks the code and returns an assertion, replacing any earlier one: a client of this profile keeps only what
    /// this reply contains.
    pub async fn complete(self) -> Result<CompletedReply, RegistrationError> {
        let object = StrictObject::parse(self.bytes)?;
        let code = object.text(USER_CODE)?.ok_or(RegistrationError::Malformed("`user_code` is missing."))?;
        let claim_token = claim_token(&object)?;
        let otp = Secret::new(code.chars().filter(|letter| !matches!(letter, ' ' | '-')).collect::<String>());
        let request = Completion { claim_token: claim_token.clone(), otp };
        let completed = self.registrar.complete(request, self.caller, self.now).await?;
        if let Some(credential) = completed.credential {
            return Ok(CompletedReply::new(&completed.id, &credential, completed.expires, completed.scopes));
        }
        let Token { id, issued, .. } = self.registrar.replace_claimed(claim_token, self.now).await?;
        Ok(CompletedReply::new(&id, &issued.credential, issued.expires, issued.scopes))
    }

    fn locale(&self, object: &StrictObject) -> Result<Locale, RegistrationError> {
        Ok(object.text(LOCALE)?.and_then(|text| text.parse().ok()).unwrap_or(self.locale))
    }
}

fn identity(object: &StrictObject) -> Result<Identity, RegistrationError> {
    match object.text(TYPE)?.and_then(IdentityType::parse) {
        Some(IdentityType::Anonymous) => Ok(Identity::Anonymous),
        Some(IdentityType::ServiceAuth) => login_hint(object).map(Identity::Email),
        Some(IdentityType::IdentityAssertion) => {
            // An e-mail address has a type of its own here.
            if object.text(ASSERTION_TYPE)? != Some(AssertionType::IdJag.as_str()) {
                return Err(Code::UnsupportedAssertionType.into());
            }
            let assertion = object.text(ASSERTION)?.filter(|text| !text.is_empty());
            let assertion = assertion.ok_or(RegistrationError::Malformed("`assertion` is missing."))?;
            Ok(Identity::Provider(Secret::new(assertion)))
        }
        None => {
            Err(RegistrationError::Malformed("`type` must be `anonymous`, `service_auth` or `identity_assertion`."))
        }
    }
}

fn login_hint(object: &StrictObject) -> Result<Mailbox, RegistrationError> {
    Ok(object.text(LOGIN_HINT)?.and_then(Mailbox::parse).ok_or(Code::InvalidLoginHint)?)
}

fn claim_token(object: &StrictObject) -> Result<ClaimToken, RegistrationError> {
    let text = object.text(CLAIM_TOKEN)?.filter(|text| !text.is_empty());
    text.map(ClaimToken::new).ok_or(RegistrationError::Malformed("`claim_token` is missing."))
}

#[cfg(test)]
mod tests;
