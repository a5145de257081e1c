//! One visit with every method of the client and every tool.

use std::collections::HashMap;

use crate::site::Site;
use rmcp::{
    RoleClient,
    model::{
        CallToolRequestParams, CallToolResult, ClientConfig, CompletionContext, ContentBlock, GetPromptRequestParams,
        PaginatedRequestParams, ReadResourceRequestParams, Resource, ResourceContents,
    },
    service::{RunningService, ServiceError},
};
use serde_json::{Map, Value, json};

pub type Findings = Box<dyn std::error::Error + Send + Sync>;

type Client = RunningService<RoleClient, ClientConfig>;

/// The tools with the results of the content API, and the resource there.
const LISTS: [(&str, &str); 4] = [
    ("list_practice_areas", "practice-areas"),
    ("list_team", "team"),
    ("list_publications", "publications"),
    ("get_contact", "contact"),
];
const LOCALES: [&str; 2] = ["en", "tr"];

/// Extent of a visit.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// Only the tools.
    Tools,
    /// Everything, with only the first pages.
    SomePages,
    /// Everything.
    AllPages,
}

/// Number of pages in `SomePages`.
const MAX_OF_SOME_PAGES: usize = 10;

/// Runs the checks of `extent`, and returns a summary with counts.
pub async fn visit(client: &Client, site: &Site, extent: Extent) -> Result<String, Findings> {
    about(client)?;
    let tools = tools(client, site).await?;
    if extent == Extent::Tools {
        return Ok(format!("{tools} tools"));
    }
    let resources =
        resources(client, site, if extent == Extent::AllPages { usize::MAX } else { MAX_OF_SOME_PAGES }).await?;
    let templates = templates(client).await?;
    let prompts = prompts(client).await?;
    refusals(client, site).await?;
    Ok(format!("{tools} tools, {resources} resources, {templates} templates, {prompts} prompts"))
}

fn about(client: &Client) -> Result<(), Findings> {
    let peer = client.peer_info().ok_or("the server sends no information about itself")?;
    let (name, instructions) = (&peer.server_info.as_ref().ok_or("it has no name")?.name, &peer.instructions);
    must(name.contains('/'), || format!("its name is {name}"))?;
    let instructions = instructions.as_deref().unwrap_or_default();
    must(instructions.contains("`search`") && instructions.contains("not legal advice"), || instructions.to_owned())?;
    let able = &peer.capabilities;
    let all = able.tools.is_some() && able.resources.is_some() && able.prompts.is_some() && able.completions.is_some();
    must(all && able.logging.is_none(), || format!("its capabilities are {able:?}"))
}

async fn tools(client: &Client, site: &Site) -> Result<usize, Findings> {
    let tools = client.list_all_tools().await?;
    let names: Vec<&str> = tools.iter().map(|tool| &*tool.name).collect();
    let expected = ["get_global_network", "get_contact", "search", "fetch", "get_page_markdown"];
    let expected: Vec<&str> = LISTS[..3].iter().map(|(name, _)| *name).chain(expected).collect();
    must(names == expected, || format!("the tools are {names:?}"))?;
    for tool in &tools {
        let hints = tool.annotations.as_ref().ok_or("a tool has no annotations")?;
        let hints = [hints.read_only_hint, hints.destructive_hint, hints.idempotent_hint, hints.open_world_hint];
        must(hints == [Some(true), Some(false), Some(true), Some(false)], || format!("{}: {hints:?}", tool.name))?;
        must(tool.output_schema.is_some(), || format!("{} has no output schema", tool.name))?;
    }
    for locale in LOCALES {
        for (name, resource) in LISTS {
            let body = site.text(&format!("/api/v1/{resource}?locale={locale}")).await?;
            let answer = call(client, name, json!({ "locale": locale })).await?;
            must(text(&answer)? == body, || format!("{name} in {locale} is not the answer of the content API"))?;
            must(structured(&answer)? == serde_json::from_str::<Value>(&body)?, || format!("{name}: {answer:?}"))?;
        }
        network(client, site, locale).await?;
    }
    for (query, locale) in [("employment contract", "en"), ("is sozlesmesi", "tr")] {
        found(client, site, query, locale).await?;
    }
    Ok(tools.len())
}

