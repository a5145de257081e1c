//! Readers of single values, with the problems that they report.

use std::sync::LazyLock;

use citations::{Article, Cited};
use contract::{
    Locale,
    manifest::is_former_address,
    text::{Email, Slug, is_invisible},
};
use findings::{
    Code,
    messages::{self, Text},
    nearest,
};
use markdown::turkish;
use markdown::turkish::Language;
use percent_encoding::percent_decode_str;

use super::{
    Focus,
    node::{Node, Value},
    problem::{Problem, Reading},
};

/// The longest title or name, in characters.
pub(super) const LINE: usize = 200;
/// The longest summary or description, in characters.
pub(super) const SENTENCES: usize = 600;

/// The names of languages and countries by code; a code is valid if it has a name. Both locales name the same codes.
static NAMES: LazyLock<Language> = LazyLock::new(|| Language::new(Locale::En));

/// Returns the text of a single value, and whether it had no quotation marks.
pub(super) fn scalar<'n>(node: &'n Node) -> Result<(&'n str, bool), Option<Problem>> {
    match &node.value {
        Value::Scalar { text, plain } => Ok((text.trim(), *plain)),
        Value::Refused => Err(None),
        Value::List(_) | Value::Map(_) => {
            Err(Some(Problem::new(Code::WRONG_SHAPE, messages::value_not_single(node.shape()))))
        }
    }
}

/// Reads text of at most `longest` characters in one line.
pub(super) fn text(node: &Node, longest: usize) -> Reading<String> {
    let (text, _) = scalar(node)?;
    if let Some(character) = text.chars().find(|c| is_invisible(*c)) {
        let name = match character {
            '\n' => messages::line_break(),
            _ => messages::character_numbered(format!("U+{:04X}", character as u32)),
        };
        let problem = Problem::new(Code::CONTROL_CHARACTER, messages::value_with_invisible(name));
        return Err(Some(problem.help(messages::value_with_invisible_help())));
    }
    if let Some(mark) = markup(text) {
        let problem = Problem::new(Code::MARKUP_IN_PLAIN_TEXT, messages::value_with_markup(mark));
        return Err(Some(problem.help(messages::value_with_markup_help())));
    }
    let length = text.chars().count();
    if length > longest {
        let problem = Problem::new(Code::TOO_LONG, messages::value_too_long(length, longest));
        return Err(Some(problem.help(messages::value_too_long_help())));
    }
    Ok(text.to_owned())
}

/// Returns the first mark in `text` that Markdown would interpret: a link, a footnote, emphasis, code, a tag, an
/// escape. Ignores marks that count only at the start of a line: the writer escapes them there.
///
/// Security: values appear unchanged in the Markdown twins and in `llms.txt`, also as the words of links.
fn markup(text: &str) -> Option<&'static str> {
    let tag = |(at, _): (usize, &str)| {
        let rest = &text[at + 1..];
        rest.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '/' | '!' | '?')) && rest.contains('>')
    };
    // First the marks that can be found without a parser.
    let plain = ["](", "][", "[^", "**", "`"].into_iter().find(|mark| text.contains(mark));
    let plain = plain.or_else(|| text.match_indices('<').any(tag).then_some("<…>"));
    plain.or_else(|| text.contains(['*', '_', '~', '&', '\\']).then(|| markdown::find_markup(text)).flatten())
}

/// Reads a slug. For an invalid one suggests a slug with the transliteration of `locale`.
pub(super) fn slug(node: &Node, locale: Locale) -> Reading<String> {
    let (text, _) = scalar(node)?;
    let Err(invalid) = Slug::parse(text) else { return Ok(text.to_owned()) };
    let problem = Problem::new(Code::BAD_SLUG, expected(invalid.into(), text));
    // The slug is the last part of an address.
    let last = text.trim_end_matches('/').rsplit('/').next().unwrap_or(text);
    let suggestion = turkish::slug(last, locale);
    let is_one = Slug::parse(&suggestion).is_ok();
    Err(Some(if is_one { problem.label(messages::words_to_write(suggestion)) } else { problem }))
}

