//! Entries that are ready to be written, and how they are written: all of them or none.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs, io,
    path::{Path, PathBuf},
};

use content::{Kind, new_slug};
use contract::{Locale, text::Slug};
use findings::messages::{self, Text};
use markdown::turkish;

/// A file beside a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    pub name: String,
    pub bytes: Vec<u8>,
}

/// The text of an entry in one language.
#[derive(Clone, Debug, Default)]
pub struct ImportedText {
    pub title: String,
    /// Made from the title if absent.
    pub slug: Option<String>,
    /// Fields behind `title` and `slug`, in order; each value as YAML.
    pub fields: Vec<(&'static str, String)>,
    pub body: String,
}

#[derive(Clone, Debug)]
pub struct ImportedEntry {
    pub kind: Kind,
    pub key: String,
    pub texts: BTreeMap<&'static str, ImportedText>,
    pub pictures: Vec<Picture>,
    /// The file that it comes from.
    pub source: String,
}

impl ImportedEntry {
    /// Returns the files with their paths below the content folder.
    pub fn files(&self) -> impl Iterator<Item = String> {
        let folder = format!("{}/{}", self.kind.folder(), self.key);
        let texts = self.texts.keys().map(|locale| format!("index.{locale}.md"));
        texts
            .chain(self.pictures.iter().map(|picture| picture.name.clone()))
            .map(move |name| format!("{folder}/{name}"))
    }
}

/// Returns a key for titles by language: made from the English one, if there is one.
pub(crate) fn key_of<'a>(titles: impl Iterator<Item = (Locale, &'a str)>) -> Option<String> {
    let titles: BTreeMap<&str, (Locale, &str)> =
        titles.map(|(locale, title)| (locale.as_str(), (locale, title))).collect();
    let (locale, title) = titles.get(Locale::En.as_str()).or_else(|| titles.values().next())?;
    Some(turkish::slug(title, *locale)).filter(|key| !key.is_empty())
}

/// Returns a text as a value of YAML, in quotation marks where it could mean something else.
pub(crate) fn yaml(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let is_plain = line.chars().next().is_some_and(char::is_alphabetic)
        && !line.contains(": ")
        && !line.contains(" #")
        && !line.ends_with(':')
        && !["true", "false", "yes", "no", "null", "on", "off", "y", "n"].contains(&line.to_lowercase().as_str());
    if is_plain { line } else { format!("\"{}\"", line.replace('\\', "\\\\").replace('"', "\\\"")) }
}

fn text_of(content: &Path, entry: &ImportedEntry, text: &ImportedText, locale: &str) -> String {
    let named = if matches!(entry.kind, Kind::Publications | Kind::Pages) { "title" } else { "name" };
    let language = locale.parse().unwrap_or(Locale::Tr);
    let new = || new_slug(content, (entry.kind, &entry.key, language), &text.title);
    let slug = text.slug.clone().unwrap_or_else(new);
    let mut front = format!("---\n{named}: {}\nslug: {slug}\n", yaml(&text.title));
    for (name, value) in &text.fields {
        front.extend([name, ": ", value, "\n"]);
    }
    format!("{front}---\n\n{}", text.body)
}

/// Writes the entries below `content`: all of them, or none.
///
/// # Errors
/// If a key is taken or the disk fails; then nothing is left.
pub fn write(content: &Path, entries: &[ImportedEntry]) -> Result<(), Text> {
    if !content.is_dir() {
        return Err(messages::content_folder_absent(content.display()));
    }
    let mut taken = BTreeSet::new();
    for entry in entries {
        if Slug::parse(&entry.key).is_err() {
            return Err(messages::key_not_possible(&entry.key));
        }
        let folder = content.join(entry.kind.folder()).join(&entry.key);
        if folder.symlink_metadata().is_ok() {
            return Err(messages::import_key_exists(&entry.source, folder.display()));
        }
        if !taken.insert(folder) {
            return Err(messages::import_key_twice(&entry.source, &entry.key));
        }
    }
    let failed = |path: &Path, error: &io::Error| Text::verbatim(format_args!("{}: {error}", path.display()));
    // Names that begin with a dot are no entries; the folder is on the same disk, so that renaming suffices.
    let staging =
        tempfile::Builder::new().prefix(".import-").tempdir_in(content).map_err(|error| failed(content, &error))?;
    for (number, entry) in entries.iter().enumerate() {
        let folder = staging.path().join(number.to_string());
        let stage = || -> io::Result<()> {
            fs::create_dir(&folder)?;
            for (locale, text) in &entry.texts {
                fs::write(folder.join(format!("index.{locale}.md")), text_of(content, entry, text, locale))?;
            }
            for picture in &entry.pictures {
                fs::write(folder.join(&picture.name), &picture.bytes)?;
            }
            Ok(())
        };
        stage().map_err(|error| failed(&folder, &error))?;
    }
    let mut moved: Vec<PathBuf> = Vec::new();
    for (number, entry) in entries.iter().enumerate() {
        let kind = content.join(entry.kind.folder());
        let folder = kind.join(&entry.key);
        let renamed =
            fs::create_dir_all(&kind).and_then(|()| fs::rename(staging.path().join(number.to_string()), &folder));
        if let Err(error) = renamed {
            for folder in &moved {
                // This run created it a moment ago.
                let _ = fs::remove_dir_all(folder);
            }
            return Err(failed(&folder, &error));
        }
        moved.push(folder);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(key: &str) -> ImportedEntry {
        let text = ImportedText {
            title: "Kira: artışı".to_owned(),
            slug: None,
            fields: vec![("draft", "true".to_owned())],
            body: "Metin.\n".to_owned(),
        };
        let pictures = vec![Picture { name: "a.png".to_owned(), bytes: vec![1] }];
        ImportedEntry {
            kind: Kind::Publications,
            key: key.to_owned(),
            texts: [("tr", text)].into(),
            pictures,
            source: "a.docx".to_owned(),
        }
    }

    #[test]
    fn entries_are_written_whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), &[entry("kira")]).unwrap();
        let text = fs::read_to_string(folder.path().join("publications/kira/index.tr.md")).unwrap();
        assert_eq!(text, "---\ntitle: \"Kira: artışı\"\nslug: kira-artisi\ndraft: true\n---\n\nMetin.\n");
        // The slug of the title is taken.
        write(folder.path(), &[entry("kira-2026")]).unwrap();
        let other = fs::read_to_string(folder.path().join("publications/kira-2026/index.tr.md")).unwrap();
        assert!(other.contains("\nslug: kira-2026\n"), "{other}");
        assert!(write(folder.path(), &[entry("vergi"), entry("kira")]).is_err());
        assert!(write(folder.path(), &[entry("is"), entry("is")]).is_err());
        let names: Vec<_> =
            fs::read_dir(folder.path().join("publications")).unwrap().map(|it| it.unwrap().file_name()).collect();
        assert_eq!(names.len(), 2, "{names:?}");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn values_of_front_matter_are_quoted_where_they_must_be() {
        for (text, wanted) in [
            ("Kira artışı", "Kira artışı"),
            ("2024’te kira", "\"2024’te kira\""),
            ("Kira: artış", "\"Kira: artış\""),
            ("“Ses”", "\"“Ses”\""),
            ("a \"b\"", "a \"b\""),
            ("No", "\"No\""),
            ("- x", "\"- x\""),
        ] {
            assert_eq!(yaml(text), wanted);
        }
    }
}
