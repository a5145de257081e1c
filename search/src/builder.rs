//! From documents to the bytes of an index.

use contract::Locale;

/// What is to be found: a page, in plain text.
#[derive(Clone, Copy, Debug)]
pub struct Document<'a> {
    /// Names the document; each once in an index.
    pub id: &'a str,
    /// Its heading.
    pub title: &'a str,
    /// Where people read it.
    pub url: &'a str,
    /// What it is: `publication`, `person`.
    pub kind: &'a str,
    /// Headings inside the text.
    pub headings: &'a [&'a str],
    /// What lists say about it.
    pub summary: &'a str,
    /// The text.
    pub body: &'a str,
}

/// Collects documents of one locale.
#[derive(Debug)]
pub struct Builder {
    locale: Locale,
    documents: Vec<String>,
}

impl Builder {
    /// An empty index of `locale`.
    #[must_use]
    pub fn new(locale: Locale) -> Self {
        Self { locale, documents: Vec::new() }
    }

    /// Takes a document. The order of calls does not matter.
    pub fn add(&mut self, document: &Document<'_>) {
        self.documents.push(document.id.to_owned());
    }

    /// The bytes of the index: the same for the same documents.
    #[must_use]
    pub fn build(self) -> Vec<u8> {
        self.locale.as_str().as_bytes().to_vec()
    }
}
