//! A font face: character widths, and the positions of glyphs in a line.

use harfrust::{Direction, ShapeOptions, ShapePlan, ShaperData, UnicodeBuffer, script};
use skrifa::{
    FontRef, GlyphId, MetadataProvider as _,
    instance::{LocationRef, Size},
    outline::{DrawSettings, OutlinePen},
    raw::TableProvider as _,
};
use tiny_skia::{Path, PathBuilder};

pub struct Face {
    font: FontRef<'static>,
    shaping: ShaperData,
    /// How lines in Latin script are shaped.
    latin: ShapePlan,
    /// Characters in order, each with its width in font units.
    widths: Vec<(char, u16)>,
    units_per_em: f32,
}

/// The bytes are not a font.
#[derive(Debug, thiserror::Error)]
#[error("the face cannot be read: {0}")]
pub struct UnreadableFace(skrifa::raw::ReadError);

/// A glyph and its offset from the start of the line, in font units; `up` from the baseline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Placed {
    pub(crate) glyph: u32,
    pub(crate) right: i32,
    pub(crate) up: i32,
}

impl Face {
    /// Reads a TrueType or OpenType file.
    ///
    /// # Errors
    /// If a required table is missing.
    pub fn parse(bytes: &'static [u8]) -> Result<Self, UnreadableFace> {
        let font = FontRef::new(bytes).map_err(UnreadableFace)?;
        let units_per_em = f32::from(font.head().map_err(UnreadableFace)?.units_per_em());
        let units = font.glyph_metrics(Size::unscaled(), LocationRef::default());
        #[expect(clippy::cast_sign_loss, reason = "a width is not negative")]
        let width = |glyph| units.advance_width(glyph).unwrap_or_default() as u16;
        let letters = font.charmap().mappings();
        let mut widths: Vec<(char, u16)> =
            letters.filter_map(|(letter, glyph)| Some((char::from_u32(letter)?, width(glyph)))).collect();
        widths.sort_unstable();
        let shaping = ShaperData::new(&font);
        let shaper = shaping.shaper(&font).build();
        let latin = ShapePlan::new(&shaper, Direction::LeftToRight, Some(script::LATIN), None, &[]);
        Ok(Self { font, shaping, latin, widths, units_per_em })
    }

    /// Whether the face has every character of a text.
    pub fn has(&self, text: &str) -> bool {
        text.chars().all(|letter| self.letter(letter).is_some())
    }

    /// Returns the width of a text in pixels, as the sum of its character widths; `size` is the em size.
    pub fn width(&self, size: f32, text: &str) -> f32 {
        self.pixels(size, self.units(text))
    }

    /// Returns the width of a text in font units.
    pub(crate) fn units(&self, text: &str) -> u32 {
        text.chars().filter_map(|letter| self.letter(letter)).map(u32::from).sum()
    }

    /// Converts font units to pixels.
    #[expect(clippy::cast_precision_loss, reason = "a line has fewer than 16 million units")]
    pub(crate) fn pixels(&self, size: f32, units: u32) -> f32 {
        units as f32 * self.scale(size)
    }

    /// Returns the size of a font unit in pixels.
    pub(crate) fn scale(&self, size: f32) -> f32 {
        size / self.units_per_em
    }

    /// Returns the width of a character in font units, if the face has it.
    fn letter(&self, letter: char) -> Option<u16> {
        let at = self.widths.binary_search_by_key(&letter, |(letter, _)| *letter).ok()?;
        Some(self.widths[at].1)
    }

    /// Returns the glyphs of a line with kerning and ligatures, from left to right.
    pub(crate) fn shape(&self, line: &str) -> Vec<Placed> {
        let mut buffer = UnicodeBuffer::new();
        buffer.push_str(line);
        buffer.set_direction(Direction::LeftToRight);
        buffer.guess_segment_properties();
        let plan = (buffer.script() == script::LATIN && buffer.language().is_none()).then_some(&self.latin);
        let shaper = self.shaping.shaper(&self.font).build();
        let line = shaper.shape(buffer, ShapeOptions::new().plan(plan));
        let mut pen = 0;
        let glyphs = line.glyph_infos().iter().zip(line.glyph_positions());
        let placed = glyphs.map(|(info, position)| {
            let (right, up) = (pen + position.x_offset, position.y_offset);
            pen += position.x_advance;
            Placed { glyph: info.glyph_id, right, up }
        });
        placed.collect()
    }

    /// Returns the outline of a glyph in font units; `None` if it has none, such as a space.
    pub(crate) fn outline(&self, glyph: u32) -> Option<Path> {
        let outline = self.font.outline_glyphs().get(GlyphId::new(glyph))?;
        let mut pen = Pen(PathBuilder::new());
        outline.draw(DrawSettings::unhinted(Size::unscaled(), LocationRef::default()), &mut pen).ok()?;
        pen.0.finish()
    }
}

struct Pen(PathBuilder);

impl OutlinePen for Pen {
    fn move_to(&mut self, x: f32, y: f32) {
        self.0.move_to(x, y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        self.0.line_to(x, y);
    }

    fn quad_to(&mut self, cx0: f32, cy0: f32, x: f32, y: f32) {
        self.0.quad_to(cx0, cy0, x, y);
    }

    fn curve_to(&mut self, cx0: f32, cy0: f32, cx1: f32, cy1: f32, x: f32, y: f32) {
        self.0.cubic_to(cx0, cy0, cx1, cy1, x, y);
    }

    fn close(&mut self) {
        self.0.close();
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Returns the face of drawn titles.
    pub(crate) fn title_face() -> Face {
        Face::parse(include_bytes!("../../render/fonts/literata.ttf")).unwrap()
    }

    #[test]
    fn invalid_font_is_rejected() {
        let refused = Face::parse(b"no face").err().unwrap().to_string();
        assert!(refused.starts_with("the face cannot be read: "), "{refused}");
    }

    #[test]
    fn face_has_the_letters_of_latin_languages_only() {
        let face = title_face();
        assert!(face.has("Şirket Hukuku: ğıİöü, “AB” §") && face.has(""));
        assert!(!face.has("合同法") && !face.has("Law 合"));
    }

    #[test]
    fn width_grows_with_the_size_and_with_each_letter() {
        let face = title_face();
        assert!((face.width(52.0, "Law") - 2.0 * face.width(26.0, "Law")).abs() < 0.001);
        assert!((face.width(26.0, "Law") + face.width(26.0, "yer") - face.width(26.0, "Lawyer")).abs() < 0.001);
        assert!((face.width(26.0, "Law合") - face.width(26.0, "Law")).abs() < 0.001, "a missing letter has none");
    }

    #[test]
    fn kerning_moves_letters_closer() {
        let face = title_face();
        let right = |text: &str| face.shape(text)[1].right;
        let apart = i32::try_from(face.units("T")).unwrap();
        assert!(right("To") < apart, "{} {apart}", right("To"));
        assert_eq!(right("TH"), apart);
        // A line without Latin characters, too.
        assert_eq!(face.shape("2026 · 15").len(), "2026 · 15".chars().count());
    }

    #[test]
    fn space_has_no_outline() {
        let face = title_face();
        let glyph = |text: &str| face.shape(text)[0].glyph;
        assert!(face.outline(glyph(" ")).is_none() && face.outline(glyph("A")).is_some());
    }
}
