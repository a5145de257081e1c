//! Failures of network and server. Each has a report and an exit code.

use std::time::Duration;

use cli::Exit;

use crate::{
    server::{Reply, Server, unused_address},
    tool::{Outcome, Tool},
};

/// Runs `mecelle team` once against a server that follows `script`.
fn team(script: impl IntoIterator<Item = Reply>, more: &str) -> (Outcome, usize) {
    let server = Server::start(script);
    let outcome = Tool::asking(&server.url()).run(&format!("team {more}"));
    (outcome, server.requests().len())
}

#[track_caller]
fn assert_failure(outcome: &Outcome, exit: Exit, words: &[&str]) {
    assert_eq!(outcome.exit, exit, "{}", outcome.notes);
    assert!(outcome.data.is_empty(), "a failure wrote data");
    assert!(outcome.notes.starts_with("error: "), "{}", outcome.notes);
    for word in words {
        assert!(outcome.notes.contains(word), "{word} is missing in: {}", outcome.notes);
    }
}

#[test]
fn error_report_has_message_resolution_url_request_and_a_next_command() {
    let (outcome, requests) = team([Reply::error(401, "invalid_api_key")], "--api-key ak_other");
    assert_failure(
        &outcome,
        Exit::Authentication,
        &["Message of invalid_api_key.", "Resolution of invalid_api_key.", "/api/v1/team?locale=en", "req-7", "try:"],
    );
    assert_eq!(requests, 1, "a refusal is final");
}

#[test]
fn each_status_has_its_exit_code() {
    for (status, exit) in [
        (400, Exit::Failure),
        (401, Exit::Authentication),
        (403, Exit::Authentication),
        (404, Exit::NotFound),
        (405, Exit::Failure),
        (410, Exit::NotFound),
        (429, Exit::Server),
        (500, Exit::Server),
        (501, Exit::Server),
        (503, Exit::Server),
    ] {
        let (outcome, _) = team([Reply::error(status, "some_code")], "--retries 0 --api-key ak_other");
        assert_failure(&outcome, exit, &["Message of some_code.", &status.to_string()]);
    }
}

#[test]
fn transient_failure_is_retried() {
    for status in [429, 500, 502, 503, 504] {
        let (outcome, requests) = team([Reply::error(status, "passing"), Reply::error(status, "passing")], "");
        assert_eq!((outcome.exit, requests), (Exit::Success, 3), "{status}: {}", outcome.notes);
        assert_eq!(outcome.waited, Duration::from_millis(125 + 250));
    }
}

#[test]
fn retries_stop_at_the_limit() {
    let (outcome, requests) = team(vec![Reply::error(503, "unavailable"); 9], "--retries 3");
    assert_failure(&outcome, Exit::Server, &["Resolution of unavailable."]);
    assert_eq!(requests, 4);
}

#[test]
fn retry_after_is_waited_for() {
    let (outcome, requests) = team([Reply::error(429, "rate_limited").with("Retry-After", "7")], "");
    assert_eq!((outcome.exit, requests, outcome.waited), (Exit::Success, 2, Duration::from_secs(7)));
    assert_eq!(outcome.notes, "waiting 7 s, as the server requires\n");
    let date = "Sat, 21 Nov 2026 10:00:12 GMT";
    let (outcome, _) = team([Reply::error(503, "unavailable").with("Retry-After", date)], "");
    assert_eq!((outcome.exit, outcome.waited), (Exit::Success, Duration::from_secs(12)));
}

#[test]
fn long_retry_after_is_reported_and_not_waited_for() {
    let (outcome, requests) = team([Reply::error(429, "rate_limited").with("Retry-After", "3600")], "");
    assert_failure(&outcome, Exit::Server, &["Message of rate_limited.", "Wait 3600 s,"]);
    assert_eq!((requests, outcome.waited), (1, Duration::ZERO));
}

#[test]
fn silent_server_is_left_after_the_time_out() {
    for fault in [Reply::Silent, Reply::Stalled] {
        let (outcome, requests) = team([fault.clone()], "--timeout 0.2 --retries 0");
        assert_failure(&outcome, Exit::Network, &["within 0.2 s", "--timeout 60"]);
        assert_eq!(requests, 1);
        let (outcome, requests) = team([fault], "--timeout 2");
        assert_eq!((outcome.exit, requests), (Exit::Success, 2), "{}", outcome.notes);
    }
}

#[test]
fn unreachable_host_is_a_network_failure() {
    let outcome = Tool::asking(&unused_address()).run("team");
    assert_failure(&outcome, Exit::Network, &["cannot be reached", "3 attempts", "--base-url"]);
}

#[test]
fn truncated_reply_is_an_error() {
    let whole = br#"{"firm":"F","locale":"en","count":0,"items":[]}"#.to_vec();
    let cut = Reply::CutOff { announced: whole.len() + 1, body: whole };
    let (outcome, requests) = team(vec![cut; 3], "");
    assert_failure(&outcome, Exit::Network, &["middle of the reply"]);
    assert_eq!(requests, 3);
    let chunked = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n";
    let (outcome, _) = team([Reply::Raw(chunked.to_vec())], "--retries 0");
    assert_failure(&outcome, Exit::Network, &["middle of the reply"]);
    let (outcome, _) = team([Reply::Raw(Vec::new())], "--retries 0");
    assert_failure(&outcome, Exit::Network, &["error"]);
}

