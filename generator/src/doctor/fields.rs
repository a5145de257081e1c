//! What proxies and caches forget: fields of requests and of answers, addresses and bodies as the service means them.

use contract::{
    headers::{
        CONTENT_USAGE, CORS_ALLOWED, CORS_ALLOWED_POSTED, CORS_EXPOSED, CORS_MAX_AGE, CROSS_ORIGIN_OPENER_POLICY,
        NOSNIFF, RATE_LIMIT, RATE_LIMIT_POLICY, REFERRERS, X_API_KEY, X_MARKDOWN_TOKENS, X_REQUEST_ID, X_ROBOTS_TAG,
        written,
    },
    manifest::{Class, Policy},
    media, routes,
};
use sha2::{Digest as _, Sha256};

use super::{
    End, Fault, Faults, LIMIT, Remedy, TYPES,
    checks::{BODIES, CREDENTIAL, ERRORS, HEADERS, METHODS, NEVER_ISSUED, Named, QUERY, VARY, offers_service},
    computed::{MCP_FIELDS, NO_CACHE, initialize},
    fault::area,
    found,
    visit::{Answer, Visit},
};
use crate::{hex::hex, messages, render::classes};

/// What is expected of whatever stands before the sidecar.
pub(super) const SIDECAR: [Named; 6] = [
    (messages::examined_request_fields, requests),
    (messages::examined_scripts, scripts),
    (messages::examined_answer_fields, answers),
    (messages::examined_written_addresses, addresses),
    (messages::examined_bodies, bodies),
    (messages::examined_limits, limits),
];
/// What is expected of an edge module.
pub(super) const EDGE: [Named; 1] = [(messages::examined_answer_fields, |visit, faults| {
    let mut page = of_class("/en", Class::Page);
    page.wants.retain(|(name, _)| GUARDS.contains(&name.as_str()));
    page.examine(visit, faults);
    Ok(())
})];

/// The fields of a page without which it is less safe.
const GUARDS: [&str; 2] = [POLICY, "x-content-type-options"];
const FIELDS: Remedy = messages::doctor_request_fields_help;
const CODING: Remedy = messages::doctor_coding_help;
/// How compressed bodies begin (RFC 1952).
const GZIP: &[u8] = &[0x1f, 0x8b];
const POLICY: &str = "content-security-policy";

/// Fields that change an answer, where no other check depends on them.
fn requests(visit: &Visit, faults: &mut Faults) -> Result<(), End> {
    let key = NEVER_ISSUED.split(' ').next_back().unwrap_or_default();
    let keyed = visit.get(routes::TEAM, &[(X_API_KEY, key)])?;
    faults.expect_answer(visit, (routes::TEAM, &keyed), keyed.status == 401, CREDENTIAL, || {
        messages::field_not_passed(written::X_API_KEY, keyed.status)
    });
    for path in ["/en", routes::TEAM] {
        let whole = found(visit, path, &[("accept-encoding", "gzip")])?;
        let is_coded = whole.body.starts_with(GZIP);
        let coding = whole.field("content-encoding");
        faults.expect_field(path, ("Content-Encoding", coding), !is_coded || coding == "gzip", HEADERS);
        let again = |coding: &str, tag: &str| visit.get(path, &[("accept-encoding", coding), ("if-none-match", tag)]);
        let uncoded = found(visit, path, &[("accept-encoding", "identity")])?;
        let tag = whole.field("etag");
        // Where no condition is passed on, compression is not the reason.
        if tag.is_empty() || again("identity", uncoded.field("etag"))?.status != 304 {
            continue;
        }
        let status = again("gzip", tag)?.status;
        faults.expect(path, status == 304, CODING, || messages::compressed_not_revalidated(status, tag));
    }
    Ok(())
}

