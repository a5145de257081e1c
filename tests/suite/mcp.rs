//! Specification, "MCP": tools and resources have the content of the content API and of the pages, item by item.

use std::{collections::BTreeSet, fs};

use contract::{
    Locale,
    manifest::Class,
    mcp::{DocumentResult, PageMarkdown, SearchResults, TOOLS, ToolKind, limits, meta},
    routes,
};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};
use tempfile::TempDir;
use tests::{
    Firm as _, SITE_URL, Service, build, content_of, copy_folder, demonstration, is_search,
    mcp::{legacy, modern, result},
    request,
};

#[track_caller]
fn call(service: &Service, name: &str, arguments: &Value) -> Value {
    let result = result(&legacy(service, "tools/call", &json!({ "name": name, "arguments": arguments })));
    assert_eq!(result.get("isError"), None, "{name} {arguments}: {result}");
    result
}

/// Parses `value` as the type of the published schema, and serializes it again.
fn as_contracted<T: DeserializeOwned + Serialize>(value: &Value) -> Value {
    serde_json::to_value(serde_json::from_value::<T>(value.clone()).unwrap()).unwrap()
}

fn path_of(url: &str) -> &str {
    url.strip_prefix(SITE_URL).unwrap()
}

/// Reads the whole text of a page, part by part.
fn read_in_parts(service: &Service, url: &str, most: u64) -> (String, Value) {
    let (mut text, mut offset) = (String::new(), 0);
    loop {
        let part = call(service, "get_page_markdown", &json!({ "url": url, "offset": offset, "max_chars": most }));
        text.push_str(part["content"][0]["text"].as_str().unwrap());
        let about = part["structuredContent"].clone();
        match about.get("next_offset") {
            Some(next) => offset = next.as_u64().unwrap(),
            None => return (text, about),
        }
    }
}

#[test]
fn tools_name_the_newer_translation() {
    let content = TempDir::new().unwrap();
    copy_folder(&content_of("firm"), content.path());
    let file = content.path().join("publications/remote-work/en.md");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replacen("slug: ", "reviewed: 2026-10-02\nslug: ", 1)).unwrap();
    let service = tests::build_with_stale(content.path(), &["publications/remote-work/tr.md"]).serve();
    let (en, tr) = ("/en/publications/remote-work-agreements", "/tr/yayinlar/uzaktan-calisma-sozlesmesi");
    for (path, other, stale) in [(tr, en, true), (en, tr, false)] {
        let url = format!("{SITE_URL}{path}");
        let expected = json!({ "of": format!("{SITE_URL}{other}"), "reviewed": "2026-10-02", "stale": stale });
        let page = call(&service, "get_page_markdown", &json!({ "url": url }));
        assert_eq!(page["structuredContent"]["translation"], expected, "{path}");
        let fetched = call(&service, "fetch", &json!({ "id": url }));
        assert_eq!(fetched["structuredContent"]["metadata"]["translation"], expected, "{path}");
        let query = if path == tr { "uzaktan çalışma" } else { "remote work agreement" };
        let found = call(&service, "search", &json!({ "query": query }));
        let results = found["structuredContent"]["results"].as_array().unwrap();
        let found = results.iter().find(|result| result["url"] == url.as_str());
        assert_eq!(found.unwrap()["translation"], expected, "{results:?}");
    }
    let other = call(&service, "get_page_markdown", &json!({ "url": format!("{SITE_URL}/en/about") }));
    assert_eq!(other["structuredContent"].get("translation"), None);
}

/// Returns every page in the list of resources.
fn resources(service: &Service) -> Vec<Value> {
    let mut all = all_resources(service);
    all.retain(|resource| !resource["uri"].as_str().unwrap().starts_with("skill://"));
    all
}

fn all_resources(service: &Service) -> Vec<Value> {
    let (mut all, mut params) = (Vec::new(), json!({}));
    loop {
        let page = result(&legacy(service, "resources/list", &params));
        all.extend(page["resources"].as_array().unwrap().iter().cloned());
        match page.get("nextCursor") {
            Some(next) => params = json!({ "cursor": next }),
            None => return all,
        }
    }
}

