//! Parses a body as a request, a notification or a response (JSON-RPC 2.0, with the protocol's narrower rules).

use std::borrow::Cow;

use contract::mcp::{INVALID_REQUEST, PARSE_ERROR, limits::DEPTH};
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use super::{
    json::{self, Wrong},
    json_rpc_error::JsonRpcError,
};

#[derive(Debug)]
pub(super) enum RpcMessage<'a> {
    Request(RpcRequest<'a>),
    Notification,
    Response,
}

#[derive(Debug)]
pub(super) struct RpcRequest<'a> {
    /// A string or an integer, byte for byte as it was sent.
    pub(super) id: &'a str,
    pub(super) method: Cow<'a, str>,
    /// A JSON object.
    pub(super) params: Option<&'a str>,
}

/// An invalid message, with its `id` if that can be read.
#[derive(Debug)]
pub(super) struct InvalidMessage<'a> {
    pub(super) id: Option<&'a str>,
    pub(super) error: JsonRpcError,
}

/// Returns the body as trimmed text, if it is UTF-8 and not nested too deeply.
pub(super) fn text(body: &[u8]) -> Result<&str, JsonRpcError> {
    let text = std::str::from_utf8(body).map_err(|_| JsonRpcError::not_json())?;
    if depth(text) > DEPTH {
        return Err(JsonRpcError::bad(PARSE_ERROR, format!("the body is nested more than {DEPTH} levels deep")));
    }
    // JSON has fewer whitespace characters than Unicode.
    Ok(text.trim_matches([' ', '\t', '\n', '\r']))
}

pub(super) fn parse(text: &str) -> Result<RpcMessage<'_>, InvalidMessage<'_>> {
    let nameless = |error: JsonRpcError| InvalidMessage { id: None, error };
    let [version, id, method, params, result, error] =
        json::members(text, ["jsonrpc", "id", "method", "params", "result", "error"]).map_err(|wrong| {
            nameless(match wrong {
                Wrong::NotAnObject if serde_json::from_str::<IgnoredAny>(text).is_ok() => {
                    no_message("a message is an object")
                }
                Wrong::NotAnObject | Wrong::Broken => JsonRpcError::not_json(),
                Wrong::Twice => no_message("a member of the message stands twice"),
            })
        })?;
    if id.is_some_and(|id| !is_id(id)) {
        return Err(nameless(no_message("`id` must be a string or an integer")));
    }
    let id = id.map(RawValue::get);
    let invalid = |message: &'static str| InvalidMessage { id, error: no_message(message) };
    if version.and_then(json::string).as_deref() != Some("2.0") {
        return Err(invalid("`jsonrpc` must be \"2.0\""));
    }
    let Some(method) = method else {
        let is_response = result.is_some() != error.is_some();
        return if is_response { Ok(RpcMessage::Response) } else { Err(invalid("`method` is missing")) };
    };
    let method = json::string(method).ok_or_else(|| invalid("`method` must be a string"))?;
    if params.is_some_and(|params| !json::is_object(params)) {
        return Err(invalid("`params` must be an object"));
    }
    Ok(match id {
        Some(id) => RpcMessage::Request(RpcRequest { id, method, params: params.map(RawValue::get) }),
        None => RpcMessage::Notification,
    })
}

/// Returns the nesting depth of brackets, also for text that is not JSON.
fn depth(text: &str) -> usize {
    let (mut open, mut most, mut quoted, mut escaped) = (0_usize, 0, false, false);
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            _ if quoted => {}
            b'{' | b'[' => {
                open += 1;
                most = most.max(open);
            }
            b'}' | b']' => open = open.saturating_sub(1),
            _ => {}
        }
    }
    most
}

fn no_message(message: &'static str) -> JsonRpcError {
    JsonRpcError::bad(INVALID_REQUEST, message)
}

/// Whether a JSON value may be an `id`. A string must be valid text: many clients cannot read an answer with half of a
/// surrogate pair.
fn is_id(value: &RawValue) -> bool {
    let text = value.get();
    let digits = text.strip_prefix('-').unwrap_or(text);
    json::string(value).is_some() || digits.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> (i32, Option<&str>) {
        let invalid = parse(text).unwrap_err();
        (invalid.error.code, invalid.id)
    }

    #[test]
    fn nesting_is_counted_outside_of_strings_only() {
        assert_eq!(depth(r#"{"a":[{"b":"[[[[\"[["}],"c":{}}"#), 3);
        assert_eq!(depth("]]]["), 1);
    }

    #[test]
    fn identifiers_are_strings_and_integers() {
        for id in
            ["1", "0", "-7", "123456789012345678901234567890", r#""a""#, r#""\u0131\"""#, r#""\ud83d\ude00""#, r#""""#]
        {
            let text = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
            assert!(
                matches!(parse(&text).unwrap(), RpcMessage::Request(RpcRequest { id: read, .. }) if read == id),
                "{id}"
            );
        }
        for id in ["null", "1.0", "1e3", "1.5", "true", "{}", "[]", r#""\ud800""#, r#""\udc00\ud800""#] {
            let text = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
            assert_eq!(refused(&text), (-32600, None), "{id}");
        }
    }

    #[test]
    fn invalid_message_is_rejected_with_its_own_identifier() {
        for text in [
            r#"{"id":7,"method":"ping"}"#,
            r#"{"jsonrpc":"1.0","id":7,"method":"ping"}"#,
            r#"{"jsonrpc":2.0,"id":7,"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":7}"#,
            r#"{"jsonrpc":"2.0","id":7,"method":null}"#,
            r#"{"jsonrpc":"2.0","id":7,"method":5}"#,
            r#"{"jsonrpc":"2.0","id":7,"method":"ping","params":[]}"#,
            r#"{"jsonrpc":"2.0","id":7,"method":"ping","params":null}"#,
            r#"{"jsonrpc":"2.0","id":7,"result":{},"error":{}}"#,
        ] {
            assert_eq!(refused(text), (-32600, Some("7")), "{text}");
        }
    }

    #[test]
    fn invalid_json_has_its_own_code() {
        for text in ["", "{", "nonsense", "{\"jsonrpc\":\"2.0\",}", "{}x", "'a'", "\u{feff}{}"] {
            assert_eq!(refused(text), (-32700, None), "{text}");
        }
        for text in ["1", "null", "\"text\"", "true", r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}"#] {
            assert_eq!(refused(text), (-32600, None), "{text}");
        }
    }

    #[test]
    fn names_of_members_may_be_escaped() {
        let text = r#"{"jsonrpc":"2\u002e0","id":1,"\u006dethod":"p\u0069ng"}"#;
        assert!(matches!(parse(text).unwrap(), RpcMessage::Request(RpcRequest { method, .. }) if method == "ping"));
    }

    #[test]
    fn message_without_id_is_a_notification_and_without_method_a_response() {
        assert!(matches!(parse(r#"{"jsonrpc":"2.0","method":"x"}"#).unwrap(), RpcMessage::Notification));
        assert!(matches!(parse(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#).unwrap(), RpcMessage::Response));
        assert!(matches!(parse(r#"{"jsonrpc":"2.0","error":{}}"#).unwrap(), RpcMessage::Response));
    }
}
