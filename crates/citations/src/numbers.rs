//! Numbers of articles: `553/1-a`, `20/A`, `18(3)`, `27 ve 28`, `64-70`.

use crate::{Article, Series, token::TextTokens};

/// Words that connect numbers of a list.
const AND: [&str; 8] = ["ve", "veya", "ile", "ya", "and", "or", "ilgili", "as"];
/// Words of a range.
const TO: [&str; 3] = ["ila", "to", "through"];
/// Ordinal suffixes of a number in Turkish, folded.
const ORDINALS: [&str; 8] = ["inci", "nci", "uncu", "ncu", "inci", "nin", "un", "in"];
/// Words behind a number that is no article: times, and the months of a date.
const UNITS: [&str; 38] = [
    "ay",
    "aylik",
    "gun",
    "gunluk",
    "yil",
    "yillik",
    "hafta",
    "haftalik",
    "saat",
    "lira",
    "tl",
    "kisi",
    "isci",
    "ocak",
    "subat",
    "mart",
    "nisan",
    "mayis",
    "haziran",
    "temmuz",
    "agustos",
    "eylul",
    "ekim",
    "kasim",
    "aralik",
    "day",
    "days",
    "week",
    "weeks",
    "month",
    "months",
    "year",
    "years",
    "hours",
    "employees",
    "persons",
    "january",
    "march",
];
/// Words for the first paragraphs.
const FIRST: [(&str, &str, u32); 12] = [
    ("birinci", "first", 1),
    ("ikinci", "second", 2),
    ("ucuncu", "third", 3),
    ("dorduncu", "fourth", 4),
    ("besinci", "fifth", 5),
    ("altinci", "sixth", 6),
    ("yedinci", "seventh", 7),
    ("sekizinci", "eighth", 8),
    ("dokuzuncu", "ninth", 9),
    ("onuncu", "tenth", 10),
    ("on", "eleventh", 11),
    ("son", "last", 0),
];

/// Reads a list of numbers at a place. Returns the articles and the place after them.
pub(crate) fn list(tokens: &TextTokens, mut at: usize, series: Series) -> Option<(Vec<Article>, usize)> {
    let (first, after) = one(tokens, at, series)?;
    let mut articles = vec![first];
    at = after;
    while let Some((next, after, is_range)) = connected(tokens, at, series) {
        match articles.last_mut() {
            Some(last) if is_range && next.first > last.first && last.paragraph.is_none() && last.last.is_none() => {
                last.last = Some(next.first);
            }
            _ if is_range => break,
            _ => articles.push(next),
        }
        at = after;
    }
    Some((articles, at))
}

/// Reads a number after a comma, "and" or a dash.
fn connected(tokens: &TextTokens, at: usize, series: Series) -> Option<(Article, usize, bool)> {
    let mut next = at;
    let is_range = (tokens.is_sign(at, "-–") && !tokens.is_spaced(at + 1)) || TO.contains(&tokens.word(at));
    if is_range {
        next += 1;
    } else {
        if tokens.is_sign(next, ",") {
            next += 1;
        }
        if AND.contains(&tokens.word(next)) {
            next += 1;
            if tokens.word(next - 1) == "ya" {
                next += 1;
            }
        }
        if next == at {
            return None;
        }
    }
    if is_marker(tokens, next) {
        next = after_marker(tokens, next);
    }
    let (article, after) = one(tokens, next, series)?;
    // "m. 445, 3 aylık süre"
    if UNITS.contains(&tokens.word(next + 1)) {
        return None;
    }
    // "m. 27, 2023 tarihli": a year goes on with other words.
    let is_year = (1900..=2100).contains(&article.first) && article.paragraph.is_none();
    (!is_year).then_some((article, after, is_range))
}