#[test]
fn tools_are_listed_in_order_with_description_and_schemas() {
    let service = demonstration();
    let listed = result(&legacy(&service, "tools/list", &json!({})));
    assert_eq!(listed["tools"], result(&modern(&service, "tools/list", json!({})))["tools"]);
    let names: Vec<&str> =
        listed["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    let expected = [
        "list_practice_areas",
        "list_team",
        "list_publications",
        "get_global_network",
        "get_contact",
        "search",
        "fetch",
        "get_page_markdown",
    ];
    assert_eq!(names, expected);
    for tool in listed["tools"].as_array().unwrap() {
        assert!(tool["description"].as_str().unwrap().len() > 60 && tool["title"].is_string(), "{tool}");
        assert!(tool["inputSchema"]["properties"].is_object() && tool["outputSchema"]["type"] == "object", "{tool}");
        for (hint, value) in
            [("readOnlyHint", true), ("destructiveHint", false), ("idempotentHint", true), ("openWorldHint", false)]
        {
            assert_eq!(tool["annotations"][hint], value, "{tool}");
        }
    }
}

#[test]
fn lists_and_contact_are_the_bytes_of_the_content_api_in_every_revision() {
    let service = demonstration();
    for tool in TOOLS {
        let ToolKind::Resource(path) = tool.kind else { continue };
        for locale in Locale::ALL {
            let body = service.get(&format!("{path}?locale={locale}"), &[]).text();
            let params = json!({ "name": tool.name, "arguments": { "locale": locale } });
            for reply in [legacy(&service, "tools/call", &params), modern(&service, "tools/call", params.clone())] {
                assert!(reply.text().contains(&format!("\"structuredContent\":{body}")), "{} {locale}", tool.name);
                assert_eq!(result(&reply)["content"], json!([{ "type": "text", "text": body }]), "{}", tool.name);
            }
        }
        let default = call(&service, tool.name, &json!({}));
        assert_eq!(default["content"][0]["text"], service.get(path, &[]).text(), "{}", tool.name);
    }
}

#[test]
fn every_twin_is_a_resource_with_the_same_bytes_by_every_method() {
    let service = demonstration();
    let listed = resources(&service);
    let uris: BTreeSet<&str> = listed.iter().map(|resource| path_of(resource["uri"].as_str().unwrap())).collect();
    let manifest = service.firm.manifest();
    let twins: BTreeSet<&str> = manifest
        .routes
        .iter()
        .filter(|route| route.class == Class::Twin && !is_search(&manifest, &route.path))
        .map(|route| route.path.as_str())
        .collect();
    assert_eq!(uris, twins);
    assert_eq!(listed.len(), uris.len(), "each stands once");
    for resource in &listed {
        let uri = resource["uri"].as_str().unwrap();
        let twin = service.get(path_of(uri), &[]);
        assert_eq!(resource["size"], twin.body.len() as u64, "{uri}");
        for reply in [
            legacy(&service, "resources/read", &json!({ "uri": uri })),
            modern(&service, "resources/read", json!({ "uri": uri })),
        ] {
            assert_eq!(
                result(&reply)["contents"],
                json!([{ "uri": uri, "mimeType": "text/markdown", "text": twin.text() }])
            );
        }
        let (text, about) = read_in_parts(&service, uri, limits::MIN_CHARACTERS);
        assert_eq!(text, twin.text(), "{uri}");
        assert_eq!(about["title"], resource["title"]);
        assert_eq!(as_contracted::<PageMarkdown>(&about), about);
        let page = about["url"].as_str().unwrap();
        assert!(twin.text().contains(&format!("canonical_url: \"{page}\"")), "{page}");
        assert_eq!(service.get(path_of(page), &["Accept: text/html"]).status, 200, "{page}");
    }
}

