//! The OpenAPI 3.1 description: component schemas from the contract's types, paths from its table of operations,
//! examples from the site's content.

mod headers;

use contract::{
    Locale, PerLocale, discovery,
    errors::{ErrorCode, ErrorResponse},
    headers::written,
    manifest::Class,
    media,
    resources::{ContactResponse, HealthResponse, List, PracticeAreaList, PublicationList, TeamList},
    routes::{self, OPERATIONS, Operation},
};
use findings::messages::Text;
use schemars::{Schema, SchemaGenerator, generate::SchemaSettings};
use serde::Serialize;
use serde_json::{Map, Value, json};
use site::{Agents, PageKind};

use super::{
    RenderError, api,
    json_ld::without_nulls,
    output::{Output, VariantDraft},
    shared::Shared,
};

/// Version of the described interface, independent of the version prefix in the path.
const API_VERSION: &str = "1.0.0";
/// Maximum number of items in the example of a list.
const EXAMPLE_ITEMS: usize = 2;

/// Renders the description for `agents`: the same bytes at both of its addresses, and its other formats.
pub(super) fn description(shared: &PerLocale<Shared>, agents: &Agents) -> Result<Output, RenderError> {
    let document = document(shared, agents)?;
    let yaml = serde_saphyr::to_string(&document).map_err(|error| RenderError::Inconsistent(Text::verbatim(error)))?;
    let bytes = api::json(&document)?;
    let mut output = Output::default();
    let mut push = |path: &str, media_type, bytes: Vec<u8>| {
        output.push(path, Class::Description, media_type, bytes, VariantDraft::english());
    };
    push(routes::API_OPENAPI, media::JSON, bytes.clone());
    push(routes::OPENAPI, media::JSON, bytes);
    push(routes::OPENAPI_YAML, media::YAML, yaml.into_bytes());
    push(routes::OPENAPI_3_0, media::JSON, api::json(&in_3_0(document))?);
    Ok(output)
}

/// Converts the description to OpenAPI 3.0.3; it uses no other features of 3.1.
fn in_3_0(mut document: Value) -> Value {
    document["openapi"] = "3.0.3".into();
    if let Some(info) = document["info"].as_object_mut() {
        info.shift_remove("summary");
    }
    if let Some(schemas) = document["components"]["schemas"].as_object_mut() {
        for schema in schemas.values_mut().filter_map(Value::as_object_mut) {
            // A schema of OpenAPI 3.0 has one example.
            if let Some(example) = schema.shift_remove("examples").and_then(|examples| examples.get(0).cloned()) {
                schema.insert("example".to_owned(), example);
            }
        }
    }
    document
}

/// Converts a name to ASCII: client generators derive package names from it.
fn to_ascii(name: &str) -> String {
    let mut written = String::with_capacity(name.len());
    for letter in name.chars() {
        if letter.is_ascii() {
            written.push(letter);
            continue;
        }
        let folded = search::fold(letter.encode_utf8(&mut [0; 4]));
        let folded = folded.chars().filter(char::is_ascii);
        written.extend(folded.map(|it| if letter.is_uppercase() { it.to_ascii_uppercase() } else { it }));
    }
    written.trim().to_owned()
}

fn document(shared: &PerLocale<Shared>, agents: &Agents) -> Result<Value, RenderError> {
    let here = &shared[Locale::DEFAULT];
    let site = here.site;
    let firm = &site.settings.firm;
    // Mention credentials only if agents can obtain them.
    let (registered, bearer) = if agents.register() {
        let registered = format!(" or a credential from agent registration ({})", site.absolute(routes::AUTH_MD));
        (registered, "The sandbox key or a credential from agent registration.")
    } else {
        (String::new(), "The sandbox key.")
    };
    let terms = here.page(PageKind::LegalNotice).map(|page| site.absolute(&page.path));
    let (mut paths, mut schemas) = (Map::new(), open_schemas());
    for operation in OPERATIONS {
        let path = operation.path.strip_prefix(routes::API_BASE).unwrap_or(operation.path);
        let examples = examples(&operation, shared)?;
        // Several explorers and mock servers read no named examples, but that of the schema.
        let first = examples.values().next().map(|example| example["value"].clone());
        if let (Some(schema), Some(first)) = (operation.schema.and_then(|name| schemas.get_mut(name)), first) {
            schema["examples"] = json!([first]);
        }
        paths.insert(path.to_owned(), json!({ "get": get(&operation, examples) }));
    }
    Ok(json!({
        "openapi": "3.1.1",
        "info": without_nulls(json!({
            "title": to_ascii(&format!("{} content API", firm.name[Locale::DEFAULT])),
            "version": API_VERSION,
            "summary": "Public, read-only content of a law firm in English and Turkish.",
            "description": format!(
                "{} No credential is needed. The published sandbox key `{}`{registered} may be sent; a credential that \
                 is sent must be valid. {}",
                firm.description[Locale::DEFAULT],
                site.settings.sandbox_key,
                firm.disclaimer[Locale::DEFAULT],
            ),
            "termsOfService": terms,
            "contact": {
                "name": firm.name[Locale::DEFAULT],
                "url": site.absolute(&here.contact_page().path),
                "email": here.content.contact.email,
            },
            "license": without_nulls(json!({
                "name": "Content of the firm, free to read and to quote with its address",
                "url": terms,
            })),
        })),
        "externalDocs": {
            "description": match here.page(PageKind::Developers) {
                Some(_) => "Documentation for developers",
                None => "Overview of the site and of its interfaces",
            },
            "url": site.absolute(&here.documentation().0),
        },
        "servers": [{ "url": site.absolute(routes::API_BASE), "description": "Production; the sandbox is the same." }],
        "tags": [
            { "name": "Content", "description": "What the firm publishes." },
            { "name": "Service", "description": "The service itself." },
        ],
        "paths": paths,
        "components": {
            "schemas": schemas,
            "headers": headers::components(site),
            "responses": shared_responses(),
            "parameters": { "locale": locale_parameter() },
            "securitySchemes": {
                "bearerAuth": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": bearer,
                },
                "apiKeyAuth": {
                    "type": "apiKey",
                    "in": "header",
                    "name": written::X_API_KEY,
                    "description": "The sandbox key.",
                    discovery::OPENAPI_SANDBOX_KEY: site.settings.sandbox_key,
                },
            },
        },
    }))
}

