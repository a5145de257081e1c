//! The build that a host serves: its manifest, checked, and its public files.

use std::{collections::BTreeMap, fs, path::Path};

use contract::{
    forms::search::SEARCH_PAGE,
    manifest::{Coding, Encoded, FILE_NAME, FORMAT, Manifest, Route, Variant, is_file_path, is_former_address},
    retained_assets::{self, RetainedAssets},
    text::Uri,
};
use findings::messages::{self, Text};
use serde::Deserialize;
use sha2::{Digest as _, Sha256};

use super::{HostFile, HostFileContent, PUBLIC, rules::RoutingRules};

/// A build, and the data derived from it.
pub(super) struct HostedSite<'a> {
    pub(super) manifest: &'a Manifest,
    pub(super) rules: RoutingRules<'a>,
    /// Origin of the sidecar.
    pub(super) sidecar: Option<&'a str>,
    /// Paths of search pages; the sidecar answers queries to them. Empty without a sidecar.
    pub(super) searches: Vec<&'a str>,
}

/// Read first: other fields have this version's shape only if the format matches.
#[derive(Deserialize)]
struct ManifestFormat {
    format: u32,
}

/// Reads the manifest in `dist` and adds the assets of earlier builds.
pub(super) fn read(dist: &Path) -> Result<Manifest, Text> {
    let path = dist.join(FILE_NAME);
    let bytes = fs::read(&path).map_err(|error| messages::build_not_readable(path.display(), error))?;
    let malformed = |error| messages::manifest_malformed(path.display(), error);
    let head: ManifestFormat = serde_json::from_slice(&bytes).map_err(malformed)?;
    if head.format != FORMAT {
        return Err(messages::manifest_of_other_format(path.display(), head.format, FORMAT));
    }
    let mut manifest: Manifest = serde_json::from_slice(&bytes).map_err(malformed)?;
    // A page that a cache stored a minute ago still requests the style sheet of its time. An unreadable list counts as
    // empty.
    let kept = fs::read(dist.join(retained_assets::FILE_NAME)).unwrap_or_default();
    let kept: RetainedAssets = serde_json::from_slice(&kept).unwrap_or_default();
    if kept.format == retained_assets::FORMAT {
        let mut known: Vec<Route> = kept.assets.into_iter().map(|asset| asset.route).collect();
        known.retain(|route| manifest.routes.iter().all(|present| present.path != route.path));
        manifest.routes.extend(known);
        manifest.routes.sort_unstable_by(|one, other| one.path.cmp(&other.path));
    }
    Ok(manifest)
}

impl<'a> HostedSite<'a> {
    /// Checks that every path and value of a build means the same in the files of every host.
    pub(super) fn of(manifest: &'a Manifest, sidecar: Option<&'a str>) -> Result<Self, Text> {
        let addresses = manifest.routes.iter().map(|route| &route.path);
        let targets = manifest.redirects.iter().map(|redirect| &redirect.to);
        let prefixes = manifest.not_found.iter().map(|answer| &answer.prefix).filter(|prefix| !prefix.is_empty());
        if let Some(path) = addresses.chain(targets).chain(prefixes).find(|path| !is_plain(path)) {
            return Err(messages::address_not_portable(path));
        }
        let mut former = manifest.redirects.iter().map(|redirect| &redirect.from);
        if let Some(from) = former.find(|from| !is_plain(from) && !is_former_address(from)) {
            return Err(messages::address_not_portable(from));
        }
        if let Some(file) =
            variants(manifest).map(|it| &it.file).find(|file| !is_file_path(file) || !is_plain(&format!("/{file}")))
        {
            return Err(messages::address_not_portable(file));
        }
        if let Some(value) = find_unwritable(manifest) {
            return Err(messages::value_not_portable(value));
        }
        let searches = manifest.parts.iter().filter(|part| part.name == SEARCH_PAGE && sidecar.is_some());
        let searches: Vec<&str> = searches.filter_map(|part| part.variant.location.as_deref()).collect();
        if let Some(path) = searches.iter().find(|path| !is_plain(path)) {
            return Err(messages::address_not_portable(path));
        }
        Ok(Self { manifest, rules: RoutingRules::of(manifest), sidecar, searches })
    }

    /// Returns the public files by path below `dist/`.
    pub(super) fn public_files(&self) -> BTreeMap<&'a str, &'a Variant> {
        variants(self.manifest).map(|variant| (variant.file.as_str(), variant)).collect()
    }

    pub(super) fn copies(&self) -> Vec<HostFile> {
        let copy = |(file, variant): (&str, &Variant)| HostFile {
            path: format!("{PUBLIC}/{file}"),
            content: HostFileContent::Copied { file: file.to_owned(), digest: variant.digest.clone() },
        };
        self.public_files().into_iter().map(copy).collect()
    }

    /// Returns the compressed copies of the public files in one coding, for hosts that select files.
    pub(super) fn compressed_copies(&self, coding: Coding) -> Vec<HostFile> {
        let published = self.public_files().into_iter();
        let forms = published.filter_map(|(file, variant)| Some((file, variant.encodings.get(coding)?)));
        let copy = |(file, form): (&str, &Encoded)| HostFile {
            path: format!("{PUBLIC}/{file}{}", coding.suffix()),
            content: HostFileContent::Copied {
                file: format!("{file}{}", coding.suffix()),
                digest: form.digest.clone(),
            },
        };
        forms.map(copy).collect()
    }