#[test]
fn every_item_of_every_list_leads_to_its_page_and_its_text() {
    let service = demonstration();
    let mut count = 0;
    for path in [routes::PRACTICE_AREAS, routes::TEAM, routes::PUBLICATIONS] {
        for locale in Locale::ALL {
            let list = service.get(&format!("{path}?locale={locale}"), &[]).json();
            for item in list["items"].as_array().unwrap() {
                count += 1;
                let url = item["url"].as_str().unwrap();
                let twin = service.get(&format!("{}.md", path_of(url)), &[]).text();
                let read = call(&service, "get_page_markdown", &json!({ "url": url }));
                assert_eq!(read["content"][0]["text"], twin, "{url}");
                let about = &read["structuredContent"];
                assert_eq!(
                    about["title"],
                    *item.get("title").filter(|_| path == routes::PUBLICATIONS).unwrap_or(&item["name"]),
                    "{url}"
                );
                assert_eq!((&about["url"], &about["locale"]), (&json!(url), &json!(locale)));
                let fetched = call(&service, "fetch", &json!({ "id": path_of(url) }));
                assert_eq!(fetched["structuredContent"]["text"], twin, "{url}");
                assert_eq!(fetched["structuredContent"]["url"], url);
            }
        }
    }
    assert!(count > 80, "{count} items");
}

/// Returns a date in words.
fn in_words(locale: Locale, date: &str) -> String {
    let months = match locale {
        Locale::En => "January February March April May June July August September October November December",
        Locale::Tr => "Ocak Şubat Mart Nisan Mayıs Haziran Temmuz Ağustos Eylül Ekim Kasım Aralık",
    };
    let date: jiff::civil::Date = date.parse().unwrap();
    let (month, _) = months.split(' ').zip(1..).find(|(_, number)| *number == date.month()).unwrap();
    format!("{} {month} {}", date.day(), date.year())
}

/// Returns whether a twin shows a field of an item: values without Markdown, dates in words.
fn shows(twin: &str, locale: Locale, field: &str, value: &str) -> bool {
    match field {
        // Slug and address are compared elsewhere.
        "slug" | "url" => true,
        "date" => {
            let label = if locale == Locale::Tr { "Yayım tarihi" } else { "Published" };
            let line = format!("- {label}: {}", in_words(locale, value));
            twin.lines().any(|twin_line| twin_line == line)
        }
        _ => twin.contains(value) || twin.replace('\\', "").contains(value),
    }
}

#[test]
fn every_fact_of_an_item_is_in_its_text() {
    let service = demonstration();
    let mut facts = 0;
    for path in [routes::PRACTICE_AREAS, routes::TEAM, routes::PUBLICATIONS] {
        for locale in Locale::ALL {
            for item in service.get(&format!("{path}?locale={locale}"), &[]).json()["items"].as_array().unwrap() {
                let url = item["url"].as_str().unwrap();
                let read = call(&service, "get_page_markdown", &json!({ "url": url, "max_chars": 50_000 }));
                let twin = read["content"][0]["text"].as_str().unwrap();
                for (field, value) in item.as_object().unwrap() {
                    facts += 1;
                    let value = value.as_str().unwrap();
                    assert!(shows(twin, locale, field, value), "{url} does not show {field} {value}");
                }
            }
        }
    }
    assert!(facts > 400, "{facts} facts");
    for locale in Locale::ALL {
        let contact = call(&service, "get_contact", &json!({ "locale": locale }))["structuredContent"].clone();
        let page = contact["urls"]["contact"].as_str().unwrap();
        let read = call(&service, "get_page_markdown", &json!({ "url": page }));
        for field in ["description", "email", "telephoneDisplay", "address", "directionsUrl", "linkedinUrl"] {
            let value = contact[field].as_str().unwrap();
            assert!(shows(read["content"][0]["text"].as_str().unwrap(), locale, field, value), "{field} {value}");
        }
    }
}

#[test]
fn search_results_can_be_fetched_and_every_article_is_found_by_its_title() {
    let service = demonstration();
    for locale in Locale::ALL {
        let list = service.get(&format!("{}?locale={locale}", routes::PUBLICATIONS), &[]).json();
        for item in list["items"].as_array().unwrap() {
            let query = item["title"].as_str().unwrap();
            let found = call(&service, "search", &json!({ "query": query, "locale": locale, "limit": 3 }));
            let object: Value = serde_json::from_str(found["content"][0]["text"].as_str().unwrap()).unwrap();
            assert_eq!(object, found["structuredContent"]);
            assert_eq!(as_contracted::<SearchResults>(&object), object);
            let results = object["results"].as_array().unwrap();
            assert!(results.iter().any(|result| result["url"] == item["url"]), "{query}: {results:?}");
            for result in results {
                let fetched = call(&service, "fetch", &json!({ "id": result["id"] }));
                let document = &fetched["structuredContent"];
                assert_eq!(as_contracted::<DocumentResult>(document), *document);
                assert_eq!(
                    (&document["url"], &document["title"], &document["id"]),
                    (&result["url"], &result["title"], &result["id"])
                );
                assert_eq!(result["locale"], json!(locale));
            }
        }
    }
    let turkish = call(&service, "search", &json!({ "query": "kıdem tazminatı" }));
    assert_eq!(
        turkish["structuredContent"]["results"][0]["locale"], "tr",
        "where English has nothing, Turkish answers"
    );
}

