//! Specification, "Registration": requests to `/agent/auth`, their options and replies.

use std::{fs, time::Duration};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use contract::{
    agent_auth::{AssertionType, JWT_BEARER_GRANT},
    errors::{AgentErrorCode, ErrorCode},
    mcp::extensions,
    routes,
    scopes::Scope,
};
use serde_json::{Value, json};
use sidecar::LimitSettings;
use tests::{
    Agent as _, BuiltFirm, FORM, Firm as _, Reply, SITE_URL, Service, build, content_of, copy_folder, fixture,
    mcp::{legacy, modern, result},
};

use crate::{
    commands::{CommandShell, blocks},
    id_jag::{CLIENT, Provider, SECRET, Scene},
    resources::has_exactly,
};

const REGISTER: &str = "/agent/auth";
const CREDENTIAL: [&str; 4] = ["credential_type", "credential", "credential_expires", "scopes"];
const CLAIM: [&str; 5] = ["claim_url", "claim_token", "claim_token_expires", "post_claim_scopes", "claim"];

fn register(service: &Service, body: &Value) -> Reply {
    service.connection().post(REGISTER, body).unwrap()
}

/// Returns the announced `agent_auth` metadata.
fn offers(service: &Service) -> Value {
    service.get("/.well-known/oauth-authorization-server", &[]).json()["agent_auth"].clone()
}

fn by_mail(mailbox: &str) -> Value {
    json!({ "type": "identity_assertion", "assertion_type": "verified_email", "assertion": mailbox })
}

#[test]
fn agent_registers_by_posting_json_to_the_published_endpoint() {
    let service = Service::of("firm");
    assert_eq!(offers(&service)["register_uri"], format!("{SITE_URL}{REGISTER}"));
    let reply = register(&service, &json!({ "type": "anonymous" }));
    assert_eq!((reply.status, reply.header("content-type")), (200, Some("application/json")));
    assert_eq!((reply.header("cache-control"), reply.header("pragma")), (Some("no-store"), Some("no-cache")));
    let form = service.connection().form(REGISTER, "type=anonymous").unwrap();
    form.assert_refused(415, "unsupported_media_type");
}

#[test]
fn fields_accept_only_the_values_of_the_table() {
    let service = fixture();
    for (body, error) in [
        (json!({}), "invalid_request"),
        (json!({ "type": "Anonymous" }), "invalid_request"),
        (json!({ "type": "identity_assertion" }), "invalid_request"),
        (json!({ "type": "identity_assertion", "assertion_type": "email" }), "unsupported_assertion_type"),
        (json!({ "type": "identity_assertion", "assertion_type": "verified_email" }), "invalid_request"),
        (by_mail("nobody"), "invalid_request"),
        (json!({ "type": "anonymous", "requested_credential_type": "password" }), "unsupported_credential_type"),
    ] {
        register(&service, &body).assert_refused(400, error);
    }
}

#[test]
fn credential_has_the_requested_type_or_the_first_published_one() {
    let service = Service::of("firm");
    let published = offers(&service)["anonymous"]["credential_types_supported"].clone();
    assert_eq!(published, json!(["api_key", "access_token"]));
    let default = register(&service, &json!({ "type": "anonymous" }));
    assert_eq!(default.text_of("credential_type"), "api_key");
    for (kind, prefix) in [("api_key", "ak_"), ("access_token", "at_")] {
        let reply = register(&service, &json!({ "type": "anonymous", "requested_credential_type": kind }));
        assert_eq!(reply.text_of("credential_type"), kind);
        assert!(reply.text_of("credential").starts_with(prefix), "{kind}");
    }
}

/// Builds the small firm with `change` in its settings.
fn build_with_offer(change: [&str; 2]) -> BuiltFirm {
    let content = tempfile::TempDir::new().unwrap();
    copy_folder(&content_of("firm"), content.path());
    let settings = content.path().join("site.toml");
    let text = fs::read_to_string(&settings).unwrap();
    assert!(text.contains(change[0]));
    fs::write(&settings, text.replace(change[0], change[1])).unwrap();
    build(content.path())
}

