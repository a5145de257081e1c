//! Prepares the published forms of photographs: upright, scaled, in sRGB, and without metadata.

use std::{fmt::Display, io::Cursor};

use fast_image_resize::{MulDiv, ResizeOptions, Resizer};
use findings::messages::{self, Text};
use image::{
    ColorType, DynamicImage, ImageDecoder, Limits, RgbImage, RgbaImage,
    codecs::{
        jpeg::{JpegDecoder, JpegEncoder},
        png::PngDecoder,
        webp::WebPDecoder,
    },
    metadata::Orientation,
};
use moxcms::{ColorProfile, DataColorSpace, Layout, TransformOptions};
use pictures::DecodeMemory;
use site::{MAX_FORM_BYTES, Photograph, PhotographForm, decoder_bytes};
use webp::{Encoder, WebPConfig};

/// Memory in bytes for the parts of a PNG before its pixels; the largest profiles have two megabytes.
const MAX_PROFILE_BYTES: u64 = 8 << 20;
/// Memory in bytes that a decoder may use for one picture.
const MAX_DECODER_BYTES: u64 = 1 << 30;
/// Qualities of a form, best first; the first that makes it small enough is used. A lower quality saves nothing more: a
/// picture of pure noise, which no camera makes, stays larger (245 kB at 1200 by 800 pixels).
const QUALITIES: [f32; 4] = [75.0, 45.0, 20.0, 2.0];
/// Encoder effort, from 0 to 6. More saves a few per cent and doubles the time.
const METHOD: i32 = 2;
/// Quality of a share picture, which other sites compress again.
const SHARED_QUALITY: u8 = 85;

/// The reason why a picture cannot be prepared.
#[derive(Debug)]
pub(super) struct UnusablePhotograph(pub(super) Text);

impl UnusablePhotograph {
    fn new(reason: impl Display) -> Self {
        Self(Text::verbatim(reason))
    }
}

/// Returns the bytes of each form of a picture with the file extension `ending`.
///
/// # Errors
/// If the picture is damaged or too large to decode.
pub(super) fn prepare(
    bytes: &[u8],
    ending: &str,
    photograph: &Photograph,
    memory: &DecodeMemory,
) -> Result<Vec<Vec<u8>>, UnusablePhotograph> {
    let input = Cursor::new(bytes);
    let mut picture = match ending {
        "jpg" => {
            let decoder = JpegDecoder::new(input).map_err(UnusablePhotograph::new)?;
            let (width, height) = decoder.dimensions();
            let cost = decoder.total_bytes() + decoder_bytes(bytes, u64::from(width) * u64::from(height));
            shrink(decoder, cost, photograph, memory)?
        }
        "png" => {
            // Security: the profile is unpacked while the header is read, perhaps to a thousand times its size.
            let mut limits = Limits::default();
            limits.max_alloc = Some(MAX_PROFILE_BYTES);
            let decoder = PngDecoder::with_limits(input, limits).map_err(UnusablePhotograph::new)?;
            let cost = 2 * decoder.total_bytes();
            shrink(decoder, cost, photograph, memory)?
        }
        _ => {
            let decoder = WebPDecoder::new(input).map_err(UnusablePhotograph::new)?;
            let cost = 2 * decoder.total_bytes();
            shrink(decoder, cost, photograph, memory)?
        }
    };
    // The widest form is scaled from the picture, each of the others from the one before.
    let mut made = Vec::with_capacity(photograph.forms.len());
    for form in photograph.forms.iter().rev() {
        picture = resize(picture, form.size.width, form.size.height)?;
        made.push(if form.path.ends_with(".jpg") { jpeg(&picture)? } else { webp(&picture)? });
    }
    made.reverse();
    Ok(made)
}

/// Returns a portrait as JPEG for an address book; `None` if it cannot be decoded, which the job of its forms reports.
pub(super) fn card_jpeg(bytes: &[u8], ending: &str, photograph: &Photograph, memory: &DecodeMemory) -> Option<Vec<u8>> {
    let size = photograph.forms.first()?.size;
    let forms = vec![PhotographForm { path: "card.jpg".to_owned(), size }];
    prepare(bytes, ending, &Photograph { forms, ..photograph.clone() }, memory).ok()?.pop()
}

