//! A small build with a catalogue for the MCP endpoint, and requests to it.

use contract::{
    Locale, PerLocale,
    manifest::{Axis, Class, Part},
    mcp::{Argument, CataloguePage, PART, PreparedCatalogue, Prompt, Source, Template, ToolAnswer},
    media, routes,
};
use serde_json::{Value, json, value::RawValue};
use tests::{Firm as _, Reply, SITE, SyntheticFirm, mcp::NEW};

use crate::Site;

fn raw(value: &Value) -> Box<RawValue> {
    serde_json::value::to_raw_value(value).unwrap()
}

/// Returns a build with `pages` further pages.
pub(crate) fn build(pages: usize) -> SyntheticFirm {
    let mut build = SyntheticFirm::small();
    let lists = Locale::ALL.map(|locale| {
        let items: Vec<Value> = (0..3).map(|at| json!({ "name": format!("{locale}{at}") })).collect();
        let body = json!({ "locale": locale, "count": 3, "items": items }).to_string() + "\n";
        let mut variant = build.file(&format!("api/list.{locale}.json"), &body, media::JSON);
        variant.locale = Some(locale);
        variant
    });
    build.route(routes::PRACTICE_AREAS, Class::Api, Some(Axis::Locale), lists.to_vec());
    let page = |path: &str, locale: Locale, translation: Option<&str>| CataloguePage {
        compared: None,
        stale: false,
        law_changed: Vec::new(),
        path: path.to_owned(),
        twin: format!("{path}.md"),
        locale,
        title: format!("Title of \"{path}\""),
        translation: translation.map(str::to_owned),
        updated: Some("2026-11-20".to_owned()),
        resource: Some(raw(&json!({ "uri": format!("{SITE}{path}.md"), "name": path, "mimeType": "text/markdown" }))),
    };
    let mut all = vec![page("/en", Locale::En, Some("/tr/hakkimizda")), page("/en/about", Locale::En, None)];
    build.page("/tr/hakkimizda", "<p>Hakkımızda</p>", "# Hakkımızda \"ı\"\n\tİkinci satır\n");
    all.push(page("/tr/hakkimizda", Locale::Tr, Some("/en")));
    for at in 0..pages {
        let path = format!("/en/notes/note-{at}");
        build.page(&path, "<p>Note</p>", &format!("# Note {at}\n\n{}", "A line of the note.\n".repeat(at)));
        all.push(page(&path, Locale::En, None));
    }
    let tool = |name: &str| json!({ "name": name, "inputSchema": { "type": "object", "properties": {} } });
    let names = ["list_things", "get_prepared", "search", "fetch", "get_page_markdown"];
    let source = |name: &str| match name {
        "list_things" => Source::Route(routes::PRACTICE_AREAS.to_owned()),
        "get_prepared" => Source::Prepared(PerLocale::build(|locale| raw(&json!({ "in": locale })))),
        "search" => Source::Search,
        "fetch" => Source::Fetch,
        _ => Source::Page,
    };
    let answer = |name: &&str| ToolAnswer {
        name: (*name).to_owned(),
        source: source(name),
        list: (*name == "list_things").then(|| "items".to_owned()),
        counted: None,
        filters: Vec::new(),
        searched: Vec::new(),
    };
    let capabilities = json!({ "tools": {}, "resources": {}, "prompts": {}, "completions": {} });
    let server = json!({ "name": "example.firm/content", "version": "1" });
    let uri = format!("{SITE}/{{locale}}/{{section}}/{{slug}}.md");
    let catalogue = PreparedCatalogue {
        server: raw(&server),
        initialize: raw(&json!({ "serverInfo": server })),
        discover: raw(&json!({ "supportedVersions": [NEW] })),
        capabilities: raw(&capabilities),
        capabilities_without_providers: raw(&capabilities),
        skills: Vec::new(),
        tools: raw(&json!({ "tools": names.map(tool) })),
        answers: names.iter().map(answer).collect(),
        prompts: raw(&json!({ "prompts": [{ "name": "ask" }] })),
        texts: vec![Prompt {
            name: "ask".to_owned(),
            arguments: vec![Argument {
                name: "matter".to_owned(),
                values: PerLocale {
                    en: vec!["Tax".to_owned(), "Islands".to_owned(), "Esma Işık".to_owned()],
                    tr: vec!["İş hukuku".to_owned(), "Esma Işık".to_owned()],
                },
            }],
            description: PerLocale { en: "Asks".to_owned(), tr: "Sorar".to_owned() },
            text: PerLocale { en: "About {matter}".to_owned(), tr: "Konu: {matter}".to_owned() },
        }],
        templates: raw(&json!({ "resourceTemplates": [{ "uriTemplate": uri, "name": "entry" }] })),
        patterns: vec![Template { uri, variables: ["locale", "section", "slug"].map(str::to_owned).to_vec() }],
        pages: all,
    };
    let text = serde_json::to_string(&catalogue).unwrap();
    let variant = build.file(".parts/mcp", &text, media::JSON);
    build.manifest.parts.push(Part { name: PART.to_owned(), variant });
    build.publish();
    build
}

/// Serves a build without further pages.
pub(crate) fn serve_build() -> Site {
    build(0).serve()
}

/// Posts `body` with header `lines`, which replace the usual ones of the same name.
pub(crate) fn post(site: &Site, lines: &[&str], body: impl AsRef<[u8]>) -> Reply {
    let mut connection = site.connection();
    connection.send(&request(lines, body.as_ref()));
    connection.response(false).expect("an answer")
}

pub(crate) fn request(lines: &[&str], body: &[u8]) -> Vec<u8> {
    let mut text = String::from("POST /mcp HTTP/1.1\r\n");
    for usual in ["Host: firm.example", "Content-Type: application/json"] {
        let name = usual.split(':').next().unwrap();
        let is_replaced = lines.iter().any(|line| line.split(':').next().unwrap().eq_ignore_ascii_case(name));
        if !is_replaced {
            text.push_str(usual);
            text.push_str("\r\n");
        }
    }
    for line in lines.iter().filter(|line| !line.ends_with(": -")) {
        text.push_str(line);
        text.push_str("\r\n");
    }
    let length = format!("Content-Length: {}\r\n\r\n", body.len());
    [text.as_bytes(), length.as_bytes(), body].concat()
}

/// Returns the status and the JSON-RPC error code of a response.
pub(crate) fn status_and_code(response: &Reply) -> (u16, Option<i64>) {
    let body: Value = serde_json::from_slice(&response.body).unwrap_or_default();
    (response.status, body["error"]["code"].as_i64())
}
