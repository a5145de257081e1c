//! `mecelle openapi`: the operations that the API description lists.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::output::sheet::{Cell, Column, Room, Sheet};

/// The part of the API description that the table shows.
#[derive(Deserialize)]
pub(crate) struct ApiDescription {
    openapi: String,
    info: ApiInfo,
    #[serde(default)]
    paths: Map<String, Value>,
}

#[derive(Deserialize)]
struct ApiInfo {
    title: String,
    version: String,
}

const METHODS: [&str; 8] = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

pub(crate) fn sheet(description: ApiDescription) -> Sheet {
    let mut rows = Vec::new();
    for (path, item) in &description.paths {
        let operations: BTreeMap<&str, &Value> =
            METHODS.into_iter().filter_map(|method| Some((method, item.get(method)?))).collect();
        for (method, operation) in operations {
            let text = |name: &str| Cell::new(&operation.get(name).and_then(Value::as_str).unwrap_or_default());
            let method = Cell::new(&method.to_ascii_uppercase());
            rows.push(vec![method, Cell::new(&path), text("summary"), text("operationId")]);
        }
    }
    let ApiInfo { title, version } = description.info;
    Sheet {
        caption: format!("{title} {version} · OpenAPI {}", description.openapi),
        headed: true,
        brief: true,
        rows,
        columns: vec![
            Column::new("method", "METHOD", Room::Needed),
            Column::new("path", "PATH", Room::Needed),
            Column::new("summary", "SUMMARY", Room::Shared),
            Column::new("operationId", "OPERATION", Room::Spare),
        ],
    }
}
