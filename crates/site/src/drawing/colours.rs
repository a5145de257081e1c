//! Colours that browsers know and the drawing library does not. It paints black for them, also where a colour that it
//! knows stands before, which CSS would use.

use std::borrow::Cow;

use memchr::memmem;

/// Functions of CSS that give a colour the library does not know.
const UNKNOWN: [&str; 9] = ["color(", "oklch(", "oklab(", "lch(", "lab(", "hwb(", "color-mix(", "light-dark(", "var("];
/// Functions whose arguments the library knows only with commas between them.
const WITH_COMMAS: [&str; 4] = ["rgb(", "rgba(", "hsl(", "hsla("];
/// Parts of style sheets with which rules are lost.
const LOST_RULES: [&str; 5] = [":not(", ":is(", ":where(", "@layer", "@supports"];

/// Returns a drawing in colours that the library knows: the declaration before an unknown one, or the same colour with
/// commas. `None` if there is neither.
pub(super) fn known(text: &str) -> Option<Cow<'_, str>> {
    let sheets = text.split("<style").skip(1).filter_map(|sheet| sheet.split("</style").next());
    if sheets.into_iter().any(|sheet| LOST_RULES.iter().any(|part| sheet.contains(part))) {
        return None;
    }
    let bytes = text.as_bytes();
    if memmem::find(bytes, b"(").is_none() || !UNKNOWN.iter().chain(&WITH_COMMAS).any(|name| text.contains(name)) {
        return Some(Cow::Borrowed(text));
    }
    let mut drawn = String::with_capacity(text.len());
    let mut done = 0;
    for (at, _) in text.match_indices('(') {
        if at < done {
            continue;
        }
        let start =
            text[..at].rfind(|letter: char| !letter.is_ascii_alphanumeric() && letter != '-').map_or(0, |at| at + 1);
        let name = &text[start..=at];
        if WITH_COMMAS.contains(&name) {
            let end = at + text[at..].find(')')?;
            let arguments = &text[at + 1..end];
            if !arguments.contains(',') {
                drawn.push_str(&text[done..start]);
                drawn.push_str(&with_commas(name, arguments));
                done = end;
            }
        } else if UNKNOWN.contains(&name) {
            let declaration = text[..start].rfind([';', '{', '"', '\'']).map_or(0, |at| at + 1);
            let list = text[..declaration].rfind(['{', '"', '\'']).map_or(0, |at| at + 1);
            let (property, _) = text[declaration..start].split_once(':')?;
            let is_same = |(other, value): (&str, &str)| {
                other.trim() == property.trim() && !UNKNOWN.iter().any(|name| value.contains(name))
            };
            if !text[list..declaration].split(';').filter_map(|it| it.split_once(':')).any(is_same) {
                return None;
            }
            let end = at + text[at..].find([';', '}', '"', '\''])?;
            drawn.push_str(text.get(done..declaration)?);
            done = end + usize::from(text[end..].starts_with(';'));
        }
    }
    drawn.push_str(&text[done..]);
    Some(Cow::Owned(drawn))
}

/// Returns `rgba(31,58,95,50%` for `rgb(31 58 95 / 50%`.
fn with_commas(name: &str, arguments: &str) -> String {
    let parts: Vec<&str> = arguments.split(['/', ' ', '\t', '\n']).filter(|part| !part.is_empty()).collect();
    let name = name.trim_end_matches(['a', '(']);
    let alpha = if parts.len() > 3 { "a" } else { "" };
    format!("{name}{alpha}({}", parts.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colour_before_an_unknown_one_is_used() {
        for (written, expected) in [
            ("<path style=\"fill:#1F3A5F;fill:color(display-p3 .1 .2 .4)\"/>", Some("<path style=\"fill:#1F3A5F;\"/>")),
            (
                "<style>.a{fill:navy;fill:oklch(35% .07 260);stroke:none}</style>",
                Some("<style>.a{fill:navy;stroke:none}</style>"),
            ),
            ("<path style='fill: rgb(31 58 95 / 50%)'/>", Some("<path style='fill: rgba(31,58,95,50%)'/>")),
            ("<path fill=\"rgb(31 58 95)\"/>", Some("<path fill=\"rgb(31,58,95)\"/>")),
            (
                "<path fill=\"rgb(31,58,95)\" transform=\"scale(2)\"/>",
                Some("<path fill=\"rgb(31,58,95)\" transform=\"scale(2)\"/>"),
            ),
            ("<path fill=\"oklch(35% .07 260)\"/>", None),
            ("<style>.a{stroke:navy;fill:var(--brand)}</style>", None),
            ("<style>path:not(.b){fill:navy}</style>", None),
            ("<style>@layer a{path{fill:navy}}</style>", None),
            ("<text>color(s) and var(iables)</text>", None),
        ] {
            assert_eq!(known(written).as_deref(), expected, "{written}");
        }
    }
}
