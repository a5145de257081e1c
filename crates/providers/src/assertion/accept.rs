//! The checks of an identity assertion after its signature was verified, in their order.

use std::time::Duration;

use clock::Time;
use contract::{
    id_jag::{
        AUD, AUTH_TIME, CLIENT_ID, CNF, EMAIL, EMAIL_VERIFIED, EXP, IAT, ISS, JTI, MAX_AGE, MAX_LIFETIME, NBF,
        PHONE_NUMBER, PHONE_NUMBER_VERIFIED, RESOURCE, SCOPE, SUB, TENANT,
    },
    scopes::Scope,
};
use secrets::Mailbox;

use super::{Assertion, AssertionError, resource_name, telephone};
use crate::{JtiDigest, SKEW, Verifier, signed::Claims, trust::Provider};

impl Assertion {
    /// Checks claims that `provider` signed. `client_error` becomes the reason why the client is not accepted.
    pub(super) async fn accept(
        claims: &Claims,
        provider: &Provider,
        verifier: &Verifier,
        client_error: &mut Option<String>,
        now: Time,
    ) -> Result<Self, AssertionError> {
        check_audience(claims, verifier.audiences())?;
        let (issued_at, expires_at) = check_times(claims, now)?;
        let assertion = Self {
            issuer: claims.required_text(ISS)?.to_owned(),
            provider_name: provider.name.clone(),
            tenant: claims.text(TENANT)?.map(str::to_owned),
            subject: claims.required_text(SUB)?.to_owned(),
            client_id: claims.required_text(CLIENT_ID)?.to_owned(),
            client_secret: None,
            jti: JtiDigest::of(claims.required_text(JTI)?),
            is_reusable: provider.reuse_until_exp,
            issued_at,
            expires_at,
            has_contact: provider.requires.contact,
            email: None,
            phone: None,
            scopes: scopes(claims)?,
        };
        if claims.has(CNF) {
            // Security: an assertion bound to a key needs a proof of possession, which cannot be shown here (RFC 7800,
            // 3.1).
            return Err(AssertionError::InvalidRequest(CNF.broken));
        }
        // Security: only clients in the trust list count, and those whose metadata it lets be fetched. A client with a
        // secret must still prove its identity.
        let client = provider.clients.iter().find(|client| client.id == assertion.client_id);
        if client.is_none() {
            *client_error = verifier.check_client(provider, &assertion.client_id, now).await.err();
            if client_error.is_some() {
                return Err(AssertionError::InvalidClientId);
            }
        }
        let client_secret = client.and_then(|client| client.secret.clone());
        // Security: a provider that need not verify a mailbox could name that of another person.
        let (email, phone) = if provider.requires.contact { contact(claims)? } else { (None, None) };
        check_sign_in(claims, provider.requires.auth_time, now)?;
        Ok(Self { client_secret, email, phone, ..assertion })
    }
}

/// Checks that the only audience is one of `audiences`, character by character, and that a named resource is too.
fn check_audience(claims: &Claims, audiences: &[String]) -> Result<(), AssertionError> {
    let is_ours = |name: &str| audiences.iter().any(|audience| audience == name);
    match claims.texts(AUD)?.ok_or(AUD.missing)?.as_slice() {
        [only] if is_ours(only) => {}
        _ => return Err(AssertionError::InvalidAudience),
    }
    match claims.texts(RESOURCE)? {
        Some(resources) if !resources.iter().any(|name| is_ours(resource_name(name))) => {
            Err(AssertionError::InvalidAudience)
        }
        _ => Ok(()),
    }
}

/// Returns the times of issue and expiry. Clocks may differ by [`SKEW`] both ways.
fn check_times(claims: &Claims, now: Time) -> Result<(Time, Time), AssertionError> {
    let expires_at = claims.required_time(EXP)?;
    if now >= expires_at.plus(SKEW) {
        return Err(AssertionError::Expired);
    }
    if claims.time(NBF)?.is_some_and(|from| from > now.plus(SKEW)) {
        return Err(AssertionError::InvalidRequest(NBF.broken));
    }
    let issued_at = claims.required_time(IAT)?;
    if issued_at > now.plus(SKEW) {
        return Err(AssertionError::InvalidRequest(IAT.broken));
    }
    if expires_at <= issued_at || expires_at.since(issued_at) > Duration::from_secs(MAX_LIFETIME) {
        return Err(AssertionError::InvalidRequest(EXP.broken));
    }
    Ok((issued_at, expires_at))
}

/// Returns the known scopes among those requested.
fn scopes(claims: &Claims) -> Result<Option<Vec<Scope>>, AssertionError> {
    let Some(text) = claims.text(SCOPE)? else { return Ok(None) };
    let names: Vec<&str> = text.split(' ').collect();
    Ok(Some(Scope::ALL.into_iter().filter(|scope| names.contains(&scope.as_str())).collect()))
}

/// Returns the verified mailbox and telephone number. Security: unverified ones do not count.
///
/// A telephone number is enough. Without a mailbox, only the provider can revoke, because the user cannot get an access
/// link.
fn contact(claims: &Claims) -> Result<(Option<Mailbox>, Option<String>), AssertionError> {
    let email = match claims.text(EMAIL)? {
        Some(text) if claims.is_true(EMAIL_VERIFIED) => Some(Mailbox::parse(text).ok_or(EMAIL.malformed)?),
        _ => None,
    };
    let phone = match claims.text(PHONE_NUMBER)? {
        Some(text) if claims.is_true(PHONE_NUMBER_VERIFIED) => Some(telephone(text).ok_or(PHONE_NUMBER.malformed)?),
        _ => None,
    };
    if email.is_none() && phone.is_none() { Err(AssertionError::MissingVerifiedEmail) } else { Ok((email, phone)) }
}

/// Checks that the time of sign-in is recent and not in the future. It may be unknown only if it is not required.
fn check_sign_in(claims: &Claims, is_required: bool, now: Time) -> Result<(), AssertionError> {
    const LOGIN_REQUIRED: AssertionError = AssertionError::LoginRequired { max_age: MAX_AGE };
    let Some(auth_time) = claims.time(AUTH_TIME)? else {
        return if is_required { Err(LOGIN_REQUIRED) } else { Ok(()) };
    };
    let is_recent = now.since(auth_time) <= Duration::from_secs(MAX_AGE) + SKEW;
    if is_recent && auth_time <= now.plus(SKEW) { Ok(()) } else { Err(LOGIN_REQUIRED) }
}
