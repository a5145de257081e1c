//! One request of a program: who sends it, when, and what it says.

use std::sync::Arc;

use actix_http::{HttpMessage as _, Request};
use actix_web::http::header::{ACCEPT_LANGUAGE, AUTHORIZATION};
use bytes::Bytes;
use contract::{
    Locale,
    agent_errors::{AgentErrorCode as Code, MAX_BODY_BYTES},
};

use crate::{
    Time,
    edge::{
        limits::{Allowance, Client, Exceeded},
        negotiate,
        request::{
            body::{self, BodyError},
            media_type::MediaType,
            values,
        },
        shared::{Shared, caller},
    },
    registrar::{Caller, Registrar},
    registration::Refusal,
};

/// One request.
pub(super) struct Posted {
    shared: Arc<Shared>,
    pub(super) caller: Caller,
    pub(super) now: Time,
    /// The language that the request prefers.
    pub(super) locale: Locale,
    /// Whether the client tries to authenticate itself.
    pub(super) has_client: bool,
    pub(super) media_type: MediaType,
    pub(super) octets: Bytes,
}

impl Posted {
    /// Reads `request` if its body is of one of the `accepted` types.
    pub(super) async fn read(
        shared: Arc<Shared>,
        mut request: Request,
        accepted: &[MediaType],
    ) -> Result<Self, Refusal> {
        let caller = caller(&shared, &request);
        let media_type = MediaType::of(request.headers()).filter(|media_type| accepted.contains(media_type));
        let media_type = media_type.ok_or_else(|| Refusal::MediaType(MediaType::list(accepted)))?;
        let octets = body::read(&mut request, MAX_BODY_BYTES).await.map_err(|error| match error {
            BodyError::Coded => Refusal::Coded,
            BodyError::TooLarge => Refusal::Code(Code::PayloadTooLarge),
            BodyError::Late => Refusal::Late,
            BodyError::Broken => Refusal::Malformed("The body broke off."),
        })?;
        Ok(Self {
            caller,
            now: shared.clock.now(),
            locale: negotiate::language(values(&request, &ACCEPT_LANGUAGE)).unwrap_or(Locale::DEFAULT),
            has_client: request.headers().contains_key(AUTHORIZATION),
            media_type,
            octets,
            shared,
        })
    }

    pub(super) fn registrar(&self) -> &Registrar {
        &self.shared.registrar
    }
}

/// Counts `request`, unless its sender has sent too many.
pub(crate) fn pass(shared: &Shared, request: &Request) -> Result<Allowance, Exceeded> {
    let Caller::Client(number) = caller(shared, request) else { return Ok(Allowance::Unlimited) };
    let limits = &shared.limits;
    limits.count(&limits.registration, Client::Remote(number), || shared.clock.nanoseconds())
}
