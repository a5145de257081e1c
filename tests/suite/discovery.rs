//! Specification, "Discovery" and "Discovery metadata": the documents that programs read first.

use std::fs;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use contract::{
    Locale,
    agent_auth::{CLAIM_GRANT, JWT_BEARER_GRANT},
    media, routes,
};
use percent_encoding::percent_decode_str;
use serde_json::{Value, json};
use tests::{Firm as _, SITE_URL, Service, build, content_of, copy_folder, demonstration, fixture};

fn document(service: &Service, path: &str) -> Value {
    let reply = service.get(path, &["Origin: https://agent.example"]);
    assert_eq!(reply.status, 200, "{path}");
    assert_eq!(reply.header("access-control-allow-origin"), Some("*"), "{path}");
    reply.json()
}

#[test]
fn api_catalog_is_a_linkset_that_names_itself() {
    let service = fixture();
    for reply in [service.get(routes::API_CATALOG, &[]), service.head(routes::API_CATALOG, &[])] {
        let expected = "application/linkset+json; profile=\"https://www.rfc-editor.org/info/rfc9727\"";
        assert_eq!((reply.status, reply.header("content-type")), (200, Some(expected)));
        assert_eq!(reply.header("access-control-allow-origin"), Some("*"));
        let link = format!("<{SITE_URL}{}>; rel=\"api-catalog\"", routes::API_CATALOG);
        assert_eq!(reply.header("link"), Some(link.as_str()));
    }
    let linkset = document(&service, routes::API_CATALOG)["linkset"].clone();
    let anchors: Vec<_> = linkset.as_array().unwrap().iter().map(|entry| entry["anchor"].clone()).collect();
    assert_eq!(
        json!(anchors),
        json!([
            format!("{SITE_URL}{}", routes::API_CATALOG),
            format!("{SITE_URL}{}", routes::API_BASE),
            format!("{SITE_URL}{}", routes::MCP),
        ])
    );
    let items: Vec<_> = linkset[0]["item"].as_array().unwrap().iter().map(|item| item["href"].clone()).collect();
    assert_eq!(
        json!(items),
        json!([
            format!("{SITE_URL}{}", routes::API_BASE),
            format!("{SITE_URL}{}", routes::MCP),
            format!("{SITE_URL}{}", routes::REGISTER),
        ])
    );
    for relation in ["service-desc", "service-doc", "status", "service-meta"] {
        let href = linkset[1][relation][0]["href"].as_str().expect(relation);
        assert_eq!(service.get(href.strip_prefix(SITE_URL).unwrap(), &[]).status, 200, "{relation}");
    }
}

#[test]
fn documents_for_programs_name_their_language() {
    let service = fixture();
    let routes = service.firm.manifest().routes.into_iter();
    let documents = routes.filter(|route| route.variants[0].media_type.contains("json")).map(|route| route.path);
    let documents: Vec<_> = documents.collect();
    assert!(
        [routes::HEALTH, routes::API_CATALOG, routes::SERVER_CARD]
            .iter()
            .all(|path| documents.contains(&(*path).to_owned()))
    );
    for path in documents {
        let expected = if path.starts_with("/tr/") { "tr" } else { "en" };
        assert_eq!(service.get(&path, &[]).header("content-language"), Some(expected), "{path}");
    }
}

#[test]
fn documents_name_only_public_addresses() {
    // Names of internal documents.
    let named =
        ["contract.md", "spec.md", "house.md", "quality.md", "decisions.md", "docs/", "reference/", "(specification"];
    for service in [fixture(), demonstration()] {
        for (file, bytes) in tests::files_below(&service.firm.dist()) {
            let Ok(text) = String::from_utf8(bytes) else { continue };
            for words in named.iter().chain(&["the order of the site"]) {
                assert!(!text.contains(words), "{words:?} in {file}");
            }
            // "decision 12" would cite `docs/decisions.md`; court decisions have no such numbers here.
            let mut decisions = text.split("decision ").skip(1);
            assert!(!decisions.any(|what| what.starts_with(|first: char| first.is_ascii_digit())), "{file}");
        }
    }
}

