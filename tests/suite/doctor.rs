//! What `generator doctor` says about a site where readers find it: as it is served, and behind hosts that spoil its answers.

use std::{
    collections::HashMap,
    fs,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{TcpListener, TcpStream},
    path::Path,
    sync::{Arc, Mutex},
    thread,
};

use contract::Locale;
use generator::doctor::{Kind, Report, examine, score};
use tests::{BuiltFirm, Firm as _, Reply, Service, build_for, content_of, request};

/// A request as a host in between gets it.
struct Asked {
    method: String,
    target: String,
    headers: Vec<String>,
    body: Vec<u8>,
}

impl Asked {
    fn path(&self) -> &str {
        self.target.split('?').next().unwrap()
    }
}

/// Answers a request, for which it may ask the service behind.
type Host = dyn Fn(&Asked, &dyn Fn(&Asked) -> Reply) -> Reply + Send + Sync;

/// Serves a firm behind a host, and returns the address of that; everything ends with the process.
fn behind(firm: &str, host: impl Fn(&BuiltFirm) -> Box<Host>) -> String {
    behind_of(&content_of(firm), host)
}

fn behind_of(content: &Path, host: impl Fn(&BuiltFirm) -> Box<Host>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let site = format!("http://{}", listener.local_addr().unwrap());
    let service: Arc<Service> = Arc::new(build_for(content, &site).serve());
    let host: Arc<Host> = host(&service.firm).into();
    thread::spawn(move || {
        for client in listener.incoming().map_while(Result::ok) {
            let (service, host) = (Arc::clone(&service), Arc::clone(&host));
            thread::spawn(move || {
                let pass = |asked: &Asked| {
                    let headers: Vec<&str> = asked.headers.iter().map(String::as_str).collect();
                    request(service.address(), &asked.method, &asked.target, &headers, &asked.body)
                };
                answer(client, &|asked| host(asked, &pass));
            });
        }
    });
    site
}

