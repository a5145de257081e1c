//! Specification, "Limits": a count is never negative and every credential expires; the other values are chosen,
//! announced in header fields, and enforced.

use std::{fs, num::NonZeroU32, time::Duration};

use contract::{mcp::limits::BODY, routes};
use serde_json::json;
use sidecar::{Clock, Config, LimitSettings, Quotas};
use tests::{Agent as _, Firm as _, Process, Reply, Service, build, built, content_of, copy_folder, fixture, request};

use crate::{
    id_jag::{Provider, Scene},
    lifecycle::program,
};

#[test]
fn count_may_be_zero() {
    let content = tempfile::TempDir::new().unwrap();
    copy_folder(&content_of("firm"), content.path());
    fs::remove_dir_all(content.path().join("publications")).unwrap();
    for locale in ["en", "tr"] {
        let area = content.path().join(format!("practice-areas/employment/{locale}.md"));
        let text = fs::read_to_string(&area).unwrap();
        fs::write(&area, text.replace("@/publications/remote-work", "https://reader.example/")).unwrap();
    }
    let firm = build(content.path());
    let list = firm.serve().get(routes::PUBLICATIONS, &[]).json();
    assert_eq!((&list["count"], &list["items"]), (&json!(0), &json!([])));
}

#[test]
fn access_token_lives_for_an_hour_and_an_unclaimed_key_for_a_day() {
    let clock = Clock::manual();
    let service = Service::at("firm", &clock);
    let mut agent = service.connection();
    for (kind, expires, life) in
        [("access_token", "2026-01-01T01:00:00.000Z", 3600), ("api_key", "2026-01-02T01:00:00.000Z", 24 * 3600)]
    {
        let body = json!({ "type": "anonymous", "requested_credential_type": kind });
        let registered = agent.post(routes::REGISTER, &body).unwrap();
        assert_eq!(registered.text_of("credential_expires"), expires);
        let credential = registered.text_of("credential");
        clock.advance(Duration::from_secs(life - 1));
        assert_eq!(agent.content(Some(&credential)).unwrap().status, 200);
        clock.advance(Duration::from_secs(1));
        assert_eq!(agent.content(Some(&credential)).unwrap().status, 401);
    }
}

fn policy(reply: &Reply) -> Option<&str> {
    reply.header("ratelimit-policy")
}

#[test]
fn rate_limit_is_in_the_headers_and_raised_by_a_credential() {
    let (service, _) = serve_limited(|_| {});
    let mut agent = service.connection();
    let registered = agent.register().unwrap();
    let key = registered.text_of("credential");
    for (reply, expected) in [
        (&agent.content(None).unwrap(), "\"content\";q=600;w=60"),
        (&agent.content(Some(&key)).unwrap(), "\"content\";q=6000;w=60"),
        (&agent.mcp(None).unwrap(), "\"mcp\";q=120;w=60"),
        (&agent.mcp(Some(&key)).unwrap(), "\"mcp\";q=600;w=60"),
        (&registered, "\"registration\";q=120;w=60"),
    ] {
        assert_eq!((reply.status, policy(reply)), (200, Some(expected)));
    }
}

/// Serves the small firm with changed limits, which also apply to loopback.
fn serve_limited(change: impl FnOnce(&mut Config)) -> (Service, Clock) {
    let firm = built("firm");
    let mut config = firm.config();
    config.limits = LimitSettings { loopback: true, ..LimitSettings::default() };
    change(&mut config);
    let clock = Clock::manual();
    (firm.serve_by(config, &clock), clock)
}

#[test]
fn guessed_credential_at_mcp_counts_like_none() {
    let few = NonZeroU32::new(3).unwrap();
    let (service, _clock) = serve_limited(|config| config.limits.mcp_per_minute = few);
    let mut agent = service.connection();
    let guess = format!("ak_{}", "x".repeat(27));
    for expected in [401, 401, 401, 429] {
        let reply = agent.mcp(Some(&guess)).unwrap();
        assert_eq!((reply.status, policy(&reply)), (expected, Some("\"mcp\";q=3;w=60")));
    }
    assert_eq!(agent.mcp(None).unwrap().status, 429, "it is the same limit");
}

#[test]
fn request_over_the_limit_is_429_until_retry_after() {
    let few = NonZeroU32::new(2).unwrap();
    let (service, clock) = serve_limited(|config| {
        config.limits.content_per_minute = few;
        config.limits.mcp_per_minute = few;
        config.limits.registration_per_minute = few;
    });
    let mut agent = service.connection();
    let mut ask = |number: usize| match number {
        0 => agent.content(None).unwrap(),
        1 => agent.mcp(None).unwrap(),
        _ => agent.register().unwrap(),
    };
    for (number, name) in ["content", "mcp", "registration"].into_iter().enumerate() {
        for (status, left, wait) in [(200, 1, 30), (200, 0, 60), (429, 0, 30), (429, 0, 30)] {
            let reply = ask(number);
            let state = format!("\"{name}\";r={left};t={wait}");
            assert_eq!((reply.status, reply.header("ratelimit")), (status, Some(state.as_str())));
            assert_eq!(policy(&reply), Some(format!("\"{name}\";q=2;w=60").as_str()));
            assert_eq!(reply.header("retry-after"), (status == 429).then_some("30"));
            if status == 429 {
                reply.assert_refused(429, "rate_limited");
                assert!(name == "registration" || reply.error_code() == "rate_limited");
                assert!(reply.text_of("resolution").contains("Retry-After"), "{}", reply.text());
            }
        }
        clock.advance(Duration::from_secs(30));
        assert_eq!(ask(number).status, 200, "{name}");
    }
}

