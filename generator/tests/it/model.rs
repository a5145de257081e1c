//! The model of the firm of the tests: order, addresses, inheritance, schedule, links.

#![expect(clippy::similar_names, reason = "the names are those of people")]

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use contract::{Locale, mcp::NetworkRelation};
use findings::Findings;
use markdown::Targets as _;
use render::{Renderer, Theme};
use site::{ArticleEntry, Document, LinkForm, Links, Loaded, Loading, Site, load};

fn firm() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/fixtures/firm/content")
}

fn load_at(content: &Path, now: &str, drafts: bool) -> Result<Loaded, Findings> {
    load(&Loading { content, site_url: None, now: now.parse().unwrap(), drafts })
}

fn site() -> Site {
    load_at(&firm(), "2026-11-21T09:00:00+03:00", false).unwrap().site
}

/// Returns a copy of the firm with `lines` added to the front matter of a file.
fn with(file: &str, lines: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    crate::folder::copy(&firm(), folder.path());
    let path = folder.path().join(file);
    let text = fs::read_to_string(&path).unwrap().replacen("---\n", &format!("---\n{lines}\n"), 1);
    fs::write(path, text).unwrap();
    folder
}

fn append(folder: &tempfile::TempDir, file: &str, paragraph: &str) {
    let path = folder.path().join(file);
    let text = fs::read_to_string(&path).unwrap();
    fs::write(path, format!("{text}\n{paragraph}\n")).unwrap();
}

/// Writes the English text of a new article.
fn write_article(folder: &tempfile::TempDir, key: &str, lines: &str, text: &str) {
    let article = folder.path().join("publications").join(key);
    fs::create_dir(&article).unwrap();
    fs::write(article.join("en.md"), format!("---\ntitle: One\nslug: new-{key}\n{lines}\n---\n\n{text}\n")).unwrap();
}

/// Returns the findings on a folder.
fn findings_text(folder: &tempfile::TempDir) -> String {
    match load_at(folder.path(), "2026-11-21T09:00:00+03:00", false) {
        Ok(loaded) => loaded.warnings.to_text(Locale::En, false),
        Err(findings) => findings.to_text(Locale::En, false),
    }
}

fn publication<'a>(site: &'a Site, locale: Locale, key: &str) -> Option<&'a Document> {
    let publications = &site.content[locale].publications;
    publications.iter().map(|publication| &publication.document).find(|document| document.key == key)
}

fn article<'a>(site: &'a Site, locale: Locale, key: &str) -> &'a ArticleEntry {
    site.content[locale].publications.iter().find(|article| article.document.key == key).unwrap()
}

#[test]
fn lists_are_in_the_order_of_the_site() {
    let site = site();
    let keys = |locale| -> Vec<String> {
        let content = &site.content[locale];
        let areas = content.practice_areas.iter().map(|it| it.document.key.clone());
        let team = content.team.iter().map(|it| it.document.key.clone());
        let publications = content.publications.iter().map(|it| it.document.key.clone());
        let network = content.network.iter().map(|it| it.key.clone());
        areas.chain(team).chain(publications).chain(network).collect()
    };
    let people = ["employment", "tax", "ayse-yilmaz", "mehmet-demir", "zeynep-cinar"];
    let network = ["keller-brandt", "lindqvist-oberg"];
    let english = ["remote-work", "tax-settlement", "founders-agreements"];
    let turkish = ["remote-work", "electronic-notification", "tax-settlement"];
    assert_eq!(keys(Locale::En), [people.as_slice(), &english, &network].concat());
    assert_eq!(keys(Locale::Tr), [people.as_slice(), &turkish, &network].concat());
}

