//! `sidecar report`: a recorded day is counted as an independent count finds it, and nothing of a sender is kept.

use std::{collections::BTreeMap, fs, path::Path, time::Duration};

use contract::routes;
use serde_json::{Value, json};
use sidecar::{Clock, Config};
use tests::{Agent as _, BuiltFirm, Connection, Firm as _, SITE_URL, Service, built, run_to_end};

use crate::lifecycle::program;

/// The requests of the recorded day.
const REQUESTS: usize = 10_000;
const FIREFOX: &str = "User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
const CLAUDE: &str = "User-Agent: Mozilla/5.0 (compatible; ClaudeBot/1.0; +claudebot@anthropic.com)";
const GPT: &str = "User-Agent: Mozilla/5.0 AppleWebKit/537.36 (compatible; GPTBot/1.2; +https://openai.com/gptbot)";
const BING: &str = "User-Agent: Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)";

/// A table of the report: cells, joined, with their counts.
type Counts = BTreeMap<String, u64>;

/// What was sent, by table.
#[derive(Default)]
struct SentDay {
    tables: BTreeMap<&'static str, Counts>,
    requests: u64,
}

impl SentDay {
    fn add(&mut self, table: &'static str, cells: &str) {
        *self.tables.entry(table).or_default().entry(cells.to_owned()).or_default() += 1;
    }

    fn read(&mut self, (group, reader): (&str, &str), format: &str, page: &str, language: &str) {
        self.requests += 1;
        self.add("days", &format!("2026-01-01 {group}"));
        self.add("readers", &format!("{group} {reader}"));
        self.add("pages", &format!("{group} {format} {page}"));
        self.add("languages", language);
    }
}

/// Returns the exact counts of the table `name` of a report, and the upper limits of those that are blurred.
fn table(report: &Value, name: &str) -> (Counts, Counts) {
    const COLUMNS: [&str; 10] =
        ["words", "day", "group", "reader", "format", "language", "tool", "path", "kind", "page"];
    let rows = report[name].as_array().unwrap();
    let cells = |row: &Value| {
        let columns = COLUMNS.iter().filter_map(|column| row[*column].as_str()).filter(|cell| !cell.is_empty());
        columns.collect::<Vec<_>>().join(" ")
    };
    let of = |key: &str| rows.iter().filter_map(|row| Some((cells(row), row[key].as_u64()?))).collect();
    (of("count"), of("fewer_than"))
}

fn report(firm: &BuiltFirm, arguments: &[&str]) -> (bool, String) {
    let output = run_to_end(program(firm).arg("report").args(arguments));
    let text = if output.status.success() { output.stdout } else { output.stderr };
    (output.status.success(), String::from_utf8(text).unwrap())
}

/// Returns the paths of pages of the build that are there in HTML and Markdown.
fn pages(dist: &Path) -> Vec<String> {
    let manifest: Value = serde_json::from_slice(&fs::read(dist.join("manifest.json")).unwrap()).unwrap();
    let routes = manifest["routes"].as_array().unwrap().iter();
    let pages = routes.filter(|route| route["class"] == "page" && route["axis"] == "accept");
    pages.map(|route| route["path"].as_str().unwrap().to_owned()).filter(|path| path.len() > 3).collect()
}

