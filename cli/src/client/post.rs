//! POST requests, which are sent once, and notes about the key of a request.

use std::io::Write;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use super::{
    judgement::judge,
    transport::{HttpReply, HttpTransport, PostRequest},
};
use crate::{
    failure::Failure,
    host,
    output::text::note,
    settings::{CacheMode, SentKey, Settings},
    surroundings::Surroundings,
};

/// Posts once and returns any reply. There are no retries: a reply may be lost after the request took effect. Only a
/// request refused for its published key is sent again, without a key.
pub(crate) fn post(
    post: &PostRequest<'_>,
    settings: &Settings,
    env: &Surroundings,
    notes: &mut dyn Write,
) -> Result<HttpReply, Failure> {
    let url = settings.base.join(post.path);
    if settings.cache_mode == CacheMode::Only {
        return Err(not_offline());
    }
    let key = settings.key().filter(|_| post.keyed);
    // A request without the key carries another secret: a token, an assertion or a code.
    if !post.keyed || settings.private_key().is_some() {
        warn_of_exposure(settings, notes);
    }
    let transport = HttpTransport::new(settings, env)?;
    let send = |key| transport.post(post, &url, key).map_err(|trouble| transport.failure(trouble, &url, 1));
    let reply = send(key)?;
    if refuses_published_key(&reply, settings) {
        // The refused request had no effect.
        note_refused_key(settings, env, notes);
        return send(None);
    }
    Ok(reply)
}

/// Returns the body of `reply` if it is a successful JSON object.
pub(crate) fn success_body(
    reply: &HttpReply,
    post: &PostRequest<'_>,
    settings: &Settings,
    env: &Surroundings,
) -> Result<Vec<u8>, Failure> {
    judge(reply, &settings.base.join(post.path), env.clock.now())
}

/// Builds the failure of a command that cannot run with `--offline`.
pub(crate) fn not_offline() -> Failure {
    Failure::usage("This cannot be done offline.", "Leave --offline out.")
}

/// Characters to encode in a form.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_');

/// Encodes fields as `application/x-www-form-urlencoded`.
pub(crate) fn form(fields: &[(&str, &str)]) -> String {
    let encoded = fields.iter().map(|(name, value)| format!("{name}={}", utf8_percent_encode(value, ENCODED)));
    encoded.collect::<Vec<_>>().join("&")
}

/// Returns whether the published key was refused because the host has a new one. Public content needs no key.
pub(super) fn refuses_published_key(reply: &HttpReply, settings: &Settings) -> bool {
    reply.status == 401 && reply.keyed && matches!(settings.sent, SentKey::Published(_))
}

pub(super) fn note_refused_key(settings: &Settings, env: &Surroundings, notes: &mut dyn Write) {
    let host = &settings.base;
    let remedy = if host::forget_learned(host, env) {
        "the next command fetches the new key".to_owned()
    } else {
        format!("`mecelle use {host}` fetches the new key")
    };
    note(
        notes,
        &format!("note: {host} refuses its earlier sandbox key; the request is repeated without a key ({remedy})"),
    );
}

pub(super) fn warn_of_exposure(settings: &Settings, notes: &mut dyn Write) {
    if settings.base.is_exposed() {
        note(notes, "warning: the credential crosses the network in clear; use https");
    }
}
