use std::{
    pin::pin,
    task::{Context, Poll, Waker},
};

use bytes::Bytes;
use contract::{
    PerLocale,
    mcp::{PART, meta},
};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{BuildParts, Catalogue, CatalogueError, McpField, McpFields, McpOutcome, McpRequest, ToolUses};

fn answer(catalogue: &Catalogue, body: &[u8], fields: &McpFields<'_>) -> McpOutcome {
    in_turns(catalogue, body, fields).0
}

/// Returns the answer, and the number of polls.
fn in_turns(catalogue: &Catalogue, body: &[u8], fields: &McpFields<'_>) -> (McpOutcome, usize) {
    let uses = ToolUses::default();
    let mut answering = pin!(McpRequest::of(body, fields).answer(catalogue, fields, &uses));
    let mut context = Context::from_waker(Waker::noop());
    for turns in 1.. {
        if let Poll::Ready(outcome) = answering.as_mut().poll(&mut context) {
            return (outcome, turns);
        }
    }
    unreachable!("it ends after as many turns as there are messages")
}

/// Returns a catalogue without pages.
fn catalogue() -> Catalogue {
    of(text()).unwrap().unwrap()
}

fn text() -> String {
    let skills = ["reading", "registering"].map(|name| {
        json!({
            "uri": format!("skill://{name}/SKILL.md"),
            "path": format!("/skills/{name}.md"),
            "frontmatter": { "name": name, "description": "A skill." },
        })
    });
    json!({
        "server": { "name": "example.firm/content", "version": "1" },
        "initialize": { "instructions": "Read." },
        "discover": { "supportedVersions": [] },
        "capabilities": { "tools": {}, "extensions": { "all": {} } },
        "capabilities_without_providers": { "tools": {} },
        "skills": skills,
        "tools": { "tools": [] },
        "answers": [{ "name": "prepared", "source": { "prepared": PerLocale::build(|locale| json!({ "in": locale })) } }],
        "prompts": { "prompts": [] },
        "texts": [],
        "templates": { "resourceTemplates": [] },
        "patterns": [],
        "pages": [],
    })
    .to_string()
}

/// Returns the result of a request of a revision with a handshake.
fn result(catalogue: &Catalogue, method: &str, params: &Value) -> Value {
    let sent = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }).to_string();
    serde_json::from_slice::<Value>(&body(answer(catalogue, sent.as_bytes(), &McpFields::default()))).unwrap()["result"]
        .take()
}

#[test]
fn skill_without_a_text_in_this_service_is_left_out() {
    let catalogue = catalogue();
    let entry = json!({
        "uri": "skill://reading/SKILL.md",
        "frontmatter": { "name": "reading", "description": "A skill." },
        "resources": [{ "uri": "skill://reading/SKILL.md", "digest": format!("sha256:{:064x}", 11), "size": 11 }],
    });
    assert_eq!(result(&catalogue, "skills/list", &json!({})), json!({ "skills": [entry] }));
    let uri = json!({ "uri": "skill://reading/SKILL.md" });
    assert_eq!(result(&catalogue, "skills/get", &uri), json!({ "skill": entry }));
    let contents = json!([{ "uri": uri["uri"], "mimeType": "text/markdown", "text": "Read \"it\".\n" }]);
    assert_eq!(result(&catalogue, "resources/read", &uri), json!({ "contents": contents }));
    for method in ["skills/get", "resources/read"] {
        assert_eq!(
            result(&catalogue, method, &json!({ "uri": "skill://registering/SKILL.md" })),
            Value::Null,
            "{method}"
        );
    }
}

#[test]
fn capabilities_are_those_of_the_service() {
    for (has_providers, extensions) in [(true, json!({ "all": {} })), (false, Value::Null)] {
        let catalogue = served(text(), has_providers).unwrap().unwrap();
        let shaken = result(&catalogue, "initialize", &json!({ "protocolVersion": "2025-11-25" }));
        assert_eq!(shaken["capabilities"]["extensions"], extensions);
        assert_eq!((&shaken["instructions"], &shaken["protocolVersion"]), (&json!("Read."), &json!("2025-11-25")));
    }
}

/// Reads the catalogue `text` of a build with the text of one skill, for a service without providers.
fn of(text: String) -> Result<Option<Catalogue>, CatalogueError> {
    served(text, false)
}

fn served(text: String, has_providers: bool) -> Result<Option<Catalogue>, CatalogueError> {
    let catalogue = Bytes::from(text);
    let build = BuildParts {
        site_url: "https://firm.example",
        name: "0123456789abcdef0123",
        body: &|path, _| (path == "/skills/reading.md").then(|| Bytes::from_static(b"Read \"it\".\n")),
        part: &|name, _| (name == PART).then_some(&catalogue),
        sha256: &|text| format!("{:064x}", text.len()),
        has_providers,
    };
    Catalogue::of(&build, std::iter::empty())
}

fn body(outcome: McpOutcome) -> Vec<u8> {
    match outcome {
        McpOutcome::Answered(body) | McpOutcome::Refused(body) | McpOutcome::Unknown(body) => body,
        McpOutcome::Accepted => Vec::new(),
    }
}