/// Sends the requests of the day, and returns an independent count of them.
fn send_day(connection: &mut Connection, pages: &[String]) -> SentDay {
    let mut sent = SentDay::default();
    let mut state = 7_u64;
    let mut random = |most: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap() % most
    };
    let mut ask = |method: &str, target: &str, headers: &[&str], body: &[u8]| {
        connection.ask(method, target, headers, body).unwrap()
    };
    let json_type = "Content-Type: application/json";
    let call = |name: &str, arguments: Value| {
        let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": name, "arguments": arguments } });
        call.to_string().into_bytes()
    };
    for _ in 0..REQUESTS {
        let page = &pages[random(pages.len())];
        let language = &page[1..3];
        let status = match random(12) {
            0 | 1 => {
                sent.read(("browser", "browser"), "html", page, language);
                ask("GET", page, &[FIREFOX], b"").status
            }
            2 => {
                sent.read(("search_engine", "bingbot"), "html", page, language);
                let etag = ask("HEAD", page, &[BING], b"").header("etag").unwrap().to_owned();
                ask("GET", page, &[BING, &format!("If-None-Match: {etag}")], b"").status - 104
            }
            3 => {
                sent.read(("agent", "ClaudeBot"), "markdown", page, language);
                ask("GET", page, &[CLAUDE, "Accept: text/markdown"], b"").status
            }
            4 => {
                sent.read(("agent", "GPTBot"), "markdown", page, language);
                ask("GET", &format!("{page}.md"), &[GPT], b"").status
            }
            5 => {
                sent.read(("tool", "mecelle"), "json", routes::TEAM, "tr");
                ask("GET", &format!("{}?locale=tr", routes::TEAM), &["User-Agent: mecelle/0.1.0"], b"").status
            }
            6 => {
                sent.read(("mcp", "mcp"), "mcp", routes::MCP, "other");
                sent.add("tools", "list_team");
                ask("POST", routes::MCP, &[json_type], &call("list_team", json!({}))).status
            }
            7 => {
                sent.read(("mcp", "mcp"), "mcp", routes::MCP, "other");
                sent.add("tools", "search");
                sent.add("searches_without_results", "other");
                ask("POST", routes::MCP, &[json_type], &call("search", json!({ "query": "zzqqxx" }))).status
            }
            8 => {
                // One day is too few for the address to be shown.
                sent.add("missing", "other");
                let referrer = format!("Referer: {SITE_URL}{page}?x=1");
                ask("GET", &format!("/{language}/gone"), &[FIREFOX, &referrer], b"").status - 204
            }
            9 => {
                sent.add("missing", "elsewhere");
                let number = random(1_000_000);
                ask("GET", &format!("/wp-{number}.php"), &["Referer: https://x.example/en"], b"").status - 204
            }
            10 if random(2) == 0 => {
                // The operator's own check is no reading.
                let doctor = "User-Agent: mecelle-doctor/0.1.0";
                let referrer = format!("Referer: {SITE_URL}{page}");
                let gone = ask("GET", "/en/checked", &[doctor, &referrer], b"").status;
                let called = ask("POST", routes::MCP, &[json_type, doctor], &call("list_team", json!({}))).status;
                assert_eq!((gone, called), (404, 200));
                ask("GET", page, &[doctor], b"").status
            }
            10 => {
                // Not reading: the head of a page, a page at a former address, a wrong method, an invalid parameter.
                let (method, target, status) = [
                    ("HEAD", page.clone(), 200),
                    ("GET", format!("{page}/"), 308),
                    ("DELETE", routes::TEAM.to_owned(), 405),
                    ("GET", format!("{}?locale=de", routes::TEAM), 400),
                ][random(4)]
                .clone();
                assert_eq!(ask(method, &target, &[FIREFOX], b"").status, status, "{target}");
                200
            }
            _ => {
                sent.read(("tool", "other"), "html", page, language);
                ask("GET", page, &["User-Agent: Something/1"], b"").status
            }
        };
        assert_eq!(status, 200, "{page}");
    }
    sent
}

