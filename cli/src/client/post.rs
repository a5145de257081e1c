//! Requests that hand something over to the service, once.

use std::io::Write;

use super::{
    judgement::judge,
    key::{refuses_published_key, tell_refused_key, warn_of_exposure},
    question::Post,
    transport::{Reply, Transport},
};
use crate::{
    failure::Failure,
    settings::{Settings, Storing},
    surroundings::Surroundings,
};

/// Posts once and returns whatever reply comes. Nothing is retried, since a reply may be lost after the request took
/// effect; only a request that was refused because of the published key is posted again, without a key.
pub(crate) fn post(
    post: &Post<'_>,
    settings: &Settings,
    env: &Surroundings,
    notes: &mut dyn Write,
) -> Result<Reply, Failure> {
    let url = settings.base.join(post.path);
    if settings.storing == Storing::Only {
        return Err(not_offline());
    }
    let key = settings.key().filter(|_| post.keyed);
    // A request without the key is itself about a credential: a token, an assertion, a code.
    if !post.keyed || key.is_some_and(|key| key.reveal() != crate::SANDBOX_KEY) {
        warn_of_exposure(settings, notes);
    }
    let transport = Transport::new(settings, env)?;
    let send = |key| transport.post(post, &url, key).map_err(|trouble| transport.failure(trouble, &url, 1));
    let reply = send(key)?;
    if refuses_published_key(&reply, settings) {
        // A refused request had no effect.
        tell_refused_key(settings, notes);
        return send(None);
    }
    Ok(reply)
}

/// Returns the body of `reply` to `post`, if it is a JSON object that means success.
pub(crate) fn accepted(
    reply: &Reply,
    post: &Post<'_>,
    settings: &Settings,
    env: &Surroundings,
) -> Result<Vec<u8>, Failure> {
    judge(reply, &settings.base.join(post.path), env.clock.now())
}

/// The failure of a command that `--offline` rules out.
pub(crate) fn not_offline() -> Failure {
    Failure::usage("This cannot be done offline.", "Leave --offline out.")
}
