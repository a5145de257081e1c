//! Text on a terminal: control characters, width, line breaks.

use std::io::Write;

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Maximum characters of a table cell.
const MAX_CELL_CHARS: usize = 4000;

/// Returns the width in cells. Combining marks have none, so `İ` is one cell in any composition.
pub(crate) fn width(text: &str) -> usize {
    text.width()
}

/// Replaces control characters, and line breaks by spaces. Security: text of a server must not move the cursor, set the
/// title or change the direction of a line.
pub(crate) fn clean(text: &str) -> String {
    let replace = |letter: char| match letter {
        '\n' | '\t' | '\u{2028}' | '\u{2029}' => ' ',
        letter => neutralize(letter),
    };
    text.replace("\r\n", "\n").chars().map(replace).collect()
}

/// Replaces control characters in bytes for a terminal; line ends and tabs stay.
pub(crate) fn sanitize(bytes: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(bytes);
    let mut chars = text.chars().peekable();
    let mut out = String::with_capacity(text.len());
    while let Some(letter) = chars.next() {
        out.push(match letter {
            '\n' | '\t' => letter,
            // Without `\n` it returns to the start of the line, and later text would overwrite earlier text.
            '\r' if chars.peek() == Some(&'\n') => letter,
            letter => neutralize(letter),
        });
    }
    out.into_bytes()
}

/// Replaces a character that moves the cursor or changes the direction of a line.
fn neutralize(letter: char) -> char {
    match letter {
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => '\u{fffd}',
        letter if letter.is_control() => '\u{fffd}',
        letter => letter,
    }
}

/// Breaks `text` into lines of at most `room` cells, at spaces where possible. Beyond `max_lines`, the last line ends
/// with an ellipsis.
pub(crate) fn wrap(text: &str, room: usize, max_lines: usize) -> Vec<String> {
    let room = room.max(1);
    let mut lines = vec![String::new()];
    // Width of the last line, updated with each word: measuring the line again would take quadratic time.
    let mut last = 0;
    for word in text.split_whitespace() {
        let gap = usize::from(last > 0);
        let wide = width(word);
        if last + gap + wide <= room {
            push(&mut lines, if gap == 1 { " " } else { "" }, word);
            last += gap + wide;
        } else {
            if last > 0 {
                lines.push(String::new());
            }
            for piece in pieces(word, room) {
                if lines.last().is_some_and(|line| !line.is_empty()) {
                    lines.push(String::new());
                }
                push(&mut lines, "", &piece);
                last = width(&piece);
            }
        }
    }
    if lines.len() > max_lines {
        lines.truncate(max_lines);
        if let Some(last) = lines.last_mut() {
            *last = cut(&format!("{last}…"), room);
        }
    }
    lines
}

/// Cuts `text` to [`MAX_CELL_CHARS`]. Security: every row is padded to the widest cell, so that one long cell of a
/// server would multiply.
pub(crate) fn limit_cell(mut text: String) -> String {
    if let Some((end, _)) = text.char_indices().nth(MAX_CELL_CHARS) {
        text.truncate(end);
        text.push('…');
    }
    text
}

/// Shortens `text` to at most `room` cells, with an ellipsis.
pub(crate) fn cut(text: &str, room: usize) -> String {
    if width(text) <= room {
        return text.to_owned();
    }
    let (mut kept, mut cells) = (String::new(), 0);
    for letter in text.chars() {
        cells += max_cells(letter);
        if cells + 1 > room {
            break;
        }
        kept.push(letter);
    }
    format!("{}…", kept.trim_end().trim_end_matches('…'))
}

pub(crate) fn pad(text: &str, room: usize) -> String {
    format!("{text}{}", " ".repeat(room.saturating_sub(width(text))))
}

fn push(lines: &mut [String], gap: &str, word: &str) {
    if let Some(last) = lines.last_mut() {
        last.push_str(gap);
        last.push_str(word);
    }
}

/// Splits a word into pieces of at most `room` cells: after a slash where possible; combining marks stay with their
/// letter.
fn pieces(word: &str, room: usize) -> Vec<String> {
    let mut pieces = vec![String::new()];
    let mut last = 0;
    for letter in word.chars() {
        let wide = max_cells(letter);
        if let Some(piece) = pieces.last_mut()
            && !piece.is_empty()
            && last + wide > room
        {
            let slash = piece.rfind('/').filter(|place| *place > 0 && *place + 1 < piece.len());
            let rest = slash.map(|place| piece.split_off(place + 1)).unwrap_or_default();
            last = rest.chars().map(max_cells).sum();
            pieces.push(rest);
        }
        if let Some(piece) = pieces.last_mut() {
            piece.push(letter);
            last += wide;
        }
    }
    pieces
}

