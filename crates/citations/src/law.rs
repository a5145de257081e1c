//! Laws and their articles.

use std::ops::Range;

use crate::{
    Article, BareArticle, Citation, Cited, FoundCitations, Series,
    laws::{LawMention, Laws},
    named::{NamedLaws, Naming, is_bare_article, is_bare_madde},
    numbers::{after_marker, after_numbered, is_marker, list, parts},
    other,
    token::TextTokens,
};

/// How many words may stand between a law and the number of its article: "TTK'nın anonim şirketlere ilişkin 553.
/// maddesi".
const BETWEEN: usize = 6;
/// How many words of a name may stand between "sayılı" and "Kanun".
const NAME: usize = 14;

/// Reads citations that begin at a place and adds them. Returns the place after them.
pub(crate) fn read(
    tokens: &TextTokens,
    at: usize,
    laws: &Laws,
    named: &mut NamedLaws,
    found: &mut FoundCitations,
) -> Option<usize> {
    if let Some((articles, after)) = article_before(tokens, at) {
        // "Article 553 of the Turkish Commercial Code", "Art. 344 TCO", "Article 5 of the Law"
        let mut name = after_following(tokens, after);
        while ["of", "in", "under", "the"].contains(&tokens.word(name)) || tokens.is_sign(name, ",") {
            name += 1;
        }
        // "of the former Code of Obligations", "of the Turkish Labour Law"
        let has_word = other::is_former(tokens.word(name)) || tokens.word(name) == "turkish";
        let law = law_at(tokens, name, laws).or_else(|| law_at(tokens, name + usize::from(has_word), laws));
        if let Some(law) = law {
            // "(m. 3, 6098 sayılı Kanun m. 344)": the law has an article of its own.
            if tokens.is_sign(name - 1, ",") && is_marker(tokens, law.after) {
                let is_bare = is_enclosed(tokens, at, after);
                return is_bare.then(|| note(at..after, articles, named));
            }
            if let Some(number) = &law.number {
                add(&mut found.citations, &tokens.range(at, law.after), number, &articles, false);
            }
            named.add(at, law.number, Naming::WithArticle);
            return Some(law.after);
        }
        let is_the_law = tokens.word(name.saturating_sub(1)) == "the"
            && ["law", "act", "code", "constitution"].contains(&tokens.word(name))
            && !is_number_sign(tokens, name + 1)
            && !other::has_name_behind(tokens, name);
        let is_bare = is_the_law || is_enclosed(tokens, at, after) || is_bare_article(tokens, at, after);
        return is_bare.then(|| note(at..after, articles, named));
    }
    if let Some(law) = law_at(tokens, at, laws) {
        let articles = article_after(tokens, &law, laws);
        let after = articles.as_ref().map_or(law.after, |(_, after)| *after);
        let naming = if articles.is_some() { Naming::WithArticle } else { Naming::Whole };
        named.add(at, law.number.clone(), naming);
        // The articles of a law that the table lacks are passed over.
        let Some(number) = law.number else { return Some(after) };
        let range = tokens.range(at, after);
        match articles {
            Some((articles, _)) => add(&mut found.citations, &range, &number, &articles, false),
            None => found.citations.push(Citation { range, cited: Cited::Law(number), is_inferred: false }),
        }
        return Some(after);
    }
    if let Some(naming) = other::naming(tokens, at) {
        named.add(at, None, naming);
        return None;
    }
    // "Kanun'un 5. maddesi"
    let is_the_law = ["kanun", "kanunun"].contains(&tokens.word(at)) && tokens.get(at)?.text.starts_with('K');
    if is_the_law {
        let the_law =
            LawMention { number: None, after: tokens.after_suffix(at + 1), is_short: false, is_numbered: false };
        let (articles, after) = article_after(tokens, &the_law, laws)?;
        return Some(note(at..after, articles, named));
    }
    // "376. madde"
    let (articles, after) = is_bare_madde(tokens, at).then(|| list(tokens, at, Series::Main))??;
    let after = if tokens.is_sign(after, ".") { after + 1 } else { after };
    if !other::is_madde(tokens.word(after)) {
        return None;
    }
    Some(note(at..after + 1, articles, named))
}

