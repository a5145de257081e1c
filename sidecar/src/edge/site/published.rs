//! The authorization server metadata of a build, narrowed to what this service can honour.

use bytes::Bytes;
use contract::discovery::AuthorizationServer;

use super::representation::Unusable;
use crate::registration::{Abilities, Missing, Offers};

/// What the build offers. A build without the document offers nothing.
#[derive(Default)]
pub(super) struct Published {
    pub(super) offers: Offers,
    pub(super) narrowed: Option<Narrowed>,
}

/// A document that says less than it was built with.
pub(super) struct Narrowed {
    pub(super) text: Bytes,
    /// For want of what.
    pub(super) missing: Missing,
}

/// Narrows the document `body`.
pub(super) fn narrow(body: &[u8], abilities: Abilities) -> Result<Published, Unusable> {
    let built: AuthorizationServer = serde_json::from_slice(body).map_err(|_| Unusable)?;
    let Some(missing) = abilities.missing(&built) else {
        return Ok(Published { offers: Offers::of(&built), narrowed: None });
    };
    let narrowed = abilities.narrow(built);
    let mut text = serde_json::to_vec(&narrowed).map_err(|_| Unusable)?;
    text.push(b'\n');
    Ok(Published { offers: Offers::of(&narrowed), narrowed: Some(Narrowed { text: text.into(), missing }) })
}
