//! `register`, `claim`, `whoami` and `logout` against scripted replies.

use std::{fs, time::Duration};

use cli::Exit;
use contract::errors::{AgentErrorCode, AgentErrorResponse, ErrorDetail};
use serde_json::Value;

use crate::{
    server::{Reply, Server},
    tool::Tool,
};

pub(crate) const ANONYMOUS: &str = r#"{"registration_id":"reg_1","registration_type":"anonymous","credential_type":"api_key","credential":"ak_first","credential_expires":"2026-11-22T10:00:00.000Z","scopes":["content.read","mcp.read"],"claim_token":"clm_1","claim_token_expires":"2026-11-22T10:00:00.000Z"}"#;
pub(crate) const BY_MAIL: &str = r#"{"registration_id":"reg_2","registration_type":"email-verification","claim_token":"clm_2","claim_token_expires":"2026-11-22T10:00:00.000Z","post_claim_scopes":["content.read"],"match_phrase":"maple lantern"}"#;
pub(crate) const CLAIMED: &str = r#"{"registration_id":"reg_2","status":"claimed","credential_type":"api_key","credential":"ak_second","credential_expires":"2027-02-19T10:00:00.000Z","scopes":["openid","profile","mcp.read","content.read"]}"#;

pub(crate) fn json(body: &str) -> Reply {
    Reply::body("application/json", body)
}

/// Starts a server that follows `script`, and a tool for it.
fn pair(script: impl IntoIterator<Item = Reply>) -> (Server, Tool) {
    let server = Server::start(script);
    let tool = Tool::asking(&server.url());
    (server, tool)
}

fn sent_json(server: &Server, at: usize) -> Value {
    serde_json::from_str(&server.requests()[at].body).unwrap()
}

#[test]
fn anonymous_key_is_kept_and_sent_from_then_on() {
    let (server, tool) = pair([json(ANONYMOUS)]);
    let outcome = tool.run("register");
    assert_eq!((outcome.exit, outcome.text()), (Exit::Success, ANONYMOUS), "{}", outcome.notes);
    assert_eq!(sent_json(&server, 0), serde_json::json!({ "type": "anonymous" }));
    assert!(!server.requests()[0].fields.contains_key("authorization"), "no key is sent to get one");
    assert_eq!(tool.run("team").exit, Exit::Success);
    assert_eq!(server.requests()[1].fields["authorization"], "Bearer ak_first");
}

#[test]
fn terminal_never_shows_the_key() {
    let (_server, tool) = pair([json(ANONYMOUS)]);
    let outcome = tool.on_screen(100).with("NO_COLOR", "1").run("register");
    let text = outcome.text();
    assert!(text.contains("reg_1") && text.contains("content.read mcp.read") && text.contains("kept in "), "{text}");
    assert!(!text.contains("ak_first") && !text.contains("clm_1"), "{text}");
    assert!(outcome.notes.contains("mecelle claim --email"), "{}", outcome.notes);
}

#[test]
fn refused_kept_key_is_deleted_and_reported() {
    let (server, tool) = pair([json(ANONYMOUS), Reply::error(401, "invalid_api_key")]);
    tool.run("register");
    let outcome = tool.run("team");
    assert_eq!(outcome.exit, Exit::Authentication);
    assert!(outcome.notes.contains("was deleted") && outcome.notes.contains("mecelle register"), "{}", outcome.notes);
    assert_eq!(tool.run("team").exit, Exit::Success);
    assert_eq!(server.requests()[2].fields.get("authorization"), None);
}

#[test]
fn refused_explicit_key_leaves_the_kept_key() {
    let (server, tool) = pair([json(ANONYMOUS), Reply::error(401, "invalid_api_key")]);
    tool.run("register");
    assert_eq!(tool.run("team --api-key other").exit, Exit::Authentication);
    tool.run("team");
    assert_eq!(server.requests()[2].fields["authorization"], "Bearer ak_first");
}

