//! Broken content is reported with the sentences in `tests/fixtures/broken`, to the letter.

#![expect(clippy::unwrap_used, reason = "a broken expectation ends the test that met it")]

mod folder;

use contract::Locale;
use std::{
    fs,
    path::{Path, PathBuf},
};

use generator::{Loaded, Loading, diagnostic::Findings, load};
use rayon::prelude::*;

/// The variable that makes the tests write what is found instead of comparing it.
const BLESS: &str = "MECELLE_BLESS";

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/fixtures")
}

fn load_at(content: &Path) -> Result<Loaded, Findings> {
    let now = "2026-11-21T09:00:00+03:00".parse().unwrap();
    load(&Loading { content, site_url: None, now, drafts: false })
}

/// Returns the findings on the firm of the tests with a fixture laid over it.
fn said_about(fixture: &Path) -> String {
    let folder = tempfile::tempdir().unwrap();
    folder::copy(&fixtures().join("firm/content"), folder.path());
    // A fixture that only deletes has no content folder.
    let overlay = fixture.join("content");
    if overlay.is_dir() {
        folder::copy(&overlay, folder.path());
    }
    for file in fs::read_to_string(fixture.join("deleted.txt")).unwrap_or_default().lines() {
        fs::remove_file(folder.path().join(file)).unwrap();
    }
    match load_at(folder.path()) {
        Ok(loaded) => loaded.warnings.under("content").to_text(Locale::En, false),
        Err(findings) => findings.under("content").to_text(Locale::En, false),
    }
}

fn broken() -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = fs::read_dir(fixtures().join("broken"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_dir())
        .collect();
    folders.sort();
    folders
}

#[test]
#[expect(clippy::disallowed_methods, reason = "whether to bless is asked of the environment")]
fn mistakes_get_their_documented_answers() {
    let bless = std::env::var(BLESS).is_ok_and(|value| value == "1");
    let fixtures = broken();
    assert!(fixtures.len() >= 42, "{}", fixtures.len());
    let answers: Vec<(PathBuf, String)> =
        fixtures.into_par_iter().map(|fixture| (fixture.clone(), said_about(&fixture))).collect();
    let mut differing = Vec::new();
    for (fixture, said) in answers {
        assert!(said.contains("error[E") && said.contains("--> content"), "{}:\n{said}", fixture.display());
        let expected = fixture.join("expected.txt");
        if bless {
            fs::write(expected, said).unwrap();
        } else if fs::read_to_string(&expected).unwrap_or_default() != said {
            differing.push(format!("{}\n{said}", fixture.display()));
        }
    }
    assert!(differing.is_empty(), "differs from expected.txt:\n{}", differing.join("\n"));
}

#[test]
fn ten_mistakes_in_three_files_are_found_in_one_run() {
    let said = said_about(&fixtures().join("broken/ten-mistakes-in-three-files"));
    assert!(said.ends_with("10 errors in 50 files\n"), "{said}");
}

#[test]
fn firm_of_the_tests_has_no_mistakes() {
    let loaded = match load_at(&fixtures().join("firm/content")) {
        Ok(loaded) => loaded,
        Err(findings) => panic!("{}", findings.to_text(Locale::En, false)),
    };
    assert_eq!(loaded.warnings.to_text(Locale::En, false), "no findings in 50 files\n");
}
