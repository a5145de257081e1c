//! Pages, twins, feeds and overviews of the firm of the tests, each after one change.

use contract::Locale;
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
};

use crate::content::{self, Content};

/// Returns the identifiers of the entries of a locale's feeds, newest first.
fn entries(pages: &BTreeMap<String, String>, locale: &str) -> Vec<String> {
    let atom = pages[&format!("{locale}/atom.xml")].split("<entry>\n<id>").skip(1);
    let atom: Vec<_> = atom.map(|entry| entry.split_once("</id>").unwrap().0.to_owned()).collect();
    let feed: serde_json::Value = serde_json::from_str(&pages[&format!("{locale}/feed.json")]).unwrap();
    let items = feed["items"].as_array().unwrap().iter();
    assert_eq!(items.map(|item| item["id"].as_str().unwrap()).collect::<Vec<_>>(), atom);
    atom
}

/// Returns the text between the first `start` and the next `end`.
fn between<'p>(page: &'p str, start: &str, end: &str) -> &'p str {
    page.split_once(start).unwrap().1.split_once(end).unwrap().0
}

#[test]
fn untranslated_pages_are_marked_only_where_they_exist() {
    let pages = Content::firm().render();
    let remark = "<span class=\"remark\">";
    assert!(pages["en/publications/founders-agreements.html"].contains(&format!("{remark}English only")));
    assert!(pages["tr/yayinlar/elektronik-tebligat.html"].contains(&format!("{remark}yalnızca Türkçe")));
    for page in ["404.html", "tr/404.html", "en/about.html"] {
        assert!(!pages[page].contains(remark), "{page}");
    }
}

#[test]
fn entries_of_lists_are_headings() {
    let pages = Content::firm().render();
    for list in ["team", "practice-areas", "publications"] {
        let page = &pages[&format!("en/{list}.html")];
        let entries = page.matches("<li class=\"item").count();
        assert!(entries > 1 && page.matches("<h3 class=\"item-title\"").count() == entries, "{page}");
    }
}

#[test]
fn article_in_one_language_names_no_other_language() {
    let pages = Content::firm().render();
    let english = &pages["en/publications/founders-agreements.html"];
    assert!(english.contains("<dt>Language</dt><dd>English only</dd>") && !english.contains("<dt>Also in</dt>"));
    let turkish = &pages["tr/yayinlar/elektronik-tebligat.html"];
    assert!(turkish.contains("<dt>Dil</dt><dd>yalnızca Türkçe</dd>") && !turkish.contains("<dt>Diğer dil</dt>"));
    assert!(pages["en/publications/settlement-before-assessment.html"].contains("<dt>Also in</dt><dd><a "));
}

#[test]
fn brackets_in_a_title_do_not_break_links_of_twins() {
    let file = "publications/tax-settlement/tr.md";
    let pages = Content::firm().with(file, "Tarhiyat öncesi uzlaşma", "Uzlaşma [tarhiyat öncesi]").render();
    let url = "https://ornek.example/tr/yayinlar/tarhiyat-oncesi-uzlasma";
    let link = format!("- [Uzlaşma \\[tarhiyat öncesi\\]]({url})");
    for twin in
        ["tr/yayinlar/elektronik-tebligat.md", "tr/yayinlar.md", "tr/ekip/mehmet-demir.md", "tr/yayinlar/2025.md"]
    {
        assert!(pages[twin].contains(&link), "{twin}: {}", pages[twin]);
    }
}

#[test]
fn messages_begin_with_a_capital_after_the_salutation() {
    let pages = Content::firm().render();
    let texts = pages.iter().filter(|(path, _)| path.starts_with(".parts/messages/") && path.contains(".txt."));
    let leads: Vec<_> = texts.filter_map(|(path, text)| Some((path, text.split("\n\n").nth(1)?))).collect();
    assert!(leads.len() >= 8, "{leads:?}");
    for (path, lead) in leads {
        assert!(lead.starts_with(char::is_uppercase), "{path}: {lead}");
    }
}

