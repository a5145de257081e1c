//! Pages, menus, authors and offices as a firm chooses them.

use std::fs;

use crate::content::Content;
use contract::Locale;

fn write(content: &Content, file: &str, text: &str) {
    let path = content.0.path().join(file);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// Adds a page in Turkish.
fn with_turkish_page(content: Content) -> Content {
    let description = "Kariyer: yalnızca testler için uydurulmuş Örnek Hukuk bürosunun bir sayfası.";
    let text = format!(
        "---\ntitle: Kariyer\nslug: kariyer\nupdated: 2026-10-05\ndescription: \"{description}\"\n---\n\nMetin.\n"
    );
    write(&content, "pages/careers/tr.md", &text);
    content
}

/// Adds lines to `site.toml`.
fn with_settings(content: Content, lines: &str) -> Content {
    let settings = fs::read_to_string(content.0.path().join("site.toml")).unwrap();
    write(&content, "site.toml", &format!("{settings}\n{lines}\n"));
    content
}

fn findings_text(content: &Content) -> String {
    match content.load() {
        Ok(loaded) => loaded.warnings.to_text(Locale::En, false),
        Err(findings) => findings.to_text(Locale::En, false),
    }
}

#[test]
fn page_of_the_firm_may_exist_in_one_language() {
    let content = with_turkish_page(Content::firm());
    let site = content.load().map_err(|findings| findings.to_text(Locale::En, false)).unwrap().site;
    assert!(site.content.en.pages.with_key("careers").is_none());
    assert_eq!(site.content.tr.pages.with_key("careers").unwrap().document.path, "/tr/kariyer");
    let files = content.render();
    assert!(files["tr/kariyer.html"].contains("Metin."));
    assert!(!files.contains_key("en/kariyer.html"));
    assert!(!files["tr.html"].contains("/tr/kariyer"), "the menus name what they always do");
}

#[test]
fn unlinked_page_is_a_finding() {
    let content = with_turkish_page(Content::firm());
    let report = findings_text(&content);
    assert!(
        report.contains("warning[W0606]: no menu names page `careers`") && report.contains("1 warning in"),
        "{report}"
    );
    assert!(report.contains("add a table for each of these too: practice-areas, team, publications"), "{report}");
    let text = fs::read_to_string(content.0.path().join("pages/about/tr.md")).unwrap();
    for link in ["@/pages/careers#a", "/tr/kariyer", "https://ornek.example/tr/kariyer"] {
        write(&content, "pages/about/tr.md", &format!("{text}\n[Kariyer]({link})\n"));
        assert!(!findings_text(&content).contains("W0606"), "{link}: {}", findings_text(&content));
    }
    // A text or a menu of the other language does not link to it.
    write(&content, "pages/about/tr.md", &text);
    let content = with_settings(content, "[[footer]]\npage = \"careers\"\nlanguages = [\"en\"]");
    assert!(findings_text(&content).contains("W0606"), "{}", findings_text(&content));
}

#[test]
fn offices_listed_in_one_language_only_are_a_finding() {
    let offices = |country: &str| {
        format!("offices: [{{ key: izmir, name: Izmir, street: Deneme Sokak No. 1, city: Konak, country: {country} }}]")
    };
    for (file, other, country, is_reported) in
        [("en.md", "tr.md", "TR", true), ("tr.md", "en.md", "TR", false), ("tr.md", "en.md", "DE", true)]
    {
        let content = Content::firm();
        for (name, line) in [(file, offices(country)), (other, String::new())] {
            let path = format!("contact/{name}");
            let text = fs::read_to_string(content.0.path().join(&path)).unwrap();
            let lines = text.lines().map(|it| if it.starts_with("address:") { line.as_str() } else { it });
            write(&content, &path, &(lines.collect::<Vec<_>>().join("\n") + "\n"));
        }
        let report = findings_text(&content);
        assert_eq!(report.contains("warning[W0109]"), is_reported, "{file} {country}: {report}");
        assert!(!is_reported || report.contains("write in the other text `offices: [{ key: izmir }]`"), "{report}");
        let path = format!("contact/{other}");
        let text = fs::read_to_string(content.0.path().join(&path)).unwrap();
        write(&content, &path, &text.replacen("---\n", "---\noffices: [{ key: izmir }]\n", 1));
        assert!(findings_text(&content).starts_with("no findings"), "{}", findings_text(&content));
    }
}

#[test]
fn menu_without_a_page_in_one_language_is_a_finding_unless_intended() {
    let content = with_settings(with_turkish_page(Content::firm()), "[[navigation]]\npage = \"careers\"");
    let report = findings_text(&content);
    assert!(report.contains("warning[W0503]: page `careers` has no English version"), "{report}");
    assert!(report.contains("`languages = [\"tr\"]`"), "{report}");
    let files = content.render();
    assert!(files["tr.html"].contains("href=\"/tr/kariyer\""));
    assert!(!files["en.html"].contains("main-nav"), "an empty menu is none");
    let content = with_settings(content, "languages = [\"tr\"]");
    assert!(findings_text(&content).starts_with("no findings"), "{}", findings_text(&content));
}

#[test]
fn menus_are_limited() {
    let entries = (0..31)
        .map(|at| format!("[[footer]]\nurl = \"https://a.example/{at}\"\nlabel = {{ en = \"A\", tr = \"A\" }}\n"))
        .collect::<Vec<_>>()
        .concat();
    let report = findings_text(&with_settings(Content::firm(), &entries));
    assert!(report.contains("error[E0512]: `footer` has 31 entries; the limit is 30"), "{report}");
}

#[test]
fn firm_without_publications_has_no_link_to_them() {
    let content = Content::firm()
        .with("practice-areas/employment/en.md", "[remote work](@/publications/remote-work#deadlines)", "remote work")
        .with(
            "practice-areas/employment/tr.md",
            "[uzaktan çalışma](@/publications/remote-work#sureler)",
            "uzaktan çalışma",
        );
    let pages = ["about", "developers", "privacy-notice", "legal-notice", "accessibility", "publications"];
    let gone = pages.map(|page| format!("pages/{page}"));
    for gone in gone.iter().map(String::as_str).chain(["publications"]) {
        fs::remove_dir_all(content.0.path().join(gone)).unwrap();
    }
    let report = findings_text(&content);
    assert!(report.starts_with("warning[T0901]") && report.contains("\n1 warning in "), "{report}");
    let files = content.render();
    assert!(!files.contains_key("en/atom.xml"), "feeds are of publications");
    for (file, text) in &files {
        for absent in
            ["atom.xml", "feed.json", "/en/publications", "/tr/yayinlar", "/en/developers", "/en/legal-notice"]
        {
            assert!(!text.contains(absent), "{file} names {absent}");
        }
    }
    assert!(files["en.html"].contains("href=\"/en/team\""));
}

#[test]
fn section_of_publications_may_be_in_one_language() {
    let content = Content::firm()
        .with("practice-areas/employment/en.md", "[remote work](@/publications/remote-work#deadlines)", "remote work")
        .with("publications/electronic-notification/tr.md", "---\n\n", "authors: [mehmet-demir]\n---\n\n");
    for article in ["remote-work", "tax-settlement"] {
        fs::remove_file(content.0.path().join(format!("publications/{article}/en.md"))).unwrap();
    }
    fs::remove_dir_all(content.0.path().join("publications/founders-agreements")).unwrap();
    fs::remove_file(content.0.path().join("pages/publications/en.md")).unwrap();
    for (file, line) in
        [("pages/publications/tr.md", "updated: 2026-09-01"), ("publications/remote-work/tr.md", "date: 2026-03-14")]
    {
        let path = content.0.path().join(file);
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, text.replacen("---\n", &format!("---\n{line}\n"), 1)).unwrap();
    }
    assert!(findings_text(&content).starts_with("no findings"), "{}", findings_text(&content));
    let files = content.render();
    assert!(files.contains_key("tr/atom.xml") && !files.contains_key("en/atom.xml"));
    let article = &files["tr/yayinlar/uzaktan-calisma-sozlesmesi.html"];
    assert!(article.contains("<a href=\"/en\" lang=\"en\" hreflang=\"en\">"), "{article}");
    let english = files.iter().filter(|(file, _)| file.starts_with("en"));
    for (file, text) in english {
        assert!(!text.contains("/en/publications") && !text.contains("/en/atom.xml"), "{file}");
    }
    assert!(files["api/v1/publications.en.json"].contains("\"count\":0"));
}