/// Whether articles stand in parentheses.
fn is_enclosed(tokens: &TextTokens, at: usize, after: usize) -> bool {
    let Some(before) = at.checked_sub(1) else { return false };
    let end = after_following(tokens, after);
    tokens.is_sign(before, "(") && (end > after || tokens.is_sign(end, ");,")) && !other::is_name(tokens, end + 1)
        || tokens.is_sign(before, ";") && tokens.is_sign(after, ")")
}

/// Notes articles without a named law: the whole text decides which law is certain.
fn note(place: Range<usize>, articles: Vec<Article>, named: &mut NamedLaws) -> usize {
    let after = place.end;
    named.bare.push((place, articles));
    after
}

/// Adds the noted articles.
pub(crate) fn infer(tokens: &TextTokens, named: &NamedLaws, found: &mut FoundCitations) {
    let with_law = found.citations.clone();
    for (place, articles) in &named.bare {
        let range = tokens.range(place.start, place.end);
        match named.law_at(tokens, place.start).filter(|number| !is_contradicted(&with_law, number, articles)) {
            Some(number) => add(&mut found.citations, &range, number, articles, true),
            None => found
                .without_law
                .extend(articles.iter().map(|article| BareArticle { range: range.clone(), article: article.clone() })),
        }
    }
    found.citations.sort_by_key(|citation| citation.range.start);
}

/// Whether the text itself cites one of these articles, but of other laws only.
fn is_contradicted(with_law: &[Citation], number: &str, articles: &[Article]) -> bool {
    articles.iter().any(|article| {
        let same = |it: &&Citation| matches!(&it.cited, Cited::Article(_, cited) if cited.overlaps(article));
        let mut laws = with_law.iter().filter(same).map(|it| it.cited.law()).peekable();
        laws.peek().is_some() && laws.all(|law| law != Some(number))
    })
}

fn add(found: &mut Vec<Citation>, range: &Range<usize>, number: &str, articles: &[Article], is_inferred: bool) {
    let citation = |article: &Article| Citation {
        range: range.clone(),
        cited: Cited::Article(number.to_owned(), article.clone()),
        is_inferred,
    };
    found.extend(articles.iter().map(citation));
}

/// Reads a law, however it is named: by number, name or abbreviation, or by several of them for the same law.
fn law_at(tokens: &TextTokens, at: usize, laws: &Laws) -> Option<LawMention> {
    let mut law = simple_law(tokens, at, laws)?;
    // "6102 sayılı Türk Ticaret Kanunu (TTK)", "Turkish Code of Obligations (Law No. 6098)", "Labour Act No. 4857"
    loop {
        if let Some(after) = other::after(tokens, law.after) {
            return Some(LawMention { number: None, after, ..law });
        }
        let mut next = law.after;
        let is_enclosed = tokens.is_sign(next, "(");
        while tokens.is_sign(next, "(,\"“”’'") || ["kisaca", "the", "numbered"].contains(&tokens.word(next)) {
            next += 1;
        }
        let is_sign = is_number_sign(tokens, next) || tokens.word(next.saturating_sub(1)) == "numbered";
        let again = if is_sign { number_sign(tokens, next, laws) } else { simple_law(tokens, next, laws) };
        let Some(again) = again else { return Some(law) };
        let mut after = again.after;
        while is_enclosed && tokens.is_sign(after, ")\"“”’'") {
            after += 1;
        }
        let is_same = again.number.is_some() && again.number == law.number;
        let is_alone = is_enclosed && after > again.after;
        // Another number than that of the name makes it another law: "Code of Obligations No. 818".
        let is_corrected = again.is_numbered
            && !law.is_numbered
            && (is_sign || is_alone || next == law.after && tokens.digits(next).is_none());
        // "6762 sayılı Türk Ticaret Kanunu (TTK)"
        let is_still_other = law.number.is_none() && is_alone && !again.is_numbered;
        if is_corrected {
            law.number = again.number;
        } else if !is_same && !is_still_other {
            return Some(law);
        }
        law.is_short |= again.is_short;
        law.is_numbered |= again.is_numbered;
        law.after = tokens.after_suffix(after);
    }
}

