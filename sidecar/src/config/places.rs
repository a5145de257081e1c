//! Where settings came from that are understood only where they are used.

use std::collections::BTreeMap;

use settings::Place;

use super::names::NAMES;

/// Where settings came from that are understood only where they are used, by key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places(BTreeMap<&'static str, Place>);

impl Places {
    /// Notes that the setting `key` came from `place`. Only a line is worth noting: a variable is found by its name.
    pub(super) fn note(&mut self, key: &'static str, place: &Place) {
        if let Place::Line(..) = place {
            self.0.insert(key, place.clone());
        }
    }

    /// Returns how a message about the setting `key` begins: with the line that it came from, or its variable.
    pub(crate) fn name(&self, key: &str) -> String {
        match self.0.get(key) {
            Some(place) => format!("{place}: `{key}`"),
            None => NAMES.iter().find(|name| name.key == key).map_or(key, |name| name.variable).to_owned(),
        }
    }
}
