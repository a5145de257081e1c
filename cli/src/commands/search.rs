//! `mecelle search`: asks the MCP endpoint, which holds the site's search.

use contract::{
    headers,
    mcp::{REVISIONS, meta},
    media, routes,
};
use serde::Deserialize;
use serde_json::{json, value::RawValue};

use super::{located, misshapen, parsed};
use crate::{
    args,
    client::{self, Post},
    failure::Failure,
    output::{
        self,
        sheet::{Cell, Column, Room, Sheet},
    },
    settings::Settings,
    surroundings::{Out, Surroundings},
};

const TOOL: &str = "search";

pub(crate) fn run(
    search: &args::Search,
    settings: &Settings,
    env: &Surroundings,
    out: &mut Out<'_>,
) -> Result<(), Failure> {
    // The newest revision stands first.
    let revision = REVISIONS[0].name;
    let question = json!({
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {
            "name": TOOL,
            "arguments": {
                "query": search.words.join(" "),
                "locale": search.language.locale(),
                "limit": search.limit,
            },
            "_meta": {
                meta::PROTOCOL_VERSION: revision,
                meta::CLIENT_CAPABILITIES: {},
            },
        },
    })
    .to_string();
    let post = Post {
        path: routes::MCP,
        media_type: media::JSON,
        fields: &[
            (headers::MCP_PROTOCOL_VERSION, revision),
            (headers::MCP_METHOD, "tools/call"),
            (headers::MCP_NAME, TOOL),
        ],
        body: question.as_bytes(),
        keyed: true,
    };
    let reply = client::post(&post, settings, env)?;
    let body = client::accepted(&reply, &post, settings)?;
    let found = results(&body).map_err(|failure| located(failure, &settings.base.join(routes::MCP)))?;
    output::show(found.as_bytes(), |body| parsed(body).map(sheet), settings, env, out)
}

#[derive(Deserialize)]
struct Answer<'a> {
    #[serde(borrow)]
    result: Option<ToolResult<'a>>,
    error: Option<RpcError>,
}

#[derive(Deserialize)]
struct ToolResult<'a> {
    #[serde(borrow, rename = "structuredContent")]
    structured: Option<&'a RawValue>,
    #[serde(rename = "isError", default)]
    is_error: bool,
    #[serde(default)]
    content: Vec<Block>,
}

#[derive(Deserialize)]
struct Block {
    #[serde(default)]
    text: String,
}

#[derive(Deserialize)]
struct RpcError {
    message: String,
}

/// The exact bytes of the tool's result.
fn results(body: &[u8]) -> Result<&str, Failure> {
    let unusable = |what: String| Failure::Unusable { what, url: String::new() };
    let answer: Answer<'_> = serde_json::from_slice(body).map_err(|error| misshapen(&error))?;
    if let Some(error) = answer.error {
        return Err(unusable(format!("The search failed: {}", error.message)));
    }
    match answer.result {
        Some(ToolResult { is_error: false, structured: Some(found), .. }) => Ok(found.get()),
        Some(result) => {
            let why: Vec<_> = result.content.into_iter().map(|block| block.text).collect();
            Err(unusable(format!("The search was refused: {}", why.join(" "))))
        }
        None => Err(unusable("The search answered without a result.".to_owned())),
    }
}

/// What the tool returns.
#[derive(Deserialize)]
struct Found {
    results: Vec<Hit>,
}

#[derive(Deserialize)]
struct Hit {
    id: String,
    title: String,
    url: String,
    #[serde(default)]
    snippet: Option<String>,
}

fn sheet(found: Found) -> Sheet {
    let count = found.results.len();
    let rows = found.results.into_iter().map(|hit| {
        vec![
            Cell::new(&hit.title).linking(&hit.url),
            Cell::maybe(hit.snippet.as_ref()),
            Cell::new(&hit.id),
            Cell::address(&hit.url),
        ]
    });
    Sheet {
        caption: format!("Search ({count})"),
        headed: true,
        brief: true,
        rows: rows.collect(),
        columns: vec![
            Column::new("title", "TITLE", Room::Shared),
            Column::new("snippet", "PASSAGE", Room::Shared),
            Column::new("id", "PAGE", Room::Spare),
            Column::new("url", "ADDRESS", Room::Spare),
        ],
    }
}
