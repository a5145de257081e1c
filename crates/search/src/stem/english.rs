//! English stems: Porter's algorithm (1980) as a table for each of its steps.

/// Step 2: endings and their replacements, where a vowel and then a consonant precede the ending.
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

/// Step 4: endings that are removed where two such groups precede them; longer endings before shorter ones.
const LAST: &[&str] = &[
    "ement", "ance", "ence", "able", "ible", "ment", "ant", "ent", "ism", "ate", "iti", "ous", "ive", "ize", "ise",
    "al", "er", "ic", "ou",
];

/// Words, each with another that means the same.
const EQUAL: &[(&str, &str)] = &[("installment", "instalment"), ("phone", "telephone")];

/// Stems after step 1 or 2 that the other steps would make those of different words: of `several` that of `severance`,
/// of a general assembly that of the generation of electricity. Sorted.
#[rustfmt::skip]
const WHOLE: &[&str] = &[
    "collective", "customer", "general", "instalment", "international", "publication", "several", "terminal",
];

pub(super) fn stem(form: &str) -> String {
    let mut word = form.to_owned();
    american(&mut word);
    plural(&mut word);
    let equal = EQUAL.iter().find(|(one, _)| word == *one);
    let mut word = equal.map_or(word, |(_, other)| (*other).to_owned());
    past(&mut word);
    final_y(&mut word);
    for table in [LONG, SHORT] {
        // Before step 2, and behind it, which makes `several` of `severally`.
        if WHOLE.binary_search(&word.as_str()).is_ok() {
            return word;
        }
        if let Some((ending, with)) = table.iter().find(|(ending, _)| word.ends_with(ending))
            && groups(&word[..word.len() - ending.len()]) > 0
        {
            replace(&mut word, ending.len(), with);
        }
    }
    derived(&mut word);
    final_letters(&mut word);
    if word.ends_with("enc") {
        replace(&mut word, 1, "s");
    }
    word
}

/// Turns `-our` into `-or`: spelling differs between the countries (`labour`, `licence`), and half of all queries use
/// the other one.
fn american(word: &mut String) {
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
fn plural(word: &mut String) {
    if word.ends_with("sses") || word.ends_with("ies") {
        replace(word, 2, "");
    } else if word.ends_with('s') && !word.ends_with("ss") && !word.ends_with("us") && word.len() > 3 {
        replace(word, 1, "");
    }
}

/// Step 1b.
fn past(word: &mut String) {
    if word.ends_with("eed") {
        if groups(&word[..word.len() - 3]) > 0 {
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
    } else if groups(word) == 1 && is_short(word) {
        word.push('e');
    }
}

/// Step 1c, as in Porter's later version: `company` and `companies` meet, `employ` stays.
fn final_y(word: &mut String) {
    if let [.., before, b'y'] = word.as_bytes()
        && word.len() > 2
        && !b"aeiou".contains(before)
    {
        replace(word, 1, "i");
    }
}

/// Step 4.
fn derived(word: &mut String) {
    let ending = if word.ends_with("sion") || word.ends_with("tion") {
        "ion"
    } else if let Some(ending) = LAST.iter().find(|ending| word.ends_with(**ending)) {
        ending
    } else {
        return;
    };
    if groups(&word[..word.len() - ending.len()]) > 1 {
        replace(word, ending.len(), "");
    }
}

/// Step 5.
fn final_letters(word: &mut String) {
    if word.ends_with('e') {
        let rest = &word[..word.len() - 1];
        let groups = groups(rest);
        if groups > 1 || (groups == 1 && !is_short(rest)) {
            word.pop();
        }
    }
    if word.ends_with("ll") && groups(word) > 1 {
        word.pop();
    }
}

fn replace(word: &mut String, ending: usize, with: &str) {
    word.truncate(word.len() - ending);
    word.push_str(with);
}

/// The number of times that a consonant follows a vowel: Porter's measure.
fn groups(word: &str) -> usize {
    let kinds: Vec<bool> = consonants(word).collect();
    kinds.windows(2).filter(|pair| !pair[0] && pair[1]).count()
}

fn has_vowel(word: &str) -> bool {
    consonants(word).any(|is_consonant| !is_consonant)
}

/// Whether each letter is a consonant; `y` is one at the beginning and after a vowel.
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
