//! The command-line tool against a running service: search, and registrations from start to end.

use std::{fs, time::Duration};

use cli::Exit;
use contract::routes;
use serde_json::Value;
use sidecar::{Clock, Dependencies, Server};
use tests::{Firm as _, Service, build_for, content_of, demonstration, fixture, secrets};

use self::in_process::{Outcome, Tool};
use crate::id_jag::{Provider, Scene};

#[path = "../../cli/tests/tool/tool.rs"]
#[expect(dead_code, reason = "the tool's own tests need more of it")]
mod in_process;

/// Returns the tool with its own folders and `service` as its host.
fn tool_for(service: &Service) -> Tool {
    Tool::asking(&format!("http://{}", service.address()))
}

fn run(tool: &Tool, line: &str) -> Outcome {
    let outcome = tool.run(line);
    secrets::harvest(&[line.as_bytes(), b"\n", &outcome.data].concat());
    outcome
}

fn json(tool: &Tool, line: &str) -> Value {
    let outcome = run(tool, line);
    assert_eq!(outcome.exit, Exit::Success, "{line}: {}", outcome.notes);
    serde_json::from_str(outcome.text()).unwrap()
}

/// Opens the link and requests the code as the person.
fn show_code(service: &Service, link: &str) -> String {
    let page = service.get(&format!("{}?token={link}", routes::CLAIM_VIEW), &[]);
    assert_eq!(page.status, 200);
    service.code(link)
}

const LOCAL: &str = "http://127.0.0.1:8080";

#[test]
fn local_provider_is_tried_in_three_steps() {
    let firm = build_for(&content_of("firm"), LOCAL);
    dev_provider::make(&firm.data()).unwrap();
    let key = firm.data().join(dev_provider::KEY_FILE);
    let mut config = firm.config();
    config.registration.trust = Some(firm.data().join(dev_provider::TRUST_FILE));
    let clock = Clock::manual();
    let start = u64::try_from(clock.now().millis()).unwrap() / 1000;
    clock.advance(Duration::from_secs(in_process::NOW - start));
    let service = firm.serve_by(config, &clock);
    let mut tool = tool_for(&service);
    let sign = |tool: &Tool, audience: &str, more: &str| {
        let line =
            format!("assertion --email ada@client.example --provider {} --audience {audience}{more}", key.display());
        let Outcome { exit, data, notes, .. } = run(tool, &line);
        assert_eq!(exit, Exit::Success, "{notes}");
        data
    };
    tool.input = sign(&tool, "https://elsewhere.example", "");
    let Outcome { exit, notes, .. } = run(&tool, "register --assertion -");
    assert!(exit != Exit::Success && notes.contains(&format!("`aud` must be one of {LOCAL},")), "{notes}");

    tool.input = sign(&tool, LOCAL, "");
    let Outcome { exit, notes, .. } = run(&tool, "register --assertion -");
    assert_eq!(exit, Exit::Success, "{notes}");
    assert_eq!(json(&tool, "whoami")["registration_type"], "agent-provider");
    let logout = String::from_utf8(sign(&tool, LOCAL, " --logout")).unwrap();
    let reply = service.post(routes::PROVIDER_REVOKE, &["Content-Type: application/logout+jwt"], &logout);
    assert_eq!((reply.status, reply.json()["revoked"].as_u64()), (200, Some(1)));
    assert_eq!(run(&tool, "whoami").exit, Exit::Authentication);
}

#[test]
fn local_provider_is_refused_by_a_public_service() {
    for (site_url, address, is_served) in [
        (LOCAL, "127.0.0.1:0", true),
        ("http://localhost:8080", "127.0.0.1:0", true),
        (LOCAL, "0.0.0.0:0", false),
        ("https://firm.example", "127.0.0.1:0", false),
    ] {
        let firm = build_for(&content_of("firm"), site_url);
        dev_provider::make(&firm.data()).unwrap();
        let mut config = firm.config();
        config.listen = address.parse().unwrap();
        config.registration.trust = Some(firm.data().join(dev_provider::TRUST_FILE));
        match Server::bind(config, Dependencies::default()) {
            Ok(_) => assert!(is_served, "{site_url} at {address}"),
            Err(error) => {
                let message = error.to_string();
                assert!(
                    !is_served && message.contains("MECELLE_TRUST") && message.contains("remove it from the list"),
                    "{message}"
                );
            }
        }
    }
}

