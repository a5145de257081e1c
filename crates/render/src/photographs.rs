//! Photographs in the forms in which they are published: upright, small, in the colours of the web, and without
//! anything but their pixels.

use std::{
    fmt::Display,
    io::Cursor,
    sync::{Condvar, Mutex, PoisonError},
};

use fast_image_resize::Resizer;
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
use site::{MAX_FORM_BYTES, Photograph, PictureForm};
use webp::{Encoder, WebPConfig};

/// Memory in bytes for pictures that are decoded at the same time. One that needs more has it to itself.
const MAX_DECODED_BYTES: u64 = 384 << 20;
/// Memory in bytes that a decoder may use for one picture.
const MAX_DECODER_BYTES: u64 = 1 << 30;
/// Qualities of a form, the best first: the first one with which it is small enough is taken. A lower one than the last
/// saves nothing more, so a picture of pure noise, which no camera makes, stays larger (245 kB at 1200 by 800 pixels).
const QUALITIES: [f32; 4] = [75.0, 45.0, 20.0, 2.0];
/// Effort of the encoder, from 0 to 6. More saves a few per cent and takes twice as long.
const METHOD: i32 = 2;
/// Quality of a picture that other sites show, which they compress once more.
const SHARED_QUALITY: u8 = 85;

/// Why a picture cannot be prepared.
#[derive(Debug)]
pub(super) struct Unusable(pub(super) Text);

impl Unusable {
    fn new(reason: impl Display) -> Self {
        Self(Text::verbatim(reason))
    }
}

/// Returns the bytes of each form of a picture with the given file ending.
///
/// # Errors
/// When the picture is damaged or animated, or too large for the memory of a build.
pub(super) fn prepare(
    bytes: &[u8],
    ending: &str,
    photograph: &Photograph,
    memory: &Memory,
) -> Result<Vec<Vec<u8>>, Unusable> {
    let input = Cursor::new(bytes);
    let animated = || Unusable(messages::photograph_animated());
    let mut picture = match ending {
        "jpg" => shrunk(JpegDecoder::new(input).map_err(Unusable::new)?, photograph, memory)?,
        "png" => {
            let decoder = PngDecoder::new(input).map_err(Unusable::new)?;
            if decoder.is_apng().map_err(Unusable::new)? {
                return Err(animated());
            }
            shrunk(decoder, photograph, memory)?
        }
        _ => {
            let decoder = WebPDecoder::new(input).map_err(Unusable::new)?;
            if decoder.has_animation() {
                return Err(animated());
            }
            shrunk(decoder, photograph, memory)?
        }
    };
    // The widest form is made from the picture itself, each of the others from the one before.
    let mut made = Vec::with_capacity(photograph.forms.len());
    for form in photograph.forms.iter().rev() {
        picture = resized(picture, form.size.width, form.size.height)?;
        made.push(if form.path.ends_with(".jpg") { jpeg(&picture)? } else { webp(&picture)? });
    }
    made.reverse();
    Ok(made)
}

/// Returns a portrait as a JPEG for an address book; `None` if it cannot be decoded, which is reported where its forms
/// are made.
pub(super) fn for_card(bytes: &[u8], ending: &str, photograph: &Photograph, memory: &Memory) -> Option<Vec<u8>> {
    let size = photograph.forms.first()?.size;
    let forms = vec![PictureForm { path: "card.jpg".to_owned(), size }];
    prepare(bytes, ending, &Photograph { forms, ..photograph.clone() }, memory).ok()?.pop()
}

/// Returns the part of a picture that is shown, upright and as large as the widest form.
fn shrunk(mut decoder: impl ImageDecoder, photograph: &Photograph, memory: &Memory) -> Result<DynamicImage, Unusable> {
    let mut limits = Limits::default();
    limits.max_alloc = Some(MAX_DECODER_BYTES);
    decoder.set_limits(limits).map_err(Unusable::new)?;
    let profile = decoder.icc_profile().ok().flatten();
    let (width, height) = decoder.dimensions();
    // A progressive JPEG is decoded from coefficients that take as much memory as its pixels.
    let share = memory.take(decoder.total_bytes().saturating_mul(2));
    let picture = decoded(decoder, memory)?;
    let (left, top, part) = photograph.part;
    let shown = photograph.forms.last().map_or(part, |form| form.size);
    let scaled = |side: u32| {
        let side = (u64::from(side) * u64::from(shown.width) + u64::from(part.width) / 2) / u64::from(part.width);
        u32::try_from(side).unwrap_or(u32::MAX)
    };
    // Turning is quicker when the picture is small.
    let orientation = Orientation::from_exif(photograph.orientation).unwrap_or(Orientation::NoTransforms);
    let is_on_its_side = photograph.orientation >= 5;
    let (across, down) = if is_on_its_side { (shown.height, shown.width) } else { (shown.width, shown.height) };
    let (across, down) = (scaled(width).max(across), scaled(height).max(down));
    let mut picture = if (width, height) == (across, down) {
        picture
    } else {
        let smaller = smaller(&picture, across, down)?;
        memory.keep(picture);
        smaller
    };
    drop(share);
    picture.apply_orientation(orientation);
    let left = scaled(left).min(picture.width() - shown.width);
    let top = scaled(top).min(picture.height() - shown.height);
    Ok(in_colours_of_the_web(picture.crop_imm(left, top, shown.width, shown.height), profile.as_deref()))
}

