//! A firm with its own pages, menus and offices, and without optional content.

use std::{collections::BTreeSet, fs, path::Path};

use contract::{manifest::Class, routes};
use serde_json::{Value, json};
use tempfile::TempDir;
use tests::{
    Firm as _, SITE_URL, Service, build, content_of, copy_folder,
    mcp::{legacy, result},
};

/// The firm of the tests with pages of its own, two offices and two authors, without network, developers page and legal
/// notice.
fn content() -> TempDir {
    let folder = TempDir::new().unwrap();
    copy_folder(&content_of("firm"), folder.path());
    for gone in ["network", "pages/global-network", "pages/developers", "pages/legal-notice", "pages/about"] {
        fs::remove_dir_all(folder.path().join(gone)).unwrap();
    }
    let write = |file: &str, text: &str| {
        let path = folder.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    let page = |title: &str, slug: &str, text: &str| {
        format!(
            "---\ntitle: {title}\nslug: {slug}\nupdated: 2026-10-05\ndescription: \"{title}: a page of the invented firm \
             that exists for tests only.\"\n---\n\n{text}\n"
        )
    };
    write("pages/careers/en.md", &page("Careers", "careers", "The firm takes trainees in spring."));
    write("pages/careers/tr.md", &page("Kariyer", "kariyer", "Büro ilkbaharda stajyer alır."));
    write("pages/fees/tr.md", &page("Ücretler", "ucretler", "Ücretler baronun tarifesine göre belirlenir."));
    change(folder.path(), "publications/remote-work/en.md", "the [developers' page](@/pages/developers)", "nothing");
    let authors = "authors: [ayse-yilmaz, mehmet-demir]\ntags: [home office, written form]";
    change(folder.path(), "publications/remote-work/en.md", "author: ayse-yilmaz", authors);
    change(folder.path(), "publications/remote-work/tr.md", "---\n\nUzaktan", "tags: [evden çalışma]\n---\n\nUzaktan");
    let offices = "offices:\n  - key: izmir\n    name: Izmir\n    street: Deneme Sokak No. 1\n    postal_code: \"35000\"\n    \
                   city: Konak / İzmir\n    country: TR\n  - key: london\n    name: London\n    street: 1 Example Street\n    \
                   postal_code: EC1A 1AA\n    city: London\n    country: GB\n    telephone: \"+442079460000\"\n    \
                   email: london@ornek.example\n    hours: { days: [mon], opens: \"10:00\", closes: \"16:00\" }\n    \
                   directions: https://maps.example/london";
    change(folder.path(), "contact/en.md", "address: Deneme Sokak No. 1, 35000 Konak / İzmir, Türkiye", offices);
    let names = "offices: [{ key: izmir, name: İzmir }, { key: london, name: Londra, city: Londra }]";
    change(folder.path(), "contact/tr.md", "address: Deneme Sokak No. 1, 35000 Konak / İzmir", names);
    let menus = "\n[[navigation]]\nsection = \"team\"\n\n[[navigation]]\npage = \"careers\"\nlabel = { en = \"Join us\" }\n\n\
                 [[navigation]]\npage = \"fees\"\nlanguages = [\"tr\"]\n\n[[footer]]\nurl = \"https://library.example/\"\n\
                 label = { en = \"Library\", tr = \"Kütüphane\" }\n\n[[footer]]\npage = \"privacy-notice\"\n";
    let settings = folder.path().join("site.toml");
    fs::write(&settings, fs::read_to_string(&settings).unwrap() + menus).unwrap();
    folder
}

fn change(content: &Path, file: &str, old: &str, new: &str) {
    let path = content.join(file);
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains(old), "{file} has no {old}");
    fs::write(path, text.replace(old, new)).unwrap();
}

fn service() -> Service {
    build(content().path()).serve()
}

fn ask(service: &Service, method: &str, params: &Value) -> Value {
    result(&legacy(service, method, params))
}

fn call(service: &Service, name: &str, arguments: &Value) -> Value {
    ask(service, "tools/call", &json!({ "name": name, "arguments": arguments }))
}

fn text(service: &Service, path: &str) -> String {
    let reply = service.get(path, &[]);
    assert_eq!(reply.status, 200, "{path}");
    reply.text()
}

/// Returns the part of a page between two marks.
fn between<'t>(text: &'t str, start: &str, end: &str) -> &'t str {
    let (_, rest) = text.split_once(start).expect(start);
    rest.split_once(end).map_or(rest, |(part, _)| part)
}

