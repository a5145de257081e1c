//! `mecelle search` asks the MCP endpoint as the current revision has it, and tells what the tool found.

use cli::Exit;
use serde_json::Value;

use crate::{
    server::{Reply, Server},
    tool::Tool,
};

const FOUND: &str = r#"{"results":[{"id":"/tr/yayinlar/uzaktan","title":"Uzaktan çalışma","url":"https://firm.example/tr/yayinlar/uzaktan","snippet":"Yazılı sözleşme gerekir."}]}"#;

fn answer(result: &str) -> Reply {
    Reply::body("application/json", &format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{result}}}"))
}

fn found() -> Reply {
    answer(&format!("{{\"resultType\":\"complete\",\"content\":[],\"structuredContent\":{FOUND}}}"))
}

#[test]
fn the_words_are_one_query_and_the_result_passes_through_byte_for_byte() {
    let server = Server::start([found()]);
    let outcome = Tool::asking(&server.url()).run("search uzaktan çalışma -l tr --limit 3");
    assert_eq!(outcome.exit, Exit::Success, "{}", outcome.notes);
    assert_eq!(outcome.text(), FOUND);
    let request = &server.requests()[0];
    assert_eq!((request.method.as_str(), request.target.as_str()), ("POST", "/mcp"));
    assert_eq!(request.fields["mcp-method"], "tools/call");
    assert_eq!(request.fields["mcp-name"], "search");
    assert_eq!(request.fields["mcp-protocol-version"], "2026-07-28");
    assert!(request.fields["authorization"].starts_with("Bearer sandbox_"));
    let body: Value = serde_json::from_str(&request.body).unwrap();
    let arguments = &body["params"]["arguments"];
    assert_eq!(arguments["query"], "uzaktan çalışma");
    assert_eq!((&arguments["locale"], &arguments["limit"]), (&"tr".into(), &3.into()));
}

#[test]
fn on_a_terminal_titles_and_passages_stand_in_a_table() {
    let server = Server::start([found()]);
    let outcome = Tool::asking(&server.url()).on_screen(100).with("NO_COLOR", "1").run("search uzaktan");
    assert!(outcome.text().contains("Search (1)") && outcome.text().contains("Yazılı sözleşme gerekir."));
}

#[test]
fn a_refused_question_is_told_in_the_servers_words() {
    for result in [
        r#"{"isError":true,"content":[{"type":"text","text":"query must not be empty"}]}"#.to_owned(),
        r#"{"content":[]}"#.to_owned(),
    ] {
        let server = Server::start([answer(&result)]);
        let outcome = Tool::asking(&server.url()).run("search x");
        assert_eq!(outcome.exit, Exit::Failure);
        assert!(outcome.data.is_empty() && outcome.notes.contains("refused"), "{}", outcome.notes);
    }
    let error = r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Unknown tool"}}"#;
    let server = Server::start([Reply::body("application/json", error)]);
    assert!(Tool::asking(&server.url()).run("search x").notes.contains("Unknown tool"));
}

#[test]
fn a_search_is_posted_once_even_when_the_server_fails() {
    let server = Server::start([Reply::error(503, "unavailable"), found()]);
    let outcome = Tool::asking(&server.url()).run("search x");
    assert_eq!((outcome.exit, server.requests().len()), (Exit::Server, 1));
}
