//! The pages of claim and access, state by state, without scripts.

use std::time::Duration;

use contract::routes;
use serde_json::{Value, json};
use sidecar::{Clock, LimitSettings};
use tests::{Firm as _, Reply, eventually};

use crate::{Site, agent::build, forms::referrer_policy};

const PERSON: &str = "ayse@person.example";

fn site() -> (Site, Clock) {
    let (build, clock) = (build(), Clock::manual());
    let config = build.config();
    (build.serve_by(config, &clock), clock)
}

fn minutes(clock: &Clock, minutes: u64) {
    clock.advance(Duration::from_mins(minutes));
}

/// Starts a claim of a new registration by `email` in `locale`; returns the registration and the secret of the link.
fn start_claim(site: &Site, email: &str, locale: &str) -> (Value, String) {
    let registered = site.register();
    let body = json!({"claim_token": registered["claim_token"], "email": email, "locale": locale});
    assert_eq!(site.post_json(routes::CLAIM, &body).status, 200);
    (registered, site.outbox().secret("cvt_", 0))
}

fn view(site: &Site, link: &str) -> Reply {
    site.get(&format!("{}?token={link}", routes::CLAIM_VIEW), &[])
}

fn submit_link(site: &Site, path: &str, link: &str) -> Reply {
    site.post_form(path, &format!("claim_attempt_token={link}"))
}

fn deny_claim(site: &Site, link: &str) -> Reply {
    site.post_form(routes::CLAIM_DENY, &format!("claim_attempt_token={link}&word=refuse"))
}

/// Returns the status, name and locale of a page: `200 claim tr`.
fn page_name(response: &Reply) -> String {
    assert_eq!(response.header("cache-control"), Some("no-store"));
    assert_eq!(response.header("referrer-policy"), Some(referrer_policy(response)));
    let words: Vec<_> = response.as_text().trim_start_matches("<p>").split([' ', '<']).take(2).collect();
    format!("{} {}", response.status, words.join(" "))
}

/// Returns the content of a slot of a page.
fn slot<'a>(response: &'a Reply, name: &str) -> &'a str {
    response.as_text().split(&format!(" {name}=[")).nth(1).unwrap().split(']').next().unwrap()
}

#[test]
fn claim_is_shown_agreed_to_and_settled() {
    let (site, _) = site();
    let (registered, link) = start_claim(&site, PERSON, "tr");
    let page = view(&site, &link);
    assert_eq!(page_name(&page), "200 claim tr", "in the language that the person was written in");
    assert_eq!(slot(&page, "agent"), registered["registration_id"]);
    assert_eq!((slot(&page, "provider"), slot(&page, "email")), ("nobody", PERSON));
    assert_eq!(slot(&page, "token"), link);
    assert_eq!(slot(&page, "requested"), "1 tr-1 2026 03:00", "three hours ahead of UTC");
    assert_eq!(slot(&page, "expires"), "1 tr-1 2026 04:00");
    assert_eq!(page.as_text().matches("<p>scope-item tr").count(), 4);
    let other = site.get(&format!("{}?token={link}&locale=en", routes::CLAIM_VIEW), &[]);
    assert_eq!(page_name(&other), "200 claim en");

    let code_page = submit_link(&site, routes::CLAIM_CHALLENGE, &link);
    assert_eq!(page_name(&code_page), "200 claim-code tr");
    let code = slot(&code_page, "code").to_owned();
    assert_eq!(slot(&submit_link(&site, routes::CLAIM_CHALLENGE, &link), "code"), code);
    assert_eq!(page_name(&view(&site, &link)), "200 claim tr", "looking is no answer");
    assert_eq!(site.complete(&registered["claim_token"], &code).status, 200);
    assert_eq!(page_name(&view(&site, &link)), "409 claim-completed en");
    assert_eq!(page_name(&submit_link(&site, routes::CLAIM_CHALLENGE, &link)), "409 claim-completed en");
    assert_eq!(page_name(&deny_claim(&site, &link)), "409 claim-completed en", "too late: there is access");
    assert_eq!(site.try_credential(&registered["credential"]), 200);
}

