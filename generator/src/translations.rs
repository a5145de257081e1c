//! Finds the entries that exist in one language only, and the translations that are older than their originals.
//!
//! The age of a file is that of its last commit, because its time on disk only says when it was checked out.

use std::{
    collections::{BTreeMap, HashMap},
    path::Path,
    process::{Command, Stdio},
};

use contract::{Locale, PerLocale};

use crate::{
    diagnostic::Findings,
    source::{self, Kind},
};

/// An entry, and what each language has of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The folder of its kind.
    pub kind: &'static str,
    /// The folder of the entry.
    pub key: String,
    /// Whether it may exist in one language only.
    pub may_lack_translation: bool,
    /// What each language has of it.
    pub state: PerLocale<State>,
}

/// What a language has of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// No file.
    Missing,
    /// A file of unknown age: it is not committed yet, or there is no repository.
    Present,
    /// A file, with the time of its last commit in seconds since 1970.
    Committed(i64),
}

/// How much is known about when files were changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum History {
    /// Every commit is present.
    Whole,
    /// A clone with the newest commits only: files that have not changed since then seem as old as the first of these.
    Shallow,
    /// There is no repository, git cannot read it here, or git is missing; or nothing is committed yet.
    Unknown,
}

impl Entry {
    /// Returns the language that lacks a file.
    #[must_use]
    pub fn missing(&self) -> Option<Locale> {
        Locale::ALL.into_iter().find(|locale| self.state[*locale] == State::Missing)
    }

    /// Returns the language whose file was last changed before the other's.
    #[must_use]
    pub fn older(&self) -> Option<Locale> {
        let (State::Committed(en), State::Committed(tr)) = (self.state.en, self.state.tr) else { return None };
        match en.cmp(&tr) {
            std::cmp::Ordering::Less => Some(Locale::En),
            std::cmp::Ordering::Equal => None,
            std::cmp::Ordering::Greater => Some(Locale::Tr),
        }
    }
}

/// Lists every entry below `content`, sorted by kind and key.
///
/// # Errors
/// If no entry is found and something is wrong, such as that there is no such folder or that it cannot be read.
pub fn survey(content: &Path) -> Result<Vec<Entry>, Findings> {
    let (tree, findings) = source::walk(content);
    if tree.entries.is_empty() && !findings.is_empty() {
        return Err(Findings::new(findings, content.display().to_string(), 0));
    }
    let ages = ages(content).unwrap_or_default();
    let mut entries: BTreeMap<(Kind, String), PerLocale<State>> = BTreeMap::new();
    for file in tree.entries {
        let state = ages.get(&file.file).map_or(State::Present, |age| State::Committed(*age));
        let states = entries.entry((file.kind, file.key)).or_insert_with(|| PerLocale::build(|_| State::Missing));
        *states.of_mut(file.locale) = state;
    }
    let entry = |((kind, key), state): ((Kind, String), _)| Entry {
        kind: kind.folder(),
        key,
        may_lack_translation: kind.may_lack_translation(),
        state,
    };
    Ok(entries.into_iter().map(entry).collect())
}

/// Returns how much git knows about `content`.
#[must_use]
pub fn history(content: &Path) -> History {
    // If nothing is committed yet, nothing is known either.
    let said = git(content, &["rev-parse", "--verify", "--quiet", "HEAD"])
        .and_then(|_| git(content, &["rev-parse", "--is-shallow-repository"]));
    match said.as_deref().map(str::trim) {
        Some("true") => History::Shallow,
        Some(_) => History::Whole,
        None => History::Unknown,
    }
}

/// Returns the time of each file's last commit, by its path below `content`; `None` if there is no repository.
fn ages(content: &Path) -> Option<HashMap<String, i64>> {
    let log = ["-c", "core.quotePath=false", "log", "--format=%x00%ct", "--name-only", "--no-renames", "--relative"];
    git(content, &[&log[..], &["--", "."]].concat()).as_deref().map(parse)
}

