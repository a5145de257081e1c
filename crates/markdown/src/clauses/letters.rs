//! Numbers and letters of clauses as words.

pub(super) const ROMAN: [&str; 20] = [
    "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii", "xiii", "xiv", "xv", "xvi", "xvii",
    "xviii", "xix", "xx",
];

/// Returns a mark in lower case: a capital I is the Roman number or the English letter.
pub(super) fn lower(word: &str) -> String {
    word.chars().map(lower_letter).collect()
}

pub(super) fn lower_letter(letter: char) -> char {
    if letter == 'İ' { 'i' } else { letter.to_lowercase().next().unwrap_or(letter) }
}

/// Returns a number or letter in an anchor. A letter that only Turkish has is written as its plain one with a 2.
pub fn label(word: &str) -> String {
    let mut label = String::new();
    for letter in word.chars().map(lower_letter) {
        match letter {
            'ç' => label.push_str("c2"),
            'ğ' => label.push_str("g2"),
            'ı' => label.push_str("i2"),
            'ö' => label.push_str("o2"),
            'ş' => label.push_str("s2"),
            'ü' => label.push_str("u2"),
            letter => label.push(letter),
        }
    }
    label
}
