//! The key that is sent with a request: whether it was refused, and what the person reads about it.

use std::io::Write;

use super::transport::Reply;
use crate::{
    output::text::note,
    settings::{Sent, Settings},
};

/// Returns whether the published key was refused. That key belongs to one firm, and another firm's site does not know
/// it; public content is public without a key too.
pub(super) fn refuses_published_key(reply: &Reply, settings: &Settings) -> bool {
    reply.status == 401 && reply.keyed && matches!(settings.sent, Sent::Published(_))
}

pub(super) fn tell_refused_key(settings: &Settings, notes: &mut dyn Write) {
    let (host, firm) = (&settings.base, crate::DEFAULT_BASE_URL);
    note(notes, &format!("note: {host} refuses the sandbox key of {firm}, so it is asked without a key"));
}

pub(super) fn warn_of_exposure(settings: &Settings, notes: &mut dyn Write) {
    if settings.base.is_exposed() {
        note(notes, "warning: the credential crosses the network in clear; use https");
    }
}
