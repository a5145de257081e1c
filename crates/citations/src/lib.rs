//! Citations of laws and decisions in Turkish and English texts.
//!
//! [`find`] returns each place of a text that cites an article of a law, a law as a whole, or a decision of a court.
//! Laws are those of a table ([`Laws`]), which a firm extends; what names a law that the table lacks stays text. An
//! article without a law belongs to the law that the text named last, where the writer puts it in parentheses or
//! refers to "the Law": then the citation is inferred.

mod decision;
mod law;
mod laws;
mod numbers;
mod token;

use std::{fmt, ops::Range};

pub use laws::{Law, Laws, LawsError};

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
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cited {
    /// A law, by its number, as a whole.
    Law(String),
    /// An article of the law with this number.
    Article(String, Article),
    Decision(CourtDecision),
}

/// An article of a law, or several from `first` to `last`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
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
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CourtDecision {
    pub court: Court,
    /// Year and number of the case (*esas*), or of an individual application.
    pub case: (u32, String),
    /// Year and number of the decision (*karar*).
    pub decision: Option<(u32, String)>,
}

/// The courts whose decisions are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
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

/// Returns the citations of a text, in the order of the text.
#[must_use]
pub fn find(text: &str, laws: &Laws) -> Vec<Citation> {
    let tokens = TextTokens::of(text);
    let mut found = Vec::new();
    let (mut at, mut last_law) = (0, None);
    while at < tokens.len() {
        let after =
            decision::read(&tokens, at, &mut found).or_else(|| law::read(&tokens, at, laws, &mut last_law, &mut found));
        at = after.unwrap_or(at + 1);
    }
    found
}
