//! `mecelle logout`: the key dies at the service first, then here.

use contract::{media, routes};

use super::{claim::form, registration};
use crate::{
    client::{self, Post},
    failure::Failure,
    keyring::Keyring,
    settings::Settings,
    surroundings::{Out, Surroundings},
};

pub(crate) fn run(settings: &Settings, env: &Surroundings, out: &mut Out<'_>) -> Result<(), Failure> {
    let ring = Keyring::needed(env)?;
    let Some(entry) = ring.load(&settings.base)? else {
        registration::advise(&format!("no key of {} is kept here", settings.base), out);
        return Ok(());
    };
    if let Some(credential) = &entry.credential {
        let body = form(&[("token", credential)]);
        let post =
            Post { path: routes::REVOKE, media_type: media::FORM, fields: &[], body: body.as_bytes(), keyed: false };
        let reply = client::post(&post, settings, env)?;
        // RFC 7009: 200 without a body, for a token that was unknown too. On anything else it may still be valid.
        if reply.status != 200 {
            return client::accepted(&reply, &post, settings).map(drop);
        }
    }
    ring.remove(&settings.base)?;
    registration::advise(&format!("the key of {} was revoked and thrown away", settings.base), out);
    Ok(())
}
