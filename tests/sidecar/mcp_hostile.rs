//! Requests of hostile clients to the MCP endpoint: each gets its code and status.

use std::num::NonZeroU32;

use contract::mcp::{limits, meta};
use serde_json::{Value, json};
use sidecar::{Clock, EdgeSecret, LimitSettings, Network};
use tests::{
    Firm as _, KEY, Reply, SITE,
    mcp::{NEW, legacy, message, modern, modern_parts},
};

use crate::{
    Site,
    mcp_site::{build, post, request, serve_build, status_and_code},
};

const PING: &[u8] = br#"{"jsonrpc":"2.0","id":7,"method":"ping"}"#;

#[test]
fn body_that_is_not_a_message_is_refused_with_its_code() {
    let site = serve_build();
    let deep = format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\",\"params\":{{\"a\":{}1{}}}}}",
        "[".repeat(100),
        "]".repeat(100)
    );
    let very_deep = "[".repeat(200_000);
    for (body, code) in [
        (&b""[..], -32700),
        (b"{", -32700),
        (b"nonsense", -32700),
        (b"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\",}", -32700),
        (b"\xff\xfe{}", -32700),
        (b"{\"jsonrpc\":\"2.0\",\"id\":\"\xc3\",\"method\":\"ping\"}", -32700),
        (b"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"\x01\"}", -32700),
        (b"\xef\xbb\xbf{}", -32700),
        (b"<html></html>", -32700),
        (deep.as_bytes(), -32700),
        (very_deep.as_bytes(), -32700),
        (b"7", -32600),
        (b"null", -32600),
        (b"\"ping\"", -32600),
        (b"{}", -32600),
        (b"{\"id\":7,\"method\":\"ping\"}", -32600),
        (b"{\"jsonrpc\":\"1.0\",\"id\":7,\"method\":\"ping\"}", -32600),
        (b"{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}", -32600),
        (b"{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"ping\"}", -32600),
        (b"{\"jsonrpc\":\"2.0\",\"id\":true,\"method\":\"ping\"}", -32600),
        (b"{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"ping\"}", -32600),
        (b"{\"jsonrpc\":\"2.0\",\"id\":[7],\"method\":\"ping\"}", -32600),
        (b"{\"jsonrpc\":\"2.0\",\"id\":7}", -32600),
        (b"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":7}", -32600),
        (b"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\",\"params\":[]}", -32600),
        (b"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\",\"params\":\"x\"}", -32600),
        (b"{\"jsonrpc\":\"2.0\",\"id\":7,\"id\":8,\"method\":\"ping\"}", -32600),
        (b"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\",\"method\":\"tools/list\"}", -32600),
    ] {
        let reply = post(&site, &[], body);
        let excerpt = String::from_utf8_lossy(&body[..body.len().min(80)]).into_owned();
        assert_eq!(status_and_code(&reply), (400, Some(code)), "{excerpt}");
        assert_eq!(
            (reply.header("content-type"), reply.header("cache-control")),
            (Some("application/json"), Some("no-store"))
        );
        let answer: Value = serde_json::from_slice(&reply.body).unwrap();
        assert_ne!(answer.get("id"), Some(&Value::Null), "an identifier that was not read is left out");
    }
    assert_eq!(post(&site, &[], PING).status, 200);
}

/// Every revision, by its header field, and its answer to an unknown method or resource.
const REVISIONS: [(&str, u16, i64); 6] = [
    ("-", 200, -32002),
    ("2024-11-05", 200, -32002),
    ("2025-03-26", 200, -32002),
    ("2025-06-18", 200, -32002),
    ("2025-11-25", 200, -32002),
    (NEW, 404, -32602),
];

/// Sends a request in a revision, with all fields that the newest one requires.
fn send_in_revision(site: &Site, revision: &str, method: &str, params: Value) -> Reply {
    if revision == NEW {
        return modern(site, method, params);
    }
    post(site, &[&format!("MCP-Protocol-Version: {revision}")], message(method, &params))
}

