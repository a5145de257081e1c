//! Finds the files in the content folder and classifies each by its path and name.

use std::{
    collections::{BTreeMap, HashMap, hash_map::Entry},
    ffi::OsStr,
    path::Path,
};

use contract::{Locale, text::Slug};
use findings::{
    Code, Finding, Place,
    messages::{self, Text},
    nearest,
};
use markdown::{is_picture, published_ending, turkish};
use walkdir::{DirEntry, WalkDir};

use super::{
    Kind, PageKind, is_language,
    well_known::{self, WELL_KNOWN},
};

/// The largest picture that is published unchanged, in bytes.
pub const MAX_PICTURE_BYTES: u64 = 8 * 1024 * 1024;

/// The largest photograph, in bytes; only smaller forms of it are published. Phones with a large sensor write 25 MiB.
pub const MAX_PHOTOGRAPH_BYTES: u64 = 32 * 1024 * 1024;

/// The largest document, in bytes: the server keeps its files in memory.
pub const MAX_DOCUMENT_BYTES: u64 = 16 * 1024 * 1024;

pub const SETTINGS: &str = "site.toml";
/// The register of accepted deviations.
pub const DEVIATIONS: &str = "deviations.toml";
/// The synonyms in searches.
pub const SYNONYMS: &str = "synonyms.toml";
/// The laws that texts cite, besides those that every site knows.
pub const LAWS: &str = "laws.toml";
pub const LAW_CHANGES: &str = "law-changes.toml";
const SETTINGS_FILES: [&str; 5] = [SETTINGS, DEVIATIONS, SYNONYMS, LAWS, LAW_CHANGES];

/// A likely wrong name of the folder [`WELL_KNOWN`]: that of the public path.
const HIDDEN_WELL_KNOWN: &str = ".well-known";

/// Names of folders below `pages/` that are reserved for generated pages.
pub const RESERVED_PAGES: [&str; 3] = ["404", "index", "start"];

/// A language file of an entry.
#[derive(Debug)]
pub struct EntryFile {
    pub kind: Kind,
    pub key: String,
    pub locale: Locale,
    /// Path below the content folder.
    pub file: String,
}

/// The files of the content folder.
#[derive(Debug, Default)]
pub struct Tree {
    /// The settings and the registers beside them, by name.
    pub settings: Vec<&'static str>,
    /// Sorted by path.
    pub entries: Vec<EntryFile>,
    /// Pictures and documents below the content folder, with their size in bytes.
    pub files: BTreeMap<String, u64>,
    /// The names on disk of the files whose accents are stored as separate characters.
    pub stored: HashMap<String, String>,
}

impl Tree {
    /// Whether a file of this name is beside the settings.
    pub fn has(&self, file: &str) -> bool {
        self.settings.contains(&file)
    }
}

/// Walks `content` and reports everything that does not belong there.
pub fn walk(content: &Path) -> (Tree, Vec<Finding>) {
    let mut walker = Walker { content, tree: Tree::default(), findings: Vec::new(), folders: Vec::new() };
    let visible = |entry: &DirEntry| {
        let first = entry.path().strip_prefix(content).ok().and_then(|below| below.iter().next());
        match first.and_then(OsStr::to_str) {
            // These files prove ownership, so hidden ones are reported, not ignored.
            Some(WELL_KNOWN) => entry.depth() <= 2,
            Some(HIDDEN_WELL_KNOWN) => entry.depth() == 1,
            _ => entry.depth() == 0 || !is_hidden(entry.file_name()),
        }
    };
    for entry in WalkDir::new(content).sort_by_file_name().into_iter().filter_entry(visible) {
        match entry {
            Ok(entry) if entry.depth() > 0 => walker.add(&entry),
            Ok(_) => {}
            Err(error) => {
                let file = error.path().map(|path| walker.relative(path)).unwrap_or_default();
                let message = messages::folder_not_readable(reason(&error));
                walker.findings.push(Finding::new(Code::NOT_READABLE, Place::file(file), message));
            }
        }
    }
    walker.tree.entries.sort_by(|a, b| a.file.cmp(&b.file));
    walker.report_empty_folders();
    walker.report_duplicates();
    (walker.tree, walker.findings)
}

