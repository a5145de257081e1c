//! Loading any content folder ends with a site or with findings, never with a panic.

use contract::Locale;
use std::{fs, path::Path};

use findings::{Findings, Place, Span};
use proptest::prelude::*;
use site::{Loading, load};

/// Texts that parsers of YAML, TOML and Markdown often fail on.
const PIECES: [&str; 68] = [
    "---\n",
    "----\n",
    "...\n",
    "\n",
    "\r\n",
    "\t",
    "  ",
    ": ",
    "- ",
    "? ",
    "[",
    "]",
    "{",
    "}",
    ",",
    "&a ",
    "*a",
    "!t ",
    "!!str ",
    "|\n",
    ">-\n",
    "\"",
    "'",
    "\\",
    "#",
    "%YAML 1.2\n",
    "title: ",
    "name: ",
    "slug: ",
    "date: ",
    "author: ",
    "category: ",
    "hours: ",
    "aliases: ",
    "portrait: ",
    "order: ",
    "publish: ",
    "2026-02-30",
    "2026-12-01T09:00:00+03:00",
    "yazı",
    "İŞÇİ",
    "s\u{327}",
    "\u{202e}",
    "\u{feff}",
    "\0",
    "😀",
    "<b>",
    "![",
    "](",
    "@/team/x#y",
    "/en/",
    "a.svg",
    "[^1]",
    "[^1]: ",
    "## ",
    "| a | b |\n|---|---|\n",
    "= \"",
    "[[category]]\n",
    "site_url",
    "key = ",
    "authors: ",
    "tags: ",
    "offices:\n  - key: ",
    "    street: ",
    "    hours: ",
    "[[navigation]]\n",
    "page = ",
    "url = \"https://a.example\"\n",
];

fn pieces() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(prop::sample::select(PIECES.as_slice()), 0..60)
        .prop_map(|pieces| pieces.concat().into_bytes())
}

fn entry() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        pieces(),
        pieces().prop_map(|text| [b"---\ntitle: A\nslug: a\n".as_slice(), &text, b"\n---\n", &text].concat()),
        prop::collection::vec(any::<u8>(), 0..300),
    ]
}

fn every_form(findings: &Findings) -> usize {
    findings.to_text(Locale::En, true).len()
        + findings.to_json_lines(Locale::En).len()
        + findings.to_annotations(Locale::En, &|_| None).len()
}

/// Returns whether the place exists: a character of its file, the end of one of its lines, or the file as a whole.
fn is_there(content: &Path, place: &Place) -> bool {
    let Span { line, column, .. } = place.span;
    if line == 0 {
        return true;
    }
    let Ok(bytes) = fs::read(content.join(&place.file)) else { return place.span == Span::START };
    // A single carriage return ends a line too.
    let text = String::from_utf8_lossy(&bytes).replace("\r\n", "\n").replace('\r', "\n");
    let letters = text.split('\n').nth(line as usize - 1).map(|line| line.chars().count());
    letters.is_some_and(|letters| (1..=letters + 1).contains(&(column as usize)))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 250, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn loading_never_panics_whatever_is_in_a_file(
        settings in entry(),
        publication in entry(),
        member in entry(),
        contact in entry(),
        kind in prop::sample::select(["pages/home", "pages/own", "practice-areas/x", "network/x", "publications/Ğ x"].as_slice()),
        other in entry(),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let files = [
            ("site.toml".to_owned(), settings),
            ("publications/x/en.md".to_owned(), publication),
            ("team/x/tr.md".to_owned(), member),
            ("contact/en.md".to_owned(), contact),
            (format!("{kind}/tr.md"), other),
        ];
        for (file, bytes) in files {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, bytes).unwrap();
        }
        let now = "2026-11-21T09:00:00+03:00".parse().unwrap();
        let loaded = load(&Loading { content: folder.path(), site_url: Some("https://a.example"), now, drafts: true });
        let findings = loaded.expect_err("required pages are missing");
        prop_assert!(findings.errors() >= 2);
        prop_assert!(every_form(&findings) > 0);
        for finding in findings.items() {
            prop_assert!(is_there(folder.path(), &finding.place), "{finding:?}");
        }
    }
}

#[test]
fn missing_folder_is_a_finding() {
    let now = "2026-11-21T09:00:00+03:00".parse().unwrap();
    let content = std::path::Path::new("/nowhere/at/all");
    let findings = load(&Loading { content, site_url: None, now, drafts: false }).unwrap_err();
    assert!(findings.to_text(Locale::En, false).starts_with("error[E0601]"));
}

#[cfg(unix)]
#[test]
fn symlinks_are_not_followed() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("team/x")).unwrap();
    std::os::unix::fs::symlink("/etc/hostname", folder.path().join("team/x/en.md")).unwrap();
    std::os::unix::fs::symlink("..", folder.path().join("team/loop")).unwrap();
    let now = "2026-11-21T09:00:00+03:00".parse().unwrap();
    let findings = load(&Loading { content: folder.path(), site_url: None, now, drafts: false }).unwrap_err();
    let links = findings.items().iter().filter(|finding| finding.code.id() == "E0610").count();
    assert_eq!(links, 2);
}

#[cfg(target_os = "linux")]
#[test]
fn name_that_is_not_utf_8_is_a_finding() {
    use std::{ffi::OsStr, os::unix::ffi::OsStrExt as _};

    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("pages")).unwrap();
    fs::write(folder.path().join("pages").join(OsStr::from_bytes(b"hakk\xfdnda")), "---\n").unwrap();
    let now = "2026-11-21T09:00:00+03:00".parse().unwrap();
    let findings = load(&Loading { content: folder.path(), site_url: None, now, drafts: false }).unwrap_err();
    let found: Vec<_> = findings.items().iter().filter(|finding| finding.code.id() == "E0614").collect();
    assert!(matches!(found[..], [finding] if finding.place.file.starts_with("pages/hakk")), "{found:?}");
}
