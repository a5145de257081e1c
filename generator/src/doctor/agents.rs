//! Scores the readiness of a site for agents by the points of public scanners.
//!
//! The points are those of `isitagentready.com` (Cloudflare), of Lighthouse's category for agents, of the
//! Agent-Friendly Documentation Spec, of the list by Vercel and of `AgentGrade`. Points that are only
//! for shops, for sites that send bots, for pages that run scripts or for agents that talk to each other are left out:
//! they do not apply, and scanners do not count them.

use contract::{Locale, media, routes};
use findings::messages::{self, Text};
use serde::Serialize;
use serde_json::Value;

use super::{
    DoctorError, Fault, Remedy, mcp,
    visit::{Answer, Visit},
};

/// One point of a scanner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Point {
    pub scanner: ReadinessScanner,
    /// The scanner's name for the point.
    pub name: &'static str,
    /// Whether it holds; `None` if HTTP requests cannot show it, or the site does not offer it on purpose.
    pub holds: Option<bool>,
    /// The remedy, or why the point was not examined.
    pub remedy: Text,
}

/// A public scanner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum ReadinessScanner {
    /// `isitagentready.com`, by Cloudflare.
    #[serde(rename = "isitagentready.com")]
    IsItAgentReady,
    /// Lighthouse, category agentic browsing.
    Lighthouse,
    /// Agent-Friendly Documentation Spec.
    #[serde(rename = "afdocs")]
    AfDocs,
    /// Vercel's Agent Readability.
    Vercel,
    /// `AgentGrade`.
    AgentGrade,
}

impl ReadinessScanner {
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::IsItAgentReady => "isitagentready.com",
            Self::Lighthouse => "Lighthouse",
            Self::AfDocs => "afdocs",
            Self::Vercel => "Vercel",
            Self::AgentGrade => "AgentGrade",
        }
    }
}

/// A predicate on the fetched site.
type Question = fn(&ScannedSite) -> bool;

const PUBLISH: Remedy = messages::readiness_publish_help;
const NEGOTIATE: Remedy = messages::readiness_negotiate_help;
const FIELDS: Remedy = messages::readiness_fields_help;
const SERVE: Remedy = messages::readiness_serve_help;
const OFFER: Remedy = messages::readiness_offer_help;
const THEME: Remedy = messages::readiness_theme_help;
const SHORTEN: Remedy = messages::readiness_shorten_help;

