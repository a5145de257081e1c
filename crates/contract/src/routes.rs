//! Every fixed path of the service, written once.

use crate::Locale;

/// Root of the content API, relative to the site.
pub const API_BASE: &str = "/api/v1";
/// State of the service.
pub const HEALTH: &str = "/api/v1/health";
/// List of practice areas.
pub const PRACTICE_AREAS: &str = "/api/v1/practice-areas";
/// List of team members.
pub const TEAM: &str = "/api/v1/team";
/// List of publications.
pub const PUBLICATIONS: &str = "/api/v1/publications";
/// Contact details.
pub const CONTACT: &str = "/api/v1/contact";
/// The description document below the API root.
pub const API_OPENAPI: &str = "/api/v1/openapi.json";
/// The same description document at the site root.
pub const OPENAPI: &str = "/openapi.json";
/// The same description as YAML.
pub const OPENAPI_YAML: &str = "/openapi.yaml";
/// The same description in OpenAPI 3.0, for programs that read no later version.
pub const OPENAPI_3_0: &str = "/openapi-3.0.json";

/// Folder of well-known documents (RFC 8615).
pub const WELL_KNOWN: &str = "/.well-known";
/// API catalog (RFC 9727).
pub const API_CATALOG: &str = "/.well-known/api-catalog";
/// Protected resource metadata (RFC 9728) of the site.
pub const PROTECTED_RESOURCE: &str = "/.well-known/oauth-protected-resource";
/// Protected resource metadata of the MCP endpoint.
pub const PROTECTED_RESOURCE_MCP: &str = "/.well-known/oauth-protected-resource/mcp";
/// Protected resource metadata of the content API.
pub const PROTECTED_RESOURCE_API: &str = "/.well-known/oauth-protected-resource/api/v1";
/// Authorization server metadata (RFC 8414).
pub const AUTHORIZATION_SERVER: &str = "/.well-known/oauth-authorization-server";
/// Security contact (RFC 9116).
pub const SECURITY_TXT: &str = "/.well-known/security.txt";
/// AI catalog.
pub const AI_CATALOG: &str = "/.well-known/ai-catalog.json";
/// Agent skills index.
pub const AGENT_SKILLS: &str = "/.well-known/agent-skills/index.json";
/// The skill of reading the content; the folder has its name.
pub const CONTENT_SKILL: &str = "/.well-known/agent-skills/firm-content/SKILL.md";
/// The skill of registering.
pub const REGISTRATION_SKILL: &str = "/.well-known/agent-skills/agent-registration/SKILL.md";
/// MCP server card.
pub const SERVER_CARD: &str = "/mcp/server-card";
/// Description for registries of MCP servers.
pub const SERVER_JSON: &str = "/.well-known/mcp/server.json";
/// The server card at the address of older scanners.
pub const SERVER_CARD_WELL_KNOWN: &str = "/.well-known/mcp/server-card.json";

/// The editor in the browser, and the folder of its files.
pub const ADMIN: &str = "/admin";

/// MCP endpoint.
pub const MCP: &str = "/mcp";
/// Registration of an agent.
pub const REGISTER: &str = "/agent/auth";
/// The registration of the credential that is sent (specification, "The registration of a credential").
pub const REGISTRATION: &str = "/agent/registration";
/// Start of a claim ceremony.
pub const CLAIM: &str = "/agent/auth/claim";
/// End of a claim ceremony.
pub const CLAIM_COMPLETE: &str = "/agent/auth/claim/complete";
/// Registration in the profile of public clients (specification, "Registration in the identity profile").
pub const IDENTITY: &str = "/agent/identity";
/// Start of a claim ceremony in this profile.
pub const IDENTITY_CLAIM: &str = "/agent/identity/claim";
/// End of a claim ceremony in this profile.
pub const IDENTITY_COMPLETE: &str = "/agent/identity/claim/complete";
/// Revocation by an agent provider.
pub const PROVIDER_REVOKE: &str = "/agent/auth/revoke";
/// Target of the link in a claim request; the secret of the link is the parameter `token`.
pub const CLAIM_VIEW: &str = "/agent/auth/claim/view";
/// "Show code": the person agrees.
pub const CLAIM_CHALLENGE: &str = "/agent/auth/claim/attempt/challenge";
/// "This was not me": the person refuses.
pub const CLAIM_DENY: &str = "/agent/auth/claim/attempt/deny";
/// Form with which users request the link to their list of agents.
pub const ACCESS: &str = "/agent/access";
/// Target of that link; its secret is the parameter `token`.
pub const ACCESS_VIEW: &str = "/agent/access/view";
/// Revokes the access of one agent, or of all.
pub const ACCESS_REVOKE: &str = "/agent/access/revoke";
/// Form with which a recipient stops or resumes messages; the secret of the link is the parameter `token`.
pub const MAIL_STOP: &str = "/agent/access/stop";
/// Authorization endpoint (RFC 6749, 3.1): there is no sign-in, so the page explains how agents get access.
pub const AUTHORIZE: &str = "/oauth2/authorize";
/// Token endpoint.
pub const TOKEN: &str = "/oauth2/token";
/// Token revocation (RFC 7009).
pub const REVOKE: &str = "/oauth2/revoke";

