//! Commands for the built-in theme: list, copy and compare its files.

use std::{
    fmt::Write as _,
    fs::{self, File},
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use content::Folder;
use contract::Locale;
use findings::{
    Finding, Findings, Place, Severity,
    messages::{self, Text},
    nearest,
};
use render::{ORIGINALS, Original, Originals, Sources, Theme, all_built_in, built_in};
use similar::TextDiff;
use site::{Loading, Site, report};

/// The folder of interface words, which are overridden one by one.
const STRINGS: &str = "strings/";

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThemeFile {
    pub name: String,
    pub bytes: usize,
    pub state: ThemeFileState,
}

/// The origin of a file of the theme.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ThemeFileState {
    BuiltIn,
    /// The folder has the same file as the program.
    Same,
    /// The folder replaces the built-in file, or some of its words.
    Overridden,
    /// The folder replaces the built-in file with a copy of another version.
    Outdated,
    /// The folder replaces the built-in file, and its version is not recorded.
    Unrecorded,
    /// Only the folder has the file.
    Own,
}

impl ThemeFileState {
    pub fn words(self) -> Text {
        match self {
            Self::BuiltIn => messages::theme_file_built_in(),
            Self::Same => messages::theme_file_same(),
            Self::Overridden => messages::theme_file_overridden(),
            Self::Outdated => messages::theme_file_outdated(),
            Self::Unrecorded => messages::theme_file_unrecorded(),
            Self::Own => messages::theme_file_own(),
        }
    }
}

/// Lists every file of the theme, sorted by name.
///
/// # Errors
/// If a file of `folder` cannot be read.
pub fn list(folder: Option<&Path>) -> Result<Vec<ThemeFile>, Text> {
    let sources = read(folder)?;
    let originals = record(folder)?;
    let words = all_built_in().filter(|(name, _)| name.starts_with(STRINGS));
    let words = words.map(|(name, bytes)| match sources.words(name) {
        Some(text) => ThemeFile { name: name.to_owned(), bytes: text.len(), state: ThemeFileState::Overridden },
        None => ThemeFile { name: name.to_owned(), bytes: bytes.len(), state: ThemeFileState::BuiltIn },
    });
    let files = sources.files().map(|(name, source)| {
        let state = match built_in(name) {
            _ if !source.is_own => ThemeFileState::BuiltIn,
            None => ThemeFileState::Own,
            Some(bytes) if source.bytes == bytes => ThemeFileState::Same,
            Some(bytes) => match originals.0.get(name) {
                Some(original) if original.is(bytes) => ThemeFileState::Overridden,
                Some(_) => ThemeFileState::Outdated,
                None => ThemeFileState::Unrecorded,
            },
        };
        ThemeFile { name: name.to_owned(), bytes: source.bytes.len(), state }
    });
    let mut entries: Vec<ThemeFile> = files.chain(words).collect();
    entries.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(entries)
}

/// Returns findings about names in `site.toml` that the theme lacks.
pub fn misfits(loading: &Loading, site: &Site, theme: &Theme) -> Findings {
    report(loading, &Folder::new(loading.content), theme.misfits(&site.settings), 0)
}

/// Copies built-in files, or all of a folder such as `forms`, to `folder`, and records which version they are of. Words
/// are copied as comments, since a file of words overrides only those that it contains. Returns the files that were
/// written.
///
/// # Errors
/// If a name is unknown, a file exists, or the disk fails; copied files are then removed.
pub fn copy(folder: &Path, names: &[String]) -> Result<Vec<PathBuf>, Text> {
    let files = find_built_in(names)?;
    let taken: Vec<&str> = files.iter().map(|(name, _)| *name).filter(|name| exists(&folder.join(name))).collect();
    if !taken.is_empty() {
        return Err(messages::copies_in_the_way(folder.display(), taken.join(", ")));
    }
    let before = record(Some(folder))?;
    let mut written = Vec::new();
    write_all(folder, &files, &before, &mut written).map_err(|(path, error)| {
        // The written files are unchanged copies, so they can be deleted.
        for path in &written {
            drop(fs::remove_file(path));
        }
        if before.0.is_empty() {
            drop(fs::remove_file(folder.join(ORIGINALS)));
        } else {
            drop(before.write(folder));
        }
        messages::copy_not_written(path.display(), error)
    })?;
    Ok(written)
}

