//! Files that the sidecar answers from beside the routes, found by name and locale.

use std::collections::HashMap;

use bytes::Bytes;
use contract::{Locale, manifest::Manifest};

use super::{Bodies, Sha256};

/// The parts of one build.
#[derive(Debug, Default)]
pub(crate) struct Parts(HashMap<(String, Option<Locale>), Bytes>);

impl Parts {
    /// Finds the parts of `manifest` among its verified `bodies`.
    pub(crate) fn of(manifest: &Manifest, bodies: &Bodies) -> Self {
        let found = manifest.parts.iter().filter_map(|part| {
            let digest = Sha256::parse(&part.variant.digest.0)?;
            Some(((part.name.clone(), part.variant.locale), bodies.get(&digest)?.clone()))
        });
        Self(found.collect())
    }

    /// The bytes of the part `name`, which may exist once or once for each locale.
    pub(crate) fn get(&self, name: &str, locale: Option<Locale>) -> Option<&Bytes> {
        self.0.get(&(name.to_owned(), locale))
    }
}