const POINTS: [(ReadinessScanner, &str, Question, Remedy); 27] = [
    (
        ReadinessScanner::IsItAgentReady,
        "robotsTxt",
        |it| it.robots.is(media::TEXT) && it.robots.contains("User-agent:"),
        PUBLISH,
    ),
    (
        ReadinessScanner::IsItAgentReady,
        "sitemap",
        |it| it.sitemap.is(media::XML) && it.robots.contains("Sitemap: "),
        PUBLISH,
    ),
    (
        ReadinessScanner::IsItAgentReady,
        "linkHeaders",
        |it| it.start.links(&["api-catalog", "service-desc", "describedby"]),
        FIELDS,
    ),
    (
        ReadinessScanner::IsItAgentReady,
        "markdownNegotiation",
        |it| it.markdown.is(media::MARKDOWN) && it.start.is(media::HTML),
        NEGOTIATE,
    ),
    (
        ReadinessScanner::IsItAgentReady,
        "robotsTxtAiRules",
        |it| ["GPTBot", "ClaudeBot", "CCBot"].iter().all(|bot| it.robots.contains(bot)),
        PUBLISH,
    ),
    (ReadinessScanner::IsItAgentReady, "contentSignals", |it| it.robots.contains("Content-Signal: search="), PUBLISH),
    (ReadinessScanner::IsItAgentReady, "apiCatalog", ScannedSite::has_catalog, PUBLISH),
    (ReadinessScanner::IsItAgentReady, "oauthDiscovery", |it| it.issuer.json()["issuer"] == it.origin, PUBLISH),
    (
        ReadinessScanner::IsItAgentReady,
        "oauthProtectedResource",
        |it| it.resource.json()["authorization_servers"][0] == it.issuer.json()["issuer"],
        PUBLISH,
    ),
    (ReadinessScanner::IsItAgentReady, "authMd", ScannedSite::has_auth, OFFER),
    (ReadinessScanner::IsItAgentReady, "mcpServerCard", |it| it.card.json()["serverInfo"]["name"].is_string(), PUBLISH),
    (
        ReadinessScanner::IsItAgentReady,
        "agentSkills",
        |it| it.skills.json()["skills"].as_array().is_some_and(|them| !them.is_empty()),
        PUBLISH,
    ),
    (ReadinessScanner::IsItAgentReady, "ard", ScannedSite::has_ai_catalog, PUBLISH),
    (
        ReadinessScanner::Lighthouse,
        "llms-txt",
        |it| it.llms.contains("# ") && it.llms.contains("](") && it.llms.text.len() >= 50,
        PUBLISH,
    ),
    (
        ReadinessScanner::Lighthouse,
        "ard-schema",
        |it| it.ai.json()["entries"].as_array().is_some_and(|them| !them.is_empty()) && it.start.links(&["ai-catalog"]),
        PUBLISH,
    ),
    (ReadinessScanner::AfDocs, "llms-txt-size", |it| it.llms.is_there() && it.llms.text.len() < 50_000, SHORTEN),
    (
        ReadinessScanner::AfDocs,
        "llms-txt-directive",
        |it| [&it.page, &it.markdown].iter().all(|form| form.begins_with("llms.txt")),
        THEME,
    ),
    (ReadinessScanner::AfDocs, "markdown-url-support", |it| it.twin.is(media::MARKDOWN), PUBLISH),
    (ReadinessScanner::AfDocs, "markdown-link-portability", |it| it.twin.is_there() && !it.twin.contains("](/"), THEME),
    (ReadinessScanner::AfDocs, "http-status-codes", |it| it.missing.status == 404, SERVE),
    (
        ReadinessScanner::AfDocs,
        "cache-header-hygiene",
        |it| it.page.has("cache-control") && it.page.has("etag"),
        FIELDS,
    ),
    (ReadinessScanner::Vercel, "json-ld", |it| it.page.contains("application/ld+json"), THEME),
    (
        ReadinessScanner::Vercel,
        "sitemap-lastmod",
        |it| it.sitemap.contains("<lastmod>") || it.sitemap.contains("<sitemapindex"),
        PUBLISH,
    ),
    (
        ReadinessScanner::Vercel,
        "markdown-canonical",
        |it| it.twin.links(&["canonical"]) && it.twin.contains("\n## "),
        FIELDS,
    ),
    (
        ReadinessScanner::Vercel,
        "meta",
        |it| {
            [
                "<html lang=",
                "name=\"description\"",
                "property=\"og:title\"",
                "rel=\"canonical\"",
                "type=\"text/markdown\"",
            ]
            .iter()
            .all(|mark| it.page.contains(mark))
        },
        THEME,
    ),
    (ReadinessScanner::AgentGrade, "mcp-handshake", |it| it.mcp.json()["result"]["serverInfo"].is_object(), SERVE),
    (
        ReadinessScanner::AgentGrade,
        "openapi",
        |it| it.openapi.json()["openapi"].as_str().is_some_and(|version| version.starts_with("3.")),
        PUBLISH,
    ),
];

/// Points that apply only to a site with registration, and only to one with MCP.
const OF_REGISTRATION: [&str; 3] = ["oauthDiscovery", "oauthProtectedResource", "authMd"];
const OF_MCP: [&str; 2] = ["mcpServerCard", "mcp-handshake"];

/// Sends the requests of the scanners to `origin`, and returns every point.
///
/// # Errors
/// If `origin` is not an origin, or nothing answers there.
pub fn score(origin: &str) -> Result<Vec<Point>, DoctorError> {
    let (visit, _) = super::visit(origin)?;
    let site = ScannedSite::fetch(&visit);
    let (no_registration, no_mcp) = (site.offers_no_registration(), site.offers_no_mcp());
    let points = POINTS.iter().map(|(scanner, name, question, remedy)| {
        let is_offered = !(no_registration && OF_REGISTRATION.contains(name) || no_mcp && OF_MCP.contains(name));
        let remedy = if is_offered { remedy() } else { messages::readiness_not_offered() };
        Point { scanner: *scanner, name, holds: is_offered.then(|| question(&site)), remedy }
    });
    // This point needs DNS, which the doctor does not query.
    let remedy = messages::readiness_dns_help();
    let dns = Point { scanner: ReadinessScanner::IsItAgentReady, name: "dnsAid", holds: None, remedy };
    Ok(points.chain([dns]).collect())
}

/// The documents that scanners fetch.
struct ScannedSite {
    origin: String,
    start: Fetched,
    page: Fetched,
    markdown: Fetched,
    twin: Fetched,
    missing: Fetched,
    robots: Fetched,
    sitemap: Fetched,
    llms: Fetched,
    catalog: Fetched,
    resource: Fetched,
    issuer: Fetched,
    auth: Fetched,
    card: Fetched,
    skills: Fetched,
    ai: Fetched,
    openapi: Fetched,
    mcp: Fetched,
}