#[test]
fn content_signals_are_sent_with_every_text() {
    let service = fixture();
    for path in ["/en", "/index.md", "/llms-full.txt", "/tr/llms-full.txt", "/en/atom.xml", "/tr/feed.json"] {
        let usage = service.get(path, &[]).header("content-usage").map(str::to_owned);
        assert!(usage.is_some_and(|usage| usage.contains("train-ai=")), "{path}");
    }
}

#[test]
fn root_of_the_api_lists_its_endpoints() {
    let service = fixture();
    for reply in [service.get(routes::API_BASE, &[]), service.head(routes::API_BASE, &[])] {
        assert_eq!((reply.status, reply.header("content-type")), (200, Some("application/linkset+json")));
        assert!(reply.header("link").unwrap().contains("rel=\"api-catalog\""));
    }
    let linkset = document(&service, routes::API_BASE)["linkset"].clone();
    assert_eq!(linkset[0]["anchor"], format!("{SITE_URL}{}", routes::API_BASE));
    let items = linkset[0]["item"].as_array().unwrap();
    assert_eq!(items.len(), routes::OPERATIONS.len());
    for item in items {
        let href = item["href"].as_str().unwrap();
        assert_eq!(service.get(href.strip_prefix(SITE_URL).unwrap(), &[]).status, 200, "{href}");
    }
    // The root has the relations that the catalog has for the API.
    let catalog = document(&service, routes::API_CATALOG)["linkset"][1].clone();
    for (relation, targets) in catalog.as_object().unwrap() {
        assert_eq!(&linkset[0][relation], targets, "{relation}");
    }
    assert_eq!(service.get(routes::API_BASE, &["X-Api-Key: wrong"]).status, 401);
    assert_eq!(service.request("POST", routes::API_BASE, &[]).header("allow"), Some("GET, HEAD"));
}

#[test]
fn protected_resource_metadata_has_the_six_fields_for_each_resource() {
    let service = fixture();
    for (path, resource) in [
        (routes::PROTECTED_RESOURCE, SITE_URL.to_owned()),
        (routes::PROTECTED_RESOURCE_MCP, format!("{SITE_URL}{}", routes::MCP)),
        (routes::PROTECTED_RESOURCE_API, format!("{SITE_URL}{}", routes::API_BASE)),
    ] {
        let metadata = document(&service, path);
        assert_eq!(metadata["resource"], resource);
        assert!(metadata["resource_name"].is_string());
        assert_eq!(metadata["authorization_servers"], json!([SITE_URL]));
        assert_eq!(metadata["scopes_supported"], json!(["openid", "profile", "mcp.read", "content.read"]));
        assert_eq!(metadata["bearer_methods_supported"], json!(["header"]));
        let logo = metadata["resource_logo_uri"].as_str().unwrap().strip_prefix(SITE_URL).unwrap();
        assert_eq!(service.get(logo, &[]).status, 200);
    }
}

