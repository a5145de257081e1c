//! Texts as lawyers paste them from eighteen programs: `NAME.txt` has the findings; `NAME.mended.md`, the text after
//! following them, has none.

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::content::Content;
use contract::Locale;
use generator::fix;
use site::Loading;

/// Returns the firm of the tests with this text in an article of its language.
fn with_text(name: &str, text: &str) -> (Content, String) {
    let article = if name.ends_with(".tr") { "electronic-notification/tr.md" } else { "tax-settlement/en.md" };
    let file = format!("publications/{article}");
    let content = Content::firm();
    let path = content.0.path().join(&file);
    let fields = fs::read_to_string(&path).unwrap();
    let (fields, _) = fields.split_once("---\n\n").unwrap();
    fs::write(&path, format!("{fields}---\n\n{text}")).unwrap();
    (content, file)
}

/// Returns the findings and the lines that `--fix` would change.
fn findings_text(name: &str, text: &str, language: Locale) -> String {
    let (content, file) = with_text(name, text);
    let findings = content.load().map_or_else(|findings| findings, |loaded| loaded.warnings);
    let now = "2026-11-21T09:00:00+03:00".parse().unwrap();
    let fixes = fix::find(&Loading { content: content.0.path(), site_url: None, now, drafts: false }).unwrap();
    let changes: String = fixes.changes.iter().map(|change| change.diff("content", language)).collect();
    let lines = changes.lines().filter(|line| !line.starts_with(['@', ' ']) && !line.ends_with(&file));
    let lines: Vec<&str> = lines.collect();
    let found = findings.under("content").to_text(language, false);
    if lines.is_empty() { found } else { format!("{found}\n{}\n", lines.join("\n")) }
}

fn texts() -> Vec<(String, PathBuf)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/fixtures/pasted");
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let texts = files.filter_map(|path| Some((path.file_name()?.to_str()?.strip_suffix(".md")?.to_owned(), path)));
    let mut texts: Vec<_> = texts.filter(|(name, _)| !name.ends_with(".mended")).collect();
    texts.sort();
    texts
}

#[test]
#[expect(clippy::disallowed_methods, reason = "an environment variable selects blessing")]
fn pasted_texts_get_the_advice_that_mends_them() {
    let bless = std::env::var("MECELLE_BLESS").is_ok_and(|value| value == "1");
    let texts = texts();
    assert_eq!(texts.len(), 18);
    let mut differing = Vec::new();
    for (name, path) in texts {
        let language = if name.ends_with(".tr") { Locale::Tr } else { Locale::En };
        let findings_of = |path: &Path| findings_text(&name, &fs::read_to_string(path).unwrap(), language);
        let (found, expected) = (findings_of(&path), path.with_extension("txt"));
        if bless {
            fs::write(expected, found).unwrap();
        } else if fs::read_to_string(expected).unwrap_or_default() != found {
            differing.push(format!("{name}\n{found}"));
        }
        let left = findings_of(&path.with_extension("mended.md"));
        if left.lines().count() > 1 {
            differing.push(format!("{name}, mended\n{left}"));
        }
    }
    assert!(differing.is_empty(), "{}", differing.join("\n"));
}

#[test]
fn innocent_look_alikes_have_no_finding() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/fixtures/innocent");
    let content = Content::firm();
    let mut number = 0;
    for (language, pattern) in [("tr", "electronic-notification"), ("en", "tax-settlement")] {
        let whole = fs::read_to_string(content.0.path().join(format!("publications/{pattern}/{language}.md"))).unwrap();
        let (fields, _) = whole.split_once("---\n\n").unwrap();
        for text in fs::read_to_string(folder.join(language).with_extension("txt")).unwrap().split("\n====\n") {
            number += 1;
            let fields: Vec<String> = fields
                .lines()
                .filter(|line| !line.starts_with("aliases:"))
                .map(
                    |line| {
                        if line.starts_with("slug:") { format!("slug: look-alike-{number}") } else { line.to_owned() }
                    },
                )
                .collect();
            let article = content.0.path().join(format!("publications/look-alike-{number}"));
            fs::create_dir(&article).unwrap();
            fs::write(article.join(language).with_extension("md"), format!("{}\n---\n\n{text}\n", fields.join("\n")))
                .unwrap();
        }
    }
    assert!(number >= 200, "{number}");
    let findings = content.load().map_or_else(|findings| findings, |loaded| loaded.warnings);
    assert!(findings.is_empty(), "{}", findings.to_whole_text(Locale::En, false));
}
