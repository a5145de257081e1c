//! Requirements on the variants of a route, individually and together.

use contract::{
    Locale,
    manifest::{Axis, Coding, Variant, is_file_path},
    media::{self, essence},
};

use super::{Files, digest, header_value};

/// Checks that `variants` answer every request along `axis`. The error continues "route …".
pub(super) fn complete(axis: Option<Axis>, variants: &[Variant]) -> Result<(), &'static str> {
    match axis {
        None if variants.len() == 1 => Ok(()),
        None => Err("needs exactly one variant, because nothing chooses between several"),
        Some(Axis::Locale) => {
            let once = |locale| variants.iter().filter(|variant| variant.locale == Some(locale)).count() == 1;
            if variants.len() == Locale::ALL.len() && Locale::ALL.into_iter().all(once) {
                Ok(())
            } else {
                Err("needs exactly one variant for each locale")
            }
        }
        Some(Axis::Accept) => {
            let once = |wanted: &str| {
                variants.iter().filter(|variant| essence(&variant.media_type) == essence(wanted)).count() == 1
            };
            if variants.len() == 2 && once(media::HTML) && once(media::MARKDOWN) {
                Ok(())
            } else {
                Err("needs exactly one HTML and one Markdown variant")
            }
        }
    }
}

impl Files {
    /// Checks `variant` and records its file in every coding.
    pub(super) fn add_variant(&mut self, variant: &Variant) -> Result<(), String> {
        let file = &variant.file;
        if !is_file_path(file) {
            return Err(format!("{file:?} is not a path below the folder"));
        }
        if !essence(&variant.media_type).contains('/') {
            return Err(format!("{:?} is not a media type", variant.media_type));
        }
        header_value(&variant.media_type)?;
        for value in [&variant.link, &variant.location].into_iter().flatten() {
            header_value(value)?;
        }
        self.add(file, variant.size, digest(&variant.digest, file)?)?;
        for coding in Coding::ALL {
            if let Some(encoded) = variant.encodings.get(coding) {
                let path = format!("{file}{}", coding.suffix());
                if encoded.size == 0 {
                    return Err(format!("{path:?} has no bytes, which is not a compressed form of anything"));
                }
                let digest = digest(&encoded.digest, &path)?;
                self.add(&path, encoded.size, digest)?;
            }
        }
        Ok(())
    }
}
