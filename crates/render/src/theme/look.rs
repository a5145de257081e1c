//! The theme with a site's `[theme]` settings: its assets, and the template value `theme`.
//!
//! Style sheets are not templates, so the site's colours and faces are appended to them; templates read everything else
//! from `theme`.

use std::{borrow::Cow, collections::BTreeMap, fmt::Write as _};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use content::{
    At, SETTINGS,
    palette::{Colour, Palette, Scheme},
};
use contract::media;
use findings::{Code, Finding, Place, messages, nearest};
use serde::Serialize;
use sha2::{Digest as _, Sha256};
use site::SiteSettings;

use super::{
    Theme,
    assets::{Asset, publish},
};

/// The style sheet of every page, and that of forms.
const SHEET: &str = "css/site.css";
const FORMS_SHEET: &str = "css/forms.css";
/// The script that suggests results while a reader types.
const SEARCH_SCRIPT: &str = "js/search.js";
/// The icon of a site without its own, in the colours of light mode.
const ICON: &str = "icons/favicon.svg";
/// Folder of fonts below `assets/`.
const FONTS: &str = "fonts/";
/// First bytes of a WOFF2 file.
const WOFF2: &[u8] = b"wOF2";

/// The theme with the settings of a site.
pub(crate) struct Look<'t> {
    /// Fingerprinted files by their name below `assets/`.
    pub(crate) assets: Cow<'t, BTreeMap<String, Asset>>,
    /// The colours of light mode.
    pub(crate) palette: Palette,
    pub(super) view: LookView,
}

/// Template value `theme`.
#[derive(Clone, Debug, Serialize)]
pub(super) struct LookView {
    light: PaletteView,
    dark: PaletteView,
    fonts: FontsView,
    icon: IconView,
    /// Set only if a service answers its requests.
    search_script: Option<ScriptView>,
}

/// A script that the pages' security policy allows by its digest.
#[derive(Clone, Debug, Serialize)]
struct ScriptView {
    path: String,
    /// Digest for the policy and the attribute `integrity`.
    integrity: String,
}

/// Colours as `#rrggbb`.
#[derive(Clone, Debug, Serialize)]
struct PaletteView {
    accent: String,
    ink: String,
    paper: String,
    muted: String,
    control: String,
    rule: String,
}

/// File names below `assets/`.
#[derive(Clone, Debug, Serialize)]
struct FontsView {
    text: String,
    text_italic: Option<String>,
    headings: Option<String>,
    interface: String,
}

#[derive(Clone, Debug, Serialize)]
struct IconView {
    path: String,
    media_type: &'static str,
}

impl<'t> Look<'t> {
    /// `is_searched`: whether a service answers the search page.
    pub(crate) fn new(theme: &'t Theme, settings: &SiteSettings, is_searched: bool) -> Self {
        let [light, dark] = palettes(settings);
        let assets = assets(theme, settings, [light, dark]);
        let fonts = &settings.theme.fonts;
        let of_site = |font: &Option<At<String>>| font.as_ref().map(|it| format!("{FONTS}{}", it.value));
        let icon = settings.icon.as_deref().or_else(|| assets.get(ICON).map(|icon| icon.path.as_str()));
        let icon = icon.unwrap_or_default().to_owned();
        let view = LookView {
            light: PaletteView::of(&light),
            dark: PaletteView::of(&dark),
            fonts: FontsView {
                text: of_site(&fonts.text).unwrap_or_else(|| format!("{FONTS}literata.woff2")),
                text_italic: match fonts.text {
                    Some(_) => of_site(&fonts.text_italic),
                    None => Some(format!("{FONTS}literata-italic.woff2")),
                },
                headings: of_site(&fonts.headings),
                interface: format!("{FONTS}inter.woff2"),
            },
            icon: IconView { media_type: media_type(&icon), path: icon },
            search_script: assets.get(SEARCH_SCRIPT).filter(|_| is_searched).map(|script| ScriptView {
                path: script.path.clone(),
                integrity: format!("sha256-{}", STANDARD.encode(Sha256::digest(&script.bytes))),
            }),
        };
        Self { assets, palette: light, view }
    }

    /// Returns the digest of the pages' only script, if they have one.
    pub(crate) fn script(&self) -> Option<&str> {
        self.view.search_script.as_ref().map(|script| script.integrity.as_str())
    }

    /// Returns the names of the files to publish.
    pub(crate) fn published_names(&self) -> impl Iterator<Item = &str> {
        let names = self.assets.keys().map(String::as_str);
        names.filter(|name| *name != SEARCH_SCRIPT || self.view.search_script.is_some())
    }

    pub(crate) fn icon(&self) -> &str {
        &self.view.icon.path
    }
}

impl PaletteView {
    fn of(palette: &Palette) -> Self {
        let Palette { scheme: Scheme { accent, ink, paper }, muted, control, rule, .. } = palette;
        let [accent, ink, paper, muted, control, rule] =
            [accent, ink, paper, muted, control, rule].map(ToString::to_string);
        Self { accent, ink, paper, muted, control, rule }
    }
}

/// Returns the media type of an icon by its published name.
fn media_type(path: &str) -> &'static str {
    path.rsplit('.').next().and_then(media::of_extension).unwrap_or(media::SVG)
}

/// Returns the colours of light and dark mode.
fn palettes(settings: &SiteSettings) -> [Palette; 2] {
    let [light, dark] = settings.theme.schemes();
    [Palette::new(light, &Palette::LIGHT), Palette::new(dark, &Palette::DARK)]
}

