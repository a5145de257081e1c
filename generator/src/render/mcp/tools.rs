//! The list of tools with their schemas, and where each answer comes from.

use contract::{
    Locale, PerLocale,
    mcp::{
        Document, GlobalNetwork, ListCut, NO_NETWORK, PageMarkdown, SearchResults, Source, TOOLS, Tool, ToolAnswer,
        ToolKind,
        arguments::{ID, LIMIT, LOCALE, MAX_CHARS, OFFSET, QUERY, URL},
        limits::{self, CHARACTERS, LIST_ITEMS, MAX_CHARACTERS, MAX_RESULTS, MIN_CHARACTERS, RESULTS},
    },
    resources::{ContactResponse, PracticeAreaList, PublicationList, TeamList},
    routes,
};
use schemars::{JsonSchema, generate::SchemaSettings};
use serde_json::{Map, Value, json};

use super::{Raw, network, raw};
use crate::{
    messages,
    render::{RenderError, Theme, shared::Shared},
};

/// The tools as clients see them. A tool for which the firm has nothing says so, and answers all the same: clients rely
/// on the list.
pub(super) fn list(has_network: bool) -> Result<Vec<Value>, RenderError> {
    TOOLS.iter().map(|tool| describe(tool, has_network)).collect()
}

/// Where the sidecar finds the answer of each tool.
pub(super) fn answers(shared: &PerLocale<Shared>, theme: &Theme) -> Result<Vec<ToolAnswer<Raw>>, RenderError> {
    let answer = |tool: &Tool| {
        let (source, list) = match tool.kind {
            ToolKind::Resource(path) => (Source::Route(path.to_owned()), is_list(path).then_some("items")),
            ToolKind::Network => {
                let of = |locale: Locale| raw(&network::network(&shared[locale], theme)?);
                (Source::Prepared(PerLocale { en: of(Locale::En)?, tr: of(Locale::Tr)? }), Some("countries"))
            }
            ToolKind::Search => (Source::Search, None),
            ToolKind::Fetch => (Source::Fetch, None),
            ToolKind::Page => (Source::Page, None),
        };
        Ok(ToolAnswer { name: tool.name.to_owned(), source, list: list.map(str::to_owned) })
    };
    TOOLS.iter().map(answer).collect()
}

fn is_list(path: &str) -> bool {
    path != routes::CONTACT
}

fn describe(tool: &Tool, has_network: bool) -> Result<Value, RenderError> {
    let (input, mut output) = match tool.kind {
        ToolKind::Resource(path) if is_list(path) => (parts("items"), or_part(resource_schema(path)?)),
        ToolKind::Resource(path) => (in_language(), resource_schema(path)?),
        ToolKind::Network => (parts("countries"), or_part(schema::<GlobalNetwork>())),
        ToolKind::Search => (search(), schema::<SearchResults>()),
        ToolKind::Fetch => (fetch(), schema::<Document>()),
        ToolKind::Page => (page(), schema::<PageMarkdown>()),
    };
    let mut description = tool.description;
    if tool.kind == ToolKind::Network && !has_network {
        description = NO_NETWORK;
        output["properties"]["url"]["description"] = "The home page: no page names associated firms.".into();
    }
    Ok(json!({
        "name": tool.name,
        "title": tool.title,
        "description": description,
        "inputSchema": input,
        "outputSchema": output,
        "annotations": {
            "title": tool.title,
            "readOnlyHint": true,
            "destructiveHint": false,
            "idempotentHint": true,
            "openWorldHint": false,
        },
    }))
}

fn resource_schema(path: &str) -> Result<Value, RenderError> {
    Ok(match path {
        routes::PRACTICE_AREAS => schema::<PracticeAreaList>(),
        routes::TEAM => schema::<TeamList>(),
        routes::PUBLICATIONS => schema::<PublicationList>(),
        routes::CONTACT => schema::<ContactResponse>(),
        other => return Err(RenderError::Inconsistent(messages::schema_unknown(other))),
    })
}

