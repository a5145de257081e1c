//! `mecelle search`: calls the search tool of the MCP endpoint.

use contract::{
    Locale,
    mcp::{SEARCH_TOOL, SearchResults, arguments},
    routes,
};
use serde_json::json;

use super::{
    session::{Session, parse},
    tool_call::ToolCall,
    words,
};
use crate::{
    args,
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
    let call = ToolCall {
        tool: SEARCH_TOOL,
        arguments: &arguments_sent,
        subject: "The search",
        remedy: "Change the query.",
        next: "mecelle search --help",
    };
    // Documents of the API end with a newline, too.
    let found = call.send(session)? + "\n";
    let found = found.as_bytes();
    let is_nothing = parse::<SearchResults>(found).is_ok_and(|found| found.results.is_empty());
    session
        .show(found, routes::MCP, |body| parse(body).map(|found| sheet(found, locale.unwrap_or(Locale::DEFAULT))))?;
    if is_nothing && session.env.screen.is_some() {
        session.advise("nothing was found: try fewer or other words");
    }
    Ok(())
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
