//! What a credential may be used for.

use serde::{Deserialize, Serialize};

/// A scope (specification, "Scopes").
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Scope {
    /// Identify the user behind a claimed registration.
    #[serde(rename = "openid")]
    Openid,
    /// Read the name the user is known by.
    #[serde(rename = "profile")]
    Profile,
    /// Use the MCP endpoint.
    #[serde(rename = "mcp.read")]
    McpRead,
    /// Use the content API.
    #[serde(rename = "content.read")]
    ContentRead,
}

impl Scope {
    /// Every scope, in the order in which documents list them.
    pub const ALL: [Self; 4] = [Self::Openid, Self::Profile, Self::McpRead, Self::ContentRead];
    /// What a registration holds before a user claims it.
    pub const BEFORE_CLAIM: [Self; 2] = [Self::ContentRead, Self::McpRead];

    /// The name on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Openid => "openid",
            Self::Profile => "profile",
            Self::McpRead => "mcp.read",
            Self::ContentRead => "content.read",
        }
    }

    /// The scope of this name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scope| scope.as_str() == name)
    }

    /// Several scopes as OAuth writes them: names with a space between them (RFC 6749, 3.3).
    #[must_use]
    pub fn list(scopes: &[Self]) -> String {
        let names: Vec<_> = scopes.iter().map(|scope| scope.as_str()).collect();
        names.join(" ")
    }

    /// The scopes of such a list that are known.
    #[must_use]
    pub fn read_list(text: &str) -> Vec<Self> {
        text.split(' ').filter_map(Self::parse).collect()
    }
}