/// The schema of a list that may come in parts. Typed clients read nothing that a schema does not name, and would take a
/// part for the whole.
fn or_part(mut list: Value) -> Value {
    if let (Some(known), Value::Object(more)) =
        (list["properties"].as_object_mut(), schema::<ListCut>()["properties"].take())
    {
        known.extend(more);
    }
    list
}

/// The schema of an answer, from the same type as in the description of the content API.
fn schema<T: JsonSchema>() -> Value {
    let mut settings = SchemaSettings::draft2020_12().for_serialize();
    settings.meta_schema = None;
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    plain(&mut schema);
    schema
}

/// Takes out the formats of numbers, which are no part of JSON Schema; strict validators refuse them.
fn plain(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            if members.get("format").and_then(Value::as_str).is_some_and(|format| format.starts_with("uint")) {
                members.shift_remove("format");
            }
            members.values_mut().for_each(plain);
        }
        Value::Array(items) => items.iter_mut().for_each(plain),
        _ => {}
    }
}

fn object(properties: &[(&str, Value)], required: &[&str]) -> Value {
    let properties: Map<String, Value> =
        properties.iter().map(|(name, schema)| ((*name).to_owned(), schema.clone())).collect();
    let mut schema = json!({ "type": "object", "properties": properties });
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    schema
}

fn locale() -> (&'static str, Value) {
    let schema = json!({
        "type": "string",
        "enum": Locale::ALL,
        "default": Locale::DEFAULT,
        "description": "The response language.",
    });
    (LOCALE, schema)
}

fn offset(of: &str) -> (&'static str, Value) {
    let description = format!("Where to begin, in {of}: `next_offset` of the part before.");
    (OFFSET, json!({ "type": "integer", "minimum": 0, "default": 0, "description": description }))
}

fn in_language() -> Value {
    object(&[locale()], &[])
}

fn parts(of: &str) -> Value {
    let limit = json!({
        "type": "integer",
        "minimum": 1,
        "maximum": LIST_ITEMS,
        "description": format!("Most {of} to return. Without it a list comes whole unless it is very long; a list \
                                that was cut says `truncated` and `next_offset`."),
    });
    object(&[locale(), offset(of), (LIMIT, limit)], &[])
}

fn search() -> Value {
    let query = json!({
        "type": "string",
        "minLength": 1,
        "maxLength": limits::QUERY,
        "description": "A few words, best in the language of `locale`.",
    });
    let limit = json!({
        "type": "integer",
        "minimum": 1,
        "maximum": MAX_RESULTS,
        "default": RESULTS,
        "description": "Most results to return.",
    });
    let language = json!({
        "type": "string",
        "enum": Locale::ALL,
        "description": "The language of the pages that are returned. Without it, each page is returned in the language in which it fits better.",
    });
    object(&[(QUERY, query), (LOCALE, language), (LIMIT, limit)], &[QUERY])
}

fn fetch() -> Value {
    let id = json!({
        "type": "string",
        "minLength": 1,
        "maxLength": limits::ADDRESS,
        "description": "An `id` that `search` returned.",
    });
    object(&[(ID, id), offset("characters")], &[ID])
}

