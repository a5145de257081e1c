//! Citations of laws and decisions in Turkish and English texts.
//!
//! [`find`] returns each place of a text that cites an article of a law, a law as a whole, or a decision of a court.
//! Laws are those of a table ([`Laws`]), which a firm extends; what names a law that the table lacks stays text, also
//! where only its number, or a word such as "former", tells it from a law of the table. An
//! article without a law belongs to the law that its sentence named last, or else to the only law that its paragraph
//! or text has named so far, or to the main law of the text: then the citation is inferred. Where none of them is
//! certain, or where the text itself cites the article of another law, the article has no law.

mod decision;
mod law;
mod laws;
mod named;
mod numbers;
mod other;
mod terms;
mod token;

use std::{fmt, ops::Range, str::FromStr};

pub use laws::{Law, Laws};
use serde::{Deserialize, Serialize};

use named::NamedLaws;
pub use terms::{cited, search, search_terms};
use token::TextTokens;

/// A place that cites a law or a decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Citation {
    /// The place in the text, in bytes.
    pub range: Range<usize>,
    pub cited: Cited,
    /// Whether the law is not named here, but earlier in the text.
    pub is_inferred: bool,
}

/// What is cited. Its text form is stable: `6102`, `6102/553/1/a`, `213/116-126`, `213/ek-7`, `aym/2023-1/2024-2`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Cited {
    /// A law, by its number, as a whole.
    Law(String),
    /// An article of the law with this number.
    Article(String, Article),
    Decision(CourtDecision),
}

/// An article of a law, or several from `first` to `last`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Article {
    pub series: Series,
    pub first: u32,
    /// Larger than `first`, if several articles are cited.
    pub last: Option<u32>,
    /// The letter of an inserted article: `A` in 107/A.
    pub letter: Option<char>,
    pub paragraph: Option<u32>,
    /// The letter of a clause, in lower case.
    pub clause: Option<char>,
}

/// The numbering to which an article belongs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Series {
    #[default]
    Main,
    /// Additional articles (*ek madde*).
    Additional,
    /// Provisional articles (*geçici madde*).
    Provisional,
    /// Repeated articles (*mükerrer madde*).
    Repeated,
}

/// A decision of a court.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct CourtDecision {
    pub court: Court,
    /// Year and number of the case (*esas*), or of an individual application.
    pub case: (u32, String),
    /// Year and number of the decision (*karar*).
    pub decision: Option<(u32, String)>,
}

/// The courts whose decisions are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Court {
    Constitutional,
    Cassation,
    CouncilOfState,
    RegionalCourt,
    RegionalAdministrativeCourt,
    JurisdictionalDisputes,
}

impl Cited {
    /// Returns the number of the law.
    #[must_use]
    pub fn law(&self) -> Option<&str> {
        match self {
            Self::Law(number) | Self::Article(number, _) => Some(number),
            Self::Decision(_) => None,
        }
    }

    /// Whether a text that cites `other` is among those on this law or article. A law includes its articles, but not
    /// the reverse.
    #[must_use]
    pub fn includes(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Law(number), _) => other.law() == Some(number),
            (Self::Article(number, article), Self::Article(of, cited)) => number == of && article.overlaps(cited),
            _ => self == other,
        }
    }
}

impl CourtDecision {
    /// Returns the decision as texts cite it: `Yargıtay, E. 2023/1, K. 2024/2`.
    #[must_use]
    pub fn name(&self, in_turkish: bool) -> String {
        let (year, number) = &self.case;
        let court = self.court.name(in_turkish);
        match &self.decision {
            Some((of, decision)) => format!("{court}, E. {year}/{number}, K. {of}/{decision}"),
            None => format!("{court}, {year}/{number}"),
        }
    }
}

