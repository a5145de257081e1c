//! The forms (sizes and formats) in which a photograph is published. Their names and sizes follow from the file and its
//! usage, so they are known before the forms are made.

use content::Focus;
use markdown::Size;
use sha2::{Digest as _, Sha256};

use super::file_facts::FileFacts;

/// The settings and libraries that make the forms. Their names depend on it, so that no build reuses forms of another
/// recipe or another version of a library. The same recipe gives the same bytes on one machine. On another machine some
/// bytes may differ, since colours and WebP depend on the C library's `pow` and `log` and on the processor; to compare
/// the builds of two machines, use the forms of one of them.
pub(crate) const RECIPE: &str = "webp m2 q75-2, jpeg q85; by fast_image_resize 6.1.0, image 0.25.10, image-webp 0.2.4, libwebp-sys 0.9.6, moxcms 0.8.1, \
     png 0.18.1, zune-jpeg 0.5.15";

/// The largest form in bytes, except for [`Usage::Shared`]: about a second on a slow connection.
pub const MAX_FORM_BYTES: u64 = 150_000;

/// Widths in pixels for the text column of the theme: 44rem, on screens with one to three pixels per CSS pixel.
const IN_TEXT: [u32; 3] = [480, 800, 1200];
/// Widths in pixels for the frame of a portrait: 10 and 15rem.
const IN_FRAME: [u32; 2] = [240, 480];
/// Width and height of the frame of a portrait, in proportion.
const FRAME: (u32, u32) = (5, 6);
/// Width in pixels for [`Usage::Shared`].
const SHARED: u32 = 1200;

/// The usual place of a face.
const FACE: Focus = Focus { x: 50, y: 35 };

/// The place where a picture is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Usage {
    /// In a text, or as the logo.
    Text,
    /// In the frame of a portrait, with the point that must stay visible.
    Portrait(Option<Focus>),
    /// On other sites, beside a link to a page.
    Shared,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PhotographForm {
    /// Public path.
    pub path: String,
    /// Width and height in pixels.
    pub size: Size,
}

/// The forms of a photograph, with the instructions to make them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Photograph {
    /// Sorted by width, the narrowest first; never empty.
    pub forms: Vec<PhotographForm>,
    /// The part of the upright picture that the forms show: left edge, upper edge, and size.
    pub part: (u32, u32, Size),
    /// Exif orientation (Exif 2.3, 4.6.4), from 1 to 8.
    pub orientation: u8,
}

/// The greatest height of a form in pixels; a higher picture is made narrower.
const MAX_FORM_HEIGHT: u64 = 3_600;

/// Returns the forms of a picture for a usage, or `None` if the file is published unchanged.
pub(super) fn of(facts: &FileFacts, ending: &str, stem: &str, usage: Usage) -> Option<Photograph> {
    let whole = facts.size.filter(|_| is_convertible(ending))?;
    let (widths, part): (&[u32], _) = match usage {
        Usage::Text => (&IN_TEXT, (0, 0, whole)),
        Usage::Portrait(focus) => (&IN_FRAME, crop_to_frame(whole, focus.unwrap_or(FACE))),
        Usage::Shared => (&[SHARED], (0, 0, whole)),
    };
    let widest = widths.last().copied().unwrap_or_default();
    let is_small = match usage {
        Usage::Shared => whole.width <= 2 * SHARED,
        _ => whole.width <= widest && facts.bytes <= MAX_FORM_BYTES,
    };
    if is_small && !facts.has_notes && !matches!(usage, Usage::Portrait(Some(_))) {
        return None;
    }
    let digest = Sha256::digest(format!("{RECIPE}\n{}\n{part:?}", facts.fingerprint));
    let fingerprint = hex::encode(&digest[..8]);
    let ending = if usage == Usage::Shared { "jpg" } else { "webp" };
    let form = |width: u32| {
        let (across, down) = (u64::from(part.2.width), u64::from(part.2.height));
        let height = ((down * u64::from(width) + across / 2) / across).max(1);
        let dash = if stem.is_empty() { "" } else { "-" };
        let path = format!("{}/{stem}{dash}{width}.{fingerprint}.{ending}", contract::routes::ASSETS);
        PhotographForm { path, size: Size { width, height: u32::try_from(height).unwrap_or(u32::MAX) } }
    };
    // A very high form is large in bytes, and WebP allows at most 16,383 pixels.
    let highest = u64::from(part.2.width) * MAX_FORM_HEIGHT / u64::from(part.2.height).max(1);
    let largest = part.2.width.min(u32::try_from(highest).unwrap_or(u32::MAX).max(1));
    let narrower = widths.iter().copied().filter(|width| *width < largest);
    let own = Some(largest).filter(|width| *width <= widest);
    Some(Photograph { forms: narrower.chain(own).map(form).collect(), part, orientation: facts.orientation })
}

/// Returns whether pictures with this ending are decoded and encoded again.
pub(crate) fn is_convertible(ending: &str) -> bool {
    matches!(ending, "jpg" | "png" | "webp")
}

