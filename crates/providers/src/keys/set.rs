//! JWK Sets, reduced to usable keys.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use serde_json::Value;

use super::{Algorithm, VerificationKey, key};

/// The usable keys of one provider.
#[derive(Clone, Debug, Default)]
pub(crate) struct KeySet {
    named: HashMap<String, Arc<VerificationKey>>,
    nameless: Vec<Arc<VerificationKey>>,
}

/// A key that is not used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unusable {
    /// Position in the set, from 1.
    pub(crate) place: usize,
    pub(crate) reason: &'static str,
}

/// Maximum number of keys in a set.
const MAX_KEYS: usize = 32;

impl KeySet {
    /// Parses a JWK Set (RFC 7517, 5). Unusable keys are skipped; a document that is not a set, or too large, is an
    /// error.
    pub(crate) fn parse(text: &[u8], allowed: &[Algorithm]) -> Result<(Self, Vec<Unusable>), &'static str> {
        let document: Value = serde_json::from_slice(text).map_err(|_| "it is not JSON")?;
        Self::read(&document, allowed)
    }

    /// Reads a set from JSON, as [`KeySet::parse`] does.
    pub(crate) fn read(document: &Value, allowed: &[Algorithm]) -> Result<(Self, Vec<Unusable>), &'static str> {
        let keys = document.get("keys").and_then(Value::as_array).ok_or("it has no list named `keys`")?;
        if keys.len() > MAX_KEYS {
            return Err("it has more than 32 keys");
        }
        // Security: of two keys with one `kid`, neither is used, because one may be smuggled in.
        let mut seen = HashSet::new();
        let names = keys.iter().filter_map(|jwk| jwk.get("kid").and_then(Value::as_str));
        let doubled: HashSet<&str> = names.filter(|name| !seen.insert(*name)).collect();

        let (mut set, mut unusable) = (Self::default(), Vec::new());
        for (index, jwk) in keys.iter().enumerate() {
            if let Err(reason) = set.add(jwk, allowed, &doubled) {
                unusable.push(Unusable { place: index + 1, reason });
            }
        }
        Ok((set, unusable))
    }

    fn add(&mut self, jwk: &Value, allowed: &[Algorithm], doubled: &HashSet<&str>) -> Result<(), &'static str> {
        let jwk = jwk.as_object().ok_or("it is not an object")?;
        let id = key::id(jwk)?;
        if id.is_some_and(|id| doubled.contains(id)) {
            return Err("another key has the same `kid`");
        }
        let key = Arc::new(VerificationKey::parse(jwk, allowed)?);
        match id {
            Some(id) => _ = self.named.insert(id.to_owned(), key),
            None => self.nameless.push(key),
        }
        Ok(())
    }

    /// Returns the key `id`, or the only key.
    pub(crate) fn find(&self, id: Option<&str>) -> Option<&Arc<VerificationKey>> {
        match id {
            Some(id) => self.named.get(id),
            None if self.len() == 1 => self.named.values().chain(&self.nameless).next(),
            None => None,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.named.len() + self.nameless.len()
    }
}
