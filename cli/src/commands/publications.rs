//! `mecelle publications --cites`: the articles that cite a law, from the tool of the MCP endpoint, since the list of the
//! content API cannot be filtered.

use contract::{
    Locale,
    mcp::{LIST_PUBLICATIONS_TOOL, ListCut, arguments, limits::LIST_ITEMS},
    resources::List,
    routes,
};
use serde_json::{json, value::RawValue};

use super::{
    lists,
    session::{Session, parse, with_url},
    tool_call::ToolCall,
};
use crate::failure::Failure;

/// Prints the whole list in the form of the content API, however many parts it comes in; each item is as the host sends
/// it.
pub(crate) fn citing(cites: &str, locale: Locale, session: &mut Session<'_, '_>) -> Result<(), Failure> {
    let (mut firm, mut items, mut offset) = (String::new(), Vec::<Box<RawValue>>::new(), Some(0));
    while let Some(start) = offset {
        let call = ToolCall {
            tool: LIST_PUBLICATIONS_TOOL,
            arguments: &json!({
                arguments::CITES: cites,
                arguments::LOCALE: locale,
                arguments::LIMIT: LIST_ITEMS,
                arguments::OFFSET: start,
            }),
            subject: "The list",
            remedy: "Name a law or an article of it, such as 6102 or 6102/553.",
            next: "mecelle publications --help",
        };
        let part = call.send(session)?;
        let list: List<Box<RawValue>> =
            parse(part.as_bytes()).map_err(|failure| with_url(failure, &session.settings.base.join(routes::MCP)))?;
        firm = list.firm;
        items.extend(list.items);
        let cut = parse::<ListCut>(part.as_bytes()).ok();
        offset = cut.and_then(|cut| cut.next_offset).filter(|next| *next > start);
    }
    let is_empty = items.is_empty();
    let list = serde_json::to_string(&List::new(firm, locale, items)).unwrap_or_default() + "\n";
    session.show(list.as_bytes(), routes::MCP, |body| parse(body).map(lists::publications))?;
    if is_empty && session.env.screen.is_some() {
        let other = locale.other();
        session
            .advise(&format!("no article cites {cites} in this language: try --locale {other}, or the law as a whole"));
    }
    Ok(())
}
