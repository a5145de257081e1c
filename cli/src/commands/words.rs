//! Words above the columns, in the language of the answer.

use contract::PerLocale;

/// One word or heading in both languages.
pub(crate) type Word = PerLocale<&'static str>;

const fn word(en: &'static str, tr: &'static str) -> Word {
    PerLocale { en, tr }
}

// Capitals are written out: they must not depend on a case rule for `i` and `ı`.
pub(crate) const NAME: Word = word("NAME", "AD");
pub(crate) const POSITION: Word = word("TITLE", "UNVAN");
pub(crate) const SUMMARY: Word = word("SUMMARY", "ÖZET");
pub(crate) const ADDRESS: Word = word("ADDRESS", "ADRES");
pub(crate) const EMAIL: Word = word("E-MAIL", "E-POSTA");
pub(crate) const LINKEDIN: Word = word("LINKEDIN", "LINKEDIN");
pub(crate) const DATE: Word = word("DATE", "TARİH");
pub(crate) const TITLE: Word = word("TITLE", "BAŞLIK");
pub(crate) const AUTHOR: Word = word("AUTHOR", "YAZAR");
pub(crate) const KIND: Word = word("KIND", "TÜR");
pub(crate) const PASSAGE: Word = word("PASSAGE", "BÖLÜM");
pub(crate) const CATEGORY: Word = word("CATEGORY", "KATEGORİ");

pub(crate) const PRACTICE_AREAS: Word = word("Practice areas", "Çalışma alanları");
pub(crate) const TEAM: Word = word("Team", "Ekip");
pub(crate) const PUBLICATIONS: Word = word("Publications", "Yayınlar");
pub(crate) const SEARCH: Word = word("Search", "Arama");
pub(crate) const CONTACT: Word = word("Contact", "İletişim");

pub(crate) const DETAIL: Word = word("DETAIL", "BİLGİ");
pub(crate) const VALUE: Word = word("VALUE", "DEĞER");
pub(crate) const FIRM: Word = word("Firm", "Büro");
pub(crate) const DESCRIPTION: Word = word("Description", "Tanım");
pub(crate) const MAILBOX: Word = word("E-mail", "E-posta");
pub(crate) const TELEPHONE: Word = word("Telephone", "Telefon");
pub(crate) const POSTAL_ADDRESS: Word = word("Address", "Adres");
pub(crate) const DIRECTIONS: Word = word("Directions", "Yol tarifi");
pub(crate) const PROFILE: Word = word("LinkedIn", "LinkedIn");
pub(crate) const HOURS: Word = word("Hours", "Çalışma saatleri");
pub(crate) const LANGUAGES: Word = word("Languages", "Diller");
pub(crate) const PAGES: Word = word("Addresses", "Bağlantılar");
/// No heading, where the line above says it already.
pub(crate) const NOTHING: Word = word("", "");
