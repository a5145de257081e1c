//! Renders drawings (SVG) as pixels, for programs that cannot show SVG.

use std::{
    collections::HashMap,
    io,
    sync::{Arc, LazyLock},
};

use image::imageops::FilterType;
use resvg::{
    tiny_skia::{ColorU8, Pixmap, PixmapPaint, PremultipliedColorU8, Transform},
    usvg::{ImageHrefResolver, Options, Tree, fontdb::Database},
};

/// The face of titles. Both faces cover all languages in Latin script.
pub(super) const TITLE_FACE: &[u8] = include_bytes!("../fonts/literata.ttf");
/// The face of all other text.
pub(super) const INTERFACE_FACE: &[u8] = include_bytes!("../fonts/inter.ttf");
/// The family name of [`TITLE_FACE`] in drawings.
const TITLE_FAMILY: &str = "Literata";
/// The family name of [`INTERFACE_FACE`] in drawings.
pub(super) const INTERFACE_FAMILY: &str = "Inter";

/// The faces of all drawings. Fonts of the build machine would give different bytes.
static FACES: LazyLock<Arc<Database>> = LazyLock::new(|| {
    let mut faces = Database::new();
    faces.load_font_data(TITLE_FACE.to_vec());
    faces.load_font_data(INTERFACE_FACE.to_vec());
    faces.set_serif_family(TITLE_FAMILY);
    faces.set_sans_serif_family(INTERFACE_FAMILY);
    Arc::new(faces)
});

/// An area of a picture, in pixels.
#[derive(Clone, Copy, Debug)]
pub(super) struct PictureArea {
    pub(super) left: f32,
    pub(super) top: f32,
    pub(super) width: f32,
    pub(super) height: f32,
}

/// Parses a drawing.
///
/// Security: references to files are not followed, so a drawing cannot include a file of the build machine.
fn parse_drawing(drawing: &[u8]) -> Option<Tree> {
    let options = Options {
        font_family: INTERFACE_FAMILY.to_owned(),
        fontdb: Arc::clone(&FACES),
        image_href_resolver: ImageHrefResolver {
            resolve_data: ImageHrefResolver::default_data_resolver(),
            resolve_string: Box::new(|_, _| None),
        },
        ..Options::default()
    };
    Tree::from_data(drawing, &options).ok()
}

/// Draws a drawing of the same size onto the picture.
pub(super) fn draw(picture: &mut Pixmap, drawing: &str) {
    if let Some(tree) = parse_drawing(drawing.as_bytes()) {
        resvg::render(&tree, Transform::identity(), &mut picture.as_mut());
    }
}

/// Draws another picture, of a file with this extension, as large as `place` allows: aligned left and centred
/// vertically. Returns its width, or `None` if it cannot be read.
pub(super) fn draw_picture(picture: &mut Pixmap, bytes: &[u8], ending: &str, place: PictureArea) -> Option<f32> {
    let fitting = |width: f32, height: f32| {
        let scale = (place.width / width).min(place.height / height);
        (scale, place.top + (place.height - scale * height) / 2.0)
    };
    if ending == "svg" {
        // Security: a few lines can overflow the library's stack, or draw millions of shapes.
        let tree = parse_drawing(site::drawable(bytes).ok()?.as_bytes())?;
        let (width, height) = (tree.size().width(), tree.size().height());
        let (scale, top) = fitting(width, height);
        // Clips the drawing at its own edges, as a browser does.
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a place is inside the picture")]
        let mut drawn = Pixmap::new((scale * width).ceil().max(1.0) as u32, (scale * height).ceil().max(1.0) as u32)?;
        resvg::render(&tree, Transform::from_scale(scale, scale), &mut drawn.as_mut());
        paste(picture, &drawn, (place.left, top));
        return Some(scale * width);
    }
    let decoded = image::load_from_memory(bytes).ok()?;
    #[expect(clippy::cast_sign_loss, reason = "a place has a width and a height")]
    let decoded = decoded.resize(place.width as u32, place.height as u32, FilterType::Lanczos3).to_rgba8();
    let mut pixels = Pixmap::new(decoded.width(), decoded.height())?;
    for (pixel, image::Rgba([red, green, blue, alpha])) in pixels.pixels_mut().iter_mut().zip(decoded.pixels()) {
        *pixel = ColorU8::from_rgba(*red, *green, *blue, *alpha).premultiply();
    }
    #[expect(clippy::cast_precision_loss, reason = "a picture is smaller than its place")]
    let (width, height) = (decoded.width() as f32, decoded.height() as f32);
    let (_, top) = fitting(width.max(place.width), height);
    paste(picture, &pixels, (place.left, top));
    Some(width)
}

/// Draws one picture over another at the given left and upper edge.
fn paste(picture: &mut Pixmap, over: &Pixmap, (left, top): (f32, f32)) {
    #[expect(clippy::cast_possible_truncation, reason = "a place is inside the picture")]
    let (left, top) = (left as i32, top as i32);
    picture.draw_pixmap(left, top, over.as_ref(), &PixmapPaint::default(), Transform::identity(), None);
}

