//! The table `[theme]` of `site.toml`: colours, fonts and icon.

use super::{
    At, Values,
    palette::{Colour, PalettePart, Scheme},
};

/// The changes of a site to the look of the theme.
#[derive(Clone, Debug, Default)]
pub struct ThemeSettings {
    /// A picture beside `site.toml`.
    pub icon: Option<At<String>>,
    pub light: Colours,
    pub dark: Colours,
    pub fonts: Fonts,
}

/// The colours of one mode.
#[derive(Clone, Debug, Default)]
pub struct Colours {
    pub accent: Option<At<Colour>>,
    pub ink: Option<At<Colour>>,
    pub paper: Option<At<Colour>>,
}

/// The fonts, each the name of a file in `assets/fonts`.
#[derive(Clone, Debug, Default)]
pub struct Fonts {
    pub text: Option<At<String>>,
    pub text_bold: Option<At<String>>,
    pub text_italic: Option<At<String>>,
    pub headings: Option<At<String>>,
}

impl Colours {
    pub fn get(&self, part: PalettePart) -> Option<&At<Colour>> {
        match part {
            PalettePart::Accent => self.accent.as_ref(),
            PalettePart::Ink => self.ink.as_ref(),
            PalettePart::Paper => self.paper.as_ref(),
        }
    }

    /// Replaces the colours of `scheme` that are set here.
    fn apply_to(&self, scheme: Scheme) -> Scheme {
        let colour = |part| self.get(part).map_or(scheme.get(part), |colour| colour.value);
        Scheme { accent: colour(PalettePart::Accent), ink: colour(PalettePart::Ink), paper: colour(PalettePart::Paper) }
    }
}

impl ThemeSettings {
    /// Returns the colours of light and of dark mode.
    pub fn schemes(&self) -> [Scheme; 2] {
        let (light, dark) = (self.light.apply_to(Scheme::LIGHT), self.dark.apply_to(Scheme::DARK));
        match (&self.light.accent, &self.dark.accent) {
            (Some(accent), None) => [light, dark.with_accent_of(accent.value)],
            _ => [light, dark],
        }
    }
}

impl Fonts {
    pub fn all(&self) -> impl Iterator<Item = &At<String>> {
        [&self.text, &self.text_bold, &self.text_italic, &self.headings].into_iter().flatten()
    }
}

/// Returns the settings of the group `[theme]`.
pub(crate) fn theme(values: &Values) -> ThemeSettings {
    let fonts = values.group("fonts");
    ThemeSettings {
        icon: values.get("icon"),
        light: colours(values.group("light")),
        dark: colours(values.group("dark")),
        fonts: Fonts {
            text: fonts.get("text"),
            text_bold: fonts.get("text_bold"),
            text_italic: fonts.get("text_italic"),
            headings: fonts.get("headings"),
        },
    }
}

fn colours(values: &Values) -> Colours {
    let [accent, ink, paper] = [PalettePart::Accent, PalettePart::Ink, PalettePart::Paper]
        .map(|part| values.parse(part.as_str(), Colour::parse));
    Colours { accent, ink, paper }
}
