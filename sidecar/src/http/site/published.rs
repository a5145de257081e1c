//! The authorization server metadata of a build, narrowed to what this service can honour.

use bytes::Bytes;
use contract::discovery::AuthorizationServer;
use registration::registrar::{Abilities, Missing, Offers};

use super::variants::Unusable;

/// What the build offers. A build without the document offers nothing.
#[derive(Default)]
pub(super) struct Published {
    pub(super) offers: Offers,
    /// The document, if it says less than it was built with.
    pub(super) narrowed: Option<Bytes>,
    /// What is missing if less is honoured than was built.
    pub(super) missing: Option<Missing>,
}

/// Narrows the document `body`.
pub(super) fn narrow(body: &[u8], abilities: Abilities) -> Result<Published, Unusable> {
    let built: AuthorizationServer = serde_json::from_slice(body).map_err(|_| Unusable)?;
    let missing = abilities.missing(&built);
    let honoured = abilities.narrow(built.clone());
    let offers = Offers::of(&honoured);
    if honoured == built {
        return Ok(Published { offers, narrowed: None, missing });
    }
    let mut text = serde_json::to_vec(&honoured).map_err(|_| Unusable)?;
    text.push(b'\n');
    Ok(Published { offers, narrowed: Some(text.into()), missing })
}
