//! The picture that other sites and messengers show beside a link to a page: the firm, the page's title and its date.
//!
//! Its name is a digest of its text and of the recipe, so it is drawn only when one of them changes.

use std::{
    fmt::Write as _,
    sync::{LazyLock, OnceLock},
};

use content::palette::{Colour, Palette, Scheme};
use contract::{Locale, PerLocale, routes};
use findings::messages::Text;
use markdown::turkish::with_nbsp;
use pictures::{Face, Glyphs, Ground, Ink, SetTitle, TextLine, UnreadableFace, cut, set_title};
use resvg::tiny_skia::Pixmap;
use sha2::{Digest as _, Sha256};
use site::{Attachment, Site};

use super::{
    RenderError,
    drawing::{self, INTERFACE_FACE, INTERFACE_FAMILY, PictureArea, TITLE_FACE},
    feeds::escape,
    view::PictureView,
};

/// The recipe besides the text: other versions may draw other bytes.
const RECIPE: &str = "share 2; by harfrust 0.12.0, resvg 0.49.0, skrifa 0.44.0, tiny-skia 0.12.0";
/// Width and height in pixels, as sites that show such pictures require.
const WIDTH: u32 = 1200;
const HEIGHT: u32 = 630;
/// Left edge and maximum width of lines.
const LEFT: f32 = 80.0;
const MEASURE: f32 = 1040.0;
const LOGO: PictureArea = PictureArea { left: LEFT, top: 66.0, width: 240.0, height: 56.0 };
/// Title sizes, and the maximum number of lines of each. A longer title is cut at the end of the last line.
const SIZES: [(f32, usize); 4] = [(76.0, 2), (64.0, 3), (54.0, 4), (46.0, 5)];
/// Sizes of the firm's name and of the footer lines.
const FIRM_SIZE: f32 = 30.0;
const FOOT_SIZE: f32 = 26.0;
/// Baseline of the footer lines.
const FOOT_BASELINE: f32 = 571.0;

/// The faces of all pictures, parsed once.
static FACES: LazyLock<Result<Faces, UnreadableFace>> =
    LazyLock::new(|| Ok(Faces { title: Face::parse(TITLE_FACE)?, interface: Face::parse(INTERFACE_FACE)? }));

struct Faces {
    title: Face,
    interface: Face,
}

impl Faces {
    fn read() -> Result<&'static Self, RenderError> {
        FACES.as_ref().map_err(unreadable)
    }
}

/// The rasterised glyphs that all pictures of a build share.
struct FaceGlyphs {
    title: Glyphs<'static>,
    interface: Glyphs<'static>,
}

/// The text of a page's picture.
#[derive(Clone, Debug)]
pub(super) struct ShareCard {
    pub(super) locale: Locale,
    pub(super) path: String,
    pub(super) title: String,
    /// Subject and date in a few words; may be empty.
    pub(super) label: String,
}

/// The share pictures of a site without one picture for all pages.
pub(super) struct SharePictures<'a> {
    site: &'a Site,
    colours: Palette,
    logo: Option<&'a Attachment>,
    /// The common part of a locale's pictures, drawn with the first of them.
    grounds: PerLocale<OnceLock<Ground>>,
    glyphs: OnceLock<FaceGlyphs>,
    /// A digest of the common part.
    digest: [u8; 32],
}

impl<'a> SharePictures<'a> {
    pub(super) fn new(site: &'a Site, colours: Palette) -> Self {
        let logo = site.files.iter().find(|file| file.path == site.settings.firm.logo);
        let mut digest = Sha256::new();
        digest.update(format!("{RECIPE}\n{colours:?}\n{}\n", logo.map_or("", |logo| &logo.fingerprint)));
        digest.update(TITLE_FACE);
        digest.update(INTERFACE_FACE);
        Self {
            site,
            colours,
            logo,
            grounds: PerLocale { en: OnceLock::new(), tr: OnceLock::new() },
            glyphs: OnceLock::new(),
            digest: digest.finalize().into(),
        }
    }