/// Serves such a build with a mail setting.
fn serve_with_offer(change: [&str; 2], mail: Option<&str>) -> Service {
    let firm = build_with_offer(change);
    let mut config = firm.config();
    config.registration.mail = mail.map(str::to_owned);
    firm.serve_with(config)
}

#[test]
fn requested_types_outside_the_metadata_are_refused() {
    let id_jag = json!({
        "type": "identity_assertion", "assertion_type": "urn:ietf:params:oauth:token-type:id-jag", "assertion": "a.b.c",
    });
    let narrow = serve_with_offer(["identity_types = [\"anonymous\", ", "identity_types = ["], None);
    assert_eq!(offers(&narrow)["identity_types_supported"], json!(["identity_assertion", "service_auth"]));
    register(&narrow, &json!({ "type": "anonymous" })).assert_refused(400, "anonymous_not_enabled");
    // No provider is trusted here, so provider assertions are not listed.
    assert_eq!(offers(&narrow)["identity_assertion"]["assertion_types_supported"], json!(["verified_email"]));
    register(&narrow, &id_jag).assert_refused(400, "unsupported_assertion_type");
    assert_eq!(register(&narrow, &by_mail("ada@client.example")).status, 200);

    let keys = ["anonymous_credentials = [\"api_key\", \"access_token\"]", "anonymous_credentials = [\"api_key\"]"];
    let mute = serve_with_offer(keys, Some("none"));
    assert_eq!(offers(&mute)["identity_types_supported"], json!(["anonymous"]));
    register(&mute, &by_mail("ada@client.example")).assert_refused(400, "verified_email_not_enabled");
    assert_eq!(offers(&mute)["anonymous"]["credential_types_supported"], json!(["api_key"]));
    let token = json!({ "type": "anonymous", "requested_credential_type": "access_token" });
    register(&mute, &token).assert_refused(400, "unsupported_credential_type");
    assert_eq!(register(&mute, &json!({ "type": "anonymous" })).status, 200);
}

#[test]
fn assertion_is_exchanged_for_published_types_only() {
    let keys = ["assertion_credentials = [\"access_token\", \"api_key\"]", "assertion_credentials = [\"api_key\"]"];
    let provider = Provider::with_key("k");
    let scene = Scene::of(build_with_offer(keys), &[&provider], LimitSettings::boundless().registration);
    let metadata = scene.service.get("/.well-known/oauth-authorization-server", &[]).json();
    assert_eq!(offers(&scene.service)["identity_assertion"]["credential_types_supported"], json!(["api_key"]));
    assert!(metadata.get("authorization_grant_profiles_supported").is_none(), "{metadata}");
    let assertion = provider.assertion(scene.now(), &json!({}));
    let exchanged = scene.exchange(&assertion);
    exchanged.assert_refused(400, "invalid_grant");
    assert_eq!(exchanged.text_of("error_detail"), "unsupported_credential_type", "the provider is trusted");
    assert_eq!(scene.register(&assertion).text_of("credential_type"), "api_key");
}

#[test]
fn enterprise_authorization_is_declared_only_where_a_provider_is_trusted() {
    let extension = extensions::ENTERPRISE_MANAGED_AUTHORIZATION;
    let declared = |service: &Service| {
        let metadata = service.get(routes::AUTHORIZATION_SERVER, &[]).json();
        let shaken = result(&legacy(service, "initialize", &json!({ "protocolVersion": "2025-11-25" })));
        let discovered = result(&modern(service, "server/discover", json!({})));
        let card = service.get(routes::SERVER_CARD, &[]).json();
        let all = [&shaken, &discovered, &card].map(|it| it["capabilities"]["extensions"].get(extension).is_some());
        let documents = metadata["client_id_metadata_document_supported"] == true;
        let methods = metadata["token_endpoint_auth_methods_supported"].as_array().unwrap();
        assert!(methods.contains(&json!("none")), "{metadata}");
        (all, documents)
    };
    let provider = Provider::with_key("k");
    assert_eq!(declared(&Scene::trusting(&[&provider]).service), ([true; 3], true));
    assert_eq!(declared(&Service::of("firm")), ([false; 3], false));
    // An assertion that brings no access token is no such authorization.
    let keys = ["assertion_credentials = [\"access_token\", \"api_key\"]", "assertion_credentials = [\"api_key\"]"];
    let scene = Scene::of(build_with_offer(keys), &[&provider], LimitSettings::boundless().registration);
    assert_eq!(declared(&scene.service), ([false; 3], false));
}

