//! Broken content is reported with exactly the sentences in `tests/fixtures/broken`.

use contract::Locale;
use std::{
    fs, io,
    path::{Path, PathBuf},
};

use findings::{Finding, Findings};
use generator::fix;
use rayon::prelude::*;
use serde::Deserialize;
use site::{KnownFiles, Loaded, Loading, load, load_with_known_files};
use tempfile::TempDir;

/// The variable that makes the tests overwrite the expected findings.
const BLESS: &str = "MECELLE_BLESS";

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/fixtures")
}

fn load_at(content: &Path) -> Result<Loaded, Findings> {
    let now = "2026-11-21T09:00:00+03:00".parse().unwrap();
    load(&Loading { content, site_url: None, now, drafts: false })
}

/// Returns the firm of the tests with a fixture laid over it.
fn content_of(fixture: &Path) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    crate::folder::copy(&fixtures().join("firm/content"), folder.path());
    // A fixture that only deletes has no content folder.
    let overlay = fixture.join("content");
    if overlay.is_dir() {
        crate::folder::copy(&overlay, folder.path());
    }
    for file in fs::read_to_string(fixture.join("deleted.txt")).unwrap_or_default().lines() {
        fs::remove_file(folder.path().join(file)).unwrap();
    }
    folder
}

fn findings_in(content: &Path) -> Findings {
    load_at(content).map_or_else(|findings| findings, |loaded| loaded.warnings)
}

/// Returns the findings of a fixture as an editor reads them.
fn report_of(fixture: &Path) -> String {
    findings_in(content_of(fixture).path()).under("content").to_text(Locale::En, false)
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
#[expect(clippy::disallowed_methods, reason = "an environment variable selects blessing")]
fn mistakes_have_their_documented_findings() {
    let bless = std::env::var(BLESS).is_ok_and(|value| value == "1");
    let fixtures = broken();
    assert!(fixtures.len() >= 42, "{}", fixtures.len());
    let answers: Vec<(PathBuf, String)> =
        fixtures.into_par_iter().map(|fixture| (fixture.clone(), report_of(&fixture))).collect();
    let mut differing = Vec::new();
    for (fixture, report) in answers {
        assert!(report.contains("error[E") && report.contains("--> content"), "{}:\n{report}", fixture.display());
        let expected = fixture.join("expected.txt");
        if bless {
            fs::write(expected, report).unwrap();
        } else if fs::read_to_string(&expected).unwrap_or_default() != report {
            differing.push(format!("{}\n{report}", fixture.display()));
        }
    }
    assert!(differing.is_empty(), "differs from expected.txt:\n{}", differing.join("\n"));
}

/// The changes that a person makes by following the findings, after those that `--fix` and the labels give.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Corrections {
    /// Files that are removed.
    remove: Vec<String>,
    /// Files or folders, each with its new name.
    rename: Vec<[String; 2]>,
    /// Files that are copied from the valid firm.
    restore: Vec<String>,
    copy: Vec<[String; 2]>,
    /// A file, words in it, and their replacement.
    change: Vec<[String; 3]>,
}

impl Corrections {
    /// Applies the changes, and returns those that are impossible.
    fn apply(&self, content: &Path) -> String {
        let mut impossible = String::new();
        let mut done = |what: &str, result: io::Result<()>| {
            if let Err(error) = result {
                impossible.extend([what, ": ", &error.to_string(), "\n"]);
            }
        };
        for name in &self.remove {
            let path = content.join(name);
            done(name, if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) });
        }
        for [old, new] in &self.rename {
            done(old, fs::rename(content.join(old), content.join(new)));
        }
        let restored = self.restore.iter().map(|file| (file, file));
        for (from, to) in restored.chain(self.copy.iter().map(|[from, to]| (from, to))) {
            let target = content.join(to);
            let copy = || {
                fs::create_dir_all(target.parent().unwrap_or(content))?;
                fs::copy(fixtures().join("firm/content").join(from), &target).map(drop)
            };
            done(from, copy());
        }
        for [file, old, new] in &self.change {
            let change = || {
                let text = fs::read_to_string(content.join(file))?;
                let changed = text.contains(old).then(|| text.replacen(old, new, 1));
                fs::write(content.join(file), changed.ok_or_else(|| io::Error::other(format!("no {old}")))?)
            };
            done(file, change());
        }
        impossible
    }
}