fn page() -> Value {
    let url = json!({
        "type": "string",
        "minLength": 1,
        "maxLength": limits::ADDRESS,
        "description": "The address of a page of this site, or its path; with or without `.md`.",
    });
    let characters = json!({
        "type": "integer",
        "minimum": MIN_CHARACTERS,
        "maximum": MAX_CHARACTERS,
        "default": CHARACTERS,
        "description": "Most characters to return.",
    });
    let language = json!({
        "type": "string",
        "enum": Locale::ALL,
        "description": "The language in which to read the page, where it exists in it. Without it the page is \
                        returned in its own language.",
    });
    object(&[(URL, url), (LOCALE, language), offset("characters"), (MAX_CHARS, characters)], &[URL])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::openapi;

    /// `#/components/schemas/X` of the description is `#/$defs/X` of a tool.
    fn with_definitions(schema: &Value) -> Value {
        let text = schema.to_string().replace("#/components/schemas/", "#/$defs/");
        let mut schema: Value = serde_json::from_str(&text).unwrap();
        plain(&mut schema);
        schema
    }

    fn properties(schema: &Value) -> impl Iterator<Item = (&String, &Value)> {
        schema["properties"].as_object().into_iter().flatten()
    }

    /// Generated clients may read nothing but the first of such choices.
    #[test]
    fn enumerations_are_never_written_as_a_choice_of_schemas() {
        fn assert_words(schema: &Value, place: &str) {
            for choice in ["oneOf", "anyOf"] {
                let of = schema.get(choice).and_then(Value::as_array).into_iter().flatten();
                assert_eq!(of.filter(|one| one.get("const").is_some()).count(), 0, "{place}: {schema}");
            }
            let inner: Vec<&Value> = match schema {
                Value::Object(members) => members.values().collect(),
                Value::Array(items) => items.iter().collect(),
                _ => Vec::new(),
            };
            for inner in inner {
                assert_words(inner, place);
            }
        }
        assert_words(&openapi::schemas().into(), "the description");
        for tool in list(true).unwrap() {
            assert_words(&tool, tool["name"].as_str().unwrap());
        }
    }

    #[test]
    fn list_that_comes_in_parts_says_so_in_its_schema() {
        for tool in list(true).unwrap() {
            let names = |side: &str| properties(&tool[side]).map(|(name, _)| name.clone()).collect::<Vec<_>>();
            let comes_in_parts = names("inputSchema").iter().any(|name| name == OFFSET) && tool["name"] != "fetch";
            let output = names("outputSchema");
            for (name, _) in properties(&schema::<ListCut>()) {
                assert_eq!(output.contains(name), comes_in_parts, "{name} of {}", tool["name"]);
            }
        }
    }

    #[test]
    fn answers_have_the_schemas_of_the_description_but_for_what_a_part_of_a_list_adds() {
        let described = openapi::schemas();
        let names = ["PracticeAreaList", "TeamList", "PublicationList", "ContactResponse"];
        let part = schema::<ListCut>();
        let tools: Vec<_> = TOOLS.iter().filter(|tool| matches!(tool.kind, ToolKind::Resource(_))).collect();
        assert_eq!(tools.len(), names.len());
        for (tool, name) in tools.into_iter().zip(names) {
            let mut schema = describe(tool, true).unwrap()["outputSchema"].take();
            let definitions = schema.as_object_mut().unwrap().shift_remove("$defs").unwrap_or_default();
            schema.as_object_mut().unwrap().shift_remove("title");
            if name != "ContactResponse" {
                for (of_part, _) in properties(&part) {
                    assert!(schema["properties"].as_object_mut().unwrap().shift_remove(of_part).is_some(), "{of_part}");
                }
            }
            assert_eq!(schema, with_definitions(&described[name]), "{name}");
            for (inner, definition) in definitions.as_object().into_iter().flatten() {
                assert_eq!(definition, &with_definitions(&described[inner]), "{inner}");
            }
        }
    }

    #[test]
    fn text_that_a_tool_takes_says_how_long_it_may_be() {
        for tool in list(true).unwrap() {
            for (name, schema) in tool["inputSchema"]["properties"].as_object().unwrap() {
                let is_free = schema["type"] == "string" && schema.get("enum").is_none();
                assert_eq!(schema.get("maxLength").is_some(), is_free, "{name} of {}", tool["name"]);
            }
        }
    }

    #[test]
    fn network_tool_of_a_firm_without_a_network_says_so() {
        let [with, without] = [true, false].map(|has_network| list(has_network).unwrap());
        assert_eq!(with.len(), without.len());
        for (with, without) in with.iter().zip(&without) {
            assert_eq!(with == without, with["name"] != "get_global_network", "{}", with["name"]);
        }
    }

    #[test]
    fn every_schema_is_of_an_object_with_properties() {
        for tool in list(true).unwrap() {
            for side in ["inputSchema", "outputSchema"] {
                assert_eq!(tool[side]["type"], "object", "{tool}");
                assert!(tool[side]["properties"].is_object(), "{tool}");
                assert!(!tool[side].to_string().contains("\"uint"), "{tool}");
            }
        }
        assert!(list(true).unwrap()[0]["inputSchema"].get("required").is_none(), "the first tool needs no argument");
    }
}
