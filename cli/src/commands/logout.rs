//! `mecelle logout`: revokes the key at the service, then deletes it here.

use contract::{media, routes};

use super::session::Session;
use crate::{
    args,
    client::{self, PostRequest},
    failure::Failure,
    keyring::Keyring,
};

pub(crate) fn run(logout: args::LogoutArguments, session: &mut Session<'_, '_>) -> Result<(), Failure> {
    let (ring, host) = (Keyring::require(session.env)?, &session.settings.base);
    let Some(entry) = ring.load(host)? else {
        session.advise(&format!("no key of {host} is kept here"));
        return Ok(());
    };
    let outcome = match &entry.credential {
        None => "there was no key yet; the claim was given up",
        Some(_) if logout.forget => "the key was deleted here; at the service it stays valid until it expires",
        Some(credential) => {
            // If the file cannot be written, the revoked key would stay in it and be sent again.
            ring.prepare()?;
            revoke(credential, session)?;
            "the key was revoked and deleted"
        }
    };
    ring.remove(host)?;
    session.advise(&format!("{host}: {outcome}"));
    if entry.credential.is_some() && entry.claim_token.is_some() {
        session.advise("the open claim was given up");
    }
    Ok(())
}

/// Revokes the credential. RFC 7009: the reply is 200, also for an unknown token. After any other reply the credential
/// may still be valid.
fn revoke(credential: &str, session: &mut Session<'_, '_>) -> Result<(), Failure> {
    let body = client::form(&[("token", credential)]);
    let post =
        PostRequest { path: routes::REVOKE, media_type: media::FORM, fields: &[], body: body.as_bytes(), keyed: false };
    let result = session.post(&post).and_then(|reply| match reply.status {
        200 => Ok(()),
        _ => session.success_body(&reply, &post).map(drop),
    });
    if result.is_err() {
        let forget = session.settings.typed.on_same_host("mecelle logout --forget");
        let advice = format!("the key is still kept, since it may still be valid; to delete it: {forget}");
        session.advise(&advice);
    }
    result
}