#[test]
fn entries_of_equal_order_or_date_are_sorted_by_name_as_each_language_does() {
    let folder = with("site.toml", "");
    // In Turkish, ç is a letter of its own after c; in English it is a c.
    for (file, field, value) in [
        ("practice-areas/employment/en.md", "name", "Çağla"),
        ("practice-areas/employment/tr.md", "name", "Çağla"),
        ("practice-areas/tax/en.md", "name", "Cem"),
        ("practice-areas/tax/tr.md", "name", "Cem"),
        ("practice-areas/tax/en.md", "order", "1"),
        ("team/ayse-yilmaz/en.md", "name", "Çağla"),
        ("team/mehmet-demir/tr.md", "name", "Cem"),
        ("team/mehmet-demir/tr.md", "order", "1"),
        ("publications/remote-work/en.md", "title", "Çağla"),
        ("publications/remote-work/tr.md", "title", "Çağla"),
        ("publications/tax-settlement/en.md", "title", "Cem"),
        ("publications/tax-settlement/tr.md", "title", "Cem"),
        ("publications/tax-settlement/en.md", "date", "2026-03-14"),
    ] {
        let path = folder.path().join(file);
        let text = fs::read_to_string(&path).unwrap();
        let line = text.lines().find(|line| line.starts_with(&format!("{field}: "))).unwrap();
        fs::write(&path, text.replacen(line, &format!("{field}: {value}"), 1)).unwrap();
    }
    let site = load_at(folder.path(), "2026-11-21T09:00:00+03:00", false).unwrap().site;
    for (locale, expected) in [(Locale::En, ["Çağla", "Cem"]), (Locale::Tr, ["Cem", "Çağla"])] {
        let content = &site.content[locale];
        let two = |documents: Vec<&Document>| -> Vec<String> {
            documents.into_iter().map(|document| document.title.clone()).take(2).collect()
        };
        assert_eq!(two(content.practice_areas.iter().map(|it| &it.document).collect()), expected, "areas in {locale}");
        assert_eq!(two(content.team.iter().map(|it| &it.document).collect()), expected, "team in {locale}");
        let dated = content.publications.iter().map(|it| &it.document).filter(|it| it.title.starts_with(['C', 'Ç']));
        assert_eq!(two(dated.collect()), expected, "publications in {locale}");
    }
}

#[test]
fn people_without_an_order_are_listed_by_name_after_those_who_have_one() {
    let folder = with("site.toml", "");
    for (file, name, order) in [
        // Both languages take the position from either file.
        ("practice-areas/employment/en.md", "Çağla", None),
        ("practice-areas/employment/tr.md", "Çağla", None),
        ("practice-areas/tax/en.md", "Cem", None),
        ("practice-areas/tax/tr.md", "Cem", None),
        ("team/ayse-yilmaz/en.md", "Çağla", None),
        ("team/mehmet-demir/tr.md", "Cem", None),
        ("team/zeynep-cinar/en.md", "Zeynep", Some(-1)),
    ] {
        let path = folder.path().join(file);
        let text = fs::read_to_string(&path).unwrap();
        let lines = text.lines().filter_map(|line| match line.split_once(": ") {
            Some(("name", _)) => Some(format!("name: {name}\n")),
            Some(("order", _)) => order.map(|order| format!("order: {order}\n")),
            _ => Some(format!("{line}\n")),
        });
        fs::write(&path, lines.collect::<String>()).unwrap();
    }
    let site = load_at(folder.path(), "2026-11-21T09:00:00+03:00", false).unwrap().site;
    for (locale, expected) in [(Locale::En, ["Çağla", "Cem"]), (Locale::Tr, ["Cem", "Çağla"])] {
        let content = &site.content[locale];
        let areas: Vec<_> = content.practice_areas.iter().map(|it| it.document.title.as_str()).collect();
        let team: Vec<_> = content.team.iter().map(|it| it.document.title.as_str()).collect();
        assert_eq!(areas, expected, "areas in {locale}");
        assert_eq!(team, ["Zeynep", expected[0], expected[1]], "team in {locale}");
    }
}

#[test]
fn translation_inherits_shared_fields() {
    let site = site();
    let member = site.content.tr.team_member("ayse-yilmaz").unwrap();
    assert_eq!(member.document.title, "Ayşe Yılmaz");
    assert_eq!(member.title, "Yönetici ortak");
    assert_eq!(member.email.as_ref().unwrap().as_str(), "ayse@ornek.example");
    assert_eq!(member.languages, ["tr", "en", "de"]);
    let portraits = Locale::ALL.map(|locale| site.content[locale].team[0].portrait.clone().unwrap());
    assert_eq!(portraits[0].path, portraits[1].path);
    assert_ne!(portraits[0].alt, portraits[1].alt);
    let firm = &site.content.tr.network[0];
    assert_eq!((firm.country_name.as_str(), firm.relation), ("Almanya", NetworkRelation::Correspondent));
    assert_eq!(site.content.tr.contact.hours, site.content.en.contact.hours);
}

