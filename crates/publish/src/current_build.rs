//! The build in force, until the next manifest is in place.
//!
//! For a large site only the names and digests of files are kept in memory; routes are read one by one and dropped.

use std::{collections::HashMap, fmt, fs, io, path::Path};

use contract::{
    manifest::{Class, Coding, Encodings, FILE_NAME, FORMAT, FileDigest, Manifest, Route, Variant, is_file_path},
    retained_assets::{self, RetainedAssets},
};
use serde::{
    Deserialize, Deserializer,
    de::{Error as _, SeqAccess, Visitor},
};

use super::{manifest, manifest_writer};

#[derive(Debug)]
pub(super) struct CurrentBuild {
    /// The build's name; the default, which matches no build, if the manifest was edited.
    pub(super) build: FileDigest,
    /// Files of the build and retained assets, by path.
    pub(super) files: HashMap<String, KnownFile>,
    /// Routes to fingerprinted files.
    pub(super) assets: Vec<Route>,
    /// Retained assets of earlier builds.
    pub(super) kept: RetainedAssets,
}

#[derive(Clone, Debug)]
pub(super) struct KnownFile {
    pub(super) size: u64,
    pub(super) digest: FileDigest,
    pub(super) encodings: Encodings,
    /// Whether the file is of an earlier or unknown build, so that the recipe of its compressed forms is unknown.
    pub(super) is_kept: bool,
}

/// The routes of a manifest, reduced to files and assets.
#[derive(Default)]
struct KnownRoutes {
    files: HashMap<String, KnownFile>,
    assets: Vec<Route>,
}

impl CurrentBuild {
    /// Reads the current build in the folder `out`; returns `None` if this version can read none.
    pub(super) fn read(out: &Path) -> io::Result<Option<Self>> {
        let Some(bytes) = read(&out.join(FILE_NAME))? else { return Ok(None) };
        let Ok(manifest) = serde_json::from_slice::<Manifest<KnownRoutes>>(&bytes) else { return Ok(None) };
        let is_intact = manifest_writer::build_name(&bytes).as_ref() == Some(&manifest.build);
        drop(bytes);
        let KnownRoutes { mut files, assets } = manifest.routes;
        let answers = manifest.not_found.into_iter().flat_map(|answer| answer.variants);
        let others: Option<Vec<_>> = answers
            .chain(manifest.parts.into_iter().map(|part| part.variant))
            .map(|it| known_file(it, false))
            .collect();
        let Some(others) = others.filter(|_| manifest.format == FORMAT) else { return Ok(None) };
        files.extend(others);
        let kept = read_retained(out)?;
        for variant in kept.assets.iter().flat_map(|asset| &asset.route.variants) {
            if let Some((file, known)) = known_file(variant.clone(), true) {
                files.entry(file).or_insert(known);
            }
        }
        Ok(Some(Self { build: if is_intact { manifest.build } else { FileDigest::default() }, files, assets, kept }))
    }

    /// Creates a build from files without a readable manifest; each compressed form counts as a file.
    pub(super) fn of_files(files: impl IntoIterator<Item = (String, FileDigest)>) -> Self {
        let known = |digest| KnownFile { size: 0, digest, encodings: Encodings::default(), is_kept: true };
        let files = files.into_iter().map(|(file, digest)| (file, known(digest))).collect();
        Self { build: FileDigest::default(), files, assets: Vec::new(), kept: RetainedAssets::default() }
    }

    /// Whether the manifest is unedited.
    pub(super) fn is_intact(&self) -> bool {
        self.build != FileDigest::default()
    }

    /// Whether readers may request the file, which may be a compressed form.
    pub(super) fn has_file(&self, file: &str) -> bool {
        let is_form = |coding: Coding| {
            let whole = file.strip_suffix(coding.suffix()).and_then(|whole| self.files.get(whole));
            whole.is_some_and(|known| known.encodings.get(coding).is_some())
        };
        self.files.contains_key(file) || Coding::ALL.into_iter().any(is_form)
    }

    /// Returns every file that readers may request, compressed forms included, with its digest.
    pub(super) fn digests(&self) -> impl Iterator<Item = (String, &FileDigest)> {
        self.files.iter().flat_map(|(file, known)| manifest::digests(file, &known.digest, &known.encodings))
    }
}

/// Reads a file; returns `None` if it does not exist.
fn read(path: &Path) -> io::Result<Option<Vec<u8>>> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Reads the list of retained assets; ignores it if it names a file outside the folder.
fn read_retained(out: &Path) -> io::Result<RetainedAssets> {
    let kept = read(&out.join(retained_assets::FILE_NAME))?.and_then(|bytes| serde_json::from_slice(&bytes).ok());
    let is_ours = |kept: &RetainedAssets| {
        let mut variants = kept.assets.iter().flat_map(|asset| &asset.route.variants);
        kept.format == retained_assets::FORMAT && variants.all(|variant| known_file(variant.clone(), true).is_some())
    };
    Ok(kept.filter(is_ours).unwrap_or_default())
}