impl Court {
    /// Returns the name of the court.
    #[must_use]
    pub fn name(self, in_turkish: bool) -> &'static str {
        let (turkish, english) = match self {
            Self::Constitutional => ("Anayasa Mahkemesi", "Constitutional Court"),
            Self::Cassation => ("Yargıtay", "Court of Cassation"),
            Self::CouncilOfState => ("Danıştay", "Council of State"),
            Self::RegionalCourt => ("Bölge Adliye Mahkemesi", "Regional Court of Appeal"),
            Self::RegionalAdministrativeCourt => ("Bölge İdare Mahkemesi", "Regional Administrative Court"),
            Self::JurisdictionalDisputes => ("Uyuşmazlık Mahkemesi", "Court of Jurisdictional Disputes"),
        };
        if in_turkish { turkish } else { english }
    }
}

impl Article {
    /// Whether both have an article in common; paragraphs are not compared.
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        let last = |article: &Self| article.last.unwrap_or(article.first);
        (self.series, self.letter) == (other.series, other.letter)
            && self.first <= last(other)
            && other.first <= last(self)
    }

    /// Returns each article, without paragraph and clause; of a long range the first ones.
    pub fn each(&self) -> impl Iterator<Item = Self> {
        const MAX_RANGE: u32 = 200;
        let last = self.last.unwrap_or(self.first).min(self.first.saturating_add(MAX_RANGE));
        (self.first..=last).map(|first| Self { first, last: None, ..self.whole() })
    }

    /// Returns the article without paragraph and clause.
    #[must_use]
    pub fn whole(&self) -> Self {
        Self { paragraph: None, clause: None, ..self.clone() }
    }
}

/// Reads a law or an article in the text form: `6102`, `6102/553`.
impl FromStr for Cited {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (number, article) = text.split_once('/').map_or((text, None), |(number, article)| (number, Some(article)));
        let is_number = (1..=5).contains(&number.len()) && number.bytes().all(|byte| byte.is_ascii_digit());
        let article = article.map(Article::from_str).transpose();
        match article {
            Ok(article) if is_number => Ok(match article {
                Some(article) => Self::Article(number.to_owned(), article),
                None => Self::Law(number.to_owned()),
            }),
            _ => {
                Err("expected the number of a law, such as `6102`, or an article of it, such as `6102/553`".to_owned())
            }
        }
    }
}

/// Reads one article or several in the text form: `553`, `107/A`, `116-126`, `ek-7`, `gecici-2`.
impl FromStr for Article {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong =
            || "expected an article such as `553`, `107/A`, `116-126`, `ek-7`, `gecici-2` or `mukerrer-257`".to_owned();
        let number = |text: &str| text.parse().ok().filter(|number| (1..=9999).contains(number)).ok_or_else(wrong);
        let named = [("ek-", Series::Additional), ("gecici-", Series::Provisional), ("mukerrer-", Series::Repeated)];
        let named = named.iter().find_map(|(name, series)| Some((text.strip_prefix(name)?, *series)));
        let (text, series) = named.unwrap_or((text, Series::Main));
        let (text, last) = text.split_once('-').map_or((text, None), |(first, last)| (first, Some(last)));
        let last = last.map(number).transpose()?;
        let digits = text.trim_end_matches(|letter: char| !letter.is_ascii_digit());
        let letter = match text[digits.len()..].trim_start_matches('/').chars().collect::<Vec<_>>()[..] {
            [] if text.len() == digits.len() => None,
            [letter] if letter.is_uppercase() => Some(letter),
            _ => return Err(wrong()),
        };
        let first = number(digits)?;
        if last.is_some_and(|last| last <= first || letter.is_some()) {
            return Err(wrong());
        }
        Ok(Self { series, first, last, letter, paragraph: None, clause: None })
    }
}

impl fmt::Display for Cited {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Law(number) => out.write_str(number),
            Self::Article(number, article) => write!(out, "{number}/{article}"),
            Self::Decision(decision) => write!(out, "{decision}"),
        }
    }
}

