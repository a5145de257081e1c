//! `mecelle use`: the stored host and its sandbox key.

use std::fs;

use cli::Exit;
use serde_json::Value;

use crate::{
    search,
    server::{Reply, Server, fixture, unused_address},
    tool::Tool,
};

/// The key in the test server's API description.
pub(crate) const SANDBOX_KEY: &str = "sandbox_firm_public_readonly";

/// Returns the reply of a host that has a new sandbox key.
fn error_response() -> Reply {
    Reply::error(401, "invalid_api_key")
}

/// Returns an API description with a key, in JSON.
fn description(key: &str) -> Reply {
    let schemes = format!("{{\"a\":{{\"x-sandbox-key\":{key}}}}}");
    let body = format!("{{\"info\":{{\"title\":\"A\\u001b[2J\"}},\"components\":{{\"securitySchemes\":{schemes}}}}}");
    Reply::body("application/json", &body)
}

/// Returns the note about the refused sandbox key.
fn refused_key_note(server: &Server) -> String {
    let host = server.url();
    format!(
        "note: {host} refuses its earlier sandbox key; the request is repeated without a key (`mecelle use {host}` \
         fetches the new key)\n"
    )
}

/// Returns the key of each request.
fn sent_keys(server: &Server) -> Vec<Option<String>> {
    server.requests().iter().map(|request| request.fields.get("authorization").cloned()).collect()
}

fn published_header() -> String {
    format!("Bearer {SANDBOX_KEY}")
}

#[test]
fn missing_host_is_reported_with_the_command_that_sets_one() {
    let outcome = Tool::asking("").run("team");
    assert_eq!((outcome.exit, outcome.data.len()), (Exit::Usage, 0));
    assert!(outcome.notes.contains("mecelle use https://firm.example"), "{}", outcome.notes);
    assert!(outcome.notes.ends_with("try: mecelle use https://HOST\n"), "{}", outcome.notes);
}

#[test]
fn stored_host_is_contacted_with_its_published_key() {
    let server = Server::start([]);
    let tool = Tool::asking("").with("MECELLE_API_KEY", "ak_of_another_host");
    let outcome = tool.run(&format!("use {}/api/v1/", server.url()));
    assert_eq!((outcome.exit, outcome.data.len()), (Exit::Success, 0), "{}", outcome.notes);
    assert!(outcome.notes.contains("Yalıçam Attorneys at Law – content API"), "{}", outcome.notes);
    let tool = tool.with("MECELLE_API_KEY", "");
    assert!(tool.run("team").data == fixture("/api/v1/team?locale=en").unwrap());
    assert_eq!(sent_keys(&server), [None, Some(published_header())], "a new host is sent no key");
}

#[test]
fn kept_host_is_overridden_and_its_key_is_sent_to_no_other() {
    let (kept, other) = (Server::start([]), Server::start([description("null")]));
    let tool = Tool::using(&kept.url());
    assert_eq!(tool.run(&format!("team --base-url {}", other.url())).exit, Exit::Success);
    let tool = tool.with("MECELLE_BASE_URL", &other.url());
    assert_eq!(tool.run("team").exit, Exit::Success);
    assert_eq!((sent_keys(&other), kept.requests().len()), (vec![None, None, None], 1));
    let outcome = tool.run(&format!("use {}", kept.url()));
    assert!(outcome.notes.contains("MECELLE_BASE_URL is set"), "{}", outcome.notes);
    assert_eq!(tool.run(&format!("team --base-url {}", kept.url())).exit, Exit::Success);
    assert_eq!(sent_keys(&kept).last(), Some(&Some(published_header())), "whether or not a variable names the host");
}

#[test]
fn host_that_is_no_such_service_is_not_stored() {
    for (reply, exit) in [
        (Reply::body("text/html", "<p>"), Exit::Failure),
        (Reply::body("application/json", "{\"info\":{}}"), Exit::Failure),
        (Reply::error(404, "not_found"), Exit::NotFound),
        (Reply::Silent, Exit::Network),
    ] {
        let server = Server::start([]);
        let tool = Tool::using(&server.url());
        let before = fs::read(tool.kept_host()).unwrap();
        let other = Server::start([reply]);
        let outcome = tool.run(&format!("use {} --retries 0 --timeout 0.2", other.url()));
        assert_eq!(outcome.exit, exit, "{}", outcome.notes);
        assert!(fs::read(tool.kept_host()).unwrap() == before);
    }
    let tool = Tool::asking("");
    assert_eq!(tool.run(&format!("use {} --retries 0", unused_address())).exit, Exit::Network);
    assert_eq!(tool.run("use https://firm.example/en").exit, Exit::Usage);
    assert_eq!(tool.run("use https://firm.example --offline").exit, Exit::Usage);
    assert!(!tool.kept_host().exists());
}

