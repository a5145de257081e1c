//! The match phrase: two words by which a person recognises the agent that they use.
//!
//! The agent gets the words in the reply; the person reads them in the e-mail, on the claim page and on the access
//! page.
//!
//! Security: the words come from fixed lists, so no text of an agent reaches a person. They are not secret and grant
//! nothing. Another agent cannot choose its words; it has the same ones in one of 65,280 cases.

use std::fmt;

use contract::Locale;
use secrets::{Entropy, NoEntropy};
use serde::{Deserialize, Serialize};

/// 256 concrete nouns of each language in alphabetical order, no two of which differ by one letter. The Turkish ones
/// have neither `i` nor `ı`, so they survive any change of case.
const ENGLISH: &str = include_str!("match_phrase/en.txt");
const TURKISH: &str = include_str!("match_phrase/tr.txt");

/// Two different words, in the language of the e-mail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MatchPhrase {
    locale: Locale,
    words: [u8; 2],
}

impl MatchPhrase {
    /// Draws two words.
    pub(crate) fn draw(entropy: &Entropy, locale: Locale) -> Result<Self, NoEntropy> {
        Ok(Self::new(entropy.bytes()?, locale))
    }

    pub(crate) const fn new([first, second]: [u8; 2], locale: Locale) -> Self {
        let second = if second == first { second.wrapping_add(1) } else { second };
        Self { locale, words: [first, second] }
    }

    /// Returns the words at the same positions in another language.
    pub(crate) const fn in_locale(self, locale: Locale) -> Self {
        Self { locale, ..self }
    }

    pub(crate) const fn locale(self) -> Locale {
        self.locale
    }
}

impl fmt::Display for MatchPhrase {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = match self.locale {
            Locale::En => ENGLISH,
            Locale::Tr => TURKISH,
        };
        // Each list has 256 words.
        let [first, second] = self.words.map(|at| list.split_whitespace().nth(usize::from(at)).unwrap_or_default());
        write!(out, "{first} {second}")
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn each_list_has_256_words_that_survive_changes_of_case() {
        for (list, letters) in [(ENGLISH, "abcdefghijklmnopqrstuvwxyz"), (TURKISH, "abcçdefgğhjklmnoöprsştuüvyz")]
        {
            let words: BTreeSet<_> = list.split_whitespace().collect();
            assert_eq!((words.len(), list.split_whitespace().count()), (256, 256));
            for word in words {
                assert!((3..=12).contains(&word.chars().count()), "{word}");
                assert!(word.chars().all(|letter| letters.contains(letter)), "{word}");
                assert_eq!(word.to_uppercase().to_lowercase(), word);
            }
        }
    }

    #[test]
    fn no_word_is_taken_for_another_that_differs_by_one_letter() {
        for list in [ENGLISH, TURKISH] {
            let words: Vec<Vec<char>> = list.split_whitespace().map(|word| word.chars().collect()).collect();
            for (at, one) in words.iter().enumerate() {
                for other in &words[at + 1..] {
                    let same = one.iter().zip(other).take_while(|(own, theirs)| own == theirs).count();
                    // A letter that is replaced, one more, or one less.
                    let is_close = [(1, 1), (1, 0), (0, 1)].into_iter().any(|(own, theirs)| {
                        let rest = one.get(same + own..);
                        rest.is_some() && rest == other.get(same + theirs..)
                    });
                    assert!(!is_close, "{one:?} {other:?}");
                }
            }
        }
    }

    #[test]
    fn phrase_is_two_different_words_of_the_language_of_the_message() {
        let phrase = MatchPhrase::new([0, 255], Locale::En);
        assert_eq!(phrase.to_string(), "accordion zipper");
        assert_eq!(phrase.in_locale(Locale::Tr).to_string(), "açelya zürafa");
        assert_eq!(MatchPhrase::new([255, 255], Locale::En).to_string(), "zipper accordion");
        let drawn = MatchPhrase::draw(&Entropy::seeded(1), Locale::Tr).unwrap();
        assert_eq!(drawn.locale(), Locale::Tr);
        assert_eq!(serde_json::from_str::<MatchPhrase>(&serde_json::to_string(&drawn).unwrap()).unwrap(), drawn);
    }
}