fn reason(error: &walkdir::Error) -> Text {
    error.io_error().map_or_else(messages::links_in_a_circle, Text::verbatim)
}

struct Walker<'a> {
    content: &'a Path,
    tree: Tree,
    findings: Vec<Finding>,
    /// Folders of entries.
    folders: Vec<String>,
}

impl Walker<'_> {
    fn relative(&self, path: &Path) -> String {
        let below = path.strip_prefix(self.content).unwrap_or(path);
        let parts: Vec<_> = below.iter().map(OsStr::to_string_lossy).collect();
        parts.join("/")
    }

    /// Returns whether a file other than `entry` has the name `composed`.
    fn has_other_file(&self, composed: &str, entry: &DirEntry) -> bool {
        // Some systems find a file under either form of its name.
        let other = self.content.join(composed);
        other.exists() && !same_file::is_same_file(other, entry.path()).unwrap_or(false)
    }

    fn report(&mut self, code: Code, file: &str, message: Text, help: Text) {
        self.findings.push(Finding::new(code, Place::file(file), message).help(help));
    }

    fn add(&mut self, entry: &DirEntry) {
        let stored = self.relative(entry.path());
        let file = turkish::compose(&stored).into_owned();
        let Some(name) = entry.file_name().to_str() else {
            self.report(Code::NAME_NOT_UTF8, &file, messages::name_not_utf8(), messages::name_not_utf8_help());
            return;
        };
        if stored != file {
            if self.has_other_file(&file, entry) {
                let message = messages::name_twice(turkish::compose(name));
                self.report(Code::NAME_TWICE, &file, message, messages::name_twice_help());
                return;
            }
            self.tree.stored.insert(file.clone(), stored);
        }
        if entry.path_is_symlink() {
            self.report(Code::SYMBOLIC_LINK, &file, messages::link_symbolic(), messages::theme_link_symbolic_help());
            return;
        }
        let parts: Vec<&str> = file.split('/').collect();
        if entry.file_type().is_dir() {
            self.folder(&file, &parts);
        } else if entry.file_type().is_file() {
            self.file(&file, &parts, entry);
        } else {
            // Reading a pipe or a device could block forever.
            let (message, help) = (messages::file_not_ordinary(), messages::file_not_ordinary_help());
            self.report(Code::NOT_READABLE, &file, message, help);
        }
    }

    fn folder(&mut self, file: &str, parts: &[&str]) {
        match parts {
            [WELL_KNOWN] => {}
            [HIDDEN_WELL_KNOWN] => {
                let message = messages::well_known_hidden();
                self.report(Code::UNKNOWN_FILE, file, message, messages::well_known_hidden_help());
            }
            [WELL_KNOWN, name] => {
                let message = messages::well_known_folder(name);
                self.report(Code::UNKNOWN_FILE, file, message, messages::well_known_flat_help());
            }
            [name] if Kind::parse(name).is_none() => {
                let names: Vec<&str> = Kind::ALL.into_iter().map(Kind::folder).chain([WELL_KNOWN]).collect();
                let finding = Finding::new(Code::UNKNOWN_FOLDER, Place::file(file), messages::folder_unknown(name))
                    .did_you_mean(nearest(name, names.iter().copied()));
                self.findings.push(finding.help(messages::folders_help(names.join(", "))));
            }
            [kind, key] => match Kind::parse(kind) {
                Some(Kind::Contact) | None => {}
                Some(kind) => {
                    if kind == Kind::Pages {
                        self.page_folder(file, key);
                    }
                    // An expected page without texts is reported as missing.
                    if kind != Kind::Pages || !PageKind::of(key).is_expected() {
                        self.folders.push(file.to_owned());
                    }
                    self.entry_folder(file, key);
                }
            },
            _ => {}
        }
    }

    fn page_folder(&mut self, file: &str, key: &str) {
        if RESERVED_PAGES.contains(&key) {
            self.report(Code::RESERVED_PAGE, file, messages::page_reserved(key), messages::page_reserved_help());
        }
    }

    fn entry_folder(&mut self, file: &str, key: &str) {
        if Slug::parse(key).is_err() {
            let suggestion = turkish::slug(key, Locale::Tr);
            let help = match Slug::parse(&suggestion) {
                Ok(_) => messages::folder_name_help(suggestion),
                Err(invalid) => messages::folder_name_form_help(Text::from(invalid)),
            };
            self.report(Code::BAD_KEY, file, messages::folder_name_not_key(key), help);
        }
    }

    fn file(&mut self, file: &str, parts: &[&str], entry: &DirEntry) {
        let kind = parts.first().copied().and_then(Kind::parse);
        match (kind, parts) {
            (_, [name]) if let Some(known) = SETTINGS_FILES.into_iter().find(|known| known == name) => {
                self.tree.settings.push(known);
            }
            (_, [name]) if is_picture(name) => {
                self.tree.files.insert(file.to_owned(), bytes(entry));
            }
            (_, [_]) => self.report_unused(file, messages::files_beside_settings_help),
            (_, [WELL_KNOWN, name]) => self.well_known_file(file, name, entry),
            (None, _) => {}
            (Some(Kind::Contact), [_, name]) => {
                self.entry_file(Kind::Contact, Kind::Contact.folder(), name, file, entry);
            }
            (Some(kind), [_, key, name]) if kind != Kind::Contact => self.entry_file(kind, key, name, file, entry),
            (Some(_), [.., name]) if has_ending(name, "md") => {
                self.report(Code::MISPLACED_TEXT, file, messages::text_misplaced(), messages::text_misplaced_help());
            }
            _ => self.report_unused(file, messages::file_too_deep_help),
        }
    }

    fn well_known_file(&mut self, file: &str, name: &str, entry: &DirEntry) {
        if is_hidden(entry.file_name()) {
            self.report_unused(file, messages::well_known_flat_help);
        } else if let Some((message, help)) = well_known::check_name(name) {
            self.report(Code::WELL_KNOWN_NAME, file, message, help);
        } else {
            self.tree.files.insert(file.to_owned(), bytes(entry));
        }
    }

    fn entry_file(&mut self, kind: Kind, key: &str, name: &str, file: &str, entry: &DirEntry) {
        if let Some(locale) = language_of(name, key) {
            let small = name.to_lowercase();
            if small != name {
                let message = messages::text_name_in_capitals(name);
                self.report(Code::NAME_IN_CAPITALS, file, message, messages::text_rename_help(small));
            }
            self.tree.entries.push(EntryFile { kind, key: key.to_owned(), locale, file: file.to_owned() });
        } else if published_ending(name).is_some() {
            self.tree.files.insert(file.to_owned(), bytes(entry));
        } else if ["md", "markdown", "mdx"].iter().any(|ending| has_ending(name, ending)) {
            // A text in a third language is no misspelt name.
            let is_another = name.split_once('.').is_some_and(|(code, _)| is_language(code));
            let word = nearest(name, ["index.en.md", "index.tr.md", "en.md", "tr.md"]).filter(|_| !is_another);
            let message = messages::text_of_unknown_language(name);
            let finding = Finding::new(Code::UNKNOWN_TEXT, Place::file(file), message).did_you_mean(word);
            self.findings.push(finding.help(messages::text_names_help()));
        } else if let Some(right) = renamed_by_windows(name) {
            let finding = Finding::new(Code::UNKNOWN_TEXT, Place::file(file), messages::text_name_unknown(name))
                .did_you_mean(Some(&right));
            self.findings.push(finding.help(messages::text_name_hidden_help()));
        } else {
            self.report_unused(file, messages::files_of_entry_help);
        }
    }

    fn report_unused(&mut self, file: &str, help: fn() -> Text) {
        let name = file.rsplit('/').next().unwrap_or_default();
        let help = other_format(name).unwrap_or_else(help);
        self.report(Code::UNKNOWN_FILE, file, messages::file_unused(name), help);
    }

    /// Keeps the first of several texts of an entry in one language, and reports the others.
    fn report_duplicates(&mut self) {
        let mut taken: HashMap<(Kind, String, Locale), String> = HashMap::new();
        for text in std::mem::take(&mut self.tree.entries) {
            match taken.entry((text.kind, text.key.clone(), text.locale)) {
                Entry::Occupied(first) => {
                    let place = Place::file(first.get().as_str());
                    let finding = Finding::new(Code::TEXT_TWICE, Place::file(text.file), messages::text_twice())
                        .related(place, messages::text_other_here());
                    self.findings.push(finding.help(messages::text_twice_help()));
                }
                Entry::Vacant(free) => {
                    free.insert(text.file.clone());
                    self.tree.entries.push(text);
                }
            }
        }
    }

    fn report_empty_folders(&mut self) {
        for folder in std::mem::take(&mut self.folders) {
            let prefix = format!("{folder}/");
            let first = self.tree.entries.partition_point(|entry| entry.file < prefix);
            let next = self.tree.entries.get(first);
            if !next.is_some_and(|entry| entry.file.starts_with(&prefix)) {
                let (message, help) = (messages::folder_without_texts(), messages::folder_without_texts_help());
                self.report(Code::NO_TEXTS, &folder, message, help);
            }
        }
    }
}

