//! The kinds of entries, each in one locale.

use content::{Hours, PageKind};
use contract::{
    mcp::NetworkRelation,
    text::{Date, Email, Uri},
};

use super::{Document, PictureForm};

/// A field of law.
#[derive(Clone, Debug)]
pub struct PracticeArea {
    /// The page; its title is the area's name, its description the summary.
    pub document: Document,
    /// Position in lists; entries without one follow those that have one.
    pub order: Option<i64>,
}

/// A person of the firm.
#[derive(Clone, Debug)]
pub struct TeamMember {
    /// The page; its title is the person's name, its description the summary.
    pub document: Document,
    /// Position in lists; entries without one follow those that have one.
    pub order: Option<i64>,
    /// Professional title.
    pub title: String,
    /// Code of the language in which the name is read aloud.
    pub name_language: String,
    /// Mailbox.
    pub email: Option<Email>,
    /// E.164 number.
    pub telephone: Option<String>,
    /// Public profile.
    pub linkedin: Option<Uri>,
    /// Bar association and registration.
    pub bar: Option<String>,
    /// Language codes.
    pub languages: Vec<String>,
    /// Keys of practice areas.
    pub practice_areas: Vec<String>,
    /// Picture.
    pub portrait: Option<Portrait>,
}

impl TeamMember {
    /// Returns the letters that stand where there is no portrait.
    #[must_use]
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

/// A picture of a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Portrait {
    /// Public path of the file.
    pub path: String,
    /// What the picture shows, in the page's language.
    pub alt: String,
    /// The forms of a photograph, the narrowest first; otherwise empty.
    pub forms: Vec<PictureForm>,
}

/// An article.
#[derive(Clone, Debug)]
pub struct Publication {
    /// The page; its description is the excerpt, or empty.
    pub document: Document,
    /// Date of publication.
    pub date: Option<Date>,
    /// Keys of team members, each once.
    pub authors: Vec<String>,
    /// Key of a category.
    pub category: Option<String>,
    /// Words for what it is about, in the language of the text.
    pub tags: Vec<String>,
    /// What changed, the newest change first.
    pub changes: Vec<Change>,
    /// Whether it was never reviewed, or not for as long as the settings say.
    pub is_unreviewed: bool,
}

/// A change of a publication that its readers are told of.
#[derive(Clone, Debug)]
pub struct Change {
    /// The day of the change.
    pub date: Date,
    /// What changed, in the language of the text.
    pub text: String,
}

impl Publication {
    /// Returns the date of the last change: of the last review, or of publication. The time of a file on disk would
    /// differ between machines.
    #[must_use]
    pub fn updated(&self) -> Option<&Date> {
        self.document.updated.as_ref().or(self.date.as_ref())
    }
}

/// A firm of the network.
#[derive(Clone, Debug)]
pub struct NetworkFirm {
    /// Name of the entry's folder.
    pub key: String,
    /// Path of its file below the content folder.
    pub file: String,
    /// Name of the firm.
    pub name: String,
    /// ISO 3166-1 alpha-2 code.
    pub country: String,
    /// Name of the country in this locale.
    pub country_name: String,
    /// City in this locale.
    pub city: String,
    /// Kind of relation.
    pub relation: NetworkRelation,
    /// Name of the association.
    pub network: Option<String>,
    /// The firm's own site.
    pub url: Option<Uri>,
    /// The text of the entry: one short paragraph of Markdown.
    pub note: String,
}

/// How to reach the firm.
#[derive(Clone, Debug)]
pub struct Contact {
    /// What the firm is.
    pub description: String,
    /// Mailbox.
    pub email: Email,
    /// E.164 number.
    pub telephone: String,
    /// The number, as people write it.
    pub telephone_display: Option<String>,
    /// Postal address in one line: that of the main office.
    pub address: String,
    /// The offices, the main one first; empty if the content gives an address in one line.
    pub offices: Vec<Office>,
    /// Address of a map.
    pub directions: Option<Uri>,
    /// Public profile.
    pub linkedin: Option<Uri>,
    /// Office hours.
    pub hours: Option<Hours>,
    /// Language codes.
    pub languages: Vec<String>,
}

/// An office.
#[derive(Clone, Debug)]
pub struct Office {
    /// Its key.
    pub key: String,
    /// Its name: mostly that of the city.
    pub name: String,
    /// Postal address in one line.
    pub address: String,
    /// Street and number, and what else precedes the city.
    pub street: String,
    /// Postal code.
    pub postal_code: Option<String>,
    /// City, with the district if that is usual.
    pub city: String,
    /// ISO 3166-1 alpha-2 code.
    pub country: String,
    /// E.164 number.
    pub telephone: Option<String>,
    /// Mailbox.
    pub email: Option<Email>,
    /// Office hours.
    pub hours: Option<Hours>,
    /// Address of a map.
    pub directions: Option<Uri>,
}

/// A page that is no entry of a section.
#[derive(Clone, Debug)]
pub struct Page {
    /// The page.
    pub document: Document,
    /// What it is to the program.
    pub kind: PageKind,
}

#[cfg(test)]
mod tests {
    use super::initials;

    #[test]
    fn initials_are_those_of_first_and_last_word() {
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