#[test]
fn match_phrase_is_in_the_message_on_the_page_and_in_the_list() {
    let (site, clock) = site();
    let mut phrases = Vec::new();
    for seen in 0..2 {
        // Messages of the same time have no order.
        clock.advance(Duration::from_secs(1));
        let registered = site.register();
        assert!(registered.get("match_phrase").is_none(), "there is no claim yet");
        let body = json!({"claim_token": registered["claim_token"], "email": PERSON, "locale": "en"});
        let started = site.post_json(routes::CLAIM, &body).json();
        let words = started["match_phrase"].as_str().unwrap();
        assert!(
            words.split(' ').count() == 2 && words.chars().all(|letter| letter == ' ' || letter.is_ascii_lowercase())
        );
        let link = site.outbox().secret("cvt_", seen);
        let message = site.outbox().texts().into_iter().find(|text| text.contains(&link)).unwrap();
        assert!(message.contains(&format!(" match_phrase=[{words}] ")), "{message}");
        assert_eq!(slot(&view(&site, &link), "match_phrase"), words);
        let other = site.get(&format!("{}?token={link}&locale=tr", routes::CLAIM_VIEW), &[]);
        assert_eq!(
            (&*page_name(&other), slot(&other, "match_phrase")),
            ("200 claim tr", words),
            "as the agent received them"
        );
        assert_eq!(site.complete(&registered["claim_token"], &site.code(&link)).status, 200);
        phrases.push(format!(" match_phrase=[{words}] "));
    }
    let list = site.get(&format!("{}?token={}", routes::ACCESS_VIEW, request_access_link(&site)), &[]);
    assert!(phrases.iter().all(|phrases| list.as_text().contains(phrases)), "{}", list.as_text());
}

#[test]
fn reading_never_decides_a_claim() {
    let (site, _) = site();
    let (registered, link) = start_claim(&site, PERSON, "en");
    for method in ["GET", "HEAD"].repeat(25) {
        let target = format!("{}?token={link}", routes::CLAIM_VIEW);
        assert_eq!(site.request(method, &target, &["Sec-Purpose: prefetch"]).status, 200);
    }
    let refused = site.complete(&registered["claim_token"], "000000").status_and_error();
    assert_eq!(refused, (400, "otp_not_generated".to_owned()));
}

#[test]
fn denied_claim_stays_denied() {
    let (site, _) = site();
    let (registered, link) = start_claim(&site, PERSON, "tr");
    let code = slot(&submit_link(&site, routes::CLAIM_CHALLENGE, &link), "code").to_owned();
    let deny = |more| site.post_form(routes::CLAIM_DENY, &format!("claim_attempt_token={link}&locale=tr{more}"));
    for more in ["", "&word=", "&word=stop", "&word=reddetmek"] {
        assert_eq!((page_name(&deny(more)).as_str(), slot(&deny(more), "token")), ("200 claim-deny tr", &*link));
        assert_eq!(page_name(&view(&site, &link)), "200 claim tr", "one step refuses nothing");
    }
    assert_eq!(page_name(&deny("&word=reddet")), "200 claim-denied tr");
    for page in [view(&site, &link), submit_link(&site, routes::CLAIM_CHALLENGE, &link)] {
        assert!((400..500).contains(&page.status), "{}", page_name(&page));
    }
    assert_ne!(site.complete(&registered["claim_token"], &code).status, 200, "the code went with it");
}

#[test]
fn claim_expires_after_its_time() {
    let (site, clock) = site();
    let (_, unseen) = start_claim(&site, PERSON, "en");
    minutes(&clock, 59);
    assert_eq!(page_name(&view(&site, &unseen)), "200 claim en", "mail may take a while");
    // The hour begins when the delivery is recorded, perhaps after the clock has advanced.
    eventually("the end of the claim", || {
        minutes(&clock, 1);
        page_name(&view(&site, &unseen)) == "410 claim-expired en"
    });
    let registered = site.register();
    assert_eq!(site.claim(&registered["claim_token"], PERSON).status, 200);
    let link = site.outbox().secret("cvt_", 1);
    let code = slot(&submit_link(&site, routes::CLAIM_CHALLENGE, &link), "code").to_owned();
    minutes(&clock, 11);
    assert_eq!(page_name(&view(&site, &link)), "410 claim-expired en");
    assert_eq!(page_name(&submit_link(&site, routes::CLAIM_CHALLENGE, &link)), "410 claim-expired en");
    assert_eq!(site.complete(&registered["claim_token"], &code).status, 410);
}

