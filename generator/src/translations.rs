//! Finds the entries that exist in one language only, and the translations that are older than their originals.
//!
//! The age of a file is that of its last commit, because its time on disk only says when it was checked out. Files are
//! not followed through renames, so that one reading of the log is enough for thousands of them.

use std::{
    cmp::Ordering,
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
    /// A file, with its last commit.
    Committed(Commit),
}

/// A commit, by what it says about one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Commit {
    /// When it was made, in seconds since 1970.
    pub seconds: i64,
    /// Whether it added the file.
    pub is_first: bool,
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

    /// Returns the language whose file was last changed before the other's. An original is not older than a translation
    /// that has not been changed since it was added: a translation is made of the text that is there. A later
    /// correction of the translation does make the original older, so a translation is best added in one commit.
    #[must_use]
    pub fn older(&self) -> Option<Locale> {
        let (State::Committed(en), State::Committed(tr)) = (self.state.en, self.state.tr) else { return None };
        let (older, newer) = match en.seconds.cmp(&tr.seconds) {
            Ordering::Less => (Locale::En, tr),
            Ordering::Equal => return None,
            Ordering::Greater => (Locale::Tr, en),
        };
        (!newer.is_first).then_some(older)
    }
}

/// Lists every entry below `content`, sorted by kind and key, and what keeps the list from being complete, such as a
/// folder that cannot be read.
#[must_use]
pub fn survey(content: &Path) -> (Vec<Entry>, Findings) {
    let (tree, findings) = source::walk(content);
    let findings = Findings::new(findings, content.display().to_string(), tree.entries.len());
    let commits = commits(content).unwrap_or_default();
    let mut entries: BTreeMap<(Kind, String), PerLocale<State>> = BTreeMap::new();
    for file in tree.entries {
        let state = commits.get(&file.file).map_or(State::Present, |commit| State::Committed(*commit));
        let states = entries.entry((file.kind, file.key)).or_insert_with(|| PerLocale::build(|_| State::Missing));
        *states.of_mut(file.locale) = state;
    }
    let entry = |((kind, key), state): ((Kind, String), _)| Entry {
        kind: kind.folder(),
        may_lack_translation: kind.may_lack_translation(&key),
        key,
        state,
    };
    (entries.into_iter().map(entry).collect(), findings)
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

/// Returns each file's last commit, by its path below `content`; `None` if there is no repository.
fn commits(content: &Path) -> Option<HashMap<String, Commit>> {
    // A renamed file counts as added: its new name says nothing about its text.
    let log = ["-c", "core.quotePath=false", "log", "--format=%x00%ct", "--name-status", "--no-renames", "--relative"];
    git(content, &[&log[..], &["--", "."]].concat()).as_deref().map(parse)
}

/// Variables by which git tells its hooks where their repository is. They lead to another one than that of the content,
/// or to the same one without its folders. Those that contain settings of git remain.
const OF_HOOKS: [&str; 7] = [
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_COMMON_DIR",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_PREFIX",
];

/// Runs git in `content`. Returns its output, or `None` if it fails.
pub(crate) fn git(content: &Path, arguments: &[&str]) -> Option<String> {
    let mut command = Command::new("git");
    for variable in OF_HOOKS {
        command.env_remove(variable);
    }
    command.arg("-C").arg(content).args(arguments).stdin(Stdio::null()).stderr(Stdio::null());
    let output = command.output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Parses a log in which each commit is `\0seconds`, followed by its files, each as a letter that says what happened to
/// it, a tab and its path; the newest commit comes first.
fn parse(log: &str) -> HashMap<String, Commit> {
    let mut commits = HashMap::new();
    for commit in log.split('\0') {
        let mut lines = commit.lines();
        let Some(seconds) = lines.next().and_then(|line| line.parse().ok()) else { continue };
        for (change, file) in lines.filter_map(|line| line.split_once('\t')) {
            commits.entry(file.to_owned()).or_insert(Commit { seconds, is_first: change == "A" });
        }
    }
    commits
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
    fn newest_commit_of_a_file_counts() {
        let commits = parse("\x0030\n\nM\tteam/a/en.md\n\x0020\n\nA\tteam/a/en.md\nA\tteam/a/tr.md\n");
        let expected = [("team/a/en.md", 30, false), ("team/a/tr.md", 20, true)];
        let expected = expected.map(|(file, seconds, is_first)| (file.to_owned(), Commit { seconds, is_first }));
        assert_eq!(commits, HashMap::from(expected));
    }

    #[test]
    fn entry_in_one_language_lacks_the_other() {
        let content = tempfile::tempdir().unwrap();
        write(content.path(), "publications/alone/tr.md");
        write(content.path(), "team/both/en.md");
        write(content.path(), "team/both/tr.md");
        let (entries, _) = survey(content.path());
        let missing: Vec<_> = entries.iter().map(|entry| (entry.key.as_str(), entry.missing())).collect();
        assert_eq!(missing, [("both", None), ("alone", Some(Locale::En))]);
        assert!(entries.iter().all(|entry| entry.older().is_none()), "without a repository no age is known");
    }

    #[test]
    fn file_that_was_not_touched_since_is_older() {
        let state = |seconds, is_first| State::Committed(Commit { seconds, is_first });
        let older = |en, tr| {
            let state = PerLocale { en, tr };
            Entry { kind: "team", key: "a".to_owned(), may_lack_translation: false, state }.older()
        };
        assert_eq!(older(state(1, true), state(2, false)), Some(Locale::En));
        assert_eq!(older(state(2, false), state(1, true)), Some(Locale::Tr));
        assert_eq!(older(state(2, false), state(2, false)), None);
        assert_eq!(older(state(1, false), state(2, true)), None, "the translation was added later");
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
    fn history_may_be_whole_cut_short_or_unknown() {
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
    fn repository_tells_the_age() {
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
        let (entries, _) = survey(content.path());
        let both = entries.iter().find(|entry| entry.key == "both").unwrap();
        assert_eq!(both.state.en, State::Committed(Commit { seconds: 1_700_000_100, is_first: false }));
        assert_eq!(both.older(), Some(Locale::Tr));
    }
}
