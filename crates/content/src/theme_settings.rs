//! The table `[theme]` of `site.toml`: colours, fonts and icon.

use findings::{Code, messages};

use super::{
    At,
    fields::Fields,
    node::Node,
    problem::{Problem, Reading},
    types,
    values::{self, LINE},
};
use crate::palette::{Colour, PalettePart, Scheme};

/// The pattern of the name of an icon.
const ICON: &str = "^[^/\\\\]+[.](svg|png)$";

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

/// Reads the optional group `[theme]`.
pub(crate) fn theme(fields: &mut Fields) -> ThemeSettings {
    let group = fields.group("theme", |theme| ThemeSettings {
        icon: theme.optional("icon", &types::pattern(icon, ICON, messages::form_icon)),
        light: theme.group("light", colours).map(|group| group.value).unwrap_or_default(),
        dark: theme.group("dark", colours).map(|group| group.value).unwrap_or_default(),
        fonts: theme.group("fonts", fonts).map(|group| group.value).unwrap_or_default(),
    });
    group.map(|group| group.value).unwrap_or_default()
}

fn colours(colours: &mut Fields) -> Colours {
    let of = || types::pattern(colour, "^#[0-9A-Fa-f]{6}$", messages::form_colour);
    Colours {
        accent: colours.optional("accent", &of()),
        ink: colours.optional("ink", &of()),
        paper: colours.optional("paper", &of()),
    }
}

fn fonts(fonts: &mut Fields) -> Fonts {
    let of = || types::pattern(font, "^[A-Za-z0-9._-]+[.]woff2$", messages::form_font);
    let named = Fonts {
        text: fonts.optional("text", &of()),
        text_bold: fonts.optional("text_bold", &of()),
        text_italic: fonts.optional("text_italic", &of()),
        headings: fonts.optional("headings", &of()),
    };
    if named.text.is_none() && !fonts.has("text") && (named.text_bold.is_some() || named.text_italic.is_some()) {
        fonts.missing("text");
    }
    named
}

fn colour(node: &Node) -> Reading<Colour> {
    let text = values::text(LINE)(node)?;
    Colour::parse(&text).ok_or_else(|| {
        let problem = Problem::new(Code::BAD_COLOUR, values::expected(messages::colour_wanted(), &text));
        Some(match find_intended_colour(&text) {
            Some(colour) => problem.label(messages::words_to_write(format!("\"{colour}\""))),
            None => problem.help(messages::colour_help()),
        })
    })
}

/// Reads the short form `#abc`, or digits without their sign.
fn find_intended_colour(text: &str) -> Option<Colour> {
    let digits = text.trim().trim_start_matches('#');
    let whole: String = match digits.len() {
        3 => digits.chars().flat_map(|digit| [digit, digit]).collect(),
        _ => digits.to_owned(),
    };
    Colour::parse(&format!("#{whole}"))
}

fn font(node: &Node) -> Reading<String> {
    let name = values::file_name(node)?;
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_');
    if name.ends_with(".woff2") {
        if name.bytes().all(is_plain) {
            return Ok(name);
        }
        // Security: the name is part of a style sheet, where a quotation mark would end it.
        let problem = Problem::new(Code::FONT, values::expected(messages::font_name_wanted(), &name));
        return Err(Some(problem.help(messages::font_name_help())));
    }
    let problem = Problem::new(Code::FONT, values::expected(messages::font_file_wanted(), &name));
    Err(Some(problem.help(messages::font_file_help())))
}

fn icon(node: &Node) -> Reading<String> {
    let name = values::file_name(node)?;
    if name.ends_with(".svg") || name.ends_with(".png") {
        return Ok(name);
    }
    let problem = Problem::new(Code::NOT_ONE_OF, values::expected(messages::icon_wanted(), &name));
    Err(Some(problem.help(messages::icon_help())))
}
