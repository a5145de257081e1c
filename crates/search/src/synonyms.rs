//! Words that mean the same, as a firm lists them: `rent` and `lease`, `kıdem` and `severance`.
//!
//! The phrases of a group may be of both languages. A query with one phrase also finds texts with another.

use std::{collections::HashMap, ops::Range};

use contract::Locale;
use foldhash::fast::FixedState;

use crate::{
    fold,
    format::{push_text, push_varint, read_text, read_varint},
    stem::stem,
    stop_words::{is_dative, is_stop_word},
    words::each_word,
};

/// The groups of an index: phrases whose words are stems with a space between them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Synonyms {
    groups: Vec<Vec<Box<str>>>,
    /// For each first word of phrases the numbers of their groups and their numbers in these, in ascending order.
    by_first_word: HashMap<Box<str>, Vec<(usize, usize)>, FixedState>,
}

impl Synonyms {
    /// Reads the groups that [`encode`] wrote.
    pub(crate) fn read(bytes: &[u8]) -> Option<Self> {
        let (mut groups, mut at) = (Vec::<Vec<Box<str>>>::new(), 0);
        while at < bytes.len() {
            let phrases = read_varint(bytes, &mut at)?;
            let group: Option<Vec<Box<str>>> =
                (0..phrases).map(|_| read_text(bytes, &mut at).map(Into::into)).collect();
            groups.push(group?);
        }
        let mut by_first_word: HashMap<Box<str>, Vec<(usize, usize)>, FixedState> = HashMap::default();
        for (number, group) in groups.iter().enumerate() {
            for (phrase_number, phrase) in group.iter().enumerate() {
                let first = phrase.split(' ').next().unwrap_or_default();
                by_first_word.entry(first.into()).or_default().push((number, phrase_number));
            }
        }
        Some(Self { groups, by_first_word })
    }

    /// For each phrase in `stems`, passes its range to `take` with each other phrase of the group.
    pub(crate) fn each(&self, stems: &[&str], mut take: impl FnMut(Range<usize>, &str)) {
        let mut found = Vec::new();
        for start in 0..stems.len() {
            for place in self.by_first_word.get(stems[start]).into_iter().flatten() {
                let (group, phrase) = *place;
                // Of a phrase that is repeated, the first place counts.
                if let Some(words) = words_at_start(&self.groups[group][phrase], &stems[start..])
                    && found.iter().all(|(other, _)| other != place)
                {
                    found.push((*place, start..start + words));
                }
            }
        }
        found.sort_unstable_by_key(|(place, _)| *place);
        for ((group, phrase), place) in found {
            let group = &self.groups[group];
            group.iter().filter(|other| **other != group[phrase]).for_each(|other| take(place.clone(), other));
        }
    }
}

/// Returns the range of the adjacent words of `phrase` in `stems`.
fn place_of(phrase: &str, stems: &[&str]) -> Option<Range<usize>> {
    (0..stems.len()).find_map(|start| Some(start..start + words_at_start(phrase, &stems[start..])?))
}

/// Returns the number of words of `phrase` if `stems` begin with it.
fn words_at_start(phrase: &str, stems: &[&str]) -> Option<usize> {
    let mut rest = phrase;
    for (number, stem) in (1..).zip(stems) {
        rest = rest.strip_prefix(stem)?;
        if rest.is_empty() {
            return Some(number);
        }
        rest = rest.strip_prefix(' ')?;
    }
    None
}

/// Returns the bytes of `groups`.
pub(crate) fn encode(locale: Locale, groups: &[Vec<String>]) -> Vec<u8> {
    let mut out = Vec::new();
    for group in groups {
        let mut phrases: Vec<String> = group.iter().map(|phrase| stems(locale, phrase).join(" ")).collect();
        phrases.retain(|phrase| !phrase.is_empty());
        phrases.dedup();
        push_varint(&mut out, phrases.len() as u32);
        for phrase in &phrases {
            push_text(&mut out, phrase);
        }
    }
    out
}

/// Returns the stems of the words of a text, without stop words.
fn stems(locale: Locale, text: &str) -> Vec<String> {
    let mut stems = Vec::new();
    each_word(locale, text, |word| {
        let form = fold(word);
        if !is_stop_word(locale, &form) || is_dative(locale, word) {
            stems.push(stem(locale, &form));
        }
    });
    stems
}

/// Returns the phrases `to` of each pair whose phrases `from` occur in `text`, which is in `locale`. They make a text
/// that exists in only one language searchable in the other.
pub fn translated<'a>(
    locale: Locale,
    text: &str,
    pairs: impl IntoIterator<Item = (&'a [String], &'a [String])>,
) -> Vec<&'a str> {
    let text = stems(locale, text);
    let text: Vec<&str> = text.iter().map(String::as_str).collect();
    let has = |phrase: &String| {
        let phrase = stems(locale, phrase).join(" ");
        !phrase.is_empty() && place_of(&phrase, &text).is_some()
    };
    let pairs = pairs.into_iter().filter(|(from, _)| from.iter().any(has));
    pairs.flat_map(|(_, to)| to.iter().map(String::as_str)).collect()
}
