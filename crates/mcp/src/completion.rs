//! Completion: suggests values for an argument of a prompt or a variable of a template. An unknown name gets no
//! suggestions and is no error, because a person is typing.

use std::{borrow::Cow, collections::BTreeSet};

use contract::{
    Locale,
    mcp::{arguments::LOCALE, limits},
};
use serde_json::value::RawValue;

use super::{
    call::{MethodCall, members, optional},
    json,
    json_rpc_error::JsonRpcError,
};

/// Suggests values that begin with the typed text.
pub(super) fn complete(call: &MethodCall<'_>, out: &mut Vec<u8>) -> Result<(), JsonRpcError> {
    let [reference, argument, context] = call.params(["ref", "argument", "context"])?;
    let reference = reference.ok_or_else(|| JsonRpcError::params("`ref` is missing"))?;
    let argument = argument.ok_or_else(|| JsonRpcError::params("`argument` is missing"))?;
    let [kind, name, uri] = members(reference.get(), "ref", ["type", "name", "uri"])?;
    let [argument, typed] = members(argument.get(), "argument", ["name", "value"])?;
    let argument = text(argument, "argument.name")?;
    let typed = text(typed, "argument.value")?;
    let [chosen] = optional(json::non_null(context), "context", ["arguments"])?;
    let chosen = json::non_null(chosen);
    let values = match &*text(kind, "ref.type")? {
        "ref/prompt" => of_prompt(call, &text(name, "ref.name")?, &argument, chosen)?,
        "ref/resource" => of_template(call, &text(uri, "ref.uri")?, &argument, chosen)?,
        _ => return Err(JsonRpcError::params("`ref.type` must be `ref/prompt` or `ref/resource`")),
    };
    write(&values, &typed, out);
    Ok(())
}

fn text(value: Option<&RawValue>, name: &str) -> Result<String, JsonRpcError> {
    let text =
        value.and_then(json::string).ok_or_else(|| JsonRpcError::params(format!("`{name}` must be a string")))?;
    Ok(text.into_owned())
}

fn of_prompt(
    call: &MethodCall<'_>,
    name: &str,
    argument: &str,
    chosen: Option<&RawValue>,
) -> Result<Vec<String>, JsonRpcError> {
    let Some(prompt) = call.catalogue.texts.iter().find(|prompt| prompt.name == name) else { return Ok(Vec::new()) };
    if argument == LOCALE {
        return Ok(locales());
    }
    let known = prompt.arguments.iter().find(|known| known.name == argument);
    let Some(known) = known else { return Ok(Vec::new()) };
    if let Some(locale) = chosen_value(chosen, LOCALE)?.and_then(|code| code.parse::<Locale>().ok()) {
        return Ok(known.values[locale].clone());
    }
    let mut seen = BTreeSet::new();
    let all = known.values.iter().flat_map(|(_, values)| values);
    Ok(all.filter(|value| seen.insert(value.as_str())).cloned().collect())
}

/// Suggests values for a variable of a template: the path segments of the pages.
fn of_template(
    call: &MethodCall<'_>,
    uri: &str,
    argument: &str,
    chosen: Option<&RawValue>,
) -> Result<Vec<String>, JsonRpcError> {
    let Some(template) = call.catalogue.patterns.iter().find(|template| template.uri == uri) else {
        return Ok(Vec::new());
    };
    let Some(wanted) = template.variables.iter().position(|name| name == argument) else { return Ok(Vec::new()) };
    let others: Result<Vec<Option<String>>, JsonRpcError> =
        template.variables.iter().map(|name| chosen_value(chosen, name)).collect();
    let others = others?;
    let fits = |segments: &[&str]| {
        segments.len() == others.len()
            && segments
                .iter()
                .zip(&others)
                .enumerate()
                .all(|(at, (segment, other))| at == wanted || other.as_ref().is_none_or(|other| other == segment))
    };
    let mut values = Vec::new();
    let mut known = BTreeSet::new();
    let pages = &call.catalogue.pages;
    for page in pages.range(0, pages.count()) {
        let segments: Vec<&str> = page.path().split('/').skip(1).filter(|segment| !segment.is_empty()).collect();
        if fits(&segments) && known.insert(segments[wanted]) {
            values.push(segments[wanted].to_owned());
        }
    }
    Ok(values)
}

/// Returns the value that was chosen for another argument.
fn chosen_value(chosen: Option<&RawValue>, name: &str) -> Result<Option<String>, JsonRpcError> {
    let [value] = optional(chosen, "context.arguments", [name])?;
    Ok(json::non_null(value).and_then(json::string).map(Cow::into_owned).filter(|value| !value.is_empty()))
}

fn locales() -> Vec<String> {
    Locale::ALL.map(|locale| locale.to_string()).into()
}

fn write(values: &[String], typed: &str, out: &mut Vec<u8>) {
    let typed = search::fold(typed.trim());
    let fitting: Vec<&String> = values.iter().filter(|value| search::fold(value).starts_with(&typed)).collect();
    let returned = &fitting[..fitting.len().min(limits::COMPLETIONS)];
    out.extend_from_slice(b"\"completion\":{\"values\":[");
    for (at, value) in returned.iter().enumerate() {
        if at > 0 {
            out.push(b',');
        }
        json::quote(value, out);
    }
    let rest = format!("],\"total\":{},\"hasMore\":{}}}", fitting.len(), fitting.len() > returned.len());
    out.extend_from_slice(rest.as_bytes());
}
