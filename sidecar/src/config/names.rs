//! Every setting's key and variable.

/// The two names of a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Name {
    /// Key in the file; `table.key` for a key of a table.
    pub key: &'static str,
    /// Environment variable.
    pub variable: &'static str,
}

/// Every setting.
pub const NAMES: [Name; 33] = [
    Name { key: "site_url", variable: "MECELLE_SITE_URL" },
    Name { key: "listen", variable: "MECELLE_LISTEN" },
    Name { key: "admin_listen", variable: "MECELLE_ADMIN_LISTEN" },
    Name { key: "dist", variable: "MECELLE_DIST" },
    Name { key: "trusted_proxies", variable: "MECELLE_TRUSTED_PROXIES" },
    Name { key: "edge_secret", variable: "MECELLE_EDGE_SECRET" },
    Name { key: "workers", variable: "MECELLE_WORKERS" },
    Name { key: "store", variable: "MECELLE_STORE" },
    Name { key: "secret_file", variable: "MECELLE_SECRET_FILE" },
    Name { key: "mail", variable: "MECELLE_MAIL" },
    Name { key: "trust", variable: "MECELLE_TRUST" },
    Name { key: "limits.content_per_minute", variable: "MECELLE_LIMITS_CONTENT_PER_MINUTE" },
    Name { key: "limits.mcp_per_minute", variable: "MECELLE_LIMITS_MCP_PER_MINUTE" },
    Name { key: "limits.mcp_with_credential_per_minute", variable: "MECELLE_LIMITS_MCP_WITH_CREDENTIAL_PER_MINUTE" },
    Name { key: "limits.registration_per_minute", variable: "MECELLE_LIMITS_REGISTRATION_PER_MINUTE" },
    Name { key: "limits.search_per_minute", variable: "MECELLE_LIMITS_SEARCH_PER_MINUTE" },
    Name { key: "limits.loopback", variable: "MECELLE_LIMITS_LOOPBACK" },
    Name { key: "limits.anonymous_per_client", variable: "MECELLE_LIMITS_ANONYMOUS_PER_CLIENT" },
    Name { key: "limits.anonymous", variable: "MECELLE_LIMITS_ANONYMOUS" },
    Name { key: "limits.assertions_per_client", variable: "MECELLE_LIMITS_ASSERTIONS_PER_CLIENT" },
    Name { key: "limits.assertions", variable: "MECELLE_LIMITS_ASSERTIONS" },
    Name { key: "limits.letters_per_client", variable: "MECELLE_LIMITS_LETTERS_PER_CLIENT" },
    Name { key: "limits.letters_per_mailbox", variable: "MECELLE_LIMITS_LETTERS_PER_MAILBOX" },
    Name { key: "limits.letters_per_domain", variable: "MECELLE_LIMITS_LETTERS_PER_DOMAIN" },
    Name { key: "limits.letters", variable: "MECELLE_LIMITS_LETTERS" },
    Name { key: "limits.wrong_codes_per_client", variable: "MECELLE_LIMITS_WRONG_CODES_PER_CLIENT" },
    Name { key: "limits.wrong_codes", variable: "MECELLE_LIMITS_WRONG_CODES" },
    Name { key: "limits.registrations", variable: "MECELLE_LIMITS_REGISTRATIONS" },
    Name { key: "limits.links", variable: "MECELLE_LIMITS_LINKS" },
    Name { key: "mcp.allowed_origins", variable: "MECELLE_MCP_ALLOWED_ORIGINS" },
    Name { key: "log.format", variable: "MECELLE_LOG_FORMAT" },
    Name { key: "log.level", variable: "MECELLE_LOG_LEVEL" },
    Name { key: "log.access", variable: "MECELLE_LOG_ACCESS" },
];