/// Returns the component schemas, derived from the types of the responses.
#[must_use]
pub(super) fn schemas() -> Map<String, Value> {
    let mut settings = SchemaSettings::draft2020_12().for_serialize();
    settings.definitions_path = "/components/schemas".into();
    settings.meta_schema = None;
    let mut generator: SchemaGenerator = settings.into_generator();
    let _: [Schema; 6] = [
        generator.subschema_for::<HealthResponse>(),
        generator.subschema_for::<PracticeAreaList>(),
        generator.subschema_for::<TeamList>(),
        generator.subschema_for::<PublicationList>(),
        generator.subschema_for::<ContactResponse>(),
        generator.subschema_for::<ErrorResponse>(),
    ];
    generator.take_definitions(true)
}

/// Returns the component schemas with the statement that objects may get further members: without it, some generated
/// clients reject an answer with a member that they do not know.
fn open_schemas() -> Map<String, Value> {
    let mut schemas = schemas();
    schemas.values_mut().for_each(open);
    schemas
}

fn open(schema: &mut Value) {
    if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        properties.values_mut().for_each(open);
        if schema.get("additionalProperties").is_none() {
            schema["additionalProperties"] = true.into();
        }
    }
}

fn get(operation: &Operation, examples: Map<String, Value>) -> Value {
    let schema = operation.schema.map_or_else(
        || json!({ "type": "object", "description": "An OpenAPI 3.1 document." }),
        |name| json!({ "$ref": format!("#/components/schemas/{name}") }),
    );
    let mut content = Map::from_iter([("schema".to_owned(), schema)]);
    if !examples.is_empty() {
        content.insert("examples".to_owned(), examples.into());
    }
    let mut responses = Map::new();
    responses.insert(
        "200".to_owned(),
        json!({
            "description": operation.summary,
            "headers": headers::of_success(operation),
            "content": { media::JSON: content },
        }),
    );
    let not_modified = if operation.path == routes::HEALTH { HEALTH_NOT_MODIFIED } else { NOT_MODIFIED };
    responses.insert("304".to_owned(), json!({ "$ref": format!("#/components/responses/{not_modified}") }));
    for code in ERRORS {
        if code != ErrorCode::InvalidLocale || operation.localized {
            responses.insert(
                code.status().to_string(),
                json!({ "$ref": format!("#/components/responses/{}", name_of(code)) }),
            );
        }
    }
    let mut get = json!({
        "operationId": operation.id,
        // Not for the whole document: importers take the first scheme of that for every request, and send an empty key.
        "security": [{}, { "bearerAuth": [] }, { "apiKeyAuth": [] }],
        "summary": operation.summary,
        "description": operation.description,
        "tags": [operation.tag],
        "responses": responses,
    });
    if operation.localized {
        get["parameters"] = json!([{ "$ref": "#/components/parameters/locale" }]);
    }
    get
}

/// Errors of every operation; the first only if the operation has a `locale`.
const ERRORS: [ErrorCode; 7] = [
    ErrorCode::InvalidLocale,
    ErrorCode::InvalidApiKey,
    ErrorCode::MethodNotAllowed,
    ErrorCode::UriTooLong,
    ErrorCode::RateLimited,
    ErrorCode::InternalError,
    ErrorCode::Unavailable,
];