#[test]
fn newer_claim_voids_the_link_and_is_announced_by_e_mail() {
    let (site, _) = site();
    let (registered, link) = start_claim(&site, PERSON, "en");
    assert_eq!(site.claim(&registered["claim_token"], "can@person.example").status, 200);
    assert_eq!(page_name(&view(&site, &link)), "410 claim-superseded en");
    assert_eq!(page_name(&submit_link(&site, routes::CLAIM_CHALLENGE, &link)), "410 claim-superseded en");
    let is_notice = |text: &String| text.contains("superseded txt en") && text.contains(&format!("To: {PERSON}"));
    eventually("one message", || site.outbox().texts().iter().filter(|text| is_notice(text)).count() == 1);
}

#[test]
fn link_that_was_never_sent_reveals_nothing() {
    let (site, _) = site();
    for token in ["cvt_0000000000000000000000000000", "%3Cscript%3E", "x"] {
        let page = view(&site, token);
        assert_eq!(page_name(&page), "410 claim-superseded en");
        assert!(!page.as_text().contains("script"));
        assert_eq!(
            page_name(&site.get(&format!("{}?token={token}", routes::ACCESS_VIEW), &[])),
            "410 access-unknown en"
        );
    }
    // Non-text is not a token, as in a truncated address.
    for token in ["%00", "%ff", ""] {
        assert_eq!(page_name(&view(&site, token)), "404 claim-unknown en", "{token:?}");
    }
}

#[test]
fn program_may_consent_and_deny_for_its_person() {
    let (site, _) = site();
    let (_, link) = start_claim(&site, PERSON, "en");
    let challenge = site.show_code(&link).json();
    assert_eq!(
        (&challenge["type"], challenge["expires_at"].as_str()),
        (&json!("otp"), Some("2026-01-01T00:10:00.000Z"))
    );
    let denied = site.post_json(routes::CLAIM_DENY, &json!({"claim_attempt_token": link}));
    assert_eq!((denied.status, denied.as_text()), (200, "{\"status\":\"denied\"}"));
    let again = site.show_code(&link);
    assert!(again.status >= 400 && again.json()["resolution"].is_string(), "{}", again.as_text());
}

/// Registers an agent with access on behalf of [`PERSON`].
fn register_with_access((site, clock): &(Site, Clock), seen: usize) -> Value {
    // Letters of the same moment have no order.
    clock.advance(Duration::from_secs(1));
    let registered = site.register();
    assert_eq!(site.claim(&registered["claim_token"], PERSON).status, 200);
    let code = site.code(&site.outbox().secret("cvt_", seen));
    assert_eq!(site.complete(&registered["claim_token"], &code).status, 200);
    registered
}

fn request_access_link(site: &Site) -> String {
    assert_eq!(
        page_name(&site.post_form(routes::ACCESS, "email=AYSE%40Person.example&locale=tr")),
        "200 access-mailed tr"
    );
    site.outbox().secret("cav_", 0)
}

#[test]
fn address_is_shown_as_it_was_typed() {
    let (site, _) = site();
    let page = site.post_form(routes::ACCESS, "email=Ayse%40b%C3%BCro.example&locale=en");
    assert_eq!((&*page_name(&page), slot(&page, "email")), ("200 access-mailed en", "Ayse@büro.example"));
}

