//! Registering, claiming, asking who one is, and logging out, against scripted replies.

use std::{fs, time::Duration};

use cli::{Exit, SANDBOX_KEY};
use serde_json::Value;

use crate::{
    server::{Reply, Server},
    tool::Tool,
};

const ANONYMOUS: &str = r#"{"registration_id":"reg_1","registration_type":"anonymous","credential_type":"api_key","credential":"ak_first","credential_expires":"2026-11-22T10:00:00.000Z","scopes":["content.read","mcp.read"],"claim_token":"clm_1","claim_token_expires":"2026-11-22T10:00:00.000Z"}"#;
const BY_MAIL: &str = r#"{"registration_id":"reg_2","registration_type":"email-verification","claim_token":"clm_2","claim_token_expires":"2026-11-22T10:00:00.000Z","post_claim_scopes":["content.read"]}"#;
const CLAIMED: &str = r#"{"registration_id":"reg_2","status":"claimed","credential_type":"api_key","credential":"ak_second","credential_expires":"2027-02-19T10:00:00.000Z","scopes":["openid","profile","mcp.read","content.read"]}"#;

fn json(body: &str) -> Reply {
    Reply::body("application/json", body)
}

/// A server that does `script`, and a tool that asks it.
fn pair(script: impl IntoIterator<Item = Reply>) -> (Server, Tool) {
    let server = Server::start(script);
    let tool = Tool::asking(&server.url());
    (server, tool)
}

fn sent(server: &Server, at: usize) -> Value {
    serde_json::from_str(&server.requests()[at].body).unwrap()
}

#[test]
fn an_anonymous_key_is_kept_and_sent_from_then_on() {
    let (server, tool) = pair([json(ANONYMOUS)]);
    let outcome = tool.run("register");
    assert_eq!((outcome.exit, outcome.text()), (Exit::Success, ANONYMOUS), "{}", outcome.notes);
    assert_eq!(sent(&server, 0), serde_json::json!({ "type": "anonymous" }));
    assert!(!server.requests()[0].fields.contains_key("authorization"), "no key helps to get one");
    assert_eq!(tool.run("team").exit, Exit::Success);
    assert_eq!(server.requests()[1].fields["authorization"], "Bearer ak_first");
}

#[test]
fn a_terminal_never_shows_the_key() {
    let (_server, tool) = pair([json(ANONYMOUS)]);
    let outcome = tool.on_screen(100).with("NO_COLOR", "1").run("register");
    let text = outcome.text();
    assert!(text.contains("reg_1") && text.contains("content.read mcp.read") && text.contains("kept in "), "{text}");
    assert!(!text.contains("ak_first") && !text.contains("clm_1"), "{text}");
    assert!(outcome.notes.contains("mecelle claim --email"), "{}", outcome.notes);
}

#[test]
fn a_kept_key_that_is_refused_is_thrown_away_with_a_word() {
    let (server, tool) = pair([json(ANONYMOUS), Reply::error(401, "invalid_api_key")]);
    tool.run("register");
    let outcome = tool.run("team");
    assert_eq!(outcome.exit, Exit::Authentication);
    assert!(outcome.notes.contains("thrown away") && outcome.notes.contains("mecelle register"), "{}", outcome.notes);
    assert_eq!(tool.run("team").exit, Exit::Success);
    assert_eq!(server.requests()[2].fields["authorization"], format!("Bearer {SANDBOX_KEY}"));
}

#[test]
fn a_given_key_that_is_refused_leaves_the_kept_one_alone() {
    let (server, tool) = pair([json(ANONYMOUS), Reply::error(401, "invalid_api_key")]);
    tool.run("register");
    assert_eq!(tool.run("team --api-key other").exit, Exit::Authentication);
    tool.run("team");
    assert_eq!(server.requests()[2].fields["authorization"], "Bearer ak_first");
}

#[test]
fn a_mailbox_is_registered_and_claimed_with_the_code() {
    let (server, tool) = pair([json(BY_MAIL), json(CLAIMED)]);
    let outcome = tool.run("register --email lawyer@firm.example --credential api-key");
    assert!(outcome.notes.contains("mecelle claim --code"), "{}", outcome.notes);
    let question = sent(&server, 0);
    assert_eq!(question["assertion_type"], "verified_email");
    assert_eq!(question["assertion"], "lawyer@firm.example");
    assert_eq!(question["requested_credential_type"], "api_key");
    assert_eq!(tool.run("claim --code 123456").exit, Exit::Success);
    assert_eq!(server.requests()[1].target, "/agent/auth/claim/complete");
    assert_eq!(sent(&server, 1), serde_json::json!({ "claim_token": "clm_2", "otp": "123456" }));
    tool.run("team");
    assert_eq!(server.requests()[2].fields["authorization"], "Bearer ak_second");
    let kept = fs::read_to_string(tool.keyring()).unwrap();
    assert!(!kept.contains("clm_2"), "a claim token that did its work is not kept");
}

#[test]
fn waiting_asks_at_the_pace_that_the_service_sets() {
    let script = [
        json(BY_MAIL),
        Reply::error(400, "authorization_pending"),
        Reply::error(400, "slow_down"),
        Reply::error(400, "authorization_pending"),
        json(CLAIMED),
    ];
    let (server, tool) = pair(script);
    tool.run("register --email lawyer@firm.example");
    let outcome = tool.run("claim --wait");
    assert_eq!(outcome.exit, Exit::Success, "{}", outcome.notes);
    assert_eq!(outcome.waited, Duration::from_secs(5 + 10 + 10));
    let request = &server.requests()[1];
    assert_eq!(request.fields["content-type"], "application/x-www-form-urlencoded");
    assert!(request.body.contains("grant_type=urn%3Amecelle%3Aagent-auth%3Agrant-type%3Aclaim"), "{}", request.body);
}