/// Instructions for agents on how to get a credential.
pub const AUTH_MD: &str = "/auth.md";
/// Overview for language models.
pub const LLMS_TXT: &str = "/llms.txt";
/// The site's text in one file.
pub const LLMS_FULL_TXT: &str = "/llms-full.txt";
/// The newest publications of a locale (RFC 4287), below its prefix.
pub const ATOM: &str = "/atom.xml";
/// The same as JSON Feed 1.1.
pub const JSON_FEED: &str = "/feed.json";
/// Description of the site's search for browsers (`OpenSearch` 1.1), below the prefix of a locale.
pub const OPENSEARCH: &str = "/opensearch.xml";
/// Rules for crawlers (RFC 9309).
pub const ROBOTS_TXT: &str = "/robots.txt";
/// Sitemap.
pub const SITEMAP: &str = "/sitemap.xml";
/// The icon for browsers and feed readers that request it without reading a page.
pub const FAVICON: &str = "/favicon.ico";
/// The icon for the home screen of telephones, which request it by this name.
pub const TOUCH_ICON: &str = "/apple-touch-icon.png";
/// Folder of fingerprinted files.
pub const ASSETS: &str = "/assets";
/// Folder of documents; their addresses do not depend on their content.
pub const DOCUMENTS: &str = "/files";

/// Prefixes of programs' paths: an unknown path below them is answered in JSON.
pub const JSON_PREFIXES: [&str; 9] =
    ["/api", "/mcp", "/agent", "/oauth2", WELL_KNOWN, "/authorize", "/oauth", "/register", "/token"];

/// Returns the path of a locale's version of `path`, such as [`LLMS_TXT`] or [`ATOM`].
pub fn in_locale(locale: Locale, path: &str) -> String {
    format!("/{locale}{path}")
}

/// Returns the locale of the page at `path`, or of its twin, from its prefix.
pub fn locale_of(path: &str) -> Locale {
    let prefix = path.trim_start_matches('/').split(['/', '.']).next().unwrap_or_default();
    prefix.parse().unwrap_or(Locale::DEFAULT)
}