#[test]
fn network_tool_returns_the_content_of_its_page() {
    let service = demonstration();
    for locale in Locale::ALL {
        let network = call(&service, "get_global_network", &json!({ "locale": locale }))["structuredContent"].clone();
        let twin = service.get(&format!("{}.md", path_of(network["url"].as_str().unwrap())), &[]).text();
        let mut count = 0;
        for country in network["countries"].as_array().unwrap() {
            let name = country["name"].as_str().unwrap();
            let section =
                twin.split(&format!("\n## {name}\n")).nth(1).unwrap_or_else(|| panic!("{name} is not on the page"));
            let section = section.split("\n## ").next().unwrap();
            for firm in country["firms"].as_array().unwrap() {
                count += 1;
                for field in ["name", "city", "relation_name"] {
                    assert!(firm[field].as_str().is_some_and(|fact| !fact.is_empty()), "{firm}: {field}");
                }
                for field in ["name", "city", "relation_name", "network", "url", "note"] {
                    let fact = firm.get(field).map_or("", |fact| fact.as_str().unwrap());
                    assert!(section.contains(fact), "{locale} {name}: {field} {fact} is not on the page");
                }
                assert!(["member", "correspondent"].contains(&firm["relation"].as_str().unwrap()));
            }
        }
        assert_eq!(network["count"], count);
        assert_eq!(twin.matches("\n### ").count(), count, "no firm is missing");
    }
}

/// Returns the titles or names of the items of a call, and the other members.
fn call_list(service: &Service, name: &str, arguments: &Value) -> (Vec<String>, Value) {
    let object = call(service, name, arguments)["structuredContent"].clone();
    let items = object.get("items").or(object.get("countries")).unwrap().as_array().unwrap();
    let name = |item: &Value| item.get("title").filter(|_| item.get("date").is_some()).unwrap_or(&item["name"]).clone();
    (items.iter().map(|item| name(item).as_str().unwrap().to_owned()).collect(), object)
}

#[test]
fn lists_return_only_what_their_arguments_select() {
    let service = demonstration();
    let publications = |locale| service.get(&format!("{}?locale={locale}", routes::PUBLICATIONS), &[]).json();
    for (locale, categories) in [("en", ["Tax", "tax", "Vergi hukuku"]), ("tr", ["vergi", "VERGİ HUKUKU", "Tax"])] {
        let all = publications(locale);
        let items = all["items"].as_array().unwrap();
        let fitting =
            |fits: &dyn Fn(&Value) -> bool| -> Vec<Value> { items.iter().filter(|it| fits(it)).cloned().collect() };
        let name = if locale == "en" { "Tax" } else { "Vergi hukuku" };
        let expected = fitting(&|item| item["category"] == name);
        assert!(!expected.is_empty() && expected.len() < items.len());
        for category in categories {
            let object = call_list(&service, "list_publications", &json!({ "locale": locale, "category": category })).1;
            assert_eq!((&object["items"], &object["count"]), (&json!(expected), &json!(expected.len())), "{category}");
        }
        for year in [json!(2026), json!("2026")] {
            let object =
                call_list(&service, "list_publications", &json!({ "locale": locale, "year": year, "limit": 200 })).1;
            let expected = fitting(&|item| item["date"].as_str().is_some_and(|date| date.starts_with("2026")));
            assert_eq!(object["items"], json!(expected), "{year}");
        }
        let author = items[0]["author"].as_str().unwrap();
        let surname = author.rsplit(' ').next().unwrap();
        let object = call_list(&service, "list_publications", &json!({ "locale": locale, "author": surname })).1;
        assert_eq!(
            object["items"],
            json!(fitting(&|item| item["author"].as_str().is_some_and(|it| it.contains(surname))))
        );
        let (titles, _) =
            call_list(&service, "list_publications", &json!({ "locale": locale, "query": items[3]["title"] }));
        assert!(titles.contains(&items[3]["title"].as_str().unwrap().to_owned()), "{titles:?}");
    }
    let (people, _) = call_list(&service, "list_team", &json!({ "practice_area": "tax", "language": "German" }));
    assert!(people.contains(&"Çağrı Ünlü".to_owned()) && people.len() < 5, "{people:?}");
    for country in ["Germany", "DE", "Almanya", "almanya"] {
        let (names, object) = call_list(&service, "get_global_network", &json!({ "country": country }));
        assert_eq!(names, ["Germany"], "{country}");
        assert_eq!(object["count"], object["countries"][0]["firms"].as_array().unwrap().len());
    }
}