/// Reads a former slug, or the former address of a whole site, which begins with a slash. Returns the address decoded,
/// without a trailing slash.
pub(super) fn alias(node: &Node, locale: Locale) -> Reading<String> {
    let (text, _) = scalar(node)?;
    if !text.contains(['/', '?']) && !is_page_file(text) {
        return slug(node, locale);
    }
    let address = |text: &str| {
        let (path, query) = text.split_once('?').map_or((text, None), |(path, query)| (path, Some(query)));
        let path = percent_decode_str(path.trim_end_matches('/')).decode_utf8().ok()?;
        let from = match query {
            Some(query) if path.is_empty() => format!("/?{query}"),
            Some(query) => format!("{path}?{query}"),
            None => path.into_owned(),
        };
        (is_former_address(&from) && !from.ends_with(".md")).then_some(from)
    };
    if let Some(address) = address(text).filter(|_| text.starts_with('/')) {
        return Ok(address);
    }
    let problem = Problem::new(Code::BAD_SLUG, expected(messages::former_address_wanted(), text));
    // Another site's name, or a fragment, which no server receives.
    let without_host = match text.split_once("://") {
        Some((_, rest)) => rest.find(['/', '?']).map_or("", |at| &rest[at..]),
        None => text.trim_start_matches("./"),
    };
    let mut shorter = without_host.split('#').next().unwrap_or_default().to_owned();
    if !shorter.starts_with('/') {
        shorter.insert(0, '/');
    }
    Err(Some(if address(&shorter).is_some() { problem.correction(shorter) } else { problem }))
}

/// Returns whether `text` is the name of a page on a former site: `kira.html`.
fn is_page_file(text: &str) -> bool {
    const ENDINGS: [&str; 8] = ["html", "htm", "xhtml", "shtml", "php", "asp", "aspx", "jsp"];
    let name = text.split('#').next().unwrap_or_default();
    let ending = name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()).map(|(_, ending)| ending);
    ending.is_some_and(|ending| ENDINGS.contains(&ending.to_ascii_lowercase().as_str()))
}

/// Reads the key of another entry.
pub(super) fn key(node: &Node) -> Reading<String> {
    slug(node, Locale::Tr)
}

/// Reads the key of one person.
pub(super) fn author(node: &Node) -> Reading<String> {
    key(node).map_err(|problem| match node.value {
        Value::List(_) => problem.map(|one| one.help(messages::several_authors_help())),
        Value::Scalar { ref text, .. } if text.contains(',') => {
            problem.map(|one| Problem { label: None, ..one }.help(messages::several_authors_help()))
        }
        _ => problem,
    })
}

/// Reads the number of a law.
pub(super) fn law_number(node: &Node) -> Reading<String> {
    let (text, _) = scalar(node)?;
    if matches!(text.parse(), Ok(Cited::Law(_))) && !text.starts_with('0') {
        return Ok(text.to_owned());
    }
    Err(Some(Problem::new(Code::BAD_LAW, expected(messages::law_number_wanted(), text))))
}

/// Reads an article of a law, or several.
pub(super) fn article(node: &Node) -> Reading<String> {
    let (text, _) = scalar(node)?;
    match text.parse::<Article>() {
        Ok(article) => Ok(article.to_string()),
        Err(_) => Err(Some(Problem::new(Code::BAD_LAW, expected(messages::article_wanted(), text)))),
    }
}

pub(super) fn email(node: &Node) -> Reading<String> {
    let (text, _) = scalar(node)?;
    let Err(invalid) = Email::parse(text) else { return Ok(text.to_owned()) };
    Err(Some(Problem::new(Code::BAD_EMAIL, expected(invalid.into(), text))))
}