/// Returns the cells that `letter` adds at most: U+FE0F may widen the character before it.
fn max_cells(letter: char) -> usize {
    if letter == '\u{fe0f}' { 1 } else { letter.width().unwrap_or(0) }
}

/// Writes a line to the notes. A closed error stream must not stop the data.
pub(crate) fn note(notes: &mut dyn Write, text: &str) {
    let _ = writeln!(notes, "{}", clean(text));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turkish_letters_are_one_cell_wide_however_they_are_composed() {
        assert_eq!(width("ğĞıIİiŞşçÇöÖüÜâî₺"), 17);
        assert_eq!(width("I\u{307}s\u{327}"), 2);
    }

    #[test]
    fn sanitized_bytes_move_no_cursor() {
        assert_eq!(sanitize(b"a\tb\r\nc\n"), b"a\tb\r\nc\n");
        for bytes in ["paid\rfree", "\u{1b}[2J", "a\u{8}b", "\u{61c}x", "x\r"] {
            let sanitized = String::from_utf8(sanitize(bytes.as_bytes())).unwrap();
            assert!(sanitized.contains('\u{fffd}') && !sanitized.contains(['\r', '\u{1b}', '\u{8}']), "{sanitized:?}");
        }
    }

    #[test]
    fn text_breaks_at_spaces_and_long_words_break_anywhere() {
        assert_eq!(wrap("iş hukuku ve uyuşmazlık", 10, 9), ["iş hukuku", "ve", "uyuşmazlık"]);
        assert_eq!(wrap("uyuşmazlıkları", 5, 9), ["uyuşm", "azlık", "ları"]);
        assert_eq!(wrap("bir uyuşmazlıkları iki", 8, 9), ["bir", "uyuşmazl", "ıkları", "iki"]);
        assert_eq!(
            wrap("/.well-known/oauth-protected-resource/api/v1", 40, 9),
            ["/.well-known/oauth-protected-resource/", "api/v1"]
        );
        assert_eq!(wrap("", 5, 9), [""]);
    }

    #[test]
    fn cut_text_ends_with_a_mark() {
        assert_eq!(wrap("bir iki üç dört beş", 7, 2), ["bir iki", "üç dör…"]);
        assert_eq!(cut("uyuşmazlık", 5), "uyuş…");
        assert_eq!(cut("ğ", 1), "ğ");
    }

    #[test]
    fn lines_are_never_wider_than_their_room() {
        let text = "Ş\u{327}irketler hukuku 漢字漢字漢字 ve birleşme-devralma işlemleri";
        for room in 2..40 {
            for line in wrap(text, room, 3) {
                assert!(width(&line) <= room, "{room}: {line}");
            }
        }
    }

    #[test]
    fn variation_selector_counts_as_one_cell() {
        for text in ["☎\u{fe0f}☎\u{fe0f}☎\u{fe0f}", "a\u{fe0f} ☎\u{fe0f}☎\u{fe0f} b"] {
            for room in 2..9 {
                assert!(wrap(text, room, 9).iter().all(|line| width(line) <= room), "{room}: {text}");
                assert!(width(&cut(text, room)) <= room, "{room}: {text}");
            }
        }
    }

    #[test]
    fn long_text_is_wrapped_in_linear_time() {
        let (words, marks) = ("a ".repeat(500_000), "\u{301}".repeat(500_000));
        assert_eq!(wrap(&words, usize::MAX, usize::MAX), [words.trim_end()]);
        assert_eq!(wrap(&marks, 9, 9).len(), 1);
        assert_eq!(wrap(&format!("{marks}{}", "b".repeat(12)), 9, 9).len(), 2);
        assert!(cut(&format!("{marks}{}", "b".repeat(12)), 9).ends_with("bbbbbbbb…"));
    }

    #[test]
    fn control_characters_are_replaced() {
        assert_eq!(clean("a\u{1b}[31mb\u{7}\r\nc\u{9b}d\u{202e}e"), "a�[31mb� c�d�e");
    }
}