#[test]
fn access_is_listed_and_revoked_one_by_one() {
    let both = site();
    let (one, other) = (register_with_access(&both, 0), register_with_access(&both, 1));
    let (site, _) = both;
    let link = request_access_link(&site);
    let list = site.get(&format!("{}?token={link}", routes::ACCESS_VIEW), &[]);
    assert_eq!(page_name(&list), "200 access-list tr");
    assert_eq!(list.as_text().matches("<p>access-item tr").count(), 2);
    for agent in [&one, &other] {
        assert!(list.as_text().contains(&format!(" registration=[{}]", agent["registration_id"].as_str().unwrap())));
    }
    let revoke = |which: &str| site.post_form(routes::ACCESS_REVOKE, &format!("token={link}&which={which}"));
    let revoked = revoke(one["registration_id"].as_str().unwrap());
    assert_eq!((page_name(&revoked).as_str(), slot(&revoked, "count")), ("200 access-revoked tr", "1"));
    assert_eq!((site.try_credential(&one["credential"]), site.try_credential(&other["credential"])), (401, 200));
    let again = revoke(one["registration_id"].as_str().unwrap());
    assert_eq!(
        page_name(&again),
        "200 access-list tr",
        "a second click does no harm, and does not say that it did something"
    );
    assert_eq!(
        page_name(&revoke("reg_0000000000000000000000000000")),
        "200 access-list tr",
        "nor does that of another person"
    );
    assert_eq!(slot(&revoke("all"), "count"), "1");
    assert_eq!(site.try_credential(&other["credential"]), 401);
    let empty = site.get(&format!("{}?token={link}", routes::ACCESS_VIEW), &[]);
    assert_eq!((page_name(&empty).as_str(), slot(&empty, "email")), ("200 access-empty tr", PERSON));
    assert_eq!(page_name(&revoke("all")), "200 access-empty tr");
}

#[test]
fn access_link_is_valid_for_its_person_and_for_an_hour() {
    let both = site();
    let mine = register_with_access(&both, 0);
    let (site, clock) = both;
    let stranger = site.register();
    let link = request_access_link(&site);
    let body = format!("token={link}&which={}", stranger["registration_id"].as_str().unwrap());
    let page = site.post_form(routes::ACCESS_REVOKE, &body);
    assert_eq!(page_name(&page), "200 access-list tr", "what is there, and no word of what was not taken back");
    assert_eq!(site.try_credential(&stranger["credential"]), 200);
    minutes(&clock, 61);
    let target = format!("{}?token={link}&locale=tr", routes::ACCESS_VIEW);
    assert_eq!(page_name(&site.get(&target, &[])), "410 access-unknown tr");
    let late = site.post_form(routes::ACCESS_REVOKE, &format!("token={link}&which=all"));
    assert_eq!(page_name(&late), "410 access-unknown en");
    assert_eq!(site.try_credential(&mine["credential"]), 200);
}

#[test]
fn known_and_unknown_addresses_are_answered_alike() {
    let both = site();
    register_with_access(&both, 0);
    let (site, _) = both;
    let known = site.post_form(routes::ACCESS, &format!("email={PERSON}"));
    let unknown = site.post_form(routes::ACCESS, "email=deniz@person.example");
    assert_eq!((known.status, unknown.status), (200, 200));
    assert_eq!(known.as_text().replace("ayse", "deniz"), unknown.as_text());
}

#[test]
fn too_many_link_requests_are_429() {
    let build = build();
    let mut config = build.config();
    config.limits = LimitSettings::default();
    let site = build.serve_by(config, &Clock::manual());
    let body = format!("email={PERSON}&locale=tr");
    let statuses: Vec<_> = (0..6).map(|_| page_name(&site.post_form(routes::ACCESS, &body))).collect();
    assert_eq!(statuses[..5], ["200 access-mailed tr"; 5]);
    assert_eq!(statuses[5], "429 limited tr");
    let limited = site.post_form(routes::ACCESS, &body);
    assert!(limited.header("retry-after").unwrap().parse::<u64>().is_ok());
    assert_eq!(page_name(&site.post_form(routes::ACCESS, "email=can%40person.example")), "200 access-mailed en");
}

#[test]
fn rate_limit_is_checked_before_the_store() {
    let build = build();
    let mut config = build.config();
    config.limits = LimitSettings::default();
    let site = build.serve_by(config, &Clock::manual());
    let mut pages = (0..200).map(|_| view(&site, "cvt_0"));
    let last = pages.find(|page| page.status == 429).expect("there is a limit");
    assert_eq!(page_name(&last), "429 limited en");
    assert!(last.header("retry-after").unwrap().parse::<u64>().is_ok());
}
