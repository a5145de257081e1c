//! The identity of the endpoint, shared by the server card and the AI catalogue so that both agree.

use contract::{
    mcp::{self, extensions},
    media, routes,
};
use serde_json::{Value, json};
use site::{Agents, PageKind};

use super::{Raw, raw};
use crate::{RenderError, api, shared::Shared};

/// Version of the server: the version of this program.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");
/// Description of the server, at most 100 characters by the schema of server cards.
const DESCRIPTION: &str =
    "Practice areas, people, publications and contact details of the firm, in English and Turkish.";

pub(crate) fn title<'a>(shared: &'a Shared) -> &'a str {
    &shared.site.settings.mcp.title[shared.locale]
}

/// Returns the server name that every result of the newest revisions contains.
pub(super) fn name(shared: &Shared) -> Result<Raw, RenderError> {
    raw(&json!({ "name": shared.site.settings.mcp.name, "title": title(shared), "version": VERSION }))
}

/// Returns the result of `initialize`, without the protocol revision and the capabilities.
pub(super) fn initialize(shared: &Shared) -> Result<Raw, RenderError> {
    raw(&json!({
        "serverInfo": information(shared),
        "instructions": instructions(shared),
    }))
}

pub(super) fn discover(shared: &Shared) -> Result<Raw, RenderError> {
    raw(&json!({
        "supportedVersions": mcp::supported().collect::<Vec<_>>(),
        "instructions": instructions(shared),
    }))
}

/// Returns the server card of a service for `agents`, which a client can read before it connects.
pub(crate) fn card(shared: &Shared, agents: &Agents) -> Result<Value, RenderError> {
    let url = api::url(shared, routes::MCP)?;
    let mut card = json!({ "$schema": "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json" });
    let further = json!({
        "remotes": [{
            "type": "streamable-http",
            "url": url,
            "supportedProtocolVersions": mcp::supported().collect::<Vec<_>>(),
        }],
        // For older scanners.
        "serverInfo": { "name": shared.site.settings.mcp.name, "title": title(shared), "version": VERSION },
        "transport": { "type": "streamable-http", "endpoint": url },
        "capabilities": capabilities(agents),
    });
    for part in [information(shared), further] {
        if let (Value::Object(card), Value::Object(part)) = (&mut card, part) {
            card.extend(part);
        }
    }
    Ok(card)
}

/// Returns the entry for a registry of servers, as `mcp-publisher` submits it.
pub(crate) fn registry_entry(shared: &Shared) -> Result<Value, RenderError> {
    let mut entry =
        json!({ "$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json" });
    if let (Value::Object(entry), Value::Object(part)) = (&mut entry, information(shared)) {
        entry.extend(part);
    }
    // The schema allows titles of 100 characters.
    entry["title"] = title(shared).chars().take(100).collect::<String>().into();
    entry["remotes"] = json!([{ "type": "streamable-http", "url": api::url(shared, routes::MCP)? }]);
    Ok(entry)
}

/// Returns the `Implementation` object of the protocol.
fn information(shared: &Shared) -> Value {
    let site = shared.site;
    let logo = &site.settings.firm.logo;
    let mut icon = json!({ "src": site.absolute(logo) });
    if let Some(media_type) = logo.rsplit('.').next().and_then(media::of_extension) {
        icon["mimeType"] = media_type.into();
    }
    json!({
        "name": site.settings.mcp.name,
        "version": VERSION,
        "title": title(shared),
        "description": DESCRIPTION,
        "websiteUrl": site.absolute(&shared.page(PageKind::Developers).unwrap_or_else(|| shared.home()).path),
        "icons": [icon],
    })
}

/// Returns the capabilities of a service for `agents`: every method that it answers belongs to one.
pub(super) fn capabilities(agents: &Agents) -> Value {
    let mut extensions = json!({ extensions::SKILLS: {} });
    if agents.exchange() {
        extensions[extensions::ENTERPRISE_MANAGED_AUTHORIZATION] = json!({});
    }
    json!({ "tools": {}, "resources": {}, "prompts": {}, "completions": {}, "extensions": extensions })
}

/// Returns the instructions that a model reads before it uses the tools.
fn instructions(shared: &Shared) -> String {
    let firm = &shared.site.settings.firm;
    format!(
        "{description} To answer a question, `search` for it, then `fetch` what looks relevant; `get_page_markdown` reads \
         any page by its address, and the `list_` tools give whole lists. {in_english} come \
         in English unless `locale` is `tr`; `search` looks in both languages unless `locale` names one, and a page is \
         read in its own. An article may exist in one language only. Cite the `url` of what you use. {disclaimer}",
        in_english = if shared.content.network.is_empty() {
            "Lists and contact details"
        } else {
            "Lists, contact details and the network"
        },
        description = firm.description[shared.locale],
        disclaimer = firm.disclaimer[shared.locale],
    )
}

const _: () = assert!(DESCRIPTION.len() <= 100);
