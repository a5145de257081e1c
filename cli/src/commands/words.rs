//! Words above the columns, in the language of the answer.

use contract::PerLocale;

/// A label in both languages.
pub(crate) type LocalizedWord = PerLocale<&'static str>;

const fn word(en: &'static str, tr: &'static str) -> LocalizedWord {
    PerLocale { en, tr }
}

// Capitals are written out: they must not depend on a case rule for `i` and `ı`.
pub(crate) const NAME: LocalizedWord = word("NAME", "AD");
pub(crate) const POSITION: LocalizedWord = word("TITLE", "UNVAN");
pub(crate) const SUMMARY: LocalizedWord = word("SUMMARY", "ÖZET");
pub(crate) const ADDRESS: LocalizedWord = word("ADDRESS", "ADRES");
pub(crate) const EMAIL: LocalizedWord = word("E-MAIL", "E-POSTA");
pub(crate) const LINKEDIN: LocalizedWord = word("LINKEDIN", "LINKEDIN");
pub(crate) const DATE: LocalizedWord = word("DATE", "TARİH");
pub(crate) const TITLE: LocalizedWord = word("TITLE", "BAŞLIK");
pub(crate) const AUTHOR: LocalizedWord = word("AUTHOR", "YAZAR");
pub(crate) const KIND: LocalizedWord = word("KIND", "TÜR");
pub(crate) const PASSAGE: LocalizedWord = word("PASSAGE", "BÖLÜM");
pub(crate) const CATEGORY: LocalizedWord = word("CATEGORY", "KATEGORİ");

pub(crate) const PRACTICE_AREAS: LocalizedWord = word("Practice areas", "Çalışma alanları");
pub(crate) const TEAM: LocalizedWord = word("Team", "Ekip");
pub(crate) const PUBLICATIONS: LocalizedWord = word("Publications", "Yayınlar");
pub(crate) const SEARCH: LocalizedWord = word("Search", "Arama");
pub(crate) const CONTACT: LocalizedWord = word("Contact", "İletişim");

pub(crate) const DETAIL: LocalizedWord = word("DETAIL", "BİLGİ");
pub(crate) const VALUE: LocalizedWord = word("VALUE", "DEĞER");
pub(crate) const FIRM: LocalizedWord = word("Firm", "Büro");
pub(crate) const DESCRIPTION: LocalizedWord = word("Description", "Tanım");
pub(crate) const MAILBOX: LocalizedWord = word("E-mail", "E-posta");
pub(crate) const TELEPHONE: LocalizedWord = word("Telephone", "Telefon");
pub(crate) const POSTAL_ADDRESS: LocalizedWord = word("Address", "Adres");
pub(crate) const DIRECTIONS: LocalizedWord = word("Directions", "Yol tarifi");
pub(crate) const PROFILE: LocalizedWord = word("LinkedIn", "LinkedIn");
pub(crate) const HOURS: LocalizedWord = word("Hours", "Çalışma saatleri");
pub(crate) const LANGUAGES: LocalizedWord = word("Languages", "Diller");
pub(crate) const PAGES: LocalizedWord = word("Addresses", "Bağlantılar");
/// No label: the row continues the one above.
pub(crate) const NOTHING: LocalizedWord = word("", "");