#[test]
fn empty_list_and_empty_search_suggest_what_to_try() {
    let service = demonstration();
    for (name, arguments, message) in [
        ("get_global_network", json!({ "country": "Atlantis" }), "Germany"),
        ("list_publications", json!({ "category": "shipping" }), "Tax"),
        ("list_publications", json!({ "query": "zebra crossings" }), "`search`"),
        ("list_team", json!({ "language": "tlh" }), "Turkish"),
        ("search", json!({ "query": "xyzzyplugh" }), "other words"),
    ] {
        let object = call(&service, name, &arguments)["structuredContent"].clone();
        assert!(object["hint"].as_str().is_some_and(|hint| hint.contains(message)), "{name} {arguments}: {object}");
    }
}

#[test]
fn unknown_argument_is_named_in_every_result() {
    let service = demonstration();
    for (name, arguments) in [
        ("list_practice_areas", json!({ "category": "tax" })),
        ("list_team", json!({ "country": "Germany" })),
        ("get_contact", json!({ "office": 1 })),
        ("search", json!({ "query": 6098, "limit": "5", "sort": "date" })),
        ("fetch", json!({ "id": "/en/team", "format": "html" })),
        ("get_page_markdown", json!({ "url": "/en/team", "format": "html" })),
    ] {
        let result = call(&service, name, &arguments);
        let known = ["query", "limit", "id", "url"];
        let unknown: Vec<&String> =
            arguments.as_object().unwrap().keys().filter(|it| !known.contains(&it.as_str())).collect();
        assert_eq!(result["structuredContent"]["ignored_arguments"], json!(unknown), "{name}");
    }
}

#[test]
fn blank_argument_is_named_as_ignored_and_a_locale_is_read_as_a_language_tag() {
    let service = demonstration();
    let all = call(&service, "list_publications", &json!({}))["structuredContent"].take();
    for name in ["category", "year", "query"] {
        let mut answer = call(&service, "list_publications", &json!({ name: "" }))["structuredContent"].take();
        assert_eq!(answer.as_object_mut().unwrap().remove("ignored_arguments"), Some(json!([name])));
        assert_eq!(answer, all, "{name}");
    }
    let turkish = call(&service, "get_contact", &json!({ "locale": "tr" }));
    for tag in ["TR", "tr-TR"] {
        assert_eq!(call(&service, "get_contact", &json!({ "locale": tag })), turkish, "{tag}");
    }
    // The content API stays strict.
    service.get(&format!("{}?locale=TR", routes::CONTACT), &[]).assert_refused(400, "invalid_locale");
}

/// Many clients read the first part of the list only.
#[test]
fn pages_areas_and_people_are_listed_before_articles_and_archives() {
    let service = demonstration();
    let listed = resources(&service);
    let articles: BTreeSet<String> = ["en", "tr"]
        .into_iter()
        .flat_map(|locale| {
            let list = service.get(&format!("{}?locale={locale}", routes::PUBLICATIONS), &[]).json();
            list["items"]
                .as_array()
                .unwrap()
                .iter()
                .map(|item| format!("{}.md", item["url"].as_str().unwrap()))
                .collect::<Vec<_>>()
        })
        .collect();
    let first_article = listed.iter().position(|it| articles.contains(it["uri"].as_str().unwrap())).unwrap();
    for operation in [routes::PRACTICE_AREAS, routes::TEAM] {
        for locale in ["en", "tr"] {
            let list = service.get(&format!("{operation}?locale={locale}"), &[]).json();
            for item in list["items"].as_array().unwrap() {
                let uri = format!("{}.md", item["url"].as_str().unwrap());
                let place = listed.iter().position(|it| it["uri"] == *uri).unwrap();
                assert!(place < first_article, "{uri}");
            }
        }
    }
}

