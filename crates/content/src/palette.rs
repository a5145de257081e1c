//! Colours, their contrast, and the colours of a page derived from accent, ink and paper.

use std::fmt;

/// The lowest contrast of text with its background (WCAG 2, 1.4.3, level AA).
pub const MIN_TEXT_CONTRAST: f64 = 4.5;
/// The lowest contrast of the border of a field (WCAG 2, 1.4.11, level AA).
const MIN_CONTROL_CONTRAST: f64 = 3.0;
/// The lowest contrast of secondary text, if the ink has as much (1.4.6, level AAA).
const MUTED_CONTRAST: f64 = 7.0;
/// The contrast of an accent in dark mode that is derived from light mode.
const DERIVED_CONTRAST: f64 = 7.0;
/// The share of the accent in the background of a highlighted footnote, in percent, as in `site.css`.
const TINT: u32 = 10;

/// An opaque colour of sRGB.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Colour([u8; 3]);

impl Colour {
    const BLACK: Self = Self([0, 0, 0]);
    const WHITE: Self = Self([255, 255, 255]);

    /// Reads `#1f3a5f`.
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix('#')?;
        if digits.len() != 6 || !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            return None;
        }
        let [_, red, green, blue] = u32::from_str_radix(digits, 16).ok()?.to_be_bytes();
        Some(Self([red, green, blue]))
    }

    /// Returns red, green and blue.
    pub const fn parts(self) -> [u8; 3] {
        self.0
    }

    /// Mixes `percent` of another colour into this one, as browsers do in sRGB.
    fn mix(self, other: Self, percent: u32) -> Self {
        let part =
            |one: u8, other: u8| ((u32::from(one) * (100 - percent) + u32::from(other) * percent + 50) / 100) as u8;
        let (Self([r, g, b]), Self([red, green, blue])) = (self, other);
        Self([part(r, red), part(g, green), part(b, blue)])
    }

    /// The relative luminance of WCAG 2.
    fn luminance(self) -> f64 {
        let linear = |part: u8| {
            let part = f64::from(part) / 255.0;
            if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
        };
        let [red, green, blue] = self.0.map(linear);
        0.2126 * red + 0.7152 * green + 0.0722 * blue
    }

    /// The contrast ratio of WCAG 2, from 1 to 21.
    fn contrast(self, other: Self) -> f64 {
        let (one, other) = (self.luminance(), other.luminance());
        (one.max(other) + 0.05) / (one.min(other) + 0.05)
    }

    /// Mixes as little as possible of `end` into the colour until `is_enough` holds. Returns `end` if it never does.
    fn towards(self, end: Self, is_enough: impl Fn(Self) -> bool) -> Self {
        (0..100).map(|percent| self.mix(end, percent)).find(|colour| is_enough(*colour)).unwrap_or(end)
    }
}

impl fmt::Display for Colour {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [red, green, blue] = self.0;
        write!(out, "#{red:02x}{green:02x}{blue:02x}")
    }
}

/// The colours that a site may choose, for light or for dark mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scheme {
    /// Links and buttons.
    pub accent: Colour,
    /// Text.
    pub ink: Colour,
    /// The background.
    pub paper: Colour,
}

contract::names! {
    /// One of the colours of a [`Scheme`].
    pub enum PalettePart {
        Accent "accent",
        Ink "ink",
        Paper "paper",
    }
}

impl Scheme {
    /// The colours of the built-in theme in light mode.
    pub const LIGHT: Self = Palette::LIGHT.scheme;
    /// The colours of the built-in theme in dark mode.
    pub const DARK: Self = Palette::DARK.scheme;

    pub fn get(&self, part: PalettePart) -> Colour {
        match part {
            PalettePart::Accent => self.accent,
            PalettePart::Ink => self.ink,
            PalettePart::Paper => self.paper,
        }
    }

    fn with(self, part: PalettePart, colour: Colour) -> Self {
        match part {
            PalettePart::Accent => Self { accent: colour, ..self },
            PalettePart::Ink => Self { ink: colour, ..self },
            PalettePart::Paper => Self { paper: colour, ..self },
        }
    }

