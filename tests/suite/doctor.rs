//! The findings of `generator doctor` on a served site, and on sites behind hosts that spoil responses.

use std::{
    collections::{BTreeSet, HashMap},
    fs,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{TcpListener, TcpStream},
    path::Path,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
};

use contract::Locale;
use generator::doctor::{DeploymentKind, Report, examine, score};
use jiff::Timestamp;
use tests::{BuiltFirm, Firm as _, Reply, Service, build_for, content_of, request, third};

/// A request as a host in front of the service receives it.
#[derive(Clone)]
struct HostRequest {
    method: String,
    target: String,
    headers: Vec<String>,
    body: Vec<u8>,
}

impl HostRequest {
    fn path(&self) -> &str {
        self.target.split('?').next().unwrap()
    }
}

/// Answers a request, with the service behind as the second argument.
type Host = dyn Fn(&HostRequest, &dyn Fn(&HostRequest) -> Reply) -> Reply + Send + Sync;

/// Serves a firm behind a host until the process ends; returns the address of the host.
fn serve_behind(firm: &str, host: impl Fn(&BuiltFirm) -> Box<Host>) -> String {
    serve_content_behind(&content_of(firm), host)
}

fn serve_content_behind(content: &Path, host: impl Fn(&BuiltFirm) -> Box<Host>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let site = format!("http://{}", listener.local_addr().unwrap());
    let service: Arc<Service> = Arc::new(build_for(content, &site).serve());
    let host: Arc<Host> = host(&service.firm).into();
    thread::spawn(move || {
        for client in listener.incoming().map_while(Result::ok) {
            let (service, host) = (Arc::clone(&service), Arc::clone(&host));
            thread::spawn(move || {
                let pass = |received: &HostRequest| {
                    let headers: Vec<&str> = received.headers.iter().map(String::as_str).collect();
                    request(service.address(), &received.method, &received.target, &headers, &received.body)
                };
                answer(client, &|request| host(request, &pass));
            });
        }
    });
    site
}

/// Reads one request and writes its response.
fn answer(mut client: TcpStream, host: &dyn Fn(&HostRequest) -> Reply) {
    let mut reader = BufReader::new(client.try_clone().unwrap());
    let mut head = Vec::new();
    while head.last().is_none_or(|line: &String| !line.is_empty()) {
        let mut line = String::new();
        if reader.read_line(&mut line).unwrap_or(0) == 0 {
            return;
        }
        head.push(line.trim_end().to_owned());
    }
    let mut words = head[0].split(' ').map(str::to_owned);
    let length =
        head.iter().find_map(|line| line.to_ascii_lowercase().strip_prefix("content-length:")?.trim().parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body).unwrap();
    let names_connection = |line: &String| {
        ["host:", "connection:", "content-length:", "transfer-encoding:"]
            .iter()
            .any(|name| line.to_ascii_lowercase().starts_with(name))
    };
    let headers = head[1..].iter().filter(|line| !line.is_empty() && !names_connection(line)).cloned().collect();
    let request = HostRequest { method: words.next().unwrap(), target: words.next().unwrap(), headers, body };
    let reply = host(&request);
    let mut out = format!("HTTP/1.1 {} Answer\r\nConnection: close\r\n", reply.status);
    for (name, value) in
        reply.headers.iter().filter(|(name, _)| !["content-length", "connection"].contains(&name.as_str()))
    {
        out.extend([name, ": ", value, "\r\n"]);
    }
    if reply.status != 304 && request.method != "HEAD" {
        out.extend(["content-length: ", &reply.body.len().to_string(), "\r\n"]);
    }
    // The client may have gone.
    let _ = client.write_all(&[out.as_bytes(), b"\r\n", &reply.body].concat());
}

fn without(mut reply: Reply, field: &str) -> Reply {
    reply.headers.retain(|(name, _)| name != field);
    reply
}

fn with(reply: Reply, field: &str, value: &str) -> Reply {
    let mut reply = without(reply, field);
    reply.headers.push((field.to_owned(), value.to_owned()));
    reply
}

fn plain(status: u16, body: impl Into<Vec<u8>>) -> Reply {
    Reply { status, headers: Vec::new(), body: body.into() }
}

const EN: Locale = Locale::En;

