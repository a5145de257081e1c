//! Slugs, also used for the anchors of headings.

use contract::Locale;

use search::each_letter;

/// The limit of [`contract::text::Slug`].
const MAX_LENGTH: usize = 80;

/// Returns the slug form of a title: words of ASCII letters and digits joined by hyphens, cut after a word to 80
/// characters.
///
/// The slug is empty if the title has no such letter, and otherwise a valid [`contract::text::Slug`]. Apostrophes are
/// dropped without a hyphen (`İstanbul'daki` becomes `istanbuldaki`), and `&` becomes a word.
pub fn slug(title: &str, locale: Locale) -> String {
    let and = match locale {
        Locale::En => "and",
        Locale::Tr => "ve",
    };
    let mut slug = String::with_capacity(title.len());
    let mut word_ended = false;
    each_letter(title, |letter| match letter {
        'a'..='z' | '0'..='9' => {
            if word_ended && !slug.is_empty() {
                slug.push('-');
            }
            word_ended = false;
            slug.push(letter);
        }
        '\'' => {}
        '&' => {
            if !slug.is_empty() {
                slug.push('-');
            }
            slug.push_str(and);
            word_ended = true;
        }
        _ => word_ended = true,
    });
    if slug.len() > MAX_LENGTH {
        let end = slug[..=MAX_LENGTH].rfind('-').unwrap_or(MAX_LENGTH);
        slug.truncate(end);
    }
    slug
}