#[test]
fn article_names_its_subject_only_if_it_differs_from_its_area() {
    let pages = Content::firm().render();
    assert!(!pages["en/publications/settlement-before-assessment.html"].contains("<dt>Subject</dt>"));
    assert!(pages["tr/yayinlar/tarhiyat-oncesi-uzlasma.html"].contains("<dt>Konu</dt>"));
    // Subject and area have the same English name and different Turkish ones.
    for (page, link) in [
        ("en/publications/settlement-before-assessment", "/en/practice-areas/tax"),
        ("tr/yayinlar/tarhiyat-oncesi-uzlasma", "/tr/calisma-alanlari/vergi-hukuku"),
    ] {
        assert!(pages[&format!("{page}.html")].contains(&format!("<dd><a href=\"{link}\">")), "{page}");
        assert!(pages[&format!("{page}.md")].contains(&format!("](https://ornek.example{link})")), "{page}");
    }
}

#[test]
fn json_link_of_a_single_page_names_the_whole_list() {
    let pages = Content::firm().render();
    for (page, words) in [
        ("en/publications/founders-agreements", "all publications as JSON"),
        ("en/publications/2026", "all publications as JSON"),
        ("en/team/ayse-yilmaz", "all people as JSON"),
        ("tr/calisma-alanlari/is-hukuku", "tüm çalışma alanları (JSON)"),
        ("en/team", "JSON"),
        ("en/contact", "JSON"),
    ] {
        let link = format!(" type=\"application/json\">{words}</a>");
        assert!(pages[&format!("{page}.html")].contains(&link), "{page}");
    }
}

#[test]
fn overview_names_every_page_that_is_neither_entry_nor_archive() {
    let pages = Content::firm().render();
    for (locale, overview) in [("en", "en/llms.txt"), ("tr", "tr/llms.txt")] {
        let below =
            |path: &&String| path.matches('/').count() <= 1 && path.ends_with(".md") && !path.ends_with("404.md");
        let twins: Vec<_> = pages.keys().filter(below).filter(|path| path.starts_with(locale)).collect();
        assert_eq!(twins.len(), 11, "{twins:?}");
        for twin in twins {
            let link = format!("](https://ornek.example/{twin})");
            assert_eq!(pages[overview].matches(&link).count(), 1, "{overview}: {twin}");
        }
    }
    // The overview contains only the newest publications, so no twin calls it a list of all pages.
    assert!(
        pages["en/about.md"].contains("[Overview of this site for software agents](https://ornek.example/en/llms.txt)")
    );
    assert!(pages["tr/hakkimizda.md"].contains("[Yazılım aracıları için bu sitenin özeti]("));
}

#[test]
fn entry_of_the_feeds_keeps_its_name_when_its_slug_is_renamed() {
    let file = "publications/tax-settlement/en.md";
    let new = "slug: settlement-before-tax\naliases: [settlement-before-assessment]";
    let [before, after] = [Content::firm(), Content::firm().with(file, "slug: settlement-before-assessment", new)]
        .map(|content| content.render());
    assert!(after["en/atom.xml"].contains("href=\"https://ornek.example/en/publications/settlement-before-tax\""));
    assert_eq!(entries(&before, "en"), entries(&after, "en"));

    let all: Vec<_> = ["en", "tr"].into_iter().flat_map(|locale| entries(&before, locale)).collect();
    assert_eq!(all.len(), 5);
    assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), 5, "{all:?}");
    for id in all {
        let uuid = id.strip_prefix("urn:uuid:").unwrap();
        assert_eq!(uuid.split('-').map(str::len).collect::<Vec<_>>(), [8, 4, 4, 4, 12], "{uuid}");
        assert!(uuid.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f' | b'-')), "{uuid}");
        // Version 8, and the variant of RFC 9562 (4.1 and 4.2).
        assert!(uuid.as_bytes()[14] == b'8' && b"89ab".contains(&uuid.as_bytes()[19]), "{uuid}");
    }

    // The identifier contains the key of the article and the site.
    let elsewhere = Content::firm().with("site.toml", "https://ornek.example", "https://baska.example");
    let elsewhere = entries(&elsewhere.render(), "en");
    assert!(entries(&before, "en").iter().all(|id| !elsewhere.contains(id)));
}