/// Returns the shown part of a picture, upright and as large as the widest form. Decoding takes `cost` bytes.
fn shrink(
    mut decoder: impl ImageDecoder,
    cost: u64,
    photograph: &Photograph,
    memory: &DecodeMemory,
) -> Result<DynamicImage, UnusablePhotograph> {
    let mut limits = Limits::default();
    limits.max_alloc = Some(MAX_DECODER_BYTES);
    decoder.set_limits(limits).map_err(UnusablePhotograph::new)?;
    let profile = decoder.icc_profile().ok().flatten();
    let (width, height) = decoder.dimensions();
    let share = memory.reserve(cost);
    let mut picture = decode(decoder, memory)?;
    let (left, top, part) = photograph.part;
    let largest = photograph.forms.last().map_or(part, |form| form.size);
    let scaled = |side: u32| {
        let side = (u64::from(side) * u64::from(largest.width) + u64::from(part.width) / 2) / u64::from(part.width);
        u32::try_from(side).unwrap_or(u32::MAX)
    };
    // Rotating is faster after scaling.
    let orientation = Orientation::from_exif(photograph.orientation).unwrap_or(Orientation::NoTransforms);
    let is_on_its_side = photograph.orientation >= 5;
    let (across, down) = if is_on_its_side { (largest.height, largest.width) } else { (largest.width, largest.height) };
    let (across, down) = (scaled(width).max(across), scaled(height).max(down));
    let mut picture = if (width, height) == (across, down) {
        picture
    } else {
        let smaller = scale_down(&mut picture, across, down)?;
        if let DynamicImage::ImageRgb8(picture) = picture {
            memory.recycle(picture.into_raw());
        }
        smaller
    };
    drop(share);
    picture.apply_orientation(orientation);
    let left = scaled(left).min(picture.width() - largest.width);
    let top = scaled(top).min(picture.height() - largest.height);
    Ok(to_srgb(picture.crop_imm(left, top, largest.width, largest.height), profile.as_deref()))
}

/// Decodes a picture; a photograph into memory that is reused.
///
/// Security: the memory is zeroed first. A decoder that skips pixels must not reveal an earlier picture, which may be a
/// draft.
fn decode(decoder: impl ImageDecoder, memory: &DecodeMemory) -> Result<DynamicImage, UnusablePhotograph> {
    if decoder.color_type() != ColorType::Rgb8 {
        return DynamicImage::from_decoder(decoder).map_err(UnusablePhotograph::new);
    }
    let (width, height) = decoder.dimensions();
    let mut pixels = memory.reuse_buffer();
    pixels.clear();
    pixels.resize(usize::try_from(decoder.total_bytes()).map_err(UnusablePhotograph::new)?, 0);
    decoder.read_image(&mut pixels).map_err(UnusablePhotograph::new)?;
    let picture = RgbImage::from_raw(width, height, pixels).map(DynamicImage::from);
    picture.ok_or_else(|| UnusablePhotograph(messages::photograph_incomplete()))
}

fn resize(mut picture: DynamicImage, width: u32, height: u32) -> Result<DynamicImage, UnusablePhotograph> {
    if (picture.width(), picture.height()) == (width, height) {
        Ok(picture)
    } else {
        scale_down(&mut picture, width, height)
    }
}

/// Returns a picture in another size. Colours are multiplied by their opacity in place, since the library would do it in
/// a copy of the whole picture.
fn scale_down(picture: &mut DynamicImage, width: u32, height: u32) -> Result<DynamicImage, UnusablePhotograph> {
    let mut smaller = DynamicImage::new(width, height, picture.color());
    let (alpha, has_alpha) = (MulDiv::new(), picture.color().has_alpha());
    if has_alpha {
        alpha.multiply_alpha_inplace(picture).map_err(UnusablePhotograph::new)?;
    }
    let options = ResizeOptions::new().use_alpha(false);
    Resizer::new().resize(&*picture, &mut smaller, &options).map_err(UnusablePhotograph::new)?;
    if has_alpha {
        alpha.divide_alpha_inplace(&mut smaller).map_err(UnusablePhotograph::new)?;
    }
    Ok(smaller)
}