#[test]
fn authorization_server_metadata_describes_the_registration() {
    let service = fixture();
    // The service of the tests trusts no provider, so it removes the offers that need one.
    let published = fs::read(service.firm.dist().join(routes::AUTHORIZATION_SERVER.trim_start_matches('/'))).unwrap();
    let published: Value = serde_json::from_slice(&published).unwrap();
    assert_eq!(published["grant_types_supported"], json!([JWT_BEARER_GRANT, CLAIM_GRANT]));
    assert!(published["agent_auth"]["events_supported"].as_array().is_some_and(|events| !events.is_empty()));
    let methods = json!(["none", "client_secret_basic", "client_secret_post"]);
    assert_eq!(published["token_endpoint_auth_methods_supported"], methods);
    let metadata = document(&service, routes::AUTHORIZATION_SERVER);
    let absolute = |path: &str| json!(format!("{SITE_URL}{path}"));
    assert_eq!(metadata["issuer"], SITE_URL);
    assert_eq!(metadata["authorization_endpoint"], absolute(routes::AUTHORIZE));
    assert_eq!(metadata["token_endpoint"], absolute(routes::TOKEN));
    assert_eq!(metadata["revocation_endpoint"], absolute(routes::REVOKE));
    // Its own assertions, of the identity profile, are still exchanged.
    assert_eq!(metadata["grant_types_supported"], json!([JWT_BEARER_GRANT, CLAIM_GRANT]));
    assert!(metadata.get("authorization_grant_profiles_supported").is_none(), "{metadata}");
    assert_eq!(metadata["response_types_supported"], json!(["none"]));
    assert_eq!(metadata["token_endpoint_auth_methods_supported"], json!(["none"]));
    let resource = document(&service, routes::PROTECTED_RESOURCE);
    for copied in ["resource", "authorization_servers", "bearer_methods_supported", "scopes_supported"] {
        assert!(!resource[copied].is_null(), "{copied}");
        assert_eq!(metadata[copied], resource[copied], "{copied}");
    }
    let agent_auth = &metadata["agent_auth"];
    assert_eq!(agent_auth["skill"], absolute(routes::AUTH_MD));
    assert_eq!(agent_auth["register_uri"], absolute(routes::REGISTER));
    assert_eq!(agent_auth["claim_uri"], absolute(routes::CLAIM));
    assert_eq!(agent_auth["revocation_uri"], absolute(routes::PROVIDER_REVOKE));
    assert_eq!(agent_auth["identity_endpoint"], absolute(routes::IDENTITY));
    assert_eq!(agent_auth["claim_endpoint"], absolute(routes::IDENTITY_CLAIM));
    assert_eq!(agent_auth["events_endpoint"], absolute(routes::PROVIDER_REVOKE));
    let types = json!(["anonymous", "identity_assertion", "service_auth"]);
    assert_eq!(agent_auth["identity_types_supported"], types);
    assert_eq!(agent_auth["identity_assertion"]["assertion_types_supported"], json!(["verified_email"]));
    assert!(agent_auth["identity_assertion"]["credential_types_supported"].is_array());
    assert!(agent_auth["anonymous"]["credential_types_supported"].is_array());
}

#[test]
fn server_card_is_the_same_at_both_addresses_and_agrees_with_the_catalogue() {
    let service = fixture();
    let (card, alias) = (service.get(routes::SERVER_CARD, &[]), service.get(routes::SERVER_CARD_WELL_KNOWN, &[]));
    assert_eq!(card.body, alias.body);
    assert_eq!(card.header("content-type"), Some("application/mcp-server-card+json"));
    let card = card.json();
    assert_eq!(card["remotes"][0]["url"], format!("{SITE_URL}{}", routes::MCP));
    assert!(card["description"].as_str().unwrap().chars().count() <= 100);
    let catalog = document(&service, routes::AI_CATALOG);
    assert_eq!(catalog["specVersion"], "1.0");
    for entry in catalog["entries"].as_array().unwrap() {
        assert!(entry["identifier"].as_str().unwrap().starts_with("urn:air:ornek.example:"));
        let queries = entry["representativeQueries"].as_array().unwrap().len();
        assert!((2..=5).contains(&queries));
        let url = entry["url"].as_str().unwrap().strip_prefix(SITE_URL).unwrap();
        assert_eq!(service.get(url, &[]).status, 200);
    }
}

