//! Statutes and other texts with articles and clauses, and what keeps an article known to its readers.

use std::{fs, path::Path};

use contract::{Locale, routes};
use tempfile::TempDir;
use tests::{BuiltFirm, build, build_for, content_of, copy_folder};

const ARTICLE: &str = "publications/electronic-notification/tr.md";
const PAGE: &str = "tr/yayinlar/elektronik-tebligat";

/// Returns the firm of the tests, with `edit` applied to one of its files.
fn edited(file: &str, edit: impl Fn(&str) -> String) -> TempDir {
    let folder = TempDir::new().unwrap();
    copy_folder(&content_of("firm"), folder.path());
    change(folder.path(), file, edit);
    folder
}

fn change(content: &Path, file: &str, edit: impl Fn(&str) -> String) {
    let path = content.join(file);
    let text = fs::read_to_string(&path).unwrap();
    let changed = edit(&text);
    assert_ne!(changed, text, "{file}");
    fs::write(path, changed).unwrap();
}

/// Returns a build of the firm with `text` below an article.
fn with_text(text: &str) -> BuiltFirm {
    build(edited(ARTICLE, |article| format!("{article}\n{text}")).path())
}

fn read(firm: &BuiltFirm, file: &str) -> String {
    String::from_utf8(firm.read(file)).unwrap()
}

#[test]
fn statute_has_the_same_lines_on_the_page_and_in_its_twin() {
    let firm = with_text("## Madde 2\n\n(2) Hâller:\na) bir,\nb) iki ve:\n1) alt bent,\n2) alt bent.\n");
    let page = read(&firm, &format!("{PAGE}.html"));
    assert!(
        page.contains("<span class=\"clause clause-2\" id=\"madde.2.2.b.2\"><span class=\"clause-mark\">2)</span> alt bent.</span>"),
        "{page}"
    );
    let twin = read(&firm, &format!("{PAGE}.md"));
    assert!(twin.contains("b) iki ve:\\\n1\\) alt bent,\\\n2\\) alt bent."), "{twin}");
}

#[test]
fn nested_lists_count_as_the_settings_of_the_site_say() {
    let text = "1. Dilekçe\n   1. asıl\n   2. örnek\n";
    let content = edited(ARTICLE, |article| format!("{article}\n{text}"));
    assert!(read(&build(content.path()), &format!("{PAGE}.md")).contains("   - b) örnek"));
    change(content.path(), "site.toml", |settings| format!("{settings}\n[numbering]\nnested = \"decimal\"\n"));
    let decimal = build(content.path());
    assert!(read(&decimal, &format!("{PAGE}.md")).contains("   - 1.2. örnek"));
    assert!(read(&decimal, &format!("{PAGE}.html")).contains("<span class=\"clause-mark\">1.2.</span> örnek"));
}

#[test]
fn contents_of_a_statute_reach_its_articles_folded_by_part() {
    let part = |number: u32| {
        let articles = [3 * number - 2, 3 * number - 1, 3 * number];
        let articles = articles.map(|article| format!("### Madde {article} – Konu\n\n(1) Hüküm.\n\n"));
        format!("## Kısım {number}\n\n{}", articles.concat())
    };
    let long = read(&with_text(&(1..=5).map(part).collect::<String>()), &format!("{PAGE}.html"));
    let contents = long.split("<nav class=\"contents\"").nth(1).unwrap().split("</nav>").next().unwrap();
    assert_eq!(contents.matches("<details>").count(), 1 + 5, "{contents}");
    assert!(contents.contains("<a href=\"#madde-15-konu\">"), "{contents}");
    let short = read(&with_text(&part(1)), &format!("{PAGE}.html"));
    let contents = short.split("<nav class=\"contents\"").nth(1).unwrap().split("</nav>").next().unwrap();
    assert_eq!(contents.matches("<details>").count(), 1, "{contents}");
    assert!(contents.contains("<a href=\"#madde-3-konu\">"), "{contents}");
}

#[test]
fn identifiers_of_feed_entries_outlive_the_address_of_the_site() {
    let path = format!("tr{}", routes::ATOM);
    let ids = |firm: &BuiltFirm| {
        let atom = read(firm, &path);
        let ids = atom.split("<id>").filter(|id| id.starts_with("urn:uuid:")).map(|id| id[..45].to_owned());
        ids.collect::<Vec<_>>()
    };
    let before = ids(&build_for(&content_of("firm"), "https://ornek.example"));
    assert!(!before.is_empty());
    assert_ne!(ids(&build_for(&content_of("firm"), "https://yeni.example")), before);
    let kept = edited("site.toml", |settings| format!("feed_id = \"https://ornek.example\"\n{settings}"));
    assert_eq!(ids(&build_for(kept.path(), "https://yeni.example")), before);
}

#[test]
fn entry_of_a_feed_has_one_alternate() {
    for locale in Locale::ALL {
        let atom = read(&build(&content_of("firm")), &format!("{locale}{}", routes::ATOM));
        for entry in atom.split("<entry>").skip(1) {
            assert_eq!(entry.matches("rel=\"alternate\"").count(), 1, "{entry}");
        }
    }
}

#[test]
fn crawlers_that_take_the_first_rule_stay_out_of_registration() {
    let robots = read(&build(&content_of("firm")), "robots.txt");
    for group in robots.split("User-agent: ").filter(|group| group.contains("Allow: /\n")) {
        assert!(group.find("Disallow: /agent/\n") < group.find("\nAllow: /\n"), "{robots}");
    }
}

#[test]
fn overview_for_models_has_no_brackets_in_the_words_of_links() {
    let content = edited(ARTICLE, |article| article.replacen("title: ", "title: \"[Karar] Tebligat\"\n#", 1));
    let overview = read(&build(content.path()), "tr/llms.txt");
    assert!(overview.contains("- [(Karar) Tebligat]("), "{overview}");
    let sections = overview.lines().filter_map(|line| line.strip_prefix("## "));
    assert!(sections.clone().count() > 3 && sections.into_iter().all(|name| !name.contains(' ')), "{overview}");
}
