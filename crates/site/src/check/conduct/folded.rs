//! Text for patterns: lower case without accents and Markdown marks, one space between words.
//!
//! `İŞ  **Hukuku**` becomes `is hukuku`, also with a line end between the two words. Every position maps back to the
//! original. Turkish letters become plain ones, so case and encoding do not matter.

use std::ops::Range;

/// A text for patterns.
#[derive(Debug, Default)]
pub(super) struct Folded {
    /// Paragraphs are separated by a line feed.
    pub(super) text: String,
    /// Pairs of positions, here and in the original, from which on their difference changes.
    jumps: Vec<(usize, usize)>,
    /// Pending white space: its start in the original, and whether it ends a paragraph.
    blank: Option<(usize, bool)>,
}

/// Returns `words` folded for patterns.
pub(super) fn fold_words(words: &str) -> String {
    let mut folded = Folded::default();
    folded.push(words, 0);
    folded.text
}

impl Folded {
    /// Adds a part of the original that begins at `start` there.
    pub(super) fn push(&mut self, part: &str, start: usize) {
        self.text.reserve(part.len());
        let (mut line_ends, mut done) = (0, 0);
        while let Some(letter) = part[done..].chars().next() {
            let at = start + done;
            if letter.is_whitespace() {
                done += letter.len_utf8();
                line_ends += usize::from(letter == '\n');
                let (begin, ends) = self.blank.unwrap_or((at, false));
                self.blank = Some((begin, ends || line_ends > 1));
                continue;
            }
            line_ends = 0;
            if is_mark(letter) {
                done += letter.len_utf8();
                continue;
            }
            if let Some((begin, ends)) = self.blank.take().filter(|_| !self.text.is_empty()) {
                self.mark_jump(begin);
                self.text.push(if ends { '\n' } else { ' ' });
            }
            self.mark_jump(at);
            let plain = plain_words(&part.as_bytes()[done..]);
            if plain == 0 {
                self.text.push(plain_letter(letter));
                done += letter.len_utf8();
            } else {
                let folded = self.text.len();
                self.text.push_str(&part[done..done + plain]);
                self.text[folded..].make_ascii_lowercase();
                done += plain;
            }
        }
    }

    /// Ends a paragraph at position `at` of the original.
    pub(super) fn part(&mut self, at: usize) {
        self.blank = Some((at, true));
    }

    /// Records that the next letter is at position `at` of the original.
    fn mark_jump(&mut self, at: usize) {
        let here = self.text.len();
        if self.jumps.last().is_none_or(|(ours, theirs)| here - ours + theirs != at) {
            self.jumps.push((here, at));
        }
    }

