//! The content of a build as objects of the SDK.

use std::{collections::HashMap, fs, path::Path};

use contract::Locale;
use rmcp::model::{
    CallToolResult, ContentBlock, JsonObject, ListResourcesResult, ListToolsResult, ReadResourceResult,
    ResourceContents, ServerConfig,
};
use search::Index;
use serde_json::{Map, Value, json};

pub type Failure = Box<dyn std::error::Error>;

/// Lengths of results as in the product: resources on a page, search results.
const RESOURCES: usize = 100;
const RESULTS: usize = 10;

/// All results of the server.
pub struct Content {
    /// Information about the server.
    pub about: ServerConfig,
    /// Its tools.
    pub tools: ListToolsResult,
    /// The first page of resources.
    pub resources: ListResourcesResult,
    /// Every resource, by its address.
    pub texts: HashMap<String, ReadResourceResult>,
    /// Results of the tools in English, except search.
    lists: HashMap<String, CallToolResult>,
    /// The pages, by their paths.
    pages: HashMap<String, CallToolResult>,
    index: Index,
}

impl Content {
    /// Reads the build in the folder `dist`.
    pub fn read(dist: &Path) -> Result<Self, Failure> {
        let manifest: Value = serde_json::from_slice(&fs::read(dist.join("manifest.json"))?)?;
        let open = |variant: &Value| fs::read(dist.join(variant["file"].as_str().unwrap_or_default()));
        let part = |name: &str, locale: Value| {
            let parts = manifest["parts"].as_array().into_iter().flatten();
            let mut found = parts.filter(|part| part["name"] == name && part["variant"]["locale"] == locale);
            found.next().map(|part| &part["variant"]).ok_or_else(|| format!("the build has no part {name}"))
        };
        let routes = manifest["routes"].as_array().ok_or("the manifest has no routes")?;
        let body = |path: &Value| -> Result<String, Failure> {
            let route = routes.iter().find(|route| route["path"] == *path).ok_or("a route is missing")?;
            let variants = route["variants"].as_array().ok_or("a route has no variants")?;
            let english = variants.iter().find(|variant| variant["locale"] == "en").unwrap_or(&variants[0]);
            Ok(String::from_utf8(open(english)?)?)
        };
        let catalogue: Value = serde_json::from_slice(&open(part("mcp", Value::Null)?)?)?;
        let mut about = catalogue["initialize"].clone();
        about["protocolVersion"] = "2025-11-25".into();

        let mut lists = HashMap::new();
        for answer in catalogue["answers"].as_array().into_iter().flatten() {
            let text = match &answer["source"] {
                Value::Object(source) if source.contains_key("route") => body(&source["route"])?,
                Value::Object(source) if source.contains_key("prepared") => source["prepared"]["en"].to_string(),
                _ => continue,
            };
            lists.insert(answer["name"].as_str().unwrap_or_default().to_owned(), structured(&text)?);
        }
        let (mut resources, mut texts, mut pages) = (Vec::new(), HashMap::new(), HashMap::new());
        for page in catalogue["pages"].as_array().into_iter().flatten() {
            let text = body(&page["twin"])?;
            let mut resource = page["resource"].clone();
            resource["size"] = text.len().into();
            let uri = resource["uri"].as_str().unwrap_or_default().to_owned();
            let contents = ResourceContents::text(text.clone(), uri.clone()).with_mime_type("text/markdown");
            texts.insert(uri, ReadResourceResult::new(vec![contents]));
            resources.push(resource);
            let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
            result.structured_content = Some(json!({ "title": page["title"], "url": page["path"] }));
            pages.insert(page["path"].as_str().unwrap_or_default().to_owned(), result);
        }
        resources.truncate(RESOURCES);
        Ok(Self {
            about: serde_json::from_value(about)?,
            tools: serde_json::from_value(catalogue["tools"].clone())?,
            resources: serde_json::from_value(json!({ "resources": resources, "nextCursor": "next" }))?,
            texts,
            lists,
            pages,
            index: Index::parse(open(part("search", "en".into())?)?.into())?,
        })
    }

    /// Returns the result of a tool, in English.
    pub fn call(&self, name: &str, arguments: &JsonObject) -> Option<CallToolResult> {
        let text = |name: &str| arguments.get(name).and_then(Value::as_str);
        match name {
            "get_page_markdown" => self.pages.get(text("url")?).cloned(),
            "search" => Some(self.search(text("query")?)),
            _ => self.lists.get(name).cloned(),
        }
    }

    fn search(&self, query: &str) -> CallToolResult {
        let hits = self.index.search(query, RESULTS).into_iter().map(|hit| {
            json!({
                "id": hit.id, "title": hit.title, "url": hit.url, "kind": hit.kind, "locale": Locale::En, "text": hit.snippet(),
            })
        });
        CallToolResult::structured(json!({ "results": hits.collect::<Vec<_>>() }))
    }
}

fn structured(text: &str) -> Result<CallToolResult, Failure> {
    let object: Map<String, Value> = serde_json::from_str(text)?;
    let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
    result.structured_content = Some(object.into());
    Ok(result)
}