#[test]
fn addresses_consist_of_the_slugs_of_their_language() {
    let site = site();
    let article = publication(&site, Locale::Tr, "remote-work").unwrap();
    assert_eq!(article.path, "/tr/yayinlar/uzaktan-calisma-sozlesmesi");
    assert_eq!(article.translation.as_deref(), Some("/en/publications/remote-work-agreements"));
    let english = publication(&site, Locale::En, "remote-work").unwrap();
    assert_eq!(english.aliases, ["/en/publications/remote-work"]);
    // Only one of the two files has `aliases`.
    let renamed =
        Locale::ALL.map(|locale| site.content[locale].team_member("zeynep-cinar").unwrap().document.aliases.clone());
    assert_eq!(renamed, [["/en/team/z-cinar"], ["/tr/ekip/z-cinar"]]);
    assert_eq!(publication(&site, Locale::En, "founders-agreements").unwrap().translation, None);
    assert!(site.settings.firm.logo.starts_with("/assets/logo.") && site.settings.firm.logo.ends_with(".svg"));
}

#[test]
fn renamed_section_redirects_all_of_its_entries() {
    let folder = with("pages/publications/en.md", "aliases: [articles]");
    let site = load_at(folder.path(), "2026-11-21T09:00:00+03:00", false).unwrap().site;
    let article = publication(&site, Locale::En, "remote-work").unwrap();
    let former = ["/en/articles/remote-work", "/en/articles/remote-work-agreements", "/en/publications/remote-work"];
    assert_eq!(article.aliases, former);
}

/// Returns the redirects of `site` with their targets.
fn redirects(site: &Site) -> BTreeMap<String, String> {
    let theme = Theme::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../templates")).unwrap();
    let renderer = Renderer::new(site, &theme);
    let redirects = renderer.plan().unwrap().redirects();
    redirects.into_iter().map(|redirect| (redirect.from, redirect.to)).collect()
}

#[test]
fn rename_keeps_every_former_address() {
    let folder = with("pages/publications/en.md", "aliases: [articles]");
    let site = load_at(folder.path(), "2026-11-21T09:00:00+03:00", false).unwrap().site;
    let redirects = redirects(&site);
    let turkish = "/tr/yayinlar/uzaktan-calisma-sozlesmesi";
    for (from, to) in [
        ("/en/articles/2026", "/en/publications/2026"),
        ("/en/articles/tax", "/en/publications/tax"),
        ("/tr/articles/2026", "/tr/yayinlar/2026"),
        ("/tr/articles/tax", "/tr/yayinlar/vergi"),
        ("/tr/publications/remote-work", turkish),
        ("/tr/yayinlar/remote-work", turkish),
        ("/tr/articles/remote-work", turkish),
        ("/tr/articles/remote-work-agreements", turkish),
        ("/tr/articles/uzaktan-calisma-sozlesmesi", turkish),
        ("/en/yayinlar/remote-work", "/en/publications/remote-work-agreements"),
        ("/en/articles/uzaktan-calisma-sozlesmesi", "/en/publications/remote-work-agreements"),
        // The section's slug of the other language also leads to an article without a translation.
        ("/en/yayinlar/founders-agreements", "/en/publications/founders-agreements"),
        ("/tr/articles/elektronik-tebligat", "/tr/yayinlar/elektronik-tebligat"),
    ] {
        assert_eq!(redirects.get(from).map(String::as_str), Some(to), "{from}");
        assert_eq!(redirects.get(&format!("{from}.md")), Some(&format!("{to}.md")), "{from}.md");
    }
    assert!(redirects.values().all(|to| !redirects.contains_key(to)), "no redirect leads to another");

    let link = "[former](/en/articles/2026)";
    append(&folder, "publications/founders-agreements/en.md", link);
    assert!(
        findings_text(&folder)
            .contains("warning[W0302]: `/en/articles/2026` is a former address, or mixes the languages")
    );
    assert!(findings_text(&folder).contains("write `/en/publications/2026`"));
}