    /// Returns the picture as pages describe it.
    pub(super) fn view(&self, card: &ShareCard) -> PictureView {
        let (url, alt) = (self.site.absolute(&self.path(card)), card.title.clone());
        PictureView { url, width: WIDTH, height: HEIGHT, alt }
    }

    /// Returns the public path of a picture. The digest covers the page's path, so no two pages share a picture.
    pub(super) fn path(&self, card: &ShareCard) -> String {
        let ShareCard { locale, path, title, label } = card;
        let firm = &self.site.settings.firm.name[*locale];
        let texts = [self.site.url(), firm, path, title, label].join("\n");
        let digest = Sha256::new().chain_update(self.digest).chain_update(texts).finalize();
        format!("{}/share.{}.png", routes::ASSETS, hex::encode(&digest[..8]))
    }

    pub(super) fn draw(&self, card: &ShareCard) -> Result<Vec<u8>, RenderError> {
        let faces = Faces::read()?;
        let ground = &self.grounds[card.locale];
        let ground = if let Some(ground) = ground.get() {
            ground
        } else {
            let drawn = self.ground(card.locale, &faces.interface)?;
            ground.get_or_init(|| drawn)
        };
        let new = || FaceGlyphs { title: Glyphs::new(&faces.title), interface: Glyphs::new(&faces.interface) };
        Ok(self.draw_words(ground, card, faces, self.glyphs.get_or_init(new)))
    }

    /// Draws the common part of a locale's pictures: colours, logo, the firm's name and address.
    fn ground(&self, locale: Locale, interface: &Face) -> Result<Ground, RenderError> {
        let Palette { scheme: Scheme { accent, ink, paper }, muted, rule, .. } = self.colours;
        let mut ground = Pixmap::new(WIDTH, HEIGHT).ok_or_else(|| unreadable("no picture"))?;
        drawing::draw(
            &mut ground,
            &drawing_of(&format!(
                "<rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"{paper}\"/><rect width=\"{WIDTH}\" height=\"10\" fill=\"{accent}\"/>\
                 <rect x=\"{LEFT}\" y=\"520\" width=\"{MEASURE}\" height=\"1.5\" fill=\"{rule}\"/>"
            )),
        );
        let logo = match self.logo {
            Some(logo) => {
                let bytes = self.site.attachment(logo)?;
                let ending = markdown::published_ending(&logo.file).unwrap_or_default();
                drawing::draw_picture(&mut ground, &bytes, ending, LOGO)
            }
            None => None,
        };
        let left = logo.map_or(LEFT, |width| LEFT + width + 20.0);
        let firm = &self.site.settings.firm.name[locale];
        let firm = cut(interface, FIRM_SIZE, LEFT + MEASURE - left, drawable(interface, firm));
        let mut text = String::new();
        push_line(&mut text, (left, 104.0), (INTERFACE_FAMILY, FIRM_SIZE), &accent.to_string(), &firm);
        let host = self.site.url().split_once("://").map_or(self.site.url(), |(_, host)| host);
        let right = LEFT + MEASURE - interface.width(FOOT_SIZE, host);
        push_line(&mut text, (right, FOOT_BASELINE), (INTERFACE_FAMILY, FOOT_SIZE), &muted.to_string(), host);
        drawing::draw(&mut ground, &drawing_of(&text));
        Ok(Ground::new(WIDTH as usize, ground.data(), paper.parts(), [ink, muted].map(Colour::parts)))
    }

