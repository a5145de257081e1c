//! Breaks titles into lines, and cuts lines to a width.

use std::borrow::Cow;

use crate::face::Face;

/// Pixels by which a line is narrowed to find lines of about the same width.
const STEP: f32 = 20.0;

#[derive(Clone, Debug, PartialEq)]
pub struct SetTitle {
    /// The size in pixels.
    pub size: f32,
    pub lines: Vec<String>,
}

/// A word and its width in font units.
struct MeasuredWord<'t> {
    text: &'t str,
    width: u32,
}

/// Sets a title in the first of the `sizes` whose number of lines suffices, with no line wider than `measure` pixels.
/// If none suffices, the title is set in the last size and cut at the end of the last line.
///
/// Lines break at spaces, but not at no-break spaces.
pub fn set_title(face: &Face, title: &str, sizes: &[(f32, usize)], measure: f32) -> SetTitle {
    let words: Vec<MeasuredWord> = words(face, title);
    let space = face.units(" ");
    for &(size, most) in sizes {
        let lines = break_evenly(face, size, &words, space, measure);
        if lines.len() <= most && lines.iter().all(|line| face.pixels(size, width(line, space)) <= measure) {
            return SetTitle { size, lines: lines.into_iter().map(join).collect() };
        }
    }
    let Some(&(size, most)) = sizes.last() else { return SetTitle { size: 0.0, lines: Vec::new() } };
    let lines = wrap(face, size, &words, space, measure);
    let count = most.min(lines.len());
    let whole = lines.iter().take(count.saturating_sub(1)).map(|line| join(line));
    let rest: usize = lines.iter().take(count.saturating_sub(1)).map(|line| line.len()).sum();
    let lines = whole.chain([join(&words[rest..])]);
    SetTitle { size, lines: lines.map(|line| cut(face, size, measure, &line).into_owned()).collect() }
}

/// Returns the text, shortened with an ellipsis if it is wider than `measure` pixels.
pub fn cut<'t>(face: &Face, size: f32, measure: f32, text: &'t str) -> Cow<'t, str> {
    if face.width(size, text) <= measure {
        return Cow::Borrowed(text);
    }
    let mut ends = text.char_indices().rev().map(|(at, _)| format!("{}…", text[..at].trim_end()));
    Cow::Owned(ends.find(|cut| face.width(size, cut) <= measure).unwrap_or_default())
}

fn words<'t>(face: &Face, text: &'t str) -> Vec<MeasuredWord<'t>> {
    let words = text.split(' ').filter(|word| !word.is_empty());
    words.map(|text| MeasuredWord { text, width: face.units(text) }).collect()
}

/// Returns the width of a line in font units.
fn width(line: &[MeasuredWord], space: u32) -> u32 {
    let spaces = u32::try_from(line.len().saturating_sub(1)).unwrap_or(u32::MAX);
    line.iter().map(|word| word.width).sum::<u32>().saturating_add(spaces.saturating_mul(space))
}

fn join(line: &[MeasuredWord]) -> String {
    line.iter().map(|word| word.text).collect::<Vec<_>>().join(" ")
}

/// Breaks a title into as few lines as possible, of about the same width.
fn break_evenly<'l, 't>(
    face: &Face,
    size: f32,
    words: &'l [MeasuredWord<'t>],
    space: u32,
    measure: f32,
) -> Vec<&'l [MeasuredWord<'t>]> {
    let mut best = wrap(face, size, words, space, measure);
    let most = best.len();
    let mut narrow = measure;
    while narrow > measure / 2.0 {
        narrow -= STEP;
        let narrower = wrap(face, size, words, space, narrow);
        if narrower.len() > most || narrower.iter().any(|line| face.pixels(size, width(line, space)) > narrow) {
            break;
        }
        best = narrower;
    }
    best
}

/// Breaks a text between words so that no line is wider than `measure`, except a single long word.
fn wrap<'l, 't>(
    face: &Face,
    size: f32,
    words: &'l [MeasuredWord<'t>],
    space: u32,
    measure: f32,
) -> Vec<&'l [MeasuredWord<'t>]> {
    let mut lines = Vec::new();
    let (mut start, mut filled) = (0, 0);
    for (at, word) in words.iter().enumerate() {
        let wider = filled + space + word.width;
        if at > start && face.pixels(size, wider) > measure {
            lines.push(&words[start..at]);
            (start, filled) = (at, word.width);
        } else {
            filled = if at == start { word.width } else { wider };
        }
    }
    if start < words.len() {
        lines.push(&words[start..]);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::face::tests::title_face;

    const SIZES: [(f32, usize); 2] = [(76.0, 2), (46.0, 5)];
    const MEASURE: f32 = 1040.0;

    #[test]
    fn title_is_set_in_the_first_size_in_which_it_has_few_lines() {
        let face = title_face();
        let set = |title: &str| set_title(&face, title, &SIZES, MEASURE);
        let (short, long) = (set("A short title"), set(&"A title that goes on and on ".repeat(4)));
        assert_eq!(short, SetTitle { size: 76.0, lines: vec!["A short title".into()] });
        assert_eq!(long.size.to_bits(), 46.0_f32.to_bits(), "{long:?}");
        assert!((2..=5).contains(&long.lines.len()), "{long:?}");
        assert_eq!(set(""), SetTitle { size: 76.0, lines: Vec::new() });
    }

    #[test]
    fn lines_of_a_title_have_similar_widths() {
        let face = title_face();
        let SetTitle { size, lines } = set_title(&face, &"ten letters ".repeat(5), &SIZES, MEASURE);
        let widths: Vec<f32> = lines.iter().map(|line| face.width(size, line)).collect();
        let (widest, narrowest) =
            (widths.iter().copied().fold(0.0, f32::max), widths.iter().copied().fold(9e9, f32::min));
        assert!(widths.len() == 2 && widest <= MEASURE && widest < narrowest * 1.6, "{lines:?}");
    }

    #[test]
    fn lines_do_not_break_at_no_break_spaces() {
        let title = "Article\u{a0}6 of the Convention on Human Rights,  and what follows from it";
        let SetTitle { lines, .. } = set_title(&title_face(), title, &SIZES, MEASURE);
        assert!(lines.len() > 1 && lines.iter().any(|line| line.contains("Article\u{a0}6")), "{lines:?}");
        assert_eq!(lines.join(" "), title.replace("  ", " "), "several spaces are one");
    }

    #[test]
    fn long_title_is_cut_in_its_last_line() {
        let face = title_face();
        for title in ["word ".repeat(100), "x".repeat(300)] {
            let SetTitle { size, lines } = set_title(&face, &title, &SIZES, MEASURE);
            assert!(lines.last().unwrap().ends_with('…'), "{lines:?}");
            assert!(lines.len() <= 5 && lines.iter().all(|line| face.width(size, line) <= MEASURE), "{lines:?}");
        }
    }

    #[test]
    fn text_is_cut_only_if_it_is_too_wide() {
        let face = title_face();
        assert_eq!(cut(&face, 26.0, 500.0, "Tax law"), "Tax law");
        let short = cut(&face, 26.0, 100.0, "Tax law and what belongs to it");
        assert!(short.ends_with('…') && !short.ends_with(" …") && face.width(26.0, &short) <= 100.0, "{short}");
        assert_eq!(cut(&face, 26.0, 1.0, "Tax law"), "", "there is no place for three points either");
    }
}