impl fmt::Display for Article {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self.series {
            Series::Main => "",
            Series::Additional => "ek-",
            Series::Provisional => "gecici-",
            Series::Repeated => "mukerrer-",
        })?;
        write!(out, "{}", self.first)?;
        if let Some(letter) = self.letter {
            write!(out, "{letter}")?;
        }
        if let Some(last) = self.last {
            write!(out, "-{last}")?;
        }
        if let Some(paragraph) = self.paragraph {
            write!(out, "/{paragraph}")?;
        }
        if let Some(clause) = self.clause {
            write!(out, "/{clause}")?;
        }
        Ok(())
    }
}

impl fmt::Display for CourtDecision {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let court = match self.court {
            Court::Constitutional => "aym",
            Court::Cassation => "yargitay",
            Court::CouncilOfState => "danistay",
            Court::RegionalCourt => "bam",
            Court::RegionalAdministrativeCourt => "bim",
            Court::JurisdictionalDisputes => "uyusmazlik",
        };
        write!(out, "{court}/{}-{}", self.case.0, self.case.1)?;
        match &self.decision {
            Some((year, number)) => write!(out, "/{year}-{number}"),
            None => Ok(()),
        }
    }
}

/// What a text cites.
#[derive(Debug, Default)]
pub struct FoundCitations {
    /// The citations, in the order of the text.
    pub citations: Vec<Citation>,
    /// The articles whose law is not certain.
    pub without_law: Vec<BareArticle>,
}

/// An article of a law that the text does not name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BareArticle {
    /// The place in the text, in bytes.
    pub range: Range<usize>,
    pub article: Article,
}

/// Returns the citations of a text, in the order of the text.
#[must_use]
pub fn find(text: &str, laws: &Laws) -> Vec<Citation> {
    find_all(text, laws).citations
}

/// Returns the citations of a text, and the articles whose law is not certain.
#[must_use]
pub fn find_all(text: &str, laws: &Laws) -> FoundCitations {
    let tokens = TextTokens::of(text);
    let (mut at, mut named, mut found) = (0, NamedLaws::default(), FoundCitations::default());
    // Most texts cite no decision, and the names of courts are many.
    let has_decisions = decision::has_number(&tokens);
    while at < tokens.len() {
        let decision = has_decisions.then(|| decision::read(&tokens, at, &mut found.citations)).flatten();
        let after = decision.or_else(|| law::read(&tokens, at, laws, &mut named, &mut found));
        at = after.unwrap_or(at + 1);
    }
    law::infer(&tokens, &named, &mut found);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_form_is_read_again() {
        for text in ["6102", "6102/553", "6102/107A", "213/116-126", "213/ek-7", "213/gecici-2", "213/mukerrer-257"] {
            assert_eq!(text.parse::<Cited>().unwrap().to_string(), text);
        }
        assert_eq!("5271/107/A".parse::<Cited>().unwrap().to_string(), "5271/107A");
        for text in ["", "TTK", "6102/", "6102/a", "6102/1/2", "123456", "6102/5-4", "6102/5A-7", "6102/0", "6102/5/"] {
            assert!(text.parse::<Cited>().unwrap_err().contains('`'), "{text}");
        }
    }

    #[test]
    fn law_includes_its_articles_and_an_article_those_in_common() {
        let includes = |one: &str, other: &str| one.parse::<Cited>().unwrap().includes(&other.parse().unwrap());
        for (one, other) in
            [("6102", "6102"), ("6102", "6102/553"), ("6102/553", "6102/550-555"), ("6102/5A", "6102/5/A")]
        {
            assert!(includes(one, other), "{one} {other}");
        }
        for (one, other) in [("6102", "6098"), ("6102/553", "6102"), ("6102/7", "6102/gecici-7"), ("6102/5", "6102/5A")]
        {
            assert!(!includes(one, other), "{one} {other}");
        }
    }
}