#[test]
fn metadata_omits_profiles_that_the_firm_does_not_offer() {
    let document = |service: &Service| {
        let path = "/.well-known/oauth-authorization-server";
        // Nothing is removed, so the document has the built bytes.
        let (built, served) = (service.firm.read(path.trim_start_matches('/')), service.get(path, &[]));
        assert_eq!(String::from_utf8(built).unwrap(), served.text());
        served.json()
    };
    let types = "identity_types = [\"anonymous\", \"identity_assertion\"]";
    let both = json!([JWT_BEARER_GRANT, "urn:mecelle:agent-auth:grant-type:claim"]);
    let anonymous = document(&serve_with_offer([types, "identity_types = [\"anonymous\"]"], None));
    assert_eq!(anonymous["grant_types_supported"], both, "one of them for assertions of the identity profile");
    assert_eq!(anonymous["agent_auth"]["identity_types_supported"], json!(["anonymous"]));
    assert_eq!(anonymous["agent_auth"]["events_supported"], json!([]));
    let id_jag = "\"urn:ietf:params:oauth:token-type:id-jag\", ";
    let by_mail = document(&serve_with_offer([id_jag, ""], None));
    assert_eq!(by_mail["grant_types_supported"], both);
    assert!(by_mail.get("authorization_grant_profiles_supported").is_none(), "{by_mail}");
    let off = [types, "identity_types = [\"anonymous\"]\nprofiles = [\"specification\"]"];
    let claim = json!(["urn:mecelle:agent-auth:grant-type:claim"]);
    assert_eq!(document(&serve_with_offer(off, None))["grant_types_supported"], claim);
}

#[test]
fn firm_without_registration_publishes_no_instructions() {
    let types = "identity_types = [\"anonymous\", \"identity_assertion\"]";
    let nothing = serve_with_offer([types, "identity_types = []"], Some("none"));
    let built = nothing.firm.read(routes::AUTHORIZATION_SERVER.trim_start_matches('/'));
    let metadata = nothing.get(routes::AUTHORIZATION_SERVER, &[]);
    assert_eq!(String::from_utf8(built).unwrap(), metadata.text(), "nothing was taken out of it");
    let refused = register(&nothing, &json!({ "type": "anonymous" }));
    refused.assert_refused(400, "anonymous_not_enabled");
    assert!(!refused.text_of("resolution").contains("metadata"), "there is no list to choose from: {}", refused.text());
    let poll = nothing.post(routes::TOKEN, &[FORM], "grant_type=urn:mecelle:agent-auth:grant-type:claim&claim_token=x");
    poll.assert_refused(400, "unsupported_grant_type");
    let challenge = nothing.post(routes::MCP, &["X-Api-Key: wrong"], "{}");
    let challenge = challenge.header("www-authenticate").unwrap();
    assert!(challenge.contains(&format!("{}\"", routes::PROTECTED_RESOURCE)), "{challenge}");
    let text = nothing.get(routes::AUTH_MD, &[]).text();
    assert!(text.contains("No registration is offered here"), "{text}");
    for absent in
        ["security events", "## Claim", "claim_token", "otp_invalid", "revoke", routes::REGISTER, routes::TOKEN]
    {
        assert!(!text.contains(absent), "{absent}: {text}");
    }
}

#[test]
fn anonymous_agent_gets_a_credential_before_any_claim_and_a_claim_token() {
    let service = Service::of("firm");
    let reply = register(&service, &json!({ "type": "anonymous" }));
    let body = reply.json();
    has_exactly(&body, &[&["registration_id", "registration_type", "next"], &CREDENTIAL[..], &CLAIM].concat(), &[]);
    assert_eq!(body["registration_type"], "anonymous");
    assert_eq!(body["scopes"], json!(["content.read", "mcp.read"]));
    assert_eq!(body["post_claim_scopes"], json!(["openid", "profile", "mcp.read", "content.read"]));
    let key = reply.text_of("credential");
    assert_eq!(service.connection().content(Some(&key)).unwrap().status, 200);
    assert_eq!(service.connection().mcp(Some(&key)).unwrap().status, 200);
}