/// Returns the replacement that the label beside a caret names.
fn word_to_write(finding: &Finding) -> Option<&str> {
    let label = &finding.label.as_ref().filter(|_| finding.place.span.line > 0)?[Locale::En];
    let words = label.strip_prefix("write `").or_else(|| label.strip_prefix("did you mean `"))?;
    words.split_once('`').map(|(words, _)| words).filter(|words| !words.contains('…'))
}

/// How many times a correction may uncover a finding with a label of its own.
const ROUNDS: usize = 2;

/// Applies `--fix`, then the replacements that the labels name. Returns whether anything changed.
fn follow_labels(content: &Path) -> bool {
    let now = "2026-11-21T09:00:00+03:00".parse().unwrap();
    let mut has_changed = false;
    if let Ok(fixes) = fix::find(&Loading { content, site_url: None, now, drafts: false }) {
        fixes.changes.iter().for_each(|change| change.apply().unwrap());
        has_changed = !fixes.changes.is_empty();
    }
    let findings = findings_in(content);
    let labelled = findings.items().iter().filter_map(|finding| Some((finding, word_to_write(finding)?)));
    // From the end of each file, so that earlier places keep their position.
    for (Finding { place, .. }, word) in labelled.collect::<Vec<_>>().into_iter().rev() {
        let Ok(text) = fs::read_to_string(content.join(&place.file)) else { continue };
        let mut lines: Vec<String> = text.split('\n').map(str::to_owned).collect();
        let line: Vec<char> = lines[place.span.line as usize - 1].chars().collect();
        let start = place.span.column as usize - 1;
        let end = start + place.span.length as usize;
        let quoted = line[start] == '"' && !word.starts_with('"');
        let word = if quoted { format!("\"{word}\"") } else { word.to_owned() };
        lines[place.span.line as usize - 1] =
            line[..start].iter().copied().chain(word.chars()).chain(line[end..].iter().copied()).collect();
        fs::write(content.join(&place.file), lines.join("\n")).unwrap();
        has_changed = true;
    }
    has_changed
}

#[test]
fn advice_of_every_finding_ends_it_and_causes_no_other() {
    let left: Vec<String> = broken()
        .into_par_iter()
        .filter_map(|fixture| {
            let content = content_of(&fixture);
            let _ = (0..ROUNDS).all(|_| follow_labels(content.path()));
            let mended = fs::read_to_string(fixture.join("mended.toml")).unwrap_or_default();
            let impossible = toml::from_str::<Corrections>(&mended).unwrap().apply(content.path());
            let left = impossible + &findings_in(content.path()).to_text(Locale::En, false);
            (!left.starts_with("no findings")).then(|| format!("== {}\n{left}", fixture.display()))
        })
        .collect();
    assert!(left.is_empty(), "{}", left.join("\n"));
}

#[test]
fn cached_texts_do_not_change_the_findings() {
    let firm = content_of(&fixtures().join("none"));
    broken().into_par_iter().for_each(|fixture| {
        let (content, folder) = (content_of(&fixture), tempfile::tempdir().unwrap());
        // Findings may contain the path of the folder, so each round uses the same one.
        let place = folder.path().join("content");
        let (mut known, mut expected) = (KnownFiles::with_texts(), Vec::new());
        // The texts of the firm, those of the fixture twice, and those of the firm again.
        for (from, as_before) in
            [(firm.path(), None), (content.path(), None), (content.path(), Some(1)), (firm.path(), Some(0))]
        {
            let _ = fs::remove_dir_all(&place);
            crate::folder::copy(from, &place);
            let now = "2026-11-21T09:00:00+03:00".parse().unwrap();
            let loading = Loading { content: &place, site_url: None, now, drafts: false };
            let found =
                load_with_known_files(&loading, &mut known).map_or_else(|findings| findings, |loaded| loaded.warnings);
            let number = as_before.unwrap_or_else(|| {
                expected.push(findings_in(&place));
                expected.len() - 1
            });
            assert_eq!(found, expected[number], "{}", fixture.display());
        }
    });
}

#[test]
fn ten_mistakes_in_three_files_are_found_in_one_run() {
    let report = report_of(&fixtures().join("broken/ten-mistakes-in-three-files"));
    assert!(report.ends_with("10 errors in 51 files\n"), "{report}");
}

#[test]
fn firm_of_the_tests_has_no_mistakes() {
    let loaded = match load_at(&fixtures().join("firm/content")) {
        Ok(loaded) => loaded,
        Err(findings) => panic!("{}", findings.to_text(Locale::En, false)),
    };
    assert_eq!(loaded.warnings.to_text(Locale::En, false), "no findings in 51 files\n");
}
