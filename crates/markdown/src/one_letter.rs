//! Words that begin with one letter and a hyphen, such as `e-posta` and `e-mail`: in the large letters of headings no line ends
//! after the hyphen. An element of the page says so; a character would be copied and searched for.

use pulldown_cmark_escape::escape_html_body_text;

use crate::turkish::with_nbsp;

/// Returns a title as HTML, with non-breaking spaces and whole words.
pub fn title_html(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    push_title(&mut out, text);
    out
}

/// Appends a title, or a part of one, as HTML.
pub(super) fn push_title(out: &mut String, text: &str) {
    let text = with_nbsp(text);
    let mut done = 0;
    for at in memchr::memchr_iter(b'-', text.as_bytes()) {
        if let Some(word) = word_at(&text, at).filter(|word| word.start >= done) {
            push_escaped(out, &text[done..word.start]);
            out.push_str("<span class=\"nobreak\">");
            push_escaped(out, &text[word.clone()]);
            out.push_str("</span>");
            done = word.end;
        }
    }
    push_escaped(out, &text[done..]);
}

fn push_escaped(out: &mut String, text: &str) {
    // Writing to a string cannot fail.
    let _ = escape_html_body_text(out, text);
}

/// Returns the word whose first letter stands before the hyphen at `at`.
fn word_at(text: &str, at: usize) -> Option<std::ops::Range<usize>> {
    let mut before = text[..at].chars().rev();
    let letter = before.next().filter(|letter| letter.is_alphabetic())?;
    let is_first = before.next().is_none_or(|letter| !letter.is_alphanumeric() && !"-'’./".contains(letter));
    let rest = &text[at + 1..];
    let end = rest.find(|letter: char| !letter.is_alphanumeric()).unwrap_or(rest.len());
    (is_first && rest[..end].chars().count() > 1).then(|| at - letter.len_utf8()..at + 1 + end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn word_of_one_letter_and_a_hyphen_is_not_broken() {
        for (text, expected) in [
            ("E-postayla & e-imza", "[E-postayla] &amp; [e-imza]"),
            ("Kayıtlı e-posta’ya 1 Temmuz 2024", "Kayıtlı [e-posta]’ya 1~Temmuz 2024"),
            ("(e-mail)", "([e-mail])"),
            ("İ-tipi", "[İ-tipi]"),
            // Longer words, marks of clauses and numbers.
            ("ve-posta, çevre-iklim, m. 5/1-a-b, a-1, A- B, x-", "ve-posta, çevre-iklim, m.~5/1-a-b, a-1, A- B, x-"),
            ("a-b-posta <b>", "a-b-posta &lt;b&gt;"),
            ("e-e-posta", "e-e-posta"),
        ] {
            let html = title_html(text)
                .replace("<span class=\"nobreak\">", "[")
                .replace("</span>", "]")
                .replace('\u{a0}', "~");
            assert_eq!(html, expected);
        }
    }
}