/// Returns findings about fonts of `settings` that the theme lacks or that are not fonts.
pub(super) fn misfits(theme: &Theme, settings: &SiteSettings) -> Vec<Finding> {
    let fault = |font: &At<String>| {
        let place = Place::new(SETTINGS, font.span);
        let name = &font.value;
        let Some(asset) = theme.assets.get(&format!("{FONTS}{name}")) else {
            let message = messages::font_absent(name);
            let fonts = theme.assets.keys().filter_map(|name| name.strip_prefix(FONTS));
            let finding = Finding::new(Code::ASSET_NOT_FOUND, place, message).did_you_mean(nearest(name, fonts));
            return Some(finding.help(messages::font_absent_help(name)));
        };
        let is_font = asset.bytes.starts_with(WOFF2);
        (!is_font).then(|| {
            Finding::new(Code::FONT, place, messages::font_not_woff2(name)).help(messages::font_not_woff2_help())
        })
    };
    settings.theme.fonts.all().filter_map(fault).collect()
}

fn assets<'t>(theme: &'t Theme, settings: &SiteSettings, palettes: [Palette; 2]) -> Cow<'t, BTreeMap<String, Asset>> {
    let has_colours = palettes != [Palette::LIGHT, Palette::DARK];
    let faces = faces(theme, settings);
    let mut assets = Cow::Borrowed(&theme.assets);
    if has_colours || !faces.is_empty() {
        let colours = if has_colours { colours(&palettes, page_colours) } else { String::new() };
        replace_text(&mut assets, SHEET, |text| text + "\n/* Of site.toml. */\n" + &faces + &colours);
    }
    if has_colours {
        replace_text(&mut assets, FORMS_SHEET, |text| {
            text + "\n/* Of site.toml. */\n" + &colours(&palettes, |palette| format!("--error: {};", palette.error))
        });
        let [old, new] = [Palette::LIGHT.scheme, palettes[0].scheme];
        replace_text(&mut assets, ICON, |text| recolour(&text, [(old.accent, new.accent), (old.paper, new.paper)]));
    }
    assets
}

/// Replaces a text of `assets/` with an edited copy, under a new fingerprint.
fn replace_text(assets: &mut Cow<'_, BTreeMap<String, Asset>>, name: &str, change: impl FnOnce(String) -> String) {
    let text = assets.get(name).and_then(|asset| String::from_utf8(asset.bytes.clone()).ok());
    if let Some(Ok(asset)) = text.map(|text| publish(name, change(text).into_bytes())) {
        assets.to_mut().insert(name.to_owned(), asset);
    }
}

/// Returns colour rules for screens; printed pages are black on white.
fn colours(palettes: &[Palette; 2], of: impl Fn(&Palette) -> String) -> String {
    let [light, dark] = palettes.each_ref().map(of);
    format!(
        "@media screen {{ :root {{ {light} }} }}\n\
         @media screen and (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}\n"
    )
}

fn page_colours(palette: &Palette) -> String {
    let Palette { scheme: Scheme { accent, ink, paper }, muted, visited, control, rule, .. } = palette;
    format!(
        "--paper: {paper}; --ink: {ink}; --muted: {muted}; --link: {accent}; --visited: {visited}; \
         --control: {control}; --rule: {rule};"
    )
}

/// Returns the rules of the site's fonts. Each file is declared for one weight or style, so that browsers do not show
/// regular letters as bold; a variable font may be declared for several.
fn faces(theme: &Theme, settings: &SiteSettings) -> String {
    let fonts = &settings.theme.fonts;
    let mut rules = String::new();
    for (font, family, style) in [
        (&fonts.text, "Site text", "font-weight: 400"),
        (&fonts.text_bold, "Site text", "font-weight: 600 700"),
        (&fonts.text_italic, "Site text", "font-weight: 400; font-style: italic"),
        (&fonts.headings, "Site headings", "font-weight: 400 600"),
    ] {
        let Some(asset) = font.as_ref().and_then(|font| theme.assets.get(&format!("{FONTS}{}", font.value))) else {
            continue;
        };
        let _ = writeln!(
            rules,
            "@font-face {{ font-family: \"{family}\"; src: url(\"{}\") format(\"woff2\"); {style}; font-display: optional; }}",
            asset.path
        );
    }
    if fonts.text.is_some() {
        rules.push_str(":root { --serif: \"Site text\", Georgia, \"Noto Serif\", serif; }\n");
    }
    if fonts.headings.is_some() {
        rules.push_str("h1, h2, h3, h4, h5, h6 { font-family: \"Site headings\", var(--serif); }\n");
    }
    rules
}

/// Replaces colours in a drawing, in either case of their digits.
fn recolour(text: &str, colours: [(Colour, Colour); 2]) -> String {
    // Placeholders stand in until all old colours are replaced: a new colour may equal another old one.
    let marks = ["\u{1}", "\u{2}"];
    let mut painted = text.to_owned();
    for ((old, _), mark) in colours.iter().zip(marks) {
        let old = old.to_string();
        painted = painted.replace(&old.to_ascii_uppercase(), mark).replace(&old, mark);
    }
    colours.iter().zip(marks).fold(painted, |text, ((_, new), mark)| text.replace(mark, &new.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_of_a_drawing_can_be_swapped() {
        let Scheme { accent, paper, .. } = Scheme::LIGHT;
        let drawing = format!("<a fill=\"{accent}\"/><b fill=\"{}\"/>", paper.to_string().to_ascii_uppercase());
        let swapped = recolour(&drawing, [(accent, paper), (paper, accent)]);
        assert_eq!(swapped, format!("<a fill=\"{paper}\"/><b fill=\"{accent}\"/>"));
    }
}