/// Runs git in `content`. Returns its output, or `None` if it fails.
fn git(content: &Path, arguments: &[&str]) -> Option<String> {
    let mut command = Command::new("git");
    command.arg("-C").arg(content).args(arguments).stdin(Stdio::null()).stderr(Stdio::null());
    let output = command.output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Parses a log in which each commit is `\0seconds`, followed by its files; the newest commit comes first.
fn parse(log: &str) -> HashMap<String, i64> {
    let mut ages = HashMap::new();
    for commit in log.split('\0') {
        let mut lines = commit.lines();
        let Some(seconds) = lines.next().and_then(|line| line.parse().ok()) else { continue };
        for file in lines.filter(|line| !line.is_empty()) {
            ages.entry(file.to_owned()).or_insert(seconds);
        }
    }
    ages
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn write(content: &Path, file: &str) {
        let path = content.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "---\ntitle: t\n---\n").unwrap();
    }

    #[test]
    fn the_newest_commit_of_a_file_counts() {
        let ages = parse("\x0030\n\nteam/a/en.md\n\x0020\n\nteam/a/en.md\nteam/a/tr.md\n");
        assert_eq!(ages, HashMap::from([("team/a/en.md".to_owned(), 30), ("team/a/tr.md".to_owned(), 20)]));
    }

    #[test]
    fn an_entry_in_one_language_lacks_the_other() {
        let content = tempfile::tempdir().unwrap();
        write(content.path(), "publications/alone/tr.md");
        write(content.path(), "team/both/en.md");
        write(content.path(), "team/both/tr.md");
        let entries = survey(content.path()).unwrap();
        let missing: Vec<_> = entries.iter().map(|entry| (entry.key.as_str(), entry.missing())).collect();
        assert_eq!(missing, [("both", None), ("alone", Some(Locale::En))]);
        assert!(entries.iter().all(|entry| entry.older().is_none()), "without a repository no age is known");
    }

    #[test]
    fn the_file_that_was_not_touched_since_is_older() {
        let state = |en, tr| Entry {
            kind: "team",
            key: "a".to_owned(),
            may_lack_translation: false,
            state: PerLocale { en: State::Committed(en), tr: State::Committed(tr) },
        };
        assert_eq!(state(1, 2).older(), Some(Locale::En));
        assert_eq!(state(2, 1).older(), Some(Locale::Tr));
        assert_eq!(state(2, 2).older(), None);
    }

    /// Runs git as if at the time `when`.
    fn git_at(content: &Path, when: &str, arguments: &[&str]) {
        let status = Command::new("git")
            .arg("-C")
            .arg(content)
            .args(["-c", "user.name=A", "-c", "user.email=a@firm.example", "-c", "commit.gpgsign=false"])
            .args(arguments)
            .env("GIT_AUTHOR_DATE", when)
            .env("GIT_COMMITTER_DATE", when)
            .stdout(Stdio::null())
            .status()
            .expect("git is on the path: `apt-get install git`");
        assert!(status.success(), "{arguments:?}");
    }

    #[test]
    fn a_history_may_be_whole_cut_short_or_unknown() {
        let home = tempfile::tempdir().unwrap();
        let (whole, short) = (home.path().join("whole"), home.path().join("short"));
        write(&whole, "team/both/en.md");
        assert_eq!(history(&whole), History::Unknown);
        let git = |arguments: &[&str]| git_at(&whole, "1700000000 +0000", arguments);
        git(&["init", "-q"]);
        assert_eq!(history(&whole), History::Unknown, "nothing is committed");
        git(&["add", "."]);
        git(&["commit", "-qm", "one"]);
        assert_eq!(history(&whole), History::Whole);
        git(&["commit", "-qm", "two", "--allow-empty"]);
        git(&["clone", "-q", "--depth", "1", &format!("file://{}", whole.display()), short.to_str().unwrap()]);
        assert_eq!(history(&short), History::Shallow);
    }

    #[test]
    fn a_repository_tells_the_age() {
        let content = tempfile::tempdir().unwrap();
        let git = |when: &str, arguments: &[&str]| git_at(content.path(), when, arguments);
        write(content.path(), "team/çelik/en.md");
        write(content.path(), "team/both/en.md");
        write(content.path(), "team/both/tr.md");
        git("1700000000 +0000", &["init", "-q"]);
        git("1700000000 +0000", &["add", "."]);
        git("1700000000 +0000", &["commit", "-qm", "one"]);
        fs::write(content.path().join("team/both/en.md"), "---\ntitle: new\n---\n").unwrap();
        git("1700000100 +0000", &["commit", "-qam", "two"]);
        let entries = survey(content.path()).unwrap();
        let both = entries.iter().find(|entry| entry.key == "both").unwrap();
        assert_eq!(both.state.en, State::Committed(1_700_000_100));
        assert_eq!(both.older(), Some(Locale::Tr));
    }
}
