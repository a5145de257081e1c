//! Words that tell that a law is not the one of the table: a repealed law, or the law of another country.

use crate::{named::Naming, numbers::is_marker, token::TextTokens};

/// Whether a folded word tells that the law behind it is no longer in force.
pub(crate) fn is_former(word: &str) -> bool {
    matches!(
        word,
        "eski"
            | "mulga"
            | "onceki"
            | "kaldirilan"
            | "kalkan"
            | "former"
            | "repealed"
            | "old"
            | "previous"
            | "abrogated"
            | "superseded"
    )
}

/// Countries and their adjectives, folded, in the order of the alphabet.
const COUNTRIES: [&str; 69] = [
    "abd",
    "alman",
    "almanya",
    "american",
    "amerikan",
    "austrian",
    "avrupa",
    "avusturya",
    "azerbaijan",
    "azerbaijani",
    "azerbaycan",
    "belcika",
    "belgian",
    "bulgar",
    "bulgarian",
    "bulgaristan",
    "californian",
    "chinese",
    "cin",
    "cypriot",
    "delaware",
    "dutch",
    "egyptian",
    "english",
    "eu",
    "european",
    "federal",
    "fransa",
    "fransiz",
    "french",
    "georgian",
    "german",
    "greek",
    "hollanda",
    "indian",
    "ingiliz",
    "ingiltere",
    "iran",
    "iranian",
    "iraqi",
    "irish",
    "ispanya",
    "ispanyol",
    "israeli",
    "isvicre",
    "italian",
    "italya",
    "italyan",
    "japanese",
    "japon",
    "japonya",
    "kktc",
    "osmanli",
    "ottoman",
    "polish",
    "portuguese",
    "roman",
    "romanian",
    "rus",
    "russian",
    "rusya",
    "spanish",
    "swedish",
    "swiss",
    "trnc",
    "uk",
    "ukrainian",
    "us",
    "yunan",
];

/// Words in capitals that stand before the English name of a law and do not belong to it, folded.
const BEFORE_NAME: [&str; 38] = [
    "a",
    "according",
    "act",
    "all",
    "although",
    "and",
    "article",
    "articles",
    "as",
    "because",
    "both",
    "but",
    "by",
    "current",
    "for",
    "from",
    "if",
    "in",
    "new",
    "no",
    "of",
    "on",
    "or",
    "our",
    "per",
    "pursuant",
    "section",
    "see",
    "since",
    "that",
    "the",
    "this",
    "to",
    "under",
    "when",
    "where",
    "while",
    "with",
];

/// Returns whether words before the name or abbreviation of a law make it another law: "eski TTK", "the former
/// Commercial Code", "İsviçre Borçlar Kanunu", "California Civil Code".
pub(crate) fn is_before(tokens: &TextTokens, at: usize, is_english_name: bool) -> bool {
    let mut at = at;
    let mut is_name = is_english_name;
    // "the former Turkish Labour Law", "Azerbaycan Cumhuriyeti Medeni Kanunu", "Fransa'nın Ticaret Kanunu"
    for _ in 0..3 {
        let Some(before) = at.checked_sub(1) else { return false };
        // "(mülga) TTK", "e-TTK", "U.S. Constitution"
        if tokens.is_sign(before, ")-.") {
            let word = |back: usize| before.checked_sub(back).map_or("", |place| tokens.word(place));
            return tokens.is_sign(before, ")") && is_former(word(1))
                || tokens.is_sign(before, "-") && !tokens.is_spaced(at) && word(1) == "e"
                || tokens.is_sign(before, ".") && ["s", "k"].contains(&word(1)) && word(3) == "u";
        }
        let word = tokens.word(before);
        let is_capital = tokens.begins_with_capital(before);
        if is_former(word) || is_capital && COUNTRIES.binary_search(&word).is_ok() {
            return true;
        }
        let is_suffix =
            before.checked_sub(1).is_some_and(|sign| tokens.is_sign(sign, "'’")) && !tokens.is_spaced(before);
        if is_suffix {
            (at, is_name) = (before - 1, false);
        } else if ["turkish", "turk", "turkiye", "cumhuriyeti", "olan"].contains(&word) {
            (at, is_name) = (before, false);
        } else {
            return is_name && is_capital && !BEFORE_NAME.contains(&word);
        }
    }
    false
}

