//! Finds the texts that cite a law, so that they can be reviewed when it changes.

use std::ops::Range;

use citations::{Article, Cited, Laws};
use contract::Locale;
use findings::messages::Text;
use site::{Origin, Site};

/// A place of a text that cites a law.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CitingPlace {
    /// Path below the content folder.
    pub file: String,
    /// Line of the file, from 1.
    pub line: usize,
    /// The citation as it is written.
    pub text: String,
}

/// The places of all texts that concern a law, sorted by file and line.
#[derive(Debug, Default)]
pub struct CitingPlaces {
    pub cited: Vec<CitingPlace>,
    /// Articles of no certain law, in texts that cite the law.
    pub without_law: Vec<CitingPlace>,
}

/// Returns the places that cite a law. If an article changed, citations of the law as a whole and other articles are left
/// out.
///
/// # Errors
/// If a text cannot be read again.
pub fn citing_places(site: &Site, laws: &Laws, changed: &Cited) -> Result<CitingPlaces, Text> {
    let mut places = CitingPlaces::default();
    for locale in Locale::ALL {
        for (_, document, _) in site.content[locale].documents() {
            // The whole file: titles and summaries cite laws too.
            let text = site.body(&Origin { body_start: 0, ..document.origin.clone() })?;
            let of_text = places_in(&document.origin.file, &text, laws, changed);
            places.cited.extend(of_text.cited);
            places.without_law.extend(of_text.without_law);
        }
    }
    for places in [&mut places.cited, &mut places.without_law] {
        places.sort_by(|one, other| (&one.file, one.line).cmp(&(&other.file, other.line)));
        places.dedup();
    }
    Ok(places)
}

fn places_in(file: &str, text: &str, laws: &Laws, changed: &Cited) -> CitingPlaces {
    let found = citations::find_all(text, laws);
    let place = |range: Range<usize>| CitingPlace {
        file: file.to_owned(),
        line: text[..range.start].matches('\n').count() + 1,
        text: text[range].split_whitespace().collect::<Vec<_>>().join(" "),
    };
    let is_law_cited = found.citations.iter().any(|citation| citation.cited.law() == changed.law());
    let cited = found.citations.into_iter().filter(|citation| changed.includes(&citation.cited));
    let is_concerned = |article: &Article| match changed {
        Cited::Article(_, changed) => changed.overlaps(article),
        _ => true,
    };
    let without_law = found.without_law.into_iter().filter(|bare| is_law_cited && is_concerned(&bare.article));
    CitingPlaces {
        cited: cited.map(|citation| place(citation.range)).collect(),
        without_law: without_law.map(|bare| place(bare.range)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cites(text: &str, changed: &str) -> Vec<(usize, String)> {
        let places = places_in("a/tr.md", text, &Laws::default(), &changed.parse().unwrap());
        places.cited.into_iter().map(|place| (place.line, place.text)).collect()
    }

    #[test]
    fn place_names_line_and_words() {
        let text = "---\ntitle: TBK m. 344\n---\n\nKira TBK’nın\n344. maddesine tabidir. TTK m. 553 değildir.\n";
        let both = [(2, "TBK m. 344".to_owned()), (5, "TBK’nın 344. maddesine".to_owned())];
        assert_eq!(cites(text, "6098"), both);
        assert_eq!(cites(text, "6098/344"), both);
        assert_eq!(cites(text, "6098/345"), []);
    }

    #[test]
    fn article_of_a_range_is_cited() {
        assert_eq!(cites("TTK m. 550-555", "6102/553").len(), 1);
        assert_eq!(cites("TTK geçici m. 7", "6102/7"), []);
    }
}