/// Converts a picture to eight bits and sRGB, because its colour profile is not published. Profiles that cannot be read
/// or are not RGB are ignored.
fn to_srgb(picture: DynamicImage, profile: Option<&[u8]>) -> DynamicImage {
    let profile = profile.and_then(|profile| ColorProfile::new_from_slice(profile).ok());
    let profile = profile.filter(|profile| profile.color_space == DataColorSpace::Rgb && picture.color().has_color());
    let has_alpha = picture.color().has_alpha();
    let layout = if has_alpha { Layout::Rgba } else { Layout::Rgb };
    let transform = profile.and_then(|profile| {
        profile.create_transform_8bit(layout, &ColorProfile::new_srgb(), layout, TransformOptions::default()).ok()
    });
    let (width, height) = (picture.width(), picture.height());
    let change = |pixels: Vec<u8>| {
        let mut changed = vec![0; pixels.len()];
        match &transform {
            Some(transform) if transform.transform(&pixels, &mut changed).is_ok() => changed,
            _ => pixels,
        }
    };
    let changed = if has_alpha {
        RgbaImage::from_raw(width, height, change(picture.to_rgba8().into_raw())).map(DynamicImage::from)
    } else {
        RgbImage::from_raw(width, height, change(picture.to_rgb8().into_raw())).map(DynamicImage::from)
    };
    changed.unwrap_or(picture)
}

fn webp(picture: &DynamicImage) -> Result<Vec<u8>, UnusablePhotograph> {
    let (width, height) = (picture.width(), picture.height());
    let pixels = picture.as_bytes();
    let encoder = if picture.color().has_alpha() {
        Encoder::from_rgba(pixels, width, height)
    } else {
        Encoder::from_rgb(pixels, width, height)
    };
    let mut config = WebPConfig::new().map_err(|()| UnusablePhotograph(messages::encoder_not_started()))?;
    config.method = METHOD;
    let mut made = Vec::new();
    for quality in QUALITIES {
        config.quality = quality;
        let form = encoder
            .encode_advanced(&config)
            .map_err(|error| UnusablePhotograph(Text::verbatim(format_args!("{error:?}"))))?;
        made = form.to_vec();
        if made.len() as u64 <= MAX_FORM_BYTES {
            break;
        }
    }
    Ok(made)
}

fn jpeg(picture: &DynamicImage) -> Result<Vec<u8>, UnusablePhotograph> {
    let mut made = Vec::new();
    let encoder = JpegEncoder::new_with_quality(&mut made, SHARED_QUALITY);
    picture.to_rgb8().write_with_encoder(encoder).map_err(UnusablePhotograph::new)?;
    Ok(made)
}

#[cfg(test)]
mod tests {
    use site::MAX_DECODING_BYTES;

    use super::*;

    /// A decoder that reports success without writing pixels.
    struct Silent;

    impl ImageDecoder for Silent {
        fn dimensions(&self) -> (u32, u32) {
            (2, 2)
        }

        fn color_type(&self) -> ColorType {
            ColorType::Rgb8
        }

        fn read_image(self, _: &mut [u8]) -> image::ImageResult<()> {
            Ok(())
        }

        fn read_image_boxed(self: Box<Self>, pixels: &mut [u8]) -> image::ImageResult<()> {
            self.read_image(pixels)
        }
    }

    #[test]
    fn reused_memory_reveals_no_earlier_picture() {
        let memory = DecodeMemory::new(MAX_DECODING_BYTES);
        memory.recycle(vec![9; 48]);
        assert!(decode(Silent, &memory).unwrap().as_bytes().iter().all(|byte| *byte == 0));
        assert!(memory.reuse_buffer().is_empty(), "the memory was used");
    }
}
