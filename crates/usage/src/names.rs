//! Counts by name in a fixed number of places, for names that strangers can invent.

use std::{collections::HashMap, hash::BuildHasher as _, mem};

use foldhash::quality::RandomState;

/// Places that a name which finds none of its own is compared with: the work of a request is bounded.
const COMPARED: usize = 16;

/// Counts by name, at most `max`. A further name takes the place of the one, of [`COMPARED`] places that go round, which
/// was used in the fewest periods (hours, or days of a log), then least often, then longest ago. So a flood of invented
/// names displaces itself, and not what recurs. What recurs is preferred on half of the places only: the others are for new
/// names, however often an attacker repeats old ones.
#[derive(Debug)]
pub(crate) struct NameTable<C> {
    max: usize,
    places: HashMap<u64, usize, RandomState>,
    slots: Vec<NameSlot<C>>,
    /// Names that were used in more than one period.
    recurring: usize,
    /// The number of uses, and that at which the period began.
    uses: u64,
    period_start: u64,
    /// The place with which the next comparison begins.
    next: usize,
    hasher: RandomState,
}

/// Security: between two periods only the keyed digest of a name is kept.
#[derive(Debug)]
struct NameSlot<C> {
    digest: u64,
    /// Empty if the name was not used since the last call of [`NameTable::drain`].
    name: Box<str>,
    counts: C,
    /// The number of periods in which the name was used.
    periods: u32,
    last_use: u64,
}

impl<C: Default> NameTable<C> {
    pub(crate) fn new(max: usize) -> Self {
        Self {
            max: max.max(1),
            places: HashMap::default(),
            slots: Vec::new(),
            recurring: 0,
            uses: 0,
            period_start: 1,
            next: 0,
            hasher: RandomState::default(),
        }
    }

    /// Returns the counts of `name`, and those of a name that made room; `sum` orders counts.
    pub(crate) fn entry(&mut self, name: &str, sum: impl Fn(&C) -> u64) -> (&mut C, Option<C>) {
        let digest = self.hasher.hash_one(name);
        let (place, displaced) = match self.places.get(&digest) {
            Some(place) => (*place, None),
            None => self
                .occupy(NameSlot { digest, name: Box::default(), counts: C::default(), periods: 0, last_use: 0 }, sum),
        };
        self.uses += 1;
        let slot = &mut self.slots[place];
        if slot.name.is_empty() {
            slot.name = name.into();
        }
        if slot.last_use < self.period_start {
            slot.periods = slot.periods.saturating_add(1);
            self.recurring += usize::from(slot.periods == 2);
        }
        slot.last_use = self.uses;
        (&mut slot.counts, displaced)
    }

    /// Returns the place that `slot` takes, and the counts of the name that had it.
    fn occupy(&mut self, slot: NameSlot<C>, sum: impl Fn(&C) -> u64) -> (usize, Option<C>) {
        let digest = slot.digest;
        if self.slots.len() < self.max {
            self.slots.push(slot);
            self.places.insert(digest, self.slots.len() - 1);
            return (self.slots.len() - 1, None);
        }
        let is_crowded = self.recurring > self.max / 2;
        let compared = (0..COMPARED.min(self.max)).map(|step| (self.next + step) % self.max);
        let rank = |place: &usize| {
            let NameSlot { periods, counts, last_use, .. } = &self.slots[*place];
            ((*periods < 2) == is_crowded, *periods, sum(counts), *last_use)
        };
        let place = compared.min_by_key(rank).unwrap_or(0);
        self.next = (self.next + COMPARED) % self.max;
        let former = mem::replace(&mut self.slots[place], slot);
        self.recurring -= usize::from(former.periods >= 2);
        self.places.remove(&former.digest);
        self.places.insert(digest, place);
        (place, Some(former.counts))
    }

    /// Returns the counts of `name`, if it has a place.
    pub(crate) fn get(&self, name: &str) -> Option<&C> {
        self.places.get(&self.hasher.hash_one(name)).map(|place| &self.slots[*place].counts)
    }

    /// Returns the names that were used since the last call of [`Self::drain`], with their counts.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &C)> {
        let used = self.slots.iter().filter(|slot| !slot.name.is_empty());
        used.map(|slot| (&*slot.name, &slot.counts))
    }

    /// Begins a new period.
    pub(crate) fn end_period(&mut self) {
        self.period_start = self.uses + 1;
    }

    /// Takes the names with their counts.
    pub(crate) fn drain(&mut self) -> impl Iterator<Item = (Box<str>, C)> {
        let used = self.slots.iter_mut().filter(|slot| !slot.name.is_empty());
        used.map(|slot| (mem::take(&mut slot.name), mem::take(&mut slot.counts)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(table: &mut NameTable<u64>, name: &str) -> u64 {
        let (counts, displaced) = table.entry(name, |count| *count);
        *counts += 1;
        displaced.unwrap_or(0)
    }

    #[test]
    fn name_that_recurs_keeps_its_place_in_a_flood_and_a_new_name_finds_one() {
        let mut table = NameTable::new(256);
        for _ in 0..2 {
            count(&mut table, "recurs");
            table.drain().for_each(drop);
            table.end_period();
        }
        let (mut sum, mut displaced) = (0, 0);
        for number in 0..100_000 {
            displaced += count(&mut table, &format!("invented {number}"));
            sum += 1;
        }
        displaced += count(&mut table, "recurs") + count(&mut table, "new");
        assert_eq!((table.get("recurs"), table.get("new")), (Some(&1), Some(&1)));
        let kept: u64 = table.drain().map(|(_, count)| count).sum();
        assert_eq!(kept + displaced, sum + 2, "nothing is lost");
        assert!(table.slots.len() <= 256 && table.places.len() <= 256);
    }

    #[test]
    fn name_that_is_used_twice_outlasts_names_that_are_used_once() {
        let mut table = NameTable::new(256);
        count(&mut table, "twice");
        count(&mut table, "twice");
        for number in 0..100_000 {
            count(&mut table, &format!("invented {number}"));
        }
        assert_eq!(table.get("twice"), Some(&2));
    }

    #[test]
    fn names_that_an_attacker_repeats_leave_half_of_the_places() {
        let mut table = NameTable::new(256);
        for _ in 0..10 {
            for number in 0..256 {
                count(&mut table, &format!("repeated {number}"));
            }
            table.drain().for_each(drop);
            table.end_period();
        }
        let names: Vec<String> = (0..32).map(|number| format!("new {number}")).collect();
        for name in &names {
            count(&mut table, name);
        }
        assert!(names.iter().all(|name| table.get(name) == Some(&1)), "{:?}", table.get("new 0"));
    }

    #[test]
    fn name_is_no_longer_held_after_it_was_taken() {
        let mut table = NameTable::new(4);
        count(&mut table, "words");
        assert_eq!(table.drain().collect::<Vec<_>>(), [("words".into(), 1)]);
        assert_eq!((table.iter().count(), table.drain().count()), (0, 0));
        assert!(!format!("{table:?}").contains("words"));
    }
}
