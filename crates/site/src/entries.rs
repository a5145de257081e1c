//! The entries of the site, each in one locale.

use content::{OpeningHours, PageKind};
use contract::{
    mcp::NetworkRelation,
    text::{Date, Email, Uri},
};

use super::{Document, PhotographForm};

/// A field of law.
#[derive(Clone, Debug)]
pub struct AreaEntry {
    /// The page; its title is the area's name, its description the summary.
    pub document: Document,
    /// Position in lists; entries without one follow those that have one.
    pub order: Option<i64>,
}

/// A person of the firm.
#[derive(Clone, Debug)]
pub struct MemberEntry {
    /// The page; its title is the person's name, its description the summary.
    pub document: Document,
    /// Position in lists; entries without one follow those that have one.
    pub order: Option<i64>,
    /// Professional title.
    pub title: String,
    /// Code of the language in which the name is read aloud.
    pub name_language: String,
    pub email: Option<Email>,
    /// E.164 number.
    pub telephone: Option<String>,
    pub linkedin: Option<Uri>,
    /// Bar association and registration.
    pub bar: Option<String>,
    /// Schools that the person completed.
    pub alumni_of: Vec<String>,
    /// Language codes.
    pub languages: Vec<String>,
    /// Keys of practice areas.
    pub practice_areas: Vec<String>,
    pub portrait: Option<Portrait>,
}

impl MemberEntry {
    /// Returns the letters that a list shows in place of a missing portrait.
    pub fn initials(&self) -> String {
        initials(&self.document.title)
    }
}

/// Returns the first letters of the first and the last word of a name, without titles such as `Dr.` and `Av.`.
fn initials(name: &str) -> String {
    let mut words = name.split_whitespace().filter(|word| !word.ends_with('.')).filter_map(|word| word.chars().next());
    let first = words.next().or_else(|| name.chars().next());
    first.into_iter().chain(words.next_back()).collect()
}

/// The picture of a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Portrait {
    /// Public path of the file.
    pub path: String,
    /// Alternative text, in the page's language.
    pub alt: String,
    /// The forms of a photograph, the narrowest first; otherwise empty.
    pub forms: Vec<PhotographForm>,
}

#[derive(Clone, Debug)]
pub struct ArticleEntry {
    /// The page; its description is the excerpt, or empty.
    pub document: Document,
    /// Date of publication.
    pub date: Option<Date>,
    /// Keys of team members, each once.
    pub authors: Vec<String>,
    /// Key of a category.
    pub category: Option<String>,
    /// Keywords, in the language of the text.
    pub tags: Vec<String>,
    /// The newest change first.
    pub changes: Vec<ArticleChange>,
    /// Whether it was never reviewed, or not within the period in the settings.
    pub is_unreviewed: bool,
}

/// A change of a publication, shown to readers.
#[derive(Clone, Debug)]
pub struct ArticleChange {
    pub date: Date,
    /// Description, in the language of the text.
    pub text: String,
}

impl ArticleEntry {
    /// Returns the date of the last review, or of publication. The time of the file would differ between machines.
    pub fn updated(&self) -> Option<&Date> {
        self.document.updated.as_ref().or(self.date.as_ref())
    }
}

#[derive(Clone, Debug)]
pub struct NetworkFirm {
    /// Name of the entry's folder.
    pub key: String,
    /// Path of its file below the content folder.
    pub file: String,
    pub name: String,
    /// ISO 3166-1 alpha-2 code.
    pub country: String,
    /// Name of the country in this locale.
    pub country_name: String,
    /// City in this locale.
    pub city: String,
    pub relation: NetworkRelation,
    /// Name of the association.
    pub network: Option<String>,
    /// The firm's own site.
    pub url: Option<Uri>,
    /// The text of the entry: one short paragraph of Markdown.
    pub note: String,
}

/// The contact details of the firm.
#[derive(Clone, Debug)]
pub struct Contact {
    /// Description of the firm.
    pub description: String,
    pub email: Email,
    /// E.164 number.
    pub telephone: String,
    /// The number with separators.
    pub telephone_display: Option<String>,
    /// Postal address in one line: that of the main office.
    pub address: String,
    /// The offices, the main one first; empty if the content gives an address in one line.
    pub offices: Vec<Office>,
    /// Address of a map.
    pub directions: Option<Uri>,
    pub linkedin: Option<Uri>,
    pub hours: Option<OpeningHours>,
    /// Language codes.
    pub languages: Vec<String>,
}

#[derive(Clone, Debug)]
pub struct Office {
    pub key: String,
    /// Usually the name of the city.
    pub name: String,
    /// Postal address in one line.
    pub address: String,
    /// The part of the address before the city.
    pub street: String,
    pub postal_code: Option<String>,
    /// City, with the district if that is customary.
    pub city: String,
    /// ISO 3166-1 alpha-2 code.
    pub country: String,
    /// Cities or regions that the office serves.
    pub areas_served: Vec<String>,
    /// E.164 number.
    pub telephone: Option<String>,
    pub email: Option<Email>,
    pub hours: Option<OpeningHours>,
    /// Address of a map.
    pub directions: Option<Uri>,
}

/// A page outside the sections.
#[derive(Clone, Debug)]
pub struct Page {
    pub document: Document,
    pub kind: PageKind,
}

#[cfg(test)]
mod tests {
    use super::initials;

    #[test]
    fn initials_are_the_letters_of_the_first_and_last_word() {
        for (name, expected) in [
            ("İpek Sağlam", "İS"),
            ("Dr. Şule Nur Gündüz", "ŞG"),
            ("Çağrı", "Ç"),
            ("M. Öz", "Ö"),
            ("M.", "M"),
            ("", ""),
            ("李 明", "李明"),
        ] {
            assert_eq!(initials(name), expected, "{name}");
        }
    }
}
