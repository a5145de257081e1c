//! Nested quotation marks: single inside double, double inside single.

use std::borrow::Cow;

/// The opening and closing marks of both kinds.
const KINDS: [[char; 2]; 2] = [['‘', '’'], ['“', '”']];

/// Returns `text` for use between quotation marks that begin with `outer`: pairs of the same kind become pairs of the
/// other kind, and the reverse inside these. With another `outer`, `text` is unchanged.
pub fn nested(text: &str, outer: Option<char>) -> Cow<'_, str> {
    let Some(same) = KINDS.iter().position(|kind| Some(kind[0]) == outer) else { return Cow::Borrowed(text) };
    let ([open, close], [other_open, other_close]) = (KINDS[same], KINDS[1 - same]);
    let Some((before, rest)) = text.split_once(open) else { return Cow::Borrowed(text) };
    let Some((inside, after)) = split_at_close(rest, close) else { return Cow::Borrowed(text) };
    let (inside, after) = (nested(inside, Some(other_open)), nested(after, outer));
    Cow::Owned(format!("{before}{other_open}{inside}{other_close}{after}"))
}

/// Splits `text` at the first closing mark that is not an apostrophe between letters.
fn split_at_close(text: &str, close: char) -> Option<(&str, &str)> {
    let is_apostrophe =
        |before: &str, after: &str| before.ends_with(char::is_alphanumeric) && after.starts_with(char::is_alphanumeric);
    let mut parts = text.match_indices(close).map(|(at, mark)| (&text[..at], &text[at + mark.len()..]));
    parts.find(|(before, after)| !is_apostrophe(before, after))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nested_pair_is_of_the_other_kind() {
        for (outer, text, written) in [
            ('“', "Rekabet Kurulunun “yerinde inceleme” yetkisi", "Rekabet Kurulunun ‘yerinde inceleme’ yetkisi"),
            ('“', "“Bir”, “iki” ve ‘üç’", "‘Bir’, ‘iki’ ve ‘üç’"),
            ('“', "“Kurul’un ‘açık’ rızası” ve “”", "‘Kurul’un “açık” rızası’ ve ‘’"),
            ('‘', "Türkiye’s ‘explicit consent’", "Türkiye’s “explicit consent”"),
            ('‘', "The ‘firm’s own’ “x”", "The “firm’s own” “x”"),
        ] {
            assert_eq!(nested(text, Some(outer)), written);
        }
    }

    #[test]
    fn other_marks_stay() {
        for (outer, text) in [
            (Some('“'), "Kurul’un ‘açık’ rızası"),
            (Some('“'), "an “open end"),
            (Some('‘'), "Employees’ rights"),
            (Some('«'), "«a» “b” ‘c’"),
            (None, "“a” ‘b’"),
        ] {
            assert!(matches!(nested(text, outer), Cow::Borrowed(same) if same == text), "{text}");
        }
    }
}