/// Returns an opaque picture as PNG with at most 256 colours, which halves its size; similar colours are merged into
/// the most frequent of them.
pub(super) fn png(picture: &Pixmap) -> io::Result<Vec<u8>> {
    let runs: Vec<&[PremultipliedColorU8]> = picture.pixels().chunk_by(|one, next| one == next).collect();
    let colour = |run: &[PremultipliedColorU8]| [run[0].red(), run[0].green(), run[0].blue()];
    let mut used: HashMap<[u8; 3], usize> = HashMap::new();
    for run in &runs {
        *used.entry(colour(run)).or_default() += run.len();
    }
    let (palette, numbers) = pictures::reduce_palette(used, 256);
    let mut pixels = Vec::with_capacity(picture.pixels().len());
    for run in &runs {
        pixels.resize(pixels.len() + run.len(), numbers.get(&colour(run)).copied().unwrap_or_default());
    }
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, picture.width(), picture.height());
    encoder.set_color(png::ColorType::Indexed);
    encoder.set_palette(palette.as_flattened());
    encoder.set_filter(png::Filter::NoFilter);
    encoder.write_header()?.write_image_data(&pixels)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use resvg::tiny_skia::Color;

    use super::*;

    #[test]
    fn drawing_includes_no_file_of_the_machine() {
        let folder = tempfile::tempdir().unwrap();
        let secret = folder.path().join("secret.svg");
        std::fs::write(
            &secret,
            r#"<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>"#,
        )
        .unwrap();
        let drawing = format!(
            r#"<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><image width="9" height="9" href="{}"/></svg>"#,
            secret.display()
        );
        let mut picture = Pixmap::new(9, 9).unwrap();
        draw(&mut picture, &drawing);
        assert!(picture.data().iter().all(|byte| *byte == 0));
    }

    #[test]
    fn picture_of_many_colours_keeps_its_background_colour() {
        let mut picture = Pixmap::new(300, 300).unwrap();
        picture.fill(Color::from_rgba8(251, 250, 247, 255));
        for (at, pixel) in picture.pixels_mut().iter_mut().take(20_000).enumerate() {
            *pixel = ColorU8::from_rgba((at % 251) as u8, (at % 241) as u8, (at % 239) as u8, 255).premultiply();
        }
        let made = image::load_from_memory(&png(&picture).unwrap()).unwrap().to_rgb8();
        assert_eq!(made.get_pixel(299, 299).0, [251, 250, 247]);
        assert_ne!(made.get_pixel(0, 0), made.get_pixel(120, 0));
    }

    #[test]
    fn picture_of_any_shape_stays_in_its_place() {
        let place = PictureArea { left: 10.0, top: 10.0, width: 40.0, height: 20.0 };
        for (width, height) in [(1, 1), (900, 3), (3, 900), (64, 64)] {
            let drawing = format!(
                r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"><rect width="900" height="900"/></svg>"#
            );
            let mut pixels = Vec::new();
            let photograph = image::RgbaImage::from_pixel(width, height, image::Rgba([0, 0, 0, 255]));
            photograph.write_to(&mut io::Cursor::new(&mut pixels), image::ImageFormat::Png).unwrap();
            for (bytes, ending) in [(drawing.as_bytes(), "svg"), (&pixels, "png")] {
                let mut picture = Pixmap::new(60, 40).unwrap();
                let drawn_width = draw_picture(&mut picture, bytes, ending, place).unwrap();
                assert!(drawn_width <= 40.0, "{width} {height} {ending}");
                let is_inside = |at: usize| (10..50).contains(&(at % 60)) && (10..30).contains(&(at / 60));
                let pixels = picture.pixels().iter().enumerate();
                let drawn: Vec<usize> = pixels.filter(|(_, it)| it.alpha() > 0).map(|(at, _)| at).collect();
                assert!(!drawn.is_empty() && drawn.into_iter().all(is_inside), "{width} {height} {ending}");
            }
        }
        assert_eq!(draw_picture(&mut Pixmap::new(9, 9).unwrap(), b"<svg", "svg", place), None);
        assert_eq!(draw_picture(&mut Pixmap::new(9, 9).unwrap(), b"no picture", "png", place), None);
    }

    #[test]
    fn drawing_just_within_its_bounds_is_drawn_and_one_beyond_is_not() {
        let place = PictureArea { left: 0.0, top: 0.0, width: 180.0, height: 180.0 };
        let drawn = |inside: &str| {
            let text = format!(r#"<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9">{inside}</svg>"#);
            // The stack of a thread of the build.
            let thread = std::thread::Builder::new().stack_size(2 << 20);
            let draw = move || draw_picture(&mut Pixmap::new(180, 180).unwrap(), text.as_bytes(), "svg", place);
            thread.spawn(draw).unwrap().join().unwrap().is_some()
        };
        let shape = r#"<path d="M0 0h9v9z"/>"#;
        // Groups with an effect each, which take the most of the stack.
        let nested = |times: usize| {
            let clip = format!(r#"<clipPath id="c">{shape}</clipPath>"#);
            let group = "<g opacity='.9' clip-path='url(#c)'>";
            format!("{clip}{}{shape}{}", group.repeat(times), "</g>".repeat(times))
        };
        assert!(drawn(&nested(45)) && !drawn(&nested(60)));
        assert!(drawn(&shape.repeat(20_000)) && !drawn(&shape.repeat(25_000)));
    }
}