#[test]
fn registration_by_mail_gets_a_claim_token_and_no_credential() {
    let service = fixture();
    let body = register(&service, &by_mail("ada@client.example")).json();
    has_exactly(&body, &[&["registration_id", "registration_type", "next", "match_phrase"], &CLAIM[..]].concat(), &[]);
    assert_eq!(body["registration_type"], "email-verification");
    has_exactly(&body["claim"], &["expires_in", "interval", "token_endpoint", "grant_type"], &[]);
    assert_eq!(body["claim"]["token_endpoint"], format!("{SITE_URL}/oauth2/token"));
}

#[test]
fn assertion_is_exchanged_for_a_credential_of_one_hour() {
    let provider = Provider::with_key("k");
    let scene = Scene::trusting(&[&provider]);
    let reply = scene.admit(&provider);
    assert_eq!(reply.status, 200, "{}", reply.text());
    let body = reply.json();
    has_exactly(&body, &[&["registration_id", "registration_type", "next"], &CREDENTIAL[..]].concat(), &[]);
    assert_eq!(body["registration_type"], "agent-provider");
    assert_eq!(body["credential_expires"], "2026-01-01T01:00:00.000Z");
    assert_eq!(body["scopes"].as_array().unwrap().len(), Scope::ALL.len());
    let credential = body["credential"].as_str().unwrap();
    scene.pass(Duration::from_secs(3599));
    assert_eq!(scene.content_status(credential), 200);
    scene.pass(Duration::from_secs(1));
    assert_eq!(scene.content_status(credential), 401);
}

#[test]
fn assertion_names_the_published_resource_and_expires_soon() {
    let provider = Provider::with_key("k");
    let scene = Scene::trusting(&[&provider]);
    for copy in ["", "/mcp", "/api/v1"] {
        let metadata = scene.service.get(&format!("/.well-known/oauth-protected-resource{copy}"), &[]);
        let changes = json!({ "aud": metadata.text_of("resource") });
        assert_eq!(scene.register(&provider.assertion(scene.now(), &changes)).status, 200, "{copy}");
    }
    let late = json!({ "exp": scene.now() + 601 });
    scene.register(&provider.assertion(scene.now(), &late)).assert_refused(400, "invalid_request");
    let over = json!({ "iat": scene.now() - 300, "exp": scene.now() - 60 });
    scene.register(&provider.assertion(scene.now(), &over)).assert_refused(400, "expired");
}

#[test]
fn used_assertion_is_a_replay_until_it_expires() {
    let provider = Provider::with_key("k");
    let scene = Scene::trusting(&[&provider]);
    let assertion = provider.assertion(scene.now(), &json!({}));
    assert_eq!(scene.register(&assertion).status, 200);
    for (seconds, code) in [(0, "replay_detected"), (359, "replay_detected"), (1, "expired"), (86_400, "expired")] {
        scene.pass(Duration::from_secs(seconds));
        scene.register(&assertion).assert_refused(400, code);
        let exchanged = scene.exchange(&assertion);
        exchanged.assert_refused(400, "invalid_grant");
        assert_eq!(exchanged.text_of("error_detail"), code);
    }
}

/// Returns the names of all members, including those of nested objects, in order.
fn members(body: &Value) -> Vec<String> {
    let inner = |(name, value): (&String, &Value)| {
        members(value).into_iter().map(|inner| format!("{name}.{inner}")).chain([name.clone()]).collect::<Vec<_>>()
    };
    body.as_object().map(|object| object.iter().flat_map(inner).collect()).unwrap_or_default()
}