#[test]
fn errors_get_their_code_and_status_in_every_revision() {
    let site = serve_build();
    let big = format!("{{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\",\"params\":{{\"a\":{}", "[".repeat(90_000));
    for (revision, unknown_method, unknown_resource) in REVISIONS {
        let version = format!("MCP-Protocol-Version: {revision}");
        for (body, code) in [
            (&b"{"[..], -32700),
            (b"\xff", -32700),
            (big.as_bytes(), -32700),
            (b"5", -32600),
            (b"[]", -32600),
            (b"[[]]", if ["-", "2025-03-26"].contains(&revision) { 0 } else { -32600 }),
            (b"{\"jsonrpc\":\"1.0\",\"id\":7,\"method\":\"ping\"}", -32600),
            (b"{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}", -32600),
            (b"{\"jsonrpc\":\"2.0\",\"id\":1.0,\"method\":\"ping\"}", -32600),
            (b"{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"ping\"}", -32600),
            (b"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":null}", -32600),
            (b"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\",\"params\":[1]}", -32600),
        ] {
            let excerpt = String::from_utf8_lossy(&body[..body.len().min(60)]).into_owned();
            let reply = post(&site, &[&version], body);
            // In revisions with batches, an array is answered with an array.
            let expected = if code == 0 { (200, None) } else { (400, Some(code)) };
            assert_eq!(status_and_code(&reply), expected, "{revision}: {excerpt}");
            assert_eq!(reply.header("content-type"), Some("application/json"), "{revision}: {excerpt}");
        }
        let method = send_in_revision(&site, revision, "nothing/at-all", json!({}));
        assert_eq!(status_and_code(&method), (unknown_method, Some(-32601)), "{revision}");
        let uri = format!("{SITE}/nothing.md");
        let resource = send_in_revision(&site, revision, "resources/read", json!({ "uri": uri }));
        assert_eq!(status_and_code(&resource), (200, Some(unknown_resource)), "{revision}");
        for (method, params) in [
            ("tools/call", json!({ "name": "nothing" })),
            ("tools/call", json!({ "name": "get_prepared", "arguments": 7 })),
            ("prompts/get", json!({ "name": "nothing" })),
            ("resources/list", json!({ "cursor": "x" })),
            ("resources/list", json!({ "cursor": [] })),
            ("tools/list", json!({ "cursor": "x" })),
            ("completion/complete", json!({ "ref": 5, "argument": "x" })),
        ] {
            let reply = send_in_revision(&site, revision, method, params.clone());
            assert_eq!(status_and_code(&reply), (200, Some(-32602)), "{revision}: {method} {params}");
        }
        let wrong = json!({ "name": "get_page_markdown", "arguments": { "url": {}, "max_chars": "all" } });
        let reply = send_in_revision(&site, revision, "tools/call", wrong);
        assert_eq!(status_and_code(&reply), (200, None), "{revision}");
        assert!(reply.as_text().contains("\"isError\":true"), "{revision}: {}", reply.as_text());
    }
    assert_eq!(post(&site, &[], PING).status, 200);
}

#[test]
fn identifiers_come_back_byte_for_byte() {
    let site = serve_build();
    let long = format!("\"{}\"", "ı".repeat(50_000));
    let number = "9".repeat(1_000);
    for id in ["0", "-1", &number, "\"\"", "\"\\u0131\\/\\\"\"", "\"\u{2028}<script>\"", &long] {
        for (method, key) in [("ping", "result"), ("nothing", "error")] {
            let reply =
                post(&site, &[], format!("{{\"jsonrpc\":\"2.0\",\"id\": {id} ,\"method\":\"{method}\"}}").as_bytes());
            let start = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"{key}\":");
            assert!(reply.as_text().starts_with(&start), "{}", &reply.as_text()[..reply.as_text().len().min(100)]);
        }
    }
}