/// Checks that the associated firms are on the page that the result names.
async fn network(client: &Client, site: &Site, locale: &str) -> Result<(), Findings> {
    let network = structured(&call(client, "get_global_network", json!({ "locale": locale })).await?)?;
    let page = site.text(&format!("{}.md", word(&network, "/url")?)).await?;
    let countries = network["countries"].as_array().ok_or("there are no countries")?;
    for firm in countries.iter().filter_map(|country| country["firms"].as_array()).flatten() {
        let name = word(firm, "/name")?;
        must(page.contains(name) && page.contains(word(firm, "/city")?), || format!("{name} is not on the page"))?;
    }
    must(!countries.is_empty(), || "there are no associated firms".to_owned())
}

/// Checks that every search result can be fetched, and read by its address.
async fn found(client: &Client, site: &Site, query: &str, locale: &str) -> Result<(), Findings> {
    let found = structured(&call(client, "search", json!({ "query": query, "locale": locale, "limit": 3 })).await?)?;
    let results = found["results"].as_array().filter(|results| !results.is_empty()).ok_or("nothing was found")?;
    for result in results {
        let url = word(result, "/url")?;
        let twin = site.text(&format!("{url}.md")).await?;
        let fetched = structured(&call(client, "fetch", json!({ "id": result["id"] })).await?)?;
        must(word(&fetched, "/text")? == twin && fetched["url"] == url, || format!("{url} was not fetched"))?;
        let page = call(client, "get_page_markdown", json!({ "url": url })).await?;
        must(text(&page)? == twin, || format!("{url} is not its Markdown"))?;
        must(structured(&page)?["title"] == result["title"], || format!("{url} has another title"))?;
    }
    let part = call(client, "get_page_markdown", json!({ "url": results[0]["url"], "max_chars": 500 })).await?;
    let about = structured(&part)?;
    must(about["truncated"] == true && about["next_offset"].is_u64(), || format!("a part has {about}"))
}

async fn resources(client: &Client, site: &Site, most: usize) -> Result<usize, Findings> {
    let listed: Vec<Resource> = client.list_all_resources().await?;
    // Skills have no address over HTTP.
    let resources: Vec<Resource> =
        listed.into_iter().filter(|resource| !resource.uri.starts_with("skill://")).collect();
    for resource in resources.iter().take(most) {
        let body = site.text(&resource.uri).await?;
        must(resource.size == Some(body.len() as u64), || format!("{} has another size", resource.uri))?;
        let read = client.read_resource(ReadResourceRequestParams::new(&*resource.uri)).await?;
        let [ResourceContents::TextResourceContents { text, uri, mime_type, .. }] = &read.contents[..] else {
            return Err(format!("{}: {:?}", resource.uri, read.contents).into());
        };
        let same = *text == body && *uri == resource.uri && mime_type.as_deref() == Some("text/markdown");
        must(same, || format!("{} is not its Markdown", resource.uri))?;
    }
    Ok(resources.len().min(most))
}

async fn templates(client: &Client) -> Result<usize, Findings> {
    let templates = client.list_all_resource_templates().await?;
    let template = templates.iter().find(|template| template.uri_template.contains("{slug}")).ok_or("no template")?;
    let mut chosen = HashMap::new();
    let mut path = template.uri_template.clone();
    // A template completed with suggested values, one variable after the other, must lead to a page.
    for variable in ["locale", "section", "slug"] {
        let context = CompletionContext::with_arguments(chosen.clone());
        let values =
            client.complete_resource_argument(&template.uri_template, variable, "", Some(context)).await?.values;
        let value = values.last().ok_or_else(|| format!("nothing is suggested for {variable}"))?;
        path = path.replace(&format!("{{{variable}}}"), value);
        chosen.insert(variable.to_owned(), value.clone());
    }
    client.read_resource(ReadResourceRequestParams::new(path)).await?;
    Ok(templates.len())
}

