//! Turkish stems, of folded words.
//!
//! Endings are cut from the right as long as one fits. Folding hides vowel harmony, so the rules check the letter
//! before an ending instead: `-te` follows a voiceless consonant (`rekabet-te`, but `rekabet-e`), `-si` a vowel. Where
//! two readings remain (`satış-ı`, `kira-sı`), the last step cuts the difference, so both give the same stem.
//! Exceptions are listed in `roots`; stop words have a stem of their own.

use contract::Locale;

use super::roots;
use crate::stop_words::is_stop_word;

/// The letter that must precede an ending.
#[derive(Clone, Copy)]
enum After {
    Any,
    Vowel,
    Consonant,
    /// f, s (ş), t, k, c (ç), h, p.
    Voiceless,
    /// Any other letter.
    Voiced,
    /// `ma` or `me`: the infinitive `aç-ma-k` is the noun `aç-ma` with one letter more.
    Noun,
}

use After::{Any, Consonant, Noun, Voiced, Voiceless, Vowel};

/// Endings, the letter before them, and the fewest letters that remain; longer endings before shorter ones.
#[rustfmt::skip]
const ENDINGS: &[(&str, After, usize)] = &[
    // Verbs in questions: `açabilir`, `arıyoruz`, `gitmeden`, `yapılırsa`.
    ("abilirsiniz", Any, 3), ("ebilirsiniz", Any, 3), ("abilirim", Any, 3), ("ebilirim", Any, 3),
    ("abiliriz", Any, 3), ("ebiliriz", Any, 3), ("abilir", Any, 3), ("ebilir", Any, 3), ("iyorum", Consonant, 3),
    ("iyoruz", Consonant, 3), ("uyorum", Consonant, 3), ("uyoruz", Consonant, 3), ("iyor", Consonant, 3),
    ("uyor", Consonant, 3), ("ilirsa", Consonant, 3), ("ilirse", Consonant, 3), ("madan", Any, 3), ("meden", Any, 3),
    ("lerimiz", Any, 3), ("larimiz", Any, 3), ("leriniz", Any, 3), ("lariniz", Any, 3), ("ndaki", Vowel, 3),
    ("ndeki", Vowel, 3), ("imiz", Consonant, 3), ("umuz", Consonant, 3), ("iniz", Consonant, 3),
    ("unuz", Consonant, 3), ("daki", Voiced, 2), ("deki", Voiced, 2), ("taki", Voiceless, 2),
    ("teki", Voiceless, 2), ("ndan", Vowel, 3), ("nden", Vowel, 3), ("nca", Vowel, 4), ("nce", Vowel, 4),
    ("nin", Vowel, 3), ("nun", Vowel, 3), ("nda", Vowel, 3), ("nde", Vowel, 3), ("dan", Voiced, 2),
    ("den", Voiced, 2), ("tan", Voiceless, 2), ("ten", Voiceless, 2), ("yla", Vowel, 3), ("yle", Vowel, 3),
    ("miz", Vowel, 3), ("muz", Vowel, 3), ("niz", Vowel, 3), ("nuz", Vowel, 3), ("dim", Voiced, 4),
    ("dum", Voiced, 4), ("tim", Voiceless, 4), ("tum", Voiceless, 4), ("dir", Voiced, 4), ("dur", Voiced, 4),
    ("tir", Voiceless, 4), ("tur", Voiceless, 4), ("lik", Any, 3), ("luk", Any, 3), ("lig", Any, 3),
    ("lug", Any, 3), ("lar", Any, 2), ("ler", Any, 2), ("im", Consonant, 4), ("um", Consonant, 4),
    ("il", Consonant, 4), ("ul", Consonant, 4), ("da", Voiced, 2), ("de", Voiced, 2), ("ta", Voiceless, 2),
    ("te", Voiceless, 2), ("la", Consonant, 3), ("le", Consonant, 3), ("ca", Any, 4), ("ce", Any, 4),
    ("in", Consonant, 2), ("un", Consonant, 2), ("ni", Vowel, 3), ("nu", Vowel, 3), ("na", Vowel, 3),
    ("ne", Vowel, 3), ("yi", Vowel, 3), ("yu", Vowel, 3), ("ya", Vowel, 3), ("ye", Vowel, 3), ("si", Vowel, 3),
    ("su", Vowel, 3), ("ma", Any, 4), ("me", Any, 4), ("di", Voiced, 4), ("du", Voiced, 4), ("ti", Voiceless, 4),
    ("tu", Voiceless, 4), ("k", Noun, 4), ("m", Vowel, 4), ("i", Consonant, 2), ("u", Consonant, 2),
    ("a", Consonant, 2), ("e", Consonant, 2),
];