#[test]
fn archive_is_a_list_below_the_publications() {
    let pages = Content::firm().render();
    for (archive, description) in [
        ("en/publications/2026", "One publication of Örnek Law from 2026. General information, not legal advice."),
        (
            "en/publications/tax",
            "One publication of Örnek Law on the subject “Tax”. General information, not legal advice.",
        ),
        (
            "tr/yayinlar/2025",
            "Örnek Hukuk: 2025 yılında yayımlanan bir yazı. Genel bilgi niteliğindedir, hukuki görüş değildir.",
        ),
        (
            "tr/yayinlar/2026",
            "Örnek Hukuk: 2026 yılında yayımlanan 2 yazı, en yenisi başta. Genel bilgi niteliğindedir, hukuki görüş değildir.",
        ),
        (
            "tr/yayinlar/vergi",
            "Örnek Hukuk: “Vergi” konusunda 2 yazı, en yenisi başta. Genel bilgi niteliğindedir, hukuki görüş değildir.",
        ),
    ] {
        let html = &pages[&format!("{archive}.html")];
        assert!(html.contains(&format!("<meta name=\"description\" content=\"{description}\">")), "{html}");
        assert!(pages[&format!("{archive}.md")].contains(&format!("\ndescription: \"{description}\"\n")), "{archive}");
        let json = html.split_once("ld+json\">").unwrap().1.split_once("</script>").unwrap().0;
        let graph: serde_json::Value = serde_json::from_str(json).unwrap();
        assert_eq!(graph["@graph"][0]["description"], description);
        let steps = graph["@graph"][1]["itemListElement"].as_array().unwrap();
        assert_eq!(steps.len(), 3, "{steps:?}");
        assert_eq!(steps[2]["item"], format!("https://ornek.example/{archive}"));
        assert_eq!((&steps[2]["name"], &steps[2]["position"]), (&graph["@graph"][0]["name"], &3.into()));
    }
    let other = Content::firm().with("publications/tax-settlement/en.md", "date: 2025-11-02", "date: 2026-11-02");
    let several = "2 publications of Örnek Law from 2026, newest first. General information, not legal advice.";
    assert!(other.render()["en/publications/2026.md"].contains(several));
}

#[test]
fn sitemap_dates_an_archive_by_its_newest_publication() {
    let sitemap = &Content::firm().render()["sitemap.xml"];
    for (archive, day) in [
        ("en/publications/2025", "2025-11-02"),
        ("tr/yayinlar/2026", "2026-03-14"),
        ("tr/yayinlar/vergi", "2026-01-20"),
    ] {
        let place = format!("<loc>https://ornek.example/{archive}</loc><lastmod>{day}</lastmod>");
        assert!(sitemap.contains(&place), "{place}");
    }
}

#[test]
fn telephone_number_is_dialled_in_one_piece_and_read_in_groups() {
    let pages = Content::firm().render();
    let html = &pages["en/team/ayse-yilmaz.html"];
    assert!(html.contains("href=\"tel:+902325550101\">+90&nbsp;232&nbsp;555&nbsp;01&nbsp;01</a>"), "{html}");
    assert!(pages["tr/ekip/ayse-yilmaz.md"].contains("- Telefon: +90 232 555 01 01\n"));
    let abroad = Content::firm().with("team/ayse-yilmaz/en.md", "+902325550101", "+442079460000").render();
    assert!(abroad["en/team/ayse-yilmaz.md"].contains("- Telephone: +442079460000\n"));
}