#[test]
fn response_that_is_no_json_object_is_reported_in_one_line() {
    for (kind, body, words) in [
        ("text/html", "<!doctype html><p>Welcome", ["not JSON", "text/html"]),
        ("application/json", "{\"firm\":\"F\",", ["incomplete JSON", "application/json"]),
        ("application/json", "[1,2]", ["not an object", "application/json"]),
        ("application/json", "", ["not JSON", "0 bytes"]),
    ] {
        let (outcome, requests) = team([Reply::body(kind, body)], "");
        assert_failure(&outcome, Exit::Failure, &words);
        assert!(outcome.notes.contains("MECELLE_BASE_URL"), "{}", outcome.notes);
        assert_eq!(requests, 1);
    }
    let (outcome, _) = team([Reply::Raw(b"SSH-2.0-OpenSSH_9.2\r\n".to_vec())], "--retries 0");
    assert_failure(&outcome, Exit::Network, &["not HTTP"]);
}

#[test]
fn wrong_content_type_of_valid_json_is_accepted() {
    let body = "{\"firm\":\"F\",\"locale\":\"en\",\"count\":0,\"items\":[]}";
    let (outcome, _) = team([Reply::body("application/octet-stream", body)], "");
    assert_eq!((outcome.exit, outcome.text()), (Exit::Success, body));
}

#[test]
fn error_page_without_json_has_the_exit_code_of_its_status() {
    let page =
        Reply::Plain { status: 404, fields: vec![("Content-Type", "text/html".to_owned())], body: b"<h1>No".to_vec() };
    let (outcome, _) = team([page], "");
    assert_failure(&outcome, Exit::NotFound, &["answered 404", "MECELLE_BASE_URL"]);
}

#[test]
fn endless_body_is_rejected() {
    let (outcome, requests) = team([Reply::Endless], "");
    assert_failure(&outcome, Exit::Network, &["larger than 16 MiB"]);
    assert_eq!(requests, 1);
}

#[test]
fn redirect_is_reported_and_the_key_is_not_sent_on() {
    let other = Server::start([]);
    let target = format!("{}/api/v1/team", other.url());
    let (outcome, requests) = team([Reply::error(301, "moved").with("Location", &target)], "");
    assert_failure(
        &outcome,
        Exit::Failure,
        &["redirects to", &format!("mecelle team --base-url {} --api-key ''", other.url())],
    );
    assert_eq!((requests, other.requests().len()), (1, 0));
}

#[test]
fn redirect_suggests_no_post_to_another_host() {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), "eyJ.a.b").unwrap();
    let registered = r#"{"registration_id":"reg_1","credential":"ak_first","claim_token":"clm_1"}"#;
    let assertion = format!("register --assertion {}", file.path().display());
    for line in [assertion.as_str(), "claim --code 123456", "logout --wide", "search remote work"] {
        let moved = Reply::error(307, "moved").with("Location", "https://other.example/agent/auth");
        let server = Server::start([Reply::body("application/json", registered), moved]);
        let tool = Tool::asking(&server.url());
        tool.run("register");
        let outcome = tool.run(line);
        let next = "try: mecelle catalog --base-url https://other.example --api-key ''\n";
        assert!(outcome.notes.ends_with(next), "{line}: {}", outcome.notes);
    }
}

#[test]
fn redirect_of_use_suggests_the_new_host() {
    let server =
        Server::start([Reply::error(301, "moved").with("Location", "https://new.example/api/v1/openapi.json")]);
    let outcome = Tool::asking("").run(&format!("use {}", server.url()));
    assert_failure(&outcome, Exit::Failure, &["redirects to", "try: mecelle use https://new.example\n"]);
}

#[test]
fn registration_is_not_suggested_again_after_a_lost_reply() {
    for fault in [Reply::Silent, Reply::CutOff { announced: 9, body: Vec::new() }] {
        let server = Server::start([fault]);
        let outcome = Tool::asking(&server.url()).run("register --timeout 0.2");
        assert_failure(&outcome, Exit::Network, &["may have registered you", "try: mecelle whoami\n"]);
    }
    let outcome = Tool::asking(&unused_address()).run("register");
    assert_failure(&outcome, Exit::Network, &["cannot be reached", "Check the network"]);
}

#[test]
fn redirect_target_with_shell_characters_is_not_suggested() {
    for target in ["https://x;touch${IFS}owned/", "https://$(id)/", "https://a b/"] {
        let (outcome, _) = team([Reply::error(301, "moved").with("Location", target)], "");
        assert_failure(&outcome, Exit::Failure, &["redirects to"]);
        assert!(!outcome.notes.contains("--base-url"), "{}", outcome.notes);
    }
}