#[test]
fn key_that_cannot_be_sent_is_not_kept() {
    let (server, tool) = pair([json(&ANONYMOUS.replace("ak_first", "ak\\nX: y")), json("{}")]);
    let outcome = tool.run("register");
    assert_eq!(outcome.exit, Exit::Failure);
    assert!(outcome.notes.contains("cannot be sent back"), "{}", outcome.notes);
    tool.run("team");
    assert_eq!(server.requests()[1].fields.get("authorization"), None);
}

#[test]
fn mailbox_is_registered_and_claimed_with_the_code() {
    let (server, tool) = pair([json(BY_MAIL), json(CLAIMED)]);
    let outcome = tool.run("register --email lawyer@firm.example --credential api-key");
    assert!(outcome.notes.contains("mecelle claim --code"), "{}", outcome.notes);
    let question = sent_json(&server, 0);
    assert_eq!(question["assertion_type"], "verified_email");
    assert_eq!(question["assertion"], "lawyer@firm.example");
    assert_eq!(question["requested_credential_type"], "api_key");
    assert_eq!(tool.run("claim --code 123456").exit, Exit::Success);
    assert_eq!(server.requests()[1].target, "/agent/auth/claim/complete");
    assert_eq!(sent_json(&server, 1), serde_json::json!({ "claim_token": "clm_2", "otp": "123456" }));
    tool.run("team");
    assert_eq!(server.requests()[2].fields["authorization"], "Bearer ak_second");
    let kept = fs::read_to_string(tool.keyring()).unwrap();
    assert!(!kept.contains("clm_2"), "a claim token that did its work is not kept");
}

#[test]
fn locale_option_sets_the_language_of_the_message() {
    let (server, tool) = pair([json(BY_MAIL), json(BY_MAIL), json(BY_MAIL)]);
    for (line, locale) in [
        ("register --email lawyer@firm.example --locale tr", "tr".into()),
        ("claim --email lawyer@firm.example -l en", "en".into()),
        ("claim --email lawyer@firm.example", Value::Null),
    ] {
        let outcome = tool.run(line);
        assert_eq!(outcome.exit, Exit::Success, "{line}: {}", outcome.notes);
        assert_eq!(sent_json(&server, server.requests().len() - 1)["locale"], locale, "{line}");
    }
    for line in ["claim --code 123456 --locale tr", "claim --wait --locale tr", "register --locale de"] {
        let outcome = tool.run(line);
        assert_eq!((outcome.exit, server.requests().len()), (Exit::Usage, 3), "{line}: {}", outcome.notes);
        assert!(outcome.notes.contains("help: "), "{line}: {}", outcome.notes);
    }
}

#[test]
fn invalid_address_is_not_sent() {
    let (server, tool) = pair([json(BY_MAIL)]);
    for address in ["lawyer", "lawyer@", "@firm.example", "la wyer@firm.example"] {
        for command in ["register", "claim"] {
            let outcome = tool.run_with(&[command, "--email", address]);
            assert_eq!((outcome.exit, server.requests().len()), (Exit::Usage, 0), "{command} {address}");
            assert!(outcome.notes.contains("such as you@firm.example"), "{}", outcome.notes);
        }
    }
    let outcome = tool.run("register --email müge@büro.example");
    assert_eq!(outcome.exit, Exit::Success, "the service checks the address: {}", outcome.notes);
}

#[test]
fn replaced_claim_is_reported() {
    let (_server, tool) = pair([json(BY_MAIL), json(ANONYMOUS)]);
    tool.run("register --email lawyer@firm.example");
    let outcome = tool.run("register");
    assert!(outcome.notes.contains("the claim of reg_2 was given up"), "{}", outcome.notes);
}

