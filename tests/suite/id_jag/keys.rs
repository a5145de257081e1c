//! A provider's keys over HTTP: fetching, caching, and missing keys.

use std::{thread, time::Duration};

use super::{Provider, Scene};

/// The pause between two fetches for the same reason.
const PAUSE: Duration = Duration::from_secs(30);
const HOUR: Duration = Duration::from_hours(1);

#[test]
fn cached_keys_outlive_an_outage_of_a_day_at_most() {
    let provider = Provider::with_key("k");
    let scene = Scene::trusting(&[&provider]);
    assert_eq!(scene.admit(&provider).status, 200);
    provider.is_down(true);
    for _ in 0..24 {
        scene.pass(HOUR);
        assert_eq!(scene.admit(&provider).status, 200);
    }
    scene.pass(HOUR);
    let reply = scene.admit(&provider);
    reply.assert_refused(503, "temporarily_unavailable");
    assert_eq!(reply.header("retry-after"), Some("31"));
    provider.is_down(false);
    scene.pass(PAUSE);
    assert_eq!(scene.admit(&provider).status, 200);
}

#[test]
fn assertion_refused_for_missing_keys_is_not_spent() {
    let provider = Provider::with_key("k");
    let scene = Scene::trusting(&[&provider]);
    provider.is_down(true);
    let assertion = provider.assertion(scene.now(), &serde_json::json!({}));
    for (seconds, wait) in [(0, "31"), (10, "21"), (19, "2")] {
        scene.pass(Duration::from_secs(seconds));
        for reply in [scene.register(&assertion), scene.exchange(&assertion)] {
            reply.assert_refused(503, "temporarily_unavailable");
            assert_eq!(reply.header("retry-after"), Some(wait));
        }
    }
    assert_eq!(provider.requested_paths().len(), 1);
    provider.is_down(false);
    scene.pass(Duration::from_secs(2));
    assert_eq!(scene.register(&assertion).status, 200);
    scene.register(&assertion).assert_refused(400, "replay_detected");
}

#[test]
fn new_key_is_fetched_once_for_64_assertions_and_all_are_accepted() {
    let mut provider = Provider::with_key("old");
    let scene = Scene::trusting(&[&provider]);
    assert_eq!(scene.admit(&provider).status, 200);
    let by_old = provider.assertion(scene.now(), &serde_json::json!({}));
    provider.change_key("new");
    let statuses: Vec<u16> = thread::scope(|scope| {
        let posts: Vec<_> = (0..64).map(|_| scope.spawn(|| scene.admit(&provider).status)).collect();
        posts.into_iter().map(|post| post.join().unwrap()).collect()
    });
    assert_eq!(statuses, vec![200; 64]);
    assert_eq!(provider.requested_paths().len(), 2);
    // The old key is no longer valid.
    scene.register(&by_old).assert_refused(400, "invalid_signature");
    // A second change is noticed after the pause.
    provider.change_key("newer");
    scene.admit(&provider).assert_refused(400, "invalid_signature");
    assert_eq!(provider.requested_paths().len(), 2);
    scene.pass(PAUSE);
    assert_eq!((scene.admit(&provider).status, provider.requested_paths().len()), (200, 3));
}

#[test]
fn unknown_key_names_cause_one_fetch_in_thirty_seconds_per_provider() {
    let (one, other) = (Provider::with_key("k"), Provider::with_key("k"));
    let scene = Scene::trusting(&[&one, &other]);
    assert_eq!((scene.admit(&one).status, scene.admit(&other).status), (200, 200));
    for round in 1..=3 {
        scene.pass(PAUSE);
        for number in 0..20 {
            let reply = scene.register(&one.forge_assertion(&format!("key-{round}-{number}"), scene.now()));
            reply.assert_refused(400, "invalid_signature");
            assert_eq!(scene.admit(&one).status, 200, "others are served meanwhile");
        }
        assert_eq!((one.requested_paths().len(), other.requested_paths().len()), (1 + round, 1));
    }
    scene.register(&other.forge_assertion("unknown", scene.now())).assert_refused(400, "invalid_signature");
    assert_eq!(other.requested_paths().len(), 2, "the pause of one provider is not that of another");
}

#[test]
fn keys_are_cached_for_their_max_age_between_ten_minutes_and_a_day() {
    for (cache_control, seconds) in
        [("no-store", 600), ("max-age=1", 600), ("public, max-age=7200", 7200), ("max-age=31536000", 86_400)]
    {
        let provider = Provider::with_key("k");
        provider.publish_for(cache_control);
        let scene = Scene::trusting(&[&provider]);
        assert_eq!(scene.admit(&provider).status, 200);
        scene.pass(Duration::from_secs(seconds - 1));
        assert_eq!((scene.admit(&provider).status, provider.requested_paths().len()), (200, 1), "{cache_control}");
        scene.pass(Duration::from_secs(1));
        assert_eq!((scene.admit(&provider).status, provider.requested_paths().len()), (200, 2), "{cache_control}");
    }
}

#[test]
fn removed_key_is_refused_after_the_next_fetch() {
    let mut provider = Provider::with_key("old");
    let scene = Scene::trusting(&[&provider]);
    let by_old = |scene: &Scene, provider: &Provider| provider.assertion(scene.now() + 600, &serde_json::json!({}));
    assert_eq!(scene.admit(&provider).status, 200);
    let later = by_old(&scene, &provider);
    provider.change_key("new");
    scene.pass(Duration::from_mins(10));
    scene.register(&later).assert_refused(400, "invalid_signature");
    assert_eq!(scene.admit(&provider).status, 200);
}
