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
    mcp::{PART, PreparedCatalogue},
    media,
};
use findings::messages::Text;
use serde::Serialize;
use serde_json::{json, value::RawValue};

use super::{RenderError, Theme, api, output::Output, pages::Archive, shared::Shared};

pub(super) use server::{VERSION, card, registry_entry, title};

/// Renders the catalogue.
pub(super) fn catalogue(
    shared: &PerLocale<Shared>,
    theme: &Theme,
    archives: &[Archive],
) -> Result<Output, RenderError> {
    let here = &shared[contract::Locale::DEFAULT];
    let (templates, patterns) = pages::templates(here)?;
    let (prompts, texts) = prompts::prompts(shared, theme)?;
    let catalogue = PreparedCatalogue {
        server: server::name(here)?,
        initialize: server::initialize(here)?,
        discover: server::discover(here)?,
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
    Ok(output)
}

/// JSON exactly as it is sent.
type Raw = Box<RawValue>;

fn raw(value: &impl Serialize) -> Result<Raw, RenderError> {
    serde_json::value::to_raw_value(value).map_err(|error| RenderError::Inconsistent(Text::verbatim(error)))
}
