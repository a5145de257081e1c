//! A POST request of a program: its caller, time, locale and body.

use actix_web::http::header::{ACCEPT_LANGUAGE, AUTHORIZATION, HeaderValue};
use bytes::Bytes;
use clock::Time;
use contract::{
    Locale,
    errors::{AgentErrorCode as Code, MAX_AGENT_BYTES},
};
use registration::{
    domain::RegistrationError,
    registrar::{Caller, Registrar},
};

use crate::http::{
    handler::Incoming,
    negotiate,
    request::{body, body::BodyError, media_type::MediaType, values},
    state::AppState,
};

pub(super) struct Posted<'a> {
    state: &'a AppState,
    pub(super) caller: Caller,
    pub(super) now: Time,
    /// The language that the request prefers.
    pub(super) locale: Locale,
    /// `Authorization`, by which a client may authenticate.
    pub(super) authorization: Option<HeaderValue>,
    pub(super) media_type: MediaType,
    pub(super) bytes: Bytes,
}

impl<'a> Posted<'a> {
    /// Reads `request` if its body is of one of the `accepted` types.
    pub(super) async fn read(incoming: Incoming<'a>, accepted: &[MediaType]) -> Result<Self, RegistrationError> {
        let Incoming { state, admitted, request } = incoming;
        let media_type = MediaType::of(request.headers()).filter(|media_type| accepted.contains(media_type));
        let media_type = media_type.ok_or_else(|| RegistrationError::MediaType(MediaType::list(accepted)))?;
        let bytes = body::read(request, MAX_AGENT_BYTES).await.map_err(|error| match error {
            BodyError::Coded => RegistrationError::Coded,
            BodyError::TooLarge => RegistrationError::Code(Code::PayloadTooLarge),
            BodyError::Late => RegistrationError::Late,
            BodyError::Broken => RegistrationError::Malformed(
                "The body broke off, or its chunks are not framed as RFC 9112 says; trailers are not read.",
            ),
        })?;
        Ok(Self {
            caller: admitted.caller(),
            now: state.clock.now(),
            locale: negotiate::language(values(request, &ACCEPT_LANGUAGE)).unwrap_or(Locale::DEFAULT),
            authorization: request.headers().get(AUTHORIZATION).cloned(),
            media_type,
            bytes,
            state,
        })
    }

    pub(super) fn registrar(&self) -> &Registrar {
        &self.state.registrar
    }
}
