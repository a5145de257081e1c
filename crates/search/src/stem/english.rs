//! English stems: Porter's algorithm (1980), one table per step.

/// Step 2: endings and their replacements, after at least one vowel and consonant.
#[rustfmt::skip]
const LONG: &[(&str, &str)] = &[
    ("ational", "ate"), ("tional", "tion"), ("enci", "ence"), ("anci", "ance"), ("izer", "ize"), ("isation", "ize"),
    ("ization", "ize"), ("ation", "ate"), ("ator", "ate"), ("bli", "ble"), ("alli", "al"), ("entli", "ent"),
    ("eli", "e"), ("ousli", "ous"), ("alism", "al"), ("iveness", "ive"), ("fulness", "ful"), ("ousness", "ous"),
    ("aliti", "al"), ("iviti", "ive"), ("biliti", "ble"), ("logi", "log"),
];

/// Step 3, like step 2.
const SHORT: &[(&str, &str)] =
    &[("icate", "ic"), ("ative", ""), ("alize", "al"), ("iciti", "ic"), ("ical", "ic"), ("ful", ""), ("ness", "")];

/// Step 4: endings that are removed after two such groups; longer endings before shorter ones.
const LAST: &[&str] = &[
    "ement", "ance", "ence", "able", "ible", "ment", "ant", "ent", "ism", "ate", "iti", "ous", "ive", "ize", "ise",
    "al", "er", "ic", "ou",
];

/// Words with a synonym that gives the stem.
const EQUAL: &[(&str, &str)] = &[("installment", "instalment"), ("phone", "telephone"), ("turkey", "turkiye")];

/// Stems after step 1 or 2 that later steps would merge with other words: `several` with `severance`, `general` with
/// `generation`. Sorted.
#[rustfmt::skip]
const WHOLE: &[&str] = &[
    "collective", "customer", "general", "instalment", "international", "publication", "several", "terminal",
];

pub(super) fn stem(form: &str) -> String {
    let mut word = form.to_owned();
    to_american(&mut word);
    strip_plural(&mut word);
    let equal = EQUAL.iter().find(|(one, _)| word == *one);
    let mut word = equal.map_or(word, |(_, other)| (*other).to_owned());
    strip_past(&mut word);
    replace_final_y(&mut word);
    for table in [LONG, SHORT] {
        // Checked before and after step 2, which turns `severally` into `several`.
        if WHOLE.binary_search(&word.as_str()).is_ok() {
            return word;
        }
        if let Some((ending, with)) = table.iter().find(|(ending, _)| word.ends_with(ending))
            && measure(&word[..word.len() - ending.len()]) > 0
        {
            replace(&mut word, ending.len(), with);
        }
    }
    strip_derivation(&mut word);
    strip_final_letters(&mut word);
    if word.ends_with("enc") {
        replace(&mut word, 1, "s");
    }
    word
}

/// Turns British `-our` into American `-or`, because queries use both spellings.
fn to_american(word: &mut String) {
    let end = word.len() - usize::from(word.ends_with('s'));
    if let Some(root) = word[..end].strip_suffix("our")
        && root.len() >= 3
        && has_vowel(root)
    {
        let place = root.len() + 1;
        word.remove(place);
    }
}

/// Step 1a.
fn strip_plural(word: &mut String) {
    if word.ends_with("sses") || word.ends_with("ies") {
        replace(word, 2, "");
    } else if word.ends_with('s') && !word.ends_with("ss") && !word.ends_with("us") && word.len() > 3 {
        replace(word, 1, "");
    }
}

/// Step 1b.
fn strip_past(word: &mut String) {
    if word.ends_with("eed") {
        if measure(&word[..word.len() - 3]) > 0 {
            replace(word, 1, "");
        }
        return;
    }
    let Some(ending) = ["ed", "ing"].into_iter().find(|ending| word.ends_with(ending)) else { return };
    if !has_vowel(&word[..word.len() - ending.len()]) {
        return;
    }
    replace(word, ending.len(), "");
    if ["at", "bl", "iz", "is"].iter().any(|end| word.ends_with(end)) {
        word.push('e');
    } else if is_double(word) && !word.ends_with(['l', 's', 'z']) {
        word.pop();
    } else if measure(word) == 1 && is_short(word) {
        word.push('e');
    }
}

/// Step 1c, as in Porter's later version: `company` and `companies` share a stem, `employ` stays.
fn replace_final_y(word: &mut String) {
    if let [.., before, b'y'] = word.as_bytes()
        && word.len() > 2
        && !b"aeiou".contains(before)
    {
        replace(word, 1, "i");
    }
}

/// Step 4.
fn strip_derivation(word: &mut String) {
    let ending = if word.ends_with("sion") || word.ends_with("tion") {
        "ion"
    } else if let Some(ending) = LAST.iter().find(|ending| word.ends_with(**ending)) {
        ending
    } else {
        return;
    };
    if measure(&word[..word.len() - ending.len()]) > 1 {
        replace(word, ending.len(), "");
    }
}

/// Step 5.
fn strip_final_letters(word: &mut String) {
    if word.ends_with('e') {
        let rest = &word[..word.len() - 1];
        let groups = measure(rest);
        if groups > 1 || (groups == 1 && !is_short(rest)) {
            word.pop();
        }
    }
    if word.ends_with("ll") && measure(word) > 1 {
        word.pop();
    }
}

fn replace(word: &mut String, ending: usize, with: &str) {
    word.truncate(word.len() - ending);
    word.push_str(with);
}

/// Returns Porter's measure: the number of times that a consonant follows a vowel.
fn measure(word: &str) -> usize {
    let kinds: Vec<bool> = consonants(word).collect();
    kinds.windows(2).filter(|pair| !pair[0] && pair[1]).count()
}

fn has_vowel(word: &str) -> bool {
    consonants(word).any(|is_consonant| !is_consonant)
}

/// Returns whether each letter is a consonant; `y` is one at the beginning and after a vowel.
fn consonants(word: &str) -> impl Iterator<Item = bool> {
    let mut before = false;
    word.bytes().map(move |letter| {
        before = match letter {
            b'a' | b'e' | b'i' | b'o' | b'u' => false,
            b'y' => !before,
            _ => true,
        };
        before
    })
}

fn is_double(word: &str) -> bool {
    matches!(word.as_bytes(), [.., first, last] if first == last && !b"aeiou".contains(last))
}

/// Whether a word ends in consonant, vowel, consonant other than `w`, `x` and `y`: `fil(e)`.
fn is_short(word: &str) -> bool {
    let kinds: Vec<bool> = consonants(word).collect();
    matches!(kinds.as_slice(), [.., true, false, true]) && !word.ends_with(['w', 'x', 'y'])
}
