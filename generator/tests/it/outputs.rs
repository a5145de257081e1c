//! The outputs of a build agree: days, lists and offers.

use contract::Locale;
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
};

use crate::content::Content;
use jiff::{
    Timestamp,
    tz::{self, TimeZone},
};
use pulldown_cmark::{Event, Options, Parser, Tag};

impl Content {
    /// Adds another file.
    fn and(self, file: &str, text: &str) -> Self {
        let path = self.0.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        self
    }
}

/// Returns the targets of links and footnotes in order, and the names of the definitions.
fn references(text: &str) -> (Vec<String>, Vec<String>) {
    let mut events = Parser::new_ext(text, Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES);
    let (mut references, mut names) = (Vec::new(), Vec::new());
    for event in events.by_ref() {
        match event {
            Event::Start(Tag::Link { dest_url, .. }) => references.push(dest_url.to_string()),
            Event::FootnoteReference(name) => references.push(name.to_string()),
            Event::Start(Tag::FootnoteDefinition(name)) => names.push(format!("^{name}")),
            _ => {}
        }
    }
    names.extend(events.reference_definitions().iter().map(|(name, _)| name.to_owned()));
    references.extend(names.iter().cloned());
    (references, names)
}

#[test]
fn references_in_the_full_text_are_unique() {
    let text =
        |words: &str| format!("---\ntitle: A text\nslug: {words}\n---\n\nA [{words}][b], a note[^1] and [b].\n\n");
    let code = "```\n[^1]: code\n```\n";
    let files = Content::firm()
        .and("publications/one/en.md", &(text("one") + "[b]: https://one.example/\n[^1]: One.\n\n" + code))
        .and("publications/two/en.md", &(text("two") + "[b]: https://two.example/\n[^1]: Two.\n"))
        .with("publications/remote-work/en.md", "In writing;", "In writing [b] and [1];")
        .render();
    let full = &files["en/llms-full.txt"];
    assert!(full.contains("-1]: One.") && full.contains("-1]: Two.") && full.contains(code.trim_end()), "{full}");
    let (found, names) = references(full);
    assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len(), "{names:?}");
    assert!(names.len() >= 5, "{names:?}");
    let mut apart: Vec<_> = full.split("\n---\n").flat_map(|document| references(document).0).collect();
    let mut found = found;
    apart.sort();
    found.sort();
    assert_eq!(found, apart);
    assert!(files["en/publications/one.md"].contains("A [one][b], a note[^1] and [b].\n\n[b]: https://one.example/"));
}

#[test]
fn references_in_a_firm_text_belong_to_this_firm() {
    let files = Content::firm()
        .with("network/keller-brandt/en.md", "Matters", "[Matters][b]")
        .with("network/keller-brandt/en.md", "law.\n", "law.\n\n[b]: https://keller.example/\n")
        .with("network/lindqvist-oberg/en.md", "Matters", "[Matters][b]")
        .with("network/lindqvist-oberg/en.md", "law.\n", "law.\n\n[b]: https://lindqvist.example/\n")
        .render();
    for path in ["en/global-network.md", "en/llms-full.txt"] {
        let (found, _) = references(&files[path]);
        let leads = |url: &str| found.iter().filter(|there| *there == url).count();
        assert_eq!(["https://keller.example/", "https://lindqvist.example/"].map(leads), [1, 1], "{path}");
    }
}

#[test]
fn references_of_firms_with_a_common_prefix_differ() {
    let firm = |name: &str, text: &str| {
        let fields = format!("name: {name}\ncountry: DE\ncity: Hamburg\nrelation: member");
        format!("---\n{fields}\n---\n\n{text}\n")
    };
    let (one, other) = ("https://one.example/", "https://other.example/");
    let mut content = Content::firm();
    for locale in ["en", "tr"] {
        let text = firm("Brandt", &format!("See [the roll][hollstein-roll].\n\n[hollstein-roll]: {one}"));
        content = content.and(&format!("network/brandt/{locale}.md"), &text);
        let text = firm("Brandt Hollstein", &format!("See [the roll][roll].\n\n[roll]: {other}"));
        content = content.and(&format!("network/brandt-hollstein/{locale}.md"), &text);
    }
    let files = content.render();
    for path in ["en/global-network.md", "en/llms-full.txt"] {
        let (found, _) = references(&files[path]);
        let leads = |url: &str| found.iter().filter(|there| *there == url).count();
        assert_eq!([one, other].map(leads), [1, 1], "{path}");
    }
}