#[test]
fn auth_md_has_commands_that_run_and_the_replies_of_the_service() {
    let provider = Provider::with_key("k");
    let scene = Scene::trusting(&[&provider]);
    let text = scene.service.get(routes::AUTH_MD, &[]).text();
    assert!(text.len() < 18_000, "an agent reads all of it: {} bytes", text.len());
    let examples: Vec<Value> = blocks(&text, "json").iter().map(|block| serde_json::from_str(block).unwrap()).collect();
    let [admitted, mailed, free, claim_started, completed, granted, refused] =
        <[Value; 7]>::try_from(examples).unwrap();
    let [sandbox, by_provider, by_mail, anonymous, claim, complete, poll, state, revoke] =
        <[String; 9]>::try_from(blocks(&text, "sh")).unwrap();
    let mut shell = CommandShell::beside(&scene.service, SITE_URL);
    let answer = |shell: &CommandShell, command: &str| -> Value { serde_json::from_str(&shell.run(command)).unwrap() };
    let assert_shown = |body: &Value, examples: &Value| {
        assert_eq!(members(body), members(examples), "{body}");
        for name in [
            "registration_type",
            "credential_type",
            "status",
            "token_type",
            "scopes",
            "scope",
            "error",
            "interval",
            "next",
        ] {
            assert_eq!(body[name], examples[name], "{name}");
        }
        assert_eq!(body["claim"]["interval"], examples["claim"]["interval"]);
        // Allow 30 seconds for the delivery of the message.
        for (is, example) in [(body, examples), (&body["claim"], &examples["claim"])] {
            let [is, example] = [is, example].map(|of| of["expires_in"].as_u64());
            assert!(
                is.zip(example).is_none_or(|(is, example)| is.abs_diff(example) <= 30)
                    && is.is_some() == example.is_some()
            );
        }
    };
    assert_eq!(answer(&shell, &sandbox)["locale"], "en");
    shell.set("ID_JAG", &provider.assertion(scene.now(), &json!({})));
    assert_shown(&answer(&shell, &by_provider), &admitted);

    shell.set("EMAIL", "ada@client.example");
    let registered = answer(&shell, &by_mail);
    assert_shown(&registered, &mailed);
    shell.set("CLAIM_TOKEN", registered["claim_token"].as_str().unwrap());
    let link = scene.service.outbox().wait("ada@client.example");
    let code = scene.service.connection().show_code(&link).unwrap().text_of("challenge");
    shell.set("OTP", if code == "000000" { "000001" } else { "000000" });
    assert_shown(&answer(&shell, &complete), &refused);
    shell.set("OTP", &code);
    assert_shown(&answer(&shell, &complete), &completed);
    assert_eq!(answer(&shell, &poll)["error"], "authorization_pending", "the credential of the code stays in place");
    scene.pass(Duration::from_mins(2));
    assert_shown(&answer(&shell, &poll), &granted);

    let registered = answer(&shell, &anonymous);
    assert_shown(&registered, &free);
    shell.set("CLAIM_TOKEN", registered["claim_token"].as_str().unwrap());
    shell.set("CREDENTIAL", registered["credential"].as_str().unwrap());
    shell.set("EMAIL", "bob@client.example");
    assert_shown(&answer(&shell, &claim), &claim_started);
    let link = scene.service.outbox().wait("bob@client.example");
    shell.set("OTP", &scene.service.connection().show_code(&link).unwrap().text_of("challenge"));
    assert_eq!(answer(&shell, &complete)["status"], "claimed");
    assert_eq!(answer(&shell, &state)["claimed"], true);
    assert_eq!(shell.run(&revoke), "");
    assert!(answer(&shell, &state)["error"].is_string(), "the credential is revoked");
}