    pub(super) fn range(&self, range: &Range<usize>, original: &str) -> Range<usize> {
        let start = self.original(range.start);
        let last = self.original(self.text.floor_char_boundary(range.end.saturating_sub(1)));
        let length = original.get(last..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
        start..last + length
    }

    fn original(&self, at: usize) -> usize {
        let behind = self.jumps.partition_point(|(ours, _)| *ours <= at);
        behind.checked_sub(1).map_or(at, |jump| self.jumps[jump].1 + at - self.jumps[jump].0)
    }
}

/// Returns the length of the words at the beginning of `text` that change only in case: most of a text.
fn plain_words(text: &[u8]) -> usize {
    let is_plain = |byte: &u8| byte.is_ascii_graphic() && !matches!(byte, b'*' | b'_' | b'\\');
    let mut length = 0;
    while let Some(byte) = text.get(length) {
        let is_single_space = || *byte == b' ' && length > 0 && text.get(length + 1).is_some_and(is_plain);
        if !is_plain(byte) && !is_single_space() {
            break;
        }
        length += 1;
    }
    length
}

/// Returns whether a character is a mark of emphasis, an escape, or invisible.
const fn is_mark(letter: char) -> bool {
    matches!(letter, '*' | '_' | '\\' | '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}')
}

/// Returns a letter without its accent and in lower case.
pub(super) const fn plain_letter(letter: char) -> char {
    match letter {
        'A'..='Z' => letter.to_ascii_lowercase(),
        'ı' | 'İ' | 'î' | 'Î' => 'i',
        'ş' | 'Ş' => 's',
        'ğ' | 'Ğ' => 'g',
        'ü' | 'Ü' | 'û' | 'Û' => 'u',
        'ö' | 'Ö' => 'o',
        'ç' | 'Ç' => 'c',
        'â' | 'Â' => 'a',
        '’' | '‘' | 'ʼ' => '\'',
        '‐' | '‑' | '–' => '-',
        letter => letter,
    }
}

/// Returns the names and ranges of the fields in `lines` that readers see. `sign` separates a name from its value: a
/// colon in front matter, an equals sign in `site.toml`.
pub(super) fn values(lines: &str, sign: char) -> Vec<(&str, Range<usize>)> {
    const SHOWN: [&str; 13] = [
        "title",
        "name",
        "description",
        "summary",
        "excerpt",
        "portrait_alt",
        "tags",
        "email",
        "short_name",
        "tagline",
        "disclaimer",
        "label",
        "en",
    ];
    let (mut values, mut name, mut at) = (Vec::new(), "", 0);
    for line in lines.split_inclusive('\n') {
        let (start, end) = (at, at + line.len());
        at = end;
        let words = line.trim_start();
        if words.starts_with(['#', '[']) {
            name = "";
            continue;
        }
        let length = words.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_').unwrap_or(0);
        let rest = words[length..].trim_start().strip_prefix(sign).filter(|_| length > 0);
        if rest.is_some() {
            name = &words[..length];
        }
        if SHOWN.contains(&name) || name == "tr" {
            values.push((name, rest.map_or(start, |rest| end - rest.len())..end));
        }
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_of_any_case_become_plain_ones() {
        for (written, expected) in [
            ("İŞ  **Hukuku**", "is hukuku"),
            ("ILIMAN\n  ılıman", "iliman iliman"),
            ("ŞĞÜÖÇ âîû", "sguoc aiu"),
            ("  Uzman’ın\u{a0}_işi_ ", "uzman'in isi"),
            ("bir\n\niki\n\n\nüç", "bir\niki\nuc"),
            ("é ß", "é ß"),
            ("Plain words  and\t*marks*, a\\_b ", "plain words and marks, ab"),
        ] {
            assert_eq!(fold_words(written), expected, "{written}");
        }
    }

    #[test]
    fn positions_map_back_to_the_text() {
        let text = "Büromuz, **en\n  İYİ** hizmeti\u{ad} değil; “ünlü” é’nin";
        let mut whole = Folded::default();
        whole.push(text, 0);
        for (words, expected) in [("en iyi", "en\n  İYİ"), ("hizmeti degil", "hizmeti\u{ad} değil"), ("é'nin", "é’nin")]
        {
            let start = whole.text.find(words).unwrap();
            assert_eq!(&text[whole.range(&(start..start + words.len()), text)], expected);
        }
    }

    #[test]
    fn values_that_readers_see_are_found() {
        let text = "title: A\nslug: en-iyi\n# lider\ndescription: >\n  B\n  C\ndate: 1\nhours: { opens: \"x\" }\n";
        let found: Vec<_> = values(text, ':').into_iter().map(|(name, range)| (name, text[range].trim())).collect();
        assert_eq!(found, [("title", "A"), ("description", ">"), ("description", "B"), ("description", "C")],);
        let text = "# a\nsite_url = \"b\"\n[firm]\nname = { en = \"c\" }\nlogo = \"d\"\n";
        let found: Vec<_> = values(text, '=').into_iter().map(|(_, range)| text[range].trim()).collect();
        assert_eq!(found, ["{ en = \"c\" }"]);
    }
}