fn simple_law(tokens: &TextTokens, at: usize, laws: &Laws) -> Option<LawMention> {
    turkish_number(tokens, at, laws).or_else(|| english_number(tokens, at, laws)).or_else(|| laws.named_at(tokens, at))
}

/// Reads "6102 sayılı Kanun", with the name of the law or without.
fn turkish_number(tokens: &TextTokens, at: usize, laws: &Laws) -> Option<LawMention> {
    let begin = after_numbered(tokens, at)?;
    let digits = tokens.digits(at)?;
    let is_part = at.checked_sub(1).is_some_and(|before| tokens.is_sign(before, "/.-") && !tokens.is_spaced(at));
    if is_part {
        return None;
    }
    let number = laws.get(digits).map(|law| law.number.clone());
    let named = laws.named_at(tokens, begin);
    // The number decides, not the name: "6762 sayılı TTK" is not the law that is called so now.
    if let Some(law) = named.filter(|law| law.is_short || law.number.as_deref() == Some(digits)) {
        return Some(LawMention { number, is_numbered: true, ..law });
    }
    for end in begin..begin + NAME {
        let word = tokens.word(end);
        if word.is_empty() && !tokens.is_sign(end, ",") {
            return None;
        }
        let is_short = end == begin && word == "k" && tokens.word(at + 1) == "s";
        let is_law = word.starts_with("kanun") || word.starts_with("yasa") || is_short || word == "law";
        // A decree with the force of law has a number of its own.
        let is_decree = ["khk", "cbk"].contains(&word)
            || ["kararname", "yonetmeli", "tuzu", "teblig"].iter().any(|decree| word.starts_with(decree));
        if is_decree || is_law {
            let is_decree = is_decree || tokens.word(end + 1) == "hukmunde";
            let after = if is_short { after_marker(tokens, end) } else { end + 1 };
            let number = number.filter(|_| !is_decree);
            return Some(LawMention { number, after: tokens.after_suffix(after), is_short: false, is_numbered: true });
        }
    }
    None
}

/// Reads "Law No. 6098", "Act no 4857", "Law numbered 6102".
fn english_number(tokens: &TextTokens, at: usize, laws: &Laws) -> Option<LawMention> {
    if !["law", "act", "code", "kanun"].contains(&tokens.word(at)) {
        return None;
    }
    number_sign(tokens, at + 1, laws)
}

/// Reads "No. 6098".
fn number_sign(tokens: &TextTokens, at: usize, laws: &Laws) -> Option<LawMention> {
    if !is_number_sign(tokens, at) && tokens.word(at.checked_sub(1)?) != "numbered" {
        return None;
    }
    let mut next = if is_number_sign(tokens, at) { at + 1 } else { at };
    while tokens.is_sign(next, ".:") {
        next += 1;
    }
    let number = laws.get(tokens.digits(next)?).map(|law| law.number.clone());
    Some(LawMention { number, after: tokens.after_suffix(next + 1), is_short: false, is_numbered: true })
}

fn is_number_sign(tokens: &TextTokens, at: usize) -> bool {
    ["no", "nr", "number", "numbered"].contains(&tokens.word(at))
}

/// Returns the series that a word before or behind "madde" names.
fn series(word: &str) -> Option<Series> {
    match word {
        "ek" | "additional" => Some(Series::Additional),
        "gecici" | "provisional" | "transitional" => Some(Series::Provisional),
        "mukerrer" | "repeated" => Some(Series::Repeated),
        _ => None,
    }
}

