//! Specification, "Claim ceremony": trigger, hand-off, completion, and polling in the meantime.

use std::{collections::BTreeSet, time::Duration};

use contract::routes;
use serde_json::json;
use sidecar::Clock;
use tests::{Agent as _, Reply, SITE_URL, Service};

use crate::resources::has_exactly;

const CLAIM: &str = "/agent/auth/claim";
const COMPLETE: &str = "/agent/auth/claim/complete";
const ADA: &str = "ada@client.example";

/// Returns the claim token of a registration.
fn claim_token(registered: std::io::Result<Reply>) -> String {
    registered.unwrap().text_of("claim_token")
}

#[test]
fn claim_is_triggered_with_the_claim_token_and_the_e_mail_of_the_user() {
    let service = Service::of("firm");
    let metadata = service.get(routes::AUTHORIZATION_SERVER, &[]).json();
    assert_eq!(metadata["agent_auth"]["claim_uri"], format!("{SITE_URL}{CLAIM}"));
    let mut agent = service.connection();
    let token = claim_token(agent.register());
    let started = agent.post(CLAIM, &json!({ "claim_token": token, "email": ADA })).unwrap();
    let members =
        ["registration_id", "claim_attempt_id", "status", "expires_at", "expires_in", "interval", "match_phrase"];
    assert_eq!(started.status, 200);
    has_exactly(&started.json(), &members, &[]);
    assert_eq!(started.text_of("status"), "initiated");
    service.outbox().wait(ADA);
    // A repeated claim, with the other name of the field, sends no second message.
    let again = agent.post(CLAIM, &json!({ "claim_token": token, "login_hint": ADA })).unwrap();
    assert_eq!((again.status, again.text_of("claim_attempt_id")), (200, started.text_of("claim_attempt_id")));
    assert_eq!(again.text_of("match_phrase"), started.text_of("match_phrase"));
    assert_eq!(service.outbox().count(ADA), 1);
    for (body, status, error) in [
        (json!({ "claim_token": token }), 400, "invalid_request"),
        (json!({ "claim_token": token, "email": "nobody" }), 400, "invalid_request"),
        (json!({ "email": ADA }), 400, "invalid_request"),
        (json!({ "claim_token": "clm_unknown", "email": ADA }), 401, "invalid_claim_token"),
    ] {
        agent.post(CLAIM, &body).unwrap().assert_refused(status, error);
    }
}

#[test]
fn only_anonymous_agents_choose_the_address_of_the_user() {
    let service = Service::of("firm");
    let mut agent = service.connection();
    let bound = claim_token(agent.register_by_mail(ADA));
    let other = agent.claim(&bound, "bob@client.example").unwrap();
    other.assert_refused(409, "claimed_or_in_flight");
    assert!(other.text_of("resolution").starts_with("Start the claim with that address"), "{}", other.text());
    let free = claim_token(agent.register());
    for mailbox in [ADA, "bob@client.example"] {
        assert_eq!(agent.claim(&free, mailbox).unwrap().status, 200);
    }
}

#[test]
fn code_is_shown_only_after_the_user_requests_it() {
    let service = Service::of("firm");
    let mut agent = service.connection();
    let token = claim_token(agent.register_by_mail(ADA));
    let link = service.outbox().wait(ADA);
    let view = format!("{}?token={link}", routes::CLAIM_VIEW);
    // As a link scanner does.
    for reply in [service.get(&view, &[]), service.head(&view, &[])] {
        assert_eq!(reply.status, 200);
    }
    agent.complete(&token, "000000").unwrap().assert_refused(400, "otp_not_generated");
    let challenge = agent.show_code(&link).unwrap();
    has_exactly(&challenge.json(), &["type", "challenge", "expires_at"], &[]);
    let code = challenge.text_of("challenge");
    assert_eq!((challenge.text_of("type").as_str(), code.len()), ("otp", 6));
    assert!(code.bytes().all(|letter| letter.is_ascii_digit()));
    assert_eq!(agent.show_code(&link).unwrap().text_of("challenge"), code, "the same however often");
    assert!(!agent.redeem(&token).unwrap().text().contains(&code), "the agent gets the code from the user only");
}

/// Returns the target and the default body of each form of a page.
fn forms(html: &str) -> Vec<(String, String)> {
    let attribute = |text: &str, name: &str| {
        let rest = text.split_once(&format!("{name}=\"")).map_or("", |(_, rest)| rest);
        rest.split('"').next().unwrap_or_default().to_owned()
    };
    let form = |rest: &str| {
        let form = rest.split("</form>").next().unwrap_or_default();
        let inputs = form.split("<input ").skip(1).map(|input| input.split('>').next().unwrap_or_default());
        let fields = inputs.map(|input| format!("{}={}", attribute(input, "name"), attribute(input, "value")));
        (attribute(form, "action"), fields.collect::<Vec<_>>().join("&"))
    };
    html.split("<form ").skip(1).map(form).collect()
}