#[test]
fn text_that_begins_like_a_list_is_not_part_of_the_facts() {
    let article = |text: &str| {
        let fields = "title: On lists\nslug: on-lists\ndate: 2026-03-14";
        let files = Content::firm().and("publications/on-lists/en.md", &format!("---\n{fields}\n---\n\n{text}\n"));
        files.render()["en/publications/on-lists.md"].clone()
    };
    for (text, separator) in
        [("- one\n- two", "\n\n***"), ("    code", "\n\n***"), ("1. one\n2. two", ""), ("One.", "")]
    {
        let twin = article(text);
        assert!(twin.contains(&format!(": 14 March 2026{separator}\n\n{text}\n\n## ")), "{twin}");
    }
    let files = Content::firm().with("network/keller-brandt/en.md", "Matters", "- Matters").render();
    assert!(files["en/global-network.md"].contains("\n\n***\n\n- Matters under"));
}

#[test]
fn link_to_the_registration_skill_is_omitted_without_registration() {
    let link = "See [how](/.well-known/agent-skills/agent-registration/SKILL.md).\n";
    let article = format!("---\ntitle: On agents\nslug: on-agents\n---\n\n{link}");
    let linking = || Content::firm().and("publications/on-agents/en.md", &article);
    assert!(linking().render().contains_key("en/publications/on-agents.html"));
    let types = "identity_types = [\"anonymous\", \"identity_assertion\"]";
    let findings =
        linking().with("site.toml", types, "identity_types = []").load().unwrap_err().to_text(Locale::En, false);
    assert!(findings.contains("agent-registration"), "{findings}");
}

#[test]
fn subject_of_one_language_has_no_link_to_the_other() {
    let files = Content::firm().with("publications/tax-settlement/en.md", "category: tax\n", "").render();
    assert!(files.contains_key("tr/yayinlar/vergi.html") && !files.contains_key("en/publications/tax.html"));
    assert!(files["en/publications.html"].contains("hreflang=\"tr\">Elektronik tebligat</a>"));
    for (path, text) in &files {
        assert!(!text.contains("/en/publications/tax"), "{path} leads to a list that is not there");
    }
}

/// Returns the day of a page in each output: sitemap, twin, list of MCP resources and, if it is there, full text and
/// structured data.
fn days(files: &BTreeMap<String, String>, path: &str) -> Vec<String> {
    let url = format!("https://ornek.example/{path}");
    let day = |text: &str, start: &str, end: char| -> Option<String> {
        text.split_once(start).map(|(_, rest)| rest.split(end).next().unwrap().to_owned())
    };
    let place = files["sitemap.xml"].split("<url>").find(|place| place.contains(&format!("<loc>{url}</loc>"))).unwrap();
    let twin = &files[&if path.is_empty() { "index.md".to_owned() } else { format!("{path}.md") }];
    let catalogue: serde_json::Value = serde_json::from_str(&files[".parts/mcp"]).unwrap();
    let resource =
        catalogue["pages"].as_array().unwrap().iter().find(|page| page["path"] == format!("/{path}")).unwrap();
    let named_days = [
        day(place, "<lastmod>", '<'),
        day(twin.split("\n---\n").next().unwrap(), "\nlast_updated: ", '\n'),
        resource["updated"].as_str().map(str::to_owned),
        day(&resource["resource"].to_string(), "\"lastModified\":\"", 'T'),
    ];
    let none = || "none".to_owned();
    let mut days: Vec<_> = named_days.into_iter().map(|day| day.unwrap_or_else(none)).collect();
    let locale = if path.is_empty() { "en" } else { &path[..2] };
    let full = &files[&format!("{locale}/llms-full.txt")];
    if let Some(part) = full.split("\n---\n").find(|part| part.contains(&format!("\n<{url}>\n"))) {
        days.push(day(part, "\nlast_updated: ", '\n').unwrap_or_else(none));
    }
    let html = &files[&if path.is_empty() { "index.html".to_owned() } else { format!("{path}.html") }];
    // Articles state the moment, at the time of day of the site.
    days.extend(day(html, "\"dateModified\":\"", '"').map(|moment| moment[..10].to_owned()));
    days
}

#[test]
fn every_output_has_the_day_of_the_last_change() {
    // All pages are of September 2026; the newest article is of March, reviewed in October.
    let older = Content::firm().render();
    let newer = Content::firm().with("publications/remote-work/en.md", "date: 2026-03-14", "date: 2026-09-20").render();
    for (files, path, day, outputs) in [
        (&older, "en/publications", "2026-09-01", 6),
        (&newer, "en/publications", "2026-09-20", 6),
        (&newer, "tr/yayinlar", "2026-09-20", 6),
        (&newer, "en", "2026-09-20", 5),
        (&newer, "en/about", "2026-09-01", 6),
        (&newer, "en/publications/remote-work-agreements", "2026-10-01", 6),
        (&newer, "en/publications/settlement-before-assessment", "2025-11-02", 6),
        (&newer, "en/publications/founders-agreements", "none", 5),
        (&newer, "", "none", 4),
    ] {
        assert_eq!(days(files, path), vec![day; outputs], "{path}");
    }
}