#[test]
fn present_slugs_take_precedence_over_former_ones() {
    // A former slug of a Turkish article is the slug of an English one without a translation.
    let folder = with("pages/home/en.md", "");
    let path = folder.path().join("publications/remote-work/tr.md");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(path, text.replace("aliases: [", "aliases: [founders-agreements, ")).unwrap();
    let redirects = redirects(&load_at(folder.path(), "2026-11-21T09:00:00+03:00", false).unwrap().site);
    for (from, to) in [
        ("/en/publications/founders-agreements", None),
        ("/en/yayinlar/founders-agreements", Some("/en/publications/founders-agreements")),
        ("/tr/yayinlar/founders-agreements", Some("/tr/yayinlar/uzaktan-calisma-sozlesmesi")),
    ] {
        assert_eq!(redirects.get(from).map(String::as_str), to, "{from}");
    }
}

#[test]
fn contested_former_address_leads_to_the_same_article_whatever_the_dates() {
    // The English slug of one article is the Turkish slug of another.
    for dates in [["2026-01-01", "2026-02-01"], ["2026-02-01", "2026-01-01"]] {
        let folder = with("pages/home/en.md", "");
        let [a, b] = dates;
        for (file, date, slug) in [("a/en", a, "duty"), ("a/tr", a, "harc"), ("b/en", b, "vat"), ("b/tr", b, "duty")] {
            let file = folder.path().join(format!("publications/{file}.md"));
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, format!("---\ntitle: T\nslug: {slug}\ndate: {date}\n---\n\nText.\n")).unwrap();
        }
        let claimed = ["/tr/publications/duty", "/en/yayinlar/duty"];
        append(&folder, "publications/a/tr.md", &claimed.map(|path| format!("[x]({path})")).join(" "));
        let redirects = redirects(&load_at(folder.path(), "2026-11-21T09:00:00+03:00", false).unwrap().site);
        let report = findings_text(&folder);
        for (from, to) in claimed.into_iter().zip(["/tr/yayinlar/duty", "/en/publications/duty"]) {
            assert_eq!(redirects.get(from).map(String::as_str), Some(to), "{dates:?}");
            assert!(report.contains(&format!("write `{to}`")), "{dates:?}: {report}");
        }
    }
}

#[test]
fn archives_are_never_redirected() {
    // The section has the same slug in both languages, and a Turkish slug equals the English address of a category.
    let folder = with("pages/publications/tr.md", "");
    let rewrite = |file: &str, old: &str, new: &str| {
        let path = folder.path().join(file);
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(old), "{file} has no {old}");
        fs::write(path, text.replace(old, new)).unwrap();
    };
    rewrite("pages/publications/tr.md", "slug: yayinlar", "slug: publications");
    rewrite("publications/remote-work/tr.md", "slug: uzaktan-calisma-sozlesmesi", "slug: employment");
    rewrite("publications/remote-work/en.md", "/tr/yayinlar/", "/tr/publications/");
    let site = load_at(folder.path(), "2026-11-21T09:00:00+03:00", false).unwrap().site;
    let redirects = redirects(&site);
    assert!(!redirects.contains_key("/en/publications/employment"));
    assert!(redirects.contains_key("/tr/publications/remote-work-agreements"));
}

#[test]
fn publication_is_marked_unreviewed_from_its_review_day() {
    let folder = with(
        "publications/remote-work/tr.md",
        "changes:\n  - date: 2026-03-20\n    text: Bir.\n  - date: 2026-10-01\n    text: İki.",
    );
    let unreviewed = |now: &str| {
        let site = load_at(folder.path(), now, false).unwrap().site;
        let is = |key: &str| article(&site, Locale::En, key).is_unreviewed;
        (is("remote-work"), is("founders-agreements"), site.next_change.map(|moment| moment.to_string()))
    };
    let end_of_contact = Some("2027-07-01T00:00:00Z".to_owned());
    assert_eq!(unreviewed("2027-03-01T00:00:00Z"), (false, false, end_of_contact), "the mark is off by default");
    let settings = folder.path().join("site.toml");
    let text = fs::read_to_string(&settings).unwrap();
    fs::write(&settings, format!("review_after = 5\n{text}")).unwrap();
    // The review of 1 October 2026 is valid for five months; the other text was never reviewed.
    let next = Some("2027-03-01T00:00:00Z".to_owned());
    assert_eq!(unreviewed("2027-02-28T23:59:59Z"), (false, true, next));
    assert!(unreviewed("2027-03-01T00:00:00Z").0);
    let site = load_at(folder.path(), "2026-11-21T09:00:00+03:00", false).unwrap().site;
    let changes = |locale| -> Vec<String> {
        let changes = article(&site, locale, "remote-work").changes.iter();
        changes.map(|change| format!("{} {}", change.date, change.text)).collect()
    };
    assert_eq!(changes(Locale::Tr), ["2026-10-01 İki.", "2026-03-20 Bir."], "the newest first");
    assert!(changes(Locale::En).is_empty(), "each language has its own changes");
}