/// Acts as a link scanner: opens every link of `message` and submits every form of the pages and of the responses.
/// Returns the targets of the forms.
fn scan(service: &Service, message: &str) -> BTreeSet<String> {
    let links = message.split(SITE_URL).skip(1).filter_map(|rest| rest.split(['"', '<', '\r', '\n']).next());
    let links: BTreeSet<_> = links.filter(|link| link.contains('?')).map(|link| link.replace("&amp;", "&")).collect();
    let mut sent = BTreeSet::new();
    let mut submit = |page: &Reply| -> Vec<Reply> {
        let forms = forms(page.as_text());
        sent.extend(forms.iter().map(|(action, _)| action.clone()));
        forms.iter().map(|(action, fields)| service.post_form(action, fields)).collect()
    };
    for link in links {
        for answer in submit(&service.get(&link, &[])) {
            submit(&answer);
        }
    }
    sent
}

#[test]
fn link_scanner_changes_nothing_and_a_person_denies_by_typing_a_word() {
    for (locale, word) in [("en", "refuse"), ("tr", "reddet")] {
        let service = Service::of("firm");
        let (mut agent, outbox) = (service.connection(), service.outbox());
        let body = json!({ "type": "service_auth", "login_hint": ADA, "locale": locale });
        let registered = agent.post(routes::REGISTER, &body).unwrap();
        let link = outbox.wait(ADA);
        let message = outbox.texts().remove(0);
        if locale == "en" {
            assert!(message.contains(&registered.text_of("match_phrase")), "{message}");
        }
        let sent = scan(&service, &message);
        for path in [routes::CLAIM_CHALLENGE, routes::CLAIM_DENY, routes::MAIL_STOP] {
            assert!(sent.contains(path), "{path} in {sent:?}");
        }
        let token = registered.text_of("claim_token");
        agent.redeem(&token).unwrap().assert_refused(400, "authorization_pending");
        let code = agent.show_code(&link).unwrap().text_of("challenge");
        assert_eq!(agent.complete(&token, &code).unwrap().status, 200);

        // Messages are still sent. A person denies by typing the word on the page.
        let token = claim_token(agent.post(routes::REGISTER, &body));
        let link = outbox.wait_for(ADA, 2);
        let deny = |more: &str| {
            let fields = format!("claim_attempt_token={link}&locale={locale}{more}");
            service.post_form(routes::CLAIM_DENY, &fields).text()
        };
        for page in [deny(""), deny("&word="), deny("&word=no")] {
            assert!(page.contains("name=\"word\"") && page.contains(&format!("<strong>{word}</strong>")), "{page}");
        }
        agent.redeem(&token).unwrap().assert_refused(400, "authorization_pending");
        assert!(!deny(&format!("&word=+{}", word.to_uppercase())).contains("<form"));
        agent.redeem(&token).unwrap().assert_refused(400, "access_denied");
    }
}

#[test]
fn claim_token_and_the_code_complete_the_claim() {
    let service = Service::of("firm");
    let mut agent = service.connection();
    let all = json!(["openid", "profile", "mcp.read", "content.read"]);
    let members = ["registration_id", "registration_type", "status", "credential_type", "credential_expires", "scopes"];

    // Anonymous registration: the existing key gets wider scopes.
    let registered = agent.register().unwrap();
    let (key, token) = (registered.text_of("credential"), registered.text_of("claim_token"));
    assert_eq!(agent.claim(&token, ADA).unwrap().status, 200);
    let code = agent.show_code(&service.outbox().wait(ADA)).unwrap().text_of("challenge");
    let completed = agent.post(COMPLETE, &json!({ "claim_token": token, "otp": code })).unwrap();
    assert_eq!(completed.status, 200, "{}", completed.text());
    has_exactly(&completed.json(), &members, &[]);
    assert_eq!((completed.text_of("status").as_str(), &completed.json()["scopes"]), ("claimed", &all));
    assert_eq!(agent.content(Some(&key)).unwrap().status, 200);
    agent.complete(&token, &code).unwrap().assert_refused(409, "previously_claimed");

    // Registration by mail: the claim returns the first credential.
    let token = claim_token(agent.register_by_mail("bob@client.example"));
    let link = service.outbox().wait("bob@client.example");
    let code = agent.show_code(&link).unwrap().text_of("challenge");
    let spaced = format!("{} {}", &code[..3], &code[3..]);
    let completed = agent.post(COMPLETE, &json!({ "claim_token": token, "user_code": spaced })).unwrap();
    assert_eq!(completed.status, 200, "{}", completed.text());
    has_exactly(&completed.json(), &[&members[..], &["credential"]].concat(), &[]);
    assert_eq!(agent.content(Some(&completed.text_of("credential"))).unwrap().status, 200);
}

