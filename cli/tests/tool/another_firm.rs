//! The site of a firm whose sandbox key is not the one that this tool sends by default.

use cli::{DEFAULT_BASE_URL, Exit, SANDBOX_KEY};
use serde_json::Value;

use crate::{
    search,
    server::{Reply, Server, fixture},
    tool::Tool,
};

/// Returns such a site's answer to the key.
fn refusal() -> Reply {
    Reply::error(401, "invalid_api_key")
}

/// Returns the one line that says which key was refused.
fn note(server: &Server) -> String {
    let host = server.url();
    format!("note: {host} refuses the sandbox key of {DEFAULT_BASE_URL}, so it is asked without a key\n")
}

/// Returns the keys that were sent, request by request.
fn keys(server: &Server) -> Vec<Option<String>> {
    server.requests().iter().map(|request| request.fields.get("authorization").cloned()).collect()
}

#[test]
fn public_data_is_read_without_the_refused_key() {
    for (line, target) in [("team -l tr", "/api/v1/team?locale=tr"), ("health", "/api/v1/health")] {
        let server = Server::start([refusal()]);
        let outcome = Tool::asking(&server.url()).run(line);
        assert_eq!((outcome.exit, &outcome.notes), (Exit::Success, &note(&server)), "{line}");
        assert!(outcome.data == fixture(target).unwrap(), "{line}");
        assert_eq!(keys(&server), [Some(format!("Bearer {SANDBOX_KEY}")), None], "{line}");
    }
}

#[test]
fn search_is_asked_for_without_the_key_that_is_refused() {
    let server = Server::start([refusal(), search::found()]);
    let outcome = Tool::asking(&server.url()).run("search uzaktan");
    assert_eq!((outcome.exit, &outcome.notes), (Exit::Success, &note(&server)));
    assert_eq!(keys(&server), [Some(format!("Bearer {SANDBOX_KEY}")), None]);
    let requests = server.requests();
    assert_eq!(requests[0].body, requests[1].body);
}

#[test]
fn site_that_refuses_without_a_key_too_is_not_asked_a_third_time() {
    for line in ["team", "search uzaktan"] {
        let server = Server::start([refusal(), refusal()]);
        let outcome = Tool::asking(&server.url()).run(line);
        assert_eq!((outcome.exit, outcome.data.len()), (Exit::Authentication, 0), "{line}");
        assert!(outcome.notes.starts_with(&note(&server)), "{line}: {}", outcome.notes);
        assert!(outcome.notes.contains("Resolution of invalid_api_key."), "{line}: {}", outcome.notes);
        assert!(!outcome.notes.contains("--api-key"), "no key was sent: {}", outcome.notes);
        assert_eq!(server.requests().len(), 2, "{line}");
    }
}

#[test]
fn key_that_was_given_is_not_left_out() {
    for key in ["ak_other", SANDBOX_KEY] {
        let server = Server::start([refusal()]);
        let outcome = Tool::asking(&server.url()).with("MECELLE_API_KEY", key).run("team");
        assert_eq!((outcome.exit, server.requests().len()), (Exit::Authentication, 1), "{key}");
    }
}

#[test]
fn stored_answers_serve_there_as_everywhere() {
    let server = Server::start([refusal()]);
    let tool = Tool::asking(&server.url());
    let first = tool.run("team");
    server.then(refusal());
    assert!(tool.run("team").data == first.data);
    let tags: Vec<_> = server.requests().iter().map(|request| request.fields.contains_key("if-none-match")).collect();
    assert_eq!(tags, [false, false, true, true]);
    let outcome = tool.run("team --offline");
    assert!(outcome.exit == Exit::Success && outcome.data == first.data, "{}", outcome.notes);
    assert!(outcome.notes.starts_with("offline: "), "{}", outcome.notes);
    server.then(refusal());
    server.then(refusal());
    let outcome = tool.run("team");
    assert_eq!((outcome.exit, outcome.data.len()), (Exit::Authentication, 0), "a refusal is not hidden");
}

#[test]
fn whoami_says_that_the_key_is_refused() {
    let server = Server::start([refusal(), Reply::Good, refusal()]);
    let tool = Tool::asking(&server.url());
    let outcome = tool.run("whoami");
    assert_eq!((outcome.exit, &outcome.notes), (Exit::Success, &note(&server)));
    let said: Value = serde_json::from_str(outcome.text()).unwrap();
    assert_eq!((&said["key"], &said["valid"]), (&"sandbox".into(), &false.into()));
    let table = tool.on_screen(80).with("NO_COLOR", "1").run("whoami");
    assert!(table.text().contains("the published sandbox key"), "{}", table.text());
    assert!(table.text().contains("no, and not needed"), "{}", table.text());
}