#[test]
fn scheduled_publication_comes_and_goes() {
    let lines = "publish: 2026-12-01T09:00:00+03:00\nexpires: 2026-12-31T00:00:00+03:00";
    let folder = with("publications/electronic-notification/tr.md", lines);
    // The English text would link to an unpublished page.
    let article = folder.path().join("publications/remote-work/en.md");
    let text = fs::read_to_string(&article).unwrap();
    fs::write(&article, text.replace("[the notice in Turkish](/tr/yayinlar/elektronik-tebligat)", "the notice"))
        .unwrap();
    for (now, is_there, next) in [
        ("2026-12-01T08:59:59+03:00", false, Some("2026-12-01T06:00:00Z")),
        ("2026-12-01T09:00:00+03:00", true, Some("2026-12-30T21:00:00Z")),
        ("2026-12-30T20:59:59Z", true, Some("2026-12-30T21:00:00Z")),
        // Afterwards only the expiry of the security contact is scheduled.
        ("2026-12-30T21:00:00Z", false, Some("2027-07-01T00:00:00Z")),
        ("2027-07-01T00:00:00Z", false, None),
    ] {
        let site = load_at(folder.path(), now, false).unwrap().site;
        assert_eq!(publication(&site, Locale::Tr, "electronic-notification").is_some(), is_there, "{now}");
        assert_eq!(site.next_change.map(|moment| moment.to_string()).as_deref(), next, "{now}");
    }
    let site = load_at(folder.path(), "2026-11-21T09:00:00+03:00", true).unwrap().site;
    assert!(publication(&site, Locale::Tr, "electronic-notification").is_some());
    let next = site.next_change.map(|moment| moment.to_string());
    assert_eq!(next.as_deref(), Some("2027-07-01T00:00:00Z"), "with drafts, no article comes or goes");
}

#[test]
fn file_that_delays_its_translation_is_a_finding() {
    let (later, past) = ("2026-12-01T09:00:00+03:00", "2026-11-01T09:00:00+03:00");
    let [publish, later, past] = [format!("publish: {later}"), format!("expires: {later}"), format!("expires: {past}")];
    for (english, turkish, message) in [
        ("", "draft: true", Some(("draft", "tr", "en"))),
        ("draft: true", "", Some(("draft", "en", "tr"))),
        ("", &publish, Some(("publish", "tr", "en"))),
        ("", &past, Some(("expires", "tr", "en"))),
        ("draft: true", "draft: true", None),
        (&past, &past, None),
        // A draft delays the translation whatever else its file contains.
        ("draft: true", &format!("draft: true\n{publish}"), None),
        ("", "draft: false", None),
        ("", &later, None),
        ("", "date: 2026-01-20", None),
    ] {
        let folder = with("publications/tax-settlement/en.md", "");
        write_article(&folder, "newa", english, "Text.");
        let file = folder.path().join("publications/newa/tr.md");
        fs::write(&file, format!("---\ntitle: Bir\nslug: new-newa\n{turkish}\n---\n\nMetin.\n")).unwrap();
        for drafts in [false, true] {
            let report = load_at(folder.path(), "2026-11-21T09:00:00+03:00", drafts)
                .unwrap()
                .warnings
                .to_text(Locale::En, false);
            let expected = message.map(|(field, here, there)| {
                format!(
                    "warning[W0108]: `{field}` in this file also holds back `publications/newa/{there}.md`\n \
                     --> content/publications/newa/{here}.md:4:"
                )
            });
            let report = report.replace(folder.path().to_str().unwrap(), "content");
            assert!(report.contains(expected.as_deref().unwrap_or("no findings")), "{english}, {turkish}:\n{report}");
        }
        fs::remove_file(file).unwrap();
        assert!(findings_text(&folder).contains("no findings"), "a single text holds back only itself");
    }
}