/// Reads "Article 553", "provisional Article 1", "m. 553", with its parts in words, before the law.
fn article_before(tokens: &TextTokens, at: usize) -> Option<(Vec<Article>, usize)> {
    // "paragraph 1 of Article 344"
    if tokens.word(at) == "paragraph"
        && let Some(paragraph) = tokens.number(at + 1)
        && tokens.word(at + 2) == "of"
    {
        let (mut articles, after) = article_before(tokens, at + 3)?;
        articles[0].paragraph = Some(paragraph);
        return Some((articles, after));
    }
    let (kind, marker) = series(tokens.word(at)).map_or((Series::Main, at), |kind| (kind, at + 1));
    marked(tokens, marker, kind)
}

/// Reads a marker, a list and the parts of its last article.
fn marked(tokens: &TextTokens, at: usize, kind: Series) -> Option<(Vec<Article>, usize)> {
    if !is_marker(tokens, at) {
        return None;
    }
    let mut number = after_marker(tokens, at);
    let mut kind = kind;
    if let Some(named) = series(tokens.word(number)) {
        (kind, number) = (named, number + 1);
    }
    let (mut articles, after) = list(tokens, number, kind)?;
    let after = articles.last_mut().map_or(after, |last| parts(tokens, after, last));
    Some((articles, after))
}

/// Reads the articles behind a law.
fn article_after(tokens: &TextTokens, law: &LawMention, laws: &Laws) -> Option<(Vec<Article>, usize)> {
    let mut at = law.after;
    while tokens.is_sign(at, ",(:") || tokens.word(at) == "in" {
        at += 1;
    }
    if let Some(read) = article_before(tokens, at) {
        return Some(closed(tokens, law.after, read));
    }
    // "TTK'nın 553. maddesi", "TTK'nın geçici 1. maddesi"
    let is_direct = at == law.after;
    for number in at..=at + BETWEEN {
        if tokens.is_break(number) || tokens.is_sign(number, ".;:()") || simple_law(tokens, number, laws).is_some() {
            return None;
        }
        let before = number.checked_sub(1).and_then(|before| series(tokens.word(before))).unwrap_or_default();
        if let Some((mut articles, end_of_list)) = list(tokens, number, before) {
            let after = after_following(tokens, end_of_list);
            let after = if tokens.is_sign(after, ".") { after + 1 } else { after };
            // "553. maddesi", "5/1-e bendi"
            if tokens.word(after).starts_with("madde") || tokens.word(after).starts_with("bend") {
                let after = tokens.after_suffix(after + 1);
                let after = articles.last_mut().map_or(after, |last| parts(tokens, after, last));
                return Some((articles, after));
            }
            // "TBK 344", "TTK 553/1"
            let is_year = (1900..=2100).contains(&articles[0].first) && articles[0].paragraph.is_none();
            if law.is_short && is_direct && number == at && !is_year && tokens.word(after).is_empty() {
                return Some((articles, end_of_list));
            }
        }
        if is_marker(tokens, number) && number > at {
            // "The Constitution protects property in Article 35."
            let is_of_law = ["in", "under"].contains(&tokens.word(number - 1));
            return marked(tokens, number, Series::Main).filter(|(_, after)| is_of_law && tokens.word(*after) != "of");
        }
    }
    None
}

/// Returns the place after "vd.", "ve devamı" or "et seq.".
fn after_following(tokens: &TextTokens, at: usize) -> usize {
    let words = match (tokens.word(at), tokens.word(at + 1)) {
        ("ve", "devami") | ("et", "seq") | ("and", "following") => 2,
        ("vd" | "ff", _) => 1,
        _ => return at,
    };
    if tokens.is_sign(at + words, ".") { at + words + 1 } else { at + words }
}

/// Closes a parenthesis that was opened between a law and its article: "Law No. 6098 (art. 344)".
fn closed(tokens: &TextTokens, opened: usize, (articles, after): (Vec<Article>, usize)) -> (Vec<Article>, usize) {
    let after = if tokens.is_sign(opened, "(") && tokens.is_sign(after, ")") { after + 1 } else { after };
    (articles, after)
}