/// Records that overrides were compared with the current built-in files.
///
/// # Errors
/// If a name is not that of an override, or the disk fails.
pub fn accept(folder: &Path, names: &[String]) -> Result<(), Text> {
    let sources = read(Some(folder))?;
    let mut originals = record(Some(folder))?;
    for name in names {
        let overridden = sources.get(name).filter(|source| source.is_own).and_then(|_| built_in(name));
        let Some(bytes) = overridden else {
            return Err(match nearest(name, sources.overrides()) {
                Some(nearest) => messages::override_unknown_meant(folder.display(), name, nearest),
                None => messages::override_unknown(folder.display(), name),
            });
        };
        originals.0.insert(name.clone(), Original::of(bytes));
    }
    originals.write(folder).map_err(|error| messages::originals_not_written(ORIGINALS, error))?;
    Ok(())
}

/// Returns a unified diff from the built-in files to those of `folder` with these names; without names, of all that
/// differ.
///
/// # Errors
/// If a name is unknown, or a file cannot be read.
pub fn diff(folder: &Path, names: &[String], language: Locale) -> Result<String, Text> {
    let sources = read(Some(folder))?;
    let wanted: Vec<&str> = if names.is_empty() {
        let words = all_built_in().map(|(name, _)| name).filter(|name| sources.words(name).is_some());
        sources.overrides().chain(words).collect()
    } else {
        find_built_in(names)?.into_iter().map(|(name, _)| name).collect()
    };
    let mut out = String::new();
    for name in wanted {
        let (old, new) = match (sources.words(name), sources.get(name)) {
            (Some(theirs), _) => compared_words(name, theirs),
            (None, Some(source)) if source.is_own => {
                let built_in = built_in(name).unwrap_or_default();
                match (str::from_utf8(built_in), str::from_utf8(&source.bytes)) {
                    (Ok(old), Ok(new)) => (old.to_owned(), new.to_owned()),
                    _ if built_in == source.bytes.as_ref() => continue,
                    _ => {
                        let words = messages::files_differ(format!("built-in/{name}"), folder.join(name).display());
                        out.extend([&words[language], "\n"]);
                        continue;
                    }
                }
            }
            _ => continue,
        };
        let headers = (format!("built-in/{name}"), folder.join(name).display().to_string());
        let diff = TextDiff::from_lines(&old, &new);
        out += &diff.unified_diff().context_radius(3).header(&headers.0, &headers.1).to_string();
    }
    Ok(out)
}

/// Returns the overridden words of a file, built in and overridden, one per line.
fn compared_words(name: &str, theirs: &str) -> (String, String) {
    let words = |text: &str| text.parse::<toml::Table>().unwrap_or_default();
    let ours = words(str::from_utf8(built_in(name).unwrap_or_default()).unwrap_or_default());
    let (mut old, mut new) = (String::new(), String::new());
    compare(&ours, &words(theirs), "", &mut old, &mut new);
    (old, new)
}

fn compare(ours: &toml::Table, theirs: &toml::Table, prefix: &str, old: &mut String, new: &mut String) {
    for (name, value) in theirs {
        let key = format!("{prefix}{name}");
        match (ours.get(name), value) {
            (Some(toml::Value::Table(ours)), toml::Value::Table(theirs)) => {
                compare(ours, theirs, &format!("{key}."), old, new);
            }
            (ours, value) => {
                old.extend(ours.map(|value| format!("{key} = {value}\n")));
                let _ = writeln!(new, "{key} = {value}");
            }
        }
    }
}

fn read(folder: Option<&Path>) -> Result<Sources, Text> {
    let mut findings = Vec::new();
    let sources = Sources::read(folder, &mut findings);
    match findings.into_iter().find(|finding| finding.severity() == Severity::Error) {
        Some(finding) => Err(sentence(&sources.locate(finding))),
        None => Ok(sources),
    }
}