#[test]
fn confidential_client_sends_its_secret_with_its_assertion() {
    let provider = Provider::with_key("one");
    let scene = Scene::trusting(&[&provider]);
    let methods = scene.service.get(routes::AUTHORIZATION_SERVER, &[]).json();
    let methods = methods["token_endpoint_auth_methods_supported"].clone();
    assert_eq!(methods, json!(["none", "client_secret_basic", "client_secret_post"]));
    let assertion = || provider.assertion(scene.now(), &json!({ "client_id": CLIENT }));
    let encoded = ["https%3A%2F%2Fagents.example%2Fclient", "a%2Bb%2Fc%3Ad%25"];
    let basic = |pair: &str| format!("Authorization: Basic {}", STANDARD.encode(pair));
    let plain = basic(&format!("{CLIENT}:{SECRET}"));
    let by_rule = basic(&encoded.join(":"));
    let posted = format!("&client_id={}&client_secret={}", encoded[0], encoded[1]);
    for (lines, more) in [(vec![&*plain], ""), (vec![&*by_rule], ""), (vec![], &*posted)] {
        let reply = scene.exchange_as(&lines, &assertion(), more);
        assert_eq!(reply.status, 200, "{}", reply.text());
        assert_eq!(scene.content_status(&reply.text_of("access_token")), 200);
    }
    let kept = assertion();
    let wrong = basic(&format!("{CLIENT}:{SECRET}x"));
    let other = basic(&format!("agent-7:{SECRET}"));
    for (lines, more) in [
        (vec![], ""),
        (vec![], "&client_id=https%3A%2F%2Fagents.example%2Fclient"),
        (vec![], "&client_secret=wrong"),
        (vec![], "&client_id=agent-7&client_secret=a%2Bb%2Fc%3Ad%25"),
        (vec![&*wrong], ""),
        (vec![&*other], ""),
        (vec![&*plain], "&client_id=agent-7"),
    ] {
        let reply = scene.exchange_as(&lines, &kept, more);
        reply.assert_refused(401, "invalid_client");
        assert!(reply.header("www-authenticate").is_some());
    }
    scene.exchange_as(&[&plain], &kept, &posted).assert_refused(400, "invalid_request");
    // The registration endpoint accepts no client secret.
    scene.register(&kept).assert_refused(401, "invalid_client");
    let public = || provider.assertion(scene.now(), &json!({}));
    scene.exchange_as(&[&plain], &public(), "").assert_refused(401, "invalid_client");
    scene.exchange_as(&[], &public(), "&client_id=agent-8").assert_refused(401, "invalid_client");
    assert_eq!(scene.exchange_as(&[], &public(), "&client_id=agent-7").status, 200);
    // Refusals do not spend the assertion.
    assert_eq!(scene.exchange_as(&[&plain], &kept, "").status, 200);
}

#[test]
fn resource_with_a_trailing_slash_is_accepted() {
    let provider = Provider::with_key("one");
    let scene = Scene::trusting(&[&provider]);
    for resource in [format!("{SITE_URL}/"), format!("{SITE_URL}/mcp/"), SITE_URL.to_owned()] {
        let assertion = provider.assertion(scene.now(), &json!({ "resource": resource }));
        assert_eq!(scene.exchange_as(&[], &assertion, &format!("&resource={resource}")).status, 200, "{resource}");
    }
    for resource in [format!("{SITE_URL}//"), format!("{SITE_URL}/en/"), "/".to_owned()] {
        let assertion = provider.assertion(scene.now(), &json!({}));
        let reply = scene.exchange_as(&[], &assertion, &format!("&resource={resource}"));
        reply.assert_refused(400, "invalid_target");
    }
}

