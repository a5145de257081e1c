//! Laws that texts cite: their pages, the search for an article, and the changes that texts do not state yet.

use std::fs;

use contract::routes;
use serde_json::{Value, json};
use tempfile::TempDir;
use tests::{
    BuiltFirm, Firm as _, SITE_URL, Service, build, content_of, copy_folder,
    mcp::{legacy, result},
    repository,
};

const REGISTER: &str = "\
[[change]]
law = \"4857\"
articles = [\"14\"]
in_force = 2026-10-15
what.en = \"Remote work may be agreed for a time.\"
what.tr = \"Uzaktan çalışma süreli olarak kararlaştırılabilir.\"

[[change]]
law = 6102
in_force = 2026-12-01
what.en = \"Not yet.\"
what.tr = \"Henüz değil.\"
";

/// A second change of a law, recorded first, and one of an article that no text cites.
const EARLIER: &str = "\
[[change]]
law = \"4857\"
in_force = 2026-10-12
what.en = \"Deadlines are counted in working days.\"
what.tr = \"Süreler iş günü olarak hesaplanır.\"

[[change]]
law = \"4857\"
articles = [\"99\"]
in_force = 2026-11-01
what.en = \"No text cites this.\"
what.tr = \"Bu maddeyi hiçbir metin anmaz.\"

";

/// Builds the firm with an article that cites laws in both languages, one of them from the firm's own table.
fn firm_with(files: &[(&str, &str)]) -> BuiltFirm {
    let content = TempDir::new().unwrap();
    copy_folder(&content_of("firm"), content.path());
    copy_folder(&repository().join("content/pages/search"), &content.path().join("pages/search"));
    for (language, cites) in [
        (
            "en",
            "Article 14 of the Labour Law (Law No. 4857), Art. 550-555 TCC and Article 7 of the Product Safety Law. Court of \
             Cassation, E. 2023/11, K. 2024/22.",
        ),
        (
            "tr",
            "İş Kanunu’nun 14. maddesi, TTK m. 550-555 ve Ürün Güvenliği Kanunu m. 7 uygulanır. Yargıtay, E. 2023/11, K. 2024/22.",
        ),
    ] {
        let file = content.path().join(format!("publications/remote-work/{language}.md"));
        let text = fs::read_to_string(&file).unwrap();
        fs::write(&file, format!("{text}\n{cites}\n")).unwrap();
    }
    let own = "[[law]]\nnumber = 7223\nname.tr = \"Ürün Güvenliği Kanunu\"\nname.en = \"Product Safety Law\"\n";
    for (file, text) in [("laws.toml", own)].iter().chain(files) {
        fs::write(content.path().join(file), text).unwrap();
    }
    build(content.path())
}

fn call(service: &Service<BuiltFirm>, name: &str, arguments: &Value) -> Value {
    result(&legacy(service, "tools/call", &json!({ "name": name, "arguments": arguments })))["structuredContent"]
        .clone()
}

const ARTICLE: &str = "/en/publications/remote-work-agreements";

#[test]
fn law_has_a_page_with_the_articles_that_cite_it() {
    let service = firm_with(&[]).serve();
    let text = |path: &str| service.get(path, &[]).text();
    for (page, heading, number, link) in [
        ("/en/laws/6102", "Turkish Commercial Code (Law No. 6102): what we wrote", "Art. 550–555", ARTICLE),
        (
            "/tr/kanunlar/7223",
            "7223 sayılı Ürün Güvenliği Kanunu hakkında yazdıklarımız",
            "m. 7",
            "/tr/yayinlar/uzaktan-calisma-sozlesmesi",
        ),
    ] {
        let html = text(page).replace('\u{a0}', " ");
        assert!(html.contains(&format!("<h1>{heading}</h1>")), "{html}");
        assert!(html.contains(number) && html.contains(&format!("<a href=\"{link}\"")), "{html}");
        let twin = text(&format!("{page}.md"));
        assert!(twin.contains(&format!("\n# {heading}\n\n## {number}\n\n- [")), "{twin}");
        assert!(text("/sitemap.xml").contains(&format!("<loc>{SITE_URL}{page}</loc>")));
    }
    assert!(text("/en/laws/6102").contains("hreflang=\"tr\""));
    assert_eq!(service.get("/en/laws/6098", &[]).status, 404);
    // The article links to them, and so does the list of publications.
    for path in [ARTICLE, "/en/publications"] {
        assert!(text(path).contains("<a href=\"/en/laws/6102\">"), "{path}");
    }
    let json = text(ARTICLE);
    let (_, json) = json.split_once("application/ld+json\">").unwrap();
    let data: Value = serde_json::from_str(json.split_once("</script>").unwrap().0).unwrap();
    let citation = &data["@graph"][0]["citation"][1];
    assert_eq!((&citation["@type"], &citation["legislationIdentifier"]), (&json!("Legislation"), &json!("6102")));
    assert_eq!(citation["hasPart"][0]["legislationIdentifier"], "6102/550-555");
    let decision = data["@graph"][0]["citation"].as_array().unwrap().last().unwrap();
    assert_eq!(decision["name"], "Court of Cassation, E. 2023/11, K. 2024/22");
    assert_eq!(decision["identifier"], "yargitay/2023-11/2024-22");
}

#[test]
fn search_for_an_article_of_a_law_finds_the_texts_that_cite_it() {
    let service = firm_with(&[]).serve();
    for query in ["6102 m. 553", "TTK 553", "6102/553", "Art. 553 TCC", "Product Safety Law art. 7", "7223 m. 7"] {
        let found = call(&service, "search", &json!({ "query": query, "locale": "en" }));
        assert_eq!(found["results"][0]["url"], format!("{SITE_URL}{ARTICLE}"), "{query}: {found}");
        let page = service.get(&format!("/en/search?q={}", query.replace(' ', "+")), &[]).text();
        assert!(page.contains(&format!("href=\"{ARTICLE}\"")), "{query}: {page}");
    }
    let law = call(&service, "search", &json!({ "query": "TTK", "locale": "tr" }));
    let found: Vec<&str> =
        law["results"].as_array().unwrap().iter().map(|result| result["id"].as_str().unwrap()).collect();
    assert_eq!(found, ["/tr/kanunlar/6102", "/tr/yayinlar/uzaktan-calisma-sozlesmesi"]);
}

#[test]
fn tools_select_texts_by_what_they_cite() {
    let service = firm_with(&[]).serve();
    for (cites, count) in [
        ("6102", 1),
        ("6102/553", 1),
        ("7223/7", 1),
        ("TTK 553", 1),
        ("6102/550-555", 1),
        ("6102/7", 0),
        ("6102/ek-7", 0),
        ("6098", 0),
    ] {
        let listed = call(&service, "list_publications", &json!({ "cites": cites }));
        assert_eq!(listed["count"], count, "{cites}: {listed}");
        let found = call(&service, "search", &json!({ "query": "remote work", "cites": cites, "locale": "en" }));
        assert_eq!(found["results"].as_array().unwrap().len(), count, "{cites}: {found}");
    }
    let message = |tool: &str, arguments: &Value| {
        let called = legacy(&service, "tools/call", &json!({ "name": tool, "arguments": arguments }));
        result(&called).to_string()
    };
    for (tool, arguments) in
        [("search", json!({ "query": "work", "cites": "board" })), ("list_publications", json!({ "cites": "board" }))]
    {
        let wrong = message(tool, &arguments);
        assert!(wrong.contains("`cites` must be a law or an article, such as `6102` or `6102/553`"), "{wrong}");
    }
    let unknown = message("list_publications", &json!({ "cites": "6102/ek-7" }));
    assert!(unknown.contains("No text cites `6102/ek-7`."), "{unknown}");
}

#[test]
fn text_of_before_a_change_says_that_the_law_has_changed() {
    let service = firm_with(&[("law-changes.toml", REGISTER)]).serve();
    let text = |path: &str| service.get(path, &[]).text();
    let html = text(ARTICLE);
    let line = "<p class=\"stale\">The law has changed since this text was written or reviewed: Labour Law (Law No. 4857), \
                Art. 14 (in force from <time datetime=\"2026-10-15\">15 October 2026</time>). Remote work may be agreed";
    assert!(html.replace('\u{a0}', " ").contains(line), "{html}");
    assert!(!html.contains("Not yet."), "a change of the future waits for its day");
    let twin = text("/tr/yayinlar/uzaktan-calisma-sozlesmesi.md");
    assert!(twin.contains("\nlaw_changed:\n  - law: \"4857\"\n    in_force: 2026-10-15\n---\n"), "{twin}");
    let line = "> **Bu metnin yazıldığı veya son gözden geçirildiği tarihten sonra kanun değişti:** 4857 sayılı İş Kanunu, m. \
                14 (yürürlük tarihi 15 Ekim 2026). Uzaktan çalışma süreli olarak kararlaştırılabilir.\n";
    assert!(twin.contains(line), "{twin}");
    for (locale, path) in [("tr", "/tr/yayinlar/uzaktan-calisma-sozlesmesi"), ("en", ARTICLE)] {
        let twin = text(&format!("{path}.md"));
        let line = twin.lines().find(|line| line.starts_with("> **") && line.contains("4857")).unwrap();
        let full = text(&format!("/{locale}/llms-full.txt"));
        let of_article = full.split("\n---\n").find(|part| part.contains(&format!("<{SITE_URL}{path}>"))).unwrap();
        assert!(of_article.contains(&format!("\n\n{line}\n\n")), "{of_article}");
        assert_eq!(full.matches(line).count(), 1);
    }
    let expected = json!([{
        "law": "4857",
        "articles": ["14"],
        "in_force": "2026-10-15",
        "what": "Remote work may be agreed for a time.",
    }]);
    let url = format!("{SITE_URL}{ARTICLE}");
    assert_eq!(call(&service, "get_page_markdown", &json!({ "url": url }))["law_changed"], expected);
    assert_eq!(call(&service, "fetch", &json!({ "id": url }))["metadata"]["law_changed"], expected);
    let found = call(&service, "search", &json!({ "query": "remote work", "locale": "en" }));
    assert_eq!(found["results"][0]["law_changed"], expected, "{found}");
    let listed = call(&service, "list_publications", &json!({}));
    let changed: Vec<_> =
        listed["items"].as_array().unwrap().iter().filter_map(|item| item.get("law_changed")).collect();
    assert_eq!(changed, [&expected], "{listed}");
    let selected = call(&service, "list_publications", &json!({ "cites": "4857/14", "locale": "tr", "limit": 1 }));
    assert_eq!(selected["items"][0]["law_changed"][0]["what"], "Uzaktan çalışma süreli olarak kararlaştırılabilir.");
    // The content API has the fields of the specification only.
    let body = service.get(routes::PUBLICATIONS, &[]).json();
    let mut items = listed["items"].clone();
    for item in items.as_array_mut().unwrap() {
        item.as_object_mut().unwrap().remove("law_changed");
    }
    assert_eq!(body["items"], items);
    // Reviewed texts say nothing of it.
    let (before, after) = ("in_force = 2026-10-15", "in_force = 2026-10-01");
    let reviewed = firm_with(&[("law-changes.toml", &REGISTER.replace(before, after))]).serve();
    assert!(!reviewed.get(ARTICLE, &[]).text().contains("The law has changed"));
    let list = reviewed.get(routes::PUBLICATIONS, &[]).text();
    let reply = legacy(&reviewed, "tools/call", &json!({ "name": "list_publications", "arguments": {} }));
    assert!(reply.text().contains(&format!("\"structuredContent\":{list}")), "the bytes of the content API");
}

#[test]
fn page_of_a_law_lists_its_changes_and_marks_texts_that_were_not_reviewed_since() {
    let service = firm_with(&[("law-changes.toml", &format!("{EARLIER}{REGISTER}"))]).serve();
    let text = |path: &str| service.get(path, &[]).text().replace('\u{a0}', " ");
    let html = text("/en/laws/4857");
    let places = [
        "Law No. 4857 changed on 1 November 2026 (Art. 99): No text cites this.",
        "Law No. 4857 changed on 15 October 2026 (Art. 14): Remote work may be agreed for a time.",
        "Law No. 4857 changed on 12 October 2026: Deadlines are counted in working days.",
        "Art. 14</h3>",
        "<strong>Law changed since: <time datetime=\"2026-10-15\">15 October 2026</time>, \
         <time datetime=\"2026-10-12\">12 October 2026</time></strong>",
    ]
    .map(|line| html.find(line).expect(line));
    assert!(places.is_sorted(), "{html}");
    let twin = text("/tr/kanunlar/4857.md");
    let list = "\n## Yürürlükteki değişiklikler\n\n\
                - 4857 sayılı Kanun 1 Kasım 2026 tarihinde değişti (m. 99): Bu maddeyi hiçbir metin anmaz.\n\
                - 4857 sayılı Kanun 15 Ekim 2026 tarihinde değişti (m. 14): Uzaktan çalışma süreli olarak";
    assert!(twin.contains(list), "{twin}");
    assert!(twin.contains(" · Sonraki kanun değişikliği: 15 Ekim 2026, 12 Ekim 2026)\n"), "{twin}");
    let arguments =
        json!({ "name": "get_page_markdown", "arguments": { "url": format!("{SITE_URL}/tr/kanunlar/4857") } });
    let read = result(&legacy(&service, "tools/call", &arguments))["content"].to_string().replace('\u{a0}', " ");
    assert!(read.contains("15 Ekim 2026 tarihinde değişti (m. 14)"), "{read}");
    // A change of the future, and the pages of other laws.
    let other = text("/en/laws/6102");
    assert!(!other.contains("Changes in force") && !other.contains("Law changed since"), "{other}");
    // Other lists name no change.
    assert!(!text("/en/publications").contains("Law changed since"));

    let (before, after) = ("in_force = 2026-10-15", "in_force = 2026-10-01");
    let reviewed = firm_with(&[("law-changes.toml", &REGISTER.replace(before, after))]).serve();
    let html = reviewed.get("/en/laws/4857", &[]).text();
    assert!(html.contains("Remote work may be agreed") && !html.contains("Law changed since"), "{html}");
}

#[test]
fn change_of_one_article_is_marked_below_that_article_only() {
    let change =
        "[[change]]\nlaw = 6102\narticles = [\"552\"]\nin_force = 2026-10-15\nwhat.en = \"E.\"\nwhat.tr = \"T.\"\n";
    let service = firm_with(&[("law-changes.toml", change)]).serve();
    let twin = service.get("/en/laws/6102.md", &[]).text();
    let marked = twin.lines().filter(|line| line.contains("Law changed since: 15 October 2026)"));
    assert_eq!(marked.count(), 1, "{twin}");
    assert!(!service.get("/en/laws/4857.md", &[]).text().contains("changed"));
}
