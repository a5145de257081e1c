//! Concurrent requests for the keys of one provider.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
        mpsc::{Receiver, Sender, channel},
    },
    time::Duration,
};

use serde_json::json;
use tokio::task::JoinSet;

use crate::{
    keys::{
        Algorithm, NoKey,
        cache::KeyCache,
        fetch::{Fetch, FetchError, FetchedDocument},
    },
    testing::{Signer, now},
};

/// Counts the fetches.
#[derive(Debug)]
struct Counting {
    asked: AtomicUsize,
    behaviour: Mutex<Behaviour>,
}

#[derive(Debug)]
enum Behaviour {
    Answers(Vec<u8>),
    Fails,
    Panics,
    /// Signals the fetch and waits for a signal.
    Waits(Sender<()>, Receiver<()>, Vec<u8>),
}

impl Fetch for Counting {
    fn fetch(&self, _: &str) -> Result<FetchedDocument, FetchError> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        let body = match &*self.behaviour.lock().unwrap_or_else(std::sync::PoisonError::into_inner) {
            Behaviour::Answers(body) => body.clone(),
            Behaviour::Fails => return Err(FetchError::Status(500)),
            Behaviour::Panics => panic!("a defect"),
            Behaviour::Waits(asked, go, body) => {
                asked.send(()).unwrap();
                go.recv().unwrap();
                body.clone()
            }
        };
        Ok(FetchedDocument { body, max_age: Some(Duration::from_hours(1)) })
    }
}

fn document() -> Vec<u8> {
    json!({ "keys": [Signer::es256("k").jwk] }).to_string().into_bytes()
}

fn cache(behaviour: Behaviour) -> (Arc<KeyCache>, Arc<Counting>) {
    let fetch = Arc::new(Counting { asked: AtomicUsize::new(0), behaviour: Mutex::new(behaviour) });
    let cache =
        KeyCache::new("https://agents.example", "https://agents.example/k", &Algorithm::ALL, Arc::clone(&fetch) as _);
    (Arc::new(cache), fetch)
}

#[tokio::test]
async fn thousand_parallel_unknown_names_make_one_fetch() {
    let (cache, fetch) = cache(Behaviour::Answers(document()));
    for (round, moment) in [now(), now().plus(Duration::from_secs(30))].into_iter().enumerate() {
        let mut requests = JoinSet::new();
        for number in 0..1000 {
            let cache = Arc::clone(&cache);
            requests.spawn(async move { cache.find(Some(&format!("invented-{number}")), moment).await });
        }
        while let Some(found) = requests.join_next().await {
            assert_eq!(found.unwrap().unwrap_err(), NoKey::Unknown);
        }
        assert_eq!(fetch.asked.load(Ordering::SeqCst), round + 1);
    }
}

#[tokio::test]
async fn keys_that_change_right_after_they_were_fetched_are_found() {
    let (cache, fetch) = cache(Behaviour::Answers(document()));
    assert!(cache.find(Some("k"), now()).await.is_ok());
    let rotated = json!({ "keys": [Signer::es256("k").jwk, Signer::es256("l").jwk] }).to_string().into_bytes();
    *fetch.behaviour.lock().unwrap() = Behaviour::Answers(rotated);
    let mut requests = JoinSet::new();
    for _ in 0..100 {
        let cache = Arc::clone(&cache);
        requests.spawn(async move { cache.find(Some("l"), now().plus(Duration::from_secs(1))).await.is_ok() });
    }
    assert!(requests.join_all().await.into_iter().all(|found| found));
    assert_eq!(fetch.asked.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn thousand_first_requests_make_one_fetch_and_all_find_the_key() {
    let (cache, fetch) = cache(Behaviour::Answers(document()));
    let mut requests = JoinSet::new();
    for _ in 0..1000 {
        let cache = Arc::clone(&cache);
        requests.spawn(async move { cache.find(Some("k"), now()).await.is_ok() });
    }
    assert!(requests.join_all().await.into_iter().all(|found| found));
    assert_eq!(fetch.asked.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn outage_makes_one_fetch_in_thirty_seconds_and_cached_keys_go_on() {
    let (cache, fetch) = cache(Behaviour::Answers(document()));
    assert!(cache.find(Some("k"), now()).await.is_ok());
    *fetch.behaviour.lock().unwrap() = Behaviour::Fails;
    let stale = now().plus(Duration::from_hours(2));
    for _ in 0..10 {
        assert!(cache.find(Some("k"), stale).await.is_ok());
    }
    assert_eq!(fetch.asked.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn answer_that_is_no_key_set_counts_as_an_outage() {
    for body in [&b"<html>sign in</html>"[..], b"", b"{\"keys\":1}"] {
        let (cache, fetch) = cache(Behaviour::Answers(document()));
        assert!(cache.find(Some("k"), now()).await.is_ok());
        *fetch.behaviour.lock().unwrap() = Behaviour::Answers(body.to_vec());
        assert!(cache.find(Some("k"), now().plus(Duration::from_hours(2))).await.is_ok());
    }
}

#[tokio::test]
async fn disconnected_client_does_not_cancel_the_fetch() {
    let ((say, requested), (go, wait)) = (channel(), channel());
    let (cache, fetch) = cache(Behaviour::Waits(say, wait, document()));
    let impatient = tokio::spawn({
        let cache = Arc::clone(&cache);
        async move { cache.find(Some("k"), now()).await.is_ok() }
    });
    tokio::task::spawn_blocking(move || requested.recv().unwrap()).await.unwrap();
    impatient.abort();
    assert!(impatient.await.unwrap_err().is_cancelled());
    go.send(()).unwrap();
    assert!(cache.find(Some("k"), now()).await.is_ok());
    assert_eq!(fetch.asked.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn panic_while_fetching_counts_as_an_outage() {
    let (cache, fetch) = cache(Behaviour::Panics);
    assert!(matches!(cache.find(Some("k"), now()).await, Err(NoKey::Unavailable { .. })));
    *fetch.behaviour.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Behaviour::Answers(document());
    assert!(cache.find(Some("k"), now().plus(Duration::from_secs(30))).await.is_ok());
}

#[tokio::test]
async fn age_of_keys_and_failed_fetches_are_counted() {
    let (cache, fetch) = cache(Behaviour::Fails);
    assert!(cache.find(Some("k"), now()).await.is_err());
    assert_eq!((cache.age(now()), cache.failures()), (None, 1));
    *fetch.behaviour.lock().unwrap() = Behaviour::Answers(document());
    let later = now().plus(Duration::from_mins(1));
    cache.find(Some("k"), later).await.unwrap();
    assert_eq!((cache.age(later.plus(Duration::from_secs(90))), cache.failures()), (Some(Duration::from_secs(90)), 1));
}
