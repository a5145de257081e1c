//! What every entry with a page of its own has.

use contract::{
    Locale,
    text::{Date, Slug},
};

use crate::source::Checksum;

/// An entry's page in one locale.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// Name of the entry's folder.
    pub key: String,
    /// Language of this version.
    pub locale: Locale,
    /// Public path, without a trailing slash: `/en/practice-areas/tax`.
    pub path: String,
    /// Last segment of the path; `None` for the pages that have none of their own.
    pub slug: Option<Slug>,
    /// The page's heading: a title or a name.
    pub title: String,
    /// Plain text for search results and lists; may be empty for a publication without an excerpt.
    pub description: String,
    /// Day of the last review.
    pub updated: Option<Date>,
    /// Public path of the same entry in the other locale.
    pub translation: Option<String>,
    /// Former public paths that redirect here.
    pub aliases: Vec<String>,
    /// Where the text is.
    pub origin: Origin,
    /// Number of words of the text.
    pub words: u32,
}

/// Where a document's text is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// Path below the content folder, with `/` between its parts.
    pub file: String,
    /// Octets before the text: the front matter and its delimiters.
    pub body_start: usize,
    /// Checksum of the whole file, as it was checked; it tells files apart within one build only.
    pub checksum: Checksum,
}

impl Document {
    /// The public path of an entry: locale, the section's slug, the entry's slug.
    #[must_use]
    pub fn path_of(locale: Locale, section: Option<&Slug>, slug: Option<&Slug>) -> String {
        let mut path = format!("/{locale}");
        for part in [section, slug].into_iter().flatten() {
            path.push('/');
            path.push_str(part.as_str());
        }
        path
    }
}

/// Where the Markdown twin of a page stands: `/x` has `/x.md`, `/` has `/index.md`.
pub(crate) fn twin_path(path: &str) -> String {
    if path == "/" { "/index.md".to_owned() } else { format!("{path}.md") }
}