#[test]
fn draft_is_omitted_in_both_languages_and_not_linked() {
    let folder = with("publications/tax-settlement/en.md", "draft: true");
    let site = load_at(folder.path(), "2026-11-21T09:00:00+03:00", false).unwrap().site;
    assert!(Locale::ALL.into_iter().all(|locale| publication(&site, locale, "tax-settlement").is_none()));
}

#[test]
fn rendered_text_is_the_checked_text() {
    let folder = with("publications/tax-settlement/en.md", "draft: false");
    let site = load_at(folder.path(), "2026-11-21T09:00:00+03:00", false).unwrap().site;
    let origin = &publication(&site, Locale::En, "tax-settlement").unwrap().origin;
    assert_eq!(site.body(origin).unwrap(), "\nThe taxpayer may ask for settlement.\n");
    let path = folder.path().join(&origin.file);
    fs::write(&path, fs::read_to_string(&path).unwrap() + "More.\n").unwrap();
    assert!(site.body(origin).unwrap_err()[Locale::En].contains("changed during the build"));
    fs::remove_file(path).unwrap();
    assert!(site.body(origin).unwrap_err()[Locale::En].contains("cannot be read"));
}

#[test]
fn links_lead_to_the_page_of_the_same_language() {
    let site = site();
    let links = Links::new(&site);
    let article = publication(&site, Locale::Tr, "remote-work").unwrap();
    let targets = links.targets(article, LinkForm::RootRelative);
    assert_eq!(targets.resolve("@/pages/contact").as_deref(), Some("/tr/iletisim"));
    assert_eq!(targets.resolve("@/team/mehmet-demir#x").as_deref(), Some("/tr/ekip/mehmet-demir#x"));
    assert_eq!(targets.resolve("/en/about").as_deref(), Some("/en/about"));
    assert!(targets.resolve("timeline.svg").unwrap().starts_with("/assets/timeline."));
    for unchanged in ["#sureler", "https://a.example/x", "mailto:a@b.example", "@/team/nobody", "nothing.svg"] {
        assert_eq!(targets.resolve(unchanged), None, "{unchanged}");
    }
    let size = targets.size("timeline.svg").unwrap();
    assert_eq!((size.width, size.height), (600, 120));

    let absolute = links.targets(article, LinkForm::Absolute);
    let own = "https://ornek.example/tr/yayinlar/uzaktan-calisma-sozlesmesi#sureler";
    assert_eq!(absolute.resolve("#sureler").as_deref(), Some(own));
    assert_eq!(absolute.resolve("/").as_deref(), Some("https://ornek.example/"));
}

#[test]
fn link_that_a_later_build_refuses_is_a_warning() {
    let [first, second] = ["2026-12-01T09:00:00+03:00", "2026-12-02T09:00:00+03:00"];
    let early = format!("publish: {first}");
    let waits = "and this text appears at 2026-12-01T06:00:00Z";
    for (own, others, message) in [
        (early.as_str(), "draft: true".to_owned(), format!("`newb` is a draft, {waits}")),
        (&early, format!("publish: {second}"), format!("`newb` is kept back until 2026-12-02T06:00:00Z, {waits}")),
        (&early, format!("expires: {first}"), format!("`newb` expires at 2026-12-01T06:00:00Z, {waits}")),
        (&early, format!("expires: {second}"), "`newb` expires at 2026-12-02T06:00:00Z\n".to_owned()),
        (&early, early.clone(), String::new()),
        ("", format!("expires: {first}"), "`newb` expires at 2026-12-01T06:00:00Z\n".to_owned()),
        // Both expire together.
        (&format!("expires: {first}"), format!("expires: {first}"), String::new()),
    ] {
        let folder = with("publications/tax-settlement/en.md", "");
        write_article(&folder, "newb", &others, "Text.");
        write_article(&folder, "newa", own, "[b](@/publications/newb)");
        let report = findings_text(&folder);
        assert_eq!(
            report.contains(&format!("warning[W0304]: {message}")),
            !message.is_empty(),
            "{own}, {others}:\n{report}"
        );
        assert_eq!(report.contains("no findings"), message.is_empty(), "{own}, {others}:\n{report}");
        // The same with a link by address.
        append(&folder, "publications/newa/en.md", "[b](/en/publications/new-newb)");
        let report = findings_text(&folder);
        assert!(
            report.contains(if message.is_empty() { "no findings" } else { "2 warnings" }),
            "{own}, {others}:\n{report}"
        );
    }
}

