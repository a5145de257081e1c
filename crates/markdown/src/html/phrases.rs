//! The words that the renderer adds.

use contract::Locale;

/// The words in one language. `{}` stands for a number or a text.
#[derive(Debug)]
pub(super) struct Phrases {
    pub(super) footnotes: &'static str,
    pub(super) back: &'static str,
    pub(super) permalink: &'static str,
    pub(super) table: &'static str,
    pub(super) code: &'static str,
}

const ENGLISH: Phrases = Phrases {
    footnotes: "Footnotes",
    back: "Back to reference {}",
    permalink: "Link to this section: {}",
    table: "Table {}",
    code: "Code",
};

const TURKISH: Phrases = Phrases {
    footnotes: "Dipnotlar",
    back: "{} numaralı göndermeye dön",
    permalink: "Bu bölümün bağlantısı: {}",
    table: "Tablo {}",
    code: "Kod",
};

impl Phrases {
    pub(super) fn of(locale: Locale) -> &'static Self {
        match locale {
            Locale::En => &ENGLISH,
            Locale::Tr => &TURKISH,
        }
    }
}
