//! `check --fix`: only values with one correct form are rewritten, and a second run changes nothing.

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::content::Content;
use contract::Locale;
use generator::fix::{self, Fixes};
use proptest::prelude::*;
use site::Loading;

const ARTICLE: &str = "publications/tax-settlement/en.md";
const TITLE: &str = "title: Settlement before assessment";
const TEXT: &str = "The taxpayer may ask for settlement.";

fn find(content: &Path) -> Fixes {
    let now = "2026-11-21T09:00:00+03:00".parse().unwrap();
    fix::find(&Loading { content, site_url: None, now, drafts: false }).unwrap()
}

fn apply(content: &Path) -> Fixes {
    let fixes = find(content);
    fixes.changes.iter().for_each(|change| change.apply().unwrap());
    fixes
}

/// Returns a passage of the article after `--fix`.
fn fixed_passage(old: &str, new: &str) -> String {
    let content = Content::firm().with(ARTICLE, old, new);
    let whole = fs::read_to_string(content.0.path().join(ARTICLE)).unwrap();
    let at = whole.find(new).unwrap();
    let (before, behind) = (whole[..at].to_owned(), whole[at + new.len()..].to_owned());
    apply(content.0.path());
    let fixed = fs::read_to_string(content.0.path().join(ARTICLE)).unwrap();
    let passage = fixed.strip_prefix(before.as_str()).and_then(|rest| rest.strip_suffix(behind.as_str()));
    let passage = passage.unwrap_or_else(|| panic!("something else was touched:\n{fixed}")).to_owned();
    assert!(find(content.0.path()).changes.is_empty(), "{passage}");
    passage
}

#[test]
fn values_of_front_matter_are_normalized() {
    for (written, expected) in [
        ("title: “Kamu ihalelerinde: süreler”", "title: \"Kamu ihalelerinde: süreler\""),
        ("title: “Süreler”", "title: \"Süreler\""),
        ("title: 'Türkiye'de süreler'", "title: \"Türkiye'de süreler\""),
        ("title: Work: a guide", "title: \"Work: a guide\""),
        ("title:Work", "title: Work"),
        ("title:\u{a0}Work", "title: Work"),
        ("title:\tWork", "title: Work"),
        ("name: Work", "title: Work"),
        ("title: Work\nupdated: 14.11.2026", "title: Work\nupdated: 2026-11-14"),
        ("title: Work\nupdated: 2026-11-14T00:00:00.000Z", "title: Work\nupdated: 2026-11-14"),
        ("title: Work\nupdated: '2026-11-14'", "title: Work\nupdated: 2026-11-14"),
        ("title: Work\nupdated: 20/11/2026", "title: Work\nupdated: 2026-11-20"),
        ("title: Work\ndraft: 'false'", "title: Work\ndraft: false"),
        ("title: Work\ndraft: hayır", "title: Work\ndraft: false"),
        ("title: Work\ntags:\n- a\n- b", "title: Work\ntags:\n  - a\n  - b"),
        ("title: Work\ntags:\n    - a", "title: Work\ntags:\n  - a"),
        ("title: Work\ntags:\n\t- a", "title: Work\ntags:\n  - a"),
        ("title: Work\nlastmod: 2026-11-14", "title: Work\nupdated: 2026-11-14"),
    ] {
        assert_eq!(fixed_passage(TITLE, written), expected, "{written}");
    }
}

#[test]
fn ambiguous_values_are_left_unchanged() {
    for written in [
        "title: Work\nupdated: 03/04/2026",
        "title: Work\npublish: 30.11.2026 17:30",
        "title: Work: a guide # or a comment",
        "title: \"Work",
        "title: “A” and “B”",
        "title: Work\ndraft: perhaps",
        "title: \"“Work”\"",
    ] {
        assert_eq!(fixed_passage(TITLE, written), written);
    }
}

#[test]
fn headings_keep_their_order_of_levels() {
    for (written, expected) in [
        ("### A\n\na\n\n### B\n\nb\n\n#### C\n\nc", "## A\n\na\n\n## B\n\nb\n\n### C\n\nc"),
        ("# A\n\na\n\n## B\n\nb\n\n## C\n\nc", "## A\n\na\n\n### B\n\nb\n\n### C\n\nc"),
        ("# A\n\na\n\n# B\n\nb", "## A\n\na\n\n## B\n\nb"),
        ("## A\n\na\n\n#### B\n\nb\n\n## C\n\nc", "## A\n\na\n\n### B\n\nb\n\n## C\n\nc"),
        ("##### A ###\n\na", "## A ###\n\na"),
    ] {
        assert_eq!(fixed_passage(TEXT, written), expected, "{written}");
    }
    let by_a_line = "A\n===\n\na";
    assert_eq!(fixed_passage(TEXT, by_a_line), by_a_line);
}

#[test]
fn picture_is_renamed_to_its_file() {
    let content = Content::firm().with("publications/remote-work/en.md", "timeline.svg", "Timeline.SVG");
    let fixes = apply(content.0.path());
    assert_eq!((fixes.changes.len(), fixes.left.errors()), (1, 0), "{}", fixes.left.to_text(Locale::En, false));
    assert!(fixes.changes[0].diff("content", Locale::En).contains("+![A line from request to answer](timeline.svg)"));
}

