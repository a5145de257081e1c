//! What all pictures have in common, and the words that each has on it.

use std::collections::HashMap;

use crate::{
    glyphs::{Glyphs, LEVELS, Stamp},
    packing::{self, Image, Row, Tokens},
    palette::reduced,
};

/// How many colours there are for words: for each ink as many as a pixel can be covered strongly.
const OF_WORDS: u8 = 2 * LEVELS;

/// The colour of words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ink {
    /// That of the title.
    Strong,
    /// That of what is of less importance.
    Muted,
}

/// Words to lay on a ground, in one line.
#[derive(Clone, Copy)]
pub struct Words<'w, 'f> {
    /// The glyphs of their face.
    pub glyphs: &'w Glyphs<'f>,
    /// Their size in pixels.
    pub size: f32,
    /// Where they begin.
    pub left: f32,
    /// The line on which they stand.
    pub baseline: f32,
    /// Their colour.
    pub ink: Ink,
    /// The words.
    pub text: &'w str,
}

/// What all pictures have in common. Number 0 of its palette is the paper, the next are the inks from the weakest trace
/// to the full colour, then follow the other colours.
pub struct Ground {
    width: usize,
    palette: Vec<[u8; 3]>,
    /// The numbers of the pixels; each row has a 0 before it, which says that it is not filtered.
    rows: Vec<u8>,
    /// What is written for each row, if that above is of the ground, too.
    packed: Vec<Row>,
}

impl Ground {
    /// Takes the pixels of an opaque picture, row by row. Words are seen where it has the colour `paper`.
    #[must_use]
    pub fn new(width: usize, pixels: &[[u8; 3]], paper: [u8; 3], [strong, muted]: [[u8; 3]; 2]) -> Self {
        let mut palette = vec![paper];
        for ink in [strong, muted] {
            palette.extend((1..=LEVELS).map(|level| blended(paper, ink, level)));
        }
        let mut used: HashMap<[u8; 3], usize> = HashMap::new();
        for run in pixels.chunk_by(|one, next| one == next) {
            *used.entry(run[0]).or_default() += run.len();
        }
        used.remove(&paper);
        let mut used: Vec<([u8; 3], usize)> = used.into_iter().collect();
        used.sort_unstable_by(|(one, often), (other, seldom)| seldom.cmp(often).then(one.cmp(other)));
        let used: Vec<[u8; 3]> = used.into_iter().map(|(colour, _)| colour).collect();
        let (others, mut numbers) = reduced(&used, usize::from(u8::MAX - OF_WORDS));
        for number in numbers.values_mut() {
            *number += 1 + OF_WORDS;
        }
        numbers.insert(paper, 0);
        palette.extend(others);
        let mut rows = Vec::with_capacity(pixels.len() + pixels.len() / width.max(1));
        for row in pixels.chunks_exact(width) {
            rows.push(0);
            rows.extend(row.iter().map(|colour| numbers.get(colour).copied().unwrap_or_default()));
        }
        let mut above = None;
        let mut packed = Vec::new();
        for row in rows.chunks_exact(width + 1) {
            packed.push(Row::new(row, above));
            above = Some(row);
        }
        Self { width, palette, rows, packed }
    }

    /// Draws words on the ground, and returns the picture as PNG.
    #[must_use]
    pub fn draw(&self, words: &[Words]) -> Vec<u8> {
        let stride = self.width + 1;
        let height = self.packed.len();
        let mut stamps = Vec::new();
        for line in words {
            let at = (line.left, line.baseline);
            line.glyphs.line(line.text, line.size, at, |stamp| stamps.push((stamp, line.ink)));
        }
        // The rows that are touched are copied one behind the other, beginning there.
        let mut copies: Vec<Option<usize>> = vec![None; height];
        for (stamp, _) in &stamps {
            for copy in &mut copies[stamp.rows(height)] {
                *copy = Some(0);
            }
        }
        let mut touched = Vec::with_capacity(stride * copies.iter().flatten().count());
        for (row, copy) in self.rows.chunks_exact(stride).zip(&mut copies) {
            if let Some(copy) = copy {
                *copy = touched.len();
                touched.extend_from_slice(row);
            }
        }
        for (stamp, ink) in &stamps {
            let rows = stamp.rows(height);
            if let Some(start) = copies.get(rows.start).copied().flatten() {
                stamp.lay(&mut touched[start..], stride, rows.len(), *ink);
            }
        }
        let mut tokens = Tokens::new();
        let mut above: Option<&[u8]> = None;
        let mut is_above_touched = false;
        for (number, (row, packed)) in self.rows.chunks_exact(stride).zip(&self.packed).enumerate() {
            let copy = copies[number].map(|start| &touched[start..start + stride]);
            if let Some(copy) = copy {
                tokens.row(copy, above);
            } else if is_above_touched && !packed.is_blank() {
                tokens.row(row, above);
            } else {
                tokens.packed(packed);
            }
            is_above_touched = copy.is_some();
            above = Some(copy.unwrap_or(row));
        }
        packing::png(&Image { width: self.width, height, palette: &self.palette, tokens: &tokens })
    }
}

impl Stamp {
    /// Returns the rows of the picture on which the glyph is.
    fn rows(&self, height: usize) -> std::ops::Range<usize> {
        let of = |row: i32| usize::try_from(row).unwrap_or_default().min(height);
        let rows = self.coverage.levels.len() / self.coverage.width;
        of(self.top)..of(self.top.saturating_add(i32::try_from(rows).unwrap_or_default()))
    }

    /// Lays the glyph on so many rows, the first of which is its uppermost on the picture.
    fn lay(&self, rows: &mut [u8], stride: usize, count: usize, ink: Ink) {
        let width = self.coverage.width;
        let first = match ink {
            Ink::Strong => 0,
            Ink::Muted => LEVELS,
        };
        let hidden_rows = usize::try_from(self.top.saturating_neg()).unwrap_or_default();
        let hidden_columns = usize::try_from(self.left.saturating_neg()).unwrap_or_default().min(width);
        // The first column of a row says how it is filtered.
        let left = 1 + usize::try_from(self.left).unwrap_or_default().min(stride - 1);
        let glyph_rows = self.coverage.levels.chunks_exact(width).skip(hidden_rows);
        for (row, levels) in rows.chunks_exact_mut(stride).take(count).zip(glyph_rows) {
            for (number, level) in row[left..].iter_mut().zip(&levels[hidden_columns..]) {
                // Where two glyphs meet in a pixel, each covers a part of it.
                let before = number.wrapping_sub(first);
                let is_of_words = *number == 0 || (1..=LEVELS).contains(&before);
                let sum = (if *number == 0 { 0 } else { before }).wrapping_add(*level).min(LEVELS);
                *number = if is_of_words && sum > 0 { first + sum } else { *number };
            }
        }
    }
}

/// Returns the colour of a pixel of `paper` that is covered with `ink` so strongly.
fn blended(paper: [u8; 3], ink: [u8; 3], level: u8) -> [u8; 3] {
    let alpha = (u32::from(level) * u32::from(u8::MAX) + u32::from(LEVELS) / 2) / u32::from(LEVELS);
    let max = u32::from(u8::MAX);
    let part = |paper: u8, ink: u8| ((u32::from(paper) * (max - alpha) + u32::from(ink) * alpha + max / 2) / max) as u8;
    [part(paper[0], ink[0]), part(paper[1], ink[1]), part(paper[2], ink[2])]
}