/// Returns the warnings of content without errors.
fn warnings_text(content: &Content) -> String {
    let loaded = content.load().map_err(|findings| findings.to_text(Locale::En, false)).unwrap();
    loaded.warnings.to_text(Locale::En, false)
}

#[test]
fn expired_security_txt_is_omitted_after_a_warning() {
    for (day, is_there, message) in [
        ("2026-11-20", false, "expired on 2026-11-20; security.txt is left out"),
        ("2026-11-21", true, "expires on 2026-11-21"),
        ("2026-12-21", true, "expires on 2026-12-21"),
        ("2026-12-22", true, ""),
    ] {
        let content = Content::firm().with("site.toml", "expires = 2027-06-30", &format!("expires = \"{day}\""));
        let warnings = warnings_text(&content);
        assert_eq!(warnings.contains("warning[W0502]"), !message.is_empty(), "{warnings}");
        assert!(warnings.contains(message), "{warnings}");
        assert_eq!(content.render().contains_key(".well-known/security.txt"), is_there, "{day}");
        let text = "[Report](/.well-known/security.txt) what you find.\n";
        let content = content.with("practice-areas/tax/en.md", "\n---\n", &format!("\n---\n\n{text}"));
        let warnings = warnings_text(&content);
        let leads_nowhere = warnings.contains("warning[W0304]: the security contact has expired");
        assert_eq!(
            leads_nowhere, !is_there,
            "a link leads to it only while it is there, and stops no build: {warnings}"
        );
    }
}

#[test]
fn nbsp_is_in_visible_text_only() {
    const TIE: char = '\u{a0}';
    let file = "publications/remote-work/en.md";
    let content = Content::firm()
        .with(file, "title: What", "title: \"Article 14: what")
        .with(file, "agreement says", "agreement says\"")
        .with(file, "The points", "From 1 July 2024 on, the points")
        .with(file, "is agreed in writing.", "is agreed in writing (Law No. 4857, Article\n14). Ask for `No. 4857`.")
        .with(file, "### Form of the request", "### Article 15");
    let files = content.render();
    let page = &files["en/publications/remote-work-agreements.html"];
    for text in [
        "<h1>Article~14: what",
        "class=\"standfirst\">From 1~July 2024",
        "(Law No.~4857, Article~14). Ask for <code>No. 4857</code>",
        "<h3 id=\"article-15\">Article~15</h3>",
    ] {
        assert!(page.contains(&text.replace('~', "\u{a0}")), "{text}: {page}");
    }
    for (name, text) in &files {
        // Form pages below `.parts` have no file extension.
        if !name.ends_with(".html") && !name.starts_with(".parts/forms/") {
            assert!(!text.contains(TIE), "{name}");
            continue;
        }
        let (head, body) = text.split_once("</head>").unwrap_or(("", text));
        let in_tags = body.split('<').filter_map(|piece| piece.split_once('>')).any(|(tag, _)| tag.contains(TIE));
        assert!(!head.contains(TIE) && !in_tags, "{name}");
    }
}

#[test]
fn feed_entry_without_an_excerpt_has_the_beginning_of_its_text() {
    let file = "publications/remote-work/en.md";
    let excerpt = "excerpt: The points that the regulation wants to see in writing.\n";
    let opening =
        "Remote work is agreed in writing, and what is agreed has to say more than that it is allowed & where";
    let content = Content::firm().with(file, excerpt, "");
    let files = content.with(file, "Remote work is agreed in writing.", &format!("{opening}.")).render();
    let feed: serde_json::Value = serde_json::from_str(&files["en/feed.json"]).unwrap();
    let item = feed["items"].as_array().unwrap().iter().find(|item| item["title"].as_str().unwrap().contains("remote"));
    assert!(item.unwrap()["content_text"].as_str().unwrap().starts_with(opening));
    assert!(files["en/atom.xml"].contains(&format!("<summary>{}.", opening.replace('&', "&amp;"))));

    // The first paragraph counts, even behind a heading.
    let files =
        Content::firm().with(file, excerpt, "").with(file, "Remote work is agreed", "## Form\n\nIt is agreed").render();
    assert!(files["en/atom.xml"].contains("<summary>It is agreed in writing."));
}

