//! Untidy files of editors, programs and systems are published with the same bytes as tidy ones.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use crate::content::{self, Content};
use contract::Locale;
use icu_normalizer::DecomposingNormalizer;
use proptest::prelude::*;

const ARTICLE: &str = "publications/tax-settlement/en.md";
const PERSON: &str = "team/ayse-yilmaz/en.md";

/// Returns the bytes of everything that is published.
fn published(content: &Content) -> BTreeMap<String, Vec<u8>> {
    let files = content.outputs(&content::templates()).into_iter().flat_map(|output| output.files);
    files.map(|file| (file.path, file.bytes)).collect()
}

/// Returns the findings, one line each.
fn finding_lines(content: &Content) -> Vec<String> {
    let findings = content.load().map_or_else(|findings| findings, |loaded| loaded.warnings);
    let line = |finding: &findings::Finding| {
        let span = finding.place.span;
        format!(
            "{} {}:{}:{} {}",
            finding.code.id(),
            finding.place.file,
            span.line,
            span.column,
            &finding.message[Locale::En]
        )
    };
    findings.items().iter().map(line).collect()
}

#[track_caller]
fn assert_reads_as_tidy(content: &Content) {
    let (expected, found) = (published(&Content::firm()), published(content));
    assert!(expected.keys().eq(found.keys()));
    for (path, bytes) in expected {
        let (tidy, other) = (String::from_utf8_lossy(&bytes), String::from_utf8_lossy(&found[&path]));
        assert!(tidy == other, "{path}");
    }
}

fn texts(folder: &Path) -> Vec<PathBuf> {
    let mut texts = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            texts.extend(self::texts(&path));
        } else if path.extension().is_some_and(|ending| ending == "md" || ending == "toml") {
            texts.push(path);
        }
    }
    texts.sort();
    texts
}

/// A way to write a file.
#[derive(Clone, Debug)]
struct Spoiled {
    has_mark: bool,
    is_decomposed: bool,
    /// The ends of the lines, in turn.
    ends: Vec<&'static str>,
    /// Indentation of list items in columns; `None` leaves `[a, b]`.
    indent: Option<usize>,
    is_ended: bool,
    name: usize,
}

fn spoiled() -> impl Strategy<Value = Spoiled> {
    let ends = prop::sample::select(["\n", "\r\n", "\r"].as_slice());
    let indent = prop::option::of(prop::sample::select([0, 2, 4].as_slice()));
    (any::<bool>(), any::<bool>(), prop::collection::vec(ends, 1..7), indent, any::<bool>(), 0..3_usize).prop_map(
        |(has_mark, is_decomposed, ends, indent, is_ended, name)| Spoiled {
            has_mark,
            is_decomposed,
            ends,
            indent,
            is_ended,
            name,
        },
    )
}

impl Spoiled {
    fn write(&self, path: &Path) {
        let tidy = fs::read_to_string(path).unwrap();
        let is_text = path.extension().is_some_and(|ending| ending == "md");
        let text = match self.indent {
            Some(indent) if is_text => tidy.lines().map(|line| as_list(line, indent) + "\n").collect(),
            _ => tidy,
        };
        let mut out = if self.has_mark { "\u{feff}".to_owned() } else { String::new() };
        for (line, end) in text.lines().zip(self.ends.iter().cycle()) {
            // A carriage return, an empty line and a line feed would be read as one line end.
            let end = if out.ends_with('\r') && line.is_empty() && *end == "\n" { "\r\n" } else { end };
            out.extend([line, end]);
        }
        if !self.is_ended {
            out.truncate(out.trim_end().len());
        }
        if self.is_decomposed {
            out = DecomposingNormalizer::new_nfd().normalize(&out).into_owned();
        }
        fs::write(path, out).unwrap();
        if is_text {
            let (name, folder) = (path.file_name().unwrap().to_str().unwrap(), path.parent().unwrap());
            let key = folder.file_name().unwrap().to_str().unwrap();
            let name = [name.to_owned(), format!("index.{name}"), format!("{key}.{name}")][self.name].clone();
            fs::rename(path, folder.join(name)).unwrap();
        }
    }
}