#[test]
fn page_of_the_firm_has_all_parts_of_other_pages() {
    let service = service();
    let page = text(&service, "/en/careers");
    assert!(page.contains("<h1>Careers</h1>") && page.contains("takes trainees"), "{page}");
    assert!(page.contains("hreflang=\"tr\" href=\"https://ornek.example/tr/kariyer\""), "{page}");
    assert!(page.contains("aria-current=\"page\">Join us</a>"), "{page}");
    let twin = text(&service, "/en/careers.md");
    assert!(twin.contains("# Careers") && twin.contains("takes trainees"), "{twin}");
    let negotiated = service.get("/en/careers", &["Accept: text/markdown"]);
    assert_eq!(negotiated.text(), twin);
    assert_eq!(service.get("/tr/careers", &[]).header("location"), Some("/tr/kariyer"));
    assert!(text(&service, routes::SITEMAP).contains("<loc>https://ornek.example/tr/kariyer</loc>"));
    assert!(text(&service, "/en/llms.txt").contains("- [Careers](https://ornek.example/en/careers.md)"));
    assert!(text(&service, "/tr/llms-full.txt").contains("stajyer alır"));
    let found = call(&service, "search", &json!({ "query": "trainees in spring", "locale": "en" }));
    assert_eq!(found["structuredContent"]["results"][0]["url"], "https://ornek.example/en/careers", "{found}");
    let read = call(&service, "get_page_markdown", &json!({ "url": "/en/careers" }));
    assert_eq!(read["content"][0]["text"], twin);
    let resource = ask(&service, "resources/read", &json!({ "uri": "https://ornek.example/tr/kariyer.md" }));
    assert_eq!(resource["contents"][0]["text"], text(&service, "/tr/kariyer.md"));
}

#[test]
fn menus_list_the_entries_of_the_settings_in_order() {
    let service = service();
    for (path, main, footer) in [
        ("/en", ["/en/team", "/en/careers"].as_slice(), ["https://library.example/", "/en/privacy-notice"]),
        ("/tr", &["/tr/ekip", "/tr/kariyer", "/tr/ucretler"], ["https://library.example/", "/tr/aydinlatma-metni"]),
    ] {
        let page = text(&service, path);
        let links = |nav: &str| -> Vec<String> {
            nav.split("href=\"").skip(1).map(|rest| rest.split('"').next().unwrap_or_default().to_owned()).collect()
        };
        assert_eq!(links(between(&page, "<nav class=\"main-nav\"", "</nav>")), main);
        assert_eq!(links(between(between(&page, "<footer", "</footer>"), "<nav", "</nav>")), footer);
    }
    let twin = text(&service, "/tr.md");
    assert!(twin.contains("- [Ücretler](https://ornek.example/tr/ucretler)"), "{twin}");
}

#[test]
fn page_in_one_language_is_listed_in_that_language_only() {
    let service = service();
    let page = text(&service, "/tr/ucretler");
    assert!(!page.contains("hreflang=\"en\" href=\"https://ornek.example/en/fees"), "{page}");
    let head = between(&page, "<head>", "</head>");
    let declared: Vec<&str> = head.matches("hreflang=\"en\"").collect();
    assert!(declared.is_empty(), "{head}");
    assert!(head.contains("hreflang=\"x-default\" href=\"https://ornek.example/tr/ucretler\""), "{head}");
    let switch = between(&page, "<nav class=\"languages\"", "</nav>");
    assert!(switch.contains("href=\"/en\"") && !switch.contains("rel=\"alternate\""), "{switch}");
    for nowhere in ["/en/ucretler", "/en/fees", "/en/fees.md"] {
        assert_eq!(service.get(nowhere, &[]).status, 404, "{nowhere}");
    }
    assert!(!text(&service, "/en/llms.txt").contains("cretler"));
    assert!(text(&service, "/tr/llms.txt").contains("/tr/ucretler.md"));
    let sitemap = text(&service, routes::SITEMAP);
    let place = between(&sitemap, "<loc>https://ornek.example/tr/ucretler</loc>", "</url>");
    assert!(place.contains("hreflang=\"tr\"") && !place.contains("hreflang=\"en\""), "{place}");
}

