//! Files of a build that no route names, found by name and locale.

use std::collections::HashMap;

use bytes::Bytes;
use contract::{Locale, manifest::Part};

use super::contents::{ContentId, Contents, LoadPlan};

#[derive(Debug, Default)]
pub(crate) struct LoadedParts(HashMap<(String, Option<Locale>), Bytes>);

/// The parts that are still to be read.
pub(super) struct Planned(Vec<(String, Option<Locale>, ContentId)>);

impl Planned {
    /// Adds `parts` to `plan`.
    pub(super) fn of(parts: Vec<Part>, plan: &mut LoadPlan) -> Option<Self> {
        let planned = parts.into_iter().map(|Part { name, variant }| Some((name, variant.locale, plan.add(&variant)?)));
        planned.collect::<Option<_>>().map(Self)
    }

    /// Finds the parts among the verified `contents`.
    pub(super) fn find(self, contents: &Contents) -> LoadedParts {
        let found = self
            .0
            .into_iter()
            .filter_map(|(name, locale, id)| Some(((name, locale), contents.get(id)?.part(None).body())));
        LoadedParts(found.collect())
    }
}

impl LoadedParts {
    /// Returns the part `name`, which exists once or once for each locale.
    pub(crate) fn get(&self, name: &str, locale: Option<Locale>) -> Option<&Bytes> {
        self.0.get(&(name.to_owned(), locale))
    }
}