#[test]
fn search_finds_pages_in_both_languages() {
    let service = demonstration();
    let tool = tool_for(&service);
    let english = json(&tool, "search remote work");
    assert!(english["results"][0]["url"].as_str().unwrap().contains("/en/"), "{english}");
    let turkish = json(&tool, "search uzaktan calisma -l tr --limit 3");
    let results = turkish["results"].as_array().unwrap();
    assert!(!results.is_empty() && results.len() <= 3);
    assert!(results[0]["title"].as_str().unwrap().contains("zaktan"), "{turkish}");
}

#[test]
fn articles_that_cite_a_law_are_listed_as_the_content_api_lists_them() {
    let service = demonstration();
    let tool = tool_for(&service);
    let all = json(&tool, "publications --locale tr");
    let items = |list: &Value| list["items"].as_array().unwrap().clone();
    let citing = json(&tool, "publications --locale tr --cites 6102");
    let in_order: Vec<Value> = items(&all).into_iter().filter(|item| items(&citing).contains(item)).collect();
    assert_eq!(items(&citing), in_order);
    assert!(!in_order.is_empty() && in_order.len() < items(&all).len(), "{citing}");
    assert_eq!((&citing["firm"], &citing["count"]), (&all["firm"], &in_order.len().into()));
    let refused = run(&tool, "publications --cites board");
    assert!(refused.exit == Exit::Failure && refused.notes.contains("`cites` must be a law"), "{}", refused.notes);
}

#[test]
fn site_is_read_with_its_published_sandbox_key() {
    for service in [fixture(), demonstration()] {
        let url = format!("http://{}", service.address());
        for (tool, key, valid) in [(Tool::using(&url), "sandbox", true), (tool_for(&service), "none", false)] {
            for line in ["team", "health", "search tax"] {
                let Outcome { exit, data, notes, .. } = run(&tool, line);
                assert!(exit == Exit::Success && notes.is_empty() && !data.is_empty(), "{line}: {notes}");
            }
            let answer = json(&tool, "whoami");
            assert_eq!((&answer["key"], &answer["valid"]), (&key.into(), &valid.into()));
        }
    }
}

#[test]
fn anonymous_registration_is_claimed_and_revoked() {
    let service = Service::of("content");
    let tool = tool_for(&service);
    let registered = json(&tool, "register");
    assert_eq!(registered["registration_type"], "anonymous");
    let key = registered["credential"].as_str().unwrap().to_owned();
    assert_eq!(json(&tool, "whoami")["scopes"], serde_json::json!(["content.read", "mcp.read"]));
    assert_eq!(run(&tool, "team").exit, Exit::Success);
    let Outcome { exit, notes, .. } = run(&tool, "claim --email lawyer@firm.example");
    assert_eq!(exit, Exit::Success, "{notes}");
    let Outcome { exit, notes, .. } = run(&tool, "claim --code 000000");
    assert_eq!(exit, Exit::Failure, "the code was not requested yet: {notes}");
    let code = show_code(&service, &service.outbox().wait("lawyer@firm.example"));
    let claimed = json(&tool, &format!("claim --code {code}"));
    assert_eq!(claimed["status"], "claimed");
    assert_eq!(json(&tool, "whoami")["scopes"].as_array().unwrap().len(), 4);
    let bearer = format!("Authorization: Bearer {key}");
    assert_eq!(service.get(routes::TEAM, &[&bearer]).status, 200, "the same key is worth more now");
    assert_eq!(run(&tool, "logout").exit, Exit::Success);
    assert_eq!(service.get(routes::TEAM, &[&bearer]).status, 401, "and nothing on the next call");
}

#[test]
fn registration_by_mail_gets_a_key_after_consent() {
    let service = Service::of("content");
    let tool = tool_for(&service);
    let registered = json(&tool, "register --email lawyer@firm.example");
    assert_eq!((&registered["registration_type"], registered.get("credential")), (&"email-verification".into(), None));
    assert_eq!(json(&tool, "whoami")["key"], "none", "there is no other key yet");
    let code = show_code(&service, &service.outbox().wait("lawyer@firm.example"));
    let claimed = json(&tool, &format!("claim --code {code}"));
    assert!(claimed["credential"].is_string());
    assert_eq!(json(&tool, "whoami")["key"], "kept");
    assert_eq!(run(&tool, "team --locale tr").exit, Exit::Success);
}