#[test]
fn listed_pages_differ_in_title_and_description() {
    let files = Content::firm().render();
    // Files below `.parts` replace pages and are not listed.
    let pages = files.iter().filter(|(name, _)| name.ends_with(".html") && !name.starts_with(".parts/"));
    let pages = pages.filter(|(_, text)| text.contains("<link rel=\"canonical\""));
    let (mut titles, mut descriptions) = (BTreeSet::new(), BTreeSet::new());
    for (name, page) in pages {
        assert!(titles.insert(between(page, "<title>", "</title>")), "{name}");
        assert!(descriptions.insert(between(page, "<meta name=\"description\" content=\"", "\"")), "{name}");
    }
    let start = &files["index.html"];
    let (en, tr) = (between(&files["en.html"], "<h1>", "</h1>"), between(&files["tr.html"], "<h1>", "</h1>"));
    assert_eq!(between(start, "<title>", "</title>"), format!("{en} · {tr}"));
}

#[test]
fn values_in_a_twin_read_back_unchanged() {
    let file = "publications/tax-settlement/en.md";
    let (title, excerpt) = ("Claim #", "5. madde applies.");
    let content = Content::firm().with(file, "title: Settlement before assessment", "title: 'Claim #'");
    let files = content.with(file, "Who may ask for it, and until when.", excerpt).render();
    let twin = &files["en/publications/settlement-before-assessment.md"];
    assert!(twin.contains("\n# Claim \\#\n") && twin.contains("\n\n5\\. madde applies.\n"), "{twin}");
    assert!(twin.contains("title: \"Claim #\"\n"), "{twin}");
    let lines = markdown::plain(twin).text;
    assert!(lines.lines().any(|line| line == title) && lines.lines().any(|line| line == excerpt), "{lines}");
    assert!(files["en/publications.md"].contains(": 5. madde applies.\n"));
}

#[test]
fn templates_change_case_by_the_language_of_the_page() {
    let templates = tempfile::tempdir().unwrap();
    crate::folder::copy(&content::templates(), templates.path());
    let footer = "({{ 'istanbul ılık' | upper }}, {{ 'ILIMAN İSTANBUL' | lower }}, {{ 'iş' | capitalize }}, {{ 'iş iş' | title }})";
    fs::write(templates.path().join("per_locale/footer.html"), footer).unwrap();
    let files: Vec<_> = Content::firm().outputs(templates.path()).into_iter().flat_map(|output| output.files).collect();
    for (page, words) in [
        ("tr/iletisim.html", "(İSTANBUL ILIK, ılıman istanbul, İş, İş İş)"),
        // `İ` keeps its dot in English too, as a combining mark.
        ("en/contact.html", "(ISTANBUL ILIK, iliman i\u{307}stanbul, Iş, Iş Iş)"),
    ] {
        let file = files.iter().find(|file| file.path == page).unwrap();
        let html = str::from_utf8(&file.bytes).unwrap();
        assert!(html.contains(words), "{page}: {}", html.split_once("</main>").unwrap().1);
    }
}

#[test]
fn nested_quotation_marks_are_of_the_other_kind() {
    let english = Content::firm().with(
        "publications/tax-settlement/en.md",
        "title: Settlement before assessment",
        "title: The taxpayer’s ‘last word’",
    );
    let both = english.with(
        "publications/tax-settlement/tr.md",
        "title: Tarhiyat öncesi uzlaşma",
        "title: Mükellefin “son sözü” ve ‘uzlaşma’",
    );
    let files = both.with("site.toml", "tr = \"Vergi\"", "tr = \"“Vergi”\"").render();
    for (file, cited) in [
        ("en/publications/settlement-before-assessment", "“The taxpayer’s ‘last word’”, Örnek Law"),
        ("tr/yayinlar/tarhiyat-oncesi-uzlasma", "“Mükellefin ‘son sözü’ ve ‘uzlaşma’”, Örnek Hukuk"),
    ] {
        assert!(files[&format!("{file}.html")].contains(cited), "{file}");
        assert!(files[&format!("{file}.md")].contains(cited), "{file}");
    }
    assert!(files["tr/yayinlar/vergi.md"].contains("“‘Vergi’” konusunda"));
}