/// Returns the largest part of a picture with the proportions of the frame and with `focus` as close to its middle as
/// possible.
fn crop_to_frame(whole: Size, focus: Focus) -> (u32, u32, Size) {
    let (across, down) = FRAME;
    let narrow = u64::from(whole.width) * u64::from(down) > u64::from(whole.height) * u64::from(across);
    let part =
        |side: u32, by: u32, of: u32| u32::try_from(u64::from(side) * u64::from(by) / u64::from(of)).unwrap_or(1);
    let size = if narrow {
        Size { width: part(whole.height, across, down).max(1), height: whole.height }
    } else {
        Size { width: whole.width, height: part(whole.width, down, across).clamp(1, whole.height) }
    };
    let start = |side: u32, visible: u32, at: u8| {
        part(side, u32::from(at), 100).saturating_sub(visible / 2).min(side - visible)
    };
    (start(whole.width, size.width, focus.x), start(whole.height, size.height, focus.y), size)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(width: u32, height: u32, bytes: u64, has_notes: bool) -> FileFacts {
        let size = Some(Size { width, height });
        FileFacts { bytes, fingerprint: "0".repeat(16), size, has_notes, ..FileFacts::default() }
    }

    fn sizes(facts: &FileFacts, usage: Usage) -> Option<Vec<(u32, u32)>> {
        let photograph = of(facts, "jpg", "a", usage)?;
        Some(photograph.forms.into_iter().map(|form| (form.size.width, form.size.height)).collect())
    }

    #[test]
    fn forms_of_a_photograph_depend_on_its_usage() {
        let phone = facts(6000, 4000, 6_000_000, true);
        assert_eq!(sizes(&phone, Usage::Text), Some(vec![(480, 320), (800, 533), (1200, 800)]));
        assert_eq!(sizes(&phone, Usage::Portrait(None)), Some(vec![(240, 288), (480, 576)]));
        assert_eq!(sizes(&phone, Usage::Shared), Some(vec![(1200, 800)]));
        // No form is larger than the original.
        assert_eq!(
            sizes(&facts(900, 600, 300_000, false), Usage::Text),
            Some(vec![(480, 320), (800, 533), (900, 600)])
        );
        assert_eq!(sizes(&facts(3, 2, 900, true), Usage::Text), Some(vec![(3, 2)]));
    }

    #[test]
    fn small_picture_without_metadata_is_published_unchanged() {
        let small = facts(1200, 630, 150_000, false);
        assert_eq!(sizes(&small, Usage::Text), None);
        assert_eq!(sizes(&small, Usage::Shared), None);
        assert!(sizes(&FileFacts { has_notes: true, ..small.clone() }, Usage::Text).is_some());
        assert!(sizes(&FileFacts { bytes: 150_001, ..small.clone() }, Usage::Text).is_some());
        assert_eq!(sizes(&facts(240, 288, 9_000, false), Usage::Portrait(None)), None);
        assert!(sizes(&facts(240, 288, 9_000, false), Usage::Portrait(Some(Focus { x: 0, y: 0 }))).is_some());
        assert!(of(&small, "svg", "a", Usage::Text).is_none() && of(&small, "avif", "a", Usage::Text).is_none());
    }

    #[test]
    fn cropped_part_contains_the_focus_and_stays_within_the_picture() {
        let whole = Size { width: 6000, height: 4000 };
        let part = |x, y| crop_to_frame(whole, Focus { x, y });
        assert_eq!(part(50, 35), (1334, 0, Size { width: 3333, height: 4000 }));
        assert_eq!(part(0, 0).0, 0);
        assert_eq!(part(100, 100).0 + 3333, 6000);
        let tall = Size { width: 1000, height: 3000 };
        assert_eq!(crop_to_frame(tall, Focus { x: 50, y: 35 }), (0, 450, Size { width: 1000, height: 1200 }));
        assert_eq!(crop_to_frame(tall, Focus { x: 50, y: 100 }), (0, 1800, Size { width: 1000, height: 1200 }));
        for size in [Size { width: 1, height: 9000 }, Size { width: 9000, height: 1 }, Size { width: 1, height: 1 }] {
            let (left, top, part) = crop_to_frame(size, FACE);
            assert!(part.width >= 1 && part.height >= 1, "{size:?}");
            assert!(left + part.width <= size.width && top + part.height <= size.height, "{size:?}");
        }
    }

    #[test]
    fn name_of_a_form_depends_on_content_and_usage() {
        let path = |facts: &FileFacts, usage| of(facts, "jpg", "a", usage).unwrap().forms[0].path.clone();
        let phone = facts(6000, 4000, 6_000_000, true);
        let other = FileFacts { fingerprint: "1".repeat(16), ..phone.clone() };
        let (left, right) = (Some(Focus { x: 10, y: 50 }), Some(Focus { x: 90, y: 50 }));
        assert_ne!(path(&phone, Usage::Text), path(&other, Usage::Text));
        assert_ne!(path(&phone, Usage::Portrait(left)), path(&phone, Usage::Portrait(right)));
        assert!(path(&phone, Usage::Text).starts_with("/assets/a-480."));
    }

    #[test]
    fn recipe_names_the_libraries_that_are_built_in() {
        let lock = include_str!("../../../Cargo.lock");
        let (_, libraries) = RECIPE.split_once("; by ").unwrap();
        for library in libraries.split(", ") {
            let (name, version) = library.split_once(' ').unwrap();
            assert!(lock.contains(&format!("name = \"{name}\"\nversion = \"{version}\"\n")), "{library}");
        }
    }
}