#[test]
fn check_of_drafts_finds_links_to_expired_articles() {
    let past = "expires: 2026-11-01T09:00:00+03:00";
    for (own, others, message) in [
        ("draft: true", past, "`newb` expired at 2026-11-01T06:00:00Z\n"),
        ("draft: true", "expires: 2026-12-01T09:00:00+03:00", "`newb` expires at 2026-12-01T06:00:00Z\n"),
        ("draft: true", "draft: true", ""),
        ("draft: true", "publish: 2026-12-01T09:00:00+03:00", ""),
        // Both have expired.
        (past, past, ""),
        ("expires: 2026-11-02T09:00:00+03:00", past, ""),
    ] {
        let folder = with("publications/tax-settlement/en.md", "");
        write_article(&folder, "newb", others, "Text.");
        write_article(&folder, "newa", own, "[b](@/publications/newb)");
        let report =
            load_at(folder.path(), "2026-11-21T09:00:00+03:00", true).unwrap().warnings.to_text(Locale::En, false);
        assert_eq!(
            report.contains(&format!("warning[W0304]: {message}")),
            !message.is_empty(),
            "{own}, {others}:\n{report}"
        );
        assert_eq!(report.contains("no findings"), message.is_empty(), "{own}, {others}:\n{report}");
    }
}

#[test]
fn link_to_an_archive_is_judged_by_the_times_of_its_articles() {
    let [first, second] = ["2026-12-01T09:00:00+03:00", "2026-12-02T09:00:00+03:00"];
    let of_2020 = |line: &str, moment: &str| format!("date: 2020-05-04\n{line}: {moment}");
    let [early, later] = [first, second].map(|moment| of_2020("publish", moment));
    let [gone, gone_later] = [first, second].map(|moment| of_2020("expires", moment));
    let draft = of_2020("draft", "true");
    let past = of_2020("expires", "2026-11-01T09:00:00+03:00");
    let archive = "`/en/publications/2020`";
    let ends = format!("warning[W0304]: {archive} lists no article from 2026-12-01T06:00:00Z on\n");
    let waits = format!("warning[W0304]: {archive} lists no article at 2026-12-01T06:00:00Z, when this text appears\n");
    let nothing = format!("error[E0306]: nothing answers at {archive}\n");
    for (own, one, other, message) in [
        ("", "date: 2020-05-04", &*gone, ""),
        ("", &gone, "", &*ends),
        (
            "",
            &gone,
            &gone_later,
            "warning[W0304]: `/en/publications/2020` lists no article from 2026-12-02T06:00:00Z on\n",
        ),
        // One appears when the other expires, and a day later.
        ("", &gone, &early, ""),
        ("", &gone, &later, &ends),
        ("", &past, "", &nothing),
        ("", &early, "", &nothing),
        ("", &draft, "", &nothing),
        (&format!("publish: {first}"), &later, "", &waits),
        (&format!("publish: {first}"), &gone, "", &waits),
        (&format!("publish: {first}"), &early, "", ""),
        (&format!("expires: {first}"), &gone, "", ""),
        // The archive contains only the linking article.
        ("date: 2020-05-04", "", "", ""),
        (&early, "", "", ""),
        (&gone, "", "", ""),
        (&draft, "", "", ""),
        (&past, "", "", ""),
    ] {
        let folder = with("publications/tax-settlement/en.md", "");
        write_article(&folder, "newa", own, "[b](/en/publications/2020), [c](/en/publications/2020.md)");
        for (key, lines) in [("newb", one), ("newc", other)].into_iter().filter(|(_, lines)| !lines.is_empty()) {
            write_article(&folder, key, lines, "Text.");
        }
        let report = findings_text(&folder);
        assert!(
            report.contains(if message.is_empty() { "no findings" } else { message }),
            "{own}, {one}, {other}:\n{report}"
        );
        let count = report.matches("= an archive exists only while it lists a published article").count();
        assert_eq!(count, if message.is_empty() { 0 } else { 2 }, "{own}, {one}, {other}:\n{report}");
        // The same with a trailing slash.
        append(&folder, "publications/newa/en.md", "[b](/en/publications/2020/)");
        let (report, kind) = (findings_text(&folder), message.split(':').next().unwrap());
        let finding = if message.is_empty() { "warning[W0302]" } else { kind };
        let count = if message.is_empty() { 1 } else { 3 };
        assert_eq!(report.matches(finding).count(), count, "{own}, {one}, {other}:\n{report}");
    }
    let folder = with("publications/tax-settlement/en.md", "");
    write_article(&folder, "newa", "draft: true", "[b](/en/publications/2020)");
    write_article(&folder, "newb", &past, "Text.");
    let report = load_at(folder.path(), "2026-11-21T09:00:00+03:00", true).unwrap().warnings.to_text(Locale::En, false);
    assert!(report.contains(&format!("warning[W0304]: every article in {archive} has expired")), "{report}");
}

