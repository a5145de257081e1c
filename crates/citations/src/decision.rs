//! Decisions of courts: `Anayasa Mahkemesi, E. 2023/1, K. 2024/2`.

use crate::{Citation, Cited, Court, CourtDecision, token::TextTokens};

/// How far behind a court its numbers may stand, in tokens: chamber, date and words between.
const REACH: usize = 40;

/// The names of courts, folded, longest first within a court.
const COURTS: [(&[&str], Court); 20] = [
    (&["anayasa", "mahkemesi"], Court::Constitutional),
    (&["aym"], Court::Constitutional),
    (&["constitutional", "court"], Court::Constitutional),
    (&["yargitay"], Court::Cassation),
    (&["ybgk"], Court::Cassation),
    (&["hgk"], Court::Cassation),
    (&["cgk"], Court::Cassation),
    (&["court", "of", "cassation"], Court::Cassation),
    (&["supreme", "court", "of", "appeals"], Court::Cassation),
    (&["danistay"], Court::CouncilOfState),
    (&["iddk"], Court::CouncilOfState),
    (&["vddk"], Court::CouncilOfState),
    (&["council", "of", "state"], Court::CouncilOfState),
    (&["bolge", "adliye", "mahkemesi"], Court::RegionalCourt),
    (&["bam"], Court::RegionalCourt),
    (&["regional", "court", "of", "appeal"], Court::RegionalCourt),
    (&["bolge", "idare", "mahkemesi"], Court::RegionalAdministrativeCourt),
    (&["bim"], Court::RegionalAdministrativeCourt),
    (&["uyusmazlik", "mahkemesi"], Court::JurisdictionalDisputes),
    (&["court", "of", "jurisdictional", "disputes"], Court::JurisdictionalDisputes),
];

/// Returns whether the text has a number of a decision or case.
pub(crate) fn has_number(tokens: &TextTokens) -> bool {
    (0..tokens.len()).any(|at| number(tokens, at).is_some())
}

/// Reads a decision that begins at a place and adds it. Returns the place after it.
pub(crate) fn read(tokens: &TextTokens, at: usize, found: &mut Vec<Citation>) -> Option<usize> {
    let (court, mut next) = court_at(tokens, at)?;
    let (mut case, mut decision, mut after) = (None, None, next);
    let end = (next + REACH).min(tokens.len());
    while next < end && !tokens.is_break(next) {
        // A lower court may be named before a higher one's chamber, but another court begins another citation.
        if court_at(tokens, next).is_some_and(|(other, _)| other != court) {
            break;
        }
        let Some((number, behind)) = number(tokens, next) else {
            next += 1;
            continue;
        };
        let Some((kind, end_of_kind)) = kind_of(tokens, next, behind, after) else {
            next = behind;
            continue;
        };
        match kind {
            NumberKind::Case if case.is_none() => case = Some(number),
            NumberKind::Decision if decision.is_none() => decision = Some(number),
            _ => break,
        }
        after = end_of_kind;
        next = after;
        if case.is_some() && decision.is_some() {
            break;
        }
    }
    let case = case?;
    let range = tokens.range(at, after);
    found.push(Citation { range, cited: Cited::Decision(CourtDecision { court, case, decision }), is_inferred: false });
    Some(after)
}

fn court_at(tokens: &TextTokens, at: usize) -> Option<(Court, usize)> {
    let stem = |word: &str, expected: &str| {
        word == expected
            || word.strip_prefix(expected).is_some_and(|rest| ["nin", "nda", "na", "ndan", "in"].contains(&rest))
    };
    let (words, court) = COURTS.iter().find(|(words, _)| {
        words.iter().enumerate().all(|(number, expected)| {
            let word = tokens.word(at + number);
            if number + 1 == words.len() { stem(word, expected) } else { word == *expected }
        })
    })?;
    let is_short = words[0].len() <= 4 && words.len() == 1;
    let is_capital = tokens.get(at)?.text.chars().all(char::is_uppercase);
    (!is_short || is_capital).then(|| (*court, tokens.after_suffix(at + words.len())))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum NumberKind {
    Case,
    Decision,
}

/// Reads a year and a number: `2023/1`, `2017/11-48`.
fn number(tokens: &TextTokens, at: usize) -> Option<((u32, String), usize)> {
    let year = tokens.number(at).filter(|year| (1950..=2100).contains(year))?;
    if !tokens.is_sign(at + 1, "/") || tokens.is_spaced(at + 2) {
        return None;
    }
    let mut number = tokens.digits(at + 2)?.to_owned();
    let mut after = at + 3;
    while tokens.is_sign(after, "-–") && !tokens.is_spaced(after + 1) && tokens.digits(after + 1).is_some() {
        number = format!("{number}-{}", tokens.digits(after + 1)?);
        after += 2;
    }
    Some(((year, number), after))
}

fn kind_word(word: &str) -> Option<NumberKind> {
    match word {
        "e" | "esas" | "case" | "docket" | "merits" => Some(NumberKind::Case),
        "k" | "karar" | "decision" => Some(NumberKind::Decision),
        _ => None,
    }
}

/// Returns whether a number is that of a case or of a decision, and the place after it: by the word before it
/// ("E. 2023/1", "Esas No: 2023/1", "B. No: 2013/1"), if that is not before `begin`, or else by the word behind it
/// ("2023/1 E.", "2023/1 esas").
fn kind_of(tokens: &TextTokens, at: usize, behind: usize, begin: usize) -> Option<(NumberKind, usize)> {
    let mut before = at;
    while before > begin
        && (tokens.is_sign(before - 1, ".:") || ["no", "nr", "sayili", "number"].contains(&tokens.word(before - 1)))
    {
        before -= 1;
    }
    if before > begin {
        let word = tokens.word(before - 1);
        let is_application = before < at && ["b", "basvuru", "application", "app"].contains(&word);
        let kind = if is_application { Some(NumberKind::Case) } else { kind_word(word) };
        if let Some(kind) = kind {
            return Some((kind, behind));
        }
    }
    let kind = kind_word(tokens.word(behind))?;
    Some((kind, if tokens.is_sign(behind + 1, ".") { behind + 2 } else { behind + 1 }))
}
