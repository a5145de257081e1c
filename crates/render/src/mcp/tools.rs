//! The list of tools with their schemas, and the source of each answer.

use contract::{
    Locale, PerLocale,
    mcp::{
        DocumentResult, GlobalNetwork, ListCut, NO_NETWORK, PageMarkdown, Remarks, SearchResults, Source, TOOLS, Tool,
        ToolAnswer, ToolKind,
        arguments::{
            AUTHOR, CATEGORY, CITES, COUNTRY, ID, LANGUAGE, LIMIT, LOCALE, MAX_CHARS, OFFSET, PRACTICE_AREA, QUERY,
            URL, YEAR,
        },
        limits::{self, CHARACTERS, LIST_ITEMS, MAX_CHARACTERS, MAX_OFFSET, MAX_RESULTS, MIN_CHARACTERS, RESULTS},
    },
    resources::{ContactResponse, PracticeAreaList, PublicationList, TeamList},
    routes,
};
use findings::messages::{self, Text};
use schemars::{JsonSchema, generate::SchemaSettings};
use serde_json::{Map, Value, json};

use super::{Raw, filters, network, pages::law_changed, raw};
use crate::{RenderError, Theme, api, shared::Shared};

/// Lists the tools for clients. A tool without content stays in the list, because clients rely on it; its description
/// mentions that.
pub(super) fn list(has_network: bool) -> Result<Vec<Value>, RenderError> {
    TOOLS.iter().map(|tool| describe(tool, has_network)).collect()
}

/// Returns the source of each tool's answer.
pub(super) fn answers(shared: &PerLocale<Shared>, theme: &Theme) -> Result<Vec<ToolAnswer<Raw>>, RenderError> {
    let answer = |tool: &Tool| {
        let (source, list) = match tool.kind {
            ToolKind::Resource(routes::PUBLICATIONS) if has_law_changes(shared) => {
                let of = |locale: Locale| raw(&with_law_changes(&shared[locale])?);
                (Source::Prepared(PerLocale { en: of(Locale::En)?, tr: of(Locale::Tr)? }), Some(ITEMS))
            }
            ToolKind::Resource(path) => (Source::Route(path.to_owned()), is_list(path).then_some(ITEMS)),
            ToolKind::Network => {
                let of = |locale: Locale| raw(&network::network(&shared[locale], theme)?);
                (Source::Prepared(PerLocale { en: of(Locale::En)?, tr: of(Locale::Tr)? }), Some("countries"))
            }
            ToolKind::Search => (Source::Search, None),
            ToolKind::Fetch => (Source::Fetch, None),
            ToolKind::Page => (Source::Page, None),
        };
        Ok(ToolAnswer {
            name: tool.name.to_owned(),
            source,
            list: list.map(str::to_owned),
            counted: (tool.kind == ToolKind::Network).then(|| "firms".to_owned()),
            filters: filters::of(tool.kind, shared),
            searched: queried_members(tool.kind).iter().map(|name| (*name).to_owned()).collect(),
        })
    };
    TOOLS.iter().map(answer).collect()
}

/// The member of a list with its items.
const ITEMS: &str = "items";
/// The member of an article with the changes of law that its text does not state.
const LAW_CHANGED: &str = "law_changed";

fn has_law_changes(shared: &PerLocale<Shared>) -> bool {
    let publications = shared.iter().flat_map(|(_, shared)| &shared.content.publications);
    publications.into_iter().any(|publication| !publication.document.law_changes.is_empty())
}

/// Returns the list of publications of the content API; those whose text does not state a change of law also name it.
fn with_law_changes(shared: &Shared) -> Result<Value, RenderError> {
    let list = api::publications(shared)?;
    let mut list = serde_json::to_value(list).map_err(|error| RenderError::Inconsistent(Text::verbatim(error)))?;
    let items = list[ITEMS].as_array_mut().into_iter().flatten();
    for (item, publication) in items.zip(&shared.content.publications) {
        let changes = &publication.document.law_changes;
        if !changes.is_empty() {
            item[LAW_CHANGED] = changes.iter().map(|change| json!(law_changed(change, shared.locale))).collect();
        }
    }
    Ok(list)
}

/// Adds [`LAW_CHANGED`] to the schema of the list of publications, as results of a search have it.
fn describing_law_changes(mut list: Value) -> Value {
    let found = &mut schema::<SearchResults>()["properties"]["results"]["items"]["properties"][LAW_CHANGED];
    list["properties"][ITEMS]["items"]["properties"][LAW_CHANGED] = found.take();
    list
}

/// The members of an item that `query` searches.
fn queried_members(kind: ToolKind) -> &'static [&'static str] {
    if kind == ToolKind::Resource(routes::PUBLICATIONS) { &["title", "excerpt", "author", "category"] } else { &[] }
}

/// The form of the argument `cites`.
const CITES_FORM: &str = "Law or article that the text cites: `6102`, `6102/553`.";

