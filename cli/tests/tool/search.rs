//! `mecelle search`: the MCP request and the output of the results.

use cli::Exit;
use contract::{
    Locale,
    mcp::{SearchResult, SearchResults},
};
use serde_json::Value;

use crate::{
    server::{Reply, Server},
    tool::Tool,
};

fn page(locale: Locale, name: &str, title: &str, text: &str) -> SearchResult {
    let id = format!("/{locale}/{name}");
    let url = format!("https://firm.example{id}").parse().unwrap();
    let (title, text) = (title.to_owned(), text.to_owned());
    let kind = "publication".to_owned();
    let law_changed = Vec::new();
    SearchResult { id, title, url, kind, locale, text, score: 1.0, translation: None, stale: false, law_changed }
}

/// Serializes results as the service does.
fn to_json(results: Vec<SearchResult>) -> String {
    serde_json::to_string(&SearchResults { results }).unwrap()
}

fn results() -> String {
    to_json(vec![page(Locale::Tr, "yayinlar/uzaktan", "Uzaktan çalışma", "Yazılı sözleşme gerekir.")])
}

/// Returns a reply with two results.
pub(crate) fn several(locale: &str) -> Reply {
    let (locale, pages) = match locale {
        "tr" => (
            Locale::Tr,
            [
                (
                    "Uzaktan çalışma sözleşmesinde bulunması gerekenler",
                    "Uzaktan çalışma yazılı sözleşmeyle kurulur; iş aletlerinin nasıl sağlanacağı, ücret ve iletişim saatleri bu sözleşmede gösterilir…",
                ),
                ("İş hukuku", "İşe girişten çıkışa kadar bireysel iş ilişkileri."),
            ],
        ),
        _ => (
            Locale::En,
            [
                (
                    "What a remote working agreement must contain",
                    "Remote work rests on a written contract, which names the tools, the wage and the hours in which the employee can be reached…",
                ),
                ("Employment", "Individual employment contracts from hiring to dismissal."),
            ],
        ),
    };
    let results = pages.map(|(title, text)| page(locale, "publications/x", title, text)).to_vec();
    answer(&format!("{{\"resultType\":\"complete\",\"content\":[],\"structuredContent\":{}}}", to_json(results)))
}

pub(crate) fn answer(result: &str) -> Reply {
    Reply::body("application/json", &format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{result}}}"))
}

pub(crate) fn found() -> Reply {
    answer(&format!("{{\"resultType\":\"complete\",\"content\":[],\"structuredContent\":{}}}", results()))
}