#[test]
fn wait_polls_at_the_interval_of_the_service() {
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
fn wait_ends_with_a_refusal() {
    let (_server, tool) = pair([json(BY_MAIL), Reply::error(400, "access_denied")]);
    tool.run("register --email lawyer@firm.example");
    let outcome = tool.run("claim --wait");
    assert_eq!(outcome.exit, Exit::Failure);
    assert!(outcome.notes.contains("access_denied"), "{}", outcome.notes);
}

#[test]
fn assertion_is_read_from_a_file_or_the_standard_input_only() {
    let (server, mut tool) = pair([json(ANONYMOUS), json(ANONYMOUS)]);
    tool.input = b"eyJ.a.b\n".to_vec();
    assert_eq!(tool.run("register --assertion -").exit, Exit::Success);
    assert_eq!(sent_json(&server, 0)["assertion"], "eyJ.a.b");
    let file = tempfile::NamedTempFile::new().unwrap();
    fs::write(file.path(), "eyJ.c.d").unwrap();
    assert_eq!(tool.run(&format!("register --assertion {}", file.path().display())).exit, Exit::Success);
    assert_eq!(sent_json(&server, 1)["assertion"], "eyJ.c.d");
    for (place, input) in [("-", &b"two words"[..]), ("-", b""), ("-", b"\xff"), ("/nowhere/at/all", b"")] {
        tool.input = input.to_vec();
        assert_eq!(tool.run(&format!("register --assertion {place}")).exit, Exit::Usage);
    }
    assert_eq!(server.requests().len(), 2, "nothing is sent that cannot be an assertion");
}

#[test]
fn assertion_is_signed_anew_each_time_without_a_service() {
    let folder = tempfile::tempdir().unwrap();
    dev_provider::make(folder.path()).unwrap();
    let line = format!("assertion --email ada@client.example --provider {}/dev-provider.json", folder.path().display());
    let tool = Tool::asking("https://unreachable.example");
    let [one, other, logout] = ["", "", " --logout"].map(|more| tool.run(&format!("{line}{more}")));
    for signed in [&one, &other, &logout] {
        assert_eq!((signed.exit, signed.notes.as_str()), (Exit::Success, ""));
        assert_eq!(signed.text().trim_end().split('.').filter(|part| !part.is_empty()).count(), 3);
    }
    assert!(one.text() != other.text() && one.text().split('.').next() != logout.text().split('.').next());
}

#[test]
fn assertion_without_a_key_is_reported_with_the_remedy() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("dev-provider.json");
    let tool = Tool::asking("https://unreachable.example");
    for text in [None, Some("{}")] {
        if let Some(text) = text {
            fs::write(&file, text).unwrap();
        }
        let outcome = tool.run(&format!("assertion --email ada@client.example --provider {}", file.display()));
        assert_eq!((outcome.exit, outcome.data.as_slice()), (Exit::Usage, &b""[..]));
        assert!(outcome.notes.contains("dev-provider.json: "), "{}", outcome.notes);
        assert!(outcome.notes.contains("try: sidecar dev-provider"), "{}", outcome.notes);
    }
    assert_eq!(tool.run("assertion").exit, Exit::Usage, "--email is required");
    assert_eq!(tool.run("assertion --email ada").exit, Exit::Usage);
}

#[test]
fn used_up_codes_suggest_a_new_registration_and_no_wait() {
    let error = AgentErrorResponse {
        resolution: ErrorDetail::NoCodesLeft.resolution().to_owned(),
        ..AgentErrorCode::RateLimited.response()
    };
    let body = serde_json::to_string(&error).unwrap();
    let refusal = Reply::Plain { status: 429, fields: vec![], body: body.into_bytes() };
    let (_server, tool) = pair([json(ANONYMOUS), refusal.with("Retry-After", "86399")]);
    assert_eq!(tool.run("register").exit, Exit::Success);
    let outcome = tool.run("claim --email ada@client.example");
    assert_eq!(outcome.exit, Exit::Server);
    for words in [ErrorDetail::NoCodesLeft.resolution(), "try: mecelle register\n"] {
        assert!(outcome.notes.contains(words), "{}", outcome.notes);
    }
    assert!(!outcome.notes.contains("86399"), "{}", outcome.notes);
}

