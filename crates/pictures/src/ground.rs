//! The part that all pictures share, and the words that each has on it.

use std::collections::HashMap;

use crate::{
    glyphs::{GlyphStamp, Glyphs, LEVELS},
    packing::{self, IndexedImage, PackedRow, Tokens},
    palette::reduce_palette,
};

/// Number of palette colours for words: one per ink and coverage level.
const INK_COLOURS: u8 = 2 * LEVELS;

/// The colour of words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ink {
    /// For titles.
    Strong,
    /// For less important text.
    Muted,
}

/// A line of text to draw on a ground.
#[derive(Clone, Copy)]
pub struct TextLine<'w, 'f> {
    pub glyphs: &'w Glyphs<'f>,
    /// Size in pixels.
    pub size: f32,
    /// Left edge in pixels.
    pub left: f32,
    /// Baseline in pixels.
    pub baseline: f32,
    /// Their colour.
    pub ink: Ink,
    /// The words.
    pub text: &'w str,
}

/// The part that all pictures share. Palette index 0 is the paper; then follow the inks, from the weakest coverage to
/// full colour, then the other colours.
pub struct Ground {
    width: usize,
    palette: Vec<[u8; 3]>,
    /// Palette indexes; each row starts with a 0, which means that it is not filtered.
    rows: Vec<u8>,
    /// Each row compressed, valid while the row above is the ground's.
    packed: Vec<PackedRow>,
}

impl Ground {
    /// Takes the pixels of an opaque picture, row by row, with red, green, blue and one more byte each. Words are
    /// visible where it has the colour `paper`.
    ///
    /// A row has between 1 and 32,767 pixels.
    pub fn new(width: usize, pixels: &[u8], paper: [u8; 3], [strong, muted]: [[u8; 3]; 2]) -> Self {
        let mut palette = vec![paper];
        for ink in [strong, muted] {
            palette.extend((1..=LEVELS).map(|level| blend(paper, ink, level)));
        }
        let runs: Vec<([u8; 3], usize)> = pixels
            .as_chunks::<4>()
            .0
            .chunk_by(|one, next| one == next)
            .map(|run| ([run[0][0], run[0][1], run[0][2]], run.len()))
            .collect();
        let mut used: HashMap<[u8; 3], usize> = HashMap::new();
        for (colour, count) in &runs {
            *used.entry(*colour).or_default() += count;
        }
        used.remove(&paper);
        let (others, mut numbers) = reduce_palette(used, usize::from(u8::MAX - INK_COLOURS));
        for number in numbers.values_mut() {
            *number += 1 + INK_COLOURS;
        }
        numbers.insert(paper, 0);
        palette.extend(others);
        let mut all = Vec::with_capacity(pixels.len() / 4);
        for (colour, count) in runs {
            all.resize(all.len() + count, numbers.get(&colour).copied().unwrap_or_default());
        }
        let mut rows = Vec::with_capacity(all.len() + all.len() / width.max(1));
        for row in all.chunks_exact(width.max(1)) {
            rows.push(0);
            rows.extend_from_slice(row);
        }
        let mut above = None;
        let mut packed = Vec::new();
        for row in rows.chunks_exact(width + 1) {
            packed.push(PackedRow::new(row, above));
            above = Some(row);
        }
        Self { width, palette, rows, packed }
    }

    /// Draws words on the ground; returns the picture as PNG.
    pub fn draw(&self, words: &[TextLine]) -> Vec<u8> {
        let stride = self.width + 1;
        let height = self.packed.len();
        let mut stamps = Vec::new();
        for line in words {
            let at = (line.left, line.baseline);
            line.glyphs.line(line.text, line.size, at, |stamp| stamps.push((stamp, line.ink)));
        }
        // Start of each touched row in `touched`, where these rows are copied one after the other.
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
                tokens.add_row(copy, above);
            } else if is_above_touched && !packed.is_blank() {
                tokens.add_row(row, above);
            } else {
                tokens.add_packed_row(packed);
            }
            is_above_touched = copy.is_some();
            above = Some(copy.unwrap_or(row));
        }
        packing::png(&IndexedImage { width: self.width, height, palette: &self.palette, tokens: &tokens })
    }
}