/// Returns the language of a text by its name: `en.md`, `index.en.md`, or `<key>.en.md` in the folder of that key.
/// Capitals do not matter.
pub fn language_of(name: &str, key: &str) -> Option<Locale> {
    let name = name.to_lowercase();
    let stem = name.strip_suffix(".md")?;
    let code =
        stem.rsplit_once('.').map_or(Some(stem), |(before, code)| (before == "index" || before == key).then_some(code));
    code?.parse().ok()
}

/// Returns the remedy for a file of an unpublished format that can be converted, or for a link to the source of a page.
pub fn other_format(name: &str) -> Option<Text> {
    let (_, ending) = name.rsplit_once('.')?;
    Some(match ending.to_ascii_lowercase().as_str() {
        "heic" | "heif" => messages::heif_help(),
        "bmp" | "gif" | "tif" | "tiff" => messages::picture_format_help(),
        "doc" | "docm" | "rtf" => messages::word_format_help(),
        "xls" | "xlsm" => messages::sheet_format_help(),
        "md" | "markdown" | "htm" | "html" => messages::page_link_help(),
        _ => return None,
    })
}

/// Returns the right name of a text to which an editor on Windows added an ending: `index.tr.md.txt`, `tr.txt`.
fn renamed_by_windows(name: &str) -> Option<String> {
    let name = name.to_ascii_lowercase();
    let stem = name.strip_suffix(".txt")?;
    let stem = stem.strip_suffix(".md").unwrap_or(stem);
    stem.strip_prefix("index.").unwrap_or(stem).parse::<Locale>().ok()?;
    Some(format!("{stem}.md"))
}