#[test]
fn absent_network_is_an_empty_list() {
    let service = service();
    for locale in ["en", "tr"] {
        let answer = call(&service, "get_global_network", &json!({ "locale": locale }))["structuredContent"].take();
        assert_eq!((&answer["count"], &answer["countries"]), (&json!(0), &json!([])), "{answer}");
        assert_eq!(answer["url"], format!("{SITE_URL}/{locale}"));
    }
    let tools = ask(&service, "tools/list", &json!({}));
    let tools = tools["tools"].as_array().unwrap();
    assert_eq!(tools.len(), 8);
    assert!(tools[3]["description"].as_str().unwrap().contains("no associated law firms"), "{}", tools[3]);
    let prompts = ask(&service, "prompts/list", &json!({}));
    let names: Vec<&Value> = prompts["prompts"].as_array().unwrap().iter().map(|prompt| &prompt["name"]).collect();
    assert_eq!(names, ["find_lawyer", "brief_on_topic"]);
    let urls = service.get(routes::CONTACT, &[]).json()["urls"].take();
    for name in ["globalNetwork", "developers"] {
        assert!(urls.get(name).is_none(), "{urls}");
    }
}

#[test]
fn documents_name_only_what_the_firm_publishes() {
    let service = service();
    let overview = format!("{SITE_URL}/en/llms.txt");
    let resource = service.get(routes::PROTECTED_RESOURCE, &[]).json();
    assert_eq!(resource["resource_documentation"], overview);
    assert!(resource.get("resource_policy_uri").is_none(), "{resource}");
    let server = service.get(routes::AUTHORIZATION_SERVER, &[]).json();
    assert_eq!(server["service_documentation"], format!("{SITE_URL}{}", routes::AUTH_MD));
    let catalog = service.get(routes::API_CATALOG, &[]).json();
    assert_eq!(catalog["linkset"][1]["service-doc"], json!([{ "href": overview, "type": "text/plain" }]));
    let description = service.get(routes::OPENAPI, &[]).json();
    assert!(description["info"].get("termsOfService").is_none(), "{}", description["info"]);
    assert_eq!(description["externalDocs"]["url"], overview);
    let link = service.get("/en", &[]).header("link").unwrap_or_default().to_owned();
    assert!(link.contains("service-desc") && !link.contains("service-doc"), "{link}");
}

/// Returns the addresses of the site that a text names.
fn addresses(text: &str) -> impl Iterator<Item = &str> {
    let rooted = text.split("href=\"/").skip(1).map(|rest| (true, rest));
    let absolute = text.split(SITE_URL).skip(1).map(|rest| (false, rest));
    rooted.chain(absolute).filter_map(|(is_rooted, rest)| {
        let end = rest.find(|letter: char| !(letter.is_ascii_alphanumeric() || "/-._".contains(letter)));
        let path = rest[..end.unwrap_or(rest.len())].trim_end_matches('.');
        let begins = if is_rooted { !path.is_empty() } else { path.starts_with('/') && path.len() > 1 };
        begins.then_some(path)
    })
}

#[test]
fn no_link_leads_to_an_absent_page() {
    let service = service();
    let manifest = service.firm.manifest();
    let known: BTreeSet<&str> = manifest.routes.iter().map(|route| route.path.trim_start_matches('/')).collect();
    // Endpoints that are not files of the build.
    let endpoints = ["mcp", "agent/", "oauth2/", "api/v1", ".well-known/"];
    let mut seen = 0;
    for route in &manifest.routes {
        if matches!(route.class, Class::Asset) {
            continue;
        }
        for variant in &route.variants {
            // Binary files contain no addresses.
            let Ok(body) = String::from_utf8(service.firm.read(&variant.file)) else { continue };
            // Unfold vCard lines.
            let body = body.replace("\r\n ", "");
            let link = variant.link.as_deref().unwrap_or_default();
            for address in addresses(&body).chain(addresses(link)).map(|path| path.trim_matches('/')) {
                seen += 1;
                let is_there = known.contains(address) || endpoints.iter().any(|start| address.starts_with(start));
                assert!(is_there, "{} names /{address}", variant.file);
            }
        }
    }
    assert!(seen > 500, "{seen}");
}