/// Writes a field `name: [a, b]` with one item a line.
fn as_list(line: &str, indent: usize) -> String {
    match line.split_once(": [").and_then(|(name, items)| Some((name, items.strip_suffix(']')?))) {
        Some((name, items)) if !name.contains([' ', '{']) && !items.contains(['[', '(']) => {
            let items = items.split(", ").map(|item| format!("\n{}- {item}", " ".repeat(indent)));
            format!("{name}:{}", items.collect::<String>())
        }
        _ => line.to_owned(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 6, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn spoiled_files_publish_the_bytes_of_tidy_ones(ways in prop::collection::vec(spoiled(), 1..9)) {
        let content = Content::firm();
        for (path, way) in texts(content.0.path()).iter().zip(ways.iter().cycle()) {
            way.write(path);
        }
        prop_assert_eq!(finding_lines(&content), Vec::<String>::new());
        assert_reads_as_tidy(&content);
    }
}

#[test]
fn list_is_read_at_any_indentation() {
    assert_eq!(as_list("languages: [tr, en]", 4), "languages:\n    - tr\n    - en");
    for indent in [0, 2, 4] {
        let list = as_list("languages: [tr, en, de]", indent);
        assert_reads_as_tidy(&Content::firm().with(PERSON, "languages: [tr, en, de]", &list));
    }
}

#[test]
fn crlf_checkout_publishes_the_same_bytes() {
    let content = Content::firm();
    let mut paths = texts(content.0.path());
    paths.extend(["logo.svg", "team/ayse-yilmaz/portrait.svg"].map(|file| content.0.path().join(file)));
    for path in paths {
        let text = fs::read_to_string(&path).unwrap();
        fs::write(path, text.replace('\n', "\r\n")).unwrap();
    }
    assert_eq!(finding_lines(&content), [""; 0]);
    assert_reads_as_tidy(&content);
}

#[test]
fn empty_field_is_absent_unless_it_is_required() {
    for (file, old, new) in [
        (ARTICLE, "title:", "aliases: []\nexpires:\ntitle:"),
        (ARTICLE, "title:", "tags:\n  -\nupdated: ''\ntitle:"),
        (ARTICLE, "title:", "authors: []\ndraft: ~\npublish: \"\"\ntitle:"),
    ] {
        let content = Content::firm().with(file, old, new);
        assert_eq!(finding_lines(&content), [""; 0], "{new}");
        assert_reads_as_tidy(&content);
    }
    for (file, line, empty) in [
        (PERSON, "order: 1", "order:"),
        (PERSON, "linkedin: https://social.example/ayse-yilmaz", "linkedin: ''"),
        ("contact/en.md", "languages: [tr, en, de]", "languages: []\noffices:"),
    ] {
        let content = Content::firm().with(file, line, empty);
        assert_eq!(finding_lines(&content), [""; 0], "{empty}");
        assert!(published(&content) == published(&Content::firm().with(file, &format!("{line}\n"), "")), "{empty}");
    }
    let without = Content::firm().with(ARTICLE, "excerpt: Who may ask for it, and until when.\n", "");
    for excerpt in ["excerpt: ''", "excerpt: \"\"", "excerpt: ' '", "excerpt:", "excerpt: # one or two sentences"] {
        let content = Content::firm().with(ARTICLE, "excerpt: Who may ask for it, and until when.", excerpt);
        assert_eq!(finding_lines(&content), [""; 0], "{excerpt}");
        assert!(published(&content) == published(&without), "{excerpt}");
    }
    let content = Content::firm().with(ARTICLE, "title: Settlement before assessment", "title: ''");
    assert_eq!(finding_lines(&content), [format!("E0110 {ARTICLE}:2:1 the required field `title` is empty")]);
}

#[test]
fn day_may_be_quoted_or_come_with_a_time() {
    for day in ["'2025-11-02'", "\"2025-11-02\"", "\" 2025-11-02 \""] {
        let content = Content::firm().with(ARTICLE, "date: 2025-11-02", &format!("date: {day}"));
        assert_eq!(finding_lines(&content), [""; 0], "{day}");
        assert_reads_as_tidy(&content);
    }
    for day in ["2025-11-02T00:00:00.000Z", "2025-11-02T09:00:00+03:00", "'2025-11-02 10:30'", "2025-11-01T21:00:00Z"] {
        let content = Content::firm().with(ARTICLE, "date: 2025-11-02", &format!("date: {day}"));
        let message = "field `date` is a day and needs no time: it is read as 2025-11-02";
        assert_eq!(finding_lines(&content), [format!("W0141 {ARTICLE}:5:7 {message}")], "{day}");
        assert_reads_as_tidy(&content);
    }
}

#[test]
fn moment_in_place_of_a_day_is_noted_once() {
    let mut content = Content::firm();
    for (file, day) in [(ARTICLE, "date: 2025-11-02"), (PERSON, "updated: 2026-09-01")] {
        content = content.with(file, day, &format!("{day}T00:00:00Z"));
    }
    let warnings = content.load().unwrap().warnings;
    assert_eq!(warnings.items().len(), 1, "{}", warnings.to_text(Locale::En, false));
    assert!(warnings.items()[0].help[0][Locale::En].starts_with("1 more files have a time there"));
}

#[test]
fn spaces_around_a_value_are_not_published() {
    let content = Content::firm()
        .with(ARTICLE, "title: Settlement before assessment", "title: \" Settlement before assessment \"")
        .with(
            ARTICLE,
            "excerpt: Who may ask for it, and until when.",
            "excerpt: ' Who may ask for it, and until when.\u{a0}'",
        );
    assert_eq!(finding_lines(&content), [""; 0]);
    assert_reads_as_tidy(&content);
}

#[test]
fn combining_dot_of_an_i_is_not_published() {
    let text = "The taxpayer may ask for settlement.";
    let content = Content::firm().with(ARTICLE, text, "The taxpayer may ask for settlement i\u{307}n time.");
    let expected = "W0103 publications/tax-settlement/en.md:10:37 this `i` has a second dot, as a character of its own";
    assert_eq!(finding_lines(&content), [expected]);
    let tidy = Content::firm().with(ARTICLE, text, "The taxpayer may ask for settlement in time.");
    assert!(published(&content) == published(&tidy));
}

#[test]
fn picture_is_found_in_both_unicode_forms_of_its_name() {
    let picture = "remote-work/timeline.svg";
    let (composed, decomposed) = ("g\u{f6}rsel.svg", "go\u{308}rsel.svg");
    let content = |stored: &str, linked: &str| {
        let content = Content::firm().with("publications/remote-work/en.md", "timeline.svg", linked);
        let content = content.with("publications/remote-work/tr.md", "timeline.svg", linked);
        let folder = content.0.path().join("publications");
        fs::rename(folder.join(picture), folder.join("remote-work").join(stored)).unwrap();
        content
    };
    let tidy = published(&content(composed, composed));
    for (stored, linked) in [(decomposed, composed), (composed, decomposed), (decomposed, decomposed)] {
        let content = content(stored, linked);
        assert_eq!(finding_lines(&content), [""; 0]);
        assert!(published(&content) == tidy);
    }
    let content = content(decomposed, composed);
    let folder = content.0.path().join("publications/remote-work");
    fs::copy(folder.join(decomposed), folder.join(composed)).unwrap();
    if fs::read_dir(&folder).unwrap().count() == 4 {
        let expected = "E0620 publications/remote-work/g\u{f6}rsel.svg:0:0 another file has the name `g\u{f6}rsel.svg`";
        assert_eq!(finding_lines(&content), [expected]);
    }
}

#[test]
fn picture_name_in_another_case_is_a_finding() {
    for stored in ["Foto.JPG", "foto.jpeg", "FOTO.PNG"] {
        let content = |linked: &str| {
            let content =
                Content::firm().with(ARTICLE, "The taxpayer", &format!("![A desk]({linked})\n\nThe taxpayer"));
            let folder = content.0.path().join("publications/tax-settlement");
            let form = if stored.ends_with("PNG") { image::ImageFormat::Png } else { image::ImageFormat::Jpeg };
            image::RgbImage::new(20, 10).save_with_format(folder.join(stored), form).unwrap();
            content
        };
        assert_eq!(finding_lines(&content(stored)), [""; 0]);
        let other = if stored == "foto.jpeg" { "Foto.JPEG" } else { &stored.to_lowercase() };
        let content = content(other);
        let findings = content.load().unwrap_err().to_text(Locale::En, false);
        assert!(findings.contains(&format!("there is no file `{other}` beside this text")), "{findings}");
        assert!(findings.contains(&format!("did you mean `{stored}`?")), "{findings}");
    }
}

#[test]
fn text_with_a_name_in_capitals_is_read_with_a_finding() {
    for name in ["en.MD", "EN.md", "Index.en.md"] {
        let content = Content::firm();
        let folder = content.0.path().join("publications/tax-settlement");
        fs::rename(folder.join("en.md"), folder.join(name)).unwrap();
        let expected = format!("W0607 publications/tax-settlement/{name}:0:0 the name of this text is `{name}`");
        assert_eq!(finding_lines(&content), [expected]);
        assert_reads_as_tidy(&content);
    }
}

#[test]
fn second_text_of_one_language_is_refused() {
    let content = Content::firm();
    let folder = content.0.path().join("publications/tax-settlement");
    fs::copy(folder.join("en.md"), folder.join("index.en.md")).unwrap();
    let file = "publications/tax-settlement/index.en.md";
    assert_eq!(finding_lines(&content), [format!("E0624 {file}:0:0 this entry has another text in this language")]);
}