#[test]
fn host_without_a_usable_key_is_contacted_without_one() {
    for key in ["\"\"", "\"a b\"", "\"a\\r\\nX: y\"", "7", &format!("\"{}\"", "k".repeat(300))] {
        let server = Server::start([description(key)]);
        let tool = Tool::asking("");
        let outcome = tool.run(&format!("use {}", server.url()));
        assert_eq!(outcome.exit, Exit::Success, "{key}: {}", outcome.notes);
        assert!(!outcome.notes.contains('\u{1b}'), "{:?}", outcome.notes);
        assert_eq!((tool.run("team").exit, sent_keys(&server)), (Exit::Success, vec![None, None]), "{key}");
    }
}

#[test]
fn key_of_an_unknown_host_is_learned_once_and_sent_to_it_alone() {
    let (one, other) = (Server::start([description("\"key_one\"")]), Server::start([description("\"key_other\"")]));
    let tool = Tool::asking(&one.url()).unlearned();
    for line in ["team", "health", "search uzaktan --retries 0"] {
        tool.run(line);
        assert_eq!(tool.run(&format!("team --base-url {}", other.url())).exit, Exit::Success, "{line}");
    }
    let bearer = |key: &str| Some(format!("Bearer {key}"));
    assert_eq!(sent_keys(&one), [None, bearer("key_one"), bearer("key_one"), bearer("key_one")]);
    assert_eq!(sent_keys(&other), [None, bearer("key_other"), bearer("key_other"), bearer("key_other")]);
    let whoami: Value = serde_json::from_str(tool.run("whoami").text()).unwrap();
    assert_eq!((&whoami["key"], &whoami["valid"]), (&"sandbox".into(), &true.into()));
}

#[test]
fn key_is_not_learned_where_it_would_not_be_sent() {
    let server = Server::start([]);
    let tool = Tool::asking(&server.url()).unlearned();
    for line in ["team --offline", "logout", "claim --wait"] {
        tool.run(line);
    }
    tool.run_with(&["health", "--api-key", ""]);
    tool.run("health --api-key ak_other");
    assert_eq!(sent_keys(&server), [None, Some("Bearer ak_other".to_owned())]);
    assert!(!tool.sandbox_keys().exists());
    let nowhere = tool.with("MECELLE_CONFIG_DIR", "");
    assert_eq!(nowhere.run("health").exit, Exit::Success);
    assert_eq!(sent_keys(&server).split_off(2), [None], "a key that cannot be kept is not fetched");
}

#[test]
fn host_without_a_description_is_read_without_a_key() {
    for reply in [
        Reply::error(404, "not_found"),
        Reply::body("text/html", "<p>"),
        Reply::CutOff { announced: 9, body: Vec::new() },
    ] {
        let server = Server::start([reply]);
        let tool = Tool::asking(&server.url()).unlearned();
        let outcome = tool.run("team");
        assert_eq!((outcome.exit, outcome.notes.as_str()), (Exit::Success, ""));
        assert_eq!(sent_keys(&server), [None, None]);
        assert_eq!(tool.run("team").exit, Exit::Success);
        assert_eq!(sent_keys(&server).last(), Some(&Some(published_header())), "the next command learns it");
    }
}

#[test]
fn refused_learned_key_is_learned_again() {
    let server = Server::start([description("\"key_old\""), error_response()]);
    let tool = Tool::asking(&server.url()).unlearned();
    let outcome = tool.run("team");
    assert_eq!(outcome.exit, Exit::Success);
    assert!(outcome.notes.contains("(the next command fetches the new key)"), "{}", outcome.notes);
    assert_eq!((tool.run("team").exit, tool.run("team").notes.as_str()), (Exit::Success, ""));
    let new = Some(published_header());
    let old = Some("Bearer key_old".to_owned());
    assert_eq!(sent_keys(&server), [None, old, None, None, new.clone(), new]);
}

#[test]
fn damaged_file_of_learned_keys_is_replaced() {
    let server = Server::start([]);
    let tool = Tool::asking(&server.url());
    fs::write(tool.sandbox_keys(), "{").unwrap();
    assert_eq!(tool.run("team").exit, Exit::Success);
    assert!(fs::read_to_string(tool.sandbox_keys()).unwrap().contains(SANDBOX_KEY));
    assert_eq!(sent_keys(&server), [None, Some(published_header())]);
}