#[test]
fn recorded_day_is_counted_as_it_was_sent() {
    let clock = Clock::manual();
    let service = Service::at("firm", &clock);
    let pages = pages(&service.firm.dist());
    assert!(pages.len() > 10, "{pages:?}");
    let mut connection = service.connection();
    let sent = send_day(&mut connection, &pages);
    for _ in 0..10 {
        assert_eq!(connection.register().unwrap().status, 200);
    }
    let firm = service.end();
    let (_, text) = report(&firm, &["--month", "2026-01", "--format", "json"]);
    let counted: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(counted["requests"], sent.requests / 10 * 10, "{REQUESTS} requests were sent");
    for (name, expected) in sent.tables {
        let (exact, limits) = table(&counted, name);
        assert_eq!(exact.len() + limits.len(), expected.len(), "{name}");
        assert!(!exact.is_empty(), "{name}");
        for (cells, count) in expected {
            match limits.get(&cells) {
                None => assert_eq!((exact.get(&cells), count >= 10), (Some(&count), true), "{name}: {cells}"),
                Some(limit) => assert!(count < *limit && (*limit == 10) == (count < 10), "{name}: {cells}"),
            }
        }
    }
    assert_eq!(table(&counted, "registrations").0, Counts::from([("anonymous".to_owned(), 10)]));
    assert_eq!(counted["searches_without_results"][0]["words"], "other", "one day is too few: {text}");
    println!("{REQUESTS} requests, {} counted as reading: as sent", sent.requests);
    // Neither the report nor the store has anything of a sender, and no word that few have used.
    let store = fs::read(firm.data().join("registrations.db")).unwrap();
    for secret in ["zzqqxx", "/gone", "doctor", "127.0.0.1", "Firefox", "x.example", "wp-"] {
        let has = |bytes: &[u8]| bytes.windows(secret.len()).any(|window| window == secret.as_bytes());
        assert!(!has(&store) && !text.contains(secret), "{secret}");
    }
    let (_, empty) = report(&firm, &["--month", "2025-12"]);
    assert!(empty.contains("December 2025") && empty.contains("Nothing was counted in this month."), "{empty}");
    for (arguments, part) in [
        (&["--month", "2026-13"][..], "write a month such as 2026-11"),
        (&["--format", "pdf"], "possible values: text, json, csv, html"),
        (&["--log", "/nowhere/log"], "/nowhere/log: "),
    ] {
        let (is_good, error) = report(&firm, arguments);
        assert!(!is_good && error.contains(part), "{error}");
    }
}

#[test]
fn flood_of_names_leaves_few_rows_and_hides_no_broken_link() {
    let clock = Clock::manual();
    let mut firm = built("firm");
    for day in 1..=7 {
        let config = firm.config();
        let service = firm.serve_by(config, &clock);
        let mut connection = service.connection();
        let mut request = |path: &str| {
            let referrer = format!("Referer: {SITE_URL}/en");
            assert_eq!(connection.ask("GET", path, &[&referrer], b"").unwrap().status, 404);
        };
        if day == 3 {
            (0..3_000).for_each(|number| request(&format!("/=cmd%7C{number}'\"%3Cscript%3E")));
        }
        // One is requested on two days before the flood, one only after it.
        for path in ["/en/before", "/en/within"] {
            if (path == "/en/before" && day != 3 && day < 7) || (path == "/en/within" && day >= 3) {
                (0..2).for_each(|_| request(path));
            }
        }
        firm = service.end();
        clock.advance(Duration::from_hours(24));
    }
    let (_, text) = report(&firm, &["--month", "2026-01", "--format", "csv"]);
    assert!(!text.replace("\r\n", "").contains(['\r', '\n']), "{text:?}");
    let rows: Vec<_> = text.lines().filter(|line| line.contains(",missing,")).collect();
    let expected = ["/en/before,/en,10", "/en/within,/en,10", "other,,3000"];
    assert_eq!(rows, expected.map(|row| format!("2026-01,missing,,,{row}")), "{text}");
    assert!(fs::metadata(firm.data().join("registrations.db")).unwrap().len() < 2_000_000);
    let (_, page) = report(&firm, &["--month", "2026-01", "--format", "html", "--locale", "tr"]);
    assert!(!page.contains("<script"), "{page}");
}

#[test]
fn nothing_is_counted_if_it_is_switched_off() {
    let clock = Clock::manual();
    let firm = built("firm");
    let config = Config { report: false, ..firm.config() };
    let service = firm.serve_by(config, &clock);
    for _ in 0..20 {
        assert_eq!(service.get("/en", &[FIREFOX]).status, 200);
    }
    clock.advance(Duration::from_hours(1));
    let firm = service.end();
    let (_, text) = report(&firm, &["--month", "2026-01"]);
    assert!(text.contains("Nothing was counted"), "{text}");
}