    /// Draws the text of a picture on its ground. A text with characters missing in the faces is left out; a title is
    /// replaced by the short name of the firm.
    fn draw_words(&self, ground: &Ground, card: &ShareCard, faces: &Faces, glyphs: &FaceGlyphs) -> Vec<u8> {
        let title = [&card.title, &self.site.settings.firm.short_name].into_iter().find(|title| faces.title.has(title));
        let SetTitle { size, lines } = lay_out_title(&faces.title, title.map_or("", |title| title));
        #[expect(clippy::cast_precision_loss, reason = "a title has a few lines")]
        let baseline = |number: usize| {
            let height = size * 1.2;
            190.0 + (310.0 - height * lines.len() as f32) / 2.0 + size * 0.95 + height * number as f32
        };
        let host = faces.interface.width(FOOT_SIZE, self.site.url());
        let label = cut(&faces.interface, FOOT_SIZE, MEASURE - host, drawable(&faces.interface, &card.label));
        let title = lines.iter().enumerate().map(|(number, text)| TextLine {
            glyphs: &glyphs.title,
            size,
            left: LEFT,
            baseline: baseline(number),
            ink: Ink::Strong,
            text,
        });
        let label = TextLine {
            glyphs: &glyphs.interface,
            size: FOOT_SIZE,
            left: LEFT,
            baseline: FOOT_BASELINE,
            ink: Ink::Muted,
            text: &label,
        };
        ground.draw(&title.chain([label]).collect::<Vec<_>>())
    }
}

/// Returns the error for an embedded resource that cannot be used.
fn unreadable(error: impl std::fmt::Display) -> RenderError {
    RenderError::Inconsistent(Text::verbatim(error))
}

/// Returns a drawing with the picture's size.
fn drawing_of(inside: &str) -> String {
    format!("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{HEIGHT}\">{inside}</svg>")
}

/// Adds a line of text at the point `(left, baseline)`.
fn push_line(out: &mut String, (left, baseline): (f32, f32), (family, size): (&str, f32), colour: &str, text: &str) {
    let text = escape(text);
    let _ = write!(
        out,
        "<text x=\"{left}\" y=\"{baseline}\" font-family=\"{family}\" font-size=\"{size}\" fill=\"{colour}\">{text}</text>"
    );
}

/// Returns the text if the face has all its characters, otherwise an empty one.
fn drawable<'t>(face: &Face, text: &'t str) -> &'t str {
    if face.has(text) { text } else { "" }
}

fn lay_out_title(face: &Face, title: &str) -> SetTitle {
    set_title(face, &with_nbsp(title), &SIZES, MEASURE)
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

    use super::*;

    /// Returns the title of every text in a folder.
    fn titles(folder: &Path, titles: &mut Vec<String>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                self::titles(&path, titles);
            } else if path.extension().is_some_and(|ending| ending == "md") {
                let text = fs::read_to_string(path).unwrap();
                let title = text.lines().find_map(|line| line.strip_prefix("title: ").or(line.strip_prefix("name: ")));
                titles.extend(title.map(str::to_owned));
            }
        }
    }

    #[test]
    fn faces_have_the_letters_of_every_title() {
        const LETTERS: &str = "ABCÇDEFGĞHIİJKLMNOÖPQRSŞTUÜVWXYZabcçdefgğhıijklmnoöpqrsştuüvwxyz0123456789 ÂÎÛâîû \
                               ÄÉÈÊËÑÓØÅÆäéèêëñóøåæßšžčćđłńőřůýþð “”‘’„«»–—…·•§©®€₺£$%&@#/\\()[]{}<>+=*!?.,:;'\"\u{a0}";
        let mut all = vec![LETTERS.to_owned()];
        titles(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../content"), &mut all);
        assert!(all.len() > 100, "{}", all.len());
        for face in [TITLE_FACE, INTERFACE_FACE] {
            let face = Face::parse(face).unwrap();
            for text in &all {
                let missing: String = text.chars().filter(|letter| !face.has(&letter.to_string())).collect();
                assert_eq!(missing, "", "{text}");
                assert!(face.width(FOOT_SIZE, text) > 0.0, "{text}");
            }
        }
    }

    #[test]
    fn title_of_any_length_stays_inside_the_picture() {
        let face = Face::parse(TITLE_FACE).unwrap();
        for title in ["Kira", &"uzun ".repeat(80), &"x".repeat(300), "Avrupa İnsan Hakları Sözleşmesi’nin 6. maddesi"]
        {
            let SetTitle { size, lines } = lay_out_title(&face, title);
            assert!((1..=5).contains(&lines.len()), "{title}: {lines:?}");
            assert!(lines.iter().all(|line| face.width(size, line) <= MEASURE), "{title}: {lines:?}");
        }
    }
}
