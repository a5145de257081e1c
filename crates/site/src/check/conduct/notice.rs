//! Contents that are certainly missing from a privacy notice.

use contract::Locale;
use findings::messages::Text;

use super::patterns::TABLE;

/// Parts of the folder names of privacy notices.
const KEYS: [&str; 7] =
    ["privacy", "gizlilik", "kvkk", "aydinlatma", "kisisel-veri", "personal-data", "data-protection"];

/// Returns whether the page with this key is a privacy notice.
pub(super) fn is_notice(key: &str) -> bool {
    KEYS.iter().any(|part| key.contains(part))
}

/// Returns the names of the required contents without any word in the notice.
pub(super) fn missing_duties(text: &str, locale: Locale) -> Option<Text> {
    let missing = TABLE.duty.iter().filter(|duty| !has_one(text, &duty.signs[locale]));
    Text::list(missing.map(|duty| Text::build(|locale| duty.name[locale].clone())))
}

/// Returns whether a notice mentions transfers abroad.
pub(super) fn mentions_transfers(text: &str, locale: Locale) -> bool {
    has_one(text, &TABLE.abroad[locale])
}

fn has_one(text: &str, words: &[String]) -> bool {
    words.iter().any(|word| text.contains(word.as_str()))
}
