//! Prompts: common questions of clients, in both languages. Their words are in the strings files.

use contract::{
    Locale, PerLocale,
    mcp::{Argument, Prompt, arguments::LOCALE},
};
use serde_json::{Value, json};

use super::{Raw, raw};
use crate::{RenderError, Theme, shared::Shared};

/// A prompt with one argument besides `locale`.
struct PromptTemplate {
    name: &'static str,
    argument: &'static str,
    /// Suggested values of the argument.
    values: fn(&Shared) -> Vec<String>,
    /// Whether the site has content for an answer.
    is_available: fn(&Shared) -> bool,
}

const QUESTIONS: [PromptTemplate; 3] = [
    PromptTemplate {
        name: "find_lawyer",
        argument: "matter",
        values: |shared| shared.content.practice_areas.iter().map(|area| area.document.title.clone()).collect(),
        is_available: |_| true,
    },
    PromptTemplate {
        name: "brief_on_topic",
        argument: "topic",
        values: |shared| {
            let categories = shared.site.settings.categories.iter();
            categories.map(|category| category.name[shared.locale].clone()).collect()
        },
        is_available: |_| true,
    },
    PromptTemplate {
        name: "counsel_abroad",
        argument: "country",
        values: |shared| {
            let by_country = shared.content.network.chunk_by(|one, other| one.country == other.country);
            by_country.map(|firms| firms[0].country_name.clone()).collect()
        },
        is_available: |shared| !shared.content.network.is_empty(),
    },
];

/// Returns the list for clients, and the text of each prompt.
pub(super) fn prompts(shared: &PerLocale<Shared>, theme: &Theme) -> Result<(Raw, Vec<Prompt>), RenderError> {
    let mut described = Vec::new();
    let mut prompts = Vec::new();
    for PromptTemplate { name, argument, values, is_available } in QUESTIONS {
        if !is_available(&shared[Locale::DEFAULT]) {
            continue;
        }
        let word = |locale: Locale, key: &str| Ok(theme.word(locale, &format!("mcp/{name}/{key}"))?);
        let both = |key: &str| -> Result<PerLocale<String>, RenderError> {
            Ok(PerLocale { en: word(Locale::En, key)?, tr: word(Locale::Tr, key)? })
        };
        described.push(describe(name, argument, &word)?);
        prompts.push(Prompt {
            name: name.to_owned(),
            arguments: vec![Argument {
                name: argument.to_owned(),
                values: PerLocale::build(|locale| values(&shared[locale])),
            }],
            description: both("description")?,
            text: both("text")?,
        });
    }
    Ok((raw(&json!({ "prompts": described }))?, prompts))
}

/// Describes a prompt for the list. All clients get one list, in the default locale.
fn describe(
    name: &str,
    argument: &str,
    word: &impl Fn(Locale, &str) -> Result<String, RenderError>,
) -> Result<Value, RenderError> {
    Ok(json!({
        "name": name,
        "title": word(Locale::DEFAULT, "title")?,
        "description": word(Locale::DEFAULT, "description")?,
        "arguments": [
            { "name": argument, "description": word(Locale::DEFAULT, "argument")?, "required": true },
            { "name": LOCALE, "description": "Language of the prompt: `en` (default) or `tr`.", "required": false },
        ],
    }))
}