#[test]
fn refusal_that_offers_a_claim_starts_it() {
    let (server, mut tool) = pair([offer(), json(CLAIMED)]);
    tool.input = b"eyJ.a.b".to_vec();
    let outcome = tool.run("register --assertion -");
    assert_eq!(outcome.exit, Exit::Authentication);
    assert!(outcome.notes.contains("mecelle claim --code"), "{}", outcome.notes);
    assert!(outcome.notes.contains("match phrase: maple lantern"), "{}", outcome.notes);
    assert_eq!(tool.run("claim --code 111111").exit, Exit::Success);
    assert_eq!(sent_json(&server, 1)["claim_token"], "clm_3");
}

/// Returns an error that offers a claim.
fn offer() -> Reply {
    let body = r#"{"error":"interaction_required","message":"m","resolution":"r","registration_id":"reg_3","registration_type":"agent-provider","claim_token":"clm_3","match_phrase":"maple lantern"}"#;
    let fields = vec![("Content-Type", "application/json".to_owned())];
    Reply::Plain { status: 401, fields, body: body.as_bytes().to_vec() }
}

#[test]
fn offered_claim_leaves_the_kept_key_in_use_until_it_is_complete() {
    let granted = CLAIMED.replace("reg_2\"", "reg_3\",\"registration_type\":\"agent-provider\"");
    let (server, mut tool) = pair([json(ANONYMOUS), offer(), Reply::Good, json(&granted), Reply::Good, json("")]);
    tool.run("register");
    tool.input = b"eyJ.a.b".to_vec();
    let outcome = tool.run("register --assertion -");
    assert_eq!(outcome.exit, Exit::Authentication);
    assert!(outcome.notes.contains("the key of reg_1 stays in use"), "{}", outcome.notes);
    tool.run("team");
    assert_eq!(server.requests()[2].fields["authorization"], "Bearer ak_first");
    let outcome = tool.run("claim --code 111111");
    assert_eq!((outcome.exit, &sent_json(&server, 3)["claim_token"]), (Exit::Success, &"clm_3".into()));
    assert!(outcome.notes.contains("which stays valid until it expires"), "{}", outcome.notes);
    let output: Value = serde_json::from_str(tool.run("whoami").text()).unwrap();
    assert_eq!((&output["registration_id"], &output["registration_type"]), (&"reg_3".into(), &"agent-provider".into()));
    tool.run("logout");
    assert_eq!(server.requests()[5].body, "token=ak_second");
}

#[test]
fn logout_with_an_offered_claim_revokes_the_kept_key() {
    let (server, mut tool) = pair([json(ANONYMOUS), offer(), json("")]);
    tool.run("register");
    tool.input = b"eyJ.a.b".to_vec();
    tool.run("register --assertion -");
    let outcome = tool.run("logout");
    assert_eq!(outcome.exit, Exit::Success);
    assert!(outcome.notes.contains("the open claim was given up"), "{}", outcome.notes);
    assert_eq!(server.requests()[2].body, "token=ak_first");
}

/// Runs `line`, which `reply` answers, during the wait for a claim.
fn run_during_claim(line: &str, reply: Reply, granted: &str) -> (Server, Tool, crate::tool::Outcome) {
    let (server, tool) = pair([json(ANONYMOUS), Reply::error(400, "authorization_pending"), reply, json(granted)]);
    tool.run("register");
    let outcome = tool.run_meanwhile("claim --wait", line);
    (server, tool, outcome)
}

#[test]
fn change_by_another_run_during_a_claim_is_not_undone() {
    let other = ANONYMOUS.replace("reg_1", "reg_9").replace("ak_first", "ak_ninth").replace("clm_1", "clm_9");
    let granted = CLAIMED.replace("reg_2", "reg_1");
    for (line, reply, key) in
        [("register", json(&other), Some("Bearer ak_ninth".to_owned())), ("logout", json(""), None)]
    {
        let (server, tool, outcome) = run_during_claim(line, reply, &granted);
        assert_eq!((outcome.exit, outcome.text()), (Exit::Failure, granted.as_str()), "{line}: {}", outcome.notes);
        assert!(outcome.notes.contains("the reply is not kept"), "{line}: {}", outcome.notes);
        tool.run("team");
        assert_eq!(server.requests()[4].fields.get("authorization"), key.as_ref(), "{line}");
    }
}

