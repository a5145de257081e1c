//! The authorization server metadata of a build, narrowed to what this service can honour.
//!
//! The narrowed document takes the place of the built one before anything is prepared, so that it has its own entity
//! tag and no compressed forms of the other.

use bytes::Bytes;
use contract::{
    discovery::AuthorizationServer,
    manifest::{Digest, Encodings, Manifest},
    routes::AUTHORIZATION_SERVER,
};

use super::representation::Unusable;
use crate::{
    dist::{Bodies, Sha256},
    registration::{Abilities, Offers},
};

/// What the build offers, and whether that is less than it was built with.
pub(super) struct Published {
    pub(super) offers: Offers,
    pub(super) is_narrowed: bool,
}

/// Narrows the document of `manifest`. A build without one offers nothing.
pub(super) fn narrow(
    manifest: &mut Manifest,
    bodies: &mut Bodies,
    abilities: Abilities,
) -> Result<Published, Unusable> {
    let route = manifest.routes.iter_mut().find(|route| route.path == AUTHORIZATION_SERVER);
    let Some(variant) = route.and_then(|route| route.variants.first_mut()) else {
        return Ok(Published { offers: Offers::default(), is_narrowed: false });
    };
    let digest = Sha256::parse(&variant.digest.0).ok_or(Unusable)?;
    let body = bodies.get(&digest).ok_or(Unusable)?;
    let built: AuthorizationServer = serde_json::from_slice(body).map_err(|_| Unusable)?;
    let narrowed = abilities.narrow(built.clone());
    let offers = Offers::of(&narrowed);
    if narrowed == built {
        return Ok(Published { offers, is_narrowed: false });
    }
    let mut text = serde_json::to_vec(&narrowed).map_err(|_| Unusable)?;
    text.push(b'\n');
    let digest = Sha256::of(&text);
    variant.size = text.len() as u64;
    variant.digest = Digest(digest.to_string());
    variant.encodings = Encodings::default();
    bodies.insert(digest, Bytes::from(text));
    Ok(Published { offers, is_narrowed: true })
}
