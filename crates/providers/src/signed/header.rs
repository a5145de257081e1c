//! The header of a token. It is unverified, so no address in it is followed.

use contract::id_jag::{ALG, B64, CRIT, KID, MAX_KEY_ID_CHARACTERS, TYP, ZIP};

use super::{TokenKind, Unreadable, json};
use crate::keys::Algorithm;

/// The used members of a header. `jku`, `x5u`, `x5c` and `jwk`, by which a token brings its own key, are not read: keys
/// come from the trust list.
pub(super) struct Header {
    algorithm: Algorithm,
    key_id: Option<String>,
}

impl Header {
    /// Parses a header with the `typ` of `kind`. Extensions are rejected, because none is supported (RFC 7515, 4.1.11;
    /// RFC 7797; RFC 7516, 4.1.3).
    pub(super) fn parse(text: &[u8], kind: TokenKind) -> Result<Self, Unreadable> {
        let members = json::object(text).map_err(Unreadable::Malformed)?;
        let typ = members.get(TYP.name);
        if typ.is_some_and(|typ| !typ.is_string()) || !kind.is_named(typ.and_then(|typ| typ.as_str())) {
            return Err(Unreadable::Malformed(kind.wrong_type()));
        }
        if let Some(extension) = [CRIT, B64, ZIP].iter().find(|extension| members.contains_key(extension.name)) {
            return Err(Unreadable::Malformed(extension.broken));
        }
        let algorithm = match members.get(ALG.name).map(|value| value.as_str()) {
            Some(Some(name)) => Algorithm::parse(name).ok_or(Unreadable::Algorithm)?,
            Some(None) | None => return Err(Unreadable::Malformed(ALG.missing)),
        };
        let key_id = match members.get(KID.name).map(|value| value.as_str()) {
            None => None,
            Some(Some(id)) if id.chars().count() <= MAX_KEY_ID_CHARACTERS => Some(id.to_owned()),
            Some(_) => return Err(Unreadable::Malformed(KID.malformed)),
        };
        Ok(Self { algorithm, key_id })
    }

    pub(super) fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    pub(super) fn key_id(&self) -> Option<&str> {
        self.key_id.as_deref()
    }
}