/// What scripts of other origins are allowed: a browser asks before it sends a credential or a body.
fn scripts(visit: &Visit, faults: &mut Faults) -> Result<(), End> {
    let asked = [
        (routes::TEAM, "https://script.example", "GET", CORS_ALLOWED),
        (routes::MCP, visit.origin(), "POST", CORS_ALLOWED_POSTED),
    ];
    let count = if offers_service(visit) { asked.len() } else { 1 };
    for (path, origin, method, allowed) in asked.into_iter().take(count) {
        let answer = visit.ask("OPTIONS", path, &[("origin", origin), ("access-control-request-method", method)])?;
        if answer.status == 405 && answer.is_error() {
            faults.push(Fault::new(path, messages::field_not_passed("Origin", answer.status), FIELDS));
            continue;
        }
        let wants = [
            ("access-control-allow-origin", Want::Is("*")),
            ("access-control-allow-methods", Want::Names(method)),
            ("access-control-allow-headers", Want::Names(allowed)),
            ("access-control-max-age", Want::Is(CORS_MAX_AGE)),
        ];
        match answer.status {
            204 => compare(path, &answer, &owned(wants), visit, faults),
            200..=299 | 400..=405 => faults.push(Fault::new(path, messages::preflight_fails(answer.status), METHODS)),
            _ => faults.push(Fault::of_status(visit, path, &answer)),
        }
    }
    Ok(())
}

