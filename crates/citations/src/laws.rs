//! The table of laws.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use crate::{other, token::TextTokens};

/// A law that texts cite.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Law {
    /// The number under which it was published: `6102`.
    pub number: String,
    /// Turkish names; the first one is the title.
    #[serde(default)]
    pub tr: Vec<String>,
    /// English names; the first one is the title.
    #[serde(default)]
    pub en: Vec<String>,
    #[serde(default)]
    pub abbreviations: Vec<String>,
}

impl Law {
    /// Returns the title in Turkish or English, or else in the other language.
    #[must_use]
    pub fn name(&self, in_turkish: bool) -> &str {
        let (own, other) = if in_turkish { (&self.tr, &self.en) } else { (&self.en, &self.tr) };
        own.first().or(other.first()).map_or(&self.number, |name| name)
    }
}

/// The laws that are found in texts.
#[derive(Clone, Debug)]
pub struct Laws {
    rows: Vec<Law>,
    by_number: HashMap<String, usize>,
    /// The rest of each name after its first word, by this word; the longest name first.
    names: HashMap<String, Vec<LawName>>,
    abbreviations: HashMap<String, usize>,
    /// The first letters of the abbreviations: nearly every word of a text has another one.
    initials: String,
}

#[derive(Clone, Debug)]
struct LawName {
    rest: Vec<String>,
    law: usize,
    /// Whether the last word may have a Turkish suffix without an apostrophe.
    is_turkish: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LawTable {
    #[serde(default)]
    law: Vec<Law>,
}

impl Default for Laws {
    /// Returns the laws that every site knows.
    fn default() -> Self {
        let mut laws = Self {
            rows: Vec::new(),
            by_number: HashMap::new(),
            names: HashMap::new(),
            abbreviations: HashMap::new(),
            initials: String::new(),
        };
        // A unit test reads the embedded table.
        if let Ok(table) = toml::from_str::<LawTable>(include_str!("laws.toml")) {
            laws.add(table.law);
        }
        laws
    }
}

impl Laws {
    /// Adds the rows of a firm: laws, or names of laws that are known. The name that the firm writes becomes the title.
    pub fn add(&mut self, rows: impl IntoIterator<Item = Law>) {
        for row in rows {
            let at = *self.by_number.entry(row.number.clone()).or_insert(self.rows.len());
            if at == self.rows.len() {
                self.rows.push(Law { number: row.number.clone(), ..Law::default() });
            }
            for (is_turkish, names) in [(true, &row.tr), (false, &row.en)] {
                for name in names {
                    let mut words = words(name);
                    if words.is_empty() {
                        continue;
                    }
                    let names = self.names.entry(words.remove(0)).or_default();
                    names.push(LawName { rest: words, law: at, is_turkish });
                    names.sort_by_key(|name| std::cmp::Reverse(name.rest.len()));
                }
            }
            for initial in row.abbreviations.iter().filter_map(|text| text.chars().next()) {
                if !self.initials.contains(initial) {
                    self.initials.push(initial);
                }
            }
            self.abbreviations.extend(row.abbreviations.iter().map(|text| (text.clone(), at)));
            let known = &mut self.rows[at];
            known.tr.splice(0..0, row.tr);
            known.en.splice(0..0, row.en);
            known.abbreviations.extend(row.abbreviations);
        }
    }

    /// Returns the law with a number.
    #[must_use]
    pub fn get(&self, number: &str) -> Option<&Law> {
        Some(&self.rows[*self.by_number.get(number)?])
    }

    /// Returns the number of the law with an abbreviation, in lower case and ASCII letters.
    pub(crate) fn abbreviated(&self, folded: &str) -> Option<&str> {
        let (_, law) = self.abbreviations.iter().find(|(text, _)| search::fold(text) == folded)?;
        Some(&self.rows[*law].number)
    }

    /// Returns the number of the law with an abbreviation, in whatever case, as a search finds it.
    #[must_use]
    pub fn with_abbreviation(&self, text: &str) -> Option<&str> {
        self.abbreviated(&search::fold(text))
    }

