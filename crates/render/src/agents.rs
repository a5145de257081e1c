//! Documents about the service for agents: registration instructions, skills, the MCP server card, the AI catalog.

use std::collections::BTreeMap;

use contract::{Locale, PerLocale, manifest::Class, media, routes};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use site::Agents;

use super::{
    RenderError, api, auth_md, mcp,
    output::{Output, VariantDraft},
    pages::PageRenderer,
    shared::Shared,
    skills::{AgentSkill, skills},
};

/// Addresses in the template value `url`.
const ADDRESSES: [(&str, &str); 18] = [
    ("access", routes::ACCESS),
    ("api", routes::API_BASE),
    ("auth_md", routes::AUTH_MD),
    ("authorization_server", routes::AUTHORIZATION_SERVER),
    ("claim", routes::CLAIM),
    ("complete", routes::CLAIM_COMPLETE),
    ("identity", routes::IDENTITY),
    ("identity_claim", routes::IDENTITY_CLAIM),
    ("identity_complete", routes::IDENTITY_COMPLETE),
    ("llms", routes::LLMS_TXT),
    ("mcp", routes::MCP),
    ("openapi", routes::OPENAPI),
    ("protected_resource", routes::PROTECTED_RESOURCE),
    ("register", routes::REGISTER),
    ("registration", routes::REGISTRATION),
    ("revocation", routes::REVOKE),
    ("revoke", routes::PROVIDER_REVOKE),
    ("token", routes::TOKEN),
];

/// Renders all documents for `agents`, in English, the language for programs.
pub(super) fn documents(
    shared: &PerLocale<Shared>,
    pages: &PageRenderer,
    agents: &Agents,
) -> Result<Output, RenderError> {
    let (shared, pages) = (&shared[Locale::DEFAULT], pages.templates(Locale::DEFAULT));
    let mut url: BTreeMap<&str, String> =
        ADDRESSES.into_iter().map(|(name, path)| (name, shared.site.absolute(path))).collect();
    url.insert("site", shared.site.url().to_owned());
    let mut output = Output::default();
    let guide =
        pages.render_document("agents/auth.md", ("url", &url), ("auth", &auth_md::view(shared, pages, agents)?))?;
    let has_service = agents.service;
    output.push(routes::AUTH_MD, Class::Text, media::MARKDOWN, guide, VariantDraft::english());
    if has_service {
        let card = api::json(&mcp::card(shared, agents)?)?;
        for path in [routes::SERVER_CARD, routes::SERVER_CARD_WELL_KNOWN] {
            output.push(path, Class::Discovery, media::SERVER_CARD, card.clone(), VariantDraft::english());
        }
        let entry = api::json(&mcp::registry_entry(shared)?)?;
        output.push(routes::SERVER_JSON, Class::Discovery, media::JSON, entry, VariantDraft::english());
    }
    let catalog = api::json(&ai_catalog(shared))?;
    output.push(routes::AI_CATALOG, Class::Discovery, media::AI_CATALOG, catalog, VariantDraft::english());
    let mut index = Vec::new();
    for skill in skills(shared, agents) {
        let AgentSkill { path, template, description } = &skill;
        let values = json!({ "name": skill.name(), "description": description, "service": has_service });
        let text = pages.render_document(template, ("url", &url), ("skill", &values))?;
        index.push(json!({
            "name": skill.name(),
            "type": "skill-md",
            "description": description,
            "url": shared.site.absolute(path),
            "digest": format!("sha256:{}", hex::encode(Sha256::digest(&text))),
        }));
        output.push(path, Class::Text, media::MARKDOWN, text, VariantDraft::english());
    }
    let index = json!({ "$schema": "https://schemas.agentskills.io/discovery/0.2.0/schema.json", "skills": index });
    output.push(routes::AGENT_SKILLS, Class::Discovery, media::JSON, api::json(&index)?, VariantDraft::english());
    Ok(output)
}

/// Returns the host of the site at `url` in a form that is allowed in a URN.
fn host(url: &str) -> String {
    let authority = url.split_once("://").map_or(url, |(_, rest)| rest);
    // Neither brackets nor colons are allowed in this part of a URN.
    match authority.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((address, _)) => address.replace(':', "-"),
        None => authority.split(':').next().unwrap_or(authority).to_owned(),
    }
}

fn ai_catalog(shared: &Shared) -> Value {
    let firm = &shared.site.settings.firm;
    let host = host(shared.site.url());
    let developers = shared.site.absolute(&shared.documentation().0);
    let entry = |kind: &str, name: &str, title: &str, media_type: &str, path: &str, about: &str, queries: [&str; 3]| {
        json!({
            "identifier": format!("urn:air:{host}:{kind}:{name}"),
            "displayName": title,
            "type": media_type,
            "mediaType": media_type,
            "url": shared.site.absolute(path),
            "description": about,
            "representativeQueries": queries,
            "version": mcp::VERSION,
        })
    };
    let mcp_title = mcp::title(shared);
    let mut entries = vec![
        entry(
            "mcp",
            "content",
            mcp_title,
            media::SERVER_CARD,
            routes::SERVER_CARD,
            "Tools and resources that read the firm's public content.",
            [
                "Which practice areas does the firm work in?",
                "Find publications of the firm on personal data.",
                "How can the firm's office be reached?",
            ],
        ),
        entry(
            "skill",
            "content",
            "Reading the firm's public content",
            "text/markdown; profile=\"urn:air:agent-skills\"",
            routes::CONTENT_SKILL,
            "How to read practice areas, people, publications and contact details in both languages.",
            [
                "List the team of the firm in Turkish.",
                "Read an article of the firm as Markdown.",
                "What are the firm's office hours?",
            ],
        ),
    ];
    if !shared.site.settings.agents.service {
        entries.remove(0);
    }
    json!({
        "specVersion": "1.0",
        "host": {
            "displayName": firm.name[shared.locale],
            "identifier": host,
            "documentationUrl": developers,
        },
        "entries": entries,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn host_has_no_port_and_is_valid_in_a_urn() {
        assert_eq!(host("https://firm.example"), "firm.example");
        assert_eq!(host("https://firm.example:8443"), "firm.example");
        assert_eq!(host("http://[::1]:8080"), "--1");
    }
}
