//! The common facts of all entries with a page of their own.

use std::slice;

use citations::Cited;
use content::{ChangeOfLaw, Checksum};
use contract::{
    Locale,
    text::{Date, Slug},
};

use super::Office;

/// An entry's page in one locale.
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    /// Name of the entry's folder.
    pub key: String,
    pub locale: Locale,
    /// Public path, without a trailing slash: `/en/practice-areas/tax`.
    pub path: String,
    /// Last segment of the path; `None` for pages without a segment of their own.
    pub slug: Option<Slug>,
    /// The page's heading: a title or a name.
    pub title: String,
    /// Plain text for search results and lists; may be empty for a publication without an excerpt.
    pub description: String,
    /// Date of the last review.
    pub updated: Option<Date>,
    /// Public path of the same entry in the other locale.
    pub translation: Option<String>,
    /// Day on which both languages were last compared, if the entry names one.
    pub compared: Option<Date>,
    /// Whether the text in the other locale has changed since: see [`crate::Site::mark_stale`].
    pub is_stale: bool,
    /// The laws and decisions that the text cites, each once.
    pub cites: Vec<Cited>,
    /// The changes of law that the text does not state yet.
    pub law_changes: Vec<ChangeOfLaw>,
    /// Former public paths that redirect here.
    pub aliases: Vec<String>,
    /// Addresses on a former site that redirect here: see [`contract::manifest::is_former_address`].
    pub former_addresses: Vec<String>,
    pub origin: Origin,
    /// Number of words of the text.
    pub words: u32,
}

/// The location of a document's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// Path below the content folder, with `/` between its segments.
    pub file: String,
    /// Bytes before the text: the front matter and its delimiters.
    pub body_start: usize,
    /// Checksum of the whole file when it was checked; it distinguishes files only within one build.
    pub checksum: Checksum,
}

impl Document {
    /// Returns the days of the changes of what is cited that the text does not state yet, each once, the latest first.
    #[must_use]
    pub fn changes_since(&self, cited: &Cited) -> Vec<&Date> {
        let changes = self.law_changes.iter().filter(|change| change.concerns(slice::from_ref(cited)));
        let mut days: Vec<&Date> = changes.map(|change| &change.in_force).collect();
        days.dedup();
        days
    }

    /// Returns the public path of an entry: locale, the section's slug, the entry's slug.
    pub fn path_of(locale: Locale, section: Option<&Slug>, slug: Option<&Slug>) -> String {
        let mut path = format!("/{locale}");
        for part in [section, slug].into_iter().flatten() {
            path.push('/');
            path.push_str(part.as_str());
        }
        path
    }
}

/// Returns the path of an office, without the ending of its card: see [`card_paths`].
pub fn office_path(contact_page: &Document, office: &Office) -> String {
    format!("{}/{}", contact_page.path, office.key)
}

/// Returns the paths of the vCards of `path`: version 4.0 and version 3.0.
pub fn card_paths(path: &str) -> [String; 2] {
    [format!("{path}.vcf"), format!("{path}.v3.vcf")]
}

/// Returns the path of a page's Markdown twin: `/x` has `/x.md`, `/` has `/index.md`.
pub fn twin_path(path: &str) -> String {
    if path == "/" { "/index.md".to_owned() } else { format!("{path}.md") }
}