/// Returns whether an unknown `path` is answered in JSON: below [`JSON_PREFIXES`], and `*`, which no reader requests.
pub fn is_for_programs(path: &str) -> bool {
    path == "*"
        || JSON_PREFIXES
            .iter()
            .any(|prefix| path.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')))
}

/// Returns whether `path` is the service's, whatever a site contains: a program's, a file at the root, or below a folder
/// of files.
pub fn is_of_service(path: &str) -> bool {
    let files = [
        AUTH_MD,
        LLMS_TXT,
        LLMS_FULL_TXT,
        ROBOTS_TXT,
        SITEMAP,
        FAVICON,
        TOUCH_ICON,
        OPENAPI,
        OPENAPI_YAML,
        OPENAPI_3_0,
    ];
    let is_below =
        |folder: &str| path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    is_for_programs(path) || files.contains(&path) || is_below(ASSETS) || is_below(DOCUMENTS)
}

/// Returns whether `name`, directly below [`WELL_KNOWN`], is a document or a folder of the service, or a folder for
/// certificate validation. Letter case is ignored, because some file systems ignore it.
pub fn is_own_well_known(name: &str) -> bool {
    const OF_SERVERS: [&str; 2] = ["acme-challenge", "pki-validation"];
    let own =
        [API_CATALOG, PROTECTED_RESOURCE, AUTHORIZATION_SERVER, SECURITY_TXT, AI_CATALOG, AGENT_SKILLS, SERVER_JSON];
    let own = own.into_iter().filter_map(|path| path.strip_prefix(WELL_KNOWN)?.split('/').nth(1));
    // A document at the address of a folder is stored in a file with this ending.
    let stem = name.strip_suffix(".json").unwrap_or(name);
    own.chain(OF_SERVERS).any(|own| own.eq_ignore_ascii_case(name) || own.eq_ignore_ascii_case(stem))
}

/// Returns the resources of a token at `site_url`: the site, its MCP endpoint and its content API, as in the protected
/// resource metadata.
pub fn resources(site_url: &str) -> Vec<String> {
    ["", MCP, API_BASE].into_iter().map(|path| format!("{site_url}{path}")).collect()
}

/// One operation of the content API.
#[derive(Clone, Copy, Debug)]
pub struct Operation {
    /// Path below the site root.
    pub path: &'static str,
    /// Identifier in the description document.
    pub id: &'static str,
    /// One line for a list of operations.
    pub summary: &'static str,
    /// Details for callers.
    pub description: &'static str,
    /// Group in the description document.
    pub tag: &'static str,
    /// Whether `locale` selects the response language.
    pub localized: bool,
    /// Name of the response's schema.
    pub schema: Option<&'static str>,
}

/// Every operation of the content API, in the specification's order.
pub const OPERATIONS: [Operation; 6] = [
    Operation {
        path: HEALTH,
        id: "getHealth",
        summary: "State of the service",
        description: "Confirms that the service is available. `sandbox` is true if the published sandbox key is \
                      accepted.",
        tag: "Service",
        localized: false,
        schema: Some("HealthResponse"),
    },
    Operation {
        path: PRACTICE_AREAS,
        id: "listPracticeAreas",
        summary: "List of practice areas",
        description: "The fields of law in which the firm works, first those that the firm ranks, in that order, then the \
                      others by name. Both languages list the same areas.",
        tag: "Content",
        localized: true,
        schema: Some("PracticeAreaList"),
    },
    Operation {
        path: TEAM,
        id: "listTeam",
        summary: "List of attorneys and team members",
        description: "The people of the firm: first those that the firm ranks, in that order, then the others by name. \
                      Both languages list the same people.",
        tag: "Content",
        localized: true,
        schema: Some("TeamList"),
    },
    Operation {
        path: PUBLICATIONS,
        id: "listPublications",
        summary: "List of publications",
        description: "Published articles, newest first. An article is listed in the languages in which it exists, \
                      so the two lists may differ in length.",
        tag: "Content",
        localized: true,
        schema: Some("PublicationList"),
    },
    Operation {
        path: CONTACT,
        id: "getContact",
        summary: "Contact details",
        description: "Address, telephone, e-mail, office hours and working languages of the firm, and the canonical \
                      addresses of its pages and interfaces.",
        tag: "Content",
        localized: true,
        schema: Some("ContactResponse"),
    },
    Operation {
        path: API_OPENAPI,
        id: "getOpenApi",
        summary: "This description",
        description: "The OpenAPI 3.1 description of this API; the same bytes are published at `/openapi.json`, the same \
                      description as YAML at `/openapi.yaml`, and in OpenAPI 3.0 at `/openapi-3.0.json`.",
        tag: "Service",
        localized: false,
        schema: None,
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locale_of_a_path_is_its_prefix() {
        for (path, locale) in
            [("/tr", Locale::Tr), ("/tr.md", Locale::Tr), ("/tr/x", Locale::Tr), ("/en/tr", Locale::En)]
        {
            assert_eq!(locale_of(path), locale, "{path}");
        }
        assert_eq!([locale_of("/"), locale_of("/trx"), locale_of("/TR/x")], [Locale::En; 3]);
    }

    #[test]
    fn json_prefixes_end_at_a_segment() {
        assert!(is_for_programs("/api/v1/nothing"));
        assert!(is_for_programs("/mcp"));
        assert!(!is_for_programs("/apiary"));
        // Clients of OAuth guess these where they find no metadata.
        assert!(is_for_programs("/register") && is_for_programs("/token") && is_for_programs("/oauth/token"));
        assert!(!is_for_programs("/registered") && !is_for_programs("/en/register"));
        assert!(!is_for_programs("/en/api"));
    }
}