#[test]
fn waiting_ends_with_a_refusal() {
    let (_server, tool) = pair([json(BY_MAIL), Reply::error(400, "access_denied")]);
    tool.run("register --email lawyer@firm.example");
    let outcome = tool.run("claim --wait");
    assert_eq!(outcome.exit, Exit::Failure);
    assert!(outcome.notes.contains("access_denied"), "{}", outcome.notes);
}

#[test]
fn an_assertion_comes_from_a_file_or_the_standard_input_and_never_from_the_arguments() {
    let (server, mut tool) = pair([json(ANONYMOUS), json(ANONYMOUS)]);
    tool.input = b"eyJ.a.b\n".to_vec();
    assert_eq!(tool.run("register --assertion -").exit, Exit::Success);
    assert_eq!(sent(&server, 0)["assertion"], "eyJ.a.b");
    let file = tempfile::NamedTempFile::new().unwrap();
    fs::write(file.path(), "eyJ.c.d").unwrap();
    assert_eq!(tool.run(&format!("register --assertion {}", file.path().display())).exit, Exit::Success);
    assert_eq!(sent(&server, 1)["assertion"], "eyJ.c.d");
    for (place, input) in [("-", &b"two words"[..]), ("-", b""), ("-", b"\xff"), ("/nowhere/at/all", b"")] {
        tool.input = input.to_vec();
        assert_eq!(tool.run(&format!("register --assertion {place}")).exit, Exit::Usage);
    }
    assert_eq!(server.requests().len(), 2, "nothing is sent that cannot be an assertion");
}

#[test]
fn a_refusal_that_offers_a_claim_starts_it() {
    let offer = r#"{"error":"interaction_required","message":"m","resolution":"r","registration_id":"reg_3","registration_type":"agent-provider","claim_token":"clm_3"}"#;
    let reply = Reply::Plain {
        status: 401,
        fields: vec![("Content-Type", "application/json".to_owned())],
        body: offer.as_bytes().to_vec(),
    };
    let (server, mut tool) = pair([reply, json(CLAIMED)]);
    tool.input = b"eyJ.a.b".to_vec();
    let outcome = tool.run("register --assertion -");
    assert_eq!(outcome.exit, Exit::Authentication);
    assert!(outcome.notes.contains("mecelle claim --code"), "{}", outcome.notes);
    assert_eq!(tool.run("claim --code 111111").exit, Exit::Success);
    assert_eq!(sent(&server, 1)["claim_token"], "clm_3");
}

#[test]
fn whoami_asks_the_service_and_tells_without_the_secret() {
    let (server, tool) = pair([json(ANONYMOUS)]);
    tool.run("register");
    let outcome = tool.run("whoami");
    let said: Value = serde_json::from_str(outcome.text()).unwrap();
    assert_eq!((&said["key"], &said["valid"]), (&"kept".into(), &true.into()));
    assert_eq!(said["registration_id"], "reg_1");
    assert!(!outcome.text().contains("ak_first"));
    assert_eq!(server.requests()[1].target, "/api/v1/health");
    let sandbox: Value = serde_json::from_str(tool.run("whoami --api-key ''").text()).unwrap();
    assert_eq!(sandbox["key"], "given");
}

#[test]
fn logging_out_revokes_first_and_forgets_then() {
    let (server, tool) = pair([json(ANONYMOUS), Reply::error(503, "unavailable"), Reply::body("application/json", "")]);
    tool.run("register");
    assert_eq!(tool.run("logout").exit, Exit::Server, "a key that may still be valid is not forgotten");
    assert!(fs::read_to_string(tool.keyring()).unwrap().contains("ak_first"));
    let outcome = tool.run("logout");
    assert_eq!(outcome.exit, Exit::Success, "{}", outcome.notes);
    assert_eq!(server.requests()[2].target, "/oauth2/revoke");
    assert_eq!(server.requests()[2].body, "token=ak_first");
    assert!(!fs::read_to_string(tool.keyring()).unwrap().contains("ak_first"));
    assert_eq!(tool.run("logout").exit, Exit::Success, "twice is no fault");
}

#[test]
fn without_a_registration_a_claim_says_what_to_do_first() {
    let (server, tool) = pair([]);
    let outcome = tool.run("claim --code 123456");
    assert_eq!(outcome.exit, Exit::Usage);
    assert!(outcome.notes.contains("mecelle register"), "{}", outcome.notes);
    assert_eq!(server.requests().len(), 0);
}

#[test]
fn nothing_is_registered_offline_or_twice() {
    let (server, tool) = pair([Reply::CutOff { announced: 100, body: b"{".to_vec() }]);
    assert_eq!(tool.run("register --offline").exit, Exit::Usage);
    assert_eq!(tool.run("register").exit, Exit::Network);
    assert_eq!(server.requests().len(), 1, "a lost reply is not asked for again");
}

#[test]
fn a_damaged_keyring_is_told_before_anything_is_sent() {
    let (server, tool) = pair([]);
    fs::create_dir_all(tool.keyring().parent().unwrap()).unwrap();
    fs::write(tool.keyring(), "{").unwrap();
    for line in ["register", "team", "whoami", "logout"] {
        let outcome = tool.run(line);
        assert_eq!(outcome.exit, Exit::Failure, "{line}");
        assert!(outcome.notes.contains("registrations.json"), "{}", outcome.notes);
    }
    assert_eq!(server.requests().len(), 0);
    assert_eq!(tool.run("team --api-key x").exit, Exit::Success, "a key of one's own needs no keyring");
}