#[test]
fn expired_claim_is_repeated_in_the_language_of_the_person() {
    const PERSON: &str = "lawyer@firm.example";
    let clock = sidecar::Clock::manual();
    let service = Service::at("content", &clock);
    let (tool, outbox) = (tool_for(&service), service.outbox());
    json(&tool, &format!("register --email {PERSON} --locale tr"));
    // The time of the code starts when it is shown.
    show_code(&service, &outbox.wait(PERSON));
    assert_eq!(outbox.language(PERSON), "tr");
    clock.advance(Duration::from_mins(11));
    let Outcome { exit, notes, .. } = run(&tool, "claim --wait");
    assert_eq!(exit, Exit::Failure);
    assert!(notes.contains("expired_token") && notes.ends_with("try: mecelle claim --email ADDRESS\n"), "{notes}");
    json(&tool, &format!("claim --email {PERSON} --locale en"));
    let code = show_code(&service, &outbox.wait_for(PERSON, 2));
    assert_eq!(outbox.language(PERSON), "en");
    assert!(json(&tool, &format!("claim --code {code}"))["credential"].is_string());
    // After the registration has expired, a claim reports it with the remedy.
    json(&tool, "register --email colleague@firm.example");
    clock.advance(Duration::from_hours(25));
    let Outcome { notes, .. } = run(&tool, "claim --wait");
    assert!(notes.ends_with("try: mecelle claim --email ADDRESS\n"), "{notes}");
    let Outcome { notes, .. } = run(&tool, "claim --email colleague@firm.example");
    assert!(notes.contains("claim_expired") && notes.ends_with("try: mecelle register\n"), "{notes}");
}

#[test]
fn key_revoked_elsewhere_is_deleted() {
    let service = Service::of("content");
    let tool = tool_for(&service);
    let key = json(&tool, "register")["credential"].as_str().unwrap().to_owned();
    assert_eq!(service.post_form(routes::REVOKE, &format!("token={key}")).status, 200);
    let Outcome { exit, notes, .. } = run(&tool, "team");
    assert_eq!(exit, Exit::Authentication);
    assert!(notes.contains("was deleted") && notes.contains("mecelle register"), "{notes}");
    assert_eq!(run(&tool, "team").exit, Exit::Success, "the sandbox key serves from then on");
}

#[test]
fn provider_assertion_is_exchanged_for_a_key_until_the_provider_revokes_it() {
    let provider = Provider::with_key("k");
    let scene = Scene::trusting(&[&provider]);
    let tool = tool_for(&scene.service);
    let place = scene.service.firm.dist().with_file_name("assertion.jwt");
    let register = |changes: Value| {
        fs::write(&place, provider.assertion(scene.now(), &changes) + "\n").unwrap();
        run(&tool, &format!("register --credential api-key --assertion {}", place.display()))
    };
    let user = serde_json::json!({ "sub": "user", "email": "user@client.example" });
    let Outcome { exit, data, notes, .. } = register(user.clone());
    assert_eq!(exit, Exit::Success, "{notes}");
    let registered: Value = serde_json::from_slice(&data).unwrap();
    assert_eq!(registered["registration_type"], "agent-provider");
    let bearer = format!("Authorization: Bearer {}", registered["credential"].as_str().unwrap());
    let who = json(&tool, "whoami");
    assert_eq!((&who["key"], who["scopes"].as_array().unwrap().len()), (&"kept".into(), 4));
    let Outcome { exit, data: team, .. } = run(&tool, "team --locale tr");
    assert_eq!((exit, team), (Exit::Success, scene.service.get("/api/v1/team?locale=tr", &[]).body));

    let Outcome { exit, data, notes, .. } = run(&tool, &format!("register --assertion {}", place.display()));
    assert_eq!((exit, data), (Exit::Failure, Vec::new()), "the same assertion again");
    assert!(notes.contains("used before") && notes.contains("fresh `jti`"), "{notes}");
    assert_eq!(scene.service.get(routes::TEAM, &[&bearer]).status, 200, "the key that was there is not touched");

    assert_eq!(scene.report(&provider.report("user", scene.now())).status, 202);
    let Outcome { exit, notes, .. } = run(&tool, "team");
    assert_eq!(exit, Exit::Authentication);
    assert!(notes.contains("was deleted") && notes.contains("mecelle register"), "{notes}");

    let Outcome { exit, notes, .. } = register(serde_json::json!({ "auth_time": null }));
    assert_eq!(exit, Exit::Authentication);
    assert!(notes.contains("sign in at the provider again"), "{notes}");
    let Outcome { exit, data, notes, .. } = register(serde_json::json!({}));
    assert_eq!(exit, Exit::Success, "{notes}");
    assert_eq!(run(&tool, "logout").exit, Exit::Success);
    let key = serde_json::from_slice::<Value>(&data).unwrap()["credential"].as_str().unwrap().to_owned();
    assert_eq!(scene.service.get(routes::TEAM, &[&format!("Authorization: Bearer {key}")]).status, 401);
}