    /// Returns the lowest contrast of a text colour with any background.
    fn lowest_contrast(&self, colour: Colour) -> f64 {
        self.backgrounds().map(|background| colour.contrast(background)).into_iter().fold(f64::INFINITY, f64::min)
    }

    fn backgrounds(&self) -> [Colour; 2] {
        [self.paper, self.paper.mix(self.accent, TINT)]
    }

    /// Returns the contrast of accent or ink if it is too low.
    pub fn insufficient_contrast(&self, part: PalettePart) -> Option<f64> {
        Some(self.lowest_contrast(self.get(part))).filter(|contrast| *contrast < MIN_TEXT_CONTRAST)
    }

    /// Returns the nearest darker and lighter colours for `part` with which all `texts` have enough contrast; the
    /// nearer one first.
    pub fn nearest(&self, part: PalettePart, texts: &[PalettePart]) -> Vec<Colour> {
        let colour = self.get(part);
        let passes = |candidate: Colour| {
            let changed = self.with(part, candidate);
            texts.iter().all(|text| changed.insufficient_contrast(*text).is_none())
        };
        let on_the_way = |end: Colour| {
            (1..=100_u32).map(|percent| (percent, colour.mix(end, percent))).find(|(_, colour)| passes(*colour))
        };
        let mut found: Vec<(f64, Colour)> = [Colour::BLACK, Colour::WHITE]
            .into_iter()
            .filter_map(on_the_way)
            .map(|(_, found)| ((found.luminance() - colour.luminance()).abs(), found))
            .collect();
        found.sort_by(|a, b| a.0.total_cmp(&b.0));
        found.into_iter().map(|(_, colour)| colour).collect()
    }

    /// Returns the scheme with the accent of light mode, adjusted to the background. For sites that set only the accent
    /// of light mode.
    #[must_use]
    pub fn with_accent_of(self, light: Colour) -> Self {
        let is_enough =
            |colour: Colour| self.with(PalettePart::Accent, colour).lowest_contrast(colour) >= DERIVED_CONTRAST;
        let end = if self.paper.luminance() < 0.5 { Colour::WHITE } else { Colour::BLACK };
        self.with(PalettePart::Accent, light.towards(end, is_enough))
    }
}

/// Every colour of a page in light or in dark mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Palette {
    pub scheme: Scheme,
    /// Secondary text.
    pub muted: Colour,
    /// Visited links.
    pub visited: Colour,
    /// Borders of fields.
    pub control: Colour,
    /// Decorative lines.
    pub rule: Colour,
    /// Errors in forms.
    pub error: Colour,
}

impl Palette {
    pub const LIGHT: Self = Self {
        scheme: Scheme {
            accent: Colour([0x1f, 0x3a, 0x5f]),
            ink: Colour([0x1b, 0x1f, 0x27]),
            paper: Colour([0xfb, 0xfa, 0xf7]),
        },
        muted: Colour([0x43, 0x4b, 0x56]),
        visited: Colour([0x5a, 0x3a, 0x62]),
        control: Colour([0x85, 0x80, 0x6f]),
        rule: Colour([0xd9, 0xd4, 0xc8]),
        error: Colour([0x9b, 0x1c, 0x1c]),
    };
    pub const DARK: Self = Self {
        scheme: Scheme {
            accent: Colour([0xa3, 0xc2, 0xea]),
            ink: Colour([0xe8, 0xe5, 0xde]),
            paper: Colour([0x14, 0x17, 0x1c]),
        },
        muted: Colour([0xae, 0xb4, 0xbf]),
        visited: Colour([0xcd, 0xb2, 0xd6]),
        control: Colour([0x76, 0x7d, 0x89]),
        rule: Colour([0x34, 0x3a, 0x44]),
        error: Colour([0xf0, 0xa3, 0xa3]),
    };