const NOT_MODIFIED: &str = "NotModified";
const HEALTH_NOT_MODIFIED: &str = "HealthNotModified";

fn shared_responses() -> Map<String, Value> {
    let mut responses = Map::new();
    for (name, kept) in [(NOT_MODIFIED, headers::Caching::Briefly), (HEALTH_NOT_MODIFIED, headers::Caching::Never)] {
        let response = json!({
            "description": "The representation named in `If-None-Match` is current.",
            "headers": headers::of_not_modified(kept),
        });
        responses.insert(name.to_owned(), response);
    }
    for code in ERRORS {
        responses.insert(
            name_of(code),
            json!({
                "description": code.message(),
                "headers": headers::of_error(code),
                "content": { media::JSON: {
                    "schema": { "$ref": "#/components/schemas/ErrorResponse" },
                    "example": code.response(),
                } },
            }),
        );
    }
    responses
}

/// Converts a code to the name of a component: `invalid_locale` to `InvalidLocale`.
fn name_of(code: ErrorCode) -> String {
    code.as_str()
        .split('_')
        .flat_map(|word| {
            let (head, tail) = word.split_at(1);
            [head.to_ascii_uppercase(), tail.to_owned()]
        })
        .collect()
}

fn locale_parameter() -> Value {
    json!({
        "name": "locale",
        "in": "query",
        "required": false,
        "description": "The response language: exactly `en` or `tr`, at most once.",
        // Many readers ignore what stands beside a reference.
        "schema": { "default": Locale::DEFAULT, "allOf": [{ "$ref": "#/components/schemas/Locale" }] },
        "example": Locale::DEFAULT,
    })
}

fn examples(operation: &Operation, shared: &PerLocale<Shared>) -> Result<Map<String, Value>, RenderError> {
    let mut examples = Map::new();
    if operation.path == routes::HEALTH {
        let answer =
            HealthResponse { ok: true, service: shared[Locale::DEFAULT].site.settings.service.clone(), sandbox: true };
        examples.insert("available".to_owned(), json!({ "summary": "Available", "value": answer }));
    }
    for (locale, here) in shared.iter().filter(|_| operation.localized) {
        let value = match operation.path {
            routes::PRACTICE_AREAS => first_items(api::practice_areas(here)?)?,
            routes::TEAM => first_items(api::team(here)?)?,
            routes::PUBLICATIONS => first_items(api::newest(here, EXAMPLE_ITEMS)?)?,
            _ => to_value(&api::contact(here)?)?,
        };
        let summary = match locale {
            Locale::En => "In English",
            Locale::Tr => "In Turkish",
        };
        examples.insert(locale.to_string(), json!({ "summary": summary, "value": value }));
    }
    Ok(examples)
}

fn first_items<T: Serialize>(mut list: List<T>) -> Result<Value, RenderError> {
    list.items.truncate(EXAMPLE_ITEMS);
    to_value(&List::new(list.firm, list.locale, list.items))
}

fn to_value(value: &impl Serialize) -> Result<Value, RenderError> {
    serde_json::to_value(value).map_err(|error| RenderError::Inconsistent(Text::verbatim(error)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn title_is_written_in_ascii() {
        assert_eq!(to_ascii("Yalıçam & ŞİĞÜÖ Ortaklığı – Straße"), "Yalicam & SIGUO Ortakligi  Strasse");
        assert_eq!(to_ascii("Фирма content API"), "content API");
    }

    #[test]
    fn every_object_may_get_further_members() {
        fn closed(schema: &Value) -> Vec<&Value> {
            let properties = schema["properties"].as_object();
            let inner = properties.into_iter().flat_map(|it| it.values().flat_map(closed));
            inner.chain(properties.filter(|_| schema["additionalProperties"] != true).map(|_| schema)).collect()
        }
        let schemas = open_schemas();
        let closed: Vec<&Value> = schemas.values().flat_map(closed).collect();
        assert!(closed.is_empty(), "{closed:#?}");
        // A map says which members it has.
        assert_eq!(schemas["ContactResponse"]["properties"]["urls"]["additionalProperties"]["type"], "string");
    }

    #[test]
    fn locale_is_one_component_and_errors_list_their_codes() {
        let schemas = schemas();
        assert_eq!(schemas["Locale"]["enum"], json!(Locale::ALL));
        let written = Value::from(schemas.clone()).to_string();
        assert_eq!(written.matches("[\"en\",\"tr\"]").count(), 1);
        let error = &schemas["ErrorResponse"]["properties"]["error"];
        assert_eq!((&error["type"], error.get("enum")), (&json!("string"), None));
        assert_eq!(error["x-extensible-enum"].as_array().unwrap().len(), ErrorCode::ALL.len());
    }
}