#[test]
fn auth_md_offers_exactly_what_the_metadata_offers() {
    let provider = Provider::with_key("one");
    for (scene, mail, trust) in [
        (Scene::trusting(&[&provider]), true, true),
        (Scene::trusting(&[]), true, false),
        (Scene::without_mail(&[&provider]), false, true),
        (Scene::without_mail(&[]), false, false),
    ] {
        let case = format!("mail {mail}, providers {trust}");
        let metadata = scene.service.get(routes::AUTHORIZATION_SERVER, &[]).json();
        let lists = |pointer: &str, value: &str| {
            metadata.pointer(pointer).unwrap().as_array().unwrap().iter().any(|listed| listed == value)
        };
        let assertions = "/agent_auth/identity_assertion/assertion_types_supported";
        let reply = scene.service.get(routes::AUTH_MD, &[]);
        let text = reply.text();
        for (offered, is_listed, sign) in [
            (trust, lists(assertions, AssertionType::IdJag.as_str()), AssertionType::IdJag.as_str()),
            (mail, lists(assertions, "verified_email"), "\"verified_email\""),
            (mail || trust, lists("/agent_auth/identity_types_supported", "identity_assertion"), "identity_assertion"),
            (true, lists("/agent_auth/identity_types_supported", "anonymous"), "\"type\":\"anonymous\""),
            (true, lists("/grant_types_supported", JWT_BEARER_GRANT), JWT_BEARER_GRANT),
            (true, metadata["agent_auth"]["identity_endpoint"].is_string(), routes::IDENTITY),
            (mail, lists("/agent_auth/identity_types_supported", "service_auth"), "`service_auth`"),
            (trust, lists("/token_endpoint_auth_methods_supported", "client_secret_basic"), "<ID_JAG>"),
            (trust, metadata["agent_auth"]["events_supported"] != json!([]), routes::PROVIDER_REVOKE),
        ] {
            assert_eq!((is_listed, text.contains(sign)), (offered, offered), "{case}: {sign}");
        }
        for of_claims in
            ["## Claim", routes::IDENTITY_CLAIM, "claim_token", "match_phrase", "`otp_invalid`", routes::ACCESS]
        {
            assert_eq!(text.contains(of_claims), mail, "{case}: {of_claims}");
        }
        assert!(!text.contains("\n\n\n"), "{case}: {text}");
        let call = json!({
            "jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": { "name": "get_page_markdown", "arguments": { "url": routes::AUTH_MD, "max_chars": 50_000 } },
        });
        let read = scene.service.post_json(routes::MCP, &call).json();
        assert_eq!(read.pointer("/result/content/0/text"), Some(&json!(text)), "{case}");
        let tag = reply.header("etag").unwrap();
        assert_eq!(scene.service.get(routes::AUTH_MD, &[&format!("If-None-Match: {tag}")]).status, 304);
    }
}

/// Returns the instructions of a service with all offers.
fn whole_instructions() -> String {
    String::from_utf8(fixture().firm.read(routes::AUTH_MD.trim_start_matches('/'))).unwrap()
}

#[test]
fn auth_md_names_every_error_with_its_resolution() {
    let text = whole_instructions();
    let common = [ErrorCode::MethodNotAllowed, ErrorCode::UriTooLong].map(|code| (code.as_str(), code.resolution()));
    // `UnsupportedResponseType` occurs only in browsers of people.
    let own = AgentErrorCode::ALL.into_iter().filter(|code| *code != AgentErrorCode::UnsupportedResponseType);
    let own = own.map(|code| (code.as_str(), code.resolution()));
    for (code, resolution) in own.chain(common) {
        let name = format!("`{code}`");
        let mut rows = text.lines().filter(|line| line.starts_with("| `"));
        let row = rows.find(|row| row.split(" | ").next().is_some_and(|names| names.contains(&name)));
        assert!(row.is_some_and(|row| row.ends_with(&format!(" | {resolution} |"))), "{name}: {row:?}");
    }
}

#[test]
fn auth_md_explains_polling_exchange_and_the_e_mail_to_the_user() {
    let text = whole_instructions();
    for words in [
        "If the answer of step 3 was lost, or another process sends the code",
        "Polling alone never completes a claim",
        "Stop at any other error",
        "`interaction_required` and `invalid_scope` are in `error` itself",
        "`scope`",
        "`resource` may name the resource",
        "`locale` (`en` or `tr`)",
        "`err` and `description`",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
}

#[test]
fn auth_md_shows_only_the_offers() {
    let of = |change: [&str; 2]| serve_with_offer(change, None).get(routes::AUTH_MD, &[]).text();
    let id_jag = ["assertion_types = [\"urn:ietf:params:oauth:token-type:id-jag\", ", "assertion_types = ["];
    let text = of(id_jag);
    assert!(text.contains("\"verified_email\"") && text.contains("\"anonymous\""), "{text}");
    for absent in ["id-jag", "<ID_JAG>", "invalid_signature", "interaction_required"] {
        assert!(!text.contains(absent), "{absent}: {text}");
    }
    let text = of(["\"anonymous\", \"identity_assertion\"]", "\"anonymous\"]"]);
    assert!(text.contains("\"anonymous\"") && !text.contains("\"identity_assertion\""), "{text}");
    let text = of(["\"anonymous\", \"identity_assertion\"]", "\"identity_assertion\"]"]);
    assert!(text.contains("\"identity_assertion\"") && !text.contains("\"anonymous\""), "{text}");
}