#[expect(clippy::disallowed_methods, reason = "the clock of this machine is compared with itself")]
fn now() -> Timestamp {
    Timestamp::now()
}

/// Returns the faults, each with the name of its check.
fn faults(report: &Report) -> Vec<String> {
    let of_check = |check: &generator::doctor::Examined| {
        check
            .faults
            .iter()
            .map(|fault| format!("{}: {} ({})", &check.name[EN], &fault.text()[EN], &fault.remedy[EN]))
            .collect::<Vec<_>>()
    };
    report.checks.iter().flat_map(of_check).collect()
}

/// A spoiled deployment: the beginning of the finding, a part of the remedy, and the host.
type Spoiled = (&'static str, &'static str, Box<Host>);

/// Spoils the responses at addresses that begin with one of these.
fn at<const N: usize>(paths: [&'static str; N], spoil: impl Fn(Reply) -> Reply + Send + Sync + 'static) -> Box<Host> {
    Box::new(move |request, pass| {
        let reply = pass(request);
        if paths.iter().any(|path| request.path().starts_with(path)) { spoil(reply) } else { reply }
    })
}

/// Drops fields of requests.
fn drop_fields<const N: usize>(fields: [&'static str; N]) -> Box<Host> {
    Box::new(move |request, pass| {
        let mut request = request.clone();
        request.headers.retain(|line| {
            let name = line.split(':').next().unwrap().to_ascii_lowercase();
            !fields.contains(&name.as_str())
        });
        pass(&request)
    })
}

/// Changes the target of requests.
fn change_target(change: impl Fn(&str) -> String + Send + Sync + 'static) -> Box<Host> {
    Box::new(move |request, pass| pass(&HostRequest { target: change(&request.target), ..request.clone() }))
}

/// Caches responses by the `key` of a request; `None` is not cached.
fn cache_by(key: impl Fn(&HostRequest) -> Option<String> + Send + Sync + 'static) -> Box<Host> {
    let kept: Mutex<HashMap<String, Reply>> = Mutex::default();
    Box::new(move |request, pass| {
        let Some(key) = key(request) else { return pass(request) };
        kept.lock().unwrap().entry(key).or_insert_with(|| pass(request)).clone()
    })
}

/// Changes the text of a reply.
fn replace_text(reply: Reply, from: &str, to: &str) -> Reply {
    let body = String::from_utf8(reply.body.clone()).map(|text| text.replace(from, to).into_bytes());
    Reply { body: body.unwrap_or_else(|_| reply.body.clone()), ..reply }
}

/// Services and files that are unreachable.
fn unreachable_services() -> Vec<Spoiled> {
    let page = || with(plain(200, "<!DOCTYPE html><title>Welcome</title>"), "content-type", "text/html");
    vec![
        (
            "service: /mcp/server-card, /mcp: 502: the service behind the proxy does not answer",
            "start the service",
            at(["/mcp"], |_| plain(502, "Bad Gateway")),
        ),
        (
            "service: /mcp: answers 301, a redirect to …/",
            "without a redirect",
            Box::new(
                |request, pass| {
                    if request.path() == "/mcp" { with(plain(301, ""), "location", "/mcp/") } else { pass(request) }
                },
            ),
        ),
        (
            "reach: /en, /api/v1/team, /api/v1/health: answers 301, a redirect to …/",
            "without a redirect",
            Box::new(|request, pass| {
                let path = request.path();
                let is_bare = !path.ends_with('/') && !path.contains('.');
                if is_bare { with(plain(301, ""), "location", &format!("{path}/")) } else { pass(request) }
            }),
        ),
        ("types: /.well-known/api-catalog, ", "hidden files", at(["/.well-known/"], |_| plain(403, "Forbidden"))),
        (
            "registration: /.well-known/oauth-authorization-server: 403: something in front",
            "hidden files",
            at(["/.well-known/oauth-authorization-server"], |_| plain(403, "Forbidden")),
        ),
        ("registration: /agent/auth, ", "route `/agent/` to the service", at(["/agent/"], |_| plain(404, "Not Found"))),
        (
            "registration: /oauth2/token, /oauth2/revoke: answers 200 as `text/html`",
            "route `/oauth2/` to the service",
            at(["/oauth2/"], move |_| page()),
        ),
        (
            "registration: /oauth2/token, /oauth2/revoke: 403: something in front of the service rejects the request",
            "open `/oauth2/` to everyone",
            at(["/oauth2/"], |_| plain(403, "Forbidden")),
        ),
        (
            "pages of registration: /agent/access/view: 502",
            "start the service",
            at(["/agent/access/view"], |_| plain(502, "")),
        ),
        (
            "types: /.well-known/api-catalog, ",
            "everything below `/.well-known/`",
            at(["/.well-known/"], |_| plain(404, "")),
        ),
        (
            "service: /mcp: POST with 256 KiB: 413 instead of 200",
            "client_max_body_size",
            Box::new(|request, pass| if request.body.len() > 65_536 { plain(413, "") } else { pass(request) }),
        ),
        (
            "scripts of other sites: /api/v1/team, /mcp: OPTIONS is answered with 403",
            "every method",
            Box::new(|request, pass| if request.method == "OPTIONS" { plain(403, "") } else { pass(request) }),
        ),
        (
            "admin listener: /metrics: the admin listener can be reached from outside",
            "MECELLE_ADMIN_LISTEN",
            at(["/metrics"], |_| plain(200, "mecelle_requests_total 1\n")),
        ),
    ]
}

/// Hosts that respond in place of the service.
fn replaced_responses() -> Vec<Spoiled> {
    vec![
        (
            "pages: /en: answers 302, a redirect to /login",
            "without a redirect",
            Box::new(|request, pass| {
                let (own, path) = (pass(request), request.path());
                let is_walled = path == "/en" || path.starts_with("/en/") || path == "/en.md";
                let wall = || with(plain(302, ""), "location", "/login?next=https://firm.example/en");
                if is_walled { wall() } else { own }
            }),
        ),
        ("pages: /en: 401: something in front", "open `/en` to everyone", at(["/en"], |_| plain(401, "Password?"))),
        (
            "pages: /en: answers 302, a redirect to /enter",
            "without",
            at(["/en"], |_| with(plain(302, ""), "location", "/enter")),
        ),
        (
            "pages: /en: answers 404 without a media type",
            "route `/en` to the service",
            at(["/en"], |_| plain(404, "Not Found")),
        ),
        (
            "pages of registration: /oauth2/authorize, /agent/access, /agent/auth/claim/view and 5 more: 520",
            "start the service",
            at(["/oauth2/", "/agent/"], |_| plain(520, "Unknown")),
        ),
        (
            "registration: /agent/auth, /agent/identity, /agent/auth/claim and 4 more: 503: the service behind the proxy \
             does not answer, or cannot use its store",
            "`MECELLE_STORE`",
            at(["/oauth2/", "/agent/"], |_| plain(503, UNAVAILABLE)),
        ),
        (
            "registration: /agent/auth, ",
            "`/agent/` is cut off on the way",
            change_target(|target| {
                target.strip_prefix("/agent").filter(|rest| rest.starts_with('/')).unwrap_or(target).to_owned()
            }),
        ),
        (
            "limits: /tr: 503, and another answer a moment later",
            "`limit_req`",
            Box::new({
                let is_first = AtomicBool::new(true);
                move |asked, pass| {
                    let is_limited = asked.path() == "/tr" && is_first.swap(false, Ordering::Relaxed);
                    if is_limited { plain(503, "<h1>503 Service Temporarily Unavailable</h1>") } else { pass(asked) }
                }
            }),
        ),
        ("search: /en/opensearch.xml: 403", "open `/en` to everyone", at(["/en/opensearch.xml"], |_| plain(403, ""))),
    ]
}

/// Parts of requests that do not reach the service.
fn dropped_requests() -> Vec<Spoiled> {
    vec![
        (
            "registration: /agent/auth, /agent/identity, /agent/auth/claim and 4 more: Content-Type does not reach",
            "every field of a request",
            drop_fields(["content-type"]),
        ),
        (
            "scripts of other sites: /api/v1/team, /mcp: Origin, Access-Control-Request-Method does not reach",
            "every field of a request",
            drop_fields(["origin"]),
        ),
        (
            "scripts of other sites: /api/v1/team, /mcp: Origin, Access-Control-Request-Method does not reach",
            "every field of a request",
            drop_fields(["access-control-request-method"]),
        ),
        (
            "pages of registration: /agent/access: Sec-Fetch-Site does not reach",
            "every field of a request",
            drop_fields(["sec-fetch-site"]),
        ),
        ("pages: /en, /tr: is not Markdown", "pass on `Accept`", drop_fields(["accept"])),
        (
            "pages of registration: /oauth2/authorize: Accept-Language does not reach",
            "every field of a request",
            drop_fields(["accept-language"]),
        ),
        (
            "refused requests: /api/v1/team: an invalid credential is answered with 200",
            "`Authorization`",
            drop_fields(["authorization"]),
        ),
        ("fields of requests: /api/v1/team: X-Api-Key does not reach", "`X-Api-Key`", drop_fields(["x-api-key"])),
        (
            "service: /mcp: MCP-Protocol-Version, Mcp-Method, Mcp-Name does not reach",
            "every field of a request",
            drop_fields(["mcp-protocol-version", "mcp-method", "mcp-name"]),
        ),
        (
            "service: /mcp: MCP-Protocol-Version, Mcp-Method, Mcp-Name does not reach",
            "unknown to the proxy",
            drop_fields(["mcp-name"]),
        ),
        (
            "caching: /api/v1/publications, /en: answers 200 instead of 304",
            "`If-None-Match`",
            drop_fields(["if-none-match"]),
        ),
        (
            "lists: /api/v1/practice-areas?locale=tr, /api/v1/team?locale=tr, ",
            "cache key",
            change_target(|target| target.split('?').next().unwrap().to_owned()),
        ),
        (
            "addresses as they are written: /API/V1/TEAM: answers 200 instead of 404",
            "upper and lower case",
            change_target(str::to_ascii_lowercase),
        ),
        (
            "addresses as they are written: /api/v1/team/: answers 200 instead of 404",
            "nothing may be added",
            change_target(|target| {
                target.strip_suffix('/').filter(|rest| !rest.is_empty()).unwrap_or(target).to_owned()
            }),
        ),
    ]
}

/// Keeps only some fields of responses without a body (304, HEAD).
fn without_body(kept: fn(&str) -> bool) -> Box<Host> {
    Box::new(move |request, pass| {
        let mut reply = pass(request);
        if reply.status == 304 || request.method == "HEAD" {
            reply.headers.retain(|(name, _)| kept(name));
        }
        reply
    })
}

/// Lost parts of responses.
fn lost_fields() -> Vec<Spoiled> {
    let lacking = |field: &'static str| at([""], move |reply| without(reply, field));
    vec![
        (
            "fields of answers: /api/v1/team, /api/v1/publications, /openapi.json",
            "header fields",
            lacking("ratelimit-policy"),
        ),
        ("fields of answers: /en, ", "pass on the service's Vary", lacking("vary")),
        ("fields of answers: /en, ", "pass on `ETag`", lacking("etag")),
        ("fields of answers: /en, ", "pass on the service's header fields", lacking("cache-control")),
        (
            "fields of answers: /en: lacks 5 of the 6 fields that the service sends",
            "pass on its responses whole",
            without_body(|name| name == "date"),
        ),
        ("fields of answers: /en: lacks Cache-Control", "header fields", without_body(|name| name != "cache-control")),
        (
            "fields of answers: /en/search?q=xyzzy: has another Cache-Control than the service sends: `public`",
            "header fields",
            at(["/en/search"], |reply| with(reply, "cache-control", "public")),
        ),
        (
            "fields of answers: /en/contact.vcf: lacks Content-Disposition",
            "header fields",
            lacking("content-disposition"),
        ),
    ]
}

/// Changed parts of responses.
fn changed_responses() -> Vec<Spoiled> {
    vec![
        (
            "fields of answers: /api/v1/team, /api/v1/publications, /openapi.json",
            "header fields",
            at([""], |reply| without(without(reply, "ratelimit"), "ratelimit-policy")),
        ),
        (
            "lists: /api/v1/team?locale=en, /api/v1/team?locale=tr: states 99 items, but lists ",
            "newest build",
            at(["/api/v1/team"], |reply| replace_text(reply, "\"count\":", "\"count\":99,\"counted\":")),
        ),
        (
            "fields of answers: /en/: has another Location than the service sends: `http://10.0.0.3:8080/en`",
            "without a host",
            at([""], |reply| match reply.header("location") {
                Some(_) => with(reply, "location", "http://10.0.0.3:8080/en"),
                None => reply,
            }),
        ),
        (
            "limits: /tr: lacks Retry-After",
            "header fields",
            Box::new({
                let is_first = AtomicBool::new(true);
                move |request, pass| {
                    let is_limited = request.path() == "/tr" && is_first.swap(false, Ordering::Relaxed);
                    if is_limited { plain(429, "{}") } else { pass(request) }
                }
            }),
        ),
        (
            "fields of answers: /api/v1/team, /api/v1/publications, /api/v1/health and 2 more: has another \
             Access-Control-Allow-Origin",
            "header fields",
            at(["/api/"], |mut reply| {
                reply.headers.push(("access-control-allow-origin".to_owned(), "*".to_owned()));
                reply
            }),
        ),
        (
            "fields of answers: /api/v1/team: has another Cache-Control than the service sends: `max-age=86400`",
            "header fields",
            at(["/api/v1/team"], |reply| {
                if reply.status == 200 { with(reply, "cache-control", "max-age=86400") } else { reply }
            }),
        ),
        (
            "types: /.well-known/api-catalog: has the type `text/plain`",
            "Content-Type",
            at(["/.well-known/api-catalog"], |reply| with(reply, "content-type", "text/plain")),
        ),
        (
            "pages: /en: has a script that is not the site's",
            "analytics",
            at(["/en"], |reply| {
                replace_text(reply, "</body>", "<script src=\"https://ads.example/x.js\"></script></body>")
            }),
        ),
        (
            "bodies: /en, /en.md: is not what the service sent",
            "minification",
            at(["/en"], |reply| replace_text(reply, "\n", " ")),
        ),
        (
            "bodies: /robots.txt: is not what the service sent",
            "managed robots.txt",
            at(["/robots.txt"], |reply| replace_text(reply, "User-agent", "# Managed\nUser-agent")),
        ),
        (
            // As Apache does.
            "fields of requests: /en: the compressed form answers 200 instead of 304",
            "switch off compression",
            at(["/en"], |reply| match reply.header("etag").map(str::to_owned) {
                Some(tag) if reply.header("content-encoding").is_some() => {
                    with(reply, "etag", &format!("{}-gzip\"", tag.trim_end_matches('"')))
                }
                _ => reply,
            }),
        ),
        (
            "transport: the clock there is ",
            "chrony",
            at([""], |reply| with(reply, "date", "Sat, 01 Jan 2022 00:00:00 GMT")),
        ),
        (
            "transport: /: a cookie is set",
            "states that it sets none",
            at([""], |reply| with(reply, "set-cookie", "lb=1")),
        ),
    ]
}

/// Responses that a cache must not repeat.
fn cached_responses() -> Vec<Spoiled> {
    vec![
        (
            "service: /mcp: answers one request with the response to another",
            "from a cache",
            cache_by(|request| {
                (request.path() == "/mcp" && request.method == "POST").then(|| request.path().to_owned())
            }),
        ),
        (
            "search: /en/search?q=%C3%87e%C5%9Fme: does not answer the question",
            "cache key",
            cache_by(|request| (request.path() == "/en/search").then(|| request.path().to_owned())),
        ),
        (
            "pages of registration: /oauth2/authorize: answers one request with the response to another",
            "from a cache",
            cache_by(|asked| (asked.path() == "/oauth2/authorize").then(|| asked.path().to_owned())),
        ),
        // The cache ignores `locale`.
        (
            "lists: /api/v1/team?locale=tr: answers in the language `en`",
            "cache key",
            cache_by(|request| {
                (request.method == "GET"
                    && request.path() == "/api/v1/team"
                    && request.target.contains("locale=en") | request.target.contains("locale=tr"))
                .then(|| request.path().to_owned())
            }),
        ),
        (
            "unknown addresses: /en/nothing-stands-here, /tr/burada-bir-sey-yok: caches store the response for a missing page",
            "do not cache them",
            at(
                [""],
                |reply| if reply.status == 404 { with(reply, "cache-control", "public, max-age=3600") } else { reply },
            ),
        ),
        (
            "fields of answers: /agent/auth, /agent/access: has another Cache-Control than the service sends: `max-age=60`",
            "from a cache",
            at(["/agent/"], |reply| with(reply, "cache-control", "max-age=60")),
        ),
    ]
}

/// Checks whose fault causes faults of other checks.
const SEVERAL: [&str; 1] = [
    // A redirect of everything spoils all other checks.
    "reach: ",
];

/// The error of the service, and of `deploy/nginx.conf` in its place, when it is unavailable.
const UNAVAILABLE: &str = r#"{"error":"unavailable","message":"No service.","resolution":"Name one."}"#;

/// Adds legitimate changes of proxies: request identifiers, weak entity tags because of compression, `Via`.
fn add_proxy_fields(request: &HostRequest, pass: &dyn Fn(&HostRequest) -> Reply) -> Reply {
    let mut reply = with(pass(request), "x-request-id", "7");
    if let Some(tag) = reply.header("etag").map(str::to_owned) {
        reply = with(reply, "etag", &format!("W/{tag}"));
    }
    with(with(reply, "via", "1.1 proxy"), "strict-transport-security", "max-age=31536000")
}

/// Returns 429 to some requests.
fn limit_sometimes() -> impl Fn(&HostRequest, &dyn Fn(&HostRequest) -> Reply) -> Reply + Send + Sync {
    let count = AtomicUsize::new(0);
    move |request, pass| {
        // `Retry-After` as a number and as a date.
        let limited = |wait: &str| with(plain(429, "{}"), "retry-after", wait);
        match count.fetch_add(1, Ordering::Relaxed) {
            5 | 40 => limited("1"),
            60 => with(limited("Sat, 01 Jan 2022 00:00:01 GMT"), "date", "Sat, 01 Jan 2022 00:00:00 GMT"),
            _ => add_proxy_fields(request, pass),
        }
    }
}

/// One test, because the demonstration takes long to build.
#[test]
fn doctor_reports_spoiled_hosts_and_no_sound_one() {
    let spoiled: Vec<Spoiled> = [
        unreachable_services(),
        replaced_responses(),
        dropped_requests(),
        lost_fields(),
        changed_responses(),
        cached_responses(),
    ]
    .into_iter()
    .flatten()
    .collect();
    assert!(spoiled.len() >= 25, "{}", spoiled.len());
    let host: Arc<Mutex<Arc<Host>>> =
        Arc::new(Mutex::new(Arc::new(|request: &HostRequest, pass: &dyn Fn(&HostRequest) -> Reply| pass(request))));
    let site = serve_behind("content", |_| {
        let host = Arc::clone(&host);
        Box::new(move |request, pass| {
            let host = Arc::clone(&host.lock().unwrap());
            host(request, pass)
        })
    });
    let points = score(&site).unwrap();
    let lacking: Vec<_> = points.iter().filter(|point| point.holds != Some(true)).map(|point| point.name).collect();
    assert_eq!(lacking, ["dnsAid"]);
    assert!(points.len() > 25, "{}", points.len());
    // No fault: directly, behind a proxy, and with a rate limit.
    let others: [Arc<Host>; 2] = [Arc::new(add_proxy_fields), Arc::new(limit_sometimes())];
    for other in others.into_iter().map(Some).chain([None]) {
        let report = examine(&site, now()).unwrap();
        assert_eq!((report.kind, faults(&report)), (DeploymentKind::Sidecar, Vec::new()));
        if let Some(other) = other {
            *host.lock().unwrap() = other;
        }
    }
    let mut missed = Vec::new();
    for (fault, remedy, way) in third(spoiled) {
        *host.lock().unwrap() = way.into();
        let report = examine(&site, now()).unwrap();
        let found = faults(&report);
        let is_found = found.iter().any(|it| it.starts_with(fault) && it.contains(remedy));
        let is_told_once = report.causes().len() == 1 || SEVERAL.iter().any(|it| fault.starts_with(it));
        if !is_found
            || !is_told_once
            || report.kind != DeploymentKind::Sidecar
            || !report.causes().iter().any(|it| it.remedy[EN].contains(remedy))
        {
            missed.push(format!("{fault} ({:?}): {found:#?}", report.kind));
        }
    }
    for (finding, way) in silent_hosts() {
        *host.lock().unwrap() = way.into();
        let report = examine(&site, now()).unwrap();
        let found = faults(&report);
        let is_all_unjudged = report.checks[1..].iter().all(|check| check.unjudged.is_some());
        if report.kind != DeploymentKind::Nothing
            || found.len() != 1
            || !found[0].starts_with(finding)
            || !is_all_unjudged
        {
            missed.push(format!("{finding} ({:?}): {found:#?}", report.kind));
        }
    }
    let names: Arc<Mutex<BTreeSet<String>>> = Arc::default();
    let seen = Arc::clone(&names);
    *host.lock().unwrap() = Arc::new(move |request, pass| {
        let reply = pass(request);
        seen.lock().unwrap().extend(reply.headers.iter().map(|(name, _)| name.clone()));
        reply
    });
    examine(&site, now()).unwrap();
    let names = std::mem::take(&mut *names.lock().unwrap());
    assert!(names.len() > 20, "{names:?}");
    for name in third(names.iter().filter(|name| !["content-length", "connection"].contains(&name.as_str()))) {
        let lost = name.clone();
        *host.lock().unwrap() = Arc::new(move |request, pass| without(pass(request), &lost));
        let report = examine(&site, now()).unwrap();
        let wanted = format!("lacks {name}");
        let is_found = faults(&report).iter().any(|it| it.to_ascii_lowercase().contains(&wanted));
        if !is_found || report.causes().len() != 1 || report.kind != DeploymentKind::Sidecar {
            missed.push(format!("{name} ({:?}): {:#?}", report.kind, faults(&report)));
        }
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

/// Hosts without the site, each with its only finding.
fn silent_hosts() -> Vec<(&'static str, Box<Host>)> {
    let everywhere = |reply: Reply| at([""], move |_| reply.clone());
    vec![
        (
            "reach: /robots.txt, /sitemap.xml, /en and 2 more: 502: the service behind the proxy does not answer (start",
            everywhere(plain(502, "Bad Gateway")),
        ),
        (
            "reach: /robots.txt, /sitemap.xml, /en and 2 more: 401: something in front",
            everywhere(plain(401, "Password?")),
        ),
        (
            "reach: /robots.txt, /sitemap.xml, /en and 2 more: answers 404 as `text/html` (route `/` to",
            everywhere(with(plain(404, "Not found"), "content-type", "text/html")),
        ),
        (
            "reach: /robots.txt, /sitemap.xml, /en and 2 more: answers 301, a redirect to https://www.firm.example (build",
            at([""], |_| with(plain(301, ""), "location", "https://www.firm.example/x")),
        ),
    ]
}

/// Returns a reply as hosts with the edge module or rules send it: without a limit, with the request identifier of a
/// proxy, a weak entity tag because of compression, and one `Vary` line for each field.
fn as_written_by_a_host(reply: Reply) -> Reply {
    let mut reply = with(without(without(reply, "ratelimit"), "ratelimit-policy"), "x-request-id", "7");
    let field = |reply: &Reply, name: &str| reply.header(name).map(str::to_owned);
    if let Some(tag) = field(&reply, "etag").filter(|tag| tag.starts_with('"')) {
        reply = with(reply, "etag", &format!("W/{tag}"));
    }
    if let Some(vary) = field(&reply, "vary") {
        reply = without(reply, "vary");
        reply.headers.extend(vary.rsplit(", ").map(|name| ("vary".to_owned(), name.to_owned())));
    }
    reply
}

/// Acts as the edge module without a service: static responses only.
#[test]
fn doctor_recognizes_an_edge_without_a_service() {
    let site = serve_behind("firm", |_| {
        Box::new(|request, pass| {
            let is_computed = ["/mcp", "/agent/"].iter().any(|path| request.path().starts_with(path))
                && !request.path().ends_with("card");
            if is_computed { plain(503, UNAVAILABLE) } else { as_written_by_a_host(pass(request)) }
        })
    });
    let report = examine(&site, now()).unwrap();
    assert_eq!(report.kind, DeploymentKind::Edge);
    let found = faults(&report);
    assert!(!found.is_empty() && found.iter().all(|fault| fault.starts_with("service behind: ")), "{found:#?}");
    assert!(found.iter().any(|fault| fault.contains("offers /mcp, but nothing answers there")), "{found:#?}");
    assert!(report.causes()[0].remedy[EN].contains("--sidecar URL"), "{:?}", report.causes());
}

/// Acts as the edge module without a service, for a build without offers.
#[test]
fn doctor_reports_no_fault_for_disabled_offers() {
    let folder = tempfile::TempDir::new().unwrap();
    let content = folder.path().join("content");
    tests::copy_folder(&content_of("firm"), &content);
    let settings = fs::read_to_string(content.join("site.toml")).unwrap();
    tests::copy_folder(&content_of("content").join("pages/search"), &content.join("pages/search"));
    let types = settings.lines().find(|line| line.starts_with("identity_types")).unwrap();
    fs::write(content.join("site.toml"), settings.replace(types, "service = false\nidentity_types = []")).unwrap();
    let is_whole = Arc::new(AtomicBool::new(false));
    let site = serve_content_behind(&content, |_| {
        let is_whole = Arc::clone(&is_whole);
        Box::new(move |request, pass| {
            let is_computed = ["/mcp", "/agent/", "/oauth2/"].iter().any(|path| request.path().starts_with(path));
            match is_whole.load(Ordering::Relaxed) {
                true => pass(request),
                false if is_computed => plain(503, UNAVAILABLE),
                false => as_written_by_a_host(pass(request)),
            }
        })
    });
    let report = examine(&site, now()).unwrap();
    assert_eq!((report.kind, faults(&report)), (DeploymentKind::Edge, Vec::new()));
    let points = score(&site).unwrap();
    let lacking: Vec<_> = points.iter().filter(|point| point.holds == Some(false)).map(|point| point.name).collect();
    assert_eq!(lacking, [""; 0]);
    let left_out = points.iter().filter(|point| point.remedy[EN].starts_with("not offered, on purpose"));
    let names = ["oauthDiscovery", "oauthProtectedResource", "authMd", "mcpServerCard", "mcp-handshake"];
    assert_eq!(left_out.map(|point| point.name).collect::<Vec<_>>(), names);
    // In front of the sidecar, the search is examined too.
    is_whole.store(true, Ordering::Relaxed);
    let report = examine(&site, now()).unwrap();
    assert_eq!((report.kind, faults(&report)), (DeploymentKind::Sidecar, Vec::new()));
    let search = report.checks.iter().find(|check| &check.name[EN] == "search").unwrap();
    assert_eq!(search.unjudged, None);
}

/// Acts as a host that serves `dist/` as plain files.
#[test]
fn doctor_recognizes_plain_files() {
    let site = serve_behind("firm", |firm| {
        let dist = firm.dist();
        Box::new(move |request, _| {
            let path = request.path().trim_start_matches('/').to_owned();
            let names = [path.clone(), format!("{path}.html"), format!("{path}.en.json"), format!("{path}/index.html")];
            let file = names.iter().map(|name| dist.join(name.trim_start_matches('/'))).find(|file| file.is_file());
            let Some(file) = file else { return plain(404, "Not found") };
            let ending = file.extension().and_then(|ending| ending.to_str()).unwrap_or_default().to_owned();
            let types = [
                ("html", "text/html"),
                ("json", "application/json"),
                ("md", "text/markdown"),
                ("txt", "text/plain"),
                ("xml", "application/xml"),
            ];
            let media_type =
                types.iter().find(|(name, _)| *name == ending).map_or("application/octet-stream", |(_, it)| it);
            with(plain(200, fs::read(file).unwrap()), "content-type", media_type)
        })
    });
    let report = examine(&site, now()).unwrap();
    assert_eq!(report.kind, DeploymentKind::Files);
    let found = faults(&report);
    for fault in [
        "lists: /api/v1/practice-areas?locale=tr, /api/v1/team?locale=tr, /api/v1/publications?locale=tr and 1 more: answers in another language, with 200",
        "types: /.well-known/api-catalog: has the type ",
        "internal files: /manifest.json",
        "offers: /.well-known/api-catalog: offers /mcp, but nothing answers there",
    ] {
        assert!(found.iter().any(|it| it.starts_with(fault)), "{fault}: {found:#?}");
    }
    assert!(found.iter().all(|it| !it.starts_with("pages") && !it.starts_with("unknown")), "{found:#?}");
}