/// Reads a number with its letter, paragraph and clause.
fn one(tokens: &TextTokens, at: usize, series: Series) -> Option<(Article, usize)> {
    let first = tokens.number(at).filter(|number| *number <= 9999)?;
    // "TTK m. 3, 6098 sayılı Kanun m. 344": the number of the next law.
    if after_numbered(tokens, at).is_some() {
        return None;
    }
    let mut article = Article { series, first, last: None, letter: None, paragraph: None, clause: None };
    let mut at = at + 1;
    // 107/A
    if tokens.is_sign(at, "/") && !tokens.is_spaced(at) && is_capital(tokens, at + 1) {
        article.letter = letter(tokens, at + 1);
        at += 2;
    }
    at = ordinal(tokens, at);
    loop {
        let next = at + 1;
        let is_joined = !tokens.is_spaced(at) && !tokens.is_spaced(next);
        // "553/1", "25/II"
        if article.paragraph.is_none()
            && tokens.is_sign(at, "/")
            && is_joined
            && paragraph_number(tokens, next).is_some()
        {
            article.paragraph = paragraph_number(tokens, next);
            at += 2;
        } else if article.paragraph.is_none()
            && tokens.is_sign(at, "/,")
            && tokens.word(next) == "f"
            && tokens.number(after_marker(tokens, next)).is_some()
        {
            // "1/f.2", "19, f. 1"
            let number = after_marker(tokens, next);
            article.paragraph = tokens.number(number);
            at = number + 1;
        } else if article.clause.is_none() && tokens.is_sign(at, "/-.") && is_joined && letter(tokens, next).is_some() {
            article.clause = clause(tokens, next);
            at += 2;
        } else if article.clause.is_none()
            && tokens.is_sign(at, "-")
            && is_joined
            && tokens.is_sign(next, "(")
            && tokens.is_sign(next + 2, ")")
            && letter(tokens, next + 1).is_some()
        {
            // "616/1-(e)"
            article.clause = clause(tokens, next + 1);
            at += 4;
        } else if tokens.is_sign(at, "(") && tokens.is_sign(at + 2, ")") {
            match paragraph_number(tokens, next) {
                Some(number) if article.paragraph.is_none() => article.paragraph = Some(number),
                _ if article.clause.is_none() && letter(tokens, next).is_some() => {
                    article.clause = clause(tokens, next);
                }
                _ => break,
            }
            at += 3;
        } else {
            break;
        }
    }
    Some((article, ordinal(tokens, at)))
}

/// Returns the place after an ordinal suffix: `'üncü`, `üncü`. A full stop is left, since it may end a sentence.
fn ordinal(tokens: &TextTokens, at: usize) -> usize {
    if ORDINALS.contains(&tokens.word(at)) {
        return at + 1;
    }
    let is_suffix = tokens.is_sign(at, "'’") && !tokens.is_spaced(at + 1);
    if is_suffix && !tokens.word(at + 1).is_empty() { at + 2 } else { at }
}

/// Adds a paragraph and a clause in words: "maddesinin birinci fıkrasının (a) bendi", ", paragraph 2". Returns the place
/// after them.
pub(crate) fn parts(tokens: &TextTokens, at: usize, article: &mut Article) -> usize {
    let mut at = at;
    loop {
        let next = if tokens.is_sign(at, ",") { at + 1 } else { at };
        if let Some((number, after)) = paragraph(tokens, next).filter(|_| article.paragraph.is_none()) {
            article.paragraph = Some(number).filter(|number| *number > 0);
            at = after;
        } else if let Some((letter, after)) = lettered(tokens, next).filter(|_| article.clause.is_none()) {
            article.clause = Some(letter);
            at = after;
        } else {
            return at;
        }
    }
}

fn paragraph(tokens: &TextTokens, at: usize) -> Option<(u32, usize)> {
    let is_paragraph = |at: usize| tokens.word(at).starts_with("fikra") || tokens.word(at) == "paragraph";
    let in_words = FIRST.iter().find(|(tr, en, _)| [*tr, *en].contains(&tokens.word(at)));
    if let Some((_, _, number)) = in_words.filter(|_| is_paragraph(at + 1)) {
        return Some((*number, at + 2));
    }
    // "1. fıkrası", "1'inci fıkrası", "(1) numaralı fıkrası"
    if let Some(number) = tokens.number(at) {
        let mut after = ordinal(tokens, at + 1);
        if tokens.is_sign(after, ".") {
            after += 1;
        }
        return is_paragraph(after).then_some((number, after + 1));
    }
    if tokens.is_sign(at, "(") && tokens.is_sign(at + 2, ")") {
        let after = if tokens.word(at + 3).starts_with("numaral") { at + 4 } else { at + 3 };
        return tokens.number(at + 1).filter(|_| is_paragraph(after)).map(|number| (number, after + 1));
    }
    // "fıkra 1", "f. 1", "paragraph 1", "para. 1"
    if !["fikra", "f", "fk", "paragraph", "para", "par"].contains(&tokens.word(at)) {
        return None;
    }
    let number = after_marker(tokens, at);
    let (number, after) = if tokens.is_sign(number, "(") { (number + 1, number + 3) } else { (number, number + 1) };
    tokens.number(number).map(|value| (value, after))
}