/// The only roots of two letters that are cut free.
const SHORT: [&str; 4] = ["is", "ev", "su", "ad"];

/// Stop words that are also forms of other words: `işe`, and the noun `neden`.
const AMBIGUOUS: [&str; 2] = ["ise", "neden"];

pub(super) fn stem(form: &str) -> String {
    if let Some(root) = roots::stem(form, |length| leads_to(form, length)) {
        return root.to_owned();
    }
    if is_stop_word(Locale::Tr, form) && !AMBIGUOUS.contains(&form) {
        // No word contains a full stop, so no other word has this stem.
        return format!("{form}.");
    }
    let mut rest = form;
    while let Some(shorter) = ENDINGS.iter().find_map(|ending| cut_ending(rest, *ending)) {
        rest = shorter;
    }
    let mut stem = rest.to_owned();
    if stem.ends_with('n') {
        // The `n` belongs to the root: as an ending, `-in` would have been cut.
        drop_vowel(&mut stem);
    }
    cut_open_end(&mut stem);
    restore_root(&mut stem);
    stem
}

/// Returns whether removing endings shortens a form to its first `length` letters.
fn leads_to(form: &str, length: usize) -> bool {
    let mut rest = form;
    while rest.len() > length {
        let shorter =
            |ending: &(&str, After, usize)| cut_ending(rest, *ending).filter(|shorter| shorter.len() >= length);
        let Some(shorter) = ENDINGS.iter().find_map(shorter) else { return false };
        rest = shorter;
    }
    true
}

fn cut_ending<'a>(word: &'a str, (ending, after, remaining): (&str, After, usize)) -> Option<&'a str> {
    let rest = word.strip_suffix(ending)?;
    if rest.len() < remaining || (rest.len() == 2 && !SHORT.contains(&rest)) {
        return None;
    }
    let last = *rest.as_bytes().last()?;
    let fits = match after {
        Any => true,
        Vowel => is_vowel(last),
        Consonant => !is_vowel(last),
        Voiceless => is_voiceless(last),
        Voiced => !is_voiceless(last),
        Noun => rest.ends_with("ma") || rest.ends_with("me"),
    };
    fits.then_some(rest)
}

/// Cuts final vowels, and n, s and y, which may belong to the word or to its ending.
fn cut_open_end(stem: &mut String) {
    while let [.., before, last] = stem.as_bytes() {
        let is_open = is_vowel(*last) || (matches!(last, b'n' | b's' | b'y') && is_vowel(*before));
        if stem.len() <= 3 || !is_open {
            break;
        }
        stem.pop();
    }
}

/// Undoes what endings do to a root: `iz(i)n-i`, `hak-kı`, `orta(k)ğ-ı`.
fn restore_root(stem: &mut String) {
    drop_vowel(stem);
    if let [.., first, last] = stem.as_bytes()
        && first == last
        && stem.len() > 3
    {
        stem.pop();
    }
    let hard = match stem.as_bytes().last() {
        Some(b'b') => 'p',
        Some(b'd') => 't',
        Some(b'g') => 'k',
        _ => return,
    };
    stem.pop();
    stem.push(hard);
}

/// Drops a narrow vowel between the last two consonants, which many roots lose before an ending.
fn drop_vowel(stem: &mut String) {
    if let [.., first, b'i' | b'u', last] = stem.as_bytes()
        && stem.len() >= 4
        && !is_vowel(*first)
        && !is_vowel(*last)
    {
        let middle = stem.len() - 2;
        stem.remove(middle);
    }
}

fn is_vowel(letter: u8) -> bool {
    matches!(letter, b'a' | b'e' | b'i' | b'o' | b'u')
}

fn is_voiceless(letter: u8) -> bool {
    matches!(letter, b'f' | b's' | b't' | b'k' | b'c' | b'h' | b'p')
}