#[test]
fn instructions_for_agents_are_a_resource() {
    let service = demonstration();
    let text = service.get(routes::AUTH_MD, &[]).text();
    for url in [routes::AUTH_MD.to_owned(), format!("{SITE_URL}{}", routes::AUTH_MD)] {
        let read = call(&service, "get_page_markdown", &json!({ "url": url, "max_chars": 50_000 }));
        assert_eq!(read["content"][0]["text"], text);
        assert_eq!(read["structuredContent"]["url"], format!("{SITE_URL}{}", routes::AUTH_MD));
    }
}

/// Both wires list the skills of the well-known index, with the digests of the index and the same bytes.
#[test]
fn skills_are_those_of_the_well_known_index_by_both_wires() {
    let service = demonstration();
    let index = service.get(routes::AGENT_SKILLS, &[]).json();
    let listed = result(&legacy(&service, "skills/list", &json!({})));
    let fresh = result(&modern(&service, "skills/list", json!({})));
    assert_eq!(listed["skills"], fresh["skills"]);
    for (result, is_cacheable) in [(&listed, false), (&fresh, true)] {
        for member in ["ttlMs", "cacheScope"] {
            assert_eq!(result.get(member).is_some(), is_cacheable, "{member}");
        }
    }
    let (listed, indexed) = (listed["skills"].as_array().unwrap(), index["skills"].as_array().unwrap());
    // Their texts are resources too, with name and description of the front matter.
    let mut resources = all_resources(&service);
    resources.retain(|resource| resource["uri"].as_str().unwrap().starts_with("skill://"));
    let described = |of: &Value, uri: &Value, size: &Value| json!([uri, of["name"], of["description"], size]);
    let texts: Vec<Value> = resources.iter().map(|it| described(it, &it["uri"], &it["size"])).collect();
    let entries = listed.iter().map(|it| described(&it["frontmatter"], &it["uri"], &it["resources"][0]["size"]));
    assert_eq!(texts, entries.collect::<Vec<_>>());
    let names: Vec<_> = listed.iter().map(|skill| skill["frontmatter"]["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["firm-content", "agent-registration"]);
    for (skill, entry) in listed.iter().zip(indexed) {
        let uri = skill["uri"].as_str().unwrap();
        assert_eq!(uri, format!("skill://{}/SKILL.md", entry["name"].as_str().unwrap()));
        assert_eq!(skill["frontmatter"], json!({ "name": entry["name"], "description": entry["description"] }));
        let text = service.get(path_of(entry["url"].as_str().unwrap()), &[]).text();
        let files = json!([{ "uri": uri, "digest": entry["digest"], "size": text.len() }]);
        assert_eq!(skill["resources"], files, "{uri}");
        assert!(text.starts_with(&format!("---\nname: {}\n", entry["name"].as_str().unwrap())), "{text}");
        let contents = json!([{ "uri": uri, "mimeType": "text/markdown", "text": text }]);
        let ask = json!({ "uri": uri });
        for [read, one] in [
            ["resources/read", "skills/get"].map(|method| result(&legacy(&service, method, &ask))),
            ["resources/read", "skills/get"].map(|method| result(&modern(&service, method, ask.clone()))),
        ] {
            assert_eq!((&read["contents"], &one["skill"]), (&contents, skill));
        }
    }
}

#[test]
fn skill_that_is_not_there_is_an_invalid_parameter() {
    let service = demonstration();
    for params in [json!({ "uri": "skill://other/SKILL.md" }), json!({ "uri": "skill://firm-content" }), json!({})] {
        for reply in [legacy(&service, "skills/get", &params), modern(&service, "skills/get", params.clone())] {
            assert_eq!(reply.json()["error"]["code"], -32602, "{params}: {}", reply.text());
        }
    }
    let cursor = legacy(&service, "skills/list", &json!({ "cursor": "next" })).json();
    assert_eq!(cursor["error"]["code"], -32602, "{cursor}");
    // Directories are not listed, and the capability does not say so.
    let directory = legacy(&service, "resources/directory/read", &json!({ "uri": "skill://firm-content" })).json();
    assert_eq!(directory["error"]["code"], -32601, "{directory}");
}

/// The capability of each method that a client may call, and no capability without a method.
#[test]
fn methods_that_are_answered_are_advertised_and_none_else() {
    let service = demonstration();
    let capabilities = result(&modern(&service, "server/discover", json!({})))["capabilities"].clone();
    let methods = [
        ("/tools", vec!["tools/list", "tools/call"]),
        ("/resources", vec!["resources/list", "resources/read", "resources/templates/list"]),
        ("/prompts", vec!["prompts/list", "prompts/get"]),
        ("/completions", vec!["completion/complete"]),
        ("/extensions/io.modelcontextprotocol~1skills", vec!["skills/list", "skills/get"]),
        ("/resources/subscribe", vec!["resources/subscribe", "resources/unsubscribe"]),
        ("/logging", vec!["logging/setLevel"]),
        ("/tasks", vec!["tasks/list", "tasks/get"]),
        ("/extensions/io.modelcontextprotocol~1skills/directoryRead", vec!["resources/directory/read"]),
    ];
    for (capability, methods) in &methods {
        let is_advertised = capabilities.pointer(capability).is_some();
        for method in methods {
            let answer = legacy(&service, method, &json!({})).json();
            let is_answered = answer["error"]["code"] != -32601;
            assert_eq!(is_answered, is_advertised, "{method}: {answer}");
        }
    }
    let top: BTreeSet<_> = capabilities.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(top, BTreeSet::from(["tools", "resources", "prompts", "completions", "extensions"]));
    let skills = json!({ "io.modelcontextprotocol/skills": {} });
    assert_eq!(capabilities["extensions"], skills, "no provider is trusted here");
}

#[test]
fn server_information_equals_the_server_card() {
    let service = demonstration();
    let params =
        json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } });
    let shaken = result(&legacy(&service, "initialize", &params));
    let discovered = result(&modern(&service, "server/discover", json!({})));
    let card = service.get(routes::SERVER_CARD, &[]).json();
    let catalog = service.get(routes::AI_CATALOG, &[]).json();
    for (name, value) in shaken["serverInfo"].as_object().unwrap() {
        assert_eq!(card[name], *value, "{name}");
    }
    assert_eq!(discovered["_meta"][meta::SERVER_INFO]["name"], card["name"]);
    assert_eq!(card["capabilities"], shaken["capabilities"]);
    assert_eq!(
        (&discovered["capabilities"], &discovered["instructions"]),
        (&shaken["capabilities"], &shaken["instructions"])
    );
    assert_eq!(card["remotes"][0]["supportedProtocolVersions"], discovered["supportedVersions"]);
    let entry = catalog["entries"]
        .as_array()
        .unwrap()
        .iter()
        .find(|entry| entry["url"] == format!("{SITE_URL}{}", routes::SERVER_CARD));
    assert_eq!((&entry.unwrap()["displayName"], &entry.unwrap()["version"]), (&card["title"], &card["version"]));
    let instructions = shaken["instructions"].as_str().unwrap();
    let entry = service.get(routes::SERVER_JSON, &[]).json();
    for name in ["name", "version", "description", "websiteUrl", "icons"] {
        assert_eq!(entry[name], card[name], "{name}");
    }
    assert_eq!(entry["remotes"], json!([{ "type": "streamable-http", "url": format!("{SITE_URL}{}", routes::MCP) }]));
    for word in ["`search`", "`fetch`", "`locale`", "Cite the `url`", "not legal advice"] {
        assert!(instructions.contains(word), "{word}");
    }
}