/// The arguments that select items, with their descriptions for models.
fn filter_arguments(kind: ToolKind) -> &'static [(&'static str, &'static str)] {
    match kind {
        ToolKind::Resource(routes::TEAM) => {
            &[(PRACTICE_AREA, "Field of law, by name."), (LANGUAGE, "Working language, by name or code.")]
        }
        ToolKind::Resource(routes::PUBLICATIONS) => &[
            (CATEGORY, "Category, by name."),
            (YEAR, "Year of publication."),
            (AUTHOR, "Name of an author."),
            (CITES, CITES_FORM),
            (QUERY, "Words of title, excerpt, author or category."),
        ],
        ToolKind::Network => &[(COUNTRY, "Country, by name or ISO code.")],
        _ => &[],
    }
}

fn is_list(path: &str) -> bool {
    path != routes::CONTACT
}

fn describe(tool: &Tool, has_network: bool) -> Result<Value, RenderError> {
    let (input, output) = match tool.kind {
        ToolKind::Resource(path) if is_list(path) => {
            (parts(tool.kind), with_members::<ListCut>(resource_schema(path)?))
        }
        ToolKind::Resource(path) => (in_language(), resource_schema(path)?),
        ToolKind::Network => (parts(tool.kind), with_members::<ListCut>(schema::<GlobalNetwork>())),
        ToolKind::Search => (search(), schema::<SearchResults>()),
        ToolKind::Fetch => (fetch(), schema::<DocumentResult>()),
        ToolKind::Page => (page(), schema::<PageMarkdown>()),
    };
    let description = if tool.kind == ToolKind::Network && !has_network { NO_NETWORK } else { tool.description };
    Ok(json!({
        "name": tool.name,
        "title": tool.title,
        "description": description,
        "inputSchema": input,
        "outputSchema": with_members::<Remarks>(output),
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
        routes::PUBLICATIONS => describing_law_changes(schema::<PublicationList>()),
        routes::CONTACT => schema::<ContactResponse>(),
        other => return Err(RenderError::Inconsistent(messages::schema_unknown(other))),
    })
}

/// Adds the members of `T` to the schema of an object. Typed clients ignore members that the schema does not name, and
/// would take a part of a list for the whole.
fn with_members<T: JsonSchema>(mut object: Value) -> Value {
    if let (Some(known), Value::Object(more)) =
        (object["properties"].as_object_mut(), schema::<T>()["properties"].take())
    {
        known.extend(more);
    }
    object
}

/// Returns the schema of an answer, from the same type as in the OpenAPI description. Models pay for each word, so it
/// has no descriptions.
fn schema<T: JsonSchema>() -> Value {
    let mut settings = SchemaSettings::draft2020_12().for_serialize();
    settings.meta_schema = None;
    settings.inline_subschemas = true;
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    if let Some(members) = schema.as_object_mut() {
        members.shift_remove("title");
    }
    strip_descriptions(&mut schema);
    schema
}

/// Removes descriptions, and number formats, which are not part of JSON Schema and which strict validators reject.
fn strip_descriptions(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            // A property may have this name; it is an object then.
            if members.get("description").is_some_and(Value::is_string) {
                members.shift_remove("description");
            }
            if members.get("format").and_then(Value::as_str).is_some_and(|format| format.starts_with("uint")) {
                members.shift_remove("format");
            }
            members.values_mut().for_each(strip_descriptions);
        }
        Value::Array(items) => items.iter_mut().for_each(strip_descriptions),
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
    (LOCALE, json!({ "type": "string", "enum": Locale::ALL, "default": Locale::DEFAULT }))
}

fn offset() -> (&'static str, Value) {
    (
        OFFSET,
        json!({ "type": "integer", "minimum": 0, "default": 0, "description": "`next_offset` of the part before." }),
    )
}

fn in_language() -> Value {
    object(&[locale()], &[])
}

fn parts(kind: ToolKind) -> Value {
    let text = |(name, description): &(&'static str, &str)| {
        let (form, most) = if *name == YEAR { ("integer", None) } else { ("string", Some(limits::FILTER)) };
        let mut schema = json!({ "type": form, "description": description });
        if let Some(most) = most {
            schema["maxLength"] = most.into();
        }
        (*name, schema)
    };
    let limit = json!({ "type": "integer", "minimum": 1, "maximum": LIST_ITEMS });
    let of_all = [locale(), offset(), (LIMIT, limit)];
    object(&filter_arguments(kind).iter().map(text).chain(of_all).collect::<Vec<_>>(), &[])
}

fn search() -> Value {
    let query = json!({
        "type": "string",
        "minLength": 1,
        "maxLength": limits::QUERY,
    });
    let limit = json!({ "type": "integer", "minimum": 1, "maximum": MAX_RESULTS, "default": RESULTS });
    let skipped = json!({
        "type": "integer", "minimum": 0, "maximum": MAX_OFFSET, "default": 0, "description": "Results to skip.",
    });
    let language = json!({ "type": "string", "enum": Locale::ALL });
    let cites = json!({ "type": "string", "maxLength": limits::FILTER, "description": CITES_FORM });
    object(&[(QUERY, query), (LOCALE, language), (CITES, cites), (OFFSET, skipped), (LIMIT, limit)], &[QUERY])
}

