//! The slugs of new entries.

use std::{collections::BTreeSet, fs, path::Path};

use contract::Locale;
use markdown::turkish;

use super::{Head, Kind, read_entry, split, tidy, walk};

/// Returns the slug of a new entry: that of its title, or its key where another entry below `content` has that slug.
pub fn new_slug(content: &Path, (kind, key, locale): (Kind, &str, Locale), title: &str) -> String {
    let slug = turkish::slug(title, locale);
    let taken = taken_slugs(content, (kind, key, locale));
    let is_free = !slug.is_empty() && (!taken.contains(&slug) || taken.contains(key));
    if is_free { slug } else { key.to_owned() }
}

/// Returns the present and former slugs of the other entries of a kind. Files that cannot be read have none.
fn taken_slugs(content: &Path, (kind, key, locale): (Kind, &str, Locale)) -> BTreeSet<String> {
    let entries = walk(content).0.entries.into_iter().filter(|file| file.kind == kind && file.key != key);
    // Both files of a person have the same slugs.
    let files = entries.filter(|file| file.locale == locale || kind == Kind::Team);
    let slugs = |text: &str, file: &str, key: &str| {
        let text = tidy(text);
        let parts = split(&text, file).ok()?;
        let head = Head::of(kind, &read_entry((kind, key, locale), parts.fields, file).values);
        Some(head.slug.iter().chain(&head.aliases).map(|slug| slug.value.to_string()).collect::<Vec<_>>())
    };
    let read = |file: super::EntryFile| {
        let text = fs::read_to_string(content.join(&file.file)).ok()?;
        slugs(&text, &file.file, &file.key)
    };
    files.filter_map(read).flatten().collect()
}
