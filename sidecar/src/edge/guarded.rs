//! Answers requests to the content API that carry an issued credential: the store has to say who holds it.
//!
//! Such a request waits, so it has limits of its own: how often a client may have the store asked, and how often the
//! holder of a credential may ask for content, which is more often than others may. Nothing but this is to answer the
//! next one, so no cache may do so.

use std::{
    hash::{BuildHasher as _, BuildHasherDefault, DefaultHasher},
    sync::Arc,
};

use actix_http::Request;

use super::{
    answer::{payload::Reply, refusal},
    content,
    limits::{Client, Quota},
    shared::{Later, Shared},
    site::outline::Reader,
};
use crate::auth::{Denied, Principal, Verified};

/// Answers `request` of `client` once the store has said who holds the presented credential.
pub(crate) fn answer(shared: Arc<Shared>, request: Request, client: Client, verified: Verified) -> Later {
    Box::pin(async move {
        let limits = &shared.limits;
        let count = |quota: &Quota, client| limits.count(quota, client, || shared.clock.nanoseconds());
        // Everybody may have the store asked only so often, whatever it says.
        let quota = &limits.content_with_credential;
        if let Err(exceeded) = count(quota, client) {
            return quota.refuse(exceeded);
        }
        let site = shared.site.load_full();
        let resolved = verified.resolve(&shared.registrar, shared.clock.now()).await;
        let (quota, client, answer): (_, _, &dyn Fn() -> Reply) = match &resolved {
            Ok(principal) => {
                (quota, holder(principal, client), &|| content::read_path(&site, &request, Reader::of(principal)))
            }
            // A guess counts like any request without a credential.
            Err(Denied::Refused) => (&limits.content, client, &|| refusal::invalid_credential(&site.challenge)),
            Err(Denied::Unknown) => return refusal::undecided(),
        };
        match count(quota, client) {
            Ok(allowance) => quota.tell_in(allowance, answer()),
            Err(exceeded) => quota.refuse(exceeded),
        }
    })
}

/// Returns for whom a request counts: for a registration, wherever it is used from.
fn holder(principal: &Principal, client: Client) -> Client {
    match (principal, client) {
        (_, Client::Loopback | Client::Proxied) | (Principal::Anonymous | Principal::Sandbox, _) => client,
        (Principal::Agent(held), _) => {
            let hasher = BuildHasherDefault::<DefaultHasher>::default();
            Client::Remote(hasher.hash_one(held.registration.as_str()))
        }
    }
}