fn fetch() -> Value {
    let id = json!({
        "type": "string",
        "minLength": 1,
        "maxLength": limits::ADDRESS,
    });
    object(&[(ID, id), offset()], &[ID])
}

fn page() -> Value {
    let url = json!({
        "type": "string",
        "minLength": 1,
        "maxLength": limits::ADDRESS,
        "description": "Address or path of the page, with or without `.md`.",
    });
    let characters = json!({
        "type": "integer",
        "minimum": MIN_CHARACTERS,
        "maximum": MAX_CHARACTERS,
        "default": CHARACTERS,
    });
    let language = json!({
        "type": "string",
        "enum": Locale::ALL,
        "description": "Read the page in this language instead of its own.",
    });
    object(&[(URL, url), (LOCALE, language), offset(), (MAX_CHARS, characters)], &[URL])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::openapi;

    fn properties(schema: &Value) -> impl Iterator<Item = (&String, &Value)> {
        schema["properties"].as_object().into_iter().flatten()
    }

    /// Generated clients may read only the first of such choices.
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
    fn schema_of_a_list_in_parts_has_the_members_of_a_part() {
        for tool in list(true).unwrap() {
            let names = |side: &str| properties(&tool[side]).map(|(name, _)| name.clone()).collect::<Vec<_>>();
            let is_list = tool["name"] != "fetch" && tool["name"] != "search";
            let comes_in_parts = is_list && names("inputSchema").iter().any(|name| name == OFFSET);
            let output = names("outputSchema");
            for (name, _) in properties(&schema::<ListCut>()) {
                assert_eq!(output.contains(name), comes_in_parts, "{name} of {}", tool["name"]);
            }
        }
    }

    #[test]
    fn answers_have_the_schemas_of_the_openapi_description() {
        let described = Value::from(openapi::schemas());
        let names = ["PracticeAreaList", "TeamList", "PublicationList", "ContactResponse"];
        let tools: Vec<_> = TOOLS.iter().filter(|tool| matches!(tool.kind, ToolKind::Resource(_))).collect();
        assert_eq!(tools.len(), names.len());
        for (tool, name) in tools.into_iter().zip(names) {
            let mut schema = describe(tool, true).unwrap()["outputSchema"].take();
            if name == "PublicationList" {
                let item = schema["properties"][ITEMS]["items"]["properties"].as_object_mut().unwrap();
                assert_eq!(item.shift_remove(LAW_CHANGED).unwrap()["type"], "array");
            }
            let cut = if name == "ContactResponse" { Value::Null } else { self::schema::<ListCut>() };
            let remarks = self::schema::<Remarks>();
            for (added, _) in properties(&cut).chain(properties(&remarks)) {
                assert!(schema["properties"].as_object_mut().unwrap().shift_remove(added).is_some(), "{name}: {added}");
            }
            let mut expected = inlined(&described[name], &described);
            strip_descriptions(&mut expected);
            assert_eq!(schema, expected, "{name}");
        }
    }

    /// Returns a schema with each reference replaced by its target.
    fn inlined(schema: &Value, all: &Value) -> Value {
        match schema {
            Value::Object(members) => match members.get("$ref").and_then(Value::as_str) {
                Some(reference) => inlined(&all[reference.strip_prefix("#/components/schemas/").unwrap()], all),
                None => members.iter().map(|(name, value)| (name.clone(), inlined(value, all))).collect(),
            },
            Value::Array(items) => items.iter().map(|item| inlined(item, all)).collect(),
            other => other.clone(),
        }
    }

    #[test]
    fn filter_argument_is_only_in_the_schema_of_its_tool() {
        let all = [CATEGORY, YEAR, AUTHOR, PRACTICE_AREA, LANGUAGE, COUNTRY];
        for (tool, listed) in TOOLS.iter().zip(list(true).unwrap()) {
            let selecting = filter_arguments(tool.kind);
            for name in all {
                let has = listed["inputSchema"]["properties"].get(name).is_some();
                assert_eq!(has, selecting.iter().any(|(other, _)| *other == name), "{name} of {}", tool.name);
            }
            assert_eq!(
                selecting.iter().any(|(name, _)| *name == QUERY),
                !queried_members(tool.kind).is_empty(),
                "{}",
                tool.name
            );
        }
    }

    #[test]
    fn text_argument_has_a_maximum_length() {
        for tool in list(true).unwrap() {
            for (name, schema) in tool["inputSchema"]["properties"].as_object().unwrap() {
                let is_free = schema["type"] == "string" && schema.get("enum").is_none();
                assert_eq!(schema.get("maxLength").is_some(), is_free, "{name} of {}", tool["name"]);
            }
        }
    }

    #[test]
    fn network_tool_of_a_firm_without_a_network_is_described_as_empty() {
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