    /// Derives the colours from `scheme`. Keeps those of the built-in theme as far as they fit. All text has enough
    /// contrast if the ink has.
    pub fn new(scheme: Scheme, built_in: &Self) -> Self {
        if scheme == built_in.scheme {
            return *built_in;
        }
        let has_same_ground = (scheme.ink, scheme.paper) == (built_in.scheme.ink, built_in.scheme.paper);
        let between = |colour: Colour, percent: u32| {
            if has_same_ground { colour } else { scheme.ink.mix(scheme.paper, percent) }
        };
        let as_text = |colour: Colour| colour.towards(scheme.ink, |it| scheme.lowest_contrast(it) >= MIN_TEXT_CONTRAST);
        let as_control = |it: Colour| it.contrast(scheme.paper) >= MIN_CONTROL_CONTRAST;
        Self {
            scheme,
            muted: between(built_in.muted, 28).towards(scheme.ink, |it| scheme.lowest_contrast(it) >= MUTED_CONTRAST),
            visited: as_text(scheme.accent.mix(built_in.visited, 50)),
            control: between(built_in.control, 47).towards(scheme.ink, as_control),
            rule: between(built_in.rule, 85),
            error: as_text(built_in.error),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn colour(text: &str) -> Colour {
        Colour::parse(text).unwrap()
    }

    #[test]
    fn contrast_is_calculated_as_in_wcag() {
        assert!((colour("#000000").contrast(colour("#ffffff")) - 21.0).abs() < 1e-9);
        // The grey values on either side of the limit on white.
        assert!(colour("#767676").contrast(Colour::WHITE) >= MIN_TEXT_CONTRAST);
        assert!(colour("#777777").contrast(Colour::WHITE) < MIN_TEXT_CONTRAST);
        assert!((colour("#ff0000").contrast(Colour::WHITE) - 3.998).abs() < 0.001);
    }

    #[test]
    fn colour_has_six_digits() {
        assert_eq!(colour("#A1b2C3").to_string(), "#a1b2c3");
        for text in ["", "#", "#abc", "a1b2c3", "#a1b2c", "#a1b2c34", "#+1b2c3", "#a1b2cg", "red", "#ığüşöç"] {
            assert_eq!(Colour::parse(text), None, "{text}");
        }
    }

    #[test]
    fn built_in_colours_are_readable() {
        for palette in [Palette::LIGHT, Palette::DARK] {
            assert_eq!(Palette::new(palette.scheme, &palette), palette);
            check(&palette);
        }
    }

    fn check(palette: &Palette) {
        let Palette { scheme, muted, visited, control, error, .. } = palette;
        for text in [scheme.ink, scheme.accent, *muted, *visited, *error] {
            assert!(scheme.lowest_contrast(text) >= MIN_TEXT_CONTRAST, "{text} in {palette:?}");
        }
        assert!(
            scheme.lowest_contrast(*muted) >= MUTED_CONTRAST.min(scheme.lowest_contrast(scheme.ink)),
            "{palette:?}"
        );
        assert!(control.contrast(scheme.paper) >= MIN_CONTROL_CONTRAST, "{palette:?}");
    }

    fn any_colour() -> impl Strategy<Value = Colour> {
        any::<[u8; 3]>().prop_map(Colour)
    }

    proptest! {
        #[test]
        fn derived_colours_are_readable_if_the_chosen_ones_are(
            accent in any_colour(), ink in any_colour(), paper in any_colour(),
        ) {
            let scheme = Scheme { accent, ink, paper };
            for part in [PalettePart::Ink, PalettePart::Accent] {
                for varied in [part, PalettePart::Paper] {
                    for nearest in scheme.nearest(varied, &[part]) {
                        prop_assert!(scheme.with(varied, nearest).insufficient_contrast(part).is_none());
                    }
                }
            }
            let is_readable = |part| scheme.insufficient_contrast(part).is_none();
            if is_readable(PalettePart::Ink) && is_readable(PalettePart::Accent) {
                check(&Palette::new(scheme, &Palette::LIGHT));
                check(&Palette::new(scheme, &Palette::DARK));
            }
        }

        #[test]
        fn accent_of_light_mode_is_made_readable_in_dark_mode(accent in any_colour()) {
            prop_assert!(Scheme::DARK.with_accent_of(accent).insufficient_contrast(PalettePart::Accent).is_none());
        }
    }
}
