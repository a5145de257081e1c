//! The files of a theme: built-in ones, and those of a folder that replace them.
//!
//! A file of the folder replaces the built-in file of the same name; any other file is the firm's own. Words are
//! replaced one by one: see `strings`.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
    fs,
    io::Read as _,
    path::{Path, PathBuf},
};

use content::{Folder, MAX_PICTURE_BYTES, is_hidden, read_text, tidy};
use findings::{Code, Excerpts, Finding, Place, Span, messages, nearest};
use sha2::{Digest as _, Sha256};
use walkdir::{DirEntry, WalkDir};

use super::words_file::is_words;

/// Every built-in file, sorted by name.
const BUILT_IN: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/theme.rs"));
/// Prefix of built-in files in messages; it is not a path that can be opened.
const BUILT_IN_FOLDER: &str = "(built-in)";
/// The record of the built-in files that overrides were copied from.
pub const ORIGINALS: &str = "originals.toml";
/// Files of a templates folder that are not part of the theme.
const OTHERS: [&str; 2] = ["README.md", ORIGINALS];
/// Licences and build instructions of fonts; not published.
const LICENCES: &str = "assets-licences/";
/// Maximum number of files and folders in a folder of templates.
const MAX_FILES: usize = 10_000;

pub struct Sources {
    folder: Option<PathBuf>,
    files: BTreeMap<String, ThemeSource>,
    /// Words of the folder by file name.
    words: BTreeMap<String, String>,
    /// Names of the folder's files, readable or not.
    seen: BTreeSet<String>,
}

pub struct ThemeSource {
    pub bytes: Cow<'static, [u8]>,
    /// Whether the file is from the folder.
    pub is_own: bool,
}

impl ThemeSource {
    pub(crate) fn text(&self) -> &str {
        // Texts of the folder are rejected unless they are UTF-8, and a test reads the built-in ones.
        str::from_utf8(&self.bytes).unwrap_or_default()
    }
}

pub fn built_in(name: &str) -> Option<&'static [u8]> {
    BUILT_IN.binary_search_by_key(&name, |(name, _)| *name).ok().map(|at| BUILT_IN[at].1)
}

/// Returns the name and the bytes of every built-in file.
pub fn all_built_in() -> impl Iterator<Item = (&'static str, &'static [u8])> {
    BUILT_IN.iter().copied()
}

pub(super) fn built_in_text(name: &str) -> &'static str {
    built_in(name).and_then(|bytes| str::from_utf8(bytes).ok()).unwrap_or_default()
}

/// Returns the name of a built-in file in messages, even if it is overridden.
pub(super) fn built_in_name(name: &str) -> String {
    format!("{BUILT_IN_FOLDER}/{name}")
}

pub(super) fn is_template(name: &str) -> bool {
    !["assets/", "strings/"].iter().any(|folder| name.starts_with(folder))
        && [".html", ".md", ".txt"].iter().any(|ending| name.ends_with(ending))
}

impl Sources {
    /// Reads the files of `folder` over the built-in ones. Adds faults to `findings`, with file names relative to the
    /// theme until [`Self::locate`] completes them.
    pub fn read(folder: Option<&Path>, findings: &mut Vec<Finding>) -> Self {
        let files = all_built_in().filter(|(name, _)| !is_words(name));
        let files =
            files.map(|(name, bytes)| (name.to_owned(), ThemeSource { bytes: Cow::Borrowed(bytes), is_own: false }));
        let mut sources = Self {
            folder: folder.map(Path::to_owned),
            files: files.collect(),
            words: BTreeMap::new(),
            seen: BTreeSet::new(),
        };
        let Some(path) = folder else { return sources };
        if let Err(error) = fs::read_dir(path) {
            let message = messages::templates_not_readable(error);
            let finding = Finding::new(Code::NOT_READABLE, Place::file(""), message);
            findings.push(finding.help(messages::templates_not_readable_help()));
            return sources;
        }
        let handle = Folder::new(path);
        let former = findings.len();
        let names = names(path, findings);
        // Links and unreadable files are of the folder, too.
        sources.seen.extend(findings.iter().skip(former).map(|finding| finding.place.file.clone()));
        for name in names {
            sources.add(&handle, &name, findings);
        }
        sources
    }