#[test]
fn operator_sets_limits_through_the_environment() {
    let firm = built("firm");
    let mut command = program(&firm);
    command.env("MECELLE_LIMITS_LOOPBACK", "true").env("MECELLE_LIMITS_CONTENT_PER_MINUTE", "1");
    let process = Process::serve(&mut command, &firm.dist().with_file_name("log"));
    let mut agent = process.connection();
    for status in [200, 429] {
        let reply = agent.content(None).unwrap();
        assert_eq!((reply.status, policy(&reply)), (status, Some("\"content\";q=1;w=60")));
    }
}

#[test]
fn registrations_and_messages_are_counted_by_the_hour() {
    let quotas = Quotas { anonymous_per_client: 2, emails_per_mailbox: 1, ..Quotas::default() };
    let (service, clock) = serve_limited(|config| config.limits.registration = quotas);
    let mut agent = service.connection();
    let [first, second] = [(); 2].map(|()| agent.register().unwrap().text_of("claim_token"));
    let third = agent.register().unwrap();
    third.assert_refused(429, "rate_limited");
    assert_eq!((third.header("retry-after"), &third.json()["retry_after"]), (Some("3600"), &json!(3600)));
    // The limit by minute is not the one that refuses, so it is not announced.
    assert_eq!((third.header("ratelimit"), policy(&third)), (None, None));
    let mailbox = "ada@client.example";
    assert_eq!(agent.claim(&first, mailbox).unwrap().status, 200);
    agent.claim(&second, mailbox).unwrap().assert_refused(429, "rate_limited");
    assert_eq!(agent.claim(&second, "bob@client.example").unwrap().status, 200, "another mailbox has its own");
    clock.advance(Duration::from_hours(1));
    assert_eq!(agent.register().unwrap().status, 200);
}

#[test]
fn forged_assertions_do_not_use_the_limit_of_a_provider() {
    let provider = Provider::with_key("k");
    let scene = Scene::limited(&[&provider], Quotas { assertions: 3, ..Quotas::default() });
    for _ in 0..5 {
        scene.register("a.b.c").assert_refused(400, "invalid_request");
        scene.register(&provider.forge_assertion("k", scene.now())).assert_refused(400, "invalid_signature");
    }
    for status in [200, 200, 200, 429] {
        let reply = scene.admit(&provider);
        assert_eq!(reply.status, status, "{}", reply.text());
        assert_eq!(reply.header("retry-after"), (status == 429).then_some("3600"));
    }
    scene.pass(Duration::from_hours(1));
    assert_eq!(scene.admit(&provider).status, 200);
}

#[test]
fn request_size_is_limited() {
    const KIB: usize = 1024;
    let service = fixture();
    let of_size = |path: &str, media_type: &str, size: usize| {
        let body = format!("{{{}}}", " ".repeat(size - 2));
        request(service.address(), "POST", path, &[&format!("Content-Type: {media_type}")], body.as_bytes())
    };
    let of_identity = [routes::IDENTITY, routes::IDENTITY_CLAIM, routes::IDENTITY_COMPLETE];
    for path in [routes::REGISTER, routes::CLAIM, routes::CLAIM_COMPLETE].into_iter().chain(of_identity) {
        of_size(path, "application/json", 32 * KIB).assert_refused(400, "invalid_request");
        of_size(path, "application/json", 32 * KIB + 1).assert_refused(413, "payload_too_large");
    }
    for path in [routes::TOKEN, routes::REVOKE, routes::PROVIDER_REVOKE] {
        let form = "application/x-www-form-urlencoded";
        assert_eq!(of_size(path, form, 32 * KIB).status, 400, "{path}");
        of_size(path, form, 32 * KIB + 1).assert_refused(413, "payload_too_large");
    }
    assert_eq!(of_size(routes::MCP, "application/json", BODY).status, 400);
    assert_eq!(of_size(routes::MCP, "application/json", BODY + 1).status, 413);
    let target = |size: usize| format!("{}?{}", routes::TEAM, "x".repeat(size - routes::TEAM.len() - 1));
    assert_eq!(service.get(&target(8 * KIB), &[]).status, 200);
    let long = service.get(&target(8 * KIB + 1), &[]);
    long.assert_refused(414, "uri_too_long");
    // The refusal counts like other requests.
    assert!(long.header("ratelimit").is_some() && long.header("ratelimit-policy").is_some());
}