fn lettered(tokens: &TextTokens, at: usize) -> Option<(char, usize)> {
    let is_clause = |at: usize| tokens.word(at).starts_with("bend") || tokens.word(at) == "bent";
    if tokens.is_sign(at, "(") && tokens.is_sign(at + 2, ")") && is_clause(at + 3) {
        return Some((clause(tokens, at + 1)?, at + 4));
    }
    if is_clause(at + 1) {
        return Some((clause(tokens, at)?, at + 2));
    }
    if !["bent", "b", "subparagraph", "clause", "item", "point"].contains(&tokens.word(at)) {
        return None;
    }
    let next = after_marker(tokens, at);
    if tokens.is_sign(next, "(") && tokens.is_sign(next + 2, ")") {
        return Some((clause(tokens, next + 1)?, next + 3));
    }
    // A single letter after "item" may be the article "a".
    (tokens.word(at) == "bent").then(|| Some((clause(tokens, next)?, next + 1)))?
}

/// Whether a word that stands before the number of an article is at a place.
pub(crate) fn is_marker(tokens: &TextTokens, at: usize) -> bool {
    match tokens.word(at) {
        "m" | "md" | "mad" | "art" | "arts" | "madde" | "maddeler" | "article" | "articles" | "section" | "sec" => true,
        _ => tokens.is_sign(at, "§"),
    }
}

/// Returns the place after a number and the word that makes it that of a law or a decree: "6102 sayılı", "6102 s.",
/// "6102 no.lu". "12 s." may be a page, unless a capital follows: "6102 s. Kanun", "6102 s.K.".
pub(crate) fn after_numbered(tokens: &TextTokens, at: usize) -> Option<usize> {
    tokens.digits(at)?;
    match tokens.word(at + 1) {
        "sayili" | "sk" | "numarali" | "nolu" | "numbered" => Some(at + 2),
        "s" => {
            let name = after_marker(tokens, at + 1);
            tokens.get(name).filter(|token| token.text.starts_with(char::is_uppercase)).map(|_| name)
        }
        "no" => (tokens.is_sign(at + 2, ".'’") && tokens.word(at + 3) == "lu").then_some(at + 4),
        _ => None,
    }
}

/// Returns the place after a marker and its full stop.
pub(crate) fn after_marker(tokens: &TextTokens, at: usize) -> usize {
    if tokens.is_sign(at + 1, ".") { at + 2 } else { at + 1 }
}

/// Reads the number of a paragraph, Arabic or Roman. `(i)` is a clause.
fn paragraph_number(tokens: &TextTokens, at: usize) -> Option<u32> {
    const ROMAN: [&str; 8] = ["I", "II", "III", "IV", "V", "VI", "VII", "VIII"];

    let text = tokens.get(at)?.text;
    let roman = ROMAN.iter().zip(1..).find(|(roman, _)| **roman == text).map(|(_, number)| number);
    tokens.number(at).or(roman)
}

fn letter(tokens: &TextTokens, at: usize) -> Option<char> {
    let mut letters = tokens.get(at)?.text.chars();
    letters.next().filter(|letter| letter.is_alphabetic() && letters.next().is_none())
}

fn is_capital(tokens: &TextTokens, at: usize) -> bool {
    letter(tokens, at).is_some_and(char::is_uppercase)
}

fn clause(tokens: &TextTokens, at: usize) -> Option<char> {
    letter(tokens, at)?.to_lowercase().next()
}
