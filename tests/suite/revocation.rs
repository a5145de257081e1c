//! Specification, "Revocation": by holder, provider and user, and the effect for the holder.

use std::time::Duration;

use contract::routes;
use serde_json::json;
use tests::{Agent as _, Connection, SITE_URL, Service};

use crate::id_jag::{Provider, Scene};

const ADA: &str = "ada@client.example";

#[test]
fn auth_md_and_the_revocation_uri_offer_agents_no_revocation() {
    let service = Service::of("firm");
    let mut agent = service.connection();
    let registered = agent.register().unwrap();
    let (key, token) = (registered.text_of("credential"), registered.text_of("claim_token"));
    let instructions = String::from_utf8(service.firm.read(routes::AUTH_MD.trim_start_matches('/'))).unwrap();
    // The only command is for the end of a credential's use, also if it has leaked; agents do not revoke those of others.
    let leaked = format!("curl -sS {SITE_URL}{} -d 'token=<CREDENTIAL>'", routes::REVOKE);
    assert_eq!((instructions.matches(routes::REVOKE).count(), instructions.contains(&leaked)), (1, true));
    assert!(instructions.contains(routes::PROVIDER_REVOKE));
    let body = json!({ "claim_token": token, "credential": key });
    agent.post(routes::PROVIDER_REVOKE, &body).unwrap().assert_refused(400, "invalid_request");
    let form = format!("logout_token={key}");
    agent.form(routes::PROVIDER_REVOKE, &form).unwrap().assert_refused(400, "invalid_issuer");
    assert_eq!(agent.content(Some(&key)).unwrap().status, 200);
}

#[test]
fn holder_revokes_its_credential_and_no_other() {
    let service = Service::of("firm");
    let mut agent = service.connection();
    let endpoint = service.get(routes::AUTHORIZATION_SERVER, &[]).text_of("revocation_endpoint");
    assert!(endpoint.ends_with(routes::REVOKE), "{endpoint}");
    let [one, other] = [(); 2].map(|()| agent.register().unwrap().text_of("credential"));
    assert_eq!(agent.revoke(&one).unwrap().status, 200);
    let opens = |key: &str| service.connection().content(Some(key)).unwrap().status;
    assert_eq!((opens(&one), opens(&other)), (401, 200));
}

#[test]
fn event_ends_access_at_once_and_a_new_assertion_restores_it() {
    let provider = Provider::with_key("k");
    let scene = Scene::trusting(&[&provider]);
    let user = json!({ "sub": "user", "email": "user@client.example" });
    let assert_admitted = || {
        let reply = scene.register(&provider.assertion(scene.now(), &user));
        assert_eq!(reply.status, 200, "{}", reply.text());
        reply.text_of("credential")
    };
    let credential = assert_admitted();
    let before = provider.assertion(scene.now(), &user);
    scene.pass(Duration::from_secs(5));
    let report = provider.report("user", scene.now());
    assert_eq!(scene.content_status(&credential), 200);
    assert_eq!(scene.report(&report).status, 202);
    assert_eq!(scene.content_status(&credential), 401);
    scene.register(&before).assert_refused(400, "expired");
    scene.pass(Duration::from_secs(61));
    let credential = assert_admitted();
    assert_eq!(scene.report(&report).status, 202, "a report that comes again is answered like the first");
    assert_eq!(scene.content_status(&credential), 200, "and ends nothing");
}

#[test]
fn event_does_not_reach_users_of_another_provider() {
    let (one, other) = (Provider::with_key("k"), Provider::with_key("k"));
    let scene = Scene::trusting(&[&one, &other]);
    let user = one.assertion(scene.now(), &json!({ "sub": "user" }));
    let credential = scene.register(&user).text_of("credential");
    assert_eq!(scene.report(&other.report("user", scene.now())).status, 202);
    assert_eq!(scene.content_status(&credential), 200);
}

/// Registers anonymously and completes a claim by Ada; returns the identifier and the credential.
fn register_and_claim(service: &Service, agent: &mut Connection, messages: usize) -> [String; 2] {
    let registered = agent.register().unwrap();
    let token = registered.text_of("claim_token");
    assert_eq!(agent.claim(&token, ADA).unwrap().status, 200);
    let code = agent.show_code(&service.outbox().wait_for(ADA, messages)).unwrap().text_of("challenge");
    assert_eq!(agent.complete(&token, &code).unwrap().status, 200);
    ["registration_id", "credential"].map(|name| registered.text_of(name))
}

#[test]
fn user_revokes_credentials_and_the_agent_registers_again() {
    let service = Service::of("firm");
    let mut agent = service.connection();
    let [anonymous, key] = register_and_claim(&service, &mut agent, 1);
    let registered = agent.register_by_mail(ADA).unwrap();
    let code = agent.show_code(&service.outbox().wait_for(ADA, 2)).unwrap().text_of("challenge");
    let completed = agent.complete(&registered.text_of("claim_token"), &code).unwrap();
    let (by_mail, token) = (registered.text_of("registration_id"), completed.text_of("credential"));
    let statuses =
        |agent: &mut Connection| [&key, &token].map(|credential| agent.content(Some(credential)).unwrap().status);
    assert_eq!(statuses(&mut agent), [200, 200]);

    let mut user = service.connection();
    assert_eq!(user.form(routes::ACCESS, "email=ada%40client.example").unwrap().status, 200);
    let link = service.outbox().wait_for(ADA, 3);
    let list = service.get(&format!("{}?token={link}", routes::ACCESS_VIEW), &[]).text();
    assert!(list.contains(&anonymous) && list.contains(&by_mail), "{list}");
    for (which, left) in [(by_mail.as_str(), [200, 401]), ("all", [401, 401])] {
        let revoked = user.form(routes::ACCESS_REVOKE, &format!("token={link}&which={which}")).unwrap();
        assert_eq!((revoked.status, statuses(&mut agent)), (200, left), "{which}");
    }

    let refused = agent.content(Some(&key)).unwrap();
    refused.assert_refused(401, "invalid_api_key");
    assert!(refused.text_of("resolution").contains("register again"), "{}", refused.text());
    let again = agent.register().unwrap().text_of("credential");
    assert_eq!(agent.content(Some(&again)).unwrap().status, 200);
}