    /// Returns the file with `extension` that answers unknown paths below `path`.
    pub(super) fn not_found_file(&self, path: &str, extension: &str) -> &'a str {
        let below =
            |prefix: &str| path.strip_prefix(prefix).is_some_and(|rest| prefix.is_empty() || rest.starts_with('/'));
        let answers = self.manifest.not_found.iter().filter(|answer| below(&answer.prefix));
        let answer = answers.max_by_key(|answer| answer.prefix.len());
        let variants = answer.into_iter().flat_map(|answer| &answer.variants);
        let files = variants.map(|variant| variant.file.as_str());
        files
            .into_iter()
            .find(|file| file.rsplit_once('.').is_some_and(|(_, end)| end == extension))
            .unwrap_or_default()
    }

    /// Returns the number of files in the folder with the most files.
    pub(super) fn largest_folder(&self) -> usize {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for file in self.public_files().keys() {
            *counts.entry(file.rsplit_once('/').map_or("", |(folder, _)| folder)).or_default() += 1;
        }
        counts.into_values().max().unwrap_or_default()
    }

    pub(super) fn domain(&self) -> &str {
        self.authority().split(':').next().unwrap_or_default()
    }

    /// Returns the port in the site's address with its colon; empty if there is none.
    pub(super) fn port(&self) -> &str {
        self.authority().find(':').map_or("", |at| &self.authority()[at..])
    }

    fn authority(&self) -> &str {
        self.manifest.site_url.split_once("://").map_or("", |(_, rest)| rest)
    }

    /// Whether the site's address is `https://`.
    pub(super) fn has_tls(&self) -> bool {
        self.manifest.site_url.starts_with("https:")
    }

    /// Returns a suffix that makes names unique among sites on one web server: the beginning of a digest, because nginx
    /// limits the length of names.
    pub(super) fn tag(&self) -> String {
        hex::encode(Sha256::digest(&self.manifest.site_url)).chars().take(6).collect()
    }

    pub(super) fn check_limit(
        host: &'static str,
        what: fn() -> Text,
        count: usize,
        limit: u64,
        remedy: fn() -> Text,
    ) -> Result<(), Text> {
        if count as u64 <= limit { Ok(()) } else { Err(messages::host_limit(host, limit, what(), count, remedy())) }
    }

    /// Checks that no public file has more than `limit` bytes.
    pub(super) fn check_file_sizes(&self, host: &'static str, limit: u64) -> Result<(), Text> {
        match self.public_files().into_iter().find(|(_, variant)| variant.size > limit) {
            None => Ok(()),
            Some((file, variant)) => {
                let (what, remedy) = (messages::limit_of_file(file), messages::large_file_remedy());
                Err(messages::host_limit(host, limit, what, variant.size, remedy))
            }
        }
    }
}

fn variants(manifest: &Manifest) -> impl Iterator<Item = &Variant> {
    let pages = manifest.not_found.iter().flat_map(|answer| &answer.variants);
    manifest.routes.iter().flat_map(|route| &route.variants).chain(pages)
}

/// Returns a value of the manifest that would break out of its place in a host's settings. Security: the generator
/// writes none, but the manifest may be forged.
fn find_unwritable(manifest: &Manifest) -> Option<&str> {
    let is_plain = |text: &str, refused: &[char]| {
        let special = |letter: char| {
            letter.is_control() || matches!(letter, '\\' | '$' | '{' | '}' | '%' | '`') || refused.contains(&letter)
        };
        !text.contains(special)
    };
    let is_name = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
    let names = manifest.classes.values().flat_map(|policy| policy.headers.iter().map(|(name, _)| name));
    let policies = manifest.classes.values();
    let mut values =
        policies.flat_map(|policy| policy.headers.iter().map(|(_, value)| value).chain([&policy.cache_control]));
    let mut of_variants =
        variants(manifest).flat_map(|it| [Some(&it.media_type), it.link.as_ref(), it.location.as_ref()]).flatten();
    let names = names.chain([&manifest.sandbox_key]).find(|name| !is_name(name));
    let values = values.find(|value| !is_plain(value, &['"']));
    let site_url = Some(&manifest.site_url).filter(|url| Uri::parse_origin(url).is_err());
    names.or(values).or(site_url).or_else(|| of_variants.find(|value| !is_plain(value, &['\'']))).map(String::as_str)
}

/// Whether a path contains only characters without a special meaning in the files of every host.
pub(super) fn is_plain(path: &str) -> bool {
    let is_safe = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte);
    path == "/"
        || path.strip_prefix('/').is_some_and(|rest| {
            rest.split('/').all(|part| !matches!(part, "" | "." | "..") && part.bytes().all(is_safe))
        })
}

#[cfg(test)]
mod tests {
    use super::is_plain;

    #[test]
    fn address_with_special_characters_is_not_plain() {
        for path in ["/", "/en", "/en/a-b_c.~1.html", "/.well-known/api-catalog"] {
            assert!(is_plain(path), "{path}");
        }
        for path in
            ["", "en", "/en/", "//evil", "/:splat", "/*", "/a%20b", "/a b", "/a$1", "/{x}", "/a\nb", "/..", "/ü"]
        {
            assert!(!is_plain(path), "{path:?}");
        }
    }
}