#[test]
fn author_precedes_the_list_of_authors_once() {
    let file = "publications/remote-work/en.md";
    let lines = "author: ayse-yilmaz\nauthors: [mehmet-demir, ayse-yilmaz]";
    let content = Content::firm().with(file, "author: ayse-yilmaz", lines);
    let site = content.load().map_err(|findings| findings.to_text(Locale::En, false)).unwrap().site;
    for locale in Locale::ALL {
        let publications = &site.content[locale].publications;
        let article = publications.iter().find(|article| article.document.key == "remote-work").unwrap();
        assert_eq!(article.authors, ["ayse-yilmaz", "mehmet-demir"], "{locale}");
    }
}

#[test]
fn main_office_has_the_contact_of_the_firm() {
    let lines = "offices:\n  - key: izmir\n    name: İzmir\n    street: Deneme Sokak No. 1\n    city: Konak / İzmir\n    \
                 country: TR\n    email: info@ornek.example\n    telephone: \"+902325550100\"";
    let content = Content::firm()
        .with("contact/en.md", "address: Deneme Sokak No. 1, 35000 Konak / İzmir, Türkiye", lines)
        .with("contact/en.md", "email: info@ornek.example\ntelephone: \"+902325550100\"\n", "")
        .with("contact/tr.md", "address: Deneme Sokak No. 1, 35000 Konak / İzmir\n", "");
    let site = content.load().map_err(|findings| findings.to_text(Locale::En, false)).unwrap().site;
    for locale in Locale::ALL {
        let contact = &site.content[locale].contact;
        assert_eq!(contact.address, "Deneme Sokak No. 1, Konak / İzmir, Türkiye");
        assert_eq!((contact.email.as_str(), contact.telephone.as_str()), ("info@ornek.example", "+902325550100"));
    }
    // A single office has no list on the page.
    assert!(!content.render()["en/contact.html"].contains("_office-izmir"));
}

#[test]
fn offices_are_limited() {
    let offices = (0..51)
        .map(|at| format!("  - {{ key: o{at}, name: A, street: B, city: C, country: TR }}\n"))
        .collect::<Vec<_>>()
        .concat();
    let content = Content::firm()
        .with(
            "contact/en.md",
            "address: Deneme Sokak No. 1, 35000 Konak / İzmir, Türkiye\n",
            &format!("offices:\n{offices}"),
        )
        .with("contact/tr.md", "address: Deneme Sokak No. 1, 35000 Konak / İzmir\n", "");
    assert!(findings_text(&content).contains("there are 51 offices; the limit is 50"), "{}", findings_text(&content));
}
