//! Texts of other programs as entries of a site: Word, `LibreOffice` and `WordPress`.
//!
//! pandoc, a program of its own, reads and writes; this crate limits it, writes out what it would lose, changes its tree
//! into what the site's Markdown can express, and lists everything that cannot be carried over.

mod archive;
mod edits;
mod entries;
mod numbering;
mod open_document;
mod pandoc;
mod post;
mod tree;
mod unread;
mod word;
mod wordpress;

use std::{collections::BTreeMap, path::Path};

use content::Kind;
use contract::Locale;
use findings::messages::{self, Text};
use rayon::prelude::*;

pub use entries::{ImportedEntry, ImportedText, Picture, write};
pub use tree::Loss;
pub use wordpress::{WordPress, read as read_wordpress};

/// A file to import, with its language.
#[derive(Clone, Debug)]
pub struct ImportSource<'a> {
    pub file: &'a Path,
    /// The name without language and ending, which files of two languages share.
    pub stem: String,
    pub locale: Locale,
}

impl<'a> ImportSource<'a> {
    /// Returns the source at `file`. Its name may state the language, as in `name.tr.docx`; otherwise it is `locale`.
    ///
    /// # Errors
    /// If no language is named.
    pub fn of(file: &'a Path, locale: Option<Locale>) -> Result<Self, Text> {
        let stem = file.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        let (name, named) = match stem.rsplit_once('.').map(|(name, end)| (name, end.parse::<Locale>())) {
            Some((name, Ok(locale))) => (name, Some(locale)),
            _ => (stem, None),
        };
        let Some(locale) = named.or(locale) else { return Err(messages::import_language(file.display())) };
        let folder = file.parent().map(|folder| folder.display().to_string()).unwrap_or_default();
        Ok(Self { file, stem: format!("{folder}/{name}"), locale })
    }
}

/// Entries, and what was lost of them, by source.
#[derive(Debug, Default)]
pub struct Imported {
    pub entries: Vec<ImportedEntry>,
    /// The source of each loss, and the loss.
    pub losses: Vec<(String, Loss)>,
}

/// Reads documents; files of two languages with the same name become one entry.
///
/// # Errors
/// If one of them cannot be read. The message names the file.
pub fn read_documents(sources: &[ImportSource], kind: Kind, key: Option<&str>, today: &str) -> Result<Imported, Text> {
    let mut groups: BTreeMap<&str, Vec<&ImportSource>> = BTreeMap::new();
    for source in sources {
        let group = groups.entry(&source.stem).or_default();
        if let Some(other) = group.iter().find(|other| other.locale == source.locale) {
            return Err(messages::import_same_language(source.file.display(), other.file.display()));
        }
        group.push(source);
    }
    if key.is_some() && groups.len() > 1 {
        return Err(messages::import_key_of_several());
    }
    let groups: Vec<_> = groups.into_values().collect();
    let read: Vec<_> = groups.par_iter().map(|group| entry_of(group, kind, key, today)).collect::<Result<_, _>>()?;
    let mut imported = Imported::default();
    for (entry, losses) in read {
        imported.entries.push(entry);
        imported.losses.extend(losses);
    }
    Ok(imported)
}

fn in_file(file: impl std::fmt::Display, error: &Text) -> Text {
    error.map(|error| format!("{file}: {error}"))
}

fn entry_of(
    group: &[&ImportSource],
    kind: Kind,
    key: Option<&str>,
    today: &str,
) -> Result<(ImportedEntry, Vec<(String, Loss)>), Text> {
    let name = |source: &ImportSource| source.file.display().to_string();
    let mut texts = BTreeMap::new();
    let (mut pictures, mut losses): (Vec<Picture>, Vec<_>) = (Vec::new(), Vec::new());
    for source in group {
        let stem = source.stem.rsplit('/').next().unwrap_or_default();
        let pictures_of = match group.len() {
            1 => markdown::turkish::slug(stem, source.locale),
            _ => format!("{}-{}", markdown::turkish::slug(stem, source.locale), source.locale),
        };
        let read = word::read(source.file, source.locale, &pictures_of);
        let read = read.map_err(|error| in_file(name(source), &error))?;
        let title = read.title.unwrap_or_else(|| stem.replace(['_', '-'], " "));
        let mut fields: Vec<(&'static str, String)> = Vec::new();
        match kind {
            Kind::Publications => fields.push(("draft", "true".to_owned())),
            Kind::Pages | Kind::PracticeAreas | Kind::Team => fields.push(("updated", today.to_owned())),
            Kind::Network | Kind::Contact => {}
        }
        pictures.extend(read.pictures);
        losses.extend(read.losses.into_iter().map(|loss| (name(source), loss)));
        texts.insert(source.locale.as_str(), ImportedText { title, slug: None, fields, body: read.body });
    }
    let titles = group.iter().filter_map(|it| Some((it.locale, texts.get(it.locale.as_str())?.title.as_str())));
    let key = key.map(str::to_owned).or_else(|| entries::key_of(titles));
    let source = group.first().map(|source| name(source)).unwrap_or_default();
    let key = key.ok_or_else(|| messages::key_not_made(&source))?;
    Ok((ImportedEntry { kind, key, texts, pictures, source }, losses))
}
