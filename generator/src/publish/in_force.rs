//! The build that readers see until the next manifest stands: what is remembered of it.
//!
//! Of a large site that is no more than the names and digests of its files; its routes are read one by one and dropped.

use std::{collections::HashMap, fmt, fs, path::Path};

use contract::{
    kept::{self, Kept},
    manifest::{Class, Coding, Digest, Encodings, FILE_NAME, FORMAT, Manifest, Route, Variant},
};
use serde::{
    Deserialize, Deserializer,
    de::{SeqAccess, Visitor},
};

use super::{manifest, seal};

/// A build in force.
#[derive(Debug)]
pub(super) struct InForce {
    /// Its name, which is that of no build if somebody changed the manifest by hand.
    pub(super) build: Digest,
    /// Its files and those of earlier builds that stand beside it, by their paths.
    pub(super) files: HashMap<String, Known>,
    /// Its routes to files that have a fingerprint.
    pub(super) assets: Vec<Route>,
    /// What stands beside it.
    pub(super) kept: Kept,
}

/// What a build in force says of a file.
#[derive(Clone, Debug)]
pub(super) struct Known {
    pub(super) digest: Digest,
    pub(super) encodings: Encodings,
    /// Whether it is of an earlier build. How its compressed forms were made nobody remembers.
    pub(super) is_kept: bool,
}

/// Reads the routes of a manifest, of which the files remain and the assets.
#[derive(Default)]
struct Remembered {
    files: HashMap<String, Known>,
    assets: Vec<Route>,
}

impl InForce {
    /// The build in force in the folder `out`, or `None` if there is none that this version can read.
    pub(super) fn read(out: &Path) -> Option<Self> {
        let bytes = fs::read(out.join(FILE_NAME)).ok()?;
        let manifest: Manifest<Remembered> = serde_json::from_slice(&bytes).ok()?;
        if manifest.format != FORMAT {
            return None;
        }
        let is_whole = seal::name(&bytes).as_ref() == Some(&manifest.build);
        drop(bytes);
        let kept = fs::read(out.join(kept::FILE_NAME)).ok();
        let kept: Option<Kept> = kept.and_then(|bytes| serde_json::from_slice(&bytes).ok());
        let kept = kept.filter(|kept| kept.format == kept::FORMAT).unwrap_or_default();
        let Remembered { mut files, assets } = manifest.routes;
        let answers = manifest.not_found.into_iter().flat_map(|answer| answer.variants);
        let parts = manifest.parts.into_iter().map(|part| part.variant);
        files.extend(answers.chain(parts).map(|variant| known(variant, false)));
        for variant in kept.assets.iter().flat_map(|asset| &asset.route.variants) {
            let (file, known) = known(variant.clone(), true);
            files.entry(file).or_insert(known);
        }
        Some(Self { build: if is_whole { manifest.build } else { Digest::default() }, files, assets, kept })
    }

    /// Whether readers may ask for the file, which may be a compressed form.
    pub(super) fn names(&self, file: &str) -> bool {
        let is_form = |coding: Coding| {
            let whole = file.strip_suffix(coding.suffix()).and_then(|whole| self.files.get(whole));
            whole.is_some_and(|known| known.encodings.get(coding).is_some())
        };
        self.files.contains_key(file) || Coding::ALL.into_iter().any(is_form)
    }

    /// Every file that readers may ask for, compressed forms included, with its digest.
    pub(super) fn digests(&self) -> impl Iterator<Item = (String, &Digest)> {
        self.files.iter().flat_map(|(file, known)| manifest::digests(file, &known.digest, &known.encodings))
    }
}

/// A file, and what is remembered of it.
fn known(variant: Variant, is_kept: bool) -> (String, Known) {
    (variant.file, Known { digest: variant.digest, encodings: variant.encodings, is_kept })
}

impl<'de> Deserialize<'de> for Remembered {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Routes;

        impl<'de> Visitor<'de> for Routes {
            type Value = Remembered;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("routes")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut routes: A) -> Result<Remembered, A::Error> {
                let mut remembered = Remembered::default();
                while let Some(route) = routes.next_element::<Route>()? {
                    if route.class == Class::Asset {
                        remembered.assets.push(route.clone());
                    }
                    remembered.files.extend(route.variants.into_iter().map(|variant| known(variant, false)));
                }
                Ok(remembered)
            }
        }

        deserializer.deserialize_seq(Routes)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_files_of_a_build_are_remembered_with_their_compressed_forms() {
        let variant = |file: &str, br: bool| {
            let encodings = if br { json!({ "br": { "size": 1, "digest": "bb" } }) } else { json!({}) };
            json!({ "file": file, "media_type": "text/css", "size": 2, "digest": "aa", "encodings": encodings })
        };
        let route = |path: &str, class: &str, br: bool| json!({ "path": path, "class": class, "variants": [variant(&path[1..], br)] });
        let manifest = json!({
            "format": FORMAT, "build": "", "site_url": "", "sandbox_key": "", "classes": {}, "redirects": [],
            "routes": [route("/a.css", "asset", true), route("/en", "page", false)],
            "not_found": [{ "prefix": "", "variants": [variant("404.html", false)] }],
            "parts": [{ "name": "x", "variant": variant(".parts/x", false) }],
        });
        let kept =
            json!({ "format": kept::FORMAT, "assets": [{ "since": 1, "route": route("/b.css", "asset", true) }] });
        let out = tempfile::tempdir().unwrap();
        fs::write(out.path().join(FILE_NAME), manifest.to_string()).unwrap();
        fs::write(out.path().join(kept::FILE_NAME), kept.to_string()).unwrap();
        let build = InForce::read(out.path()).unwrap();
        let mut files: Vec<(String, &str)> = build.digests().map(|(file, digest)| (file, &*digest.0)).collect();
        files.sort_unstable();
        let whole = [".parts/x", "404.html", "a.css", "b.css", "en"].map(|file| (file.to_owned(), "aa"));
        let forms = ["a.css.br", "b.css.br"].map(|file| (file.to_owned(), "bb"));
        let mut expected = [&whole[..], &forms[..]].concat();
        expected.sort_unstable();
        assert_eq!(files, expected);
        assert!(files.iter().all(|(file, _)| build.names(file)));
        assert!(["c.css", "en.br", "a.css.gz", "b.css.gz", ""].iter().all(|file| !build.names(file)));
        assert_eq!(build.assets.len(), 1);
        assert!(build.files["b.css"].is_kept && !build.files["a.css"].is_kept);
        // Nobody sealed this manifest.
        assert_eq!(build.build, Digest::default());
    }
}
