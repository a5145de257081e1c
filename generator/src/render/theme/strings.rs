//! The words of the interface: one file per locale, with the same keys in each.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use contract::{Locale, PerLocale};
use toml::de::{DeTable, DeValue};

use super::{
    error::{MissingWord, ThemeError},
    read_text,
};
use crate::diagnostic::nearest;

/// Returns the file of a locale.
pub(super) fn file(folder: &Path, locale: Locale) -> PathBuf {
    folder.join("strings").join(format!("{locale}.toml"))
}

/// Reads the words of each locale; returns `None` if a file is not usable or lacks a word. All such faults are added to
/// `faults`.
pub(super) fn read(folder: &Path, faults: &mut Vec<ThemeError>) -> Option<PerLocale<toml::Table>> {
    let [en, tr] =
        [Locale::En, Locale::Tr].map(|locale| read_one(file(folder, locale)).map_err(|fault| faults.push(fault)).ok());
    let (en, tr) = (en?, tr?);
    let mut missing = en.missing_from(&tr, &[]);
    // A word that is probably a misspelt key of the other file is reported only once.
    let meant: Vec<Keys> = missing.iter().filter_map(|(_, meant)| meant.clone()).collect();
    missing.extend(tr.missing_from(&en, &meant));
    let is_whole = missing.is_empty();
    faults.extend(missing.into_iter().map(|(word, _)| ThemeError::MissingWord(word)));
    is_whole.then_some(PerLocale { en: en.words, tr: tr.words })
}

struct Strings {
    file: PathBuf,
    words: toml::Table,
    keys: BTreeMap<Keys, Key>,
}

/// The names of the tables around a word, and its own name.
type Keys = Vec<String>;

/// What is known about a key.
#[derive(Clone, Copy)]
struct Key {
    line: usize,
    is_table: bool,
}

fn read_one(file: PathBuf) -> Result<Strings, ThemeError> {
    let text = read_text(&file)?;
    let no_toml = |error| ThemeError::Strings(file.clone(), Box::new(error));
    let words = text.parse().map_err(no_toml)?;
    let mut keys = BTreeMap::new();
    note(&[], DeTable::parse(&text).map_err(no_toml)?.get_ref(), &text, &mut keys);
    Ok(Strings { file, words, keys })
}

fn note(tables: &[String], table: &DeTable, text: &str, keys: &mut BTreeMap<Keys, Key>) {
    for (name, value) in table {
        let path = [tables, &[name.get_ref().to_string()]].concat();
        let line = text[..name.span().start].matches('\n').count() + 1;
        let inner = value.get_ref();
        if let DeValue::Table(inner) = inner {
            note(&path, inner, text, keys);
        }
        keys.insert(path, Key { line, is_table: matches!(inner, DeValue::Table(_)) });
    }
}

/// Splits a path into its tables and the name in the last of them.
fn parts(path: &[String]) -> (&[String], &str) {
    path.split_last().map_or((&[], ""), |(name, tables)| (tables, name))
}

impl Strings {
    fn has(&self, path: &[String], is_table: bool) -> bool {
        self.keys.get(path).is_some_and(|there| there.is_table == is_table)
    }

    /// Returns what this file has and `other` lacks, except what is in `told`. If a whole table is missing, its words
    /// are not reported.
    fn missing_from(&self, other: &Self, told: &[Keys]) -> Vec<(MissingWord, Option<Keys>)> {
        let missing = self.keys.iter().filter(|(path, it)| {
            let (tables, _) = parts(path);
            !told.contains(path) && !other.has(path, it.is_table) && (tables.is_empty() || other.has(tables, true))
        });
        missing.map(|(path, it)| self.missing(path, *it, other)).collect()
    }

    /// Returns the fault, and the word of `other` by which this one was probably meant.
    fn missing(&self, path: &[String], Key { line, is_table }: Key, other: &Self) -> (MissingWord, Option<Keys>) {
        let (tables, name) = parts(path);
        let is_beside = |(there, it): &(&Keys, &Key)| {
            parts(there).0 == tables && it.is_table == is_table && !self.keys.contains_key(*there)
        };
        let beside = other.keys.iter().filter(is_beside).map(|(there, _)| parts(there).1);
        let meant = nearest(name, beside).map(|meant| [tables, &[meant.to_owned()]].concat());
        let add = format!("add it, as {} has it in line {line}", self.file.display());
        let remedy = match &meant {
            Some(meant) => {
                format!("is it meant by `{}` in line {}? Otherwise {add}", meant.join("."), other.keys[meant].line)
            }
            None => add,
        };
        (MissingWord { file: other.file.clone(), key: path.join("."), remedy }, meant)
    }
}