#[test]
fn newest_key_is_kept_after_two_runs_complete_a_claim() {
    let granted = CLAIMED.replace("reg_2", "reg_1");
    let (server, tool, outcome) =
        run_during_claim("claim --code 123456", json(&granted), &granted.replace("ak_second", "ak_third"));
    assert_eq!(outcome.exit, Exit::Success, "{}", outcome.notes);
    tool.run("team");
    assert_eq!(server.requests()[4].fields["authorization"], "Bearer ak_third");
}

#[test]
fn whoami_checks_the_key_and_does_not_print_it() {
    let (server, tool) = pair([json(ANONYMOUS)]);
    tool.run("register");
    let outcome = tool.run("whoami");
    let output: Value = serde_json::from_str(outcome.text()).unwrap();
    assert_eq!((&output["key"], &output["valid"]), (&"kept".into(), &true.into()));
    assert_eq!(output["registration_id"], "reg_1");
    assert!(!outcome.text().contains("ak_first"));
    assert_eq!(server.requests()[1].target, "/api/v1/health");
    for (key, origin, valid) in [("mine", "given", true), ("", "none", false)] {
        let output: Value = serde_json::from_str(tool.run_with(&["whoami", "--api-key", key]).text()).unwrap();
        assert_eq!((&output["key"], &output["valid"]), (&origin.into(), &valid.into()));
    }
}

#[test]
fn logout_revokes_the_key_before_it_deletes_it() {
    let (server, tool) = pair([json(ANONYMOUS), Reply::error(503, "unavailable"), Reply::body("application/json", "")]);
    tool.run("register");
    assert_eq!(tool.run("logout").exit, Exit::Server, "a key that may still be valid is kept");
    assert!(fs::read_to_string(tool.keyring()).unwrap().contains("ak_first"));
    let outcome = tool.run("logout");
    assert_eq!(outcome.exit, Exit::Success, "{}", outcome.notes);
    assert_eq!(server.requests()[2].target, "/oauth2/revoke");
    assert_eq!(server.requests()[2].body, "token=ak_first");
    assert!(!fs::read_to_string(tool.keyring()).unwrap().contains("ak_first"));
    assert_eq!(tool.run("logout").exit, Exit::Success, "twice is no fault");
}

#[test]
fn claim_without_a_registration_suggests_register() {
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
    assert_eq!(server.requests().len(), 1, "a POST is not repeated");
}

