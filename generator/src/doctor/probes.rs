//! One request for each kind of answer of the service, with the header fields that the answer must have.

use std::borrow::Cow;

use contract::{
    headers::{
        CONTENT_USAGE, CORS_EXPOSED, CROSS_ORIGIN_OPENER_POLICY, NOSNIFF, RATE_LIMIT, RATE_LIMIT_POLICY, REFERRERS,
        X_MARKDOWN_TOKENS, X_REQUEST_ID, X_ROBOTS_TAG, written,
    },
    manifest::{Class, Policy},
    media, routes,
};
use findings::messages;
use render::classes;

use serde_json::Value;

use super::{
    Fault, Faults, LIMIT, Remedy, TYPES,
    checks::{CREDENTIAL, ERRORS, HEADERS, NEVER_ISSUED, VARY, offers_service},
    fault::area,
    get_ok,
    mcp::{MCP_FIELDS, NO_CACHE, initialize},
    visit::{Answer, Visit},
};

pub(super) const TAG: Remedy = messages::doctor_tag_help;
const POLICY: &str = "content-security-policy";

/// The expected value of a header field.
pub(super) enum Want {
    Is(Cow<'static, str>),
    Begins(&'static str),
    /// A value that contains all of these.
    Has(&'static [&'static str]),
    /// A list with all members of this list.
    Names(&'static str),
    /// This path of the site, with or without its origin.
    Path(&'static str),
    /// Anything.
    Anything,
}

pub(super) const fn is(text: &'static str) -> Want {
    Want::Is(Cow::Borrowed(text))
}

/// Names of fields with their expected values.
pub(super) type Wants = Vec<(String, Want)>;

/// Returns the expected fields with these names.
pub(super) fn to_wants<const N: usize>(wants: [(&str, Want); N]) -> Wants {
    wants.into_iter().map(|(name, want)| (name.to_owned(), want)).collect()
}

/// A request with the expected status and fields of its answer.
pub(super) struct Probe {
    method: &'static str,
    path: String,
    fields: Vec<(&'static str, String)>,
    body: String,
    status: u16,
    wants: Wants,
}

impl Probe {
    fn new(method: &'static str, path: &str, status: u16) -> Self {
        let wants = to_wants([(X_REQUEST_ID, Want::Anything), ("date", Want::Anything)]);
        Self { method, path: path.to_owned(), fields: Vec::new(), body: String::new(), status, wants }
    }

    fn sending<const N: usize>(self, fields: [(&'static str, &str); N], body: impl Into<String>) -> Self {
        let fields = fields.map(|(name, value)| (name, value.to_owned())).to_vec();
        Self { fields, body: body.into(), ..self }
    }

    fn wanting<const N: usize>(mut self, wants: [(&str, Want); N]) -> Self {
        self.wants.extend(to_wants(wants));
        self
    }

    /// Sends the request and compares the answer.
    pub(super) fn examine(&self, visit: &Visit, faults: &mut Faults) {
        let fields: Vec<(&str, &str)> = self.fields.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let answer = if self.method == "POST" {
            visit.post(&self.path, &fields, &self.body)
        } else {
            visit.ask(self.method, &self.path, &fields)
        };
        match answer {
            // Other checks report an answer in another form than `Accept` names.
            Ok(answer) if answer.status == self.status => {
                let is_other = |(name, form): &(&str, &str)| {
                    *name == "accept" && [media::HTML, media::MARKDOWN].contains(form) && !answer.has_type(form)
                };
                if self.status == 304 || !fields.iter().any(is_other) {
                    compare(&self.path, &answer, &self.wants, visit, faults);
                }
            }
            Ok(answer) if self.status == 401 && answer.status < 300 && self.is_answered_by(&answer) => {
                let fault = messages::invalid_credential_status(answer.status);
                faults.push(Fault::new(&self.path, fault, CREDENTIAL));
            }
            Ok(answer) if self.status == 308 && self.is_moved_by(visit, &answer) => {
                let fault = messages::address_changed(answer.status, self.status);
                faults.push(Fault::new(&self.path, fault, messages::doctor_address_help));
            }
            // Other checks report requests that should be rejected, and lost conditions and methods.
            Ok(answer) if answer.status < 300 && self.status >= 400 => {}
            Ok(_) if self.status == 304 || self.method == "HEAD" => {}
            Ok(answer) => faults.push(Fault::of_status(visit, &self.path, &answer)),
            Err(fault) => faults.push(fault),
        }
    }
}

impl Probe {
    /// Returns whether the answer belongs to this request, and not, from a cache, to another.
    fn is_answered_by(&self, answer: &Answer) -> bool {
        let id = |message: &[u8]| serde_json::from_slice::<Value>(message).unwrap_or_default()["id"].clone();
        id(self.body.as_bytes()) == id(&answer.body)
    }

    /// Returns whether a proxy changed the address of the request, rather than something else answering.
    fn is_moved_by(&self, visit: &Visit, answer: &Answer) -> bool {
        let location = answer.field("location");
        match answer.status {
            300..=399 => location.strip_prefix(visit.origin()).unwrap_or(location) == self.path.trim_end_matches('/'),
            400.. => answer.is_own(),
            _ => true,
        }
    }
}

/// Returns the probe of an address of a class, from the table of policies that the generator writes for the sidecar.
fn class_probe(path: &str, class: Class) -> Probe {
    let Policy { cache_control, credential, cors, headers } = classes::policy(class, String::new(), None, false);
    let mut probe = Probe::new("GET", path, 200)
        .wanting([("etag", Want::Anything), ("cache-control", Want::Is(cache_control.into()))]);
    probe.wants.extend(headers.into_iter().map(|(name, value)| {
        let want = if name == CONTENT_USAGE { Want::Anything } else { Want::Is(value.into()) };
        (name, want)
    }));
    if cors {
        probe = probe.wanting(CORS);
    }
    if credential {
        probe = probe.wanting(COUNTED).wanting([("vary", Want::Names("Authorization, X-Api-Key"))]);
    }
    probe
}

const CORS: [(&str, Want); 2] =
    [("access-control-allow-origin", is("*")), ("access-control-expose-headers", Want::Names(CORS_EXPOSED))];
const COUNTED: [(&str, Want); 2] = [(RATE_LIMIT_POLICY, Want::Begins(LIMIT)), (RATE_LIMIT, Want::Begins(LIMIT))];
/// Fields of all answers that are computed for one request.
const MADE: [(&str, Want); 3] = [
    ("cache-control", is("no-store")),
    ("x-content-type-options", is(NOSNIFF)),
    (POLICY, Want::Begins("default-src 'none'")),
];
/// Further fields of those that are not pages.
const MADE_FOR_PROGRAMS: [(&str, Want); 2] =
    [("content-type", Want::Begins(media::JSON)), ("referrer-policy", is(REFERRERS))];

/// Returns the probes of an edge module, with the fields that are the same on every host.
pub(super) fn edge_probes() -> Vec<Probe> {
    let probe = |method, path: &str, status| Probe { wants: Vec::new(), ..Probe::new(method, path, status) };
    let unkept = || [("cache-control", Want::Names("no-store"))];
    let mut page = class_probe("/en", Class::Page).sending(HTML, "").wanting(language());
    page.wants.retain(|(name, _)| [POLICY, "x-content-type-options", "etag", "content-language"].contains(&&**name));
    vec![
        page.wanting([("vary", Want::Names("Accept"))]),
        probe("GET", "/en", 200).sending([("accept", media::MARKDOWN)], "").wanting(language()),
        probe("GET", routes::PUBLICATIONS, 200)
            .wanting(language())
            .wanting([("vary", Want::Names("Authorization")), ("etag", Want::Anything)]),
        probe("GET", routes::HEALTH, 200).wanting(unkept()),
        probe("GET", "/api/v1/team?locale=xx", 400).wanting(unkept()),
        probe("GET", routes::TEAM, 401)
            .sending([("authorization", NEVER_ISSUED)], "")
            .wanting(unkept())
            .wanting(CHALLENGE),
        probe("POST", routes::TEAM, 405).wanting(unkept()).wanting([("allow", is("GET, HEAD"))]),
    ]
}

const HTML: [(&str, &str); 1] = [("accept", media::HTML)];
const LIMITED: [(&str, Want); 2] = [(RATE_LIMIT_POLICY, Want::Anything), (RATE_LIMIT, Want::Anything)];
const ON_PAGES: [(&str, Want); 2] = [("vary", Want::Names("Accept, Accept-Encoding")), ("content-language", is("en"))];
const CHALLENGE: [(&str, Want); 1] = [("www-authenticate", Want::Has(&["resource_metadata"]))];

/// Returns one probe for each kind of answer of the service.
pub(super) fn service_probes(visit: &Visit) -> Vec<Probe> {
    let mut all = content_probes();
    let start = get_ok(visit, "/en", &HTML).ok();
    let linked = |page: &Answer, is_meant: fn(&str) -> bool| {
        page.text().split('"').find(|path| is_meant(path)).map(str::to_owned)
    };
    let asset = start.as_ref().and_then(|page| linked(page, |path| path.starts_with(routes::ASSETS)));
    all.extend(asset.map(|path| class_probe(&path, Class::Asset)));
    let contact = get_ok(visit, "/en/contact", &HTML).ok();
    let card = contact.and_then(|page| linked(&page, |path| path.starts_with('/') && path.ends_with(".vcf")));
    all.extend(card.map(|path| class_probe(&path, Class::Document)));
    let tag = start.as_ref().map(|page| page.field("etag")).filter(|tag| !tag.is_empty());
    all.extend(tag.map(|tag| {
        let mut again = page().sending([("accept", media::HTML), ("if-none-match", tag)], "");
        again.status = 304;
        again.wants.retain(|(name, _)| OF_304.contains(&&**name));
        again
    }));
    // Other checks report a query that is lost.
    if get_ok(visit, RESULTS, &HTML).is_ok_and(|answer| answer.text().contains("xyzzy")) {
        all.push(results_probe());
    }
    if offers_service(visit) {
        all.extend(mcp_probes());
    }
    if visit.get(routes::AUTHORIZATION_SERVER, &[]).is_ok_and(|answer| answer.status == 200) {
        all.extend(registration_probes());
        // This page exists only where e-mail is sent.
        if visit.get(routes::ACCESS, &HTML).is_ok_and(|answer| answer.status == 200) {
            all.push(form(routes::ACCESS));
        }
    }
    all
}

fn computed_probe(method: &'static str, path: &str, status: u16) -> Probe {
    Probe::new(method, path, status).wanting(MADE).wanting(MADE_FOR_PROGRAMS).wanting(CORS)
}

fn error(method: &'static str, path: &str, status: u16) -> Probe {
    computed_probe(method, path, status).wanting(language())
}

const fn language() -> [(&'static str, Want); 1] {
    [("content-language", is("en"))]
}

fn page() -> Probe {
    class_probe("/en", Class::Page).sending(HTML, "").wanting(ON_PAGES).wanting([
        ("link", Want::Has(&["rel=\"alternate\"", "rel=\"api-catalog\""])),
        ("content-location", Want::Path("/en")),
    ])
}

/// Returns the probes of the files of a build.
fn content_probes() -> Vec<Probe> {
    let twin = || [("link", Want::Has(&["rel=\"canonical\""])), (X_MARKDOWN_TOKENS, Want::Anything)];
    vec![
        page(),
        Probe { method: "HEAD", ..page() },
        class_probe("/en", Class::Page)
            .sending([("accept", media::MARKDOWN)], "")
            .wanting(ON_PAGES)
            .wanting(twin())
            .wanting([("content-location", Want::Path("/en.md"))]),
        class_probe("/en.md", Class::Twin).wanting(language()).wanting(twin()),
        class_probe("/tr", Class::Page)
            .sending(HTML, "")
            .wanting([("vary", Want::Names("Accept, Accept-Encoding")), ("content-language", is("tr"))]),
        class_probe(routes::TEAM, Class::Api).wanting(language()),
        class_probe(routes::PUBLICATIONS, Class::Api).wanting(language()),
        class_probe(routes::OPENAPI, Class::Description).wanting(language()),
        class_probe(routes::HEALTH, Class::Health).wanting(language()),
        class_probe(routes::API_CATALOG, Class::Discovery)
            .wanting(language())
            .wanting([("link", Want::Has(&["rel=\"api-catalog\""]))]),
        class_probe(routes::PROTECTED_RESOURCE, Class::Discovery).wanting(language()),
        class_probe(routes::ROBOTS_TXT, Class::Text),
        class_probe(&format!("/en{}", routes::ATOM), Class::Feed),
        Probe::new("GET", "/en/", 308).wanting([
            ("location", Want::Path("/en")),
            ("cache-control", Want::Anything),
            ("x-content-type-options", is(NOSNIFF)),
            ("referrer-policy", is(REFERRERS)),
        ]),
        error("GET", "/api/v1/team?locale=xx", 400).wanting(COUNTED),
        error("GET", routes::TEAM, 401).sending([("authorization", NEVER_ISSUED)], "").wanting(CHALLENGE),
        error("POST", routes::TEAM, 405).wanting([("allow", is("GET, HEAD"))]),
        error("GET", "/api/v1/nothing", 404),
        Probe::new("GET", "/en/nothing-stands-here", 404).sending(HTML, "").wanting(MADE).wanting([
            ("vary", Want::Names("Accept")),
            ("content-language", is("en")),
            (CONTENT_USAGE, Want::Anything),
            ("referrer-policy", is(REFERRERS)),
        ]),
    ]
}

const RESULTS: &str = "/en/search?q=xyzzy";

/// Returns the probe of a page of search results.
fn results_probe() -> Probe {
    Probe::new("GET", RESULTS, 200).sending(HTML, "").wanting(language()).wanting(LIMITED).wanting([
        ("cache-control", Want::Names("private")),
        (X_ROBOTS_TAG, Want::Names("noindex")),
        ("x-content-type-options", is(NOSNIFF)),
        ("referrer-policy", is(REFERRERS)),
        (POLICY, Want::Begins("default-src 'none'")),
        ("link", Want::Has(&["rel=\"alternate\""])),
        ("vary", Want::Names("Accept")),
        (CONTENT_USAGE, Want::Anything),
    ])
}

fn mcp_probes() -> [Probe; 3] {
    [
        computed_probe("POST", routes::MCP, 200).sending(MCP_FIELDS, initialize(5)).wanting(LIMITED),
        error("GET", routes::MCP, 405).wanting([("allow", Want::Names("POST"))]),
        error("POST", routes::MCP, 401)
            .sending([MCP_FIELDS[0], MCP_FIELDS[1], ("authorization", NEVER_ISSUED)], initialize(6))
            .wanting(CHALLENGE),
    ]
}

fn form(path: &str) -> Probe {
    Probe::new("GET", path, 200).sending(HTML, "").wanting(MADE).wanting(LIMITED).wanting([
        ("x-frame-options", is("DENY")),
        (CROSS_ORIGIN_OPENER_POLICY, is("same-origin")),
        (X_ROBOTS_TAG, Want::Names("noindex")),
        ("referrer-policy", Want::Anything),
        ("content-language", Want::Anything),
        ("pragma", is("no-cache")),
    ])
}

fn registration_probes() -> [Probe; 3] {
    [
        error("POST", routes::REGISTER, 400)
            .sending([("content-type", media::JSON)], "{}")
            .wanting(LIMITED)
            .wanting([("pragma", is("no-cache"))]),
        error("POST", routes::TOKEN, 400).sending([("content-type", media::FORM)], "grant_type=none"),
        form(routes::AUTHORIZE),
    ]
}

/// Fields that a 304 has in common with its page (RFC 9110, 15.4.5).
const OF_304: [&str; 6] = ["cache-control", "content-location", "date", "etag", "vary", X_REQUEST_ID];

/// Compares the fields of an answer with the expected ones. An answer that lacks most of them is not the service's.
pub(super) fn compare(path: &str, answer: &Answer, wants: &Wants, visit: &Visit, faults: &mut Faults) {
    let lacking = wants.iter().filter(|(name, _)| answer.field(name).is_empty()).count();
    if lacking * 2 > wants.len() && wants.len() >= MIN_FIELDS {
        let fault = messages::fields_lacking(lacking, wants.len());
        let remedy = || if answer.status < 400 { messages::doctor_area_help(area(path)) } else { ERRORS() };
        faults.push(Fault::new(path, fault, remedy));
        return;
    }
    for (name, want) in wants {
        let lines = answer.lines(name);
        let holds = !lines.is_empty() && want.holds(name, &lines, visit);
        let remedy = match name.as_str() {
            "vary" => VARY,
            "etag" => TAG,
            "cache-control" if !lines.is_empty() && is_computed(path) => NO_CACHE,
            "cache-control" if !lines.is_empty() && answer.status >= 400 => ERRORS,
            "content-type" => TYPES,
            "location" | "content-location" => messages::doctor_location_help,
            _ => HEADERS,
        };
        // Of several lines, name those that do not match.
        let mut received = lines.clone();
        received.retain(|line| !want.holds(name, &[line], visit));
        let received = if received.is_empty() { lines } else { received };
        faults.expect_field(path, (&title(name), &received.join(", ")), holds, remedy);
    }
}

/// Expects `no-store` on an answer that is computed for one request.
pub(super) fn expect_no_store(path: &str, answer: &Answer, faults: &mut Faults) {
    let value = answer.lines("cache-control").join(", ");
    let remedy = if value.is_empty() { HEADERS } else { NO_CACHE };
    // Another check reports a cached 404.
    let holds = answer.status == 404 || answer.names("cache-control", "no-store");
    faults.expect_field(path, ("Cache-Control", &value), holds, remedy);
}

/// Returns whether the answers of an address are computed for each request, whatever their status.
fn is_computed(path: &str) -> bool {
    [routes::MCP, "/agent/", "/oauth2/"].iter().any(|it| path.starts_with(it))
}

/// If more than half of at least this many fields are missing, something else answers.
const MIN_FIELDS: usize = 6;

impl Want {
    fn holds(&self, name: &str, lines: &[&str], visit: &Visit) -> bool {
        let all = |holds: &dyn Fn(&str) -> bool| lines.iter().all(|line| holds(line));
        match self {
            // Browsers reject two lines of `Access-Control-Allow-Origin`.
            Self::Is(wanted) => {
                all(&|line| if name == POLICY { without_script(line) == *wanted } else { line == wanted })
                    && (lines.len() == 1 || name != "access-control-allow-origin")
            }
            Self::Begins(wanted) => all(&|line| line.starts_with(wanted)),
            Self::Has(wanted) => wanted.iter().all(|word| lines.iter().any(|line| line.contains(word))),
            Self::Names(wanted) => wanted.split(", ").all(|word| {
                lines.iter().flat_map(|line| line.split(',')).any(|it| it.trim().eq_ignore_ascii_case(word))
            }),
            Self::Path(wanted) => all(&|line| line.strip_prefix(visit.origin()).unwrap_or(line) == *wanted),
            Self::Anything => true,
        }
    }
}

/// Returns a policy without the digest of the site's own script.
fn without_script(policy: &str) -> String {
    let is_digest = |part: &str| part.starts_with("script-src 'sha256-") && part.split(' ').count() == 2;
    policy.split("; ").filter(|part| !is_digest(part)).collect::<Vec<_>>().join("; ")
}

/// Returns the name of a field in its usual capitals.
fn title(name: &str) -> String {
    let parts = name.split('-').map(|part| match part {
        "www" => "WWW".to_owned(),
        "etag" => "ETag".to_owned(),
        RATE_LIMIT => written::RATE_LIMIT.to_owned(),
        part => part[..1].to_ascii_uppercase() + &part[1..],
    });
    parts.collect::<Vec<_>>().join("-")
}