fn record(folder: Option<&Path>) -> Result<Originals, Text> {
    let Some(folder) = folder else { return Ok(Originals::default()) };
    Originals::read(folder).map_err(|mut finding| {
        finding.place.file = folder.join(ORIGINALS).display().to_string();
        sentence(&finding)
    })
}

fn sentence(finding: &Finding) -> Text {
    let Place { file, span } = &finding.place;
    let line = if span.line > 0 { format!(":{}", span.line) } else { String::new() };
    Text::build(|locale| format!("{file}{line}: {}", &finding.message[locale]))
}

/// Returns the built-in files with these names or in folders with these names.
fn find_built_in(names: &[String]) -> Result<Vec<(&'static str, &'static [u8])>, Text> {
    let mut files = Vec::new();
    for name in names {
        let name = name.trim_start_matches("./").trim_end_matches('/');
        let below = format!("{name}/");
        let before = files.len();
        files.extend(all_built_in().filter(|(file, _)| *file == name || file.starts_with(&below)));
        if files.len() == before {
            let known = all_built_in().map(|(file, _)| file);
            return Err(match nearest(name, known) {
                Some(nearest) => messages::theme_file_unknown_meant(name, nearest),
                None => messages::theme_file_unknown(name),
            });
        }
    }
    files.sort_unstable();
    files.dedup();
    Ok(files)
}

/// Returns whether the path exists, also as a dangling link.
fn exists(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

/// Writes the record and then the files: after an interruption, every copied file is recorded. `written` lists the
/// files even if an error is returned.
fn write_all(
    folder: &Path,
    files: &[(&'static str, &'static [u8])],
    before: &Originals,
    written: &mut Vec<PathBuf>,
) -> Result<(), (PathBuf, io::Error)> {
    let mut originals = before.clone();
    let recorded = files.iter().filter(|(name, _)| !name.starts_with(STRINGS));
    originals.0.extend(recorded.map(|(name, bytes)| ((*name).to_owned(), Original::of(bytes))));
    fs::create_dir_all(folder).map_err(|error| (folder.to_owned(), error))?;
    if originals.0 != before.0 {
        originals.write(folder).map_err(|error| (folder.join(ORIGINALS), error))?;
    }
    for (name, bytes) in files {
        let path = folder.join(name);
        let parent = path.parent().unwrap_or(folder);
        fs::create_dir_all(parent).map_err(|error| (parent.to_owned(), error))?;
        let mut file = File::create_new(&path).map_err(|error| (path.clone(), error))?;
        written.push(path.clone());
        let language = || Path::new(name).file_stem()?.to_str()?.parse().ok();
        let text = name.starts_with(STRINGS).then(|| {
            comment_out_words(str::from_utf8(bytes).unwrap_or_default(), language().unwrap_or(Locale::DEFAULT))
        });
        file.write_all(text.as_ref().map_or(bytes, |text| text.as_bytes())).map_err(|error| (path, error))?;
    }
    Ok(())
}

/// Returns a file of words with each word commented out. Table headers stay, so that single words can be uncommented.
fn comment_out_words(text: &str, language: Locale) -> String {
    let head = format!("# {}\n", &messages::words_copied()[language]);
    let line = |line: &str| match line.trim_start().chars().next() {
        None => "\n".to_owned(),
        Some('#' | '[') => format!("{line}\n"),
        Some(_) => format!("# {line}\n"),
    };
    head + &text.lines().map(line).collect::<String>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copied_words_override_nothing_until_they_are_uncommented() {
        fn leaves(table: &toml::Table) -> usize {
            table.values().map(|value| value.as_table().map_or(1, leaves)).sum()
        }
        let text = str::from_utf8(built_in("strings/tr.toml").unwrap()).unwrap();
        let copied = comment_out_words(text, Locale::Tr);
        assert_eq!(leaves(&copied.parse().unwrap()), 0);
        let whole = copied.replacen("# skip = ", "skip = ", 1);
        assert_eq!(leaves(&whole.parse().unwrap()), 1);
    }
}