pub(super) fn telephone(node: &Node) -> Reading<String> {
    let (text, _) = scalar(node)?;
    let digits = text.strip_prefix('+').unwrap_or_default();
    let is_fine = (7..=15).contains(&digits.len())
        && !digits.starts_with('0')
        && !digits.starts_with("900")
        && digits.bytes().all(|byte| byte.is_ascii_digit());
    if is_fine {
        return Ok(text.to_owned());
    }
    let problem = Problem::new(Code::BAD_TELEPHONE, expected(messages::telephone_wanted(), text));
    let bare: String = text.replace("(0)", "").chars().filter(char::is_ascii_digit).collect();
    let guess = match bare.strip_prefix("00").or_else(|| text.trim().strip_prefix('+').map(|_| bare.as_str())) {
        // Removes the zero that precedes a number inside the country.
        Some(international) if international.starts_with("900") => {
            format!("+90{}", international[2..].trim_start_matches('0'))
        }
        Some(international) => format!("+{international}"),
        None => format!("+90{}", bare.trim_start_matches('0')),
    };
    let is_whole = (11..=14).contains(&guess.len());
    Err(Some(if is_whole { problem.label(messages::words_to_write(guess)) } else { problem }))
}

pub(super) fn integer(node: &Node) -> Reading<String> {
    let (text, plain) = scalar(node)?;
    let problem = || Problem::new(Code::BAD_INTEGER, expected(messages::integer_wanted(), text));
    match text.parse::<i64>() {
        Ok(number) if plain => Ok(number.to_string()),
        Ok(number) => Err(Some(problem().correction(number.to_string()))),
        Err(_) => Err(Some(problem())),
    }
}

/// Reads a point of a picture in the notation of style sheets: `50% 30%`.
pub(super) fn focus(node: &Node) -> Reading<String> {
    let (text, _) = scalar(node)?;
    match Focus::parse(text) {
        Some(Focus { x, y }) => Ok(format!("{x}% {y}%")),
        None => Err(Some(Problem::new(Code::BAD_FOCUS, expected(messages::focus_wanted(), text)))),
    }
}

/// Reads one of a few words.
pub(super) fn one_of(node: &Node, words: &[&str]) -> Reading<String> {
    let (text, _) = scalar(node)?;
    if words.contains(&text) {
        return Ok(text.to_owned());
    }
    let names: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    let problem = Problem::new(Code::NOT_ONE_OF, messages::word_not_one_of(text, names.join(", ")));
    Err(Some(match nearest(text, words.iter().copied()) {
        Some(word) => problem.label(messages::did_you_mean(word)),
        None => problem,
    }))
}

pub(super) fn language(node: &Node) -> Reading<String> {
    let (text, _) = scalar(node)?;
    if is_language(text) {
        return Ok(text.to_owned());
    }
    let problem = Problem::new(Code::BAD_LANGUAGE, expected(messages::language_wanted(), text));
    let lower = text.to_ascii_lowercase();
    Err(Some(if is_language(&lower) { problem.correction(lower) } else { problem }))
}

pub(super) fn country(node: &Node) -> Reading<String> {
    let (text, _) = scalar(node)?;
    if is_country(text) {
        return Ok(text.to_owned());
    }
    let has_form = text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_uppercase());
    let message = if has_form { messages::country_unknown(text) } else { expected(messages::country_wanted(), text) };
    let problem = Problem::new(Code::BAD_COUNTRY, message);
    let upper = text.to_ascii_uppercase();
    // Codes of other lists, such as those of the European Union.
    let code = match upper.as_str() {
        "UK" => "GB",
        "EL" => "GR",
        other => other,
    };
    Err(Some(if is_country(code) { problem.correction(code) } else { problem }))
}

/// Returns whether a language has a name in the site's languages.
pub fn is_language(code: &str) -> bool {
    NAMES.language_name(code).is_some()
}

/// Returns whether a country has a name in the site's languages.
pub(super) fn is_country(code: &str) -> bool {
    NAMES.country_name(code).is_some()
}

/// Reads the name of an IANA time zone. Checks only its form, since the database depends on the machine.
pub(super) fn time_zone(node: &Node) -> Reading<String> {
    let (text, _) = scalar(node)?;
    let part = |part: &str| {
        part.starts_with(|c: char| c.is_ascii_uppercase())
            && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'+'))
    };
    if text.contains('/') && text.split('/').all(part) && text.len() <= 64 {
        return Ok(text.to_owned());
    }
    Err(Some(Problem::new(Code::BAD_TIME_ZONE, expected(messages::time_zone_wanted(), text))))
}