#[test]
fn malformed_metadata_of_the_newest_revision_is_refused() {
    let site = serve_build();
    let version = format!("MCP-Protocol-Version: {NEW}");
    let lines = [version.as_str(), "Mcp-Method: tools/list"];
    for params in [
        json!({}),
        json!({ "_meta": {} }),
        json!({ "_meta": 5 }),
        json!({ "_meta": { meta::PROTOCOL_VERSION: 5, meta::CLIENT_CAPABILITIES: {} } }),
        json!({ "_meta": { meta::PROTOCOL_VERSION: NEW } }),
        json!({ "_meta": { meta::PROTOCOL_VERSION: NEW, meta::CLIENT_CAPABILITIES: [] } }),
    ] {
        assert_eq!(
            status_and_code(&post(&site, &lines, message("tools/list", &params))),
            (400, Some(-32602)),
            "{params}"
        );
    }
    let twice = format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/list\",\"params\":{{\"_meta\":{{\"{0}\":\"{NEW}\",\"{0}\":\"{NEW}\"}}}}}}",
        meta::PROTOCOL_VERSION
    );
    let reply = post(&site, &lines, twice.as_bytes());
    assert_eq!(status_and_code(&reply), (400, Some(-32602)));
    assert!(reply.as_text().contains("a member of `_meta` stands twice"), "{}", reply.as_text());
    let twice = br#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"fetch","name":"search"}}"#;
    let reply = post(&site, &[], twice);
    assert_eq!(status_and_code(&reply), (400, Some(-32602)));
    assert!(reply.as_text().contains("a member of `params` stands twice"), "{}", reply.as_text());
}

