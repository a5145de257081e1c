//! Checks a manifest.
//!
//! Security: the folder may be writable by others. After this check every later step may trust the manifest: paths stay
//! inside the folder, every header value is legal, every route can answer every request.

mod variants;

use std::{collections::HashMap, io, mem};

use contract::manifest::{Class, FileDigest, Manifest, Policy, Route, is_former_address};

use super::{Sha256, digest::Hashing};

pub(super) fn manifest(manifest: &mut Manifest) -> Result<(), String> {
    digest(&manifest.build, "`build`")?;
    origin(&manifest.site_url)?;
    sandbox_key(&manifest.sandbox_key)?;
    for (class, policy) in &manifest.classes {
        self::policy(*class, policy)?;
    }
    let mut files = Files::default();
    routes(manifest, &mut files)?;
    redirects(manifest)?;
    not_found(manifest, &mut files)?;
    parts(manifest, &mut files)?;
    name(manifest)
}

/// Checks that the name of the build is the digest of the rest of the manifest, so that any damaged byte is detected.
fn name(manifest: &mut Manifest) -> Result<(), String> {
    let name = mem::take(&mut manifest.build);
    // Streaming avoids a text of many megabytes in memory.
    let mut digest = Hashing::default();
    let written = serde_json::to_writer(io::BufWriter::new(&mut digest), manifest);
    manifest.build = name;
    written.map_err(|error| error.to_string())?;
    if digest.finish().to_string() == manifest.build.0 {
        Ok(())
    } else {
        Err("`build` is not the digest of the manifest".to_owned())
    }
}

fn origin(url: &str) -> Result<(), String> {
    let host = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://")).unwrap_or_default();
    let legal = |byte: u8| byte.is_ascii_alphanumeric() || b".-:[]".contains(&byte);
    if host.is_empty() || !host.bytes().all(legal) {
        return Err(format!("`site_url` {url:?} is not an origin without a path"));
    }
    Ok(())
}

fn sandbox_key(key: &str) -> Result<(), String> {
    if key.is_empty() || !key.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err("`sandbox_key` is empty or not of visible ASCII characters".to_owned());
    }
    Ok(())
}

fn policy(class: Class, policy: &Policy) -> Result<(), String> {
    if policy.cache_control.is_empty() {
        return Err(format!("class {class:?} has no `cache_control`"));
    }
    header_value(&policy.cache_control)?;
    for (name, value) in &policy.headers {
        let token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
        if name.is_empty() || !name.bytes().all(token) {
            return Err(format!("class {class:?} has a header field with the illegal name {name:?}"));
        }
        if is_reserved(name) {
            return Err(format!("class {class:?} sets {name:?}, which the sidecar computes"));
        }
        header_value(value)?;
    }
    Ok(())
}

/// Whether a class of routes may not set the field `name`.
pub(crate) fn is_reserved(name: &str) -> bool {
    RESERVED.iter().any(|reserved| name.eq_ignore_ascii_case(reserved))
}

/// Fields that the sidecar computes: set by a policy, they would appear twice or break every response.
const RESERVED: [&str; 24] = [
    "access-control-allow-origin",
    "access-control-expose-headers",
    "connection",
    "content-encoding",
    "content-language",
    "content-length",
    "content-location",
    "content-type",
    "date",
    "etag",
    "keep-alive",
    "link",
    "set-cookie",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "vary",
    "cache-control",
    "www-authenticate",
    contract::headers::RATE_LIMIT,
    contract::headers::RATE_LIMIT_POLICY,
    contract::headers::X_MARKDOWN_TOKENS,
    contract::headers::X_REQUEST_ID,
];

fn header_value(value: &str) -> Result<(), String> {
    let legal = |byte: u8| matches!(byte, b'\t' | b' '..=b'~');
    if value.bytes().all(legal) && value.trim() == value {
        Ok(())
    } else {
        Err(format!("{value:?} is not a header value"))
    }
}

fn digest(digest: &FileDigest, place: &str) -> Result<Sha256, String> {
    Sha256::parse(&digest.0).ok_or_else(|| format!("{place}: {:?} is not a SHA-256 digest", digest.0))
}

fn routes(manifest: &Manifest, files: &mut Files) -> Result<(), String> {
    if !is_sorted(manifest.routes.iter().map(|route| route.path.as_str())) {
        return Err("the routes are not sorted by path, each once".to_owned());
    }
    manifest.routes.iter().try_for_each(|route| add_route(manifest, route, files))
}

/// Checks a route that is added to a checked manifest.
pub(super) fn route(manifest: &Manifest, route: &Route) -> Result<(), String> {
    add_route(manifest, route, &mut Files::default())
}

