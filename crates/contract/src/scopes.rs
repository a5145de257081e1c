//! Scopes of credentials.

use crate::named;

named! {
    /// A scope (specification, "Scopes").
    pub enum Scope {
        /// Identify the user behind a claimed registration.
        Openid "openid",
        /// Read the name the user is known by.
        Profile "profile",
        /// Use the MCP endpoint.
        McpRead "mcp.read",
        /// Use the content API.
        ContentRead "content.read",
    }
}

impl Scope {
    /// The scopes of a registration before a claim.
    pub const BEFORE_CLAIM: [Self; 2] = [Self::ContentRead, Self::McpRead];

    /// Returns a list of scopes in the form of OAuth: names separated by spaces (RFC 6749, 3.3).
    pub fn list(scopes: &[Self]) -> String {
        let names: Vec<_> = scopes.iter().map(|scope| scope.as_str()).collect();
        names.join(" ")
    }

    /// Reads a list of scopes, without unknown ones.
    pub fn read_list(text: &str) -> Vec<Self> {
        text.split(' ').filter_map(Self::parse).collect()
    }
}
