//! `mecelle publications --cites`: the calls of the tool of the MCP endpoint, and the output of the list.

use cli::Exit;
use serde_json::{Value, json};

use crate::{search::answer, server::Server, tool::Tool};

fn article(title: &str) -> Value {
    json!({ "title": title, "slug": "x", "url": "https://firm.example/en/publications/x", "law_changed": [{ "law": "6102" }] })
}

/// Returns a part of a list in which a host counts two articles.
fn part(titles: &[&str], next_offset: Option<u64>) -> crate::server::Reply {
    let items: Vec<Value> = titles.iter().map(|title| article(title)).collect();
    let mut part = json!({ "firm": "F", "locale": "en", "count": 2, "items": items, "offset": 0, "truncated": false });
    if let Some(next) = next_offset {
        part["truncated"] = true.into();
        part["next_offset"] = next.into();
    }
    answer(&json!({ "content": [], "structuredContent": part }).to_string())
}

#[test]
fn articles_that_cite_a_law_are_one_list_in_the_form_of_the_content_api() {
    let server = Server::start([part(&["A"], Some(1)), part(&["B"], None)]);
    let outcome = Tool::asking(&server.url()).run("publications --cites 6102/553 --locale tr");
    assert_eq!(outcome.exit, Exit::Success, "{}", outcome.notes);
    let expected = json!({ "firm": "F", "locale": "tr", "count": 2, "items": [article("A"), article("B")] });
    assert_eq!((outcome.text(), outcome.notes.as_str()), (format!("{expected}\n").as_str(), ""));
    let requests = server.requests();
    for (request, offset) in requests.iter().zip([0, 1]) {
        assert_eq!((request.method.as_str(), request.target.as_str()), ("POST", "/mcp"));
        assert_eq!(request.fields["mcp-name"], "list_publications");
        let body: Value = serde_json::from_str(&request.body).unwrap();
        let arguments = json!({ "cites": "6102/553", "locale": "tr", "limit": 200, "offset": offset });
        assert_eq!(body["params"]["arguments"], arguments);
    }
    assert_eq!(requests.len(), 2);
}

#[test]
fn articles_that_cite_a_law_are_a_table_on_a_terminal_with_advice_if_there_are_none() {
    let server = Server::start([part(&["Director’s liability"], None), part(&[], None)]);
    let tool = Tool::asking(&server.url()).on_screen(100).with("NO_COLOR", "1");
    let outcome = tool.run("publications --cites TTK");
    assert!(outcome.text().contains("F · Publications (1)\n\nTITLE"), "{}", outcome.text());
    let outcome = tool.run("publications --cites 6102/9");
    assert_eq!(outcome.exit, Exit::Success);
    let advice = "no article cites 6102/9 in this language: try --locale tr, or the law as a whole";
    assert!(outcome.notes.contains(advice), "{}", outcome.notes);
}

#[test]
fn list_that_points_back_to_its_beginning_ends() {
    let server = Server::start([part(&["A"], Some(0))]);
    assert_eq!(Tool::asking(&server.url()).run("publications --cites 6102 --jq .count").text(), "1\n");
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn refused_law_is_reported_with_the_form_of_one() {
    let message = "The arguments are not right: `cites` must be a law or an article, such as `6102` or `6102/553`.";
    let refused = json!({ "isError": true, "content": [{ "type": "text", "text": message }] }).to_string();
    let server = Server::start([answer(&refused)]);
    let outcome = Tool::asking(&server.url()).run("publications --cites board");
    assert_eq!(outcome.exit, Exit::Failure);
    let expected = format!("The list was refused: {message}");
    assert!(outcome.data.is_empty() && outcome.notes.contains(&expected), "{}", outcome.notes);
    assert!(outcome.notes.ends_with("try: mecelle publications --help\n"), "{}", outcome.notes);
}

#[test]
fn blank_law_is_not_sent_because_hosts_would_return_everything() {
    let server = Server::start([]);
    let tool = Tool::asking(&server.url());
    for line in [&["publications", "--cites", " "][..], &["search", "rent", "--cites", ""]] {
        let outcome = tool.run_with(line);
        assert_eq!(outcome.exit, Exit::Usage, "{line:?}");
        assert!(outcome.notes.contains("such as 6102 or 6102/553"), "{}", outcome.notes);
    }
    assert_eq!(server.requests().len(), 0);
}

#[test]
fn host_that_cannot_select_by_law_is_named_and_its_whole_list_is_not_shown() {
    let all =
        json!({ "firm": "F", "locale": "en", "count": 0, "items": [], "results": [], "ignored_arguments": ["cites"] });
    let reply = answer(&json!({ "content": [], "structuredContent": all }).to_string());
    let server = Server::start([reply.clone(), reply]);
    for line in ["publications --cites 6102", "search rent --cites 6102"] {
        let outcome = Tool::asking(&server.url()).run(line);
        assert_eq!((outcome.exit, outcome.text()), (Exit::Failure, ""), "{line}");
        assert!(outcome.notes.contains("does not select texts by what they cite"), "{}", outcome.notes);
    }
}

#[test]
fn host_without_the_endpoint_is_suspected_and_nothing_is_sent_offline() {
    let server = Server::start([crate::server::Reply::body("text/html", "no").of(404)]);
    let tool = Tool::asking(&server.url());
    let outcome = tool.run("publications --cites 6102");
    assert_eq!(outcome.exit, Exit::NotFound);
    assert!(outcome.notes.contains("Check the host"), "{}", outcome.notes);
    assert_eq!(tool.run("publications --cites 6102 --offline").exit, Exit::Usage);
    assert_eq!(server.requests().len(), 1);
}
