//! What agents read about the service: instructions for registration, skills, the MCP server card, the AI catalog.

use contract::{Locale, PerLocale, manifest::Class, media, routes};
use serde_json::json;
use sha2::{Digest as _, Sha256};

use super::{
    RenderError, api, auth_md, mcp,
    output::{Output, VariantDraft},
    shared::Shared,
};
use crate::{hex::hex, site::PageKind};

/// Renders all of them in English, the language in which programs are addressed.
pub(super) fn documents(shared: &PerLocale<Shared>) -> Result<Output, RenderError> {
    let shared = &shared[Locale::DEFAULT];
    let mut output = Output::default();
    output.push(routes::AUTH_MD, Class::Text, media::MARKDOWN, auth_md::render(shared)?, VariantDraft::english());
    let card = api::json(&mcp::card(shared)?)?;
    for path in [routes::SERVER_CARD, routes::SERVER_CARD_WELL_KNOWN] {
        output.push(path, Class::Discovery, media::SERVER_CARD, card.clone(), VariantDraft::english());
    }
    let catalog = api::json(&ai_catalog(shared))?;
    output.push(routes::AI_CATALOG, Class::Discovery, media::AI_CATALOG, catalog, VariantDraft::english());
    let mut index = Vec::new();
    for Skill { path, description, text } in skills(shared) {
        let digest = hex(&Sha256::digest(&text));
        index.push(json!({
            "name": skill_name(path),
            "type": "skill-md",
            "description": description,
            "url": shared.site.absolute(path),
            "digest": format!("sha256:{digest}"),
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
    // Neither brackets nor the colons of an IPv6 address are allowed in a part of a URN.
    match authority.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((address, _)) => address.replace(':', "-"),
        None => authority.split(':').next().unwrap_or(authority).to_owned(),
    }
}

fn ai_catalog(shared: &Shared) -> serde_json::Value {
    let firm = &shared.site.settings.firm;
    let host = host(shared.site.url());
    let developers = shared.site.absolute(&shared.page(PageKind::Developers).document.path);
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
    json!({
        "specVersion": "1.0",
        "host": {
            "displayName": firm.name[shared.locale],
            "identifier": host,
            "documentationUrl": developers,
        },
        "entries": [
            entry(
                "mcp", "content", mcp_title, media::SERVER_CARD, routes::SERVER_CARD,
                "Tools and resources that read the firm's public content.",
                [
                    "Which practice areas does the firm work in?",
                    "Find publications of the firm on personal data.",
                    "How can the firm's office be reached?",
                ],
            ),
            entry(
                "skill", "content", "Reading the firm's public content",
                "text/markdown; profile=\"urn:air:agent-skills\"",
                routes::CONTENT_SKILL,
                "How to read practice areas, people, publications and contact details in both languages.",
                [
                    "List the team of the firm in Turkish.",
                    "Read an article of the firm as Markdown.",
                    "What are the firm's office hours?",
                ],
            ),
        ],
    })
}

/// Something that an agent may learn to do here.
struct Skill {
    path: &'static str,
    description: String,
    text: String,
}

/// Returns the name of a skill, which is the name of its folder.
fn skill_name(path: &str) -> &str {
    path.rsplit('/').nth(1).unwrap_or_default()
}

/// Returns every skill that is of use here: the one about registration only if something can be registered for.
fn skills(shared: &Shared) -> Vec<Skill> {
    let mut skills = vec![content_skill(shared)];
    if shared.site.settings.agents.register() {
        skills.push(registration_skill(shared));
    }
    skills
}

fn content_skill(shared: &Shared) -> Skill {
    let firm = &shared.site.settings.firm;
    let name = &firm.name[shared.locale];
    let description =
        format!("Read the public content of {name}: practice areas, people, publications and contact details.");
    let absolute = |path: &str| shared.site.absolute(path);
    let text = format!(
        "---\nname: {skill}\ndescription: {description}\n---\n\n# Reading the content of {name}\n\n\
         1. Read {llms} for an overview; its pages are addresses that end in `.md` and answer with Markdown.\n\
         2. For structured data use the JSON API at {api}, described by {openapi}. `?locale=en` or `?locale=tr` selects the \
         language; `en` is the default.\n\
         3. Any page answers with Markdown when `Accept: text/markdown` is sent, or at its address with `.md` \
         appended (`/index.md` for `/`).\n\
         4. For tools use the MCP endpoint {mcp} (Streamable HTTP, no credential needed).\n\n\
         Cite the `url` of what you quote. {disclaimer}\n",
        skill = skill_name(routes::CONTENT_SKILL),
        description = quoted(&description),
        llms = absolute(routes::LLMS_TXT),
        api = absolute(routes::API_BASE),
        openapi = absolute(routes::OPENAPI),
        mcp = absolute(routes::MCP),
        disclaimer = firm.disclaimer[shared.locale],
    );
    Skill { path: routes::CONTENT_SKILL, description, text }
}

fn registration_skill(shared: &Shared) -> Skill {
    let name = &shared.site.settings.firm.name[shared.locale];
    let description = format!("Register an agent with {name}, have a user claim it, and use its credential.");
    let text = format!(
        "---\nname: {skill}\ndescription: {description}\n---\n\n# Registering with {name}\n\n\
         Public content needs no credential. Register only if you want higher limits or act for a user. Follow {auth} step \
         by step; what is on offer is in {metadata}.\n",
        skill = skill_name(routes::REGISTRATION_SKILL),
        description = quoted(&description),
        auth = shared.site.absolute(routes::AUTH_MD),
        metadata = shared.site.absolute(routes::AUTHORIZATION_SERVER),
    );
    Skill { path: routes::REGISTRATION_SKILL, description, text }
}

/// Returns a YAML string: JSON strings are YAML.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_has_no_port_and_may_stand_in_a_urn() {
        assert_eq!(host("https://firm.example"), "firm.example");
        assert_eq!(host("https://firm.example:8443"), "firm.example");
        assert_eq!(host("http://[::1]:8080"), "--1");
    }
}