#[test]
fn skills_have_the_digests_of_the_index() {
    let service = fixture();
    let index = document(&service, routes::AGENT_SKILLS);
    let manifest = service.firm.manifest();
    let skills = index["skills"].as_array().unwrap();
    assert_eq!(skills.len(), 2);
    for (skill, expected) in skills.iter().zip([routes::CONTENT_SKILL, routes::REGISTRATION_SKILL]) {
        let path = skill["url"].as_str().unwrap().strip_prefix(SITE_URL).unwrap();
        assert_eq!(path, expected);
        let folder = format!("/{}/SKILL.md", skill["name"].as_str().unwrap());
        assert!(path.ends_with(&folder), "{path} has its name as its folder");
        let route = manifest.routes.iter().find(|route| route.path == path).unwrap();
        assert_eq!(skill["digest"], format!("sha256:{}", route.variants[0].digest.0));
        let text = service.get(path, &[]).text();
        assert!(text.starts_with(&format!("---\nname: {}\n", skill["name"].as_str().unwrap())));
    }
}

#[test]
fn auth_md_describes_each_step_of_an_agent() {
    let reply = fixture().get(routes::AUTH_MD, &["Accept: text/markdown, text/plain, */*"]);
    assert_eq!(reply.header("content-type"), Some("text/markdown; charset=utf-8"));
    let text = reply.text();
    assert!(text.starts_with("# auth.md"));
    for word in [routes::REGISTER, routes::CLAIM_COMPLETE, routes::TOKEN, routes::ACCESS, CLAIM_GRANT, "`otp_invalid`"]
    {
        assert!(text.contains(word), "{word}");
    }
}

#[test]
fn model_links_lead_to_the_mcp_endpoint() {
    let service = demonstration();
    for page in ["/en/developers.md", "/tr/gelistiriciler.md"] {
        let text = service.get(page, &[]).text();
        let endpoint = text.split_once("claude mcp add --transport http yalicam ").unwrap().1.lines().next().unwrap();
        assert!(endpoint.ends_with(routes::MCP), "{endpoint}");
        let config = |link: &str| {
            let (_, rest) = text.split_once(&format!("({link}?name=yalicam&config=")).unwrap();
            percent_decode_str(rest.split(')').next().unwrap()).decode_utf8().unwrap().into_owned()
        };
        let of_cursor = STANDARD.decode(config("https://cursor.com/install-mcp")).unwrap();
        assert_eq!(serde_json::from_slice::<Value>(&of_cursor).unwrap(), json!({ "url": endpoint }));
        let of_vs_code: Value = serde_json::from_str(&config("https://vscode.dev/redirect/mcp/install")).unwrap();
        assert_eq!(of_vs_code, json!({ "type": "http", "url": endpoint }));
        assert!(text.contains("(https://claude.ai/settings/connectors)"), "{page}");
    }
}

#[test]
fn crawlers_find_their_rules_and_the_sitemap() {
    let service = fixture();
    let robots = service.get(routes::ROBOTS_TXT, &[]);
    assert_eq!(robots.header("content-type"), Some("text/plain; charset=utf-8"));
    let robots = robots.text();
    assert!(robots.contains(&format!("Sitemap: {SITE_URL}{}", routes::SITEMAP)));
    assert!(robots.contains("Content-Signal: search=yes, ai-input=yes, ai-train=no"));
    let sitemap = service.get(routes::SITEMAP, &[]).text();
    let places: Vec<_> = sitemap.split("<loc>").skip(1).map(|rest| rest.split("</loc>").next().unwrap()).collect();
    assert!(places.len() > 30);
    for url in places {
        assert_eq!(service.get(url.strip_prefix(SITE_URL).unwrap(), &[]).status, 200, "{url}");
    }
}

#[test]
fn security_txt_names_a_contact_and_a_last_day() {
    let reply = fixture().get(routes::SECURITY_TXT, &[]);
    let text = reply.text();
    for field in ["Contact: ", "Expires: ", "Canonical: ", "Preferred-Languages: en, tr"] {
        assert!(text.lines().any(|line| line.starts_with(field)), "{field}");
    }
}

