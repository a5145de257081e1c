//! What a privacy notice has to say, as far as its absence is certain.

use contract::Locale;
use findings::messages::Text;

use super::patterns::TABLE;

/// Parts of folder names by which a page is known that tells how personal data are handled.
const KEYS: [&str; 7] =
    ["privacy", "gizlilik", "kvkk", "aydinlatma", "kisisel-veri", "personal-data", "data-protection"];

/// Returns whether the page with this key tells how personal data are handled.
pub(super) fn is_notice(key: &str) -> bool {
    KEYS.iter().any(|part| key.contains(part))
}

/// Returns the names of what a notice has to say and of which no word is in it.
pub(super) fn missing(text: &str, locale: Locale) -> Option<Text> {
    let missing = TABLE.duty.iter().filter(|duty| !has_one(text, &duty.signs[locale]));
    Text::list(missing.map(|duty| Text::build(|locale| duty.name[locale].clone())))
}

/// Returns whether a notice says anything of transfers abroad.
pub(super) fn speaks_of_transfers(text: &str, locale: Locale) -> bool {
    has_one(text, &TABLE.abroad[locale])
}

fn has_one(text: &str, words: &[String]) -> bool {
    words.iter().any(|word| text.contains(word.as_str()))
}