impl GlyphStamp {
    /// Returns the rows of the picture that the glyph touches.
    fn rows(&self, height: usize) -> std::ops::Range<usize> {
        let of = |row: i32| usize::try_from(row).unwrap_or_default().min(height);
        let rows = self.coverage.levels.len() / self.coverage.width;
        of(self.top)..of(self.top.saturating_add(i32::try_from(rows).unwrap_or_default()))
    }

    /// Draws the glyph on `count` rows, the first of which is its uppermost on the picture.
    fn lay(&self, rows: &mut [u8], stride: usize, count: usize, ink: Ink) {
        let width = self.coverage.width;
        let first = match ink {
            Ink::Strong => 0,
            Ink::Muted => LEVELS,
        };
        let hidden_rows = usize::try_from(self.top.saturating_neg()).unwrap_or_default();
        let hidden_columns = usize::try_from(self.left.saturating_neg()).unwrap_or_default().min(width);
        // The first byte of a row is the filter type.
        let left = 1 + usize::try_from(self.left).unwrap_or_default().min(stride - 1);
        let glyph_rows = self.coverage.levels.chunks_exact(width).skip(hidden_rows);
        for (row, levels) in rows.chunks_exact_mut(stride).take(count).zip(glyph_rows) {
            for (number, level) in row[left..].iter_mut().zip(&levels[hidden_columns..]) {
                // Where two glyphs meet in a pixel, their coverage is added.
                let before = number.wrapping_sub(first);
                let is_of_words = *number == 0 || (1..=LEVELS).contains(&before);
                let sum = (if *number == 0 { 0 } else { before }).wrapping_add(*level).min(LEVELS);
                *number = if is_of_words && sum > 0 { first + sum } else { *number };
            }
        }
    }
}