/// Returns whether a file or folder of this name is ignored because it belongs to an editor or to the system:
/// `.DS_Store`, Word's lock files, `Thumbs.db`, `desktop.ini`.
pub fn is_hidden(name: &OsStr) -> bool {
    let name = name.as_encoded_bytes();
    let is_of_windows = || [&b"Thumbs.db"[..], b"desktop.ini"].iter().any(|own| name.eq_ignore_ascii_case(own));
    name.starts_with(b".") || name.starts_with(b"~$") || is_of_windows()
}

fn bytes(entry: &DirEntry) -> u64 {
    entry.metadata().map_or(0, |metadata| metadata.len())
}

fn has_ending(name: &str, ending: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(_, found)| found.eq_ignore_ascii_case(ending))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn language_of_a_text_is_read_from_its_name() {
        for (name, locale) in [
            ("en.md", Some(Locale::En)),
            ("tr.MD", Some(Locale::Tr)),
            ("TR.md", Some(Locale::Tr)),
            ("index.tr.md", Some(Locale::Tr)),
            ("remote-work.en.md", Some(Locale::En)),
            ("other.en.md", None),
            ("index.md", None),
            ("index.de.md", None),
            ("tr.md.txt", None),
            ("tr.markdown", None),
        ] {
            assert_eq!(language_of(name, "remote-work"), locale, "{name}");
        }
    }
}
