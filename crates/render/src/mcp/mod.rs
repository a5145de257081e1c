//! Prepared responses of the Model Context Protocol endpoint: one part of the build, which the sidecar serves.
//!
//! This module decides their content. The sidecar parses requests, and adds to a result what each protocol revision
//! requires.

mod filters;
mod network;
mod pages;
mod prompts;
mod server;
mod tools;

use contract::{
    PerLocale,
    manifest::{self, Abilities},
    mcp::{PART, PreparedCatalogue, Skill},
    media,
};
use findings::messages::Text;
use serde::Serialize;
use serde_json::{json, value::RawValue};

use super::{RenderError, Theme, api, output::Output, pages::Archive, shared::Shared, skills};

pub(super) use server::{VERSION, card, registry_entry, title};

pub(super) fn catalogue(
    shared: &PerLocale<Shared>,
    theme: &Theme,
    archives: &[Archive],
) -> Result<Output, RenderError> {
    let here = &shared[contract::Locale::DEFAULT];
    let (templates, patterns) = pages::templates(here)?;
    let (prompts, texts) = prompts::prompts(shared, theme)?;
    let offers = &here.site.settings.agents;
    let without_providers = offers.honoured(Abilities { mail: true, providers: false });
    let catalogue = PreparedCatalogue {
        server: server::name(here)?,
        initialize: server::initialize(here)?,
        discover: server::discover(here)?,
        capabilities: raw(&server::capabilities(offers))?,
        capabilities_without_providers: raw(&server::capabilities(&without_providers))?,
        skills: skills(here)?,
        tools: raw(&json!({ "tools": tools::list(!here.content.network.is_empty())? }))?,
        answers: tools::answers(shared, theme)?,
        prompts,
        texts,
        templates,
        patterns,
        pages: pages::all(shared, archives)?,
    };
    let mut output = Output::default();
    output.push_part(PART, None, media::JSON, api::json(&catalogue)?);
    let own_laws = &here.site.settings.own_laws;
    if !own_laws.is_empty() {
        output.push_part(manifest::LAWS, None, media::JSON, api::json(own_laws)?);
    }
    Ok(output)
}

/// Returns every skill that the site has under the most able service.
fn skills(shared: &Shared) -> Result<Vec<Skill<Raw>>, RenderError> {
    let skills = skills::skills(shared, &shared.site.settings.agents).into_iter();
    let skills = skills.map(|skill| {
        let frontmatter = raw(&json!({ "name": skill.name(), "description": skill.description }))?;
        Ok(Skill { uri: format!("skill://{}/SKILL.md", skill.name()), path: skill.path.to_owned(), frontmatter })
    });
    skills.collect()
}

/// JSON exactly as it is sent.
type Raw = Box<RawValue>;

fn raw(value: &impl Serialize) -> Result<Raw, RenderError> {
    serde_json::value::to_raw_value(value).map_err(|error| RenderError::Inconsistent(Text::verbatim(error)))
}