#[test]
fn prompts_are_in_both_languages_and_their_values_are_real() {
    let service = demonstration();
    let prompts = result(&legacy(&service, "prompts/list", &json!({})));
    let prompts = prompts["prompts"].as_array().unwrap();
    assert_eq!(prompts.len(), 3);
    for prompt in prompts {
        let argument = prompt["arguments"][0]["name"].as_str().unwrap();
        let texts = Locale::ALL.map(|locale| {
            let params = json!({
                "ref": { "type": "ref/prompt", "name": prompt["name"] }, "argument": { "name": argument, "value": "" },
                "context": { "arguments": { "locale": locale } },
            });
            let values = result(&legacy(&service, "completion/complete", &params))["completion"]["values"].clone();
            let value = values[0].as_str().unwrap();
            let params = json!({ "name": prompt["name"], "arguments": { argument: value, "locale": locale } });
            let text = result(&legacy(&service, "prompts/get", &params))["messages"][0]["content"]["text"]
                .as_str()
                .unwrap()
                .to_owned();
            assert!(text.contains(value) && !text.contains('{'), "{text}");
            text
        });
        assert_ne!(texts[0], texts[1]);
    }
}

/// Maximum bytes of a result: 25,000 tokens of three bytes, as in Turkish.
const STRICTEST: usize = 75_000;

