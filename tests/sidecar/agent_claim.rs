//! The claim ceremony from end to end: agent, mailbox, person, code, credential.

use std::time::Duration;

use contract::routes;
use serde_json::json;
use sidecar::Clock;
use tests::Firm as _;

use crate::agent::build;

const PERSON: &str = "ayse@person.example";

#[test]
fn anonymous_agent_is_claimed_and_its_key_gets_wider() {
    let site = build().serve();
    let registered = site.register();
    let (key, claim_token) = (&registered["credential"], &registered["claim_token"]);
    assert_eq!(registered["registration_type"], "anonymous");
    assert_eq!(registered["scopes"], json!(["content.read", "mcp.read"]));
    assert_eq!(registered["claim_url"], "https://firm.example/agent/auth/claim");
    assert_eq!(site.try_credential(key), 200);
    assert_eq!(site.redeem(claim_token).status_and_error(), (400, "authorization_pending".to_owned()));
    assert_eq!(site.complete(claim_token, "000000").status_and_error(), (400, "otp_not_generated".to_owned()));

    let started = site.claim(claim_token, PERSON);
    assert_eq!(started.status, 200, "{}", started.as_text());
    assert_eq!(started.json()["status"], "initiated");
    let echo = site.claim(claim_token, "AYSE@person.example").json();
    assert_eq!(echo["claim_attempt_id"], started.json()["claim_attempt_id"]);

    let link = site.outbox().secret("cvt_", 0);
    for method in ["GET", "HEAD", "GET"] {
        let page = site.request(method, &format!("{}?token={link}", routes::CLAIM_VIEW), &[]);
        assert_eq!(page.status, 200);
    }
    let code = site.code(&link);
    assert_eq!(site.code(&link), code, "the code is the same however often it is shown");
    let wrong = if code == "000000" { "000001" } else { "000000" };
    let refused = site.complete(claim_token, wrong);
    assert_eq!(refused.status_and_error(), (401, "otp_invalid".to_owned()));
    assert_eq!(refused.json()["attempts_remaining"], 4);

    let spaced = format!("{} {}", &code[..3], &code[3..]);
    let completed = site.complete(claim_token, &spaced);
    assert_eq!(completed.status, 200, "{}", completed.as_text());
    let completed = completed.json();
    assert_eq!((&completed["status"], completed.get("credential")), (&json!("claimed"), None));
    assert_eq!(completed["scopes"], json!(["openid", "profile", "mcp.read", "content.read"]));
    assert_eq!(site.try_credential(key), 200, "the same key");
    assert_eq!(site.complete(claim_token, &code).status_and_error(), (409, "previously_claimed".to_owned()));
    let again = site.claim(claim_token, PERSON);
    assert_eq!(again.status_and_error(), (409, "claimed_or_in_flight".to_owned()));
    let resolution = again.json()["resolution"].as_str().unwrap().to_owned();
    assert!(resolution.starts_with("Use the credential that you hold."), "only what applies: {resolution}");
    assert_eq!(site.show_code(&link).status, 409);
}

#[test]
fn registration_by_e_mail_gets_its_credential_when_the_person_agrees() {
    let site = build().serve();
    let registered = site.register_by_mail(PERSON);
    assert_eq!(registered["registration_type"], "email-verification");
    assert_eq!(registered.get("credential"), None);
    let claim_token = &registered["claim_token"];
    assert_eq!(
        site.claim(claim_token, "other@person.example").status_and_error(),
        (409, "claimed_or_in_flight".to_owned())
    );
    let code = site.code(&site.outbox().secret("cvt_", 0));
    let completed = site.complete(claim_token, &code).json();
    assert_eq!(site.try_credential(&completed["credential"]), 200);
    // The credential was used, so the same claim yields no other.
    assert_eq!(site.redeem(claim_token).status_and_error(), (400, "invalid_grant".to_owned()));
}

#[test]
fn lost_response_is_repeated_until_a_key_is_used_and_only_one_is_valid() {
    let (build, clock) = (build(), Clock::manual());
    let config = build.config();
    let site = build.serve_by(config, &clock);
    let registered = site.register_by_mail(PERSON);
    let claim_token = &registered["claim_token"];
    let lost = site.complete(claim_token, &site.code(&site.outbox().secret("cvt_", 0))).json();
    clock.advance(Duration::from_mins(2));
    let second = site.redeem(claim_token).json();
    let third = site.redeem(claim_token).json();
    assert_eq!(site.try_credential(&lost["credential"]), 401);
    assert_eq!(site.try_credential(&second["access_token"]), 401);
    assert_eq!(site.try_credential(&third["credential"]), 200);
    assert_eq!(site.redeem(claim_token).status_and_error(), (400, "invalid_grant".to_owned()));
    assert_eq!(site.try_credential(&third["credential"]), 200, "the one in use stays");
}

#[test]
fn fifth_wrong_code_ends_the_attempt_and_a_new_claim_succeeds() {
    let site = build().serve();
    let registered = site.register_by_mail(PERSON);
    let claim_token = &registered["claim_token"];
    let code = site.code(&site.outbox().secret("cvt_", 0));
    let wrong = if code == "000000" { "000001" } else { "000000" };
    for _ in 0..5 {
        assert_eq!(site.complete(claim_token, wrong).status_and_error(), (401, "otp_invalid".to_owned()));
    }
    assert_eq!(site.complete(claim_token, &code).status_and_error(), (410, "otp_expired".to_owned()));
    assert_eq!(site.redeem(claim_token).status_and_error(), (400, "expired_token".to_owned()));
    assert_eq!(site.claim(claim_token, PERSON).status, 200);
    let fresh = site.code(&site.outbox().secret("cvt_", 1));
    assert_eq!(site.complete(claim_token, &fresh).status, 200);
}

