//! Words above the columns, in the language of the answer.

use contract::Locale;

/// One word or heading in both languages.
pub(crate) struct Word {
    en: &'static str,
    tr: &'static str,
}

impl Word {
    const fn new(en: &'static str, tr: &'static str) -> Self {
        Self { en, tr }
    }

    pub(crate) const fn to(&self, locale: Locale) -> &'static str {
        match locale {
            Locale::En => self.en,
            Locale::Tr => self.tr,
        }
    }
}

// Capitals are written out: they must not depend on a case rule for `i` and `ı`.
pub(crate) const NAME: Word = Word::new("NAME", "AD");
pub(crate) const POSITION: Word = Word::new("TITLE", "UNVAN");
pub(crate) const SUMMARY: Word = Word::new("SUMMARY", "ÖZET");
pub(crate) const ADDRESS: Word = Word::new("ADDRESS", "ADRES");
pub(crate) const EMAIL: Word = Word::new("E-MAIL", "E-POSTA");
pub(crate) const LINKEDIN: Word = Word::new("LINKEDIN", "LINKEDIN");
pub(crate) const DATE: Word = Word::new("DATE", "TARİH");
pub(crate) const TITLE: Word = Word::new("TITLE", "BAŞLIK");
pub(crate) const AUTHOR: Word = Word::new("AUTHOR", "YAZAR");
pub(crate) const KIND: Word = Word::new("KIND", "TÜR");
pub(crate) const PASSAGE: Word = Word::new("PASSAGE", "BÖLÜM");
pub(crate) const CATEGORY: Word = Word::new("CATEGORY", "KATEGORİ");

pub(crate) const PRACTICE_AREAS: Word = Word::new("Practice areas", "Çalışma alanları");
pub(crate) const TEAM: Word = Word::new("Team", "Ekip");
pub(crate) const PUBLICATIONS: Word = Word::new("Publications", "Yayınlar");
pub(crate) const SEARCH: Word = Word::new("Search", "Arama");
pub(crate) const CONTACT: Word = Word::new("Contact", "İletişim");

pub(crate) const DETAIL: Word = Word::new("DETAIL", "BİLGİ");
pub(crate) const VALUE: Word = Word::new("VALUE", "DEĞER");
pub(crate) const FIRM: Word = Word::new("Firm", "Büro");
pub(crate) const DESCRIPTION: Word = Word::new("Description", "Tanım");
pub(crate) const MAILBOX: Word = Word::new("E-mail", "E-posta");
pub(crate) const TELEPHONE: Word = Word::new("Telephone", "Telefon");
pub(crate) const POSTAL_ADDRESS: Word = Word::new("Address", "Adres");
pub(crate) const DIRECTIONS: Word = Word::new("Directions", "Yol tarifi");
pub(crate) const PROFILE: Word = Word::new("LinkedIn", "LinkedIn");
pub(crate) const HOURS: Word = Word::new("Hours", "Çalışma saatleri");
pub(crate) const LANGUAGES: Word = Word::new("Languages", "Diller");
pub(crate) const PAGES: Word = Word::new("Addresses", "Bağlantılar");
/// No heading, where the line above says it already.
pub(crate) const NOTHING: Word = Word::new("", "");
