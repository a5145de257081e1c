//! Letters without case and marks, for slugs and search.

use icu_normalizer::{DecomposingNormalizerBorrowed, properties::CanonicalCombiningClassMapBorrowed};

/// Passes every letter of `text` to `take`, in lower case, without marks, and Latin letters in ASCII form.
///
/// `ı` and `İ` become `i`, `ş` becomes `s`, `ü` becomes `u` (never `ue`). Lower-casing needs no locale here, because
/// `ı` and `i` become the same letter. Composed and decomposed spellings (`ş`, `s` + U+0327) give the same letters,
/// every apostrophe gives `'`, and invisible joiners and soft hyphens give nothing.
pub fn each_letter(text: &str, mut take: impl FnMut(char)) {
    for letter in text.chars() {
        match letter {
            ..='\x7f' => take(letter.to_ascii_lowercase()),
            'ı' | 'İ' | 'î' | 'Î' => take('i'),
            'ş' | 'Ş' => take('s'),
            'ğ' | 'Ğ' => take('g'),
            'ç' | 'Ç' => take('c'),
            'ü' | 'Ü' | 'û' | 'Û' => take('u'),
            'ö' | 'Ö' => take('o'),
            'â' | 'Â' => take('a'),
            '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}' => {}
            _ => each_rare_letter(letter, &mut take),
        }
    }
}

/// Folds `text` for comparison: without case and marks, Turkish letters in ASCII form, so that `uyusmazlik`,
/// `Uyuşmazlık` and `UYUŞMAZLIK` are one word. Folding twice changes nothing.
pub fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    each_letter(text, |letter| folded.push(letter));
    folded
}

/// Whether a character is a mark on the letter before it.
pub(crate) fn is_mark(letter: char) -> bool {
    const CLASSES: CanonicalCombiningClassMapBorrowed<'static> = CanonicalCombiningClassMapBorrowed::new();

    CLASSES.get_u8(letter) != 0
}

fn each_rare_letter(letter: char, take: &mut impl FnMut(char)) {
    const DECOMPOSED: DecomposingNormalizerBorrowed<'static> = DecomposingNormalizerBorrowed::new_nfkd();

    for part in DECOMPOSED.normalize_iter(std::iter::once(letter)) {
        if is_mark(part) {
            continue;
        }
        for small in part.to_lowercase() {
            match ascii_form(small) {
                Some(letters) => letters.chars().for_each(&mut *take),
                None => take(small),
            }
        }
    }
}

/// Returns the ASCII form of an apostrophe, or of a Latin letter that is not a letter with a mark.
fn ascii_form(letter: char) -> Option<&'static str> {
    Some(match letter {
        'ı' => "i",
        'ß' => "ss",
        'æ' => "ae",
        'œ' => "oe",
        'ø' => "o",
        'đ' | 'ð' => "d",
        'þ' => "th",
        'ł' => "l",
        'ħ' => "h",
        'ŋ' => "n",
        'ə' => "e",
        'ŧ' => "t",
        '’' | '‘' | 'ʼ' | '′' => "'",
        // Not Latin, but the only other letter with two lower-case forms.
        'ς' => "σ",
        _ => return None,
    })
}