#[test]
fn results_fit_the_strictest_client() {
    let service = demonstration();
    let mut answers = Vec::new();
    for locale in Locale::ALL {
        for tool in TOOLS {
            let arguments = match tool.kind {
                ToolKind::Search => json!({ "query": "hukuk law", "locale": locale }),
                ToolKind::Fetch | ToolKind::Page => continue,
                ToolKind::Resource(_) | ToolKind::Network => json!({ "locale": locale }),
            };
            answers.push((tool.name, arguments));
        }
    }
    let resources = resources(&service);
    for resource in &resources {
        let about = call(&service, "get_page_markdown", &json!({ "url": resource["uri"] }));
        let characters = about["content"][0]["text"].as_str().unwrap().chars().count() as u64;
        assert!(characters <= limits::CHARACTERS && about["structuredContent"]["characters"] == characters);
        answers.push(("fetch", json!({ "id": path_of(about["structuredContent"]["url"].as_str().unwrap()) })));
    }
    for (name, arguments) in answers {
        let result = call(&service, name, &arguments);
        let length = result.to_string().len();
        assert!(length < STRICTEST, "{name} {arguments}: {length} bytes, text and structure");
        let text = result["content"][0]["text"].as_str().unwrap().len();
        assert!(text * 2 < STRICTEST, "{name} {arguments}: {text} bytes of text");
    }
}

#[test]
fn cursor_of_another_build_is_refused() {
    let one = demonstration();
    let content = tempfile::TempDir::new().unwrap();
    copy_folder(&content_of("content"), content.path());
    let settings = content.path().join("site.toml");
    let text = fs::read_to_string(&settings).unwrap();
    fs::write(&settings, text.replacen("short_name = \"", "short_name = \"New ", 1)).unwrap();
    let other = build(content.path()).serve();
    let cursor = result(&legacy(&one, "resources/list", &json!({})))["nextCursor"].clone();
    assert!(cursor.is_string());
    let params = json!({ "cursor": cursor });
    assert!(!result(&legacy(&one, "resources/list", &params))["resources"].as_array().unwrap().is_empty());
    for reply in [legacy(&other, "resources/list", &params), modern(&other, "resources/list", params.clone())] {
        assert_eq!((reply.status, &reply.json()["error"]["code"]), (200, &json!(-32602)), "{}", reply.text());
    }
}

#[test]
fn endpoint_is_listed_in_the_catalogs() {
    let service = demonstration();
    let metadata = service.get(routes::PROTECTED_RESOURCE_MCP, &[]).json();
    assert_eq!(metadata["resource"], format!("{SITE_URL}{}", routes::MCP));
    let reply = request(service.address(), "POST", routes::MCP, &["Authorization: Bearer wrong"], b"nonsense");
    assert_eq!((reply.status, reply.error().as_str()), (401, "invalid_api_key"));
    let challenge = reply.header("www-authenticate").unwrap();
    assert!(challenge.contains(&format!("resource_metadata=\"{SITE_URL}{}\"", routes::PROTECTED_RESOURCE_MCP)));
}