fn add_route(manifest: &Manifest, route: &Route, files: &mut Files) -> Result<(), String> {
    let path = &route.path;
    if !is_route_path(path) {
        return Err(format!("{path:?} is not an absolute, decoded path"));
    }
    if !manifest.classes.contains_key(&route.class) {
        return Err(format!("route {path:?} is of class {:?}, which has no policy", route.class));
    }
    variants::complete(route.axis, &route.variants).map_err(|problem| format!("route {path:?} {problem}"))?;
    for variant in &route.variants {
        files.add_variant(variant).map_err(|problem| format!("route {path:?}: {problem}"))?;
    }
    Ok(())
}

fn redirects(manifest: &Manifest) -> Result<(), String> {
    let is_route = |path: &str| manifest.routes.binary_search_by(|route| route.path.as_str().cmp(path)).is_ok();
    if !is_sorted(manifest.redirects.iter().map(|redirect| redirect.from.as_str())) {
        return Err("the redirects are not sorted by path, each once".to_owned());
    }
    for redirect in &manifest.redirects {
        let is_former = redirect.from.contains('?') && is_former_address(&redirect.from);
        if !is_former && !is_route_path(&redirect.from) {
            return Err(format!("{:?} is not an absolute, decoded path", redirect.from));
        }
        if is_route(&redirect.from) {
            return Err(format!("{:?} is a route and a redirect", redirect.from));
        }
        if !is_route(&redirect.to) {
            return Err(format!("{:?} redirects to {:?}, which is not a route", redirect.from, redirect.to));
        }
    }
    Ok(())
}

fn not_found(manifest: &Manifest, files: &mut Files) -> Result<(), String> {
    let mut prefixes: Vec<_> = manifest.not_found.iter().map(|entry| entry.prefix.as_str()).collect();
    prefixes.sort_unstable();
    if prefixes.first() != Some(&"") || !is_sorted(prefixes.iter().copied()) {
        return Err("`not_found` needs each prefix once, and the empty one".to_owned());
    }
    for entry in &manifest.not_found {
        let prefix = &entry.prefix;
        if !prefix.is_empty() && (!is_route_path(prefix) || prefix.ends_with('/')) {
            return Err(format!("{prefix:?} of `not_found` does not end on a segment boundary"));
        }
        variants::complete(Some(contract::manifest::Axis::Accept), &entry.variants)
            .map_err(|problem| format!("`not_found` below {prefix:?} {problem}"))?;
        for variant in &entry.variants {
            files.add_variant(variant).map_err(|problem| format!("`not_found` below {prefix:?}: {problem}"))?;
        }
    }
    Ok(())
}

fn parts(manifest: &Manifest, files: &mut Files) -> Result<(), String> {
    let keys = manifest.parts.iter().map(|part| (&part.name, part.variant.locale));
    if !keys.is_sorted_by(|one, other| one < other) {
        return Err("the parts are not sorted by name and locale, each once".to_owned());
    }
    for part in &manifest.parts {
        files.add_variant(&part.variant).map_err(|problem| format!("part {:?}: {problem}", part.name))?;
    }
    Ok(())
}

/// Sizes of the files named so far, by digest.
#[derive(Default)]
struct Files(HashMap<Sha256, u32>);

impl Files {
    fn add(&mut self, path: &str, size: u64, digest: Sha256) -> Result<(), String> {
        let size = u32::try_from(size).map_err(|_| format!("{path:?} is too long to be served from memory"))?;
        match self.0.insert(digest, size) {
            Some(other) if other != size => Err(format!("{path:?} has the digest of a file of another size")),
            _ => Ok(()),
        }
    }
}

/// Whether `path` may be a route: absolute, decoded, without dot segments, controls, backslashes, query or fragment.
fn is_route_path(path: &str) -> bool {
    let Some(rest) = path.strip_prefix('/') else { return false };
    // Security: in `Location`, `//host/` is another site.
    !rest.starts_with('/')
        && rest.split('/').all(|segment| segment != "." && segment != "..")
        && !path.chars().any(|letter| letter.is_control() || matches!(letter, '\\' | '?' | '#'))
}

/// Whether `items` ascend and no two are equal.
fn is_sorted<'a>(items: impl Iterator<Item = &'a str>) -> bool {
    items.is_sorted_by(|one, next| one < next)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn route_path_is_absolute_and_plain() {
        for path in ["/", "/en", "/en/", "/tr/yayınlar", "/.well-known/x"] {
            assert!(is_route_path(path), "{path}");
        }
        for path in ["", "en", "//evil.example", "/a/../b", "/.", "/a?b", "/a#b", "/a\nb", "/a\\b"] {
            assert!(!is_route_path(path), "{path:?}");
        }
    }
}
