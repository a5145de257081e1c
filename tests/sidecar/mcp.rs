//! The MCP endpoint over real sockets: revisions with and without a handshake.

use contract::{mcp::meta, routes};
use serde_json::{Value, json};
use tests::{
    Firm as _, KEY, SITE, copy_folder,
    mcp::{NEW, legacy, message, modern, modern_parts, result},
};

use crate::mcp_site::{build, post, serve_build, status_and_code};

#[test]
fn handshake_agrees_on_a_revision() {
    let site = serve_build();
    for (requested, agreed) in [
        ("2025-11-25", "2025-11-25"),
        ("2025-06-18", "2025-06-18"),
        ("2025-03-26", "2025-03-26"),
        ("2024-11-05", "2024-11-05"),
        ("2024-10-07", "2025-11-25"),
        (NEW, "2025-11-25"),
        ("", "2025-11-25"),
    ] {
        let params =
            json!({ "protocolVersion": requested, "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } });
        let result = result(&legacy(&site, "initialize", &params));
        assert_eq!(result["protocolVersion"], agreed, "{requested}");
        assert_eq!(result["serverInfo"]["name"], "example.firm/content");
    }
    assert_eq!(status_and_code(&legacy(&site, "initialize", &json!({}))), (200, Some(-32602)));
    let lines = ["MCP-Protocol-Version: 1999-01-01"];
    let body = message("initialize", &json!({ "protocolVersion": "2025-06-18" }));
    assert_eq!(post(&site, &lines, &body).status, 200, "a handshake is there to agree");
}

#[test]
fn newest_revision_needs_no_handshake() {
    let site = serve_build();
    let discovered = result(&modern(&site, "server/discover", json!({})));
    assert_eq!(discovered["supportedVersions"], json!([NEW]));
    for method in ["server/discover", "tools/list", "prompts/list", "resources/list", "resources/templates/list"] {
        let result = result(&modern(&site, method, json!({})));
        assert_eq!((&result["resultType"], &result["cacheScope"]), (&json!("complete"), &json!("public")), "{method}");
        assert!(result["ttlMs"].is_u64());
        assert_eq!(result["_meta"][meta::SERVER_INFO]["name"], "example.firm/content");
    }
    let called = result(&modern(&site, "tools/call", json!({ "name": "get_prepared" })));
    assert_eq!((&called["resultType"], called.get("ttlMs")), (&json!("complete"), None));
}

#[test]
fn results_with_a_handshake_have_no_members_of_later_revisions() {
    let site = serve_build();
    for method in ["tools/list", "prompts/list", "resources/list", "resources/templates/list"] {
        let result = result(&legacy(&site, method, &json!({})));
        assert_eq!(result.as_object().unwrap().len(), 1, "{result}");
    }
    assert_eq!(result(&legacy(&site, "ping", &json!({}))), json!({}));
}

#[test]
fn each_revision_has_its_methods() {
    let site = serve_build();
    for method in ["initialize", "ping", "logging/setLevel", "resources/subscribe", "tools/none", ""] {
        assert_eq!(status_and_code(&modern(&site, method, json!({ "name": "x" }))), (404, Some(-32601)), "{method}");
    }
    for method in ["server/discover", "logging/setLevel", "resources/subscribe", "Tools/list", ""] {
        assert_eq!(status_and_code(&legacy(&site, method, &json!({}))), (200, Some(-32601)), "{method}");
    }
}

#[test]
fn request_may_name_a_revision_with_handshake_in_its_metadata() {
    let site = serve_build();
    let params = json!({ "_meta": { meta::PROTOCOL_VERSION: "2025-11-25" } });
    let reply = post(&site, &["MCP-Protocol-Version: 2025-11-25"], message("tools/list", &params));
    assert_eq!(result(&reply).as_object().unwrap().len(), 1);
}

#[test]
fn structured_results_are_the_bytes_of_the_content_api() {
    let site = serve_build();
    for locale in ["en", "tr"] {
        let list = site.get(&format!("{}?locale={locale}", routes::PRACTICE_AREAS), &[]);
        for reply in [
            legacy(&site, "tools/call", &json!({ "name": "list_things", "arguments": { "locale": locale } })),
            modern(&site, "tools/call", json!({ "name": "list_things", "arguments": { "locale": locale } })),
        ] {
            assert!(
                reply.as_text().contains(&format!("\"structuredContent\":{}", list.as_text())),
                "{}",
                reply.as_text()
            );
            assert_eq!(result(&reply)["content"], json!([{ "type": "text", "text": list.as_text() }]));
        }
    }
    let cut = result(&legacy(&site, "tools/call", &json!({ "name": "list_things", "arguments": { "limit": 2 } })));
    assert_eq!(cut["structuredContent"]["items"].as_array().unwrap().len(), 2);
    assert_eq!(
        (&cut["structuredContent"]["truncated"], &cut["structuredContent"]["next_offset"]),
        (&json!(true), &json!(2))
    );
}

#[test]
fn page_is_read_by_any_of_its_addresses() {
    let site = serve_build();
    let twin = site.get("/tr/hakkimizda.md", &[]);
    for url in [
        "/tr/hakkimizda",
        "tr/hakkimizda",
        "/tr/hakkimizda/",
        "/tr/hakkimizda.md",
        "https://firm.example/tr/hakkimizda?utm=x#top",
        "/tr/hakkimizda?from=https://chat.example/c",
        "tr/hakkimizda#https://chat.example",
        "https://firm.example/tr/hakkimizda?from=https://chat.example",
        "HTTPS://FIRM.EXAMPLE/tr/hakkimizda",
        "/tr/hakk%69mizda",
    ] {
        let reply = legacy(&site, "tools/call", &json!({ "name": "get_page_markdown", "arguments": { "url": url } }));
        let result = result(&reply);
        assert_eq!(result["content"][0]["text"], twin.as_text(), "{url}");
        assert_eq!(result["structuredContent"]["url"], format!("{SITE}/tr/hakkimizda"));
        assert_eq!(result["structuredContent"]["truncated"], false);
    }
    let redirected =
        legacy(&site, "tools/call", &json!({ "name": "get_page_markdown", "arguments": { "url": "/en/former" } }));
    assert_eq!(result(&redirected)["structuredContent"]["url"], format!("{SITE}/en/about"));
    let arguments = json!({ "url": "/en", "locale": "tr" });
    let translated = legacy(&site, "tools/call", &json!({ "name": "get_page_markdown", "arguments": arguments }));
    assert_eq!(result(&translated)["structuredContent"]["locale"], "tr");
}

#[test]
fn argument_errors_are_tool_results() {
    let site = serve_build();
    for (name, arguments, message) in [
        ("get_page_markdown", json!({ "url": "https://elsewhere.example/en" }), "Only pages of https://firm.example"),
        ("get_page_markdown", json!({ "url": "/en", "path": "/tr" }), "`url` and `path` stand for the same"),
        ("get_page_markdown", json!({ "url": "//elsewhere.example/en" }), "Only pages of https://firm.example"),
        ("get_page_markdown", json!({ "url": "https://firm.example.evil.example/" }), "Only pages of"),
        ("get_page_markdown", json!({ "url": "/en/nothing" }), "There is no page at `/en/nothing`"),
        ("get_page_markdown", json!({ "url": "https://firm.example/en/llms.txt" }), "is read over HTTP only"),
        ("get_page_markdown", json!({ "url": "/llms-full.txt" }), "The `list_` tools"),
        ("get_page_markdown", json!({ "url": "/en/about", "locale": "tr" }), "exists in `en` only"),
        ("get_page_markdown", json!({}), "`url` is missing"),
        ("get_page_markdown", json!({ "url": [5], "offset": -1 }), "`url` must be a text"),
        ("get_page_markdown", json!({ "url": "/en", "offset": 9_999 }), "`offset` must be a whole number from 0 to 7"),
        ("fetch", json!({ "id": "nothing" }), "no document with the id `nothing`"),
        ("list_things", json!({ "locale": "English" }), "`locale` must be `en` or `tr`, not \"English\""),
        ("search", json!({ "query": " " }), "`query` must be a text of 1 to 400 characters"),
        ("search", json!({ "query": "x", "limit": 51 }), "`limit` must be a whole number from 1 to 50"),
        ("get_prepared", json!({ "locale": ["en"] }), "`locale` must be"),
    ] {
        let reply = legacy(&site, "tools/call", &json!({ "name": name, "arguments": arguments }));
        let result = result(&reply);
        assert_eq!(result["isError"], true, "{name} {arguments}");
        let text = result["content"][0]["text"].as_str().unwrap();
        assert!(text.contains(message), "{name} {arguments}: {text}");
    }
    let unknown = json!({ "name": "get_prepared", "arguments": { "further": 1, "locale": null } });
    let named = result(&legacy(&site, "tools/call", &unknown));
    assert_eq!(
        (named.get("isError"), &named["structuredContent"]),
        (None, &json!({ "in": "en", "ignored_arguments": ["further"] }))
    );
}

#[test]
fn document_is_the_same_object_as_text_and_as_structure() {
    let site = serve_build();
    let reply = legacy(&site, "tools/call", &json!({ "name": "fetch", "arguments": { "id": "/tr/hakkimizda" } }));
    let result = result(&reply);
    let object: Value = serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(object, result["structuredContent"]);
    assert_eq!(object["id"], "/tr/hakkimizda");
    assert_eq!(object["text"], site.get("/tr/hakkimizda.md", &[]).as_text());
    assert_eq!(result["content"].as_array().unwrap().len(), 1);
}

#[test]
fn resource_cursors_are_bound_to_the_build() {
    let site = build(230).serve();
    let (mut cursor, mut seen) = (None::<Value>, Vec::new());
    loop {
        let params = cursor.take().map_or_else(|| json!({}), |cursor| json!({ "cursor": cursor }));
        let page = result(&legacy(&site, "resources/list", &params));
        let listed = page["resources"].as_array().unwrap();
        assert!(listed.len() <= 100);
        seen.extend(listed.iter().map(|resource| resource["uri"].as_str().unwrap().to_owned()));
        for resource in listed {
            let Some(path) = resource["uri"].as_str().unwrap().strip_prefix(SITE) else {
                assert!(resource["uri"].as_str().unwrap().starts_with("skill://"), "{resource}");
                continue;
            };
            assert_eq!(site.get(path, &[]).body.len() as u64, resource["size"].as_u64().unwrap(), "{path}");
        }
        match page.get("nextCursor") {
            Some(next) => cursor = Some(next.clone()),
            None => break,
        }
    }
    assert_eq!(seen.len(), 233);
    for cursor in [json!("0123456789abcdef-100"), json!("100"), json!(""), json!(7), json!({})] {
        assert_eq!(
            status_and_code(&legacy(&site, "resources/list", &json!({ "cursor": cursor }))),
            (200, Some(-32602)),
            "{cursor}"
        );
        assert_eq!(status_and_code(&modern(&site, "resources/list", json!({ "cursor": cursor }))), (200, Some(-32602)));
        assert_eq!(status_and_code(&modern(&site, "tools/list", json!({ "cursor": cursor }))), (200, Some(-32602)));
    }
}

#[test]
fn resource_has_the_bytes_of_its_address() {
    let site = serve_build();
    let uri = format!("{SITE}/tr/hakkimizda.md");
    for reply in [
        legacy(&site, "resources/read", &json!({ "uri": uri })),
        modern(&site, "resources/read", json!({ "uri": uri })),
    ] {
        let contents = &result(&reply)["contents"];
        assert_eq!(
            contents,
            &json!([{ "uri": uri, "mimeType": "text/markdown", "text": site.get("/tr/hakkimizda.md", &[]).as_text() }])
        );
    }
    for uri in ["https://firm.example/nothing.md", "https://firm.example/en", "file:///etc/passwd", "", "\u{130}"] {
        let old = legacy(&site, "resources/read", &json!({ "uri": uri }));
        assert_eq!(status_and_code(&old), (200, Some(-32002)), "{uri}");
        let body: Value = serde_json::from_slice(&old.body).unwrap();
        assert_eq!(body["error"]["data"]["uri"], uri);
        if !uri.is_empty() && uri.is_ascii() {
            assert_eq!(status_and_code(&modern(&site, "resources/read", json!({ "uri": uri }))), (200, Some(-32602)));
        }
    }
    assert_eq!(status_and_code(&legacy(&site, "resources/read", &json!({ "uri": 5 }))), (200, Some(-32602)));
}

#[test]
fn prompts_are_in_the_requested_language() {
    let site = serve_build();
    let ask = |arguments: Value| legacy(&site, "prompts/get", &json!({ "name": "ask", "arguments": arguments }));
    let result = result(&ask(json!({ "matter": "\"{matter}\" \\ ı", "locale": "tr" })));
    assert_eq!(result["description"], "Sorar");
    assert_eq!(
        result["messages"],
        json!([{ "role": "user", "content": { "type": "text", "text": "Konu: \"{matter}\" \\ ı" } }])
    );
    for arguments in [
        json!({}),
        json!({ "matter": 5 }),
        json!({ "matter": " " }),
        json!({ "matter": "x", "locale": "de" }),
        json!([]),
    ] {
        assert_eq!(status_and_code(&ask(arguments.clone())), (200, Some(-32602)), "{arguments}");
    }
    assert_eq!(status_and_code(&legacy(&site, "prompts/get", &json!({ "name": "none" }))), (200, Some(-32602)));
}

#[test]
fn completion_suggests_values_of_the_site() {
    let site = build(120).serve();
    let complete = |reference: Value, name: &str, value: &str, context: Value| {
        let params = json!({
            "ref": reference, "argument": { "name": name, "value": value }, "context": { "arguments": context },
        });
        result(&legacy(&site, "completion/complete", &params))["completion"].clone()
    };
    let prompt = || json!({ "type": "ref/prompt", "name": "ask" });
    assert_eq!(complete(prompt(), "matter", "is", json!({}))["values"], json!(["Islands", "İş hukuku"]));
    assert_eq!(complete(prompt(), "matter", "is", json!({ "locale": "tr" }))["values"], json!(["İş hukuku"]));
    let person = complete(prompt(), "matter", "esma", json!({}));
    assert_eq!((&person["values"], &person["total"]), (&json!(["Esma Işık"]), &json!(1)), "the same in both languages");
    assert_eq!(complete(prompt(), "locale", "t", json!({}))["values"], json!(["tr"]));
    let template = || json!({ "type": "ref/resource", "uri": format!("{SITE}/{{locale}}/{{section}}/{{slug}}.md") });
    assert_eq!(complete(template(), "section", "", json!({ "locale": "en" }))["values"], json!(["notes"]));
    let slugs = complete(template(), "slug", "note-", json!({ "locale": "en", "section": "notes" }));
    assert_eq!(
        (slugs["values"].as_array().unwrap().len(), &slugs["total"], &slugs["hasMore"]),
        (100, &json!(120), &json!(true))
    );
    assert_eq!(complete(template(), "slug", "note-", json!({ "locale": "tr" }))["total"], 0);
    assert_eq!(complete(json!({ "type": "ref/prompt", "name": "none" }), "x", "", json!({}))["total"], 0);
    for params in [
        json!({}),
        json!({ "ref": prompt() }),
        json!({ "ref": 1, "argument": {} }),
        json!({ "ref": { "type": "x" }, "argument": { "name": "a", "value": "b" } }),
    ] {
        assert_eq!(status_and_code(&legacy(&site, "completion/complete", &params)), (200, Some(-32602)), "{params}");
    }
}

#[test]
fn batches_are_accepted_in_one_revision_only() {
    let site = serve_build();
    let body = json!([
        { "jsonrpc": "2.0", "id": 1, "method": "ping" },
        { "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 1 } },
        { "jsonrpc": "2.0", "id": "b", "method": "initialize", "params": { "protocolVersion": "2025-03-26" } },
        { "jsonrpc": "2.0", "id": "c", "method": "nothing" },
        { "jsonrpc": "2.0", "id": null, "method": "ping" },
        7,
    ]);
    for lines in [&[][..], &["MCP-Protocol-Version: 2025-03-26"]] {
        let reply = post(&site, lines, body.to_string().as_bytes());
        assert_eq!(reply.status, 200);
        let answers: Value = serde_json::from_slice(&reply.body).unwrap();
        let codes: Vec<_> =
            answers.as_array().unwrap().iter().map(|it| (it.get("id"), it["error"]["code"].as_i64())).collect();
        let expected = [
            (Some(&json!(1)), None),
            (Some(&json!("b")), Some(-32600)),
            (Some(&json!("c")), Some(-32601)),
            (None, Some(-32600)),
            (None, Some(-32600)),
        ];
        assert_eq!(codes, expected);
    }
    for revision in ["2025-06-18", "2025-11-25", NEW] {
        let reply = post(&site, &[&format!("MCP-Protocol-Version: {revision}")], body.to_string().as_bytes());
        assert_eq!(status_and_code(&reply), (400, Some(-32600)), "{revision}");
    }
    assert_eq!(status_and_code(&post(&site, &[], b"[]")), (400, Some(-32600)));
    let quiet = json!([{ "jsonrpc": "2.0", "method": "notifications/initialized" }]);
    let reply = post(&site, &[], quiet.to_string().as_bytes());
    assert_eq!((reply.status, reply.body.len(), reply.header("content-type")), (202, 0, None));
    let ping = json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" });
    assert_eq!(post(&site, &[], json!(vec![ping.clone(); 50]).to_string().as_bytes()).status, 200);
    assert_eq!(status_and_code(&post(&site, &[], json!(vec![ping; 51]).to_string().as_bytes())), (400, Some(-32600)));
}

#[test]
fn notifications_are_accepted() {
    let site = serve_build();
    let body = br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    for lines in [&[][..], &["MCP-Protocol-Version: 2025-06-18"], &["MCP-Protocol-Version: 2026-07-28"]] {
        let reply = post(&site, lines, body);
        assert_eq!((reply.status, reply.body.len()), (202, 0), "{lines:?}");
    }
    assert_eq!(status_and_code(&post(&site, &["MCP-Protocol-Version: 1"], body)), (400, Some(-32022)));
    let response = br#"{"jsonrpc":"2.0","id":1,"result":{}}"#;
    assert_eq!(post(&site, &[], response).status, 202);
    assert_eq!(status_and_code(&post(&site, &["MCP-Protocol-Version: 2026-07-28"], response)), (400, Some(-32600)));
}

#[test]
fn credential_is_checked_before_the_body_is_read() {
    let site = serve_build();
    let body = message("ping", &json!({})).into_bytes();
    for line in
        [format!("Authorization: Bearer {KEY}"), format!("authorization: BEARER {KEY}"), format!("X-Api-Key: {KEY}")]
    {
        assert_eq!(post(&site, &[&line], &body).status, 200, "{line}");
    }
    for line in ["Authorization: Bearer wrong", "Authorization: Basic x", "Authorization: Basic", "X-Api-Key: wrong"] {
        for body in [&body[..], b"nonsense", b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}"] {
            let reply = post(&site, &[line], body);
            assert_eq!((reply.status, reply.error_code().as_str()), (401, "invalid_api_key"), "{line}");
            let challenge = reply.header("www-authenticate").unwrap();
            // The build offers nothing, so it has no metadata for this path.
            let metadata = format!("Bearer resource_metadata=\"{SITE}{}\"", routes::PROTECTED_RESOURCE);
            assert!(challenge.starts_with(&metadata) && challenge.contains("error=\"invalid_token\""), "{challenge}");
        }
    }
    let (lines, body) = modern_parts("server/discover", json!({}));
    let mut lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    lines.push("Authorization: Bearer wrong");
    assert_eq!(post(&site, &lines, &body).status, 401);
}

#[test]
fn new_build_is_served_at_once() {
    let site = serve_build();
    let old = site.build();
    let before = result(&legacy(&site, "resources/list", &json!({})));
    let mut other = build(5);
    for entry in ["en/notes", "tr", "en", "api", ".parts"] {
        copy_folder(&other.file_path(entry), &site.firm.file_path(entry));
    }
    other.publish();
    let text = std::fs::read(other.file_path("manifest.json")).unwrap();
    site.firm.publish_text(&text);
    site.reload();
    site.wait_for_another_build_than(&old);
    let after = result(&legacy(&site, "resources/list", &json!({})));
    assert_eq!(after["resources"].as_array().unwrap().len(), before["resources"].as_array().unwrap().len() + 5);
}