#[test]
fn language_models_find_an_overview_and_the_full_text_in_both_languages() {
    let service = fixture();
    let root = service.get(routes::LLMS_TXT, &[]);
    assert_eq!(root.body, service.get(&format!("/en{}", routes::LLMS_TXT), &[]).body);
    for (locale, words) in
        [(Locale::En, "The taxpayer may ask for settlement."), (Locale::Tr, "Mükellef uzlaşma talep edebilir.")]
    {
        let overview = service.get(&routes::in_locale(locale, routes::LLMS_TXT), &[]).text();
        assert!(overview.starts_with("# ") && overview.contains("\n> "));
        let links: Vec<_> = overview.split("](").skip(1).map(|rest| rest.split(')').next().unwrap()).collect();
        assert!(links.len() > 20, "{}", links.len());
        for url in links {
            assert_eq!(service.get(url.strip_prefix(SITE_URL).unwrap(), &[]).status, 200, "{url}");
        }
        assert!(overview.contains(&format!("`{SITE_URL}{}`", routes::MCP)), "the endpoint itself is named");
        assert!(overview.contains(&format!("[JSON API]({SITE_URL}{})", routes::API_BASE)), "all of it, not one list");
        let full = service.get(&routes::in_locale(locale, routes::LLMS_FULL_TXT), &[]).text();
        // The English article has an excerpt; the Turkish one is described by the beginning of its text.
        assert!(full.contains(words) && overview.contains(words) == (locale == Locale::Tr), "{locale}");
    }
    assert_eq!(service.get(routes::LLMS_FULL_TXT, &[]).status, 200);
}

#[test]
fn full_text_contains_the_twins_of_its_pages() {
    let service = fixture();
    for locale in Locale::ALL {
        let full = service.get(&routes::in_locale(locale, routes::LLMS_FULL_TXT), &[]).text();
        let mut twins = 0;
        for page in full.split("\n---\n\n# ").skip(1) {
            let url = page.split_once("\n\n<").unwrap().1.split('>').next().unwrap();
            let twin = service.get(&format!("{}.md", url.strip_prefix(SITE_URL).unwrap()), &[]).text();
            let (head, rest) = twin.strip_prefix("---\n").unwrap().split_once("\n---\n").unwrap();
            for field in head.lines().filter(|line| !line.starts_with("lang: ")) {
                let (name, value) = field.split_once(": ").unwrap();
                if name == "last_updated" {
                    assert!(page.contains(&format!("\n{field}\n")), "{field}, {url}");
                } else {
                    // A description generated from the text is part of the text.
                    let value: String = serde_json::from_str(value).unwrap();
                    assert!(page.contains(value.trim_end_matches('…')), "{field}, {url}");
                }
            }
            let (_, text) = rest.split_once("\n# ").unwrap();
            let text = &text[..text.rfind("\n---\n").unwrap()];
            // Skip lists of documents, counts, and the citation at the end of an article.
            let leads_on = |line: &&str| line.starts_with("- [") || line.contains(&format!("<{url}>"));
            let sections = |line: &&str| line.starts_with("## ");
            let counts = |line: &&str| line.ends_with(char::is_numeric) && !line.starts_with("- ");
            // A footnote has the number of its document as a prefix, so that names are unique.
            let number =
                page.split_once("[^").and_then(|(_, rest)| rest.split_once('-')).map_or("", |(number, _)| number);
            assert!(number.parse::<u32>().is_ok() || !text.contains("[^"), "{number:?}, {url}");
            let numbered = format!("[^{number}-");
            for line in text.lines().skip(1).filter(|line| !leads_on(line) && !sections(line) && !counts(line)) {
                assert!(page.contains(&line.replace("[^", &numbered)), "{line:?}, {url}");
            }
            twins += 1;
        }
        assert!(twins > 15, "{twins} pages");
        for fact in ["+90", "@ornek.example", "Ayşe Yılmaz](", "Lindqvist Öberg"] {
            assert!(full.contains(fact), "{fact}, {locale}");
        }
    }
}