#[test]
fn server_text_has_no_control_characters_on_the_terminal() {
    let body = r#"{"error":"x","message":"\u001b[2J\u001b]0;owned\u0007gone","resolution":"\u009b31m"}"#;
    let fields = vec![("X-Request-Id", "a".to_owned())];
    let (outcome, _) = team([Reply::Plain { status: 400, fields, body: body.as_bytes().to_vec() }], "");
    assert!(!outcome.notes.contains(['\u{1b}', '\u{7}', '\u{9b}']), "{:?}", outcome.notes);
}

#[test]
fn unencrypted_credential_is_warned_about_and_never_repeated() {
    // This machine, but not as a loopback address; nothing listens there.
    let tool = Tool::asking(&unused_address().replace("127.0.0.1", "0.0.0.0")).with("MECELLE_API_KEY", "ak_verysecret");
    let outcome = tool.run("team --retries 0 --timeout 2");
    assert_eq!(outcome.exit, Exit::Network);
    assert!(outcome.notes.contains("in clear"), "{}", outcome.notes);
    assert!(!outcome.notes.contains("verysecret"), "{}", outcome.notes);
    let outcome = tool.run_with(&["team", "--api-key", "very secret"]);
    assert_failure(&outcome, Exit::Usage, &["--api-key"]);
    assert!(!outcome.notes.contains("very secret"), "{}", outcome.notes);
}

#[test]
fn password_in_an_address_is_not_repeated() {
    for text in [
        "https://me:hunter2@firm.example",
        "me:hunter2@firm.example",
        "https://me:hun/ter2@x@firm.example/",
        "me:hunter2@firm.example/?u=https://other.example",
    ] {
        let outcome = Tool::asking(text).run("team");
        assert_failure(&outcome, Exit::Usage, &["MECELLE_BASE_URL", "firm.example"]);
        let line = outcome.notes.lines().next().unwrap();
        assert!(!outcome.notes.contains("hun") && !line.contains("me:"), "{}", outcome.notes);
        let outcome = Tool::asking("").run(&format!("team --base-url {text}"));
        assert!(!outcome.notes.contains("hun"), "{}", outcome.notes);
    }
}

#[test]
fn next_command_is_the_typed_one_with_one_change() {
    let (outcome, _) = team([Reply::Silent], "--locale tr --timeout 0.2 --retries 0");
    assert_failure(&outcome, Exit::Network, &["try: mecelle team --locale tr --retries 0 --timeout 60\n"]);
    let (outcome, _) = team([Reply::error(401, "invalid_api_key")], "-l tr --api-key ak_secret");
    assert_failure(&outcome, Exit::Authentication, &["try: mecelle team -l tr --api-key ''\n"]);
    assert!(!outcome.notes.contains("secret"), "{}", outcome.notes);
    let (outcome, _) = team([], "--offline -o csv");
    assert_failure(&outcome, Exit::Network, &["try: mecelle team -o csv\n"]);
    let server = Server::start([Reply::Silent]);
    let outcome = Tool::asking(&server.url()).run_with(&["search", "remote work", "--timeout=0.2"]);
    assert_failure(&outcome, Exit::Network, &["try: mecelle search 'remote work' --timeout 60\n"]);
}

#[test]
fn pause_without_retry_after_does_not_mention_the_server() {
    let (outcome, _) = team(vec![Reply::error(503, "unavailable"); 5], "--retries 5");
    assert_eq!((outcome.exit, outcome.notes.as_str()), (Exit::Success, "waiting 1 s\nwaiting 2 s\n"));
}

#[test]
fn post_reports_retry_after() {
    let server = Server::start([Reply::error(429, "rate_limited").with("Retry-After", "40")]);
    let outcome = Tool::asking(&server.url()).run("search x");
    assert_failure(&outcome, Exit::Server, &["Wait 40 s,", "try: mecelle search x\n"]);
    assert_eq!((server.requests().len(), outcome.waited), (1, Duration::ZERO));
}

#[test]
fn redirect_within_the_host_is_reported() {
    let (outcome, _) = team([Reply::error(308, "moved").with("Location", "/elsewhere")], "");
    assert_failure(&outcome, Exit::Failure, &["redirects to /elsewhere (308)", "try: mecelle catalog"]);
}

#[test]
fn unencrypted_credential_in_a_post_is_warned_about() {
    let tool = Tool::asking(&unused_address().replace("127.0.0.1", "0.0.0.0"));
    for line in ["register", "search x --api-key ak_verysecret"] {
        let outcome = tool.run(&format!("{line} --timeout 2"));
        assert!(outcome.notes.contains("in clear"), "{line}: {}", outcome.notes);
    }
    assert!(!tool.run("search x --timeout 2").notes.contains("in clear"), "the sandbox key is public");
    let outcome = tool.run_with(&["search", "x", "--api-key", "", "--timeout", "2"]);
    assert!(!outcome.notes.contains("in clear"), "no credential is sent: {}", outcome.notes);
}