/// Returns `paper` covered with `ink` at a coverage level.
fn blend(paper: [u8; 3], ink: [u8; 3], level: u8) -> [u8; 3] {
    let alpha = (u32::from(level) * u32::from(u8::MAX) + u32::from(LEVELS) / 2) / u32::from(LEVELS);
    let max = u32::from(u8::MAX);
    let part = |paper: u8, ink: u8| ((u32::from(paper) * (max - alpha) + u32::from(ink) * alpha + max / 2) / max) as u8;
    [part(paper[0], ink[0]), part(paper[1], ink[1]), part(paper[2], ink[2])]
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;
    use crate::face::tests::title_face;

    const PAPER: [u8; 3] = [251, 250, 247];
    const INKS: [[u8; 3]; 2] = [[20, 20, 24], [90, 90, 99]];
    const WIDTH: usize = 300;
    const HEIGHT: usize = 120;

    /// Returns a ground with a bar at the top, and a spot of many colours at the lower right.
    fn pixels() -> Vec<[u8; 3]> {
        let pixel = |at: usize| match (at % WIDTH, at / WIDTH) {
            (_, 0..10) => [31, 58, 95],
            (x @ 285..300, y @ 106..120) => [(x % 256) as u8, (y * 2) as u8, (x * y % 251) as u8],
            _ => PAPER,
        };
        (0..WIDTH * HEIGHT).map(pixel).collect()
    }

    fn ground() -> Ground {
        let pixels: Vec<u8> = pixels().into_iter().flat_map(|[red, green, blue]| [red, green, blue, 255]).collect();
        Ground::new(WIDTH, &pixels, PAPER, INKS)
    }

    fn read(bytes: &[u8]) -> Vec<[u8; 3]> {
        let mut decoder = png::Decoder::new(std::io::Cursor::new(bytes));
        decoder.set_transformations(png::Transformations::EXPAND);
        let mut reader = decoder.read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut pixels).unwrap();
        reader.finish().unwrap();
        assert_eq!((info.width as usize, info.height as usize), (WIDTH, HEIGHT));
        pixels.as_chunks().0.to_vec()
    }

    fn words<'w, 'f>(glyphs: &'w Glyphs<'f>, text: &'w str, (left, baseline): (f32, f32)) -> TextLine<'w, 'f> {
        TextLine { glyphs, size: 40.0, left, baseline, ink: Ink::Strong, text }
    }

    #[test]
    fn picture_without_words_is_the_ground() {
        assert_eq!(read(&ground().draw(&[])), pixels());
    }

    #[test]
    fn words_are_drawn_in_their_colours_and_change_nothing_else() {
        let face = title_face();
        let glyphs = Glyphs::new(&face);
        let muted = TextLine { ink: Ink::Muted, ..words(&glyphs, "Law", (160.0, 80.0)) };
        let drawn = read(&ground().draw(&[words(&glyphs, "Hukuk", (20.0, 80.0)), muted]));
        for (at, (now, before)) in drawn.iter().zip(pixels()).enumerate() {
            let (x, y) = (at % WIDTH, at / WIDTH);
            let is_inside = (18..280).contains(&x) && (40..95).contains(&y);
            assert!(is_inside || *now == before, "{x} {y}");
            assert!(!is_inside || now[0] <= PAPER[0] && now[0] >= INKS[0][0], "{x} {y} {now:?}");
        }
        let columns = |colour| drawn.iter().enumerate().filter(move |(_, it)| **it == colour).map(|(at, _)| at % WIDTH);
        assert!(columns(INKS[0]).count() > 100 && columns(INKS[0]).all(|x| x < 160));
        assert!(columns(INKS[1]).count() > 50 && columns(INKS[1]).all(|x| x >= 160));
    }

    #[test]
    fn words_beyond_the_edges_are_cut_off() {
        let face = title_face();
        let glyphs = Glyphs::new(&face);
        for at in [(-30.0, 60.0), (280.0, 60.0), (20.0, 5.0), (20.0, 130.0), (20.0, -90.0), (9000.0, 9000.0)] {
            let drawn = read(&ground().draw(&[words(&glyphs, "Wg", at)]));
            let changed = drawn.iter().zip(pixels()).filter(|(now, before)| **now != *before).count();
            assert_eq!(changed > 0, at.0 < 1000.0 && at.1 > 0.0, "{at:?}");
        }
    }

    #[test]
    fn overlapping_glyphs_add_their_coverage() {
        let face = title_face();
        let glyphs = Glyphs::new(&face);
        let once = read(&ground().draw(&[words(&glyphs, "o", (50.0, 80.0))]));
        let twice = read(&ground().draw(&[words(&glyphs, "o", (50.0, 80.0)), words(&glyphs, "o", (50.0, 80.0))]));
        assert!(once.iter().zip(&twice).all(|(once, twice)| twice[0] <= once[0]));
        assert_ne!(once, twice);
    }

    #[test]
    fn words_do_not_cover_other_colours() {
        let face = title_face();
        let glyphs = Glyphs::new(&face);
        let drawn = read(&ground().draw(&[words(&glyphs, "Bar", (20.0, 14.0))]));
        assert_eq!(drawn[..10 * WIDTH], pixels()[..10 * WIDTH]);
    }

    #[test]
    fn picture_does_not_depend_on_others_drawn_before_or_beside_it() {
        let face = title_face();
        let (ground, alone) = (ground(), Glyphs::new(&face));
        let texts = ["Tax law", "Vergi hukuku", "Tax", "law", "Åşğ"];
        let expected = texts.map(|text| ground.draw(&[words(&alone, text, (20.3, 80.1))]));
        let shared = Glyphs::new(&face);
        thread::scope(|scope| {
            for first in 0..4 {
                let (shared, ground, expected) = (&shared, &ground, &expected);
                scope.spawn(move || {
                    for at in (0..texts.len()).cycle().skip(first).take(texts.len()) {
                        assert_eq!(ground.draw(&[words(shared, texts[at], (20.3, 80.1))]), expected[at]);
                    }
                });
            }
        });
    }
}
