//! A request to the content API with a credential that was issued: who holds it, the store must say.
//!
//! Such a request waits, so it has limits of its own: how often a client may have the store asked, and how often the
//! holder of a credential may ask for content, which is more often than others may.

use std::{
    hash::{BuildHasher as _, BuildHasherDefault, DefaultHasher},
    sync::Arc,
};

use actix_http::{Request, Response, body::BoxBody};
use actix_web::http::header::{HeaderValue, RETRY_AFTER};
use contract::errors::ErrorCode;

use super::{
    limits::{Client, Exceeded, Limits},
    refusal,
    routes::{self, Later, Shared},
};
use crate::{
    auth::{Denied, Principal, Verified},
    config::LimitSettings,
};

/// Seconds after which a store that did not answer may be asked again.
const RETRY: HeaderValue = HeaderValue::from_static("5");
/// How much more often than others the holder of a credential may ask.
const MORE: u32 = 10;

/// The limits of requests with a credential.
pub(crate) fn limits(settings: LimitSettings) -> Limits {
    let content_per_minute =
        settings.content_per_minute.saturating_mul(const { std::num::NonZeroU32::new(MORE).unwrap() });
    Limits::new(LimitSettings { content_per_minute, ..settings })
}

/// Answers `request` of `client` once the store has said who holds what it presents.
pub(crate) fn answer(shared: Arc<Shared>, request: Request, client: Client, verified: Verified) -> Later {
    Box::pin(async move {
        // Everybody may have the store asked only so often, whatever it says.
        if let Err(exceeded) = shared.credential_limits.content(client, || shared.clock.nanoseconds()) {
            return too_many(&shared.credential_limits, exceeded);
        }
        let site = shared.site.load_full();
        match verified.resolve(&shared.registrar, shared.clock.now()).await {
            Ok(principal) => {
                let holder = holder(&principal, client);
                match shared.credential_limits.content(holder, || shared.clock.nanoseconds()) {
                    Ok(standing) => {
                        let mut response = routes::read_path(&site, &request);
                        shared.credential_limits.tell(standing, response.headers_mut());
                        response
                    }
                    Err(exceeded) => too_many(&shared.credential_limits, exceeded),
                }
            }
            // A guess counts like any request without a credential.
            Err(Denied::Refused) => match shared.limits.content(client, || shared.clock.nanoseconds()) {
                Ok(standing) => {
                    let mut response = refusal::invalid_credential(&site.challenge);
                    shared.limits.tell(standing, response.headers_mut());
                    response
                }
                Err(exceeded) => too_many(&shared.limits, exceeded),
            },
            Err(Denied::Unknown) => undecided(),
        }
    })
}

/// The answer while the store cannot say who it is.
pub(super) fn undecided() -> Response<BoxBody> {
    let mut response = refusal::refuse(ErrorCode::Unavailable);
    response.headers_mut().insert(RETRY_AFTER, RETRY);
    response
}

/// For whom a request counts: a registration, wherever it asks from.
fn holder(principal: &Principal, client: Client) -> Client {
    match (principal, client) {
        (_, Client::Loopback) | (Principal::Anonymous | Principal::Sandbox, _) => client,
        (Principal::Agent(held), _) => {
            let hasher = BuildHasherDefault::<DefaultHasher>::default();
            Client::Remote(hasher.hash_one(held.registration.as_str()))
        }
    }
}

fn too_many(limits: &Limits, exceeded: Exceeded) -> Response<BoxBody> {
    let mut response = refusal::refuse(ErrorCode::RateLimited);
    limits.tell_exceeded(exceeded, response.headers_mut());
    response
}