/// Reads one request and writes its answer.
fn answer(mut client: TcpStream, host: &dyn Fn(&Asked) -> Reply) {
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
    let asked = Asked { method: words.next().unwrap(), target: words.next().unwrap(), headers, body };
    let reply = host(&asked);
    let mut out = format!("HTTP/1.1 {} Answer\r\nConnection: close\r\n", reply.status);
    for (name, value) in
        reply.headers.iter().filter(|(name, _)| !["content-length", "connection"].contains(&name.as_str()))
    {
        out.extend([name, ": ", value, "\r\n"]);
    }
    if reply.status != 304 && asked.method != "HEAD" {
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

/// Returns every fault with the name of its check.
fn faults(report: &Report) -> Vec<String> {
    let of_check = |check: &generator::doctor::Examined| {
        check
            .faults
            .iter()
            .map(|fault| format!("{}: {} ({})", &check.name[EN], &fault.fault[EN], &fault.remedy[EN]))
            .collect::<Vec<_>>()
    };
    report.checks.iter().flat_map(of_check).collect()
}

#[test]
fn doctor_finds_the_demonstration_well_and_ready_for_agents() {
    let site = behind("content", |_| Box::new(|asked, pass| pass(asked)));
    let report = examine(&site).unwrap();
    assert_eq!(report.kind, Kind::Sidecar);
    assert_eq!(faults(&report), [""; 0]);
    let points = score(&site).unwrap();
    let lacking: Vec<_> = points.iter().filter(|point| point.holds != Some(true)).map(|point| point.name).collect();
    assert_eq!(lacking, ["dnsAid"]);
    assert!(points.len() > 25, "{}", points.len());
}

#[test]
fn doctor_finds_what_a_host_spoils_and_says_what_to_change() {
    let cached: Mutex<HashMap<String, Vec<u8>>> = Mutex::default();
    let hosts: Vec<(&str, &str, Box<Host>)> = vec![
        ("caching: /en varies by accept", "Vary", Box::new(|asked, pass| without(pass(asked), "vary"))),
        (
            "lists: /api/v1/team?locale=tr answers in the language",
            "cache key",
            Box::new(|asked, pass| {
                let target = asked.path().to_owned();
                pass(&Asked {
                    method: asked.method.clone(),
                    target,
                    headers: asked.headers.clone(),
                    body: asked.body.clone(),
                })
            }),
        ),
        (
            "types: /.well-known/api-catalog answers 404",
            "`.well-known` included",
            Box::new(
                |asked, pass| if asked.path().starts_with("/.well-known/") { plain(404, "") } else { pass(asked) },
            ),
        ),
        (
            "unknown addresses: the answer that /en/nothing-stands-here does not exist is kept",
            "keep none of them",
            Box::new(|asked, pass| {
                let reply = pass(asked);
                if reply.status == 404 { with(reply, "cache-control", "public, max-age=3600") } else { reply }
            }),
        ),
        (
            "types: /.well-known/api-catalog has the type `application/octet-stream`",
            "Content-Type",
            Box::new(|asked, pass| {
                let reply = pass(asked);
                let is_bare =
                    !asked.path().rsplit('/').next().unwrap().contains('.') && asked.path().starts_with("/.well");
                if is_bare { with(reply, "content-type", "application/octet-stream") } else { reply }
            }),
        ),
        // The body of the language that was asked for first, under the fields of the other.
        (
            "lists: /api/v1/team?locale=tr answers in the language \"en\"",
            "cache key",
            Box::new(move |asked, pass| {
                let reply = pass(asked);
                if asked.method != "GET" || reply.status != 200 || !asked.path().starts_with("/api/") {
                    return reply;
                }
                let mut cached = cached.lock().unwrap();
                let body = cached.entry(asked.path().to_owned()).or_insert_with(|| reply.body.clone()).clone();
                Reply { body, ..reply }
            }),
        ),
        (
            "refusals: an invalid credential answers 200",
            "`Authorization`",
            Box::new(|asked, pass| {
                let headers =
                    asked.headers.iter().filter(|line| !line.to_ascii_lowercase().starts_with("authorization"));
                let headers = headers.cloned().collect();
                let (method, target) = (asked.method.clone(), asked.target.clone());
                pass(&Asked { method, target, headers, body: asked.body.clone() })
            }),
        ),
    ];
    for (fault, remedy, host) in hosts {
        let host = Mutex::new(Some(host));
        let site = behind("firm", |_| host.lock().unwrap().take().unwrap());
        let report = examine(&site).unwrap();
        let found = faults(&report);
        assert_eq!(report.kind, Kind::Sidecar, "{fault}");
        assert!(found.iter().any(|it| it.starts_with(fault) && it.contains(remedy)), "{fault}: {found:#?}");
        assert!(report.remedies().iter().any(|it| it[EN].contains(remedy)), "{fault}");
    }
}

/// Returns a reply as hosts write it that run the edge module or rules: without a limit, with an identifier that any proxy
/// may give, with a weak entity tag because they compress, and with a line for each part of `Vary`.
fn by_a_host(reply: Reply) -> Reply {
    let mut reply = without(without(reply, "ratelimit"), "ratelimit-policy");
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

/// As the edge module: the same answers for everything static, and nothing where no service is.
#[test]
fn doctor_knows_an_edge_without_a_service_and_what_it_must_not_offer() {
    let site = behind("firm", |_| {
        Box::new(|asked, pass| {
            let is_computed = ["/mcp", "/agent/"].iter().any(|path| asked.path().starts_with(path))
                && !asked.path().ends_with("card");
            let unavailable = r#"{"error":"unavailable","message":"No service.","resolution":"Name one."}"#;
            if is_computed { plain(503, unavailable) } else { by_a_host(pass(asked)) }
        })
    });
    let report = examine(&site).unwrap();
    assert_eq!(report.kind, Kind::Edge);
    let found = faults(&report);
    assert!(!found.is_empty() && found.iter().all(|fault| fault.starts_with("service behind: ")), "{found:#?}");
    assert!(found.iter().any(|fault| fault.contains("offers /mcp, which nothing answers")), "{found:#?}");
    assert!(report.remedies()[0][EN].contains("--sidecar URL"), "{:?}", report.remedies());
}

/// As the edge module where no service is, for a build that offers none.
#[test]
fn doctor_counts_what_is_not_offered_on_purpose_as_no_fault() {
    let folder = tempfile::TempDir::new().unwrap();
    let content = folder.path().join("content");
    tests::copy_folder(&content_of("firm"), &content);
    let settings = fs::read_to_string(content.join("site.toml")).unwrap();
    let types = settings.lines().find(|line| line.starts_with("identity_types")).unwrap();
    fs::write(content.join("site.toml"), settings.replace(types, "service = false\nidentity_types = []")).unwrap();
    let site = behind_of(&content, |_| {
        Box::new(|asked, pass| {
            let is_computed = ["/mcp", "/agent/", "/oauth2/"].iter().any(|path| asked.path().starts_with(path));
            let unavailable = r#"{"error":"unavailable","message":"No service.","resolution":"Name one."}"#;
            if is_computed { plain(503, unavailable) } else { by_a_host(pass(asked)) }
        })
    });
    let report = examine(&site).unwrap();
    assert_eq!((report.kind, faults(&report)), (Kind::Edge, Vec::new()));
    let points = score(&site).unwrap();
    let lacking: Vec<_> = points.iter().filter(|point| point.holds == Some(false)).map(|point| point.name).collect();
    assert_eq!(lacking, [""; 0]);
    let left_out = points.iter().filter(|point| point.remedy[EN].starts_with("not offered, on purpose"));
    let names = ["oauthDiscovery", "oauthProtectedResource", "authMd", "mcpServerCard", "mcp-handshake"];
    assert_eq!(left_out.map(|point| point.name).collect::<Vec<_>>(), names);
}

/// As a host that was given `dist/` as it is.
#[test]
fn doctor_knows_plain_files_and_what_they_must_not_answer() {
    let site = behind("firm", |firm| {
        let dist = firm.dist();
        Box::new(move |asked, _| {
            let path = asked.path().trim_start_matches('/').to_owned();
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
    let report = examine(&site).unwrap();
    assert_eq!(report.kind, Kind::Files);
    let found = faults(&report);
    for fault in [
        "lists: /api/v1/team?locale=tr answers in another language, with 200",
        "types: /.well-known/api-catalog has the type `application/octet-stream`",
        "internal files: /manifest.json is published",
        "offers: /.well-known/api-catalog offers /mcp, which nothing answers",
    ] {
        assert!(found.iter().any(|it| it.starts_with(fault)), "{fault}: {found:#?}");
    }
    assert!(found.iter().all(|it| !it.starts_with("pages") && !it.starts_with("unknown")), "{found:#?}");
}