/// Returns a file and its data; `None` if no generator wrote this. Security: files are replaced and removed by these
/// names.
fn known_file(variant: Variant, is_kept: bool) -> Option<(String, KnownFile)> {
    let Variant { file, size, digest, encodings, .. } = variant;
    let forms = Coding::ALL.into_iter().filter_map(|coding| encodings.get(coding));
    let is_ours = is_file_path(&file) && forms.map(|form| &form.digest).chain([&digest]).all(FileDigest::is_valid);
    is_ours.then_some((file, KnownFile { size, digest, encodings, is_kept }))
}

impl<'de> Deserialize<'de> for KnownRoutes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Routes;

        impl<'de> Visitor<'de> for Routes {
            type Value = KnownRoutes;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("routes")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut routes: A) -> Result<KnownRoutes, A::Error> {
                let mut remembered = KnownRoutes::default();
                while let Some(route) = routes.next_element::<Route>()? {
                    if route.class == Class::Asset {
                        remembered.assets.push(route.clone());
                    }
                    for variant in route.variants {
                        let (file, known) =
                            known_file(variant, false).ok_or_else(|| A::Error::custom("no file of ours"))?;
                        remembered.files.insert(file, known);
                    }
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
    fn files_are_read_with_their_compressed_forms() {
        let digest = |digit: &str| digit.repeat(64);
        let variant = |file: &str, br: bool| {
            let encodings = if br { json!({ "br": { "size": 1, "digest": digest("b") } }) } else { json!({}) };
            json!({ "file": file, "media_type": "text/css", "size": 2, "digest": digest("a"), "encodings": encodings })
        };
        let route = |path: &str, class: &str, br: bool| json!({ "path": path, "class": class, "variants": [variant(&path[1..], br)] });
        let manifest = json!({
            "format": FORMAT, "build": "", "site_url": "", "sandbox_key": "", "classes": {}, "redirects": [],
            "routes": [route("/a.css", "asset", true), route("/en", "page", false)],
            "not_found": [{ "prefix": "", "variants": [variant("404.html", false)] }],
            "parts": [{ "name": "x", "variant": variant(".parts/x", false) }],
        });
        let kept = json!({ "format": retained_assets::FORMAT, "assets": [{ "since": 1, "route": route("/b.css", "asset", true) }] });
        let out = tempfile::tempdir().unwrap();
        fs::write(out.path().join(FILE_NAME), manifest.to_string()).unwrap();
        fs::write(out.path().join(retained_assets::FILE_NAME), kept.to_string()).unwrap();
        let build = CurrentBuild::read(out.path()).unwrap().unwrap();
        let mut files: Vec<(String, &str)> = build.digests().map(|(file, digest)| (file, &digest.0[..1])).collect();
        files.sort_unstable();
        let whole = [".parts/x", "404.html", "a.css", "b.css", "en"].map(|file| (file.to_owned(), "a"));
        let forms = ["a.css.br", "b.css.br"].map(|file| (file.to_owned(), "b"));
        let mut expected = [&whole[..], &forms[..]].concat();
        expected.sort_unstable();
        assert_eq!(files, expected);
        assert!(files.iter().all(|(file, _)| build.has_file(file)));
        assert!(["c.css", "en.br", "a.css.gz", "b.css.gz", ""].iter().all(|file| !build.has_file(file)));
        assert_eq!(build.assets.len(), 1);
        assert!(build.files["b.css"].is_kept && !build.files["a.css"].is_kept);
        // The name is not the digest of this manifest.
        assert!(!build.is_intact());
        // A manifest that names anything outside the folder is not the generator's.
        for (from, to) in [("a.css", "/a.css"), ("en", "../en"), (".parts/x", "a/../../x"), (&digest("b"), "../../x")] {
            let other = manifest.to_string().replace(&format!("\"{from}\""), &format!("\"{to}\""));
            fs::write(out.path().join(FILE_NAME), other).unwrap();
            assert!(CurrentBuild::read(out.path()).unwrap().is_none(), "{to}");
        }
        fs::write(out.path().join(FILE_NAME), manifest.to_string()).unwrap();
        fs::write(out.path().join(retained_assets::FILE_NAME), kept.to_string().replace("\"b.css\"", "\"../b.css\""))
            .unwrap();
        assert!(CurrentBuild::read(out.path()).unwrap().unwrap().kept.assets.is_empty());
    }
}
