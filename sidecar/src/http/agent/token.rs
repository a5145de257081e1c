//! `POST /oauth2/token` and `POST /oauth2/revoke`.

use actix_web::{
    dev::ServiceRequest,
    http::{
        StatusCode,
        header::{AUTHORIZATION, HeaderValue},
    },
};
use contract::{
    agent_auth::{CLAIM_GRANT, CLAIM_GRANT_ALIAS, CLIENT_ID, CLIENT_SECRET, JWT_BEARER_GRANT},
    agent_requests::{ASSERTION, CLAIM_TOKEN, GRANT_TYPE, RESOURCE, SCOPE, TOKEN},
    errors::AgentErrorCode as Code,
    scopes::Scope,
};
use providers::PresentedClient;
use registration::{domain::RegistrationError, registrar::Exchange, replies};
use secrets::{ClaimToken, Secret};

use super::{error_response::refuse_token, posted::Posted, register::by_provider, reply};
use crate::http::{
    handler::{Handled, Incoming},
    request::{media_type::MediaType, parameters::Parameters},
    response::Response,
};

/// The longest name of an authentication scheme.
const LONGEST_SCHEME: usize = 32;

/// Issues a credential for a grant.
pub(crate) fn token(incoming: Incoming<'_>) -> Handled<'_> {
    let scheme = scheme(incoming.request);
    Box::pin(async move { grant(incoming).await.unwrap_or_else(|refusal| refuse_token(refusal, scheme.as_deref())) })
}

/// Revokes a credential (RFC 7009); its holder needs no further authority.
pub(crate) fn revoke(incoming: Incoming<'_>) -> Handled<'_> {
    let scheme = scheme(incoming.request);
    Box::pin(async move { end(incoming).await.unwrap_or_else(|refusal| refuse_token(refusal, scheme.as_deref())) })
}

async fn grant(incoming: Incoming<'_>) -> Result<Response, RegistrationError> {
    let posted = Posted::read(incoming, &[MediaType::Form]).await?;
    let parameters = Parameters::parse(&posted.bytes)?;
    let client = client(&posted, &parameters)?;
    let kind = parameters.find(GRANT_TYPE).ok_or(RegistrationError::Malformed("`grant_type` is missing."))?;
    let registrar = posted.registrar();
    let token = match kind {
        CLAIM_GRANT | CLAIM_GRANT_ALIAS if registrar.rules().offers.has_grant(CLAIM_GRANT) => {
            no_secret(&posted, &parameters)?;
            let claim_token =
                parameters.find(CLAIM_TOKEN).ok_or(RegistrationError::Malformed("`claim_token` is missing."))?;
            registrar.redeem(ClaimToken::new(claim_token), posted.now).await?
        }
        JWT_BEARER_GRANT if registrar.rules().offers.has_exchange() => {
            let exchange = Exchange {
                assertion: by_provider(parameters.find(ASSERTION))?,
                scopes: parameters.find(SCOPE).map(scopes).transpose()?,
                client,
                resource: parameters.find(RESOURCE).map(str::to_owned),
                locale: posted.locale,
            };
            registrar.exchange(exchange, &posted.caller, posted.now).await?
        }
        _ => return Err(registrar.not_offered_error(Code::UnsupportedGrantType)),
    };
    Ok(reply::json(StatusCode::OK, &replies::token_reply(token, posted.now)))
}

async fn end(incoming: Incoming<'_>) -> Result<Response, RegistrationError> {
    let posted = Posted::read(incoming, &[MediaType::Form]).await?;
    let parameters = Parameters::parse(&posted.bytes)?;
    no_secret(&posted, &parameters)?;
    // `token_type_hint` is ignored: every kind is searched.
    let token = parameters.find(TOKEN).ok_or(RegistrationError::Malformed("`token` is missing."))?;
    posted.registrar().revoke_token(&Secret::new(token), posted.now).await?;
    Ok(reply::empty(StatusCode::OK))
}

/// Returns the client's authentication. Methods that are not published cannot be verified, so they are rejected.
fn client(posted: &Posted<'_>, parameters: &Parameters) -> Result<PresentedClient, RegistrationError> {
    if ["client_assertion", "client_assertion_type"].iter().any(|name| parameters.find(name).is_some()) {
        return Err(Code::InvalidClient.into());
    }
    let authorization = posted.authorization.as_ref().map(HeaderValue::as_bytes);
    Ok(PresentedClient::read(authorization, parameters.find(CLIENT_ID), parameters.find(CLIENT_SECRET))?)
}

/// Rejects client authentication where the token is the authority: it would have to be verified (RFC 7523, 3).
fn no_secret(posted: &Posted<'_>, parameters: &Parameters) -> Result<(), RegistrationError> {
    client(posted, parameters)?;
    let tries = posted.authorization.is_some() || parameters.find(CLIENT_SECRET).is_some();
    if tries { Err(Code::InvalidClient.into()) } else { Ok(()) }
}

/// Returns the authentication scheme of the request, if its name is plausible (RFC 9110, 16.4.1).
fn scheme(request: &ServiceRequest) -> Option<String> {
    let name = request.headers().get(AUTHORIZATION)?.to_str().ok()?.split(' ').next()?;
    let is_name = name.starts_with(|first: char| first.is_ascii_alphabetic())
        && name.len() <= LONGEST_SCHEME
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    is_name.then(|| name.to_owned())
}

fn scopes(text: &str) -> Result<Vec<Scope>, RegistrationError> {
    let scopes: Option<Vec<_>> = text.split(' ').filter(|name| !name.is_empty()).map(Scope::parse).collect();
    scopes.filter(|scopes| !scopes.is_empty()).ok_or(RegistrationError::Code(Code::InvalidScope))
}
