//! `content/site.toml`: facts about the firm and what it offers.

use contract::{
    PerLocale,
    agent_auth::{AssertionType, CredentialType, IdentityType},
    text::{Date, Slug, Uri},
};

/// The whole file.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Origin of the site, without a path and without a trailing slash.
    pub site_url: Uri,
    /// Name of the service in the health answer.
    pub service: String,
    /// The published, read-only key.
    pub sandbox_key: String,
    /// The firm.
    pub firm: Firm,
    /// Where to report a vulnerability; `None` once its last day is over.
    pub security: Option<Security>,
    /// What crawlers may do.
    pub crawlers: Crawlers,
    /// What agents may register for.
    pub agents: Agents,
    /// The MCP server's names.
    pub mcp: Mcp,
    /// Categories of publications, in the order of the file.
    pub categories: Vec<Category>,
}

/// The firm.
#[derive(Clone, Debug)]
pub struct Firm {
    /// Full name.
    pub name: PerLocale<String>,
    /// Name in the header.
    pub short_name: String,
    /// One neutral line.
    pub tagline: PerLocale<String>,
    /// What the firm is, for machines.
    pub description: PerLocale<String>,
    /// General information, not legal advice.
    pub disclaimer: PerLocale<String>,
    /// Public path of the logo.
    pub logo: String,
    /// Public path of the picture that stands beside a link to any page of the site elsewhere, if there is one.
    pub share_picture: Option<String>,
}

/// Where to report a vulnerability (RFC 9116).
#[derive(Clone, Debug)]
pub struct Security {
    /// `mailto:` or `https:` address.
    pub contact: String,
    /// Last day on which the file counts.
    pub expires: Date,
}

/// What crawlers may do (Content-Signal).
#[derive(Clone, Copy, Debug)]
pub struct Crawlers {
    /// Build a search index.
    pub search: bool,
    /// Use content as input of an answer.
    pub ai_input: bool,
    /// Train models.
    pub ai_train: bool,
}

/// What agents may register for. The build renders it, the sidecar enforces it.
#[derive(Clone, Debug)]
pub struct Agents {
    /// Accepted registration types.
    pub identity_types: Vec<IdentityType>,
    /// Accepted assertion shapes.
    pub assertion_types: Vec<AssertionType>,
    /// Credentials without an identity; the first is the default.
    pub anonymous_credentials: Vec<CredentialType>,
    /// Credentials for asserted identities; the first is the default.
    pub assertion_credentials: Vec<CredentialType>,
}

impl Agents {
    /// Whether an identity may be asserted in this way.
    pub(crate) fn accept(&self, assertion: AssertionType) -> bool {
        self.identity_types.contains(&IdentityType::IdentityAssertion) && self.assertion_types.contains(&assertion)
    }

    /// Whether the token endpoint takes assertions of providers: it hands out access tokens for them and nothing else.
    pub(crate) fn exchange(&self) -> bool {
        self.accept(AssertionType::IdJag) && self.assertion_credentials.contains(&CredentialType::AccessToken)
    }
}

/// The MCP server's names.
#[derive(Clone, Debug)]
pub struct Mcp {
    /// Reverse-DNS name, `example.firm/content`.
    pub name: String,
    /// Title for a person.
    pub title: PerLocale<String>,
}

/// A category of publications.
#[derive(Clone, Debug)]
pub struct Category {
    /// Key in front matter.
    pub key: String,
    /// Name per locale.
    pub name: PerLocale<String>,
    /// Slug per locale.
    pub slug: PerLocale<Slug>,
    /// Key of the practice area it belongs to.
    pub practice_area: Option<String>,
}