#[test]
fn search_sends_one_query_and_prints_the_exact_result_with_a_newline() {
    let server = Server::start([Reply::Good, found()]);
    let outcome = Tool::using(&server.url()).run("search uzaktan çalışma -l tr --limit 3");
    assert_eq!(outcome.exit, Exit::Success, "{}", outcome.notes);
    assert_eq!(outcome.text(), results() + "\n");
    let request = &server.requests()[1];
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
fn texts_that_cite_an_article_are_searched_with_or_without_words() {
    let server = Server::start([Reply::Good, found(), found()]);
    let tool = Tool::using(&server.url());
    for (line, query) in [("search --cites 6102/553", "6102/553"), ("search liability --cites 6102/553", "liability")] {
        assert_eq!(tool.run(line).exit, Exit::Success);
        let body: Value = serde_json::from_str(&server.requests().last().unwrap().body).unwrap();
        let arguments = &body["params"]["arguments"];
        assert_eq!((&arguments["query"], &arguments["cites"]), (&query.into(), &"6102/553".into()));
    }
}

#[test]
fn search_results_are_a_table_on_a_terminal() {
    let server = Server::start([found(), found()]);
    let tool = Tool::asking(&server.url()).on_screen(100).with("NO_COLOR", "1");
    let outcome = tool.run("search uzaktan -l tr");
    assert!(outcome.text().contains("Arama (1)\n\nBAŞLIK"), "{}", outcome.text());
    assert!(outcome.text().contains("Yazılı sözleşme gerekir."), "{}", outcome.text());
    let csv = tool.run("search uzaktan -o csv");
    assert!(csv.text().starts_with("id,title,url,kind,locale,text\r\n/tr/yayinlar/uzaktan,"), "{}", csv.text());
}

#[test]
fn empty_results_have_advice_on_a_terminal_and_none_in_a_pipe() {
    let nothing = || answer(&format!("{{\"content\":[],\"structuredContent\":{}}}", to_json(Vec::new())));
    let server = Server::start([nothing(), nothing()]);
    let tool = Tool::asking(&server.url());
    let piped = tool.run("search xyz");
    assert_eq!(
        (piped.exit, piped.notes.as_str(), piped.text()),
        (Exit::Success, "", (to_json(Vec::new()) + "\n").as_str())
    );
    let terminal = tool.on_screen(100).run("search xyz");
    assert!(terminal.exit == Exit::Success && terminal.notes.contains("other words"), "{}", terminal.notes);
}

#[test]
fn unexpected_reply_suggests_another_host() {
    for reply in [Reply::error(405, "method_not_allowed"), Reply::body("text/html", "no").of(404)] {
        for line in ["search x", "register"] {
            let server = Server::start([reply.clone()]);
            let outcome = Tool::asking(&server.url()).run(line);
            assert!(outcome.notes.contains("Check the host"), "{line}: {}", outcome.notes);
            assert!(
                outcome.notes.ends_with("try: mecelle health --base-url https://HOST\n"),
                "{line}: {}",
                outcome.notes
            );
        }
    }
}

#[test]
fn empty_query_is_not_searched() {
    let server = Server::start([]);
    assert_eq!(Tool::asking(&server.url()).run_with(&["search", " ", ""]).exit, Exit::Usage);
    assert_eq!(server.requests().len(), 0);
}

#[test]
fn refused_query_is_reported_with_the_servers_message() {
    for result in [
        r#"{"isError":true,"content":[{"type":"text","text":"query must not be empty"}]}"#.to_owned(),
        r#"{"content":[]}"#.to_owned(),
    ] {
        let server = Server::start([answer(&result)]);
        let outcome = Tool::asking(&server.url()).run("search x");
        assert_eq!(outcome.exit, Exit::Failure);
        assert!(outcome.data.is_empty() && outcome.notes.contains("refused"), "{}", outcome.notes);
        assert!(!outcome.notes.contains("Check the host"), "{}", outcome.notes);
    }
    let error = r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Unknown tool"}}"#;
    let server = Server::start([Reply::body("application/json", error)]);
    assert!(Tool::asking(&server.url()).run("search x").notes.contains("Unknown tool"));
}

#[test]
fn refusal_of_the_endpoint_is_reported_without_blaming_the_key() {
    let stranger = "this service is not the host that the request names";
    let body = format!(r#"{{"jsonrpc":"2.0","id":null,"error":{{"code":-32600,"message":"{stranger}"}}}}"#);
    let refused = Reply::body("application/json", &body);
    for (reply, message) in [(refused.of(403), stranger), (Reply::body("text/html", "no").of(403), "403")] {
        let server = Server::start([reply]);
        let outcome = Tool::asking(&server.url()).run("search x");
        assert_eq!(outcome.exit, Exit::Authentication, "{}", outcome.notes);
        assert!(outcome.notes.contains(message) && outcome.notes.contains("Check the host"), "{}", outcome.notes);
        assert!(!outcome.notes.contains("--api-key"), "{}", outcome.notes);
    }
    let server = Server::start([Reply::Good, Reply::error(403, "insufficient_scope")]);
    let outcome = Tool::using(&server.url()).run("search x");
    assert!(outcome.notes.contains("--api-key ''"), "{}", outcome.notes);
}

#[test]
fn search_is_posted_once_even_when_the_server_fails() {
    let server = Server::start([Reply::error(503, "unavailable"), found()]);
    let outcome = Tool::asking(&server.url()).run("search x");
    assert_eq!((outcome.exit, server.requests().len()), (Exit::Server, 1));
}