#[test]
fn icons_are_served_at_the_usual_addresses() {
    let service = fixture();
    for (path, media_type) in [(routes::FAVICON, "image/x-icon"), (routes::TOUCH_ICON, "image/png")] {
        let icon = service.get(path, &[]);
        assert_eq!((icon.status, icon.header("content-type")), (200, Some(media_type)), "{path}");
        assert_eq!(icon.header("cache-control"), Some("public, max-age=300"), "{path}");
    }
}

#[test]
fn people_and_subjects_have_feeds_that_their_pages_name() {
    let service = fixture();
    for page in ["/en/team/ayse-yilmaz", "/tr/ekip/ayse-yilmaz", "/en/publications/tax", "/tr/yayinlar/vergi"] {
        let html = service.get(page, &[]).text();
        let path = format!("{page}{}", routes::ATOM);
        assert!(html.contains(&format!("href=\"{path}\"")), "{page}");
        let atom = service.get(&path, &[]);
        assert_eq!(atom.header("content-type"), Some("application/atom+xml; charset=utf-8"));
        let (atom, feed) = (atom.text(), service.get(&format!("{page}{}", routes::JSON_FEED), &[]).json());
        let items = feed["items"].as_array().unwrap();
        assert!(!items.is_empty() && items.len() == atom.matches("<entry>").count(), "{page}");
        assert!(feed["home_page_url"].as_str().is_some_and(|url| url.ends_with(page)), "{page}");
    }
}

#[test]
fn feeds_announce_the_newest_publications() {
    let service = fixture();
    for locale in Locale::ALL {
        let atom = service.get(&routes::in_locale(locale, routes::ATOM), &[]);
        assert_eq!(atom.header("content-type"), Some("application/atom+xml; charset=utf-8"));
        assert!(atom.text().contains("<entry>"));
        let feed = service.get(&routes::in_locale(locale, routes::JSON_FEED), &[]);
        assert_eq!(feed.header("content-type"), Some("application/feed+json"));
        for of_any_origin in [&atom, &feed] {
            assert_eq!(of_any_origin.header("access-control-allow-origin"), Some("*"));
        }
        let feed = feed.json();
        assert_eq!(feed["version"], "https://jsonfeed.org/version/1.1");
        assert_eq!(feed["language"], locale.as_str());
        assert!(feed["items"].as_array().is_some_and(|items| !items.is_empty()));
    }
}

#[test]
fn assets_are_below_one_folder() {
    let service = fixture();
    let html = service.get("/en", &[]).text();
    assert!(html.contains(&format!("href=\"{}/", routes::ASSETS)));
}

#[test]
fn proofs_of_ownership_are_published_unchanged() {
    let content = tempfile::TempDir::new().unwrap();
    copy_folder(&content_of("firm"), content.path());
    let folder = content.path().join("well-known");
    fs::create_dir_all(&folder).unwrap();
    let files: [(&str, &[u8], &str); 5] = [
        ("openai-apps-challenge", b"proof", media::TEXT),
        ("assetlinks.json", b"[1,\r\n2]\r\n", media::JSON),
        ("drawing.svg", b"<svg xmlns=\"http://www.w3.org/2000/svg\">\r\n</svg>", media::SVG),
        ("key.bin", &[0, 255], media::BINARY),
        ("empty.txt", b"", media::TEXT),
    ];
    for (name, bytes, _) in files {
        fs::write(folder.join(name), bytes).unwrap();
    }
    let service = build(content.path()).serve();
    for (name, bytes, media_type) in files {
        let reply = service.get(&format!("{}/{name}", routes::WELL_KNOWN), &[]);
        assert_eq!((reply.status, reply.header("content-type")), (200, Some(media_type)), "{name}");
        assert_eq!(reply.body, bytes, "{name}");
        assert_eq!(reply.header("content-security-policy"), Some("default-src 'none'; frame-ancestors 'none'"));
    }
}
