//! Words that the renderer adds to the author's text.

use contract::Locale;

/// `{}` stands for a number or a text.
#[derive(Debug)]
pub(super) struct RendererWords {
    pub(super) footnotes: &'static str,
    pub(super) back: &'static str,
    pub(super) permalink: &'static str,
    pub(super) table: &'static str,
    pub(super) code: &'static str,
}

const ENGLISH: RendererWords = RendererWords {
    footnotes: "Footnotes",
    back: "Back to reference {}",
    permalink: "Link to this section: {}",
    table: "Table {}",
    code: "Code",
};

const TURKISH: RendererWords = RendererWords {
    footnotes: "Dipnotlar",
    back: "{} numaralı göndermeye dön",
    permalink: "Bu bölümün bağlantısı: {}",
    table: "Tablo {}",
    code: "Kod",
};

impl RendererWords {
    pub(super) fn of(locale: Locale) -> &'static Self {
        match locale {
            Locale::En => &ENGLISH,
            Locale::Tr => &TURKISH,
        }
    }
}
