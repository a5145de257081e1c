//! `mecelle search`: calls the search tool of the MCP endpoint.

use contract::{
    Locale, headers,
    mcp::{CALL_TOOL, REVISIONS, SEARCH_TOOL, SearchResults, arguments, meta},
    media, routes,
};
use serde::Deserialize;
use serde_json::{json, value::RawValue};

use super::{
    session::{Session, parse, shape_failure, with_url},
    words,
};
use crate::{
    args,
    client::PostRequest,
    failure::Failure,
    output::sheet::{Cell, Column, Room, Sheet},
};

pub(crate) fn run(search: &args::SearchArguments, session: &mut Session<'_, '_>) -> Result<(), Failure> {
    let (words, locale) = (search.words.join(" "), search.language.locale);
    // A law or an article is also a query, which finds all texts that cite it.
    let query = if search.words.is_empty() { search.cites.clone().unwrap_or_default() } else { words };
    if query.trim().is_empty() {
        return Err(Failure::usage("The query is empty.", "Give a few words, for example: remote work"));
    }
    let mut arguments_sent = json!({ arguments::QUERY: query, arguments::LIMIT: search.limit });
    if let Some(cites) = &search.cites {
        arguments_sent[arguments::CITES] = cites.as_str().into();
    }
    if let Some(locale) = locale {
        arguments_sent[arguments::LOCALE] = locale.as_str().into();
    }
    // The newest revision is first.
    let revision = REVISIONS[0].name;
    let question = json!({
        "jsonrpc": "2.0",
        "id": 1,
        "method": CALL_TOOL,
        "params": {
            "name": SEARCH_TOOL,
            "arguments": arguments_sent,
            "_meta": {
                meta::PROTOCOL_VERSION: revision,
                meta::CLIENT_CAPABILITIES: {},
            },
        },
    })
    .to_string();
    let post = PostRequest {
        path: routes::MCP,
        media_type: media::JSON,
        fields: &[
            (headers::MCP_PROTOCOL_VERSION, revision),
            (headers::MCP_METHOD, CALL_TOOL),
            (headers::MCP_NAME, SEARCH_TOOL),
        ],
        body: question.as_bytes(),
        keyed: true,
    };
    let reply = session.post(&post)?;
    let body = session.success_body(&reply, &post)?;
    let url = session.settings.base.join(routes::MCP);
    // Documents of the API end with a newline, too.
    let found = structured_result(&body).map_err(|failure| with_url(failure, &url))?.to_owned() + "\n";
    let found = found.as_bytes();
    let is_nothing = parse::<SearchResults>(found).is_ok_and(|found| found.results.is_empty());
    session
        .show(found, routes::MCP, |body| parse(body).map(|found| sheet(found, locale.unwrap_or(Locale::DEFAULT))))?;
    if is_nothing && session.env.screen.is_some() {
        session.advise("nothing was found: try fewer or other words");
    }
    Ok(())
}

#[derive(Deserialize)]
struct RpcReply<'a> {
    #[serde(borrow)]
    result: Option<ToolResult<'a>>,
    error: Option<SearchError>,
}

#[derive(Deserialize)]
struct ToolResult<'a> {
    #[serde(borrow, rename = "structuredContent")]
    structured: Option<&'a RawValue>,
    #[serde(rename = "isError", default)]
    is_error: bool,
    #[serde(default)]
    content: Vec<ContentBlock>,
}

#[derive(Deserialize)]
struct ContentBlock {
    #[serde(default)]
    text: String,
}

#[derive(Deserialize)]
struct SearchError {
    message: String,
}

/// Returns the exact bytes of the structured result.
fn structured_result(body: &[u8]) -> Result<&str, Failure> {
    let unusable = |what: String| Failure::Unusable { what, url: String::new() };
    let answer: RpcReply<'_> = serde_json::from_slice(body).map_err(|error| shape_failure(&error))?;
    if let Some(error) = answer.error {
        return Err(unusable(format!("The search failed: {}", error.message)));
    }
    match answer.result {
        Some(ToolResult { is_error: false, structured: Some(found), .. }) => Ok(found.get()),
        Some(result) => {
            let why: Vec<_> = result.content.into_iter().map(|block| block.text).collect();
            Err(Failure::Stopped {
                what: format!("The search was refused: {}", why.join(" ")),
                remedy: "Change the query.".to_owned(),
                next: "mecelle search --help".to_owned(),
            })
        }
        None => Err(unusable("The reply contains no search results.".to_owned())),
    }
}

fn sheet(found: SearchResults, locale: Locale) -> Sheet {
    let caption = format!("{} ({})", words::SEARCH[locale], found.results.len());
    let rows = found.results.into_iter().map(|page| {
        vec![
            Cell::new(&page.id),
            Cell::new(&page.title).linking(&page.url),
            Cell::address(&page.url),
            Cell::new(&page.kind),
            Cell::new(&page.locale),
            Cell::new(&page.text),
        ]
    });
    Sheet {
        caption,
        headed: true,
        brief: true,
        rows: rows.collect(),
        columns: vec![
            Column::new("id", "", Room::None),
            Column::new("title", words::TITLE[locale], Room::Shared),
            Column::new("url", words::ADDRESS[locale], Room::Spare),
            Column::new("kind", words::KIND[locale], Room::Spare),
            Column::new("locale", "", Room::None),
            Column::new("text", words::PASSAGE[locale], Room::Shared),
        ],
    }
}