#[test]
fn unpaired_surrogate_is_refused() {
    let site = serve_build();
    for (body, code) in [
        (r#"{"jsonrpc":"2.0","id":7,"method":"ping","params":{"\ud800":1}}"#, -32700),
        (r#"{"jsonrpc":"2.0","id":7,"method":"ping","params":{"_meta":{"\udfff":1}}}"#, -32700),
        (r#"{"jsonrpc":"2.0","id":7,"method":"ping","\ud800":1}"#, -32700),
        (r#"{"jsonrpc":"2.0","id":"\ud800","method":"ping"}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":7,"method":"\ud800"}"#, -32600),
    ] {
        let reply = post(&site, &[], body.as_bytes());
        assert_eq!(status_and_code(&reply), (400, Some(code)), "{body}: {}", reply.as_text());
        assert!(!reply.as_text().contains("\\ud"), "{}", reply.as_text());
    }
    let array = br#"[{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{"\ud800":1}}]"#;
    let answers: Value = serde_json::from_slice(&post(&site, &[], array).body).unwrap();
    assert_eq!((&answers[0]["id"], &answers[0]["error"]["code"]), (&json!(7), &json!(-32700)));
    let body = br#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"search","arguments":{"\ud800":1}}}"#;
    let reply = post(&site, &[], body);
    assert!(reply.as_text().contains("half of a surrogate pair"), "{}", reply.as_text());
}

#[test]
fn header_fields_that_differ_from_the_body_are_refused() {
    let site = serve_build();
    let (lines, body) = modern_parts("tools/call", json!({ "name": "get_prepared" }));
    let ask = |replace: usize, with: &[&str]| {
        let mut chosen: Vec<&str> = lines.iter().map(String::as_str).collect();
        chosen.splice(replace..=replace, with.iter().copied());
        status_and_code(&post(&site, &chosen, &body))
    };
    assert_eq!(ask(2, &[&lines[2]]), (200, None));
    assert_eq!(ask(2, &["mcp-NAME:   =?base64?Z2V0X3ByZXBhcmVk?=  "]), (200, None));
    for (place, with) in [
        (0, &[][..]),
        (0, &["MCP-Protocol-Version: 2025-11-25"]),
        (0, &["MCP-Protocol-Version: 2026-07-28", "MCP-Protocol-Version: 2026-07-28"]),
        (1, &[]),
        (1, &["Mcp-Method: Tools/call"]),
        (1, &["Mcp-Method: tools/list"]),
        (1, &["Mcp-Method: tools/call", "Mcp-Method: tools/call"]),
        (2, &[]),
        (2, &["Mcp-Name: fetch"]),
        (2, &["Mcp-Name: "]),
        (2, &["Mcp-Name: get_prepared", "Mcp-Name: fetch"]),
        (2, &["Mcp-Name: =?base64?Z2V0X3ByZXBhcmVkIQ==?="]),
        (2, &["Mcp-Name: =?base64?nonsense!?="]),
        (2, &["Mcp-Name: =?base64?Z2V0X3ByZXBhcmVk"]),
    ] {
        assert_eq!(ask(place, with), (400, Some(-32020)), "{place} {with:?}");
    }
    for (method, params) in [
        ("tools/call", json!({})),
        ("tools/call", json!({ "name": 5 })),
        ("tools/call", json!({ "name": null })),
        ("resources/read", json!({ "uri": ["get_prepared"] })),
        ("prompts/get", json!({})),
    ] {
        let (mut lines, body) = modern_parts(method, params.clone());
        lines.push("Mcp-Name: get_prepared".to_owned());
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        assert_eq!(status_and_code(&post(&site, &lines, &body)), (400, Some(-32020)), "{method} {params}");
    }
}

#[test]
fn unknown_revision_is_answered_with_the_known_ones() {
    let site = serve_build();
    let params = json!({ "_meta": { meta::PROTOCOL_VERSION: "2099-01-01", meta::CLIENT_CAPABILITIES: {} } });
    let modern =
        post(&site, &["MCP-Protocol-Version: 2099-01-01", "Mcp-Method: tools/list"], message("tools/list", &params));
    let old = post(&site, &["MCP-Protocol-Version: 2024-01-01"], message("tools/list", &json!({})));
    for (reply, requested) in [(modern, "2099-01-01"), (old, "2024-01-01")] {
        assert_eq!(status_and_code(&reply), (400, Some(-32022)));
        let body: Value = serde_json::from_slice(&reply.body).unwrap();
        assert_eq!(body["id"], 7);
        assert_eq!(body["error"]["data"]["requested"], requested);
        assert_eq!(body["error"]["data"]["supported"], json!([NEW, "2025-11-25", "2025-06-18", "2025-03-26"]));
    }
    for value in ["", "nonsense", "\u{130}", "2025-11-25 ", "\"2025-11-25\""] {
        let reply = post(&site, &[&format!("MCP-Protocol-Version: {value}")], PING);
        let expected = if value.trim() == "2025-11-25" { (200, None) } else { (400, Some(-32022)) };
        assert_eq!(status_and_code(&reply), expected, "{value}");
    }
    let twice = post(&site, &["MCP-Protocol-Version: 2025-11-25", "MCP-Protocol-Version: 2025-11-25"], PING);
    assert_eq!(status_and_code(&twice), (400, Some(-32020)));
}

#[test]
fn wrong_parameters_are_json_rpc_errors() {
    let site = serve_build();
    for (method, params) in [
        ("tools/call", json!({})),
        ("tools/call", json!({ "name": 5 })),
        ("tools/call", json!({ "name": "nothing" })),
        ("tools/call", json!({ "name": "get_prepared", "arguments": [] })),
        ("tools/call", json!({ "name": "get_prepared", "arguments": "x" })),
        ("resources/read", json!({})),
        ("prompts/get", json!({})),
        ("prompts/get", json!({ "name": "ask", "arguments": 5 })),
        ("prompts/list", json!({ "cursor": "x" })),
    ] {
        assert_eq!(status_and_code(&legacy(&site, method, &params)), (200, Some(-32602)), "{method} {params}");
        let (lines, body) = modern_parts(method, params.clone());
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        assert_eq!(status_and_code(&post(&site, &lines, &body)), (200, Some(-32602)), "{method} {params}");
    }
    let twice = br#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"get_prepared","arguments":{"locale":"en","locale":"tr"}}}"#;
    let reply = post(&site, &[], twice);
    assert_eq!(reply.status, 200);
    assert!(reply.as_text().contains("\"isError\":true"), "{}", reply.as_text());
}

#[test]
fn media_types_are_read_leniently() {
    let site = serve_build();
    for accept in [
        "Accept: -",
        "Accept: */*",
        "Accept: application/json",
        "Accept: application/*;q=0.1",
        "Accept: application/json, text/event-stream",
        "Accept: text/event-stream, */*;q=0.1",
        "Accept: ",
        "Accept: nonsense",
    ] {
        assert_eq!(post(&site, &[accept], PING).status, 200, "{accept}");
    }
    for accept in ["Accept: text/event-stream", "Accept: text/html", "Accept: application/json;q=0"] {
        let reply = post(&site, &[accept], PING);
        assert_eq!((reply.status, reply.error_code().as_str()), (406, "not_acceptable"), "{accept}");
        assert!(reply.json()["resolution"].as_str().unwrap().contains("`Accept: application/json`"), "{accept}");
    }
    for kind in ["Content-Type: application/json; charset=utf-8", "Content-Type: Application/JSON"] {
        assert_eq!(post(&site, &[kind], PING).status, 200, "{kind}");
    }
    for kind in ["Content-Type: text/plain", "Content-Type: -", "Content-Type: application/jsonx", "Content-Type: "] {
        let reply = post(&site, &[kind], PING);
        assert_eq!((reply.status, reply.error_code().as_str()), (415, "unsupported_media_type"), "{kind}");
        assert!(reply.json()["resolution"].as_str().unwrap().contains("`Content-Type: application/json`"), "{kind}");
    }
    for plain in ["Content-Encoding: identity", "Content-Encoding: Identity, identity", "Content-Encoding: "] {
        assert_eq!(post(&site, &[plain], PING).status, 200, "{plain}");
    }
    for coded in ["Content-Encoding: gzip", "Content-Encoding: identity, br", "Content-Encoding: unheard-of"] {
        let reply = post(&site, &[coded], PING);
        assert_eq!((reply.status, reply.error_code().as_str()), (415, "unsupported_media_type"), "{coded}");
        assert!(reply.json()["resolution"].as_str().unwrap().contains("`Content-Encoding`"), "{coded}");
        assert_eq!(reply.header("accept-encoding"), Some("identity"), "{coded}");
    }
}

#[test]
fn body_size_is_limited() {
    let site = serve_build();
    let padded = |length: usize| {
        let mut body = PING.to_vec();
        body.resize(length, b' ');
        body
    };
    assert_eq!(post(&site, &[], padded(limits::BODY)).status, 200);
    let reply = post(&site, &[], padded(limits::BODY + 1));
    assert_eq!((reply.status, reply.error_code().as_str()), (413, "payload_too_large"));
    let mut chunked = site.connection();
    let head = b"POST /mcp HTTP/1.1\r\nHost: firm.example\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n";
    chunked.send(head);
    chunked.send(format!("{:x}\r\n", PING.len()).as_bytes());
    chunked.send(&[PING, b"\r\n0\r\n\r\n"].concat());
    assert_eq!(chunked.response(false).unwrap().status, 200);
    let mut endless = site.connection();
    endless.send(head);
    for _ in 0..40 {
        endless.send(&[format!("{:x}\r\n", 8192).into_bytes(), vec![b' '; 8192], b"\r\n".to_vec()].concat());
    }
    assert_eq!(endless.response(false).unwrap().status, 413);
}

#[test]
fn other_methods_are_refused_in_json() {
    let site = serve_build();
    for method in ["GET", "HEAD", "DELETE", "PUT", "PATCH", "TRACE", "OPTIONS"] {
        let mut connection = site.connection();
        connection.send(
            format!("{method} /mcp HTTP/1.1\r\nHost: firm.example\r\nAccept: text/event-stream\r\n\r\n").as_bytes(),
        );
        let reply = connection.response(method == "HEAD").unwrap();
        assert_eq!((reply.status, reply.header("allow")), (405, Some("POST, OPTIONS")), "{method}");
    }
}

#[test]
fn foreign_origin_is_refused_first() {
    let site = serve_build();
    for lines in [
        &["Host: evil.example"][..],
        &["Host: firm.example.evil.example"],
        &["Origin: https://evil.example"],
        &["Origin: null"],
        &["Origin: http://firm.example"],
        &["Origin: https://evil.example", "Authorization: Bearer wrong"],
        &["Host: localhost", "Origin: https://evil.example"],
    ] {
        let reply = post(&site, lines, b"nonsense");
        assert_eq!(status_and_code(&reply), (403, Some(-32600)), "{lines:?}");
        assert!(!reply.as_text().contains("\"id\""));
    }
    for lines in [
        &["Origin: https://firm.example"][..],
        &["Host: 127.0.0.1:9", "Origin: http://localhost:6274"],
        &["Host: localhost:1"],
    ] {
        assert_eq!(post(&site, lines, PING).status, 200, "{lines:?}");
    }
    let preflight = |origin: &str| {
        let mut connection = site.connection();
        connection.send(
            format!(
                "OPTIONS /mcp HTTP/1.1\r\nHost: firm.example\r\nOrigin: {origin}\r\nAccess-Control-Request-Method: POST\r\n\r\n"
            )
            .as_bytes(),
        );
        connection.response(false).unwrap()
    };
    let allowed = preflight(SITE);
    assert_eq!(allowed.status, 204);
    let fields = allowed.header("access-control-allow-headers").unwrap();
    for field in [
        "Content-Type",
        "Authorization",
        "MCP-Protocol-Version",
        "Mcp-Method",
        "Mcp-Name",
        "Mcp-Session-Id",
        "Last-Event-ID",
    ] {
        assert!(fields.contains(field), "{field}");
    }
    assert_eq!(preflight("https://evil.example").status, 403);
}

#[test]
fn absolute_target_determines_the_host() {
    let site = serve_build();
    let judge = |target: &str, host: &str| {
        let request = String::from_utf8(request(&[&format!("Host: {host}")], PING)).unwrap();
        let mut connection = site.connection();
        connection.send(request.replacen("/mcp", target, 1).as_bytes());
        connection.response(false).unwrap().status
    };
    for (target, host, status) in [
        ("/mcp", "evil.example", 403),
        ("http://firm.example/mcp", "evil.example", 200),
        ("https://firm.example:443/mcp", "", 200),
        ("http://evil.example/mcp", "firm.example", 403),
        ("http://firm.example@evil.example/mcp", "firm.example", 403),
        ("http://localhost:1@evil.example/mcp", "localhost", 403),
    ] {
        assert_eq!(judge(target, host), status, "{target} {host}");
    }
}

#[test]
fn configured_origins_and_hosts_are_accepted() {
    let build = build(0);
    let mut config = build.config();
    config.mcp_allowed_origins = vec!["https://app.example".to_owned()];
    config.trusted_proxies = vec![Network::parse("127.0.0.1").unwrap()];
    let site = build.serve_with(config);
    assert_eq!(post(&site, &["Origin: https://app.example", "Host: sidecar:8080"], PING).status, 200);
    assert_eq!(post(&site, &["Origin: https://app.example.evil.example"], PING).status, 403);
}

#[test]
fn any_origin_may_be_allowed_for_requests_without_a_credential() {
    let build = build(0);
    let mut config = build.config();
    config.mcp_allowed_origins = vec!["*".to_owned()];
    let site = build.serve_with(config);
    let other = "Origin: https://elsewhere.example";
    assert_eq!(post(&site, &[other], PING).status, 200);
    assert_eq!(post(&site, &["Origin: null"], PING).status, 200);
    assert_eq!(post(&site, &[other, "Host: elsewhere.example"], PING).status, 403, "the host is still judged");
    for credential in
        [format!("X-Api-Key: {KEY}"), format!("Authorization: Bearer {KEY}"), "Authorization: Basic x".to_owned()]
    {
        assert_eq!(post(&site, &[other, &credential], PING).status, 403, "{credential}");
        assert_ne!(post(&site, &["Origin: https://firm.example", &credential], PING).status, 403, "{credential}");
    }
}

#[test]
fn edge_with_the_secret_may_use_the_name_of_the_sidecar() {
    let build = build(0);
    let mut config = build.config();
    let secret = "0123456789abcdef0123456789abcdef";
    config.edge_secret = EdgeSecret::parse(secret);
    let site = build.serve_with(config);
    for (secret, status) in [(secret, 200), (secret.replace('f', "e").as_str(), 403)] {
        let edge = format!("X-Mecelle-Edge: {secret} 203.0.113.1");
        assert_eq!(post(&site, &["Host: agents.firm.example", &edge], PING).status, status, "{secret}");
    }
}

/// Serves a client `quota` messages a minute, and four with a credential.
fn limited_site(quota: u32) -> Site {
    let build = build(0);
    let mut config = build.config();
    config.limits = LimitSettings {
        mcp_per_minute: NonZeroU32::new(quota).unwrap(),
        mcp_with_credential_per_minute: NonZeroU32::new(4).unwrap(),
        loopback: true,
        ..LimitSettings::default()
    };
    build.serve_by(config, &Clock::manual())
}

/// Returns an array of `count` messages.
fn array(count: usize) -> String {
    format!("[{}]", vec![std::str::from_utf8(PING).unwrap(); count].join(","))
}

#[test]
fn refused_message_and_guessed_credential_count() {
    let site = limited_site(2);
    assert_eq!(post(&site, &[], b"nonsense").status, 400);
    assert_eq!([(); 2].map(|()| post(&site, &[], PING).status), [200, 429]);
    let site = limited_site(3);
    let wrong: Vec<u16> = (0..5).map(|_| post(&site, &["Authorization: Bearer wrong"], PING).status).collect();
    assert_eq!(wrong, [401, 401, 401, 429, 429], "guessing has the bound of strangers");
    assert_eq!(site.get("/en", &[]).status, 200);
}

#[test]
fn batch_counts_as_its_messages() {
    let site = limited_site(6);
    let first = post(&site, &[], array(4).as_bytes());
    assert_eq!((first.status, first.header("ratelimit")), (200, Some("\"mcp\";r=2;t=40")));
    let refused = post(&site, &[], array(4).as_bytes());
    assert_eq!((refused.status, refused.error_code().as_str()), (429, "rate_limited"));
    // A refused batch counts as one request, not as its messages.
    assert_eq!(post(&site, &[], PING).status, 200);
    assert_eq!(post(&site, &[], PING).status, 429);
}

#[test]
fn batch_over_the_limit_is_refused_without_retry_after() {
    let site = limited_site(6);
    let refused = post(&site, &[], array(7).as_bytes());
    assert_eq!((status_and_code(&refused), refused.header("retry-after")), ((400, Some(-32600)), None));
    assert!(refused.as_text().contains("at most 6 messages"), "{}", refused.as_text());
    assert_eq!(refused.header("ratelimit"), Some("\"mcp\";r=5;t=10"), "it counts as one request");
    // Without limits it is accepted.
    assert_eq!(post(&serve_build(), &[], array(7).as_bytes()).status, 200);
}

#[test]
fn connection_serves_messages_one_after_the_other() {
    let site = serve_build();
    let mut connection = site.connection();
    for at in 0..20 {
        let body = if at % 3 == 0 { &b"nonsense"[..] } else { PING };
        connection.send(&request(&[], body));
        assert_eq!(connection.response(false).unwrap().status, if at % 3 == 0 { 400 } else { 200 });
    }
}