/// Returns the pixels of a picture; those of a photograph in memory that another one had before.
///
/// Security: the memory is emptied first. What a decoder leaves out must not show another picture, which may be a
/// draft.
fn decoded(decoder: impl ImageDecoder, memory: &Memory) -> Result<DynamicImage, Unusable> {
    if decoder.color_type() != ColorType::Rgb8 {
        return DynamicImage::from_decoder(decoder).map_err(Unusable::new);
    }
    let (width, height) = decoder.dimensions();
    let mut pixels = memory.kept();
    pixels.clear();
    pixels.resize(usize::try_from(decoder.total_bytes()).map_err(Unusable::new)?, 0);
    decoder.read_image(&mut pixels).map_err(Unusable::new)?;
    let picture = RgbImage::from_raw(width, height, pixels).map(DynamicImage::from);
    picture.ok_or_else(|| Unusable(messages::photograph_incomplete()))
}

fn resized(picture: DynamicImage, width: u32, height: u32) -> Result<DynamicImage, Unusable> {
    if (picture.width(), picture.height()) == (width, height) { Ok(picture) } else { smaller(&picture, width, height) }
}

fn smaller(picture: &DynamicImage, width: u32, height: u32) -> Result<DynamicImage, Unusable> {
    let mut smaller = DynamicImage::new(width, height, picture.color());
    Resizer::new().resize(picture, &mut smaller, None).map_err(Unusable::new)?;
    Ok(smaller)
}

/// Returns the picture in eight bits and sRGB: the profile that says what its colours are is not published. A profile
/// that cannot be read, or is not of red, green and blue, is left out of account.
fn in_colours_of_the_web(picture: DynamicImage, profile: Option<&[u8]>) -> DynamicImage {
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

fn webp(picture: &DynamicImage) -> Result<Vec<u8>, Unusable> {
    let (width, height) = (picture.width(), picture.height());
    let pixels = picture.as_bytes();
    let encoder = if picture.color().has_alpha() {
        Encoder::from_rgba(pixels, width, height)
    } else {
        Encoder::from_rgb(pixels, width, height)
    };
    let mut config = WebPConfig::new().map_err(|()| Unusable(messages::encoder_not_started()))?;
    config.method = METHOD;
    let mut made = Vec::new();
    for quality in QUALITIES {
        config.quality = quality;
        let form =
            encoder.encode_advanced(&config).map_err(|error| Unusable(Text::verbatim(format_args!("{error:?}"))))?;
        made = form.to_vec();
        if made.len() as u64 <= MAX_FORM_BYTES {
            break;
        }
    }
    Ok(made)
}

fn jpeg(picture: &DynamicImage) -> Result<Vec<u8>, Unusable> {
    let mut made = Vec::new();
    let encoder = JpegEncoder::new_with_quality(&mut made, SHARED_QUALITY);
    picture.to_rgb8().write_with_encoder(encoder).map_err(Unusable::new)?;
    Ok(made)
}

/// The memory for pictures that are being decoded.
#[derive(Debug, Default)]
pub(super) struct Memory {
    used: Mutex<u64>,
    freed: Condvar,
    /// The memory of pixels that are done with: asking the system for as much each time takes its time.
    pixels: Mutex<Vec<Vec<u8>>>,
}

/// A share of the memory, until it is dropped.
#[derive(Debug)]
struct Share<'m> {
    memory: &'m Memory,
    bytes: u64,
}

impl Memory {
    /// Waits until there is room for `bytes`.
    fn take(&self, bytes: u64) -> Share<'_> {
        let used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        let is_full = |used: &mut u64| *used > 0 && used.saturating_add(bytes) > MAX_DECODED_BYTES;
        let mut used = self.freed.wait_while(used, is_full).unwrap_or_else(PoisonError::into_inner);
        *used = used.saturating_add(bytes);
        Share { memory: self, bytes }
    }

    /// Keeps the memory of a picture for the next one.
    fn keep(&self, picture: DynamicImage) {
        if let DynamicImage::ImageRgb8(picture) = picture {
            self.pixels.lock().unwrap_or_else(PoisonError::into_inner).push(picture.into_raw());
        }
    }

    /// Returns memory that was kept, or none.
    fn kept(&self) -> Vec<u8> {
        self.pixels.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default()
    }
}

impl Drop for Share<'_> {
    fn drop(&mut self) {
        let mut used = self.memory.used.lock().unwrap_or_else(PoisonError::into_inner);
        *used = used.saturating_sub(self.bytes);
        self.memory.freed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;

    /// A decoder that says it has read a picture, and left out everything.
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
    fn memory_of_a_picture_shows_nothing_of_the_one_before() {
        let memory = Memory::default();
        memory.keep(DynamicImage::from(RgbImage::from_pixel(4, 4, image::Rgb([9, 9, 9]))));
        assert!(decoded(Silent, &memory).unwrap().as_bytes().iter().all(|byte| *byte == 0));
        assert!(memory.kept().is_empty(), "the memory was used");
    }

    #[test]
    fn pictures_in_memory_wait_for_each_other() {
        let (memory, now, most) = (Memory::default(), AtomicU64::new(0), AtomicU64::new(0));
        let bytes = MAX_DECODED_BYTES / 3;
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let _share = memory.take(bytes);
                    most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                    std::thread::yield_now();
                    now.fetch_sub(1, Ordering::SeqCst);
                });
            }
        });
        assert!((1..=3).contains(&most.into_inner()));
        // One that needs more than there is comes alone.
        drop(memory.take(2 * MAX_DECODED_BYTES));
        assert_eq!(*memory.used.lock().unwrap(), 0);
    }
}