#[test]
fn registration_without_attempts_left_must_start_again() {
    let site = build().serve();
    let claim_token = site.register()["claim_token"].clone();
    for number in 0..5 {
        assert_eq!(site.claim(&claim_token, &format!("p{number}@person.example")).status, 200);
    }
    let sixth = site.claim(&claim_token, PERSON);
    assert_eq!(sixth.status_and_error(), (429, "rate_limited".to_owned()));
    let body = sixth.json();
    assert!(body["resolution"].as_str().unwrap().starts_with("Register again"), "{body}");
    // Every 429 has the field; this limit ends with the registration.
    assert!(sixth.header("retry-after").is_some() && body.get("retry_after").is_none(), "{body}");
}

#[test]
fn text_that_is_no_code_costs_no_try() {
    let site = build().serve();
    let registered = site.register_by_mail(PERSON);
    let claim_token = &registered["claim_token"];
    assert_eq!(site.complete(claim_token, "none").status_and_error(), (400, "otp_not_generated".to_owned()));
    let code = site.code(&site.outbox().secret("cvt_", 0));
    let full_width: String = code.chars().map(|digit| char::from_u32(u32::from(digit) + 0xfee0).unwrap()).collect();
    for slip in ["", &code[..5], &format!("Your code: {code}"), &format!("{code}0"), &full_width, &"1".repeat(20_000)] {
        let refused = site.complete(claim_token, slip);
        assert_eq!(refused.status_and_error(), (401, "otp_invalid".to_owned()), "{slip:.20}");
        assert_eq!(refused.json()["attempts_remaining"], 5);
        assert!(refused.as_text().contains("six digits"), "{}", refused.as_text());
    }
    assert_eq!(site.complete(&json!("clm_none"), "none").status_and_error(), (401, "invalid_claim_token".to_owned()));
    assert_eq!(site.complete(claim_token, &code).status, 200);
    assert_eq!(site.complete(claim_token, "none").status_and_error(), (409, "previously_claimed".to_owned()));
}

#[test]
fn hundred_guesses_at_once_are_compared_five_times_at_most() {
    let site = build().serve();
    let registered = site.register_by_mail(PERSON);
    let claim_token = &registered["claim_token"];
    let code = site.code(&site.outbox().secret("cvt_", 0));
    let wrong = if code == "000000" { "000001" } else { "000000" };
    let answers: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> =
            (0..100).map(|_| scope.spawn(|| site.complete(claim_token, wrong).status_and_error().1)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(answers.iter().filter(|code| *code == "otp_invalid").count(), 5, "{answers:?}");
    assert!(answers.iter().all(|code| ["otp_invalid", "otp_expired", "temporarily_unavailable"].contains(&&**code)));
}

#[test]
fn claim_is_refused_for_a_person_who_denied_it() {
    let site = build().serve();
    let registered = site.register();
    let claim_token = &registered["claim_token"];
    assert_eq!(site.claim(claim_token, PERSON).status, 200);
    let denied = site.post_json(routes::CLAIM_DENY, &json!({"claim_attempt_token": site.outbox().secret("cvt_", 0)}));
    assert_eq!(denied.status, 200, "{}", denied.as_text());
    assert_eq!(site.claim(claim_token, PERSON).status_and_error(), (403, "access_denied".to_owned()));
    assert_eq!(site.claim(claim_token, "other@person.example").status, 200);

    let bound = site.register_by_mail("third@person.example");
    let link = site.outbox().secret_to("third@person.example", "cvt_");
    assert_eq!(site.post_json(routes::CLAIM_DENY, &json!({"claim_attempt_token": link})).status, 200);
    assert_eq!(site.redeem(&bound["claim_token"]).status_and_error(), (400, "access_denied".to_owned()));
}

#[test]
fn person_lists_and_revokes_credentials() {
    let site = build().serve();
    let registered = site.register_by_mail(PERSON);
    let code = site.code(&site.outbox().secret("cvt_", 0));
    let completed = site.complete(&registered["claim_token"], &code).json();
    assert_eq!(site.try_credential(&completed["credential"]), 200);

    let known = site.post_form(routes::ACCESS, "email=ayse%40person.example");
    let unknown = site.post_form(routes::ACCESS, "email=nobody%40person.example");
    assert_eq!((known.status, unknown.status), (200, 200));
    let link = site.outbox().secret("cav_", 0);
    let list = site.get(&format!("{}?token={link}", routes::ACCESS_VIEW), &[]);
    let id = registered["registration_id"].as_str().unwrap();
    assert!(list.status == 200 && list.as_text().contains(id), "{}", list.as_text());
    let revoked = site.post_form(routes::ACCESS_REVOKE, &format!("token={link}&which={id}"));
    assert_eq!(revoked.status, 200, "{}", revoked.as_text());
    assert_eq!(site.try_credential(&completed["credential"]), 401, "the very next call");
    assert_eq!(site.get(&format!("{}?token=cav_unknown", routes::ACCESS_VIEW), &[]).status, 410);
}
