//! Glyphs as pixels, rasterised once for each size and subpixel position.

use std::{
    collections::HashMap,
    sync::{Arc, PoisonError, RwLock},
};

use tiny_skia::{FillRule, Mask, Transform};

use crate::face::Face;

/// Number of coverage levels of a pixel: the rasteriser samples 16 points of it.
pub(crate) const LEVELS: u8 = 16;
/// Number of subpixel positions in each direction.
const PLACES: i16 = 8;

/// The rasterised glyphs of a face, shared by all pictures and threads.
pub struct Glyphs<'f> {
    pub(crate) face: &'f Face,
    drawn: RwLock<HashMap<GlyphKey, Option<Arc<Coverage>>>>,
}

/// Determines the pixels of a glyph.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct GlyphKey {
    glyph: u32,
    size: u32,
    /// Subpixel position, in parts of [`PLACES`].
    right: i16,
    down: i16,
}

pub(crate) struct Coverage {
    /// Offset of the left and upper edge from the pixel of the glyph's origin.
    pub(crate) left: i32,
    pub(crate) top: i32,
    /// Not 0.
    pub(crate) width: usize,
    /// Coverage of each pixel, row by row, from 0 to [`LEVELS`].
    pub(crate) levels: Vec<u8>,
}

/// A rasterised glyph at its position in the picture.
pub(crate) struct GlyphStamp {
    pub(crate) coverage: Arc<Coverage>,
    pub(crate) left: i32,
    pub(crate) top: i32,
}

impl<'f> Glyphs<'f> {
    /// Creates an empty cache for a face.
    pub fn new(face: &'f Face) -> Self {
        Self { face, drawn: RwLock::default() }
    }

    /// Calls `stamp` with each glyph of a line whose origin is `(left, baseline)`.
    pub(crate) fn line(&self, line: &str, size: f32, (left, baseline): (f32, f32), mut stamp: impl FnMut(GlyphStamp)) {
        let scale = self.face.scale(size);
        let mut missing = Vec::new();
        let mut put = |coverage: &Option<Arc<Coverage>>, column: i32, row: i32| {
            if let Some(coverage) = coverage {
                let coverage = Arc::clone(coverage);
                stamp(GlyphStamp { left: column + coverage.left, top: row + coverage.top, coverage });
            }
        };
        #[expect(clippy::cast_precision_loss, reason = "a line has fewer than 16 million units")]
        let places = self.face.shape(line).into_iter().map(|placed| {
            let (column, right) = place(left + placed.right as f32 * scale);
            let (row, down) = place(baseline - placed.up as f32 * scale);
            (GlyphKey { glyph: placed.glyph, size: size.to_bits(), right, down }, column, row)
        });
        {
            let drawn = self.drawn.read().unwrap_or_else(PoisonError::into_inner);
            for (key, column, row) in places {
                match drawn.get(&key) {
                    Some(coverage) => put(coverage, column, row),
                    None => missing.push((key, column, row)),
                }
            }
        }
        for (key, column, row) in missing {
            let coverage = self.rasterise(key).map(Arc::new);
            put(&coverage, column, row);
            self.drawn.write().unwrap_or_else(PoisonError::into_inner).insert(key, coverage);
        }
    }

    /// Rasterises a glyph; returns `None` if it has no visible pixels.
    fn rasterise(&self, key: GlyphKey) -> Option<Coverage> {
        let scale = self.face.scale(f32::from_bits(key.size));
        let part = |place: i16| f32::from(place) / f32::from(PLACES);
        let placed = Transform::from_row(scale, 0.0, 0.0, -scale, part(key.right), part(key.down));
        let outline = self.face.outline(key.glyph)?.transform(placed)?;
        let bounds = outline.bounds();
        let (left, top) = (bounds.left().floor(), bounds.top().floor());
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a glyph is about as large as its size"
        )]
        let (width, height) = ((bounds.right() - left).ceil() as u32, (bounds.bottom() - top).ceil() as u32);
        let mut mask = Mask::new(width, height)?;
        mask.fill_path(&outline, FillRule::Winding, true, Transform::from_translate(-left, -top));
        let mut levels = mask.take();
        for level in &mut levels {
            *level = *level / LEVELS + *level % LEVELS / (LEVELS / 2);
        }
        #[expect(clippy::cast_possible_truncation, reason = "a glyph is about as large as its size")]
        let (left, top) = (left as i32, top as i32);
        Some(Coverage { left, top, width: width as usize, levels })
    }
}

/// Returns the pixel and the subpixel position of a coordinate.
#[expect(clippy::cast_possible_truncation, reason = "a point is near the picture")]
fn place(point: f32) -> (i32, i16) {
    let places = (point * f32::from(PLACES)).round() as i32;
    (places.div_euclid(PLACES.into()), places.rem_euclid(PLACES.into()) as i16)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::face::tests::title_face;

    fn stamps(glyphs: &Glyphs, text: &str, at: (f32, f32)) -> Vec<(i32, i32, Vec<u8>)> {
        let mut stamps = Vec::new();
        glyphs.line(text, 76.0, at, |stamp| stamps.push((stamp.left, stamp.top, stamp.coverage.levels.clone())));
        stamps
    }

    #[test]
    fn glyph_is_rasterised_once_for_each_subpixel_position() {
        let face = title_face();
        let glyphs = Glyphs::new(&face);
        let first = stamps(&glyphs, "A", (80.0, 300.0));
        assert_eq!(stamps(&glyphs, "A", (90.0, 310.0)), [(first[0].0 + 10, first[0].1 + 10, first[0].2.clone())]);
        assert_eq!(glyphs.drawn.read().unwrap().len(), 1);
        assert_ne!(stamps(&glyphs, "A", (80.5, 300.0))[0].2, first[0].2);
        assert_eq!(glyphs.drawn.read().unwrap().len(), 2);
        assert_eq!(stamps(&glyphs, " ", (80.0, 300.0)), [], "nothing of a space is seen");
    }

    #[test]
    fn glyph_is_on_its_line_and_fully_covered_inside() {
        let face = title_face();
        Glyphs::new(&face).line("H", 76.0, (80.0, 300.0), |GlyphStamp { coverage, left, top }| {
            let height = i32::try_from(coverage.levels.len() / coverage.width).unwrap();
            assert!((80..90).contains(&left) && (230..260).contains(&top), "{left} {top}");
            assert!((300..=301).contains(&(top + height)), "{top} {height}");
            assert_eq!(coverage.levels.iter().max(), Some(&LEVELS));
        });
    }

    #[test]
    fn subpixel_position_is_measured_from_the_left_and_upper_edge() {
        assert_eq!(place(3.0), (3, 0));
        assert_eq!(place(3.5), (3, 4));
        assert_eq!(place(3.99), (4, 0));
        assert_eq!(place(-0.25), (-1, 6));
    }
}