    fn add(&mut self, folder: &Folder, name: &str, findings: &mut Vec<Finding>) {
        if OTHERS.contains(&name) || name.starts_with(LICENCES) {
            return;
        }
        self.seen.insert(name.to_owned());
        let is_text = is_template(name) || is_words(name) || name.ends_with(".css");
        if is_text {
            let (text, more) = read_text(folder, name);
            findings.extend(more);
            let Some(text) = text.map(|text| text.text) else { return };
            if is_words(name) {
                self.words.insert(name.to_owned(), text);
            } else {
                self.insert(name, text.into_bytes());
            }
        } else if name.starts_with("assets/") {
            match bytes(folder, name) {
                Ok(bytes) => self.insert(name, bytes),
                Err(finding) => findings.push(*finding),
            }
        } else {
            let known = BUILT_IN.iter().map(|(name, _)| *name);
            let finding = Finding::new(Code::TEMPLATE_NOT_USED, Place::file(name), messages::theme_file_unused());
            findings.push(finding.did_you_mean(nearest(name, known)).help(messages::theme_file_unused_help()));
        }
    }

    fn insert(&mut self, name: &str, bytes: Vec<u8>) {
        self.files.insert(name.to_owned(), ThemeSource { bytes: Cow::Owned(bytes), is_own: true });
    }

    /// Returns a digest of every file except those with words, and of `more`.
    pub(super) fn digest(&self, more: &[&[u8]]) -> [u8; 32] {
        let files = self.files.iter().flat_map(|(name, source)| [name.as_bytes(), &source.bytes]);
        let mut digest = Sha256::new();
        for part in files.chain(more.iter().copied()) {
            digest.update(part.len().to_le_bytes());
            digest.update(part);
        }
        digest.finalize().into()
    }

    /// Returns every file except those with words, by name.
    pub fn files(&self) -> impl Iterator<Item = (&str, &ThemeSource)> {
        self.files.iter().map(|(name, source)| (name.as_str(), source))
    }

    /// Returns a file that does not contain words.
    pub fn get(&self, name: &str) -> Option<&ThemeSource> {
        self.files.get(name)
    }

    /// Returns the text of the folder's file `name` with words.
    pub fn words(&self, name: &str) -> Option<&str> {
        self.words.get(name).map(String::as_str)
    }

    /// Returns the names of files that replace a built-in file with other content.
    pub fn overrides(&self) -> impl Iterator<Item = &str> {
        let differs = |(name, source): &(&str, &ThemeSource)| {
            source.is_own && built_in(name).is_some_and(|bytes| bytes != source.bytes.as_ref())
        };
        self.files().filter(differs).map(|(name, _)| name)
    }

    /// Completes a finding about a file of the theme with its path and line.
    pub fn locate(&self, mut finding: Finding) -> Finding {
        let name = finding.place.file.clone();
        for (place, _) in &mut finding.related {
            place.file = self.path(&place.file);
        }
        let span = finding.place.span;
        if span.line > 0 && finding.source.is_none() {
            let text = self.text(&name);
            let line = text.lines().nth(span.line as usize - 1).unwrap_or_default();
            if finding.code == Code::UNKNOWN_VALUE && names_word(line, span) {
                finding.code = Code::UNKNOWN_WORD;
            }
            finding.source = Some(Excerpts::of(line).cut(span));
        }
        finding.place.file = self.path(&name);
        if !finding.place.file.starts_with(BUILT_IN_FOLDER) {
            return finding;
        }
        // Suspect the files that the template extends or includes first.
        let text = self.text(&name);
        let (named, others): (Vec<&str>, Vec<&str>) =
            self.overrides().partition(|other| text.contains(&format!("\"{other}\"")));
        let suspects = if named.is_empty() { others } else { named };
        if suspects.is_empty() {
            return finding;
        }
        let suspects = suspects[..suspects.len().min(5)].join(", ");
        finding.help(messages::override_suspected(suspects))
    }

    /// Returns the text of a file by its name in findings.
    fn text(&self, name: &str) -> Cow<'_, str> {
        if let Some(name) = name.strip_prefix(BUILT_IN_FOLDER) {
            return built_in_text(name.trim_start_matches('/')).into();
        }
        let source = self.get(name).filter(|source| source.is_own || !self.seen.contains(name));
        match self.words(name).or_else(|| source.map(ThemeSource::text)) {
            Some(text) => text.into(),
            None => self.rejected_text(name).unwrap_or_default().into(),
        }
    }

    /// Returns the text of a file that was rejected, to show the line of the fault.
    fn rejected_text(&self, name: &str) -> Option<String> {
        let text = bytes(&Folder::new(self.folder.as_deref()?), name).ok()?;
        Some(tidy(&String::from_utf8_lossy(&text)).into_owned())
    }

    /// Returns the number of examined files of the folder.
    pub(crate) fn count(&self) -> usize {
        self.seen.len()
    }

    /// Returns the path of a file of the theme for messages.
    fn path(&self, name: &str) -> String {
        if name.starts_with(BUILT_IN_FOLDER) {
            return name.to_owned();
        }
        let is_built_in = built_in(name).is_some() && !self.seen.contains(name);
        match &self.folder {
            Some(folder) if !is_built_in => {
                let folder = folder.display().to_string();
                let folder = folder.trim_end_matches('/');
                if name.is_empty() { folder.to_owned() } else { format!("{folder}/{name}") }
            }
            _ => built_in_name(name),
        }
    }
}