/// Returns the place after words behind the name of a law that make it another law: "of France", "of 1926", "(mülga)".
pub(crate) fn after(tokens: &TextTokens, at: usize) -> Option<usize> {
    if tokens.is_sign(at, "(") && is_former(tokens.word(at + 1)) && tokens.is_sign(at + 2, ")") {
        return Some(at + 3);
    }
    if tokens.word(at) != "of" {
        return None;
    }
    let mut place = at + 1;
    while ["the", "republic", "of"].contains(&tokens.word(place)) {
        place += 1;
    }
    if tokens.number(place).is_some_and(|year| (1800..=2100).contains(&year)) {
        return Some(place + 1);
    }
    let is_other = tokens.begins_with_capital(place) && !is_turkish(tokens.word(place));
    is_other.then_some(place + 1)
}

fn is_turkish(word: &str) -> bool {
    ["turkiye", "turkey", "turkish"].contains(&word)
}

/// Words of texts that are no laws and have articles of their own, by their beginnings, folded.
const OTHER_TEXTS: [&str; 17] = [
    "regulation",
    "directive",
    "convention",
    "communique",
    "treaty",
    "decree",
    "protocol",
    "gdpr",
    "yonetmeli",
    "teblig",
    "tuzug",
    "tuzuk",
    "direktif",
    "kararname",
    "protokol",
    "sozlesmesi",
    "khk",
];

/// Returns how a word at a place names a law that the table lacks, or another text with articles: "Taşınır Rehni Hakkında
/// Kanun", "the Law on Associations", "Storage Regulation".
pub(crate) fn naming(tokens: &TextTokens, at: usize) -> Option<Naming> {
    if !tokens.begins_with_capital(at) {
        return None;
    }
    let word = tokens.word(at);
    let is_law = if ["law", "act", "code"].contains(&word) {
        let is_named = at.checked_sub(1).is_some_and(|before| {
            let word = tokens.word(before);
            tokens.begins_with_capital(before) && !BEFORE_NAME.contains(&word) && word != "turkish"
        });
        is_named || has_name_behind(tokens, at)
    } else {
        word.starts_with("kanun") && is_part_of_name(tokens, at)
    };
    let is_other = OTHER_TEXTS.iter().any(|text| word.starts_with(text));
    is_law.then_some(Naming::Whole).or(is_other.then_some(Naming::OtherText))
}

/// Returns whether "Kanun" at a place belongs to the name of a law, and does not mean the law that the text named last:
/// "Taşınır Rehni Hakkında Kanun", "eski Kanun". "Bu Kanun" means the last.
fn is_part_of_name(tokens: &TextTokens, at: usize) -> bool {
    let Some(before) = at.checked_sub(1) else { return false };
    let word = tokens.word(before);
    let is_name = ["hakkinda", "dair", "iliskin", "sayili", "numarali", "lu"].contains(&word) || is_former(word);
    let is_reference = ["bu", "ayni", "anilan", "mezkur", "ilgili", "ise", "ve"].contains(&word);
    is_name || tokens.begins_with_capital(before) && !is_reference
}

/// Returns whether a word is "madde" without the suffix of an owner: "maddede", but not "maddesi".
pub(crate) fn is_madde(word: &str) -> bool {
    let suffix = word.strip_prefix("madde");
    suffix.is_some_and(|suffix| {
        ["", "de", "deki", "ye", "yi", "nin", "den", "ler", "lerde", "lerdeki", "lere", "lerin"].contains(&suffix)
    })
}

/// Returns whether a name begins at a place, and not the next article.
pub(crate) fn is_name(tokens: &TextTokens, at: usize) -> bool {
    tokens.begins_with_capital(at) && !is_marker(tokens, at)
}

/// Returns whether "Law" at a place begins the name of a law: "the Law on Associations", "the Code of Conduct".
pub(crate) fn has_name_behind(tokens: &TextTokens, at: usize) -> bool {
    ["on", "of", "for", "concerning", "regarding", "relating", "regulating", "governing", "amending"]
        .contains(&tokens.word(at + 1))
}

#[cfg(test)]
mod tests {
    #[test]
    fn countries_are_in_order() {
        assert!(super::COUNTRIES.is_sorted());
    }
}