/// What a field must say.
enum Want {
    /// Exactly this.
    Is(&'static str),
    /// Exactly this, which is made for the class of the address.
    Policy(String),
    /// Something that begins so.
    Begins(&'static str),
    /// Something that has all of these in it.
    Has(&'static [&'static str]),
    /// All members of this list.
    Names(&'static str),
    /// This path of the site, with or without its origin.
    Path(&'static str),
    /// Anything.
    Anything,
}

/// Names of fields, with what they must say.
type Wants = Vec<(String, Want)>;

fn owned<const N: usize>(wants: [(&str, Want); N]) -> Wants {
    wants.into_iter().map(|(name, want)| (name.to_owned(), want)).collect()
}

/// A request, with the status and the fields of its answer.
struct Probe {
    method: &'static str,
    path: String,
    fields: Vec<(&'static str, &'static str)>,
    body: String,
    status: u16,
    wants: Wants,
}

impl Probe {
    fn new(method: &'static str, path: &str, status: u16) -> Self {
        let wants = owned([(X_REQUEST_ID, Want::Anything), ("date", Want::Anything)]);
        Self { method, path: path.to_owned(), fields: Vec::new(), body: String::new(), status, wants }
    }

    fn sending<const N: usize>(self, fields: [(&'static str, &'static str); N], body: impl Into<String>) -> Self {
        Self { fields: fields.to_vec(), body: body.into(), ..self }
    }

    fn wanting<const N: usize>(mut self, wants: [(&str, Want); N]) -> Self {
        self.wants.extend(owned(wants));
        self
    }

    /// Asks, and compares the answer. An answer that cannot be compared is a fault that other checks find, too.
    fn examine(&self, visit: &Visit, faults: &mut Faults) {
        let answer = if self.method == "POST" {
            visit.post(&self.path, &self.fields, &self.body)
        } else {
            visit.ask(self.method, &self.path, &self.fields)
        };
        match answer {
            // Another form than the one that was asked for is a fault that other checks find.
            Ok(answer) if answer.status == self.status => {
                let is_other = |(name, form): &(&str, &str)| {
                    *name == "accept" && [media::HTML, media::MARKDOWN].contains(form) && !answer.has_type(form)
                };
                if !self.fields.iter().any(is_other) {
                    compare(&self.path, &answer, &self.wants, visit, faults);
                }
            }
            Ok(answer) if self.status == 401 && answer.status < 300 => {
                let fault = messages::invalid_credential_status(answer.status);
                faults.push(Fault::new(&self.path, fault, CREDENTIAL));
            }
            Ok(answer) if self.status == 308 => {
                let fault = messages::address_changed(answer.status, self.status);
                faults.push(Fault::new(&self.path, fault, messages::doctor_address_help));
            }
            // What should be refused and is not, other checks find.
            Ok(answer) if answer.status < 300 && self.status >= 400 => {}
            Ok(answer) => faults.push(Fault::of_status(visit, &self.path, &answer)),
            Err(fault) => faults.push(fault),
        }
    }
}

/// Returns what is expected of an address of a class, from the table by which the generator tells the sidecar.
fn of_class(path: &str, class: Class) -> Probe {
    let Policy { cache_control, credential, cors, headers } = classes::policy(class, String::new(), None, false);
    let mut probe = Probe::new("GET", path, 200)
        .wanting([("etag", Want::Anything), ("cache-control", Want::Policy(cache_control))]);
    probe.wants.extend(headers.into_iter().map(|(name, value)| {
        let want = if name == CONTENT_USAGE { Want::Anything } else { Want::Policy(value) };
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
    [("access-control-allow-origin", Want::Is("*")), ("access-control-expose-headers", Want::Names(CORS_EXPOSED))];
const COUNTED: [(&str, Want); 2] = [(RATE_LIMIT_POLICY, Want::Begins(LIMIT)), (RATE_LIMIT, Want::Begins(LIMIT))];
/// What all answers have that are made for one request.
const MADE: [(&str, Want); 3] = [
    ("cache-control", Want::Is("no-store")),
    ("x-content-type-options", Want::Is(NOSNIFF)),
    (POLICY, Want::Begins("default-src 'none'")),
];
/// What those of them have that are no pages.
const MADE_FOR_PROGRAMS: [(&str, Want); 2] =
    [("content-type", Want::Begins(media::JSON)), ("referrer-policy", Want::Is(REFERRERS))];

/// Returns one request for each kind of answer that the service gives.
fn probes(visit: &Visit) -> Result<Vec<Probe>, End> {
    let html = [("accept", media::HTML)];
    let language = || [("content-language", Want::Is("en"))];
    let on_pages = || [("vary", Want::Names("Accept, Accept-Encoding")), ("content-language", Want::Is("en"))];
    let twin = || [("link", Want::Has(&["rel=\"canonical\""])), (X_MARKDOWN_TOKENS, Want::Anything)];
    let json = [("content-type", media::JSON)];
    let made = |method, path: &str, status| {
        Probe::new(method, path, status).wanting(MADE).wanting(MADE_FOR_PROGRAMS).wanting(CORS)
    };
    let error = |method, path: &str, status| made(method, path, status).wanting(language());
    let challenge = || [("www-authenticate", Want::Has(&["resource_metadata"]))];
    let mut probes = vec![
        of_class("/en", Class::Page).sending(html, "").wanting(on_pages()).wanting([
            ("link", Want::Has(&["rel=\"alternate\"", "rel=\"api-catalog\""])),
            ("content-location", Want::Path("/en")),
        ]),
        of_class("/en", Class::Page)
            .sending([("accept", media::MARKDOWN)], "")
            .wanting(on_pages())
            .wanting(twin())
            .wanting([("content-location", Want::Path("/en.md"))]),
        of_class("/en.md", Class::Twin).wanting(language()).wanting(twin()),
        of_class(routes::TEAM, Class::Api).wanting(language()),
        of_class(routes::OPENAPI, Class::Description).wanting(language()),
        of_class(routes::HEALTH, Class::Health).wanting(language()),
        of_class(routes::API_CATALOG, Class::Discovery)
            .wanting(language())
            .wanting([("link", Want::Has(&["rel=\"api-catalog\""]))]),
        of_class(routes::PROTECTED_RESOURCE, Class::Discovery).wanting(language()),
        of_class(routes::ROBOTS_TXT, Class::Text),
        of_class(&format!("/en{}", routes::ATOM), Class::Feed),
        Probe::new("GET", "/en/", 308).wanting([
            ("location", Want::Path("/en")),
            ("cache-control", Want::Anything),
            ("x-content-type-options", Want::Is(NOSNIFF)),
            ("referrer-policy", Want::Is(REFERRERS)),
        ]),
        error("GET", "/api/v1/team?locale=xx", 400).wanting(COUNTED),
        error("GET", routes::TEAM, 401).sending([("authorization", NEVER_ISSUED)], "").wanting(challenge()),
        error("POST", routes::TEAM, 405).wanting([("allow", Want::Is("GET, HEAD"))]),
        error("GET", "/api/v1/nothing", 404),
        Probe::new("GET", "/en/nothing-stands-here", 404).sending(html, "").wanting(MADE).wanting([
            ("vary", Want::Names("Accept")),
            ("content-language", Want::Is("en")),
            (CONTENT_USAGE, Want::Anything),
            ("referrer-policy", Want::Is(REFERRERS)),
        ]),
    ];
    let page = found(visit, "/en", &html)?;
    let text = page.text();
    let asset = text.split('"').find(|path| path.starts_with(routes::ASSETS));
    probes.extend(asset.map(|path| of_class(path, Class::Asset)));
    if offers_service(visit) {
        let limited = || [(RATE_LIMIT_POLICY, Want::Anything), (RATE_LIMIT, Want::Anything)];
        let form = |path| {
            Probe::new("GET", path, 200).sending(html, "").wanting(MADE).wanting(limited()).wanting([
                ("x-frame-options", Want::Is("DENY")),
                (CROSS_ORIGIN_OPENER_POLICY, Want::Is("same-origin")),
                (X_ROBOTS_TAG, Want::Names("noindex")),
                ("referrer-policy", Want::Anything),
                ("content-language", Want::Anything),
                ("pragma", Want::Is("no-cache")),
            ])
        };
        probes.extend([
            made("POST", routes::MCP, 200).sending(MCP_FIELDS, initialize(5)).wanting(limited()),
            error("GET", routes::MCP, 405).wanting([("allow", Want::Names("POST"))]),
            error("POST", routes::MCP, 401)
                .sending([MCP_FIELDS[0], MCP_FIELDS[1], ("authorization", NEVER_ISSUED)], initialize(6))
                .wanting(challenge()),
        ]);
        if visit.get(routes::AUTHORIZATION_SERVER, &[]).is_ok_and(|answer| answer.status == 200) {
            probes.extend([
                error("POST", routes::REGISTER, 400)
                    .sending(json, "{}")
                    .wanting(limited())
                    .wanting([("pragma", Want::Is("no-cache"))]),
                error("POST", routes::TOKEN, 400).sending([("content-type", media::FORM)], "grant_type=none"),
                form(routes::ACCESS),
                form(routes::AUTHORIZE),
            ]);
        }
    }
    Ok(probes)
}

/// Fields that the service gives its answers.
fn answers(visit: &Visit, faults: &mut Faults) -> Result<(), End> {
    for probe in probes(visit)? {
        probe.examine(visit, faults);
    }
    Ok(())
}

/// Compares the fields of an answer with what they must say. An answer that has few of them is not the service's.
fn compare(path: &str, answer: &Answer, wants: &Wants, visit: &Visit, faults: &mut Faults) {
    let lacking = wants.iter().filter(|(name, _)| answer.field(name).is_empty()).count();
    if lacking * 2 > wants.len() && wants.len() > MIN_FIELDS {
        let fault = messages::fields_lacking(lacking, wants.len());
        faults.push(Fault::new(path, fault, || messages::doctor_area_help(area(path))));
        return;
    }
    for (name, want) in wants {
        let lines = answer.lines(name);
        let holds = !lines.is_empty() && want.holds(name, &lines, visit);
        let remedy = match name.as_str() {
            "vary" => VARY,
            "cache-control" if !lines.is_empty() && answer.status >= 400 => ERRORS,
            "cache-control" if !lines.is_empty() && path != routes::HEALTH && matches!(want, Want::Is(_)) => NO_CACHE,
            "content-type" => TYPES,
            "location" | "content-location" => messages::doctor_location_help,
            _ => HEADERS,
        };
        // Of several lines, those are named that are not the service's.
        let mut given = lines.clone();
        given.retain(|line| !want.holds(name, &[line], visit));
        let given = if given.is_empty() { lines } else { given };
        faults.expect_field(path, (&title(name), &given.join(", ")), holds, remedy);
    }
}

/// Of so many fields, more than half are lost only where something else answers.
const MIN_FIELDS: usize = 6;

impl Want {
    fn holds(&self, name: &str, lines: &[&str], visit: &Visit) -> bool {
        let all = |holds: &dyn Fn(&str) -> bool| lines.iter().all(|line| holds(line));
        match self {
            // A browser takes two for none.
            Self::Is(wanted) => {
                all(&|line| line == *wanted) && (lines.len() == 1 || name != "access-control-allow-origin")
            }
            Self::Policy(wanted) => {
                all(&|line| if name == POLICY { without_script(line) == *wanted } else { line == wanted })
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

/// Returns a policy without the digest of the one script that pages run.
fn without_script(policy: &str) -> String {
    let is_digest = |part: &str| part.starts_with("script-src 'sha256-") && part.split(' ').count() == 2;
    policy.split("; ").filter(|part| !is_digest(part)).collect::<Vec<_>>().join("; ")
}

/// Returns the name of a field as people write it.
fn title(name: &str) -> String {
    let parts = name.split('-').map(|part| match part {
        "www" => "WWW".to_owned(),
        "etag" => "ETag".to_owned(),
        RATE_LIMIT => written::RATE_LIMIT.to_owned(),
        part => part[..1].to_ascii_uppercase() + &part[1..],
    });
    parts.collect::<Vec<_>>().join("-")
}

/// Addresses that only look like others: upper and lower case are different, nothing is added, and `%74` is `t`.
fn addresses(visit: &Visit, faults: &mut Faults) -> Result<(), End> {
    let [upper, slash, written] =
        [routes::TEAM.to_ascii_uppercase(), format!("{}/", routes::TEAM), routes::TEAM.replacen("/t", "/%74", 1)];
    let query = format!("{}?locale=EN", routes::TEAM);
    for (path, status) in [(upper, 404), (slash, 404), (written, 200), (query, 400)] {
        let answer = visit.get(&path, &[])?;
        // Where the query is lost as a whole, no other query is refused either.
        let remedy = if path.contains('?') { QUERY } else { messages::doctor_address_help };
        faults.expect_answer(visit, (&path, &answer), answer.status == status, remedy, || {
            messages::address_changed(answer.status, status)
        });
    }
    Ok(())
}

/// The entity tag is half of the body's digest, so that a changed body shows. What rewrites bodies drops the tag, or
/// keeps one that does not fit. Without a word about codings, Caddy asks for `gzip`, unpacks it and keeps the tag of
/// that.
fn bodies(visit: &Visit, faults: &mut Faults) -> Result<(), End> {
    let mut untagged = Vec::new();
    for path in BODIES_OF {
        let answer = found(visit, path, &[("accept-encoding", "identity")])?;
        if !answer.field("content-encoding").is_empty() {
            faults.push(Fault::new(path, messages::coding_not_accepted(answer.field("content-encoding")), CODING));
            continue;
        }
        let tag = answer.field("etag").trim_start_matches("W/").trim_matches('"');
        if tag.is_empty() {
            untagged.push(path);
        }
        let is_digest = tag.len() == 32 && tag.bytes().all(|byte| byte.is_ascii_hexdigit());
        let is_same = hex(&Sha256::digest(&answer.body)[..16]) == tag;
        faults.expect(path, !is_digest || is_same, BODIES, messages::body_changed);
    }
    // What drops the tag of every answer need not rewrite any.
    let remedy = if untagged.len() == BODIES_OF.len() { HEADERS } else { BODIES };
    for path in untagged {
        faults.expect_field(path, ("ETag", ""), false, remedy);
    }
    Ok(())
}

/// Answers that something on the way may want to improve.
const BODIES_OF: [&str; 7] =
    ["/en", "/tr", "/en.md", routes::API_OPENAPI, routes::ROBOTS_TXT, routes::LLMS_TXT, routes::SITEMAP];

/// A client that asks too often must be told when to come back. No limit is exhausted in order to see it.
fn limits(visit: &Visit, faults: &mut Faults) -> Result<(), End> {
    let (has_waited, endless) = visit.waits();
    if !has_waited {
        return Err(End::Unjudged(messages::unjudged_limits()));
    }
    for path in endless {
        faults.push(Fault::new(path, messages::field_lacking("Retry-After"), HEADERS));
    }
    Ok(())
}
