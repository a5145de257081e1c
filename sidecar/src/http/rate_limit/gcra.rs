//! A limit per key in bounded memory: the generic cell rate algorithm, which stores one number for each key.

use std::{
    collections::HashMap,
    hash::{BuildHasher as _, RandomState},
    num::NonZeroU32,
    sync::{Arc, Mutex, PoisonError},
};

/// Nanoseconds in the window of every limit.
const WINDOW: u64 = 60_000_000_000;
/// The number of shards, each with its own lock.
const SHARDS: usize = 64;
/// The most keys in one shard; together at most 8 MB.
const MAX_KEYS: usize = 4096;

/// Allows each key `quota` requests a minute, in one burst or spread out.
pub(super) struct Gcra {
    /// Nanoseconds after which one more request is free.
    interval: u64,
    cells: Arc<Cells>,
}

/// The use of each key.
struct Cells {
    shards: [Mutex<Shard>; SHARDS],
    hasher: RandomState,
}

/// For each key, the time at which it will have its whole quota again.
type Shard = HashMap<u64, u64>;

/// The remaining quota of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Balance {
    /// Requests left now; `None` if this one exceeds the quota.
    pub(super) remaining: Option<u64>,
    /// Nanoseconds until the whole quota is free or, after a rejected request, until one more is.
    pub(super) wait: u64,
}

impl Gcra {
    /// Creates a limit. If it replaces a `former` one, each key has used the same share of it.
    pub(super) fn new(quota: NonZeroU32, former: Option<&Self>) -> Self {
        let unused =
            || Arc::new(Cells { shards: std::array::from_fn(|_| Mutex::default()), hasher: RandomState::default() });
        Self {
            interval: (WINDOW / u64::from(quota.get())).max(1),
            cells: former.map_or_else(unused, |former| Arc::clone(&former.cells)),
        }
    }

    /// Counts `count` requests of `key` at the time `now` in nanoseconds, all of them or none.
    pub(super) fn check(&self, key: u64, count: u32, now: u64) -> Balance {
        let index = self.cells.hasher.hash_one(key) as usize % SHARDS;
        let mut shard = self.cells.shards[index].lock().unwrap_or_else(PoisonError::into_inner);
        let full_again = shard.get(&key).copied().unwrap_or(0).max(now) + self.interval * u64::from(count);
        let wait = full_again - now;
        if wait > WINDOW {
            return Balance { remaining: None, wait: wait - WINDOW };
        }
        if shard.len() >= MAX_KEYS {
            make_room(&mut shard, now);
        }
        shard.insert(key, full_again);
        Balance { remaining: Some((WINDOW - wait) / self.interval), wait }
    }
}

/// Deletes keys with their whole quota or, if there are none, the half that has used least. Security: an attacker with
/// many addresses can reset limits, but not fill the memory.
fn make_room(shard: &mut Shard, now: u64) {
    shard.retain(|_, full_again| *full_again > now);
    if shard.len() >= MAX_KEYS {
        let mut times: Vec<u64> = shard.values().copied().collect();
        let middle = times.len() / 2;
        let (_, median, _) = times.select_nth_unstable(middle);
        let median = *median;
        shard.retain(|_, full_again| *full_again > median);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn limit(quota: u32) -> Gcra {
        Gcra::new(NonZeroU32::new(quota).unwrap(), None)
    }

    #[test]
    fn quota_passes_at_once_and_the_next_request_does_not() {
        let limit = limit(3);
        let left: Vec<_> = (0..4).map(|_| limit.check(1, 1, 0).remaining).collect();
        assert_eq!(left, [Some(2), Some(1), Some(0), None]);
    }

    #[test]
    fn requests_of_one_array_pass_together_or_not_at_all() {
        let limit = limit(5);
        let left: Vec<_> = [3, 3, 2, 1].map(|count| limit.check(1, count, 0).remaining).into();
        assert_eq!(left, [Some(2), None, Some(0), None]);
    }

    #[test]
    fn one_more_is_free_after_the_time_that_was_named() {
        let limit = limit(3);
        for _ in 0..3 {
            limit.check(1, 1, 0);
        }
        let refused = limit.check(1, 1, 0);
        assert_eq!(limit.check(1, 1, refused.wait - 1).remaining, None);
        assert_eq!(limit.check(1, 1, refused.wait).remaining, Some(0));
    }

    #[test]
    fn changed_limit_gives_no_fresh_quota_and_takes_none_away() {
        let few = limit(4);
        let left: Vec<_> = (0..2).map(|_| few.check(1, 1, 0).remaining).collect();
        assert_eq!(left, [Some(3), Some(2)]);
        let many = Gcra::new(NonZeroU32::new(8).unwrap(), Some(&few));
        assert_eq!(many.check(1, 1, 0).remaining, Some(3), "half of it was used, and one more now");
        assert_eq!(many.check(2, 1, 0).remaining, Some(7));
        assert_eq!(many.check(1, 3, 0).remaining, Some(0));
        let again = Gcra::new(NonZeroU32::new(4).unwrap(), Some(&many));
        assert_eq!(again.check(1, 1, 0).remaining, None);
    }

    #[test]
    fn clients_do_not_share_a_quota() {
        let limit = limit(1);
        assert!(limit.check(1, 1, 0).remaining.is_some());
        assert!(limit.check(2, 1, 0).remaining.is_some());
    }

    #[test]
    fn flood_of_clients_does_not_fill_the_memory() {
        let limit = limit(2);
        for key in 0..(SHARDS * MAX_KEYS * 2) as u64 {
            limit.check(key, 1, 0);
        }
        assert!(limit.cells.shards.iter().all(|shard| shard.lock().unwrap().len() <= MAX_KEYS));
    }

    proptest! {
        #[test]
        fn requests_passed_in_a_minute_are_at_most_twice_the_quota(quota in 1_u32..50, steps in proptest::collection::vec(0_u64..2_000, 1..300)) {
            let limit = limit(quota);
            let (mut now, mut passed) = (0, 0);
            for step in steps {
                now += step * 1_000_000;
                if now > WINDOW {
                    break;
                }
                passed += u32::from(limit.check(9, 1, now).remaining.is_some());
            }
            prop_assert!(passed <= 2 * quota);
        }
    }
}