#[test]
fn address_of_a_scheduled_article_is_named_and_not_suggested() {
    let folder = with("publications/founders-agreements/en.md", "publish: 2026-12-01T09:00:00+03:00");
    let path = "/en/publications/";
    let text = fs::read_to_string(folder.path().join("publications/founders-agreements/en.md")).unwrap();
    let slug = text.lines().find_map(|line| line.strip_prefix("slug: ")).unwrap();
    append(
        &folder,
        "publications/tax-settlement/en.md",
        &format!("[a]({path}{slug}), [b]({path}{slug}.md), [c]({path}{slug}x)"),
    );
    let report = findings_text(&folder);
    assert_eq!(report.matches("error[E0305]: `founders-agreements` is kept back until").count(), 2, "{report}");
    assert!(report.contains(&format!("error[E0306]: nothing answers at `{path}{slug}x`")), "{report}");
    assert!(!report.contains(&format!("did you mean `{path}{slug}`")), "{report}");
}

#[test]
fn absolute_link_to_the_site_is_checked_like_others() {
    for (link, message) in [
        ("[u](https://ornek.example/en/nothing)", "error[E0306]: nothing answers at `/en/nothing`"),
        ("<https://ornek.example/en/nothing>", "error[E0306]: nothing answers at `/en/nothing`"),
        ("[u](https://ornek.example/en/about#nothing)", "error[E0303]: no heading `#nothing`"),
        ("[u](https://ornek.example/en/about)", "write `/en/about`\n"),
        ("[u](https://ornek.example?a)", "write `/?a`\n"),
        // An autolink must be a whole address.
        ("<https://ornek.example/en/about>", "no findings"),
        ("[u](https://ornek.example.org/en/nothing)", "no findings"),
    ] {
        let folder = with("site.toml", "");
        append(&folder, "publications/founders-agreements/en.md", link);
        let report = findings_text(&folder);
        assert!(report.contains(message), "{link}:\n{report}");
        // The same if the site is built for another address.
        let now = "2026-11-21T09:00:00+03:00".parse().unwrap();
        let staging = Some("https://staging.example");
        let found = load(&Loading { content: folder.path(), site_url: staging, now, drafts: false });
        assert_eq!(found.is_err(), message.starts_with("error"), "{link}");
    }
}

#[test]
fn folder_that_cannot_be_a_key_is_not_suggested() {
    let folder = with("site.toml", "");
    let team = folder.path().join("team");
    fs::rename(team.join("mehmet-demir"), team.join("Mehmet-Demir")).unwrap();
    append(&folder, "publications/founders-agreements/en.md", "[m](@/team/mehmet-demir)");
    let report = findings_text(&folder);
    assert!(report.contains("error[E0603]: folder name `Mehmet-Demir`"), "{report}");
    assert!(!report.contains("did you mean"), "{report}");
    let causes = report.matches("the folder is called `Mehmet-Demir`: rename it to `mehmet-demir`").count();
    let links = report.matches("error[E0301]").count() + report.matches("is not in the team").count();
    assert!(causes == links && links > 1, "{report}");
}

#[test]
fn site_url_can_be_overridden() {
    let now = "2026-11-21T09:00:00+03:00".parse().unwrap();
    let content = firm();
    let with_url = |site_url| load(&Loading { content: &content, site_url: Some(site_url), now, drafts: false });
    assert_eq!(with_url("http://127.0.0.1:8080").unwrap().site.url(), "http://127.0.0.1:8080");
    assert!(with_url("http://127.0.0.1:8080/").unwrap_err().to_text(Locale::En, false).contains("E0503"));
}
