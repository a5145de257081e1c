//! Every path of a site and what it leads to, in one text and two flat tables.

use foldhash::fast::RandomState;
use hashbrown::{HashTable, hash_table::Entry as Slot};
use std::hash::BuildHasher as _;

use contract::manifest::{Axis, Class};

use super::representation::{Number, Unusable};

/// What a path leads to.
#[derive(Clone, Copy)]
pub(crate) enum Target {
    /// An answer of the build.
    Route(Route),
    /// A route of the build at another path.
    Redirect(Place),
    /// Something computed, by its number.
    Endpoint(u8),
}

/// A path that answers 200.
#[derive(Clone, Copy)]
pub(crate) struct Route {
    pub(crate) class: Class,
    /// Whether a credential that is sent must be valid, and the limit of the content API counts.
    pub(crate) guarded: bool,
    pub(crate) cors: bool,
    /// What selects the variant.
    pub(crate) axis: Option<Axis>,
    /// The first variant: the only one; or the English one, which the Turkish one follows; or the page, which its
    /// Markdown follows.
    pub(crate) first: Number,
}

/// The position of a path in the table.
#[derive(Clone, Copy)]
pub(crate) struct Place(u32);

struct Entry {
    /// The end of its path in the text of all paths; the path begins where that of the previous entry ends.
    path_end: u32,
    target: Target,
}

/// The paths and their targets.
#[derive(Default)]
pub(crate) struct Table {
    paths: String,
    entries: Vec<Entry>,
    index: HashTable<u32>,
    hasher: RandomState,
}

impl Table {
    /// Creates a table with room for `count` paths.
    pub(crate) fn with_capacity(count: usize) -> Self {
        Self { entries: Vec::with_capacity(count), index: HashTable::with_capacity(count), ..Self::default() }
    }

    /// Makes `path` lead to `target`, wherever it led before.
    pub(crate) fn insert(&mut self, path: &str, target: Target) -> Result<(), Unusable> {
        let Self { paths, entries, index, hasher } = self;
        let path_of = |at: &u32| path_at(paths, entries, *at as usize);
        let slot = index.entry(hasher.hash_one(path), |at| path_of(at) == path, |at| hasher.hash_one(path_of(at)));
        match slot {
            Slot::Occupied(known) => {
                if let Some(entry) = entries.get_mut(*known.get() as usize) {
                    entry.target = target;
                }
            }
            Slot::Vacant(slot) => {
                slot.insert(u32::try_from(entries.len()).map_err(|_| Unusable)?);
                paths.push_str(path);
                entries.push(Entry { path_end: u32::try_from(paths.len()).map_err(|_| Unusable)?, target });
            }
        }
        Ok(())
    }

    /// Returns what `path`, decoded, leads to.
    pub(crate) fn find(&self, path: &str) -> Option<&Target> {
        self.place(path).and_then(|place| self.target(place))
    }

    /// Returns the position of `path`.
    pub(crate) fn place(&self, path: &str) -> Option<Place> {
        // Octets are compared: cutting a text would mean looking for the bounds of its characters.
        let same = |at: &u32| {
            let (start, end) = bounds(&self.entries, *at as usize);
            self.paths.as_bytes().get(start..end) == Some(path.as_bytes())
        };
        self.index.find(self.hasher.hash_one(path), same).copied().map(Place)
    }

    /// Returns the path at `place`.
    pub(crate) fn path(&self, place: Place) -> &str {
        path_at(&self.paths, &self.entries, place.0 as usize)
    }

    /// Returns what is at `place`.
    pub(crate) fn target(&self, place: Place) -> Option<&Target> {
        self.entries.get(place.0 as usize).map(|entry| &entry.target)
    }

    /// Returns the paths that lead to other paths, each with the other path.
    pub(crate) fn redirects(&self) -> impl Iterator<Item = (&str, &str)> {
        self.entries.iter().enumerate().filter_map(|(at, entry)| match entry.target {
            Target::Redirect(to) => Some((path_at(&self.paths, &self.entries, at), self.path(to))),
            _ => None,
        })
    }

    /// Gives back the memory that more paths would take.
    pub(crate) fn finish(&mut self) {
        self.paths.shrink_to_fit();
        self.entries.shrink_to_fit();
    }
}

fn path_at<'a>(paths: &'a str, entries: &[Entry], at: usize) -> &'a str {
    let (start, end) = bounds(entries, at);
    paths.get(start..end).unwrap_or_default()
}

fn bounds(entries: &[Entry], at: usize) -> (usize, usize) {
    let end = |at: usize| entries.get(at).map_or(0, |entry| entry.path_end as usize);
    (at.checked_sub(1).map_or(0, end), end(at))
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::*;

    fn place(target: Option<&Target>) -> Option<u32> {
        match target {
            Some(Target::Redirect(place)) => Some(place.0),
            _ => None,
        }
    }

    proptest! {
        #[test]
        fn what_was_inserted_last_is_found_and_nothing_else(
            inserted in proptest::collection::vec(("[a-cı/]{0,3}", 0_u32..1000), 0..60),
            asked in "[a-cı/]{0,3}",
        ) {
            let (mut table, mut known) = (Table::default(), HashMap::new());
            for (path, number) in &inserted {
                table.insert(path, Target::Redirect(Place(*number))).unwrap();
                known.insert(path.as_str(), *number);
            }
            for (path, number) in &known {
                prop_assert_eq!(place(table.find(path)), Some(*number));
                prop_assert_eq!(table.path(table.place(path).unwrap()), *path);
            }
            prop_assert_eq!(place(table.find(&asked)), known.get(asked.as_str()).copied());
        }
    }
}
