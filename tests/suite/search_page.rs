//! Specification, "Search": the page has the results of the tool, in the same order, and is private.

use std::{num::NonZeroU32, time::Duration};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use contract::{Locale, media, routes};
use serde_json::json;
use sha2::{Digest as _, Sha256};
use sidecar::{Clock, LimitSettings};
use tests::{
    Firm as _, Reply, SITE_URL, Service, build, content_of, copy_folder, demonstration,
    mcp::{legacy, result},
    repository,
};

const PAGES: [(Locale, &str); 2] = [(Locale::En, "/en/search"), (Locale::Tr, "/tr/arama")];

fn percent_encoded(text: &str) -> String {
    text.bytes()
        .map(|byte| if byte.is_ascii_alphanumeric() { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

fn ask(service: &Service, path: &str, query: &str) -> Reply {
    let reply = service.get(&format!("{path}?q={}", percent_encoded(query)), &[]);
    assert_eq!(reply.status, 200, "{query}");
    reply
}

/// Returns the paths of the listed pages.
fn listed_paths(page: &str) -> Vec<String> {
    let links = page.split("<h2><a lang=").skip(1);
    links.map(|link| link.split("href=\"").nth(1).unwrap().split('"').next().unwrap().to_owned()).collect()
}

#[test]
fn search_page_has_the_order_of_the_tool() {
    let service = demonstration();
    for query in
        ["employment lawyer", "rent increase", "kıdem tazminatı", "vergi avukatı", "tax", "limited şirket", "dava"]
    {
        for (locale, path) in PAGES {
            let arguments = json!({ "query": query, "locale": locale, "limit": 20 });
            let results = result(&legacy(&service, "tools/call", &json!({ "name": "search", "arguments": arguments })));
            let results: Vec<String> = results["structuredContent"]["results"]
                .as_array()
                .unwrap()
                .iter()
                .map(|found| found["id"].as_str().unwrap().to_owned())
                .collect();
            let listed = listed_paths(&ask(&service, path, query).text());
            // The page also lists pages of the other language, which the tool omits.
            let own: Vec<&String> = listed.iter().filter(|path| path.starts_with(&format!("/{locale}"))).collect();
            assert!(!own.is_empty(), "{query}");
            assert_eq!(own, results.iter().take(own.len()).collect::<Vec<_>>(), "{query} in {locale}");
            assert_eq!(listed.len().min(20), listed.len());
        }
    }
}

#[test]
fn queries_of_people_find_their_page() {
    let service = demonstration();
    let table = std::fs::read_to_string(repository().join("tests/fixtures/queries/people.tsv")).unwrap();
    let (mut count, mut first, mut third, mut missed) = (0, 0, 0, Vec::new());
    for line in table.lines().filter(|line| !line.starts_with('#')) {
        let columns: Vec<&str> = line.split('\t').collect();
        let (_, path) = PAGES.into_iter().find(|(locale, _)| locale.as_str() == columns[0]).unwrap();
        let found = listed_paths(&ask(&service, path, columns[1]).text());
        let place = found.iter().position(|path| columns[2].split('|').any(|expected| expected == path));
        count += 1;
        first += usize::from(place == Some(0));
        third += usize::from(place.is_some_and(|place| place < 3));
        if place != Some(0) {
            missed.push(format!("{line}: {:?}", &found[..found.len().min(3)]));
        }
    }
    assert!(count >= 40, "{count}");
    assert!(first * 100 >= 85 * count && third * 100 >= 97 * count, "{first} and {third} of {count}: {missed:#?}");
}

#[test]
fn search_without_results_suggests_what_to_try() {
    let service = demonstration();
    for (path, query) in [
        ("/en/search", "recipe for lentil soup"),
        ("/en/search", "What are your fees?"),
        ("/tr/arama", "mercimek çorbası tarifi"),
    ] {
        let none = ask(&service, path, query).text();
        assert!(listed_paths(&none).is_empty() && none.contains("class=\"attempts\""), "{query}: {none}");
    }
}

#[test]
fn page_of_results_is_private_and_not_indexed() {
    let service = demonstration();
    for (locale, path) in PAGES {
        let reply = ask(&service, path, "tax");
        assert!(reply.header("cache-control").unwrap().starts_with("private"), "{reply:?}");
        assert_eq!(reply.header("x-robots-tag"), Some("noindex"));
        assert_eq!(reply.header("vary"), Some("Accept"));
        assert_eq!(reply.header("etag"), None);
        assert_eq!(reply.header("content-language"), Some(locale.as_str()));
        assert!(reply.header("content-security-policy").unwrap().contains("default-src 'none'"));
        assert!(reply.as_text().contains("<meta name=\"robots\" content=\"noindex\">"));
        let head = service.head(&format!("{path}?q=tax"), &[]);
        assert_eq!((head.status, head.body.len()), (200, 0));
        assert_eq!(service.request("POST", &format!("{path}?q=tax"), &[]).status, 405);
        let form = service.get(path, &[]);
        assert!(form.as_text().contains("type=\"search\"") && form.header("etag").is_some());
        assert_eq!(service.get(&format!("{path}?q=+"), &[]).body, form.body, "an empty query is no query");
        assert_eq!(service.get(&format!("{path}?utm_source=x"), &[]).body, form.body);
    }
}

#[test]
fn markdown_names_the_same_pages() {
    let service = demonstration();
    let page = ask(&service, "/en/search", "dismissal lawyer").text();
    let twin = ask(&service, "/en/search.md", "dismissal lawyer");
    assert_eq!(twin.header("content-type"), Some("text/markdown; charset=utf-8"));
    let negotiated = service.get("/en/search?q=dismissal+lawyer", &["accept: text/markdown"]);
    assert_eq!(negotiated.body, twin.body);
    let links = twin.text();
    let links: Vec<&str> = links
        .lines()
        .filter(|line| line.starts_with(|first: char| first.is_ascii_digit()) && line.contains(". ["))
        .map(|line| line.split(&format!("]({SITE_URL}")).nth(1).unwrap().split(')').next().unwrap())
        .collect();
    assert_eq!(links, listed_paths(&page));
    assert!(page.contains("mailto:") && page.contains("tel:+90") && page.contains("<mark>"), "{page}");
    assert!(twin.as_text().contains("](mailto:") && twin.as_text().contains("](tel:+90"), "{}", twin.as_text());
}

#[test]
fn page_in_the_other_language_is_marked() {
    let service = demonstration();
    let page = ask(&service, "/en/search", "minimum share capital limited company").text();
    assert!(
        page.contains("<a lang=\"tr\" hreflang=\"tr\" href=\"/tr/yayinlar/limited-sirkette-sermaye-artirimi\">"),
        "{page}"
    );
    assert!(page.contains("in Turkish"));
}

#[test]
fn filters_and_pages_are_plain_links() {
    let service = demonstration();
    let page = ask(&service, "/en/search", "company").text();
    let next =
        page.split("rel=\"next\" href=\"").nth(1).map(|rest| rest.split('"').next().unwrap().replace("&amp;", "&"));
    let next = service.get(&next.unwrap(), &[]);
    assert!(next.status == 200 && next.as_text().contains("rel=\"prev\""));
    let people = service.get("/en/search?q=company&kind=person", &[]).text();
    assert!(
        !listed_paths(&people).is_empty() && listed_paths(&people).iter().all(|path| path.starts_with("/en/team/")),
        "{people}"
    );
    let year = service.get("/en/search?q=company&year=2026&subject=corporate", &[]).text();
    assert!(listed_paths(&year).len() < listed_paths(&page).len());
}

#[test]
fn hostile_query_gets_a_helpful_page() {
    let service = demonstration();
    for (query, status) in [
        ("%3Cscript%3Ealert(1)%3C/script%3E", 200),
        ("%E2%80%AE%E2%80%8Ftax", 200),
        ("!!!%20???", 200),
        ("%E6%B3%95%E5%BE%8B%20%D0%BF%D1%80%D0%B0%D0%B2%D0%BE", 200),
        ("%FF%FE%00", 200),
        ("tax&page=0", 400),
        ("tax&page=9999", 400),
        ("tax&year=soon", 400),
        ("tax&kind=nonsense", 400),
        ("tax&q=twice", 400),
        (&"a".repeat(7000), 200),
        (&"a".repeat(10_000), 414),
    ] {
        let reply = service.get(&format!("/tr/arama?q={query}"), &[]);
        assert_eq!(reply.status, status, "{query}");
        let text = reply.as_text();
        assert!(
            text.contains("<html lang=\"tr\">") && text.contains("type=\"search\"") && !text.contains("<script>"),
            "{query}"
        );
        assert!(!text.contains('\u{202e}'), "{query}");
    }
    assert!(ask(&service, "/en/search", "xqzwv").as_text().contains("mailto:"), "a contact");
    assert!(ask(&service, "/en/search", "Ilgas Mert").as_text().contains("Did you mean"), "a name is offered");
}

#[test]
fn pages_and_sitemap_announce_the_search() {
    let service = demonstration();
    for (locale, path) in PAGES {
        let description = service.get(&routes::in_locale(locale, routes::OPENSEARCH), &[]);
        assert_eq!(description.header("content-type"), Some(media::OPENSEARCH));
        assert!(description.as_text().contains(&format!("template=\"{SITE_URL}{path}?q={{searchTerms}}\"")));
        let home = service.get(&format!("/{locale}"), &[]).text();
        assert!(home.contains("<link rel=\"search\"") && home.contains("\"SearchAction\""), "{home}");
        assert!(home.contains(&format!("{SITE_URL}{path}?q={{search_term_string}}")));
    }
}

/// Returns an attribute of the script of a page, if there is one.
fn script<'p>(page: &'p str, attribute: &str) -> Option<&'p str> {
    let tag = page.split("<script ").skip(1).find(|tag| !tag.starts_with("type=\"application/ld+json\""))?;
    tag.split('>').next()?.split(&format!("{attribute}=\"")).nth(1)?.split('"').next()
}

#[test]
fn search_script_is_small_and_the_only_script() {
    let service = demonstration();
    for path in ["/", "/en", "/en/search", "/tr/arama?q=vergi", "/tr/there-is-no-such-page"] {
        let reply = service.get(path, &["accept: text/html"]);
        let page = reply.text();
        let scripts = page.matches("<script").count() - page.matches("<script type=\"application/ld+json\"").count();
        let policy = reply.header("content-security-policy").unwrap();
        let rule = policy.split("; ").find(|rule| rule.starts_with("script-src")).unwrap();
        if path == "/" {
            assert_eq!(scripts, 0, "there is no form on the page that chooses a language");
            continue;
        }
        assert_eq!(scripts, 1, "{path}");
        let body = service.get(script(&page, "src").unwrap(), &[]);
        assert_eq!((body.status, body.header("content-type")), (200, Some(media::JAVASCRIPT)), "{path}");
        assert!(body.body.len() <= 6 * 1024, "{} bytes", body.body.len());
        let digest = format!("sha256-{}", STANDARD.encode(Sha256::digest(&body.body)));
        assert_eq!((script(&page, "integrity"), rule), (Some(&*digest), &*format!("script-src '{digest}'")), "{path}");
    }
}

#[test]
fn search_script_is_omitted_without_a_service() {
    let folder = tempfile::TempDir::new().unwrap();
    copy_folder(&content_of("firm"), folder.path());
    copy_folder(&content_of("content").join("pages/search"), &folder.path().join("pages/search"));
    let settings = folder.path().join("site.toml");
    let text = std::fs::read_to_string(&settings).unwrap();
    let (before, after) = text.split_once("identity_types = ").unwrap();
    std::fs::write(
        &settings,
        format!("{before}service = false\nidentity_types = []\n{}", after.split_once('\n').unwrap().1),
    )
    .unwrap();
    let firm = build(folder.path());
    assert!(firm.manifest().routes.iter().all(|route| !route.path.ends_with(".js")));
    let service = firm.serve();
    let reply = service.get("/en/search", &[]);
    assert!(reply.as_text().contains("type=\"search\"") && script(reply.as_text(), "src").is_none());
    assert!(!reply.header("content-security-policy").unwrap().contains("script-src"));
}

#[test]
fn site_without_the_page_has_no_search() {
    let folder = tempfile::TempDir::new().unwrap();
    copy_folder(&content_of("content"), folder.path());
    std::fs::remove_dir_all(folder.path().join("pages/search")).unwrap();
    let service = build(folder.path()).serve();
    assert_eq!(service.get("/en/search?q=tax", &[]).status, 404);
    assert!(!service.get("/en", &[]).as_text().contains("type=\"search\""));
}

#[test]
fn reader_over_the_search_limit_sees_when_to_retry_in_their_language() {
    let folder = tempfile::TempDir::new().unwrap();
    copy_folder(&content_of("firm"), folder.path());
    copy_folder(&content_of("content").join("pages/search"), &folder.path().join("pages/search"));
    let (firm, clock) = (build(folder.path()), Clock::manual());
    let mut config = firm.config();
    config.limits =
        LimitSettings { loopback: true, search_per_minute: NonZeroU32::new(2).unwrap(), ..LimitSettings::default() };
    let service = firm.serve_by(config, &clock);
    let ask = || service.get("/tr/arama?q=tebligat", &["Accept: text/html"]);
    for (status, left, wait) in [(200, 1, 30), (200, 0, 60), (429, 0, 30), (429, 0, 30)] {
        let reply = ask();
        let state = format!("\"search\";r={left};t={wait}");
        assert_eq!((reply.status, reply.header("ratelimit")), (status, Some(state.as_str())));
        assert_eq!(reply.header("retry-after"), (status == 429).then_some("30"));
        assert!(reply.text().contains("<html lang=\"tr\""), "{}", reply.text());
    }
    let reply = ask();
    let page = reply.text();
    assert!(page.contains("çok sayıda arama") && page.contains("value=\"tebligat\""), "{page}");
    assert_eq!((reply.header("cache-control"), reply.header("x-robots-tag")), (Some("no-store"), Some("noindex")));
    let twin = service.get("/en/search.md?q=notice", &[]);
    assert_eq!((twin.status, twin.header("content-type")), (429, Some("text/markdown; charset=utf-8")));
    assert!(twin.text().contains("Please wait a minute"), "{}", twin.text());
    // The page without a query is a static file, which is not limited.
    assert_eq!(service.get("/tr/arama", &[]).status, 200);
    clock.advance(Duration::from_secs(30));
    assert_eq!(ask().status, 200);
}
