//! When a key set is fetched, to the second.

use std::time::Duration;

use clock::Time;
use proptest::prelude::*;
use serde_json::json;

use crate::{
    keys::{
        Algorithm, KeySet,
        state::{FetchReason, KeyCacheState, KeyLookup},
    },
    testing::Signer,
};

const MINUTE: u64 = 60;
const HOUR: u64 = 60 * MINUTE;

fn at(seconds: u64) -> Time {
    Time::from_millis(1_767_225_600_000).plus(Duration::from_secs(seconds))
}

fn keys() -> KeySet {
    KeySet::read(&json!({ "keys": [Signer::es256("k").jwk, Signer::es256("l").jwk] }), &Algorithm::ALL).unwrap().0
}

/// Returns the state after a fetch at second 0.
fn fetched_state(max_age: Option<u64>) -> KeyCacheState {
    let mut state = KeyCacheState::default();
    state.record_answer(FetchReason::Due, keys(), max_age.map(Duration::from_secs), at(0));
    state
}

fn requests_fetch(state: &KeyCacheState, id: &str, seconds: u64) -> bool {
    matches!(state.find(Some(id), at(seconds)), KeyLookup::Ask(FetchReason::Due))
}

fn misses(state: &KeyCacheState, id: &str, seconds: u64) -> bool {
    matches!(state.find(Some(id), at(seconds)), KeyLookup::Ask(FetchReason::Missed))
}

fn finds(state: &KeyCacheState, id: &str, seconds: u64) -> bool {
    matches!(state.find(Some(id), at(seconds)), KeyLookup::Found(_))
}

#[test]
fn keys_are_fetched_at_first() {
    assert!(requests_fetch(&KeyCacheState::default(), "k", 0));
}

#[test]
fn freshness_is_limited_to_ten_minutes_to_a_day() {
    for (max_age, fresh) in [
        (None, 10 * MINUTE),
        (Some(0), 10 * MINUTE),
        (Some(599), 10 * MINUTE),
        (Some(HOUR), HOUR),
        (Some(25 * HOUR), 24 * HOUR),
        (Some(u64::MAX), 24 * HOUR),
    ] {
        let state = fetched_state(max_age);
        assert!(finds(&state, "k", fresh - 1), "{max_age:?}");
        assert!(requests_fetch(&state, "k", fresh), "{max_age:?}");
    }
}

#[test]
fn unknown_kid_causes_a_fetch_at_once_and_then_one_in_thirty_seconds() {
    let mut state = fetched_state(Some(HOUR));
    assert!(misses(&state, "new", 1), "a provider may change its keys right after it was asked");
    state.record_answer(FetchReason::Missed, keys(), Some(Duration::from_secs(HOUR)), at(1));
    for second in [1, 30] {
        assert!(matches!(state.find(Some("new"), at(second)), KeyLookup::Unknown));
        assert!(matches!(state.find(Some("newer"), at(second)), KeyLookup::Unknown));
    }
    assert!(finds(&state, "k", 30), "those that are known are not affected");
    assert!(misses(&state, "new", 31));
    state.record_fetch(FetchReason::Missed, at(31));
    assert!(matches!(state.find(Some("new"), at(60)), KeyLookup::Unknown), "an outage counts too");
    assert!(misses(&state, "new", 61));
}

#[test]
fn missing_kid_among_several_keys_causes_no_fetch() {
    assert!(matches!(fetched_state(Some(HOUR)).find(None, at(60)), KeyLookup::Unknown));
}

#[test]
fn stale_keys_are_used_for_a_day() {
    let mut state = fetched_state(Some(HOUR));
    state.record_fetch(FetchReason::Due, at(HOUR));
    assert!(finds(&state, "k", HOUR));
    assert!(finds(&state, "k", HOUR + 29));
    assert!(requests_fetch(&state, "k", HOUR + 30));
    state.record_fetch(FetchReason::Due, at(25 * HOUR - 1));
    assert!(finds(&state, "k", 25 * HOUR - 1));
    assert!(matches!(state.find(Some("k"), at(25 * HOUR)), KeyLookup::Unavailable { retry_after: 30 }));
}

#[test]
fn failed_fetch_is_repeated_after_thirty_seconds() {
    let mut state = KeyCacheState::default();
    state.record_fetch(FetchReason::Due, at(0));
    assert!(matches!(state.find(Some("k"), at(0)), KeyLookup::Unavailable { retry_after: 31 }));
    assert!(matches!(state.find(Some("k"), at(29)), KeyLookup::Unavailable { retry_after: 2 }));
    assert!(requests_fetch(&state, "k", 30));
}

#[test]
fn empty_key_set_replaces_known_keys() {
    let mut state = fetched_state(Some(HOUR));
    state.record_answer(FetchReason::Missed, KeySet::default(), None, at(60));
    assert!(matches!(state.find(Some("k"), at(61)), KeyLookup::Unknown));
}

#[test]
fn clock_set_back_does_not_prevent_a_fetch() {
    let mut state = KeyCacheState::default();
    state.record_fetch(FetchReason::Due, at(HOUR));
    assert!(requests_fetch(&state, "k", 0));
    state.record_answer(FetchReason::Due, keys(), Some(Duration::from_hours(24)), at(1000 * HOUR));
    assert!(requests_fetch(&state, "k", 0), "keys that seem to be fresh for a thousand hours are not");
    state.record_fetch(FetchReason::Due, at(0));
    assert!(finds(&state, "k", 1));
}

proptest! {
    #[test]
    fn invented_key_names_cause_two_fetches_a_minute(
        moments in prop::collection::vec((0_u64..1500, "[a-z]{1,3}"), 1..200),
    ) {
        let mut moments = moments;
        moments.sort();
        let mut state = fetched_state(None);
        let mut fetches = vec![(FetchReason::Due, 0)];
        for (second, id) in moments {
            if let KeyLookup::Ask(why) = state.find(Some(&id), at(second)) {
                fetches.push((why, second));
                state.record_answer(why, keys(), None, at(second));
            }
        }
        for reason in [FetchReason::Due, FetchReason::Missed] {
            let seconds: Vec<u64> = fetches.iter().filter(|(why, _)| *why == reason).map(|(_, second)| *second).collect();
            prop_assert!(seconds.windows(2).all(|pair| pair[1] - pair[0] >= 30), "{fetches:?}");
        }
    }
}
