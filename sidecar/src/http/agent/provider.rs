//! `POST /agent/auth/revoke`: logout tokens and security events of agent providers.

use actix_web::http::StatusCode;
use contract::agent_requests::LOGOUT_TOKEN;
use registration::{domain::RegistrationError, strict_json::StrictObject};

use super::{
    error_response::{refuse, refuse_event},
    posted::Posted,
    reply::{self, RevokedBody},
};
use crate::http::{
    handler::{Handled, Incoming},
    request::{media_type::MediaType, parameters::Parameters},
    response::Response,
};

/// The member of Apple's envelope that holds the security event token.
const PAYLOAD: &str = "payload";

/// Applies a logout token or a security event token. A repeated token gets the same response.
pub(crate) fn revoke(incoming: Incoming<'_>) -> Handled<'_> {
    Box::pin(async move {
        const ACCEPTED: [MediaType; 4] = [MediaType::Event, MediaType::Logout, MediaType::Form, MediaType::Json];
        let is_event = MediaType::of(incoming.request.headers()) == Some(MediaType::Event);
        let done = match Posted::read(incoming, &ACCEPTED).await {
            Ok(posted) if is_event => event(&posted).await,
            Ok(posted) if posted.media_type == MediaType::Json => enveloped(&posted).await,
            Ok(posted) => logout(&posted).await,
            Err(refusal) => Err(refusal),
        };
        done.unwrap_or_else(|refusal| if is_event { refuse_event(&refusal) } else { refuse(refusal) })
    })
}

async fn event(posted: &Posted<'_>) -> Result<Response, RegistrationError> {
    posted.registrar().security_event(jwt(&posted.bytes)?, posted.now).await?;
    Ok(reply::empty(StatusCode::ACCEPTED))
}

async fn enveloped(posted: &Posted<'_>) -> Result<Response, RegistrationError> {
    let object = StrictObject::parse(&posted.bytes)?;
    let token = object.text(PAYLOAD)?.ok_or(RegistrationError::Malformed("`payload` is missing."))?;
    posted.registrar().security_event(token, posted.now).await?;
    // Apple accepts no other status as success.
    Ok(reply::empty(StatusCode::OK))
}

async fn logout(posted: &Posted<'_>) -> Result<Response, RegistrationError> {
    if posted.media_type == MediaType::Form {
        let parameters = Parameters::parse(&posted.bytes)?;
        let token = parameters.find(LOGOUT_TOKEN).ok_or(RegistrationError::Malformed("`logout_token` is missing."))?;
        posted.registrar().logout(token, posted.now).await?;
        return Ok(reply::empty(StatusCode::OK));
    }
    let revoked = posted.registrar().logout(jwt(&posted.bytes)?, posted.now).await?;
    Ok(reply::json(StatusCode::OK, &RevokedBody { revoked }))
}

fn jwt(bytes: &[u8]) -> Result<&str, RegistrationError> {
    str::from_utf8(bytes).map(str::trim).map_err(|_| RegistrationError::Malformed("The body is not a signed token."))
}
