//! Titles in lines, and lines that end where their place does.

use std::borrow::Cow;

use crate::face::Face;

/// By how many pixels a line is made narrower to find lines of about the same width.
const STEP: f32 = 20.0;

/// A title in lines.
#[derive(Clone, Debug, PartialEq)]
pub struct SetTitle {
    /// The size in pixels.
    pub size: f32,
    /// Its lines.
    pub lines: Vec<String>,
}

/// A word, and its width in units.
struct Word<'t> {
    text: &'t str,
    width: u32,
}

/// Sets a title in the first of the `sizes` in which it needs at most as many lines as stand beside that size, none of
/// them wider than `measure`. A longer one is set in the last size, and cut at the end of the last line.
///
/// A line is broken at spaces, but not at those that do not break.
#[must_use]
pub fn set_title(face: &Face, title: &str, sizes: &[(f32, usize)], measure: f32) -> SetTitle {
    let words: Vec<Word> = words(face, title);
    let space = face.units(" ");
    for &(size, most) in sizes {
        let lines = even(face, size, &words, space, measure);
        if lines.len() <= most && lines.iter().all(|line| face.pixels(size, width(line, space)) <= measure) {
            return SetTitle { size, lines: lines.into_iter().map(joined).collect() };
        }
    }
    let Some(&(size, most)) = sizes.last() else { return SetTitle { size: 0.0, lines: Vec::new() } };
    let lines = wrapped(face, size, &words, space, measure);
    let shown = most.min(lines.len());
    let whole = lines.iter().take(shown.saturating_sub(1)).map(|line| joined(line));
    let rest: usize = lines.iter().take(shown.saturating_sub(1)).map(|line| line.len()).sum();
    let lines = whole.chain([joined(&words[rest..])]);
    SetTitle { size, lines: lines.map(|line| cut(face, size, measure, &line).into_owned()).collect() }
}

/// Returns as much of a text as is not wider than `measure`, with three points if that is not all of it.
#[must_use]
pub fn cut<'t>(face: &Face, size: f32, measure: f32, text: &'t str) -> Cow<'t, str> {
    if face.width(size, text) <= measure {
        return Cow::Borrowed(text);
    }
    let mut ends = text.char_indices().rev().map(|(at, _)| format!("{}…", text[..at].trim_end()));
    Cow::Owned(ends.find(|cut| face.width(size, cut) <= measure).unwrap_or_default())
}

fn words<'t>(face: &Face, text: &'t str) -> Vec<Word<'t>> {
    let words = text.split(' ').filter(|word| !word.is_empty());
    words.map(|text| Word { text, width: face.units(text) }).collect()
}

/// Returns the width of a line in units.
fn width(line: &[Word], space: u32) -> u32 {
    let spaces = u32::try_from(line.len().saturating_sub(1)).unwrap_or(u32::MAX);
    line.iter().map(|word| word.width).sum::<u32>().saturating_add(spaces.saturating_mul(space))
}

fn joined(line: &[Word]) -> String {
    line.iter().map(|word| word.text).collect::<Vec<_>>().join(" ")
}

/// Breaks a title into lines of about the same width, as few as possible.
fn even<'l, 't>(face: &Face, size: f32, words: &'l [Word<'t>], space: u32, measure: f32) -> Vec<&'l [Word<'t>]> {
    let mut best = wrapped(face, size, words, space, measure);
    let most = best.len();
    let mut narrow = measure;
    while narrow > measure / 2.0 {
        narrow -= STEP;
        let narrower = wrapped(face, size, words, space, narrow);
        if narrower.len() > most || narrower.iter().any(|line| face.pixels(size, width(line, space)) > narrow) {
            break;
        }
        best = narrower;
    }
    best
}

/// Breaks a text between its words, where a line would be wider than `measure`.
fn wrapped<'l, 't>(face: &Face, size: f32, words: &'l [Word<'t>], space: u32, measure: f32) -> Vec<&'l [Word<'t>]> {
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