#[test]
fn people_without_a_number_have_that_of_the_office() {
    let pages = Content::firm().render();
    let number = "<a class=\"nobreak\" href=\"tel:+902325550100\">";
    let alone = &pages["en/team/zeynep-cinar.html"];
    assert!(alone.contains(&format!("<dt>Office</dt><dd>{number}")) && !alone.contains(".vcf"), "{alone}");
    assert!(pages["en/team.html"].contains(&format!("Office {number}")));
    let own = &pages["en/team/ayse-yilmaz.html"];
    assert!(!own.contains("<dt>Office</dt>"), "{own}");
    assert!(own.contains("href=\"/en/team/ayse-yilmaz.vcf\"") && pages.contains_key("en/team/ayse-yilmaz.vcf"));
}

#[test]
fn both_vcards_of_a_person_have_the_contact() {
    let pages = Content::firm().render();
    let [four, three] = ["vcf", "v3.vcf"].map(|ending| {
        let card = pages[&format!("tr/ekip/ayse-yilmaz.{ending}")].replace("\r\n ", "");
        card.lines().map(str::to_owned).collect::<Vec<String>>()
    });
    for (card, lines) in [
        (
            &four,
            [
                "VERSION:4.0",
                "FN:Ayşe Yılmaz",
                "N:Yılmaz;Ayşe;;;",
                "TEL;VALUE=uri;TYPE=\"work,voice\":tel:+902325550101",
            ],
        ),
        (&three, ["VERSION:3.0", "FN:Ayşe Yılmaz", "N:Yılmaz;Ayşe;;;", "TEL;TYPE=WORK,VOICE:+902325550101"]),
    ] {
        for line in lines.into_iter().chain(["ORG:Örnek Hukuk", "URL:https://ornek.example/tr/ekip/ayse-yilmaz"]) {
            assert!(card.iter().any(|it| it == line), "{line}: {card:?}");
        }
    }
}

#[test]
fn card_of_a_person_without_a_number_has_that_of_the_office() {
    let pages = Content::firm().with("team/ayse-yilmaz/en.md", "telephone: \"+902325550101\"\n", "").render();
    for (ending, line) in [("vcf", "tel:+902325550100\r\n"), ("v3.vcf", "VOICE:+902325550100\r\n")] {
        let card = &pages[&format!("tr/ekip/ayse-yilmaz.{ending}")];
        assert!(card.contains(line), "{card}");
    }
}

#[test]
fn address_of_the_firm_is_a_postal_address() {
    let page = &Content::firm().render()["en/contact.html"];
    let graph: serde_json::Value = serde_json::from_str(between(page, "ld+json\">", "</script>")).unwrap();
    let firm = graph["@graph"].as_array().unwrap().iter().find(|node| node["@type"] == "LegalService").unwrap();
    assert_eq!(firm["address"]["@type"], "PostalAddress");
    assert!(page.contains(firm["address"]["streetAddress"].as_str().unwrap()));
}

#[test]
fn returned_form_is_marked_in_its_title() {
    let files = Content::firm().render();
    for (locale, begins) in [("en", "There is a problem: "), ("tr", "Bir sorun var: ")] {
        let title = |form: &str| {
            let end = format!("{form}.{locale}");
            let page = files.iter().find(|(path, _)| path.ends_with(&end)).unwrap().1;
            between(page, "<title>", "</title>").to_owned()
        };
        assert_eq!(title("/access-invalid"), begins.to_owned() + &title("/access"));
    }
}