impl ScannedSite {
    fn fetch(visit: &Visit) -> Self {
        let get = |path: &str, accept: &str| Fetched::new(visit.get(path, &[("accept", accept)]));
        let any = |path: &str| get(path, "*/*");
        let page = format!("/{}", Locale::DEFAULT);
        Self {
            origin: visit.origin().to_owned(),
            start: get("/", "text/html"),
            page: get(&page, "text/html"),
            markdown: get(&page, "text/markdown"),
            twin: any(&format!("{page}.md")),
            missing: get("/en/nothing-stands-here", "text/html"),
            robots: any(routes::ROBOTS_TXT),
            sitemap: any(routes::SITEMAP),
            llms: any(routes::LLMS_TXT),
            catalog: any(routes::API_CATALOG),
            resource: any(routes::PROTECTED_RESOURCE),
            issuer: any(routes::AUTHORIZATION_SERVER),
            // The `Accept` of the scanner.
            auth: get(routes::AUTH_MD, "text/markdown, text/plain, */*"),
            card: any(routes::SERVER_CARD_WELL_KNOWN),
            skills: any(routes::AGENT_SKILLS),
            ai: any(routes::AI_CATALOG),
            openapi: any(routes::OPENAPI),
            mcp: Fetched::new(visit.post(routes::MCP, &mcp::MCP_FIELDS, &mcp::initialize(1))),
        }
    }

    /// Returns whether the metadata names no authorization server.
    fn offers_no_registration(&self) -> bool {
        self.resource.json()["authorization_servers"].as_array().is_some_and(Vec::is_empty)
    }

    /// Returns whether the API catalogue lacks the MCP endpoint.
    fn offers_no_mcp(&self) -> bool {
        self.catalog.json()["linkset"].is_array()
            && !self.catalog.contains(&format!("\"{}{}\"", self.origin, routes::MCP))
    }

    fn has_catalog(&self) -> bool {
        let catalog = self.catalog.json();
        let entries = catalog["linkset"].as_array();
        self.catalog.is(media::LINKS)
            && entries.is_some_and(|entries| {
                entries.iter().all(|entry| entry["anchor"].is_string())
                    && entries.iter().any(|entry| entry["service-desc"].is_array() && entry["status"].is_array())
            })
    }

    /// Returns whether there is an auth.md, and metadata with at least one complete way to register.
    fn has_auth(&self) -> bool {
        let agent = &self.issuer.json()["agent_auth"];
        let lists = |value: &Value| value.as_array().is_some_and(|them| !them.is_empty());
        let methods = [&agent["anonymous"], &agent["identity_assertion"]];
        let is_complete =
            methods.iter().any(|method| lists(&method["credential_types_supported"])) && agent["claim_uri"].is_string();
        let heading = self.auth.text.lines().find(|line| line.starts_with("# ")).unwrap_or_default();
        self.auth.is(media::MARKDOWN)
            && heading.to_ascii_lowercase().contains("auth.md")
            && agent["skill"].is_string()
            && agent["register_uri"].is_string()
            && is_complete
    }

    fn has_ai_catalog(&self) -> bool {
        let catalog = self.ai.json();
        self.ai.is(media::AI_CATALOG)
            && self.ai.has("access-control-allow-origin")
            && catalog["entries"].as_array().is_some_and(|entries| {
                entries.iter().all(|entry| {
                    let queries = entry["representativeQueries"].as_array().map_or(0, Vec::len);
                    entry["identifier"].as_str().is_some_and(|id| id.starts_with("urn:air:"))
                        && (2..=5).contains(&queries)
                })
            })
    }
}

/// A response, or none (status 0).
struct Fetched {
    status: u16,
    text: String,
    answer: Option<Answer>,
}

impl Fetched {
    fn new(answer: Result<Answer, Fault>) -> Self {
        match answer {
            Ok(answer) => Self { status: answer.status, text: answer.text().into_owned(), answer: Some(answer) },
            Err(_) => Self { status: 0, text: String::new(), answer: None },
        }
    }

    const fn is_there(&self) -> bool {
        self.status == 200
    }

    /// Returns whether the status is 200 and the media type is this one.
    fn is(&self, media_type: &str) -> bool {
        self.is_there() && self.answer.as_ref().is_some_and(|answer| answer.has_type(media_type))
    }

    fn contains(&self, word: &str) -> bool {
        self.is_there() && self.text.contains(word)
    }

    /// Returns whether `word` is in the first 2,000 bytes of the body, which agents read.
    fn begins_with(&self, word: &str) -> bool {
        let body = self.text.find("<body").map_or(&*self.text, |at| &self.text[at..]);
        self.is_there() && body.find(word).is_some_and(|at| at < 2_000)
    }

    fn has(&self, field: &str) -> bool {
        self.is_there() && self.answer.as_ref().is_some_and(|answer| !answer.field(field).is_empty())
    }

    /// Returns whether the field `Link` has all of these relations.
    fn links(&self, relations: &[&str]) -> bool {
        let all = self.answer.as_ref().map(|answer| answer.field("link")).unwrap_or_default();
        self.is_there() && relations.iter().all(|relation| all.contains(&format!("rel=\"{relation}\"")))
    }

    fn json(&self) -> Value {
        if self.is_there() { serde_json::from_str(&self.text).unwrap_or_default() } else { Value::Null }
    }
}
