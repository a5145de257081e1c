//! The site's icon as pixels, at the fixed paths that programs request without a link.

use std::io;

use contract::{manifest::Class, media, routes};
use findings::messages::Text;
use image::{
    ExtendedColorType, RgbaImage,
    codecs::ico::{IcoEncoder, IcoFrame},
};
use resvg::tiny_skia::{Color, Pixmap};

use super::{
    Plan, RenderError,
    drawing::{self, PictureArea},
    output::{Output, VariantDraft},
};

/// Sizes in pixels inside the `.ico` file: for tabs, for tabs on dense screens, and for the desktop.
const SIZES: [u32; 3] = [16, 32, 48];
/// Size in pixels of the icon on a phone's home screen.
const TOUCH_SIZE: u32 = 180;
/// Margin in pixels on each side, because some devices round the corners.
const TOUCH_MARGIN: f32 = 14.0;

/// Renders both icons; none if the icon cannot be drawn. Pages still link to the original.
pub(super) fn icons(plan: &Plan) -> Result<Output, RenderError> {
    let mut output = Output::default();
    let Some((bytes, ending)) = icon(plan)? else { return Ok(output) };
    let drawn = |size: u32, margin: f32, ground: Color| {
        #[expect(clippy::cast_precision_loss, reason = "an icon is small")]
        let side = size as f32 - 2.0 * margin;
        let mut icon = Pixmap::new(size, size)?;
        icon.fill(ground);
        drawing::draw_picture(
            &mut icon,
            &bytes,
            ending,
            PictureArea { left: margin, top: margin, width: side, height: side },
        )?;
        Some(icon)
    };
    let failed = |error: &dyn std::fmt::Display| RenderError::Inconsistent(Text::verbatim(error));
    let sizes: Option<Vec<Pixmap>> = SIZES.into_iter().map(|size| drawn(size, 0.0, Color::TRANSPARENT)).collect();
    if let Some(sizes) = sizes {
        let ico = ico(sizes).map_err(|error| failed(&error))?;
        output.push(routes::FAVICON, Class::Text, media::ICON, ico, VariantDraft::default());
    }
    let [red, green, blue] = plan.look.palette.scheme.paper.parts();
    if let Some(touch) = drawn(TOUCH_SIZE, TOUCH_MARGIN, Color::from_rgba8(red, green, blue, u8::MAX)) {
        let touch = drawing::png(&touch).map_err(|error: io::Error| failed(&error))?;
        output.push(routes::TOUCH_ICON, Class::Text, media::PNG, touch, VariantDraft::default());
    }
    Ok(output)
}

/// Returns the icon of the site or of the theme, with its file extension.
fn icon<'p>(plan: &'p Plan) -> Result<Option<(Vec<u8>, &'p str)>, RenderError> {
    let path = plan.look.icon();
    let own = plan.site.files.iter().find(|file| file.path == path);
    let bytes = match own {
        Some(file) => Some(plan.site.attachment(file)?),
        None => plan.look.assets.values().find(|asset| asset.path == path).map(|asset| asset.bytes.clone()),
    };
    // A large picture is published in another format than its own file.
    let ending = own.map_or(path, |file| &file.file).rsplit('.').next().unwrap_or_default();
    Ok(bytes.map(|bytes| (bytes, ending)))
}

fn ico(sizes: Vec<Pixmap>) -> image::ImageResult<Vec<u8>> {
    let frame = |icon: Pixmap| {
        let (width, height) = (icon.width(), icon.height());
        let pixels = RgbaImage::from_raw(width, height, icon.take_demultiplied()).unwrap_or_default();
        IcoFrame::as_png(&pixels, width, height, ExtendedColorType::Rgba8)
    };
    let frames: Vec<IcoFrame> = sizes.into_iter().map(frame).collect::<Result<_, _>>()?;
    let mut bytes = Vec::new();
    IcoEncoder::new(&mut bytes).encode_images(&frames)?;
    Ok(bytes)
}
