//! Finds entries in one language only, and translations that lack a change of their originals.
//!
//! The age of a file is that of its last commit, because its time on disk is that of the checkout. Renames are followed if
//! they change nothing else, so that one `git log` is enough for thousands of files. Commits that only correct a text do
//! not count, nor do those before the comparison that `reviewed` names.

use std::{
    cmp::Ordering,
    collections::{BTreeMap, HashMap, HashSet},
    fs,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    path::Path,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

use content::{EntryFile, Kind, Review};
use contract::{Locale, PerLocale};
use findings::Findings;

use crate::rewording::keeps_meaning;

/// An entry with the state of each language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TranslatedEntry {
    /// The folder of its kind.
    pub kind: &'static str,
    /// The folder of the entry.
    pub key: String,
    /// Whether it may exist in one language only.
    pub may_lack_translation: bool,
    pub state: PerLocale<TranslationState>,
    /// The language that lacks a change of the other.
    pub behind: Option<Locale>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TranslationState {
    /// No file.
    Missing,
    /// A file of unknown age: it is not committed yet, or there is no repository.
    Present,
    /// A file, with its last commit.
    Committed(Commit),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Commit {
    /// Seconds since the epoch.
    pub seconds: i64,
    /// Place in the log; the newest commit is 0.
    pub number: usize,
    /// Whether the commit added the file.
    pub is_first: bool,
}

/// The completeness of the git history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum History {
    /// Every commit is present.
    Whole,
    /// A shallow clone: files that have not changed since seem as old as its first commit.
    Shallow,
    /// There is no repository, git cannot read it here, or git is missing; or nothing is committed yet.
    Unknown,
}

impl TranslatedEntry {
    /// Returns the language without a file.
    pub fn missing(&self) -> Option<Locale> {
        Locale::ALL.into_iter().find(|locale| self.state[*locale] == TranslationState::Missing)
    }
}

/// Returns the language whose last change is older. A translation that has not changed since it was added does not make
/// its original older: it was made from the existing text.
fn older(changes: &PerLocale<Commit>) -> Option<Locale> {
    let PerLocale { en, tr } = changes;
    let (older, newer) = match en.seconds.cmp(&tr.seconds) {
        Ordering::Less => (Locale::En, tr),
        Ordering::Equal => return None,
        Ordering::Greater => (Locale::Tr, en),
    };
    (!newer.is_first).then_some(older)
}

/// Returns the language that lacks a change of the other.
fn find_behind(content: &Path, log: &GitLog, texts: &mut CommittedTexts, files: &[EntryFile]) -> Option<Locale> {
    let of = |locale| files.iter().find(|file| file.locale == locale);
    let (en, tr) = (of(Locale::En)?, of(Locale::Tr)?);
    let changes = PerLocale { en: log.last_change(texts, en)?, tr: log.last_change(texts, tr)? };
    // The last commit changed both, and not only the places of their fields.
    let last = log.last(en)?.number;
    if last == log.last(tr)?.number && changes.iter().any(|(_, change)| change.number == last) {
        return None;
    }
    let older = older(&changes)?;
    let mut is_unchanged_since = |file: &EntryFile, commit: &str| {
        let (before, now) = (log.text(texts, commit, file), fs::read(content.join(&file.file)).ok());
        before.zip(now).is_some_and(|(before, now)| keeps_meaning(&before, &String::from_utf8_lossy(&now)))
    };
    let mut reviews = files.iter().filter_map(|file| log.reviewed_commit(content, file));
    let agree = reviews.any(|commit| files.iter().all(|file| is_unchanged_since(file, &commit)));
    (!agree).then_some(older)
}

/// Returns the files, by their paths below `content`, that lack a change of the same text in the other language. Without
/// a repository there are none.
pub fn stale_files(content: &Path) -> HashSet<String> {
    let log = log(content);
    if log.commits.is_empty() {
        return HashSet::new();
    }
    let mut texts = CommittedTexts::new(content);
    let mut entries: HashMap<(Kind, String), Vec<EntryFile>> = HashMap::new();
    for file in content::walk(content).0.entries {
        entries.entry((file.kind, file.key.clone())).or_default().push(file);
    }
    let stale = |files: Vec<EntryFile>| {
        let behind = find_behind(content, &log, &mut texts, &files)?;
        files.into_iter().find(|file| file.locale == behind).map(|file| file.file)
    };
    entries.into_values().filter_map(stale).collect()
}

/// The committed states of files, read from one process of git for all.
pub(crate) struct CommittedTexts(Option<GitReader>);

struct GitReader {
    process: Child,
    requests: ChildStdin,
    replies: BufReader<ChildStdout>,
}

impl CommittedTexts {
    pub(crate) fn new(content: &Path) -> Self {
        let mut command = git_in(content, &["cat-file", "--batch"]);
        let process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().ok();
        Self(process.and_then(|mut process| {
            let (requests, replies) = (process.stdin.take()?, BufReader::new(process.stdout.take()?));
            Some(GitReader { process, requests, replies })
        }))
    }

    pub(crate) fn at(&mut self, commit: &str, file: &str) -> Option<String> {
        let reader = self.0.as_mut().filter(|_| !file.contains('\n'))?;
        writeln!(reader.requests, "{commit}:./{file}").and_then(|()| reader.requests.flush()).ok()?;
        let mut head = String::new();
        reader.replies.read_line(&mut head).ok()?;
        // The name of the object, its type and its size; or the request, and `missing`.
        let [_, "blob", size] = head.split_whitespace().collect::<Vec<_>>()[..] else { return None };
        let mut text = vec![0; size.parse::<usize>().ok()? + 1];
        reader.replies.read_exact(&mut text).ok()?;
        text.pop();
        Some(String::from_utf8_lossy(&text).into_owned())
    }
}

impl Drop for CommittedTexts {
    fn drop(&mut self) {
        if let Some(GitReader { mut process, requests, .. }) = self.0.take() {
            // The process ends when its input does.
            drop(requests);
            let _ = process.wait();
        }
    }
}

/// Returns every entry below `content`, sorted by kind and key, and the findings that make the list incomplete, such as
/// an unreadable folder.
pub fn survey(content: &Path) -> (Vec<TranslatedEntry>, Findings) {
    let (tree, findings) = content::walk(content);
    let findings = Findings::new(findings, content.display().to_string(), tree.entries.len());
    let log = log(content);
    let mut texts = CommittedTexts::new(content);
    let mut entries: BTreeMap<(Kind, String), Vec<EntryFile>> = BTreeMap::new();
    for file in tree.entries {
        entries.entry((file.kind, file.key.clone())).or_default().push(file);
    }
    let entry = |((kind, key), files): ((Kind, String), Vec<EntryFile>)| {
        let mut state = PerLocale::build(|_| TranslationState::Missing);
        for file in &files {
            *state.of_mut(file.locale) = log.last(file).map_or(TranslationState::Present, TranslationState::Committed);
        }
        let behind = find_behind(content, &log, &mut texts, &files);
        TranslatedEntry {
            kind: kind.folder(),
            may_lack_translation: kind.may_lack_translation(&key),
            key,
            state,
            behind,
        }
    };
    (entries.into_iter().map(entry).collect(), findings)
}

/// Returns how complete the git history of `content` is.
pub fn history(content: &Path) -> History {
    // A repository without commits has no history.
    let is_shallow = git(content, &["rev-parse", "--verify", "--quiet", "HEAD"])
        .and_then(|_| git(content, &["rev-parse", "--is-shallow-repository"]));
    match is_shallow.as_deref().map(str::trim) {
        Some("true") => History::Shallow,
        Some(_) => History::Whole,
        None => History::Unknown,
    }
}

/// The commits that changed content.
#[derive(Debug, Default)]
struct GitLog {
    /// Newest first.
    commits: Vec<Logged>,
    /// The commits of each file, by its path below the content.
    of: HashMap<String, Vec<Commit>>,
    /// The former paths of each file, newest first.
    former: HashMap<String, Vec<String>>,
}

#[derive(Debug)]
struct Logged {
    name: String,
    /// The day in the committer's time zone: `2026-11-27`.
    day: String,
}

impl GitLog {
    fn last(&self, file: &EntryFile) -> Option<Commit> {
        self.of.get(&file.file)?.first().copied()
    }

    /// Returns the text of a file at a commit, which may know it by a former path.
    fn text(&self, texts: &mut CommittedTexts, commit: &str, file: &EntryFile) -> Option<String> {
        let former = self.former.get(&file.file).into_iter().flatten();
        [&file.file].into_iter().chain(former).find_map(|path| texts.at(commit, path))
    }

    /// Returns the commit that last changed the meaning of a file.
    fn last_change(&self, texts: &mut CommittedTexts, file: &EntryFile) -> Option<Commit> {
        let commits = self.of.get(&file.file)?;
        if let [only] = &commits[..] {
            return Some(*only);
        }
        let mut text = |commit: &Commit| self.text(texts, &self.commits.get(commit.number)?.name, file);
        let last = text(commits.first()?)?;
        let same = commits.iter().skip(1).take_while(|commit| text(commit).is_some_and(|it| keeps_meaning(&it, &last)));
        commits.get(same.count()).copied()
    }

    /// Returns the commit that the field `reviewed` of a file names.
    fn reviewed_commit(&self, content: &Path, file: &EntryFile) -> Option<String> {
        let bytes = fs::read(content.join(&file.file)).ok()?;
        let text = String::from_utf8_lossy(&bytes);
        let text = content::tidy(&text);
        let fields = content::split(&text, &file.file).ok()?.fields;
        let values = content::read_entry((file.kind, &file.key, file.locale), fields, &file.file).values;
        match values.get("reviewed")?.value {
            Review::Commit(name) => Some(name),
            Review::Day(day) => {
                self.commits.iter().find(|commit| *commit.day <= *day.as_str()).map(|commit| commit.name.clone())
            }
        }
    }
}

/// Reads the log; it is empty without a repository.
fn log(content: &Path) -> GitLog {
    let log = [
        "-c",
        "core.quotePath=false",
        "log",
        "--format=%x00%H %ct %cs",
        "--name-status",
        "--find-renames=100%",
        "--relative",
    ];
    git(content, &[&log[..], &["--", "."]].concat()).as_deref().map(parse).unwrap_or_default()
}

/// Variables that git sets for hooks. They would select another repository than that of the content. Variables with
/// settings of git remain.
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
    let output =
        git_in(content, arguments).stdin(Stdio::null()).output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn git_in(content: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new("git");
    for variable in OF_HOOKS {
        command.env_remove(variable);
    }
    command.arg("-C").arg(content).args(arguments).stderr(Stdio::null());
    command
}

/// Parses a log, newest commit first: each commit is `\0name seconds day`, followed by its files, each a status letter,
/// a tab and a path; or `R100`, the former path and the new one. Renaming a file does not make it newer.
fn parse(log: &str) -> GitLog {
    let mut parsed = GitLog::default();
    // The present path of each former one.
    let mut names: HashMap<String, String> = HashMap::new();
    for commit in log.split('\0') {
        let mut lines = commit.lines();
        let Some((name, rest)) = lines.next().and_then(|line| line.split_once(' ')) else { continue };
        let Some((seconds, day)) = rest.split_once(' ') else { continue };
        let Ok(seconds) = seconds.parse() else { continue };
        let number = parsed.commits.len();
        parsed.commits.push(Logged { name: name.to_owned(), day: day.to_owned() });
        let mut renamed = Vec::new();
        for (change, file) in lines.filter_map(|line| line.split_once('\t')) {
            if let Some((former, new)) = file.split_once('\t') {
                renamed.push((former.to_owned(), names.get(new).unwrap_or(&new.to_owned()).clone()));
                continue;
            }
            let file = names.get(file).map_or(file, String::as_str).to_owned();
            parsed.of.entry(file).or_default().push(Commit { seconds, number, is_first: change == "A" });
        }
        for (former, name) in renamed {
            parsed.former.entry(name.clone()).or_default().push(former.clone());
            names.insert(former, name);
        }
    }
    parsed
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
    fn commits_of_a_file_are_sorted_newest_first() {
        let log = parse(
            "\x00b7 30 2026-11-02\n\nM\tteam/a/en.md\n\x00a5 20 2026-11-01\n\nA\tteam/a/en.md\nA\tteam/a/tr.md\n",
        );
        let of = |file: &str| log.of[file].iter().map(|it| (it.seconds, it.number, it.is_first)).collect::<Vec<_>>();
        assert_eq!(of("team/a/en.md"), [(30, 0, false), (20, 1, true)]);
        assert_eq!(of("team/a/tr.md"), [(20, 1, true)]);
        assert_eq!(log.commits.iter().map(|commit| commit.name.as_str()).collect::<Vec<_>>(), ["b7", "a5"]);
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
        assert!(entries.iter().all(|entry| entry.behind.is_none()), "without a repository no age is known");
    }

    #[test]
    fn file_that_was_not_touched_since_is_older() {
        let change = |seconds, is_first| Commit { seconds, number: 0, is_first };
        let older = |en, tr| older(&PerLocale { en, tr });
        assert_eq!(older(change(1, true), change(2, false)), Some(Locale::En));
        assert_eq!(older(change(2, false), change(1, true)), Some(Locale::Tr));
        assert_eq!(older(change(2, false), change(2, false)), None);
        assert_eq!(older(change(1, false), change(2, true)), None, "the translation was added later");
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

    /// A repository with one person in both languages, in which something is committed every day.
    struct Firm {
        content: tempfile::TempDir,
        days: i64,
    }

    impl Firm {
        fn new() -> Self {
            let mut firm = Self { content: tempfile::tempdir().unwrap(), days: 0 };
            git_at(firm.content.path(), "1700000000 +0000", &["init", "-q"]);
            firm.commit(&[
                ("en", "The lessor gives notice within 30 days."),
                ("tr", "Kiraya veren 30 gün içinde bildirir."),
            ]);
            firm
        }

        fn commit(&mut self, texts: &[(&str, &str)]) {
            let folder = self.content.path().join("team/çelik");
            fs::create_dir_all(&folder).unwrap();
            for (locale, text) in texts {
                let (fields, text) = text.rsplit_once('|').unwrap_or(("", text));
                let fields = fields.replace('|', "\n");
                fs::write(folder.join(format!("{locale}.md")), format!("---\ntitle: t\n{fields}\n---\n\n{text}\n"))
                    .unwrap();
            }
            // The first day is 14 November 2023.
            let when = format!("{} +0000", 1_700_000_000 + self.days * 86_400);
            self.days += 1;
            git_at(self.content.path(), &when, &["add", "."]);
            git_at(self.content.path(), &when, &["commit", "-qm", "one"]);
        }

        fn behind(&self) -> Option<Locale> {
            survey(self.content.path()).0[0].behind
        }
    }

    #[test]
    fn renaming_the_texts_leaves_their_ages() {
        let mut firm = Firm::new();
        firm.commit(&[("en", "The lessor gives notice within 60 days.")]);
        let folder = firm.content.path().join("team/çelik");
        for locale in ["en", "tr"] {
            fs::rename(folder.join(format!("{locale}.md")), folder.join(format!("index.{locale}.md"))).unwrap();
        }
        firm.commit(&[]);
        assert_eq!(firm.behind(), Some(Locale::Tr));
        firm.commit(&[("index.tr", "reviewed: 2023-11-15|Kiraya veren 30 gün içinde bildirir.")]);
        assert_eq!(firm.behind(), None, "the review names a day before the renaming");
    }

    #[test]
    fn moving_shared_facts_hides_no_translation_that_is_behind() {
        let mut firm = Firm::new();
        firm.commit(&[("en", "email: a@firm.example|languages: [tr]|The lessor gives notice within 60 days.")]);
        firm.commit(&[
            ("en", "The lessor gives notice within 60 days."),
            ("tr", "languages:|  - tr|email: a@firm.example|Kiraya veren 30 gün içinde bildirir."),
        ]);
        assert_eq!(firm.behind(), Some(Locale::Tr));
    }

    #[test]
    fn translation_that_lacks_a_change_is_behind() {
        let mut firm = Firm::new();
        assert_eq!(firm.behind(), None);
        firm.commit(&[("en", "The lessor gives notice within 60 days.")]);
        assert_eq!(firm.behind(), Some(Locale::Tr));
    }

    #[test]
    fn correction_of_a_slip_or_a_link_leaves_no_translation_behind() {
        let mut firm = Firm::new();
        firm.commit(&[("en", "The lessor [gives notice](/en/a) within 30 days.")]);
        assert_eq!(firm.behind(), None);
        firm.commit(&[("en", "The lessor [gives notice](/en/b), within 30 days.")]);
        assert_eq!(firm.behind(), None);
        // Nor does it hide that one is.
        firm.commit(&[("en", "The lessor gives notice within 60 days.")]);
        firm.commit(&[("tr", "Kiraya veren, 30 gün içinde bildirir.")]);
        assert_eq!(firm.behind(), Some(Locale::Tr));
    }

    #[test]
    fn review_lasts_until_the_meaning_of_a_text_changes() {
        let mut firm = Firm::new();
        firm.commit(&[("en", "The landlord gives notice within 30 days.")]);
        assert_eq!(firm.behind(), Some(Locale::Tr));
        // In either file; the commit of `reviewed` does not count as a change.
        firm.commit(&[("tr", "reviewed: 2023-11-15|Kiraya veren 30 gün içinde bildirir.")]);
        assert_eq!(firm.behind(), None);
        firm.commit(&[("en", "The landlord gives notice within 60 days.")]);
        assert_eq!(firm.behind(), Some(Locale::Tr));
        // The translation follows, with `reviewed`.
        firm.commit(&[("tr", "reviewed: 2023-11-18|Kiraya veren 60 gün içinde bildirir.")]);
        assert_eq!(firm.behind(), None);
    }

    #[test]
    fn review_may_name_a_commit() {
        let mut firm = Firm::new();
        firm.commit(&[("en", "The landlord gives notice within 30 days.")]);
        let name = git(firm.content.path(), &["rev-parse", "HEAD"]).unwrap();
        for (name, behind) in [(&name[..12], None), ("0123456789ab", Some(Locale::Tr))] {
            firm.commit(&[("tr", &format!("reviewed: {name}|Kiraya veren 30 gün içinde bildirir."))]);
            assert_eq!(firm.behind(), behind, "{name}");
        }
    }
}
