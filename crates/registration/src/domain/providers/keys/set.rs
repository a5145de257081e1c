//! A JWK Set, reduced to the keys that may verify something.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use serde_json::Value;

use super::{Algorithm, Key, key};

/// The keys of one provider that may verify something.
#[derive(Clone, Debug, Default)]
pub(crate) struct KeySet {
    named: HashMap<String, Arc<Key>>,
    nameless: Vec<Arc<Key>>,
}

/// A key that is not used, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unusable {
    /// Its position in the set, from 1.
    pub(crate) place: usize,
    /// The reason.
    pub(crate) reason: &'static str,
}

/// How many keys a set may have.
const MOST_KEYS: usize = 32;

impl KeySet {
    /// Reads a JWK Set (RFC 7517, 5). A key that cannot be used is left out, as the standard asks; a document that is
    /// not a set, or is a very large one, is refused as a whole.
    pub(crate) fn parse(text: &[u8], allowed: &[Algorithm]) -> Result<(Self, Vec<Unusable>), &'static str> {
        let document: Value = serde_json::from_slice(text).map_err(|_| "it is not JSON")?;
        Self::read(&document, allowed)
    }

    /// Reads a set from parsed JSON, as [`KeySet::parse`] does.
    pub(crate) fn read(document: &Value, allowed: &[Algorithm]) -> Result<(Self, Vec<Unusable>), &'static str> {
        let keys = document.get("keys").and_then(Value::as_array).ok_or("it has no list named `keys`")?;
        if keys.len() > MOST_KEYS {
            return Err("it has more than 32 keys");
        }
        // Security: if two keys share a name, then whichever is meant, the other could be smuggled in; neither is used.
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
        let key = Arc::new(Key::parse(jwk, allowed)?);
        match id {
            Some(id) => _ = self.named.insert(id.to_owned(), key),
            None => self.nameless.push(key),
        }
        Ok(())
    }

    /// Returns the key with this name or, without a name, the only key there is.
    pub(crate) fn find(&self, id: Option<&str>) -> Option<&Arc<Key>> {
        match id {
            Some(id) => self.named.get(id),
            None if self.len() == 1 => self.named.values().chain(&self.nameless).next(),
            None => None,
        }
    }

    /// Returns how many keys may verify something.
    pub(crate) fn len(&self) -> usize {
        self.named.len() + self.nameless.len()
    }
}
