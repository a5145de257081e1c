//! `POST /agent/auth/revoke`: what an agent provider reports.

use std::sync::Arc;

use actix_http::{HttpMessage as _, Request};
use actix_web::http::StatusCode;
use contract::agent_requests::LOGOUT_TOKEN;

use super::{
    posted::Posted,
    refusal::{refuse, refuse_event},
    reply::{self, RevokedBody},
};
use crate::{
    edge::{
        answer::payload::Reply,
        request::{media_type::MediaType, parameters::Parameters},
        shared::{Later, Shared},
    },
    registration::Refusal,
};

/// Applies a logout token or a security event token. A token that comes twice is answered like the first time.
pub(crate) fn revoke(shared: Arc<Shared>, request: Request) -> Later {
    Box::pin(async move {
        let is_event = MediaType::of(request.headers()) == Some(MediaType::Event);
        let done = match Posted::read(shared, request, &[MediaType::Event, MediaType::Logout, MediaType::Form]).await {
            Ok(posted) if is_event => event(&posted).await,
            Ok(posted) => logout(&posted).await,
            Err(refusal) => Err(refusal),
        };
        done.unwrap_or_else(|refusal| if is_event { refuse_event(&refusal) } else { refuse(refusal) })
    })
}

async fn event(posted: &Posted) -> Result<Reply, Refusal> {
    posted.registrar().security_event(jwt(&posted.octets)?, posted.now).await?;
    Ok(reply::nothing(StatusCode::ACCEPTED))
}

async fn logout(posted: &Posted) -> Result<Reply, Refusal> {
    if posted.media_type == MediaType::Form {
        let parameters = Parameters::parse(&posted.octets)?;
        let token = parameters.find(LOGOUT_TOKEN).ok_or(Refusal::Malformed("`logout_token` is missing."))?;
        posted.registrar().logout(token, posted.now).await?;
        return Ok(reply::nothing(StatusCode::OK));
    }
    let revoked = posted.registrar().logout(jwt(&posted.octets)?, posted.now).await?;
    Ok(reply::json(StatusCode::OK, &RevokedBody { revoked }))
}

fn jwt(octets: &[u8]) -> Result<&str, Refusal> {
    str::from_utf8(octets).map(str::trim).map_err(|_| Refusal::Malformed("The body is not a signed token."))
}
