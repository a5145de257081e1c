//! The title of a link, `](destination "title")`, that the parser does not recognize because of a slip.

/// The characters that end a destination.
pub const SPACES: [char; 3] = [' ', '\t', '\n'];

/// Splits the content of a link's parentheses into the destination and the title, which keeps its marks.
pub fn split_title(inside: &str) -> (&str, &str) {
    let inside = inside.trim_end();
    let begins = |(at, mark): &(usize, &str)| {
        // In a destination with spaces, any word may begin with an apostrophe: only a closed `'…'` is a title.
        let is_mark = *mark == "\"" || (inside.ends_with('\'') && at + 1 < inside.len());
        is_mark && inside[..*at].ends_with(SPACES)
    };
    match inside.match_indices(['"', '\'']).find(begins) {
        Some((at, _)) => (inside[..at].trim_end(), &inside[at..]),
        None => (inside, ""),
    }
}

/// Returns `title` in a form that the parser accepts: closed, and with a backslash before each of its marks inside.
/// Returns `None` if it is unclear where it was meant to end.
pub fn mend_title(title: &str) -> Option<String> {
    let mark = title.chars().next()?;
    let body = &title[mark.len_utf8()..];
    let (mut taken, mut is_escaped, mut has_mark) = (String::from(mark), false, false);
    for (at, letter) in body.char_indices() {
        if letter == mark && !is_escaped {
            if at + mark.len_utf8() == body.len() {
                taken.push(mark);
                return Some(taken);
            }
            taken.push('\\');
            has_mark = true;
        }
        taken.push(letter);
        is_escaped = letter == '\\' && !is_escaped;
    }
    taken.push(mark);
    (!has_mark && !is_escaped).then_some(taken)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn title_is_split_from_its_destination() {
        for (inside, expected) in [
            ("/en/about", ("/en/about", "")),
            ("/en/about \"Our \"team\"\"", ("/en/about", "\"Our \"team\"\"")),
            ("a b\n 'It's ours' ", ("a b", "'It's ours'")),
            ("/en/a 'b' c", ("/en/a 'b' c", "")),
            ("/en/a '", ("/en/a '", "")),
            ("/en/a\"b\"", ("/en/a\"b\"", "")),
        ] {
            assert_eq!(split_title(inside), expected, "{inside}");
        }
    }

    #[test]
    fn title_keeps_its_marks() {
        for (title, expected) in [
            ("\"Our team\"", Some("\"Our team\"")),
            ("\"Our \"team\"\"", Some("\"Our \\\"team\\\"\"")),
            ("\"Our \\\"team\\\"\"", Some("\"Our \\\"team\\\"\"")),
            ("'It's ours'", Some("'It\\'s ours'")),
            ("\"Our team", Some("\"Our team\"")),
            ("\"Our team\\\"", Some("\"Our team\\\"\"")),
            ("\"Our\" team", None),
            ("\"Our team\\", None),
            ("", None),
        ] {
            assert_eq!(mend_title(title).as_deref(), expected, "{title}");
        }
    }
}