#[test]
fn agent_polls_the_token_endpoint_while_the_claim_is_pending() {
    let clock = Clock::manual();
    let service = Service::at("firm", &clock);
    let mut agent = service.connection();
    let registered = agent.register_by_mail(ADA).unwrap();
    let (token, claim) = (registered.text_of("claim_token"), registered.json()["claim"].clone());
    assert_eq!(claim["grant_type"], "urn:mecelle:agent-auth:grant-type:claim");
    assert_eq!(claim["token_endpoint"], service.get(routes::AUTHORIZATION_SERVER, &[]).json()["token_endpoint"]);
    let interval = Duration::from_secs(claim["interval"].as_u64().unwrap());
    let mut poll =
        |grant: &str| agent.form("/oauth2/token", &format!("grant_type={grant}&claim_token={token}")).unwrap();
    let own = "urn:mecelle:agent-auth:grant-type:claim";
    poll(own).assert_refused(400, "authorization_pending");
    clock.advance(interval);
    poll("urn:workos:agent-auth:grant-type:claim").assert_refused(400, "authorization_pending");
    let hasty = poll(own);
    hasty.assert_refused(400, "slow_down");
    assert_eq!(hasty.json()["interval"], interval.as_secs() + 5);
    let mut user = service.connection();
    let code = user.show_code(&service.outbox().wait(ADA)).unwrap().text_of("challenge");
    assert_eq!(user.complete(&token, &code).unwrap().status, 200);
    clock.advance(2 * interval);
    // The reply to the code holds the credential: for two minutes a poll does not replace it.
    poll(own).assert_refused(400, "authorization_pending");
    clock.advance(Duration::from_mins(2));
    let granted = poll(own);
    assert_eq!(granted.status, 200, "{}", granted.text());
    let oauth = ["access_token", "token_type", "expires_in", "scope", "registration_id", "registration_type"];
    let issued = ["credential_type", "credential", "credential_expires", "scopes"];
    has_exactly(&granted.json(), &[&oauth[..], &issued].concat(), &[]);
    assert_eq!(granted.text_of("scope"), "openid profile mcp.read content.read");
    assert_eq!(user.content(Some(&granted.text_of("access_token"))).unwrap().status, 200);
}

#[test]
fn expired_code_is_replaced_and_the_grant_is_retried_for_ten_minutes() {
    let clock = Clock::manual();
    let service = Service::at("firm", &clock);
    let (mut connection, outbox) = (service.connection(), service.outbox());
    let claim_token = claim_token(connection.register_by_mail(ADA));
    let code = connection.show_code(&outbox.wait(ADA)).unwrap().text_of("challenge");
    clock.advance(Duration::from_mins(10));
    connection.complete(&claim_token, &code).unwrap().assert_refused(410, "otp_expired");
    connection.redeem(&claim_token).unwrap().assert_refused(400, "expired_token");
    connection.show_code(&outbox.wait(ADA)).unwrap().assert_refused(410, "claim_expired");
    // The agent may repeat the claim; the second message has its own link.
    let first = outbox.wait(ADA);
    assert_eq!(connection.claim(&claim_token, ADA).unwrap().status, 200);
    let link = outbox.wait_for(ADA, 2);
    assert_ne!(link, first);
    let code = connection.show_code(&link).unwrap().text_of("challenge");
    let completed = connection.complete(&claim_token, &code).unwrap();
    let lost = completed.text_of("credential");
    assert!(completed.status == 200 && !lost.is_empty());
    // Assume that the reply was lost.
    clock.advance(Duration::from_secs(599));
    let credential = connection.redeem(&claim_token).unwrap().text_of("credential");
    assert_eq!(connection.content(Some(&lost)).unwrap().status, 401);
    clock.advance(Duration::from_mins(10));
    connection.redeem(&claim_token).unwrap().assert_refused(400, "invalid_grant");
    assert_eq!(connection.content(Some(&credential)).unwrap().status, 200);
    clock.advance(Duration::from_hours(90 * 24));
    assert_eq!(connection.content(Some(&credential)).unwrap().status, 401);
    connection.redeem(&claim_token).unwrap().assert_refused(400, "invalid_grant");
}