#[test]
fn file_is_rewritten_in_tidy_form() {
    let tidy = Content::firm();
    let content = Content::firm();
    let path = content.0.path().join(ARTICLE);
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, format!("\u{feff}{}", text.trim_end().replace('\n', "\r\n"))).unwrap();
    fs::rename(content.0.path().join("contact/en.md"), content.0.path().join("contact/en.MD")).unwrap();
    let fixes = find(content.0.path());
    let diffs: String = fixes.changes.iter().map(|change| change.diff("content", Locale::En)).collect();
    let expected = "content/contact/en.MD: renamed to content/contact/en.md\n\
                    content/publications/tax-settlement/en.md: the byte order mark is removed\n\
                    content/publications/tax-settlement/en.md: lines end with a line feed\n";
    assert!(diffs.starts_with(expected), "{diffs}");
    let left = fixes.left.to_text(Locale::En, false);
    assert!(left.starts_with("no findings in "), "{left}");
    assert!(fs::read(&path).unwrap().starts_with(b"\xef\xbb\xbf"), "nothing is touched before it is shown");
    apply(content.0.path());
    for file in [ARTICLE, "contact/en.md"] {
        let read = |content: &Content| fs::read(content.0.path().join(file)).unwrap();
        assert!(read(&content) == read(&tidy), "{file}");
    }
}

#[test]
fn file_changed_since_reading_is_not_rewritten() {
    let content = Content::firm().with(ARTICLE, TITLE, "title:Work");
    let fixes = find(content.0.path());
    let path = content.0.path().join(ARTICLE);
    fs::write(&path, "saved meanwhile").unwrap();
    assert!(fixes.changes[0].apply().unwrap_err()[Locale::En].contains("changed meanwhile"));
    assert_eq!(fs::read_to_string(path).unwrap(), "saved meanwhile");
}

#[test]
fn text_is_not_renamed_over_another() {
    let content = Content::firm();
    let [small, large] = ["contact/en.md", "contact/EN.md"].map(|name| content.0.path().join(name));
    let text = fs::read_to_string(&small).unwrap();
    fs::write(&large, &text).unwrap();
    if fs::read_dir(content.0.path().join("contact")).unwrap().flatten().all(|it| it.file_name() != "EN.md") {
        return; // Capitals are not told apart here, so there is one file.
    }
    let fixes = find(content.0.path());
    assert!(fixes.changes.is_empty(), "{:?}", fixes.changes);
    assert!(fixes.left.to_text(Locale::En, false).contains("W0607"), "{}", fixes.left.to_text(Locale::En, false));

    // A file that appears after the change was shown is not overwritten, and the other is unchanged.
    fs::remove_file(&small).unwrap();
    let fixes = find(content.0.path());
    fs::write(&small, "another").unwrap();
    assert!(fixes.changes[0].apply().unwrap_err()[Locale::En].contains("already exists"));
    assert_eq!([small, large].map(|path| fs::read_to_string(path).unwrap()), ["another".to_owned(), text]);
}

/// Counts the errors.
fn errors(content: &Content) -> usize {
    content.load().err().map_or(0, |findings| findings.errors())
}

#[test]
fn second_run_fixes_nothing_in_any_broken_content() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/fixtures/broken");
    let mut fixtures: Vec<PathBuf> = fs::read_dir(fixtures).unwrap().map(|entry| entry.unwrap().path()).collect();
    fixtures.sort();
    for fixture in fixtures.iter().map(|fixture| fixture.join("content")).filter(|fixture| fixture.is_dir()) {
        let content = Content::firm();
        crate::folder::copy(&fixture, content.0.path());
        apply(content.0.path());
        let again = find(content.0.path());
        let left: String = again.changes.iter().map(|change| change.diff("content", Locale::En)).collect();
        assert!(left.is_empty(), "{}:\n{left}", fixture.display());
    }
}

/// Faulty pieces of front matter and of text: the original and its replacement.
const PIECES: [(&str, &str); 12] = [
    (TITLE, "title: “Work”"),
    (TITLE, "title:Work"),
    (TITLE, "title: 'Firm's work'"),
    ("date: 2025-11-02", "date: 2.11.2025"),
    ("date: 2025-11-02", "pubDate: 2025-11-02T10:00:00Z"),
    ("excerpt: ", "description: "),
    ("slug: ", "tags:\n    - a\n    - b\nslug: "),
    (TEXT, "### A\n\nThe taxpayer may ask for settlement.\n\n##### B\n\nb"),
    (TEXT, "# A\n\nThe taxpayer may ask for settlement.\n\n## B\n\nb"),
    (TEXT, "The taxpayer may ask i\u{307}n time fo\u{308}r settlement."),
    ("\n", "\r\n"),
    ("---\ntitle", "\u{feff}---\ntitle"),
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn fix_is_idempotent(chosen in prop::sample::subsequence((0..PIECES.len()).collect::<Vec<_>>(), 1..6)) {
        let content = Content::firm();
        let path = content.0.path().join(ARTICLE);
        let mut text = fs::read_to_string(&path).unwrap();
        for at in chosen {
            text = text.replacen(PIECES[at].0, PIECES[at].1, if PIECES[at].0 == "\n" { 99 } else { 1 });
        }
        fs::write(&path, &text).unwrap();
        apply(content.0.path());
        prop_assert_eq!(errors(&content), 0, "{}", text);
        prop_assert!(find(content.0.path()).changes.is_empty(), "{}", text);
    }
}
