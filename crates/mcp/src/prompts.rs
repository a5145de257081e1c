//! Prompts: prepared texts, filled with arguments.

use contract::{
    Locale,
    mcp::{arguments::LOCALE, limits},
};

use super::{
    call::{MethodCall, optional},
    json,
    json_rpc_error::JsonRpcError,
};

/// Writes the text of a prompt.
pub(super) fn get(call: &MethodCall<'_>, out: &mut Vec<u8>) -> Result<(), JsonRpcError> {
    let [name, arguments] = call.params(["name", "arguments"])?;
    let name = name.and_then(json::string).ok_or_else(|| JsonRpcError::params("`name` must be a string"))?;
    let prompt = call.catalogue.texts.iter().find(|prompt| *prompt.name == *name);
    let prompt =
        prompt.ok_or_else(|| JsonRpcError::params("there is no prompt of this name; `prompts/list` names all"))?;
    let arguments = json::non_null(arguments);
    let [locale] = optional(arguments, "arguments", [LOCALE])?;
    let locale = match json::non_null(locale) {
        None => Locale::DEFAULT,
        Some(value) => json::string(value)
            .and_then(|code| code.parse().ok())
            .ok_or_else(|| JsonRpcError::params("`locale` must be `en` or `tr`"))?,
    };
    let mut text = prompt.text[locale].clone();
    for argument in &prompt.arguments {
        let [value] = optional(arguments, "arguments", [&argument.name])?;
        let value = json::non_null(value)
            .ok_or_else(|| JsonRpcError::params(format!("the argument `{}` is missing", argument.name)))?;
        let value = json::string(value)
            .map(|value| value.trim().to_owned())
            .filter(|value| !value.is_empty() && value.chars().count() <= limits::PROMPT_ARGUMENT);
        let value = value.ok_or_else(|| {
            let most = limits::PROMPT_ARGUMENT;
            JsonRpcError::params(format!("the argument `{}` must be a text of 1 to {most} characters", argument.name))
        })?;
        text = text.replacen(&format!("{{{}}}", argument.name), &value, 1);
    }
    out.extend_from_slice(b"\"description\":");
    json::quote(&prompt.description[locale], out);
    out.extend_from_slice(b",\"messages\":[{\"role\":\"user\",\"content\":{\"type\":\"text\",\"text\":");
    json::quote(&text, out);
    out.extend_from_slice(b"}}]");
    Ok(())
}