async fn prompts(client: &Client) -> Result<usize, Findings> {
    let prompts = client.list_all_prompts().await?;
    for prompt in &prompts {
        let argument = prompt.arguments.iter().flatten().next().ok_or("a prompt has no argument")?;
        let values = client.complete_prompt_simple(&prompt.name, &argument.name, "").await?;
        must(!values.is_empty(), || format!("nothing is suggested for {}", argument.name))?;
        let mut arguments = Map::new();
        arguments.insert(argument.name.clone(), "Zeytin \"ağacı\"".into());
        arguments.insert("locale".to_owned(), "tr".into());
        let result = client.get_prompt(GetPromptRequestParams::new(&*prompt.name).with_arguments(arguments)).await?;
        let has_text = result.messages.iter().any(
            |message| matches!(&message.content, ContentBlock::Text(text) if text.text.contains("Zeytin \"ağacı\"")),
        );
        must(has_text, || format!("{}: {:?}", prompt.name, result.messages))?;
    }
    Ok(prompts.len())
}

/// Checks that refusals are distinguished: results of tools and errors of the protocol.
async fn refusals(client: &Client, site: &Site) -> Result<(), Findings> {
    let elsewhere = json!({ "url": "https://elsewhere.example/" });
    let refused = client.call_tool(request("get_page_markdown", elsewhere)).await?;
    must(refused.is_error == Some(true), || format!("another site was read: {refused:?}"))?;
    let nowhere = ReadResourceRequestParams::new(format!("{}/nothing.md", site.url));
    error("an unknown resource", client.read_resource(nowhere).await, &[-32002, -32602])?;
    error("an unknown tool", client.call_tool(request("nothing", json!({}))).await, &[-32602])?;
    let cursor = PaginatedRequestParams::default().with_cursor(Some("x".to_owned()));
    error("a wrong cursor", client.list_resources(Some(cursor)).await, &[-32602])
}

fn error<T>(what: &str, result: Result<T, ServiceError>, codes: &[i32]) -> Result<(), Findings> {
    match result {
        Err(ServiceError::McpError(error)) if codes.contains(&error.code.0) => Ok(()),
        Err(other) => Err(format!("{what}: {other}").into()),
        Ok(_) => Err(format!("{what} was answered").into()),
    }
}

fn request(name: &str, arguments: Value) -> CallToolRequestParams {
    let mut request = CallToolRequestParams::new(name.to_owned());
    request.arguments = if let Value::Object(arguments) = arguments { Some(arguments) } else { None };
    request
}

async fn call(client: &Client, name: &str, arguments: Value) -> Result<CallToolResult, Findings> {
    let result = client.call_tool(request(name, arguments)).await?;
    must(result.is_error != Some(true), || format!("{name}: {result:?}"))?;
    Ok(result)
}

fn text(result: &CallToolResult) -> Result<&str, Findings> {
    match &result.content[..] {
        [ContentBlock::Text(text)] => Ok(&text.text),
        other => Err(format!("not one text: {other:?}").into()),
    }
}

fn structured(result: &CallToolResult) -> Result<Value, Findings> {
    result.structured_content.clone().ok_or_else(|| "no structured content".into())
}

fn word<'a>(value: &'a Value, place: &str) -> Result<&'a str, Findings> {
    value.pointer(place).and_then(Value::as_str).ok_or_else(|| format!("no text at {place} of {value}").into())
}

fn must(holds: bool, otherwise: impl FnOnce() -> String) -> Result<(), Findings> {
    if holds { Ok(()) } else { Err(otherwise().into()) }
}