#[test]
fn day_is_the_same_in_every_time_zone() {
    let files = Content::firm().render();
    let feed: serde_json::Value = serde_json::from_str(&files["en/feed.json"]).unwrap();
    let catalogue: serde_json::Value = serde_json::from_str(&files[".parts/mcp"]).unwrap();
    let path = "/en/publications/remote-work-agreements";
    let item = feed["items"].as_array().unwrap().iter().find(|item| item["url"].as_str().unwrap().ends_with(path));
    let page = catalogue["pages"].as_array().unwrap().iter().find(|page| page["path"] == path).unwrap();
    let resource = &page["resource"]["annotations"]["lastModified"];
    let item = item.unwrap();
    assert_eq!(item["date_modified"], *resource);
    for (moment, day) in [(&item["date_published"], "2026-03-14"), (resource, "2026-10-01")] {
        let moment = moment.as_str().unwrap();
        assert!(files["en/atom.xml"].contains(&format!(">{moment}<")), "{moment}");
        for hours in [-9, 0, 3, 13] {
            let there = TimeZone::fixed(tz::offset(hours));
            let here: Timestamp = moment.parse().unwrap();
            assert_eq!(here.to_zoned(there).date().to_string(), day, "{hours}");
        }
    }
}

#[test]
fn area_lists_the_newest_articles_of_all_its_subjects() {
    let files = Content::firm()
        .with("site.toml", "practice_area = \"tax\"", "practice_area = \"employment\"")
        .with("publications/tax-settlement/en.md", "date: 2025-11-02", "date: 2026-11-02")
        .render();
    for page in ["en/practice-areas/employment-law.html", "en/practice-areas/employment-law.md"] {
        // The text of the area links to one of them before the list, hence the last occurrence.
        let of_november = files[page].rfind("/en/publications/settlement-before-assessment").unwrap();
        let of_march = files[page].rfind("/en/publications/remote-work-agreements").unwrap();
        assert!(of_november < of_march, "{page} has the articles of one subject behind those of the other");
    }
}

#[test]
fn archive_links_to_every_article() {
    let mut content = Content::firm();
    for (month, days) in [("01", 31), ("02", 28)] {
        for day in 1..=days {
            let head = format!("title: No {day}/{month}\nslug: no-{day}-{month}\ndate: 2026-{month}-{day:02}");
            let text = format!("---\n{head}\n---\n\nText.\n");
            content = content.and(&format!("publications/no-{day}-{month}/en.md"), &text);
        }
    }
    let files = content.render();
    for form in ["html", "md"] {
        let page = &files[&format!("en/publications.{form}")];
        assert!(!page.contains("/en/publications/no-1-01"), "the page lists not all that have an archive");
        assert!(
            page.contains("/en/publications/founders-agreements"),
            "what has neither day nor subject is listed here"
        );
    }
    let mut led_to = BTreeSet::new();
    for (_, page) in files.iter().filter(|(file, _)| file.starts_with("en/") && file.ends_with(".html")) {
        led_to.extend(page.split("href=\"").skip(1).map(|rest| rest.split('"').next().unwrap()));
    }
    for file in files.keys().filter_map(|file| file.strip_suffix(".html")?.strip_prefix("en/publications/")) {
        assert!(led_to.contains(format!("/en/publications/{file}").as_str()), "no page leads to {file}");
    }
}

#[test]
fn sitemap_names_the_languages_of_a_page_as_the_page_does() {
    let files = Content::firm().render();
    let links = |text: &str, start: &str| -> Vec<(String, String)> {
        let links = text.split(start).skip(1);
        links
            .map(|rest| {
                rest.split('>')
                    .next()
                    .unwrap()
                    .trim_end_matches('/')
                    .trim_matches('"')
                    .split_once("\" href=\"")
                    .unwrap()
            })
            .map(|(language, url)| (language.to_owned(), url.to_owned()))
            .collect()
    };
    let places: Vec<&str> = files["sitemap.xml"].split("<url><loc>").skip(1).collect();
    for place in &places {
        let path = place.split("</loc>").next().unwrap().strip_prefix("https://ornek.example/").unwrap();
        let page = &files[&format!("{}.html", if path.is_empty() { "index" } else { path })];
        let in_page = links(page, "<link rel=\"alternate\" hreflang=\"");
        assert_eq!(links(place, "<xhtml:link rel=\"alternate\" hreflang=\""), in_page, "{path}");
        assert!(in_page.iter().any(|(language, _)| language == "x-default"), "{path}");
    }
    let alone = "en/publications/founders-agreements";
    let place = places.iter().find(|place| place.starts_with(&format!("https://ornek.example/{alone}<"))).unwrap();
    assert_eq!(
        place.matches(&format!("href=\"https://ornek.example/{alone}\"")).count(),
        2,
        "en and x-default: {place}"
    );
}
