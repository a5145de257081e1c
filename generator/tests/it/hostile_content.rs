//! Content of an attacker is refused quickly, with little memory, and by name.

use contract::Locale;
use std::{
    fs::{self, File},
    path::Path,
};

use findings::Findings;
use site::{Loading, load};
use tempfile::TempDir;

const ARTICLE: &str = "publications/tax-settlement/en.md";

/// Returns a copy of the valid firm.
fn firm() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    crate::folder::copy(
        Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/fixtures/firm/content")),
        folder.path(),
    );
    folder
}

fn findings(content: &Path) -> Findings {
    let now = "2026-11-20T12:00:00Z".parse().unwrap();
    load(&Loading { content, site_url: None, now, drafts: false }).err().unwrap_or_default()
}

fn text_of(content: &Path, body: &str) {
    let place = content.join(ARTICLE);
    let whole = fs::read_to_string(&place).unwrap();
    let end = whole.find("\n---\n").unwrap() + 5;
    fs::write(place, format!("{}\n{body}", &whole[..end])).unwrap();
}

#[test]
fn huge_text_is_refused_without_being_read() {
    let firm = firm();
    for name in [ARTICLE, "site.toml"] {
        File::options().write(true).open(firm.path().join(name)).unwrap().set_len(64 << 30).unwrap();
    }
    let report = findings(firm.path()).to_text(Locale::En, false);
    assert_eq!(report.matches("error[E0609]: text is larger than 1 MiB").count(), 2, "{report}");
}

#[cfg(unix)]
#[test]
fn pipes_and_devices_are_reported_and_not_opened() {
    let firm = firm();
    fs::remove_file(firm.path().join(ARTICLE)).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(firm.path().join(ARTICLE)).unwrap();
    let report = findings(firm.path()).to_text(Locale::En, false);
    assert!(report.contains("error[E0611]: this is not an ordinary file"), "{report}");
}

#[test]
fn thousands_of_links_and_headings_are_compared_in_one_pass() {
    // Comparing each pair would take fifty million comparisons.
    let firm = firm();
    let links: Vec<_> = (0..5_000).map(|number| format!("[a](#nowhere-{number})")).collect();
    let headings: Vec<_> = (0..10_000).map(|number| format!("## Part {number}\n")).collect();
    text_of(firm.path(), &format!("{}\n\n{}", links.join(" "), headings.join("\n")));
    assert_eq!(findings(firm.path()).errors(), 5_000);
}

#[test]
fn nested_pictures_do_not_multiply_their_text() {
    let firm = firm();
    text_of(firm.path(), &format!("{}words{}\n", "![".repeat(5_000), "](nothing.svg)".repeat(5_000)));
    assert!(findings(firm.path()).errors() > 0);
}

#[test]
fn repeated_mistake_fills_less_than_a_screen() {
    let firm = firm();
    for (body, code, count) in [
        ("<b>".repeat(300_000), "error[E0312]", 300_000),
        ("a\u{200b}".repeat(200_000), "error[E0319]", 200_000),
        ("![](x.png) ".repeat(90_000), "error[E0308]", 90_000),
    ] {
        text_of(firm.path(), &body);
        let found = findings(firm.path());
        let report = found.to_text(Locale::En, false);
        assert!(
            report.lines().count() < 30 && report.matches(code).count() == 1,
            "{} bytes: {report:.400}",
            report.len()
        );
        assert!(found.errors() >= count && report.contains(" more, in 1 file:"), "{}", &found.summary()[Locale::En]);
    }
}

#[test]
fn foreign_markup_is_found_in_one_pass() {
    // Comparing each pair would take billions of comparisons.
    let firm = firm();
    for (piece, least) in [
        ("[[a]] [b](https://a.example) `{c=d}` ", 6_000),
        ("(5) a\n", 0),
        ("a) b\n\n(2) c\n(3) d\n\n", 0),
        ("## A {#a}\n\n[a](#a)\n\n", 6_000),
        ("x^2^ {{< a >}} {.b} H~2~O ", 18_000),
    ] {
        text_of(firm.path(), &format!("[an error](#nowhere)\n\n{}", piece.repeat(6_000)));
        let found = findings(firm.path());
        let all = found.errors() + found.warnings();
        assert!(all >= least && found.items().len() < 200, "{piece}: {all} in {}", found.items().len());
    }
}
