//! Cached answers: revalidated by tag, shown if the host is unreachable, separate per credential.

use std::{fs, time::Duration};

use cli::Exit;

use crate::{
    server::{Reply, Server, fixture, unused_address},
    tool::Tool,
};

fn english_team() -> Vec<u8> {
    fixture("/api/v1/team?locale=en").unwrap()
}

#[test]
fn second_request_has_the_tag_and_prints_the_same_bytes() {
    let server = Server::start([]);
    let tool = Tool::asking(&server.url());
    let (first, second) = (tool.run("team"), tool.run("team"));
    assert!(first.data == english_team() && second.data == english_team());
    let tags: Vec<_> = server.requests().iter().map(|request| request.fields.get("if-none-match").cloned()).collect();
    assert_eq!(tags, [None, Some("\"good\"".to_owned())]);
}

#[test]
fn changed_answer_replaces_the_cached_one() {
    let server = Server::start([]);
    let tool = Tool::asking(&server.url());
    tool.run("team");
    let body = "{\"firm\":\"New\",\"locale\":\"en\",\"count\":0,\"items\":[]}";
    server.then(Reply::body("application/json", body).with("ETag", "\"new\""));
    assert_eq!(tool.run("team").text(), body);
    assert_eq!(tool.run("team --offline").text(), body);
}

#[test]
fn cached_answer_is_shown_with_its_date_when_the_host_is_unreachable() {
    let server = Server::start([]);
    let mut tool = Tool::asking(&server.url());
    tool.run("team");
    tool.later = Duration::from_hours(3);
    for fault in [Reply::Silent, Reply::CutOff { announced: 9, body: Vec::new() }] {
        server.then(fault);
        let outcome = tool.run("team --timeout 0.2 --retries 0");
        assert_eq!(outcome.exit, Exit::Success);
        assert!(outcome.data == english_team());
        let note = "showing the cached answer of Sat, 21 Nov 2026 10:00:00 GMT (3 h ago)\n";
        assert!(outcome.notes.ends_with(note) && outcome.notes.lines().count() == 1, "{}", outcome.notes);
    }
}

#[test]
fn date_of_a_cached_answer_is_that_of_its_revalidation() {
    let server = Server::start([]);
    let mut tool = Tool::asking(&server.url());
    tool.run("team");
    tool.later = Duration::from_hours(3);
    assert!(tool.run("team").data == english_team());
    tool.later = Duration::from_hours(4);
    let note = "offline: showing the cached answer of Sat, 21 Nov 2026 13:00:00 GMT (1 h ago)\n";
    assert_eq!(tool.run("team --offline").notes, note);
}

#[test]
fn error_of_the_server_is_not_hidden_by_the_cache() {
    let server = Server::start([]);
    let tool = Tool::asking(&server.url());
    tool.run("team");
    for (fault, exit) in [
        (Reply::error(404, "not_found"), Exit::NotFound),
        (Reply::error(503, "unavailable"), Exit::Server),
        (Reply::error(403, "insufficient_scope"), Exit::Authentication),
        (Reply::body("text/html", "<p>"), Exit::Failure),
    ] {
        server.then(fault);
        let outcome = tool.run("team --retries 0");
        assert_eq!((outcome.exit, outcome.data.len()), (exit, 0));
    }
    assert!(tool.run("team --offline").data == english_team(), "a fault was stored");
}

#[test]
fn offline_sends_no_request() {
    let server = Server::start([]);
    let tool = Tool::asking(&server.url());
    let outcome = tool.run("team --offline");
    assert_eq!(outcome.exit, Exit::Network);
    assert!(outcome.notes.contains("No answer to this request is cached"), "{}", outcome.notes);
    tool.run("team");
    let outcome = tool.run("team --offline --jq .count");
    assert_eq!(outcome.text(), "6\n");
    assert!(outcome.notes.starts_with("offline: showing the cached answer of Sat, 21 Nov 2026"), "{}", outcome.notes);
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn cache_is_separate_per_credential_and_language() {
    let server = Server::start([]);
    let tool = Tool::asking(&server.url());
    tool.run("team");
    for line in ["team --offline --api-key ak_other", "team --offline --locale tr", "contact --offline"] {
        assert_eq!(tool.run(line).exit, Exit::Network, "{line}");
    }
}

#[test]
fn cache_is_shared_with_and_without_the_sandbox_key() {
    let server = Server::start([]);
    let tool = Tool::asking(&server.url());
    tool.run("team");
    let outcome = tool.run_with(&["team", "--offline", "--api-key", ""]);
    assert_eq!(outcome.exit, Exit::Success, "{}", outcome.notes);
    assert!(outcome.data == english_team());
}

#[test]
fn no_cache_option_neither_reads_nor_writes_the_cache() {
    let server = Server::start([]);
    let tool = Tool::asking(&server.url());
    tool.run("team --no-cache");
    assert!(!tool.cache().exists());
    tool.run("team");
    tool.run("team --no-cache");
    assert_eq!(server.requests().pop().unwrap().fields.get("if-none-match"), None);
    assert_eq!(tool.run("team --no-cache --offline").exit, Exit::Usage);
}

#[test]
fn credential_is_never_cached() {
    let server = Server::start([]);
    let tool = Tool::asking(&server.url()).with("MECELLE_API_KEY", "ak_verysecret");
    tool.run("team");
    let files: Vec<_> = fs::read_dir(tool.cache()).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(files.len(), 1);
    for path in files {
        assert!(!path.to_string_lossy().contains("verysecret"));
        assert!(!String::from_utf8_lossy(&fs::read(path).unwrap()).contains("verysecret"));
    }
}

#[test]
fn cache_folder_that_cannot_be_written_is_no_failure() {
    let server = Server::start([]);
    let tool = Tool::asking(&server.url()).with("MECELLE_CACHE_DIR", "/dev/null/nowhere");
    let outcome = tool.run("team");
    assert_eq!((outcome.exit, outcome.notes.as_str()), (Exit::Success, ""));
    let outcome =
        Tool::asking(&unused_address()).with("MECELLE_CACHE_DIR", "/dev/null/nowhere").run("team --retries 0");
    assert_eq!(outcome.exit, Exit::Network);
}

#[test]
fn health_is_never_read_from_the_cache() {
    let server = Server::start([]);
    let tool = Tool::asking(&server.url());
    assert_eq!(tool.run("health").exit, Exit::Success);
    server.then(Reply::CutOff { announced: 9, body: Vec::new() });
    let outcome = tool.run("health --retries 0");
    assert_eq!((outcome.exit, outcome.data.len()), (Exit::Network, 0), "{}", outcome.notes);
    let outcome = tool.run("health --offline");
    assert_eq!(outcome.exit, Exit::Usage);
    assert!(outcome.notes.contains("cannot be done offline"), "{}", outcome.notes);
}

#[test]
fn no_store_response_is_not_cached() {
    let body = "{\"firm\":\"F\",\"locale\":\"en\",\"count\":0,\"items\":[]}";
    for lines in [&["private, no-store"][..], &["private", "No-Store"], &["no-store", "max-age=60"]] {
        let reply = Reply::body("application/json", body).with("ETag", "\"x\"");
        let server = Server::start([lines.iter().fold(reply, |reply, line| reply.with("Cache-Control", line))]);
        let tool = Tool::asking(&server.url());
        assert_eq!(tool.run("team").text(), body);
        assert_eq!(tool.run("team --offline").exit, Exit::Network, "{lines:?}");
    }
}