/// Generates identifiers: with escapes, beyond any number type, of any length.
fn identifiers() -> impl Strategy<Value = String> {
    let text = proptest::collection::vec(
        prop_oneof![
            any::<char>()
                .prop_filter("must be escaped", |it| !it.is_control() && *it != '"' && *it != '\\')
                .prop_map(String::from),
            prop::sample::select(&["\\\"", "\\\\", "\\/", "\\n", "\\u0000", "\\u0131", "\\ud83d\\ude00"][..])
                .prop_map(str::to_owned),
        ],
        0..40,
    );
    prop_oneof![text.prop_map(|parts| format!("\"{}\"", parts.concat())), "-?(0|[1-9][0-9]{0,60})"]
}

proptest! {
    #[test]
    fn identifier_is_spliced_as_it_came(id in identifiers(), space in "[ \t\r\n]{0,3}", at in 0_usize..5) {
        let catalogue = catalogue();
        let name = &format!("\"{}\"", meta::PROTOCOL_VERSION);
        let (method, params, fields) = [
            ("ping", "{}".to_owned(), McpFields::default()),
            ("nothing", "{}".to_owned(), McpFields::default()),
            ("tools/call", "{\"name\":\"prepared\"}".to_owned(), McpFields::default()),
            ("tools/list", format!("{{\"_meta\":{{{name}:5}}}}"), McpFields::default()),
            (
                "tools/list",
                format!("{{\"_meta\":{{{name}:\"2026-07-28\",\"{}\":{{}}}}}}", meta::CLIENT_CAPABILITIES),
                McpFields { version: McpField::Once(b"2026-07-28"), method: McpField::Once(b"tools/list"), name: McpField::Absent },
            ),
        ][at].clone();
        let request =
            format!("{{\"method\":\"{method}\",\"id\":{space}{id}{space},\"params\":{params},\"jsonrpc\":\"2.0\"}}");
        let reply = body(answer(&catalogue, request.as_bytes(), &fields));
        let start = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"");
        prop_assert!(reply.starts_with(start.as_bytes()), "{}", String::from_utf8_lossy(&reply));
        let read: Value = serde_json::from_slice(&reply).unwrap();
        prop_assert!(read.get("result").is_some() != read.get("error").is_some());
    }

    #[test]
    fn every_identifier_of_an_array_is_spliced_as_it_came(
        ids in proptest::collection::vec((identifiers(), prop::sample::select(&["ping", "nothing", "initialize"][..])), 1..8),
    ) {
        let message = |(id, method): &(String, &str)| {
            format!("{{\"jsonrpc\":\"2.0\",\"method\":\"{method}\",\"id\":{id}}}")
        };
        let sent = format!("[{}]", ids.iter().map(message).collect::<Vec<_>>().join(","));
        let reply = body(answer(&catalogue(), sent.as_bytes(), &McpFields::default()));
        let answers: Vec<&serde_json::value::RawValue> = serde_json::from_slice(&reply).unwrap();
        prop_assert_eq!(answers.len(), ids.len());
        for (answer, (id, _)) in answers.iter().zip(&ids) {
            let start = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"");
            prop_assert!(answer.get().starts_with(&start), "{}", answer.get());
        }
    }

    #[test]
    fn answer_is_json_or_nothing_for_arbitrary_bytes(sent: Vec<u8>, version: Option<Vec<u8>>) {
        let version = version.as_deref().map_or(McpField::Absent, McpField::Once);
        let reply = body(answer(&catalogue(), &sent, &McpFields { version, ..McpFields::default() }));
        prop_assert!(reply.is_empty() || serde_json::from_slice::<Value>(&reply).is_ok());
    }

    #[test]
    fn answer_is_json_for_arbitrary_json(
        method in prop::sample::select(&["tools/call", "resources/read", "prompts/get", "completion/complete", "initialize", "tools/list"][..]),
        members in proptest::collection::vec(
            (prop::sample::select(&["name", "uri", "arguments", "cursor", "ref", "argument", "_meta", "protocolVersion", "context"][..]),
             prop::sample::select(&["1", "null", "\"x\"", "{}", "[]", "{\"name\":1}", "\"prepared\"", "{\"type\":\"ref/prompt\"}", "-0.5e7"][..])),
            0..6,
        ),
    ) {
        let params: Vec<String> = members.iter().map(|(name, value)| format!("\"{name}\":{value}")).collect();
        let sent = format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"{method}\",\"params\":{{{}}}}}", params.join(","));
        let reply = body(answer(&catalogue(), sent.as_bytes(), &McpFields::default()));
        prop_assert!(serde_json::from_slice::<Value>(&reply).is_ok(), "{}", String::from_utf8_lossy(&reply));
    }
}

#[test]
fn array_yields_to_other_tasks() {
    let ping = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}";
    for (body, turns) in [(ping.to_owned(), 1), (format!("[{ping}]"), 1), (format!("[{ping},7,{ping}]"), 3)] {
        assert_eq!(in_turns(&catalogue(), body.as_bytes(), &McpFields::default()).1, turns, "{body}");
    }
}

#[test]
fn catalogue_that_does_not_fit_its_build_is_refused() {
    let catalogue = catalogue();
    assert_eq!(&*catalogue.build, "0123456789abcdef");
    for text in ["", "{}", "[]", "nonsense", "\u{0}"] {
        assert!(of(text.to_owned()).is_err(), "{text:?}");
    }
}