#[test]
fn damaged_keyring_stops_registration_commands_but_not_public_content() {
    for key in [None, Some("ak old\\n"), Some("")] {
        let (server, tool) = pair([]);
        let damaged = key.map_or("{".to_owned(), |key| {
            let entry =
                format!(r#"{{"registration_id":"reg_1","registration_type":"anonymous","credential":"{key}"}}"#);
            format!(r#"{{"{}":{entry}}}"#, server.url())
        });
        fs::create_dir_all(tool.keyring().parent().unwrap()).unwrap();
        fs::write(tool.keyring(), damaged).unwrap();
        for line in ["register", "claim --wait", "whoami", "logout"] {
            let outcome = tool.run(line);
            assert_eq!(outcome.exit, Exit::Failure, "{line}");
            assert!(outcome.notes.contains("registrations.json"), "{}", outcome.notes);
        }
        assert_eq!(server.requests().len(), 0);
        let outcome = tool.run("team");
        assert_eq!(outcome.exit, Exit::Success, "{}", outcome.notes);
        assert!(
            outcome.notes.starts_with("warning: ") && outcome.notes.contains("registrations.json"),
            "{}",
            outcome.notes
        );
        assert!(!outcome.notes.contains("ak old"), "{}", outcome.notes);
        assert_eq!(server.requests()[0].fields.get("authorization"), None);
        assert_eq!(tool.run("team --api-key x").notes, "", "an explicit key needs no keyring");
    }
}

#[test]
fn credential_that_cannot_be_stored_is_not_requested() {
    let (server, tool) = pair([]);
    let tool = tool.with("MECELLE_CONFIG_DIR", "/dev/null/nowhere");
    let outcome = tool.run("register");
    assert_eq!(outcome.exit, Exit::Failure);
    assert!(outcome.notes.contains("/dev/null/nowhere/registrations.json"), "{}", outcome.notes);
    assert_eq!(server.requests().len(), 0);
    assert_eq!((tool.run("team").exit, tool.run("team").notes.as_str()), (Exit::Success, ""));
}

#[test]
fn configured_folder_may_be_relative() {
    let (server, tool) = pair([json(ANONYMOUS)]);
    let home = tool.keyring().parent().unwrap().parent().unwrap().to_owned();
    let here = std::env::current_dir().unwrap();
    let up = "../".repeat(here.components().count() - 1);
    let folder = |name: &str| format!("{up}{}", home.join(name).strip_prefix("/").unwrap().display());
    let tool = tool.with("MECELLE_CONFIG_DIR", &folder("own")).with("MECELLE_CACHE_DIR", &folder("seen"));
    let tool = tool.with("HOME", home.to_str().unwrap());
    assert_eq!((tool.run("register").exit, tool.run("team").exit), (Exit::Success, Exit::Success));
    assert_eq!(server.requests()[1].fields["authorization"], "Bearer ak_first");
    assert!(fs::read_to_string(home.join("own/registrations.json")).unwrap().contains("ak_first"));
    assert_eq!(fs::read_dir(home.join("seen")).unwrap().count(), 1);
}

#[test]
fn key_is_sent_only_to_the_host_that_issued_it() {
    let (_first, tool) = pair([json(ANONYMOUS)]);
    tool.run("register");
    let other = Server::start([]);
    assert_eq!(tool.run(&format!("team --base-url {}", other.url())).exit, Exit::Success);
    let outcome = tool.run(&format!("logout --base-url {}", other.url()));
    assert!(outcome.notes.contains("no key of"), "{}", outcome.notes);
    let requests = other.requests();
    let keys: Vec<_> = requests.iter().map(|request| request.fields.get("authorization").map(String::as_str)).collect();
    assert_eq!(keys, [None, Some("Bearer sandbox_firm_public_readonly")], "the description, and the key in it");
}

#[test]
fn refused_key_leaves_its_claim_open() {
    let (server, tool) = pair([json(ANONYMOUS), Reply::error(401, "invalid_api_key"), json(CLAIMED)]);
    tool.run("register");
    assert_eq!(tool.run("team").exit, Exit::Authentication);
    assert_eq!(tool.run("claim --wait").exit, Exit::Success);
    tool.run("team");
    assert_eq!(server.requests()[3].fields["authorization"], "Bearer ak_second");
}

#[test]
fn wait_is_announced_and_survives_a_short_outage() {
    let script = [
        json(BY_MAIL),
        Reply::error(400, "authorization_pending"),
        Reply::CutOff { announced: 9, body: Vec::new() },
        Reply::error(503, "unavailable").with("Retry-After", "30"),
        json(CLAIMED),
    ];
    let (server, tool) = pair(script);
    tool.run("register --email lawyer@firm.example");
    let outcome = tool.run("claim --wait");
    assert_eq!((outcome.exit, server.requests().len()), (Exit::Success, 5), "{}", outcome.notes);
    assert_eq!(outcome.waited, Duration::from_secs(5 + 10 + 30));
    assert_eq!(outcome.notes, "waiting until the claim is complete; Ctrl-C only ends the waiting\n");
}

#[test]
fn wait_ends_after_a_long_outage() {
    let mut script = vec![json(BY_MAIL)];
    script.extend(vec![Reply::error(503, "temporarily_unavailable"); 9]);
    let (server, tool) = pair(script);
    tool.run("register --email lawyer@firm.example");
    assert_eq!(tool.run("claim --wait").exit, Exit::Server);
    assert_eq!(server.requests().len(), 1 + 6);
}

#[test]
fn unanswered_claim_is_no_usage_error() {
    let mut script = vec![json(BY_MAIL)];
    script.extend(vec![Reply::error(400, "authorization_pending"); 720]);
    let (_server, tool) = pair(script);
    tool.run("register --email lawyer@firm.example");
    let outcome = tool.run("claim --wait");
    assert_eq!(outcome.exit, Exit::Failure);
    assert!(outcome.notes.ends_with("try: mecelle claim --code CODE\n"), "{}", outcome.notes);
}

#[test]
fn refused_claim_suggests_the_next_step() {
    for (status, code, next) in [
        (401, "otp_invalid", "mecelle claim --code CODE"),
        (410, "otp_expired", "mecelle claim --email ADDRESS"),
        (401, "invalid_claim_token", "mecelle register"),
        (410, "claim_expired", "mecelle register"),
        (409, "previously_claimed", "mecelle claim --wait"),
        (400, "invalid_request", "mecelle claim --help"),
    ] {
        let (_server, tool) = pair([json(BY_MAIL), Reply::error(status, code)]);
        tool.run("register --email lawyer@firm.example");
        let outcome = tool.run("claim --code 123456");
        assert!(outcome.notes.ends_with(&format!("try: {next}\n")), "{code}: {}", outcome.notes);
    }
    let (_server, tool) = pair([json(BY_MAIL), Reply::error(400, "expired_token")]);
    tool.run("register --email lawyer@firm.example");
    let outcome = tool.run("claim --wait");
    assert!(outcome.notes.ends_with("try: mecelle claim --email ADDRESS\n"), "{}", outcome.notes);
}

#[test]
fn whoami_offline_sends_no_request() {
    let (server, tool) = pair([json(ANONYMOUS)]);
    tool.run("register");
    let output: Value = serde_json::from_str(tool.run("whoami --offline").text()).unwrap();
    assert_eq!((&output["key"], &output["valid"]), (&"kept".into(), &Value::Null));
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn forget_deletes_the_key_without_the_service() {
    let (server, tool) = pair([json(ANONYMOUS), Reply::error(503, "unavailable")]);
    tool.run("register");
    let outcome = tool.run("logout");
    assert!(outcome.notes.contains("mecelle logout --forget"), "{}", outcome.notes);
    let outcome = tool.run("logout --forget");
    assert_eq!((outcome.exit, server.requests().len()), (Exit::Success, 2));
    assert!(outcome.notes.contains("stays valid until it expires"), "{}", outcome.notes);
    assert!(!fs::read_to_string(tool.keyring()).unwrap().contains("ak_first"));
}

#[test]
fn logout_without_a_key_gives_up_the_claim() {
    let (server, tool) = pair([json(BY_MAIL)]);
    tool.run("register --email lawyer@firm.example");
    let outcome = tool.run("logout");
    assert!(outcome.notes.contains("there was no key yet"), "{}", outcome.notes);
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn reply_that_cannot_be_stored_is_printed() {
    let (_server, tool) = pair([json(r#"{"credential":"ak_only_here"}"#)]);
    let outcome = tool.run("register");
    assert_eq!((outcome.exit, outcome.text()), (Exit::Failure, r#"{"credential":"ak_only_here"}"#));
    assert!(outcome.notes.contains("/agent/auth\n") && outcome.notes.contains("expected shape"), "{}", outcome.notes);
}

#[test]
fn reply_that_cannot_be_stored_is_sanitized_on_a_terminal_and_exact_in_a_pipe() {
    let body = "{\"registration_id\":5,\"x\":\"\u{9b}2J\u{9b}31mHELLO\u{202e}\"}";
    let (_server, tool) = pair([json(body), json(body)]);
    assert_eq!(tool.run("register").text(), body);
    let outcome = tool.on_screen(100).run("register");
    assert_eq!(outcome.exit, Exit::Failure, "{}", outcome.notes);
    assert!(outcome.text().contains("HELLO"), "{:?}", outcome.text());
    assert!(!outcome.text().contains(['\u{9b}', '\u{202e}']), "{:?}", outcome.text());
}