#[test]
fn all_authors_and_tags_of_an_article_are_shown() {
    let service = service();
    for (locale, names, tags) in [
        ("en", "Ayşe Yılmaz and Mehmet Demir", ["home office", "written form"].as_slice()),
        ("tr", "Ayşe Yılmaz ve Mehmet Demir", &["evden çalışma"]),
    ] {
        let list = service.get(&format!("{}?locale={locale}", routes::PUBLICATIONS), &[]).json();
        let items = list["items"].as_array().unwrap();
        let item = items.iter().find(|item| item["author"] == names).unwrap_or_else(|| panic!("{list}"));
        let path = item["url"].as_str().unwrap().strip_prefix(SITE_URL).unwrap();
        let (page, twin) = (text(&service, path), text(&service, &format!("{path}.md")));
        let people = service.get(&format!("{}?locale={locale}", routes::TEAM), &[]).json();
        for slug in ["ayse-yilmaz", "mehmet-demir"] {
            let people = people["items"].as_array().unwrap();
            let person = people.iter().find(|person| person["slug"] == slug).unwrap()["url"].as_str().unwrap();
            let own = person.strip_prefix(SITE_URL).unwrap();
            assert!(page.contains(&format!("<a href=\"{own}\" rel=\"author\"")), "{page}");
            assert!(twin.contains(&format!("]({person})")), "{twin}");
            assert!(text(&service, own).contains(&format!("href=\"{path}\"")), "{own} lists the article");
        }
        let data: Value = serde_json::from_str(between(&page, "application/ld+json\">", "</script>")).unwrap();
        assert_eq!(data["@graph"][0]["author"].as_array().map(Vec::len), Some(2), "{data}");
        assert_eq!(data["@graph"][0]["keywords"], json!(tags));
        let feed = service.get(&format!("/{locale}/feed.json"), &[]).json();
        let entries = feed["items"].as_array().unwrap();
        let entry = entries.iter().find(|entry| entry["url"] == item["url"]).unwrap();
        assert_eq!(entry["authors"].as_array().map(Vec::len), Some(2), "{entry}");
        assert!(tags.iter().all(|tag| entry["tags"].as_array().unwrap().contains(&json!(tag))), "{entry}");
        let atom = text(&service, &format!("/{locale}/atom.xml"));
        assert!(atom.contains("<author><name>Ayşe Yılmaz</name></author>\n<author><name>Mehmet Demir</name></author>"));
        assert!(tags.iter().all(|tag| page.contains(tag) && twin.contains(tag)), "{twin}");
    }
}

#[test]
fn api_has_the_main_office_and_the_page_has_all_offices() {
    let service = service();
    for (locale, path, main, other) in [
        ("en", "/en/contact", "Deneme Sokak No. 1, 35000 Konak / İzmir, Türkiye", "London EC1A 1AA, United Kingdom"),
        ("tr", "/tr/iletisim", "Deneme Sokak No. 1, 35000 Konak / İzmir, Türkiye", "Londra EC1A 1AA, Birleşik Krallık"),
    ] {
        let reply = service.get(&format!("{}?locale={locale}", routes::CONTACT), &[]);
        assert_eq!(reply.json()["address"], main);
        let tool = call(&service, "get_contact", &json!({ "locale": locale }));
        assert_eq!(tool["content"][0]["text"], reply.text());
        let (page, twin) = (text(&service, path), text(&service, &format!("{path}.md")));
        for part in [main, other, "+442079460000", "london@ornek.example", "https://maps.example/london"] {
            let words = part.replace(' ', "\u{a0}");
            let plain = page.replace('\u{a0}', " ").replace("&nbsp;", " ");
            assert!(plain.contains(part) || page.contains(&words), "{part} in {page}");
            assert!(twin.contains(part), "{part} in {twin}");
        }
        let data: Value = serde_json::from_str(between(&page, "application/ld+json\">", "</script>")).unwrap();
        let graph = data["@graph"].as_array().unwrap();
        let firm = graph.iter().find(|node| node["@type"] == "LegalService").unwrap();
        let of_main = json!({
            "@type": "PostalAddress",
            "streetAddress": "Deneme Sokak No. 1",
            "postalCode": "35000",
            "addressLocality": "Konak / İzmir",
            "addressCountry": "TR",
        });
        assert_eq!(firm["address"], of_main);
        assert_eq!(firm["subOrganization"][0]["address"]["addressCountry"], "GB");
        assert_eq!(firm["subOrganization"][0]["telephone"], "+442079460000");
    }
    let found = call(&service, "search", &json!({ "query": "office in London", "locale": "en" }));
    assert_eq!(found["structuredContent"]["results"][0]["url"], format!("{SITE_URL}/en/contact"), "{found}");
}