#[test]
fn damaged_host_file_is_reported_only_where_it_is_needed() {
    for text in ["{", "{\"base_url\":\"ftp://a.example\"}", "[]"] {
        let server = Server::start([]);
        let tool = Tool::using(&server.url());
        fs::write(tool.kept_host(), text).unwrap();
        let outcome = tool.run("team");
        assert_eq!(outcome.exit, Exit::Usage, "{text}");
        assert!(outcome.notes.contains("host.json"), "{}", outcome.notes);
        let outcome = tool.run(&format!("team --base-url {}", server.url()));
        assert_eq!((outcome.exit, outcome.notes.as_str()), (Exit::Success, ""), "{text}");
        assert_eq!(tool.run(&format!("use {}", server.url())).exit, Exit::Success, "{text}");
        assert_eq!(tool.run("team").exit, Exit::Success, "{text}");
    }
}

#[test]
fn public_data_is_read_without_the_refused_key() {
    for (line, target) in [("team -l tr", "/api/v1/team?locale=tr"), ("health", "/api/v1/health")] {
        let server = Server::start([Reply::Good, error_response()]);
        let outcome = Tool::using(&server.url()).run(line);
        assert_eq!((outcome.exit, &outcome.notes), (Exit::Success, &refused_key_note(&server)), "{line}");
        assert!(outcome.data == fixture(target).unwrap(), "{line}");
        assert_eq!(sent_keys(&server), [None, Some(published_header()), None], "{line}");
    }
}

#[test]
fn search_is_repeated_without_the_refused_key() {
    let server = Server::start([Reply::Good, error_response(), search::found()]);
    let outcome = Tool::using(&server.url()).run("search uzaktan");
    assert_eq!((outcome.exit, &outcome.notes), (Exit::Success, &refused_key_note(&server)));
    assert_eq!(sent_keys(&server), [None, Some(published_header()), None]);
    let requests = server.requests();
    assert_eq!(requests[1].body, requests[2].body);
}

#[test]
fn refusal_without_a_key_is_final() {
    for line in ["team", "search uzaktan"] {
        let server = Server::start([Reply::Good, error_response(), error_response()]);
        let outcome = Tool::using(&server.url()).run(line);
        assert_eq!((outcome.exit, outcome.data.len()), (Exit::Authentication, 0), "{line}");
        assert!(outcome.notes.starts_with(&refused_key_note(&server)), "{line}: {}", outcome.notes);
        assert!(outcome.notes.contains("Resolution of invalid_api_key."), "{line}: {}", outcome.notes);
        assert!(!outcome.notes.contains("--api-key"), "no key was sent: {}", outcome.notes);
        assert_eq!(server.requests().len(), 3, "{line}");
    }
}

#[test]
fn explicit_key_is_not_left_out_after_a_refusal() {
    for key in ["ak_other", SANDBOX_KEY] {
        let server = Server::start([Reply::Good, error_response()]);
        let outcome = Tool::using(&server.url()).with("MECELLE_API_KEY", key).run("team");
        assert_eq!((outcome.exit, server.requests().len()), (Exit::Authentication, 2), "{key}");
    }
}

#[test]
fn cache_works_after_a_refused_sandbox_key() {
    let server = Server::start([Reply::Good, error_response()]);
    let tool = Tool::using(&server.url());
    let first = tool.run("team");
    server.then(error_response());
    assert!(tool.run("team").data == first.data);
    let tags: Vec<_> = server.requests().iter().map(|request| request.fields.contains_key("if-none-match")).collect();
    assert_eq!(tags, [false, false, false, true, true]);
    let outcome = tool.run("team --offline");
    assert!(outcome.exit == Exit::Success && outcome.data == first.data, "{}", outcome.notes);
    assert!(outcome.notes.starts_with("offline: "), "{}", outcome.notes);
    server.then(error_response());
    server.then(error_response());
    let outcome = tool.run("team");
    assert_eq!((outcome.exit, outcome.data.len()), (Exit::Authentication, 0), "a refusal is not hidden");
}

#[test]
fn whoami_reports_the_refused_key() {
    let server = Server::start([Reply::Good, error_response(), Reply::Good, error_response()]);
    let tool = Tool::using(&server.url());
    let outcome = tool.run("whoami");
    assert_eq!((outcome.exit, &outcome.notes), (Exit::Success, &refused_key_note(&server)));
    let output: Value = serde_json::from_str(outcome.text()).unwrap();
    assert_eq!((&output["key"], &output["valid"]), (&"sandbox".into(), &false.into()));
    let table = tool.on_screen(80).with("NO_COLOR", "1").run("whoami");
    assert!(table.text().contains("the published sandbox key"), "{}", table.text());
    assert!(table.text().contains("no, and not needed"), "{}", table.text());
}