/// Whether the expression that ends at `span` is an interface word, such as `t.mail.stop`.
fn names_word(line: &str, span: Span) -> bool {
    let end = (span.column + span.length) as usize - 1;
    let before: String = line.chars().take(end).collect();
    let is_outside = |letter: char| !(letter.is_alphanumeric() || matches!(letter, '_' | '.' | '[' | ']' | '"' | '\''));
    let expression = before.rsplit(is_outside).next().unwrap_or_default();
    expression.starts_with("t.") || expression.starts_with("t[")
}

/// Returns the sorted names of the files below `folder`, without hidden ones.
fn names(folder: &Path, findings: &mut Vec<Finding>) -> Vec<String> {
    let relative = |path: &Path| {
        let parts: Vec<_> =
            path.strip_prefix(folder).unwrap_or(path).iter().map(|part| part.to_string_lossy()).collect();
        parts.join("/")
    };
    let is_shown = |entry: &DirEntry| entry.depth() == 0 || !is_hidden(entry.file_name());
    let mut names = Vec::new();
    for (count, entry) in WalkDir::new(folder).sort_by_file_name().into_iter().filter_entry(is_shown).enumerate() {
        if count > MAX_FILES {
            let finding = Finding::new(Code::TOO_LARGE, Place::file(""), messages::templates_too_many(MAX_FILES));
            findings.push(finding.help(messages::templates_too_many_help()));
            break;
        }
        match entry {
            Err(error) => {
                let name = error.path().map(relative).unwrap_or_default();
                let message = messages::theme_path_not_readable(error);
                findings.push(Finding::new(Code::NOT_READABLE, Place::file(name), message));
            }
            Ok(entry) if entry.depth() > 0 && entry.path_is_symlink() => {
                let place = Place::file(relative(entry.path()));
                let finding = Finding::new(Code::SYMBOLIC_LINK, place, messages::theme_link_symbolic());
                findings.push(finding.help(messages::theme_link_symbolic_help()));
            }
            Ok(entry) if entry.file_type().is_file() => names.push(relative(entry.path())),
            Ok(_) => {}
        }
    }
    names
}

/// Reads a file that is not text, up to the maximum size.
fn bytes(folder: &Folder, name: &str) -> Result<Vec<u8>, Box<Finding>> {
    let mut bytes = Vec::new();
    let read = folder.open(name).and_then(|file| file.take(MAX_PICTURE_BYTES + 1).read_to_end(&mut bytes));
    let finding = match read {
        Ok(length) if length as u64 <= MAX_PICTURE_BYTES => return Ok(bytes),
        Ok(_) => Finding::new(Code::TOO_LARGE, Place::file(name), messages::theme_file_too_large()),
        Err(error) => Finding::new(Code::NOT_READABLE, Place::file(name), messages::file_not_readable(error)),
    };
    Err(Box::new(finding))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interface_word_is_recognized_by_its_expression() {
        let span = |line: &str, name: &str| {
            let at = line.find(name).unwrap();
            Span { line: 1, column: at as u32 + 1, length: name.len() as u32 }
        };
        for (line, name, expected) in [
            ("<h1>{{ t.contct.heading }}", "contct", true),
            ("{{t.mail.stp}}", "stp", true),
            ("{{ t[\"skib\"] }}", "t[\"skib\"]", true),
            ("{{ page.titel }}", "titel", false),
            ("{{ start.titel }}", "titel", false),
        ] {
            assert_eq!(names_word(line, span(line, name)), expected, "{line}");
        }
    }

    #[test]
    fn linked_file_is_reported_under_its_own_path() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("pages")).unwrap();
        let link = folder.path().join("pages/page.html");
        std::os::unix::fs::symlink("/dev/null", &link).unwrap();
        let mut findings = Vec::new();
        let sources = Sources::read(Some(folder.path()), &mut findings);
        let [finding] = &findings[..] else { panic!("{findings:?}") };
        assert_eq!(sources.locate(finding.clone()).place.file, link.display().to_string());
    }

    #[test]
    fn built_in_files_are_sorted_and_their_texts_are_utf_8() {
        assert!(BUILT_IN.is_sorted_by_key(|(name, _)| *name) && BUILT_IN.len() > 90);
        assert!(built_in("README.md").is_none() && built_in("assets/fonts/inter.woff2").is_some());
        for (name, bytes) in all_built_in().filter(|(name, _)| !name.ends_with(".woff2")) {
            assert!(str::from_utf8(bytes).is_ok_and(|text| !text.contains('\r')), "{name}");
        }
    }
}
