//! The words of the interface: one file per locale, with the same keys in each. A file of the firm's folder contains
//! only words that differ, and in the table `own` words of the firm's own templates.

use std::{collections::BTreeMap, ops::Range};

use content::Lines;
use contract::{Locale, PerLocale};
use findings::{
    Code, Finding, Place, Span,
    messages::{self, Text},
    nearest,
};
use toml::{
    Table, Value,
    de::{DeTable, DeValue},
};

use super::{
    sources::{self, Sources},
    words_file::file,
};

/// The table of words that are not built in.
const OWN: &str = "own";

/// The names of the tables around a word, and its own name.
type WordKeys = Vec<String>;

/// The words of each locale, and their places.
pub(super) struct Strings {
    pub(super) words: PerLocale<Table>,
    places: PerLocale<BTreeMap<WordKeys, Place>>,
}

impl Strings {
    /// Reads the words; adds faults to `findings` and keeps the built-in words instead.
    pub(super) fn read(sources: &Sources, findings: &mut Vec<Finding>) -> Self {
        let mut strings = Self { words: PerLocale::default(), places: PerLocale::default() };
        let mut own = PerLocale::build(|_| BTreeMap::new());
        for locale in Locale::ALL {
            let name = file(locale);
            let text = sources::built_in_text(&name);
            let words = strings.words.of_mut(locale);
            *words = text.parse().unwrap_or_default();
            let mut places = key_places(text, &sources::built_in_name(&name));
            if let Some(text) = sources.words(&name) {
                match parse(text, &name) {
                    Err(faults) => findings.extend(faults),
                    Ok(theirs) => {
                        let theirs_at = key_places(text, &name);
                        merge(words, theirs, &theirs_at, &mut Vec::new(), findings);
                        *own.of_mut(locale) =
                            theirs_at.iter().filter(|(keys, _)| keys[0] == OWN).map(clone_entry).collect();
                        places.extend(theirs_at);
                    }
                }
            }
            *strings.places.of_mut(locale) = places;
        }
        report_missing(&own, findings);
        strings
    }

    /// Returns the place of the word at `key`, in which `/` separates the tables; for a table, the place of the firm's
    /// first word in it.
    pub(super) fn place(&self, locale: Locale, key: &str) -> Place {
        let keys: WordKeys = key.split('/').map(str::to_owned).collect();
        let places = &self.places[locale];
        let is_theirs = |place: &&Place| place.file == file(locale);
        let inside = places.range(keys.clone()..).take_while(|(at, _)| at.starts_with(&keys)).map(|(_, place)| place);
        let theirs = inside.clone().find(is_theirs);
        theirs.or_else(|| places.get(&keys)).cloned().unwrap_or_else(|| Place::file(file(locale)))
    }
}

fn clone_entry((keys, place): (&WordKeys, &Place)) -> (WordKeys, Place) {
    (keys.clone(), place.clone())
}

/// Reports words of the table `own` that only one locale has.
fn report_missing(own: &PerLocale<BTreeMap<WordKeys, Place>>, findings: &mut Vec<Finding>) {
    for locale in Locale::ALL {
        let other = &own[locale.other()];
        let missing = own[locale].iter().filter(|(keys, _)| {
            !other.contains_key(*keys) && (keys.len() == 1 || other.contains_key(&keys[..keys.len() - 1]))
        });
        for (keys, place) in missing {
            let file = file(locale.other());
            let message = messages::word_in_one_language(keys.join("."), file);
            let finding = Finding::new(Code::UNKNOWN_WORD, place.clone(), message);
            findings.push(finding.help(messages::word_in_one_language_help()));
        }
    }
}

/// Parses a file; returns all syntax faults together.
fn parse(text: &str, name: &str) -> Result<Table, Vec<Finding>> {
    let (_, errors) = DeTable::parse_recoverable(text);
    let lines = Lines::of(text);
    let fault = |error: &toml::de::Error| content::toml_syntax_error(text, &lines, name, error);
    if errors.is_empty() {
        return text.parse().map_err(|error| vec![fault(&error)]);
    }
    Err(errors.iter().map(fault).collect())
}

/// Replaces words by those of `theirs` with the same keys.
fn merge(
    words: &mut Table,
    theirs: Table,
    at: &BTreeMap<WordKeys, Place>,
    tables: &mut WordKeys,
    findings: &mut Vec<Finding>,
) {
    for (name, value) in theirs {
        if tables.is_empty() && name == OWN {
            words.insert(name, value);
            continue;
        }
        tables.push(name.clone());
        let place = at.get(&*tables).cloned().unwrap_or_else(|| Place::file(""));
        let key = tables.join(".");
        if !words.contains_key(&name) {
            let finding = Finding::new(Code::WORD_NOT_USED, place.clone(), messages::word_unknown(&key));
            let finding = finding.did_you_mean(nearest(&name, words.keys().map(String::as_str)));
            findings.push(finding.help(messages::word_unknown_help(OWN)));
        }
        match (words.get_mut(&name), value) {
            (None, _) => {}
            (Some(Value::Table(words)), Value::Table(theirs)) => merge(words, theirs, at, tables, findings),
            (Some(known), value) if known.same_type(&value) => *known = value,
            (Some(known), value) => {
                let message = messages::word_of_other_shape(key, shape(known), shape(&value));
                findings.push(Finding::new(Code::WORD_UNUSABLE, place, message));
            }
        }
        tables.pop();
    }
}

fn shape(value: &Value) -> Text {
    match value {
        Value::String(_) => messages::word_shape_text(),
        Value::Integer(_) => messages::word_shape_number(),
        Value::Table(_) => messages::word_shape_table(),
        _ => messages::word_shape_other(),
    }
}

/// Returns the place of each key of a file.
fn key_places(text: &str, name: &str) -> BTreeMap<WordKeys, Place> {
    let lines = Lines::of(text);
    let at = |range: Range<usize>| lines.span(text, range);
    let mut places = BTreeMap::new();
    if let Ok(table) = DeTable::parse(text) {
        collect_spans(&[], table.get_ref(), name, &at, &mut places);
    }
    places
}

fn collect_spans(
    tables: &[String],
    table: &DeTable,
    file: &str,
    at: &impl Fn(Range<usize>) -> Span,
    places: &mut BTreeMap<WordKeys, Place>,
) {
    for (name, value) in table {
        let keys = [tables, &[name.get_ref().to_string()]].concat();
        if let DeValue::Table(inner) = value.get_ref() {
            collect_spans(&keys, inner, file, at, places);
        }
        places.insert(keys, Place::new(file, at(name.span())));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_languages_have_the_same_words() {
        let [en, tr] = Locale::ALL.map(|locale| key_places(sources::built_in_text(&file(locale)), ""));
        assert!(en.len() > 200 && en.keys().eq(tr.keys()));
    }
}
