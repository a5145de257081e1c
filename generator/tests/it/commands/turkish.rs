//! Commands with `--lang tr` print no English sentence.

use std::fs;

use contract::Locale;
use toml::Value;

use super::{NOW, copy, generator, templates, text};

/// Words that nearly every English sentence contains and no Turkish one.
const ENGLISH: [&str; 21] = [
    "the", "is", "are", "was", "and", "of", "to", "this", "that", "with", "for", "there", "be", "from", "it", "its",
    "has", "in", "by", "differs", "writes",
];

/// Returns the first English word of `said` outside backticks and paths.
pub(crate) fn english_word(text: &str) -> Option<&str> {
    // A suffix after an apostrophe belongs to its word: `git’in`.
    let is_of_word = |letter: char| letter.is_alphanumeric() || letter == '’';
    let parts = text.split('`').step_by(2).flat_map(str::split_whitespace).filter(|part| !part.starts_with('/'));
    parts
        .flat_map(|part| part.split(|letter| !is_of_word(letter)))
        .find(|word| ENGLISH.iter().any(|english| english.eq_ignore_ascii_case(word)))
}

/// Runs a command in a language and returns its output, which must contain English words in English only.
pub(crate) fn output_in(language: Locale, arguments: &[&str], status: i32) -> String {
    let output = generator().args(["--lang", language.as_str()]).args(arguments).output().unwrap();
    let printed = text(&output.stdout) + &text(&output.stderr);
    assert_eq!(output.status.code(), Some(status), "{arguments:?}: {printed}");
    assert_eq!(english_word(&printed).is_some(), language == Locale::En, "{arguments:?}: {printed}");
    printed
}

/// Collects every text below a key `tr`.
fn turkish<'t>(value: &'t Value, is_turkish: bool, texts: &mut Vec<&'t str>) {
    match value {
        Value::String(text) if is_turkish => texts.push(text),
        Value::Table(table) => table.iter().for_each(|(key, value)| turkish(value, is_turkish || key == "tr", texts)),
        Value::Array(values) => values.iter().for_each(|value| turkish(value, is_turkish, texts)),
        _ => {}
    }
}

#[test]
fn turkish_messages_contain_no_english_words() {
    let crates = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates");
    let tables = fs::read_dir(crates.join("findings/messages")).unwrap().map(|entry| entry.unwrap().path());
    let mut count = 0;
    for file in tables.chain([crates.join("site/src/check/foreign.toml")]) {
        let table = Value::Table(toml::from_str(&fs::read_to_string(&file).unwrap()).unwrap());
        let mut texts = Vec::new();
        turkish(&table, false, &mut texts);
        count += texts.len();
        for text in texts {
            // The names of placeholders are English.
            let words: String =
                text.split('{').map(|part| part.split_once('}').map_or(part, |(_, words)| words)).collect();
            assert_eq!(english_word(&words), None, "{}: {text}", file.display());
        }
    }
    assert!(count > 500, "{count}");
}

/// Returns for each section of a manual its level and its numbers of table lines, list items and code blocks.
fn sections(manual: &str) -> Vec<[usize; 4]> {
    let is_item = |line: &str| {
        line.starts_with("- ") || line.trim_start_matches(|it: char| it.is_ascii_digit()).starts_with(". ")
    };
    let mut sections = vec![[0; 4]];
    for line in manual.lines() {
        let level = line.len() - line.trim_start_matches('#').len();
        match sections.last_mut() {
            _ if level > 0 && line[level..].starts_with(' ') => sections.push([level, 0, 0, 0]),
            Some(section) if line.starts_with('|') => section[1] += 1,
            Some(section) if is_item(line) => section[2] += 1,
            Some(section) if line.starts_with("```") => section[3] += 1,
            _ => {}
        }
    }
    sections
}

#[test]
fn manual_for_editors_is_complete_in_both_languages() {
    let manual = |name: &str| fs::read_to_string(format!("{}/../docs/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap();
    let (english, turkish) = (sections(&manual("editors.md")), sections(&manual("editors.tr.md")));
    assert!(english.len() > 20, "{english:?}");
    assert_eq!(english, turkish);
}

#[test]
fn build_check_and_diff_print_the_requested_language() {
    for language in Locale::ALL {
        let (content, home) = (copy(), tempfile::tempdir().unwrap());
        let folder = |name: &str| home.path().join(name).to_str().unwrap().to_owned();
        let (from, templates) = (content.path().to_str().unwrap(), templates());
        let input = ["--now", NOW, "--content", from, "--templates", templates.to_str().unwrap()];
        let with_input = |command: &[&str], status| output_in(language, &[command, &input[..]].concat(), status);
        let [old, new, portable] = ["old", "new", "portable"].map(folder);

        fs::create_dir_all(home.path().join("old/en")).unwrap();
        fs::write(home.path().join("old/en/stranger.html"), "").unwrap();
        let built = with_input(&["build", "--compression", "none", "--out", &old], 0);
        assert!(built.contains("en/stranger.html") && built.contains("2027-07-01T00:00:00Z"), "{built}");
        with_input(&["build", "--out", &portable, "--portable"], 0);
        let note = fs::read_to_string(home.path().join("portable/PORTABLE.txt")).unwrap();
        assert!(note.contains("\nOpen index.html. ") && note.contains(": index.html dosyasını açın. "), "{note}");
        with_input(&["build", "--out", &old, "--portable"], 1);
        with_input(&["build", "--out", &format!("{from}/dist")], 1);
        with_input(&["build", "--out", &new, "--format", "sarif"], 1);
        with_input(&["check"], 0);
        with_input(&["check", "--fix"], 0);

        let about = content.path().join("pages/about/tr.md");
        fs::write(&about, fs::read_to_string(&about).unwrap() + "\nYeni bir cümle.\n").unwrap();
        fs::remove_dir_all(content.path().join("publications/tax-settlement")).unwrap();
        fs::write(
            content.path().join("team/ayse-yilmaz/unused.svg"),
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 1 1\"/>",
        )
        .unwrap();
        with_input(&["check", "--deny", "warnings"], 1);
        let moved = ["--site-url", "https://other.example"];
        with_input(&[&["build", "--compression", "none", "--out", &new][..], &moved].concat(), 0);
        for format in ["text", "markdown"] {
            output_in(language, &["diff", &old, &new, "--format", format], 0);
            output_in(language, &["diff", &old, &old, "--format", format], 0);
        }
        fs::write(home.path().join("manifest.json"), "{\"format\": 99}").unwrap();
        output_in(language, &["diff", home.path().to_str().unwrap(), &new], 1);

        let host = ["host", "nginx", "--dist", &old, "--sidecar", "https://agents.firm.example", "--out"];
        output_in(language, &[&host[..], &[&folder("hosted")]].concat(), 0);
        let inside = format!("{old}/hosted");
        output_in(language, &[&host[..], &[&inside]].concat(), 1);
        output_in(language, &["preview", "--listen", "0.0.0.0:0"], 1);
    }
}