    /// Returns the law whose name or abbreviation is at a place, and the place after it with its suffix.
    pub(crate) fn named_at(&self, tokens: &TextTokens, at: usize) -> Option<LawMention> {
        let token = tokens.get(at)?;
        let initial = token.text.chars().next()?;
        if self.initials.contains(initial)
            && let Some(law) = self.abbreviations.get(token.text)
        {
            let after = tokens.after_suffix(at + 1);
            let number = (!other::is_before(tokens, at, false)).then(|| self.rows[*law].number.clone());
            return Some(LawMention { number, after, is_short: true, is_numbered: false });
        }
        // Names are written with capitals; "iş kanunu" in small letters is no name, but the sentence begins with one.
        // "former Labour Law" is a name too.
        if !initial.is_uppercase() && !other::is_former(&token.folded) {
            return None;
        }
        // A name of one word may have a suffix: "Anayasanın".
        let exact = self.names.get(&*token.folded).into_iter().flatten();
        let stems_of = stems(&token.folded).filter_map(|stem| self.names.get(stem)).flatten();
        let of_one_word = stems_of.filter(|name| name.rest.is_empty() && name.is_turkish);
        for name in exact.chain(of_one_word) {
            let mut end = at + 1;
            let fits = name.rest.iter().enumerate().all(|(number, expected)| {
                let is_last = number + 1 == name.rest.len();
                // A comma or an apostrophe within a name.
                while !expected.is_empty() && tokens.is_sign(end, ",'’-") {
                    end += 1;
                }
                let word = tokens.word(end);
                let fits = word == expected || is_last && name.is_turkish && stems(word).any(|stem| stem == expected);
                end += 1;
                fits
            });
            if fits {
                let is_other = other::is_before(tokens, at, !name.is_turkish);
                let number = (!is_other).then(|| self.rows[name.law].number.clone());
                let after = tokens.after_suffix(end);
                return Some(LawMention { number, after, is_short: false, is_numbered: false });
            }
        }
        None
    }
}

/// A law that a text names.
pub(crate) struct LawMention {
    /// The number, if the table has the law.
    pub number: Option<String>,
    /// The place after the name.
    pub after: usize,
    /// Whether it is an abbreviation.
    pub is_short: bool,
    /// Whether the text states its number.
    pub is_numbered: bool,
}

fn words(name: &str) -> Vec<String> {
    let tokens = TextTokens::of(name);
    (0..tokens.len()).map(|at| tokens.word(at).to_owned()).filter(|word| !word.is_empty()).collect()
}

/// Turkish suffixes of `Kanun`, `Kanunu` and `Anayasa`, folded, longest first.
const SUFFIXES: [&str; 22] = [
    "ndaki", "ndan", "nun", "nda", "nca", "yla", "na", "nu", "daki", "dan", "la", "un", "da", "ca", "u", "nin", "ya",
    "yi", "dir", "daki", "a", "n",
];

/// Returns a word without each Turkish suffix that it may have.
fn stems(word: &str) -> impl Iterator<Item = &str> {
    SUFFIXES.iter().filter_map(|suffix| word.strip_suffix(suffix)).filter(|stem| stem.len() >= 5)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn embedded_table_has_each_number_once() {
        let table: LawTable = toml::from_str(include_str!("laws.toml")).unwrap();
        let mut numbers: Vec<_> = table.law.iter().map(|law| &law.number).collect();
        numbers.sort();
        numbers.dedup();
        assert_eq!(numbers.len(), table.law.len());
        assert!(table.law.iter().all(|law| !law.tr.is_empty() && !law.en.is_empty()));
    }

    #[test]
    fn firm_adds_laws_and_names() {
        let mut laws = Laws::default();
        let row = |number: &str| Law { number: number.to_owned(), ..Law::default() };
        laws.add([
            Law { tr: vec!["Ürün Güvenliği Kanunu".to_owned()], ..row("7223") },
            Law { en: vec!["Trade Code".to_owned()], abbreviations: vec!["TTKn".to_owned()], ..row("6102") },
        ]);
        let found = |text: &str| crate::find(text, &laws).iter().map(|it| it.cited.to_string()).collect::<Vec<_>>();
        assert_eq!(found("Ürün Güvenliği Kanunu m. 5"), ["7223/5"]);
        assert_eq!([found("TTKn m. 5"), found("Article 6 of the Trade Code")], [["6102/5"], ["6102/6"]]);
        let [known, added] = ["6102", "7223"].map(|number| laws.get(number).unwrap());
        assert_eq!((known.name(true), known.name(false)), ("Türk Ticaret Kanunu", "Trade Code"));
        assert_eq!((added.name(true), added.name(false)), ("Ürün Güvenliği Kanunu", "Ürün Güvenliği Kanunu"));
    }
}