/// Reads the name of a file in the same folder as the text.
pub(super) fn file_name(node: &Node) -> Reading<String> {
    let (text, _) = scalar(node)?;
    if text.contains(['/', '\\']) {
        return Err(Some(Problem::new(Code::FILE_NOT_FOUND, expected(messages::file_beside_wanted(), text))));
    }
    Ok(text.to_owned())
}

/// Returns "expected a date, found `x`", with a long value cut short.
pub(super) fn expected(wanted: Text, found: &str) -> Text {
    let mut excerpt: String = found.chars().map(|c| if c.is_control() { ' ' } else { c }).take(60).collect();
    if found.chars().nth(60).is_some() {
        excerpt.push('…');
    }
    messages::value_expected(wanted, excerpt)
}

#[cfg(test)]
pub(super) mod tests {
    use contract::Locale;
    use findings::Span;

    use super::*;

    /// Returns a value without quotation marks.
    pub(crate) fn plain(text: &str) -> Node<'_> {
        Node { at: Span::START, value: Value::Scalar { text: text.into(), plain: true } }
    }

    /// Returns the label of a refused value.
    pub(crate) fn label<T: std::fmt::Debug>(reading: Reading<T>) -> String {
        reading.unwrap_err().unwrap().label.unwrap_or_default()[Locale::En].to_owned()
    }

    #[test]
    fn refused_value_has_a_suggestion() {
        assert_eq!(label(slug(&plain("İş Hukuku"), Locale::Tr)), "write `is-hukuku`");
        assert_eq!(label(telephone(&plain("0212 555 01 01"))), "write `+902125550101`");
        assert_eq!(label(telephone(&plain("(0212) 234 56 78"))), "write `+902122345678`");
        assert_eq!(label(telephone(&plain("+90 212 555 01 01"))), "write `+902125550101`");
        for (written, expected) in [("de", "write `DE`"), ("UK", "write `GB`"), ("el", "write `GR`"), ("XK", "")] {
            assert_eq!(label(country(&plain(written))), expected, "{written}");
        }
        assert_eq!(label(one_of(&plain("memeber"), &["member"])), "did you mean `member`?");
    }

    #[test]
    fn text_with_line_breaks_or_invisible_characters_is_refused() {
        assert_eq!(text(&plain(" a b "), 10).unwrap(), "a b");
        for bad in ["a\nb", "a\u{0}b", "a\u{202e}b", "a\u{2028}b", "12345678901"] {
            assert!(text(&plain(bad), 10).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn text_with_markup_is_refused() {
        for good in [
            "Smith v Jones [2024] EWCA Civ 12",
            "a < b > c",
            "fewer than <50",
            "5 * 4 * 3",
            "KVKK_2024_yenilikler",
            "R&D",
            "AT&T; BP & Co.",
            "5. maddeye göre",
            "# 12",
            "~5 to ~7",
            r"C:\Kararlar \ 2024",
            "* one",
        ] {
            assert!(text(&plain(good), 80).is_ok(), "{good}");
        }
        for bad in ["A *b*", "_c_ d", "~~d~~", "Smith &amp; Co", "&#35;", r"\*a"] {
            assert!(text(&plain(bad), 80).is_err(), "{bad}");
        }
        for bad in [
            "Kıdem[^1]",
            "A](https://b.example) [c",
            "[a][b]",
            "**a**",
            "`a`",
            "<b>a",
            "1 < 2 <!-- a -->",
            "</a>",
            "<?a?>",
        ] {
            assert!(text(&plain(bad), 80).is_err(), "{bad}");
        }
    }

    #[test]
    fn quoted_number_is_no_integer() {
        let quoted = Node { at: Span::START, value: Value::Scalar { text: "1".into(), plain: false } };
        assert!(integer(&quoted).is_err());
        assert!(integer(&plain("1e3")).is_err());
    }
}
