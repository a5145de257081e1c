//! Files that a theme publishes, with fingerprints in their names.

use std::{collections::BTreeMap, path::Path};

use contract::{media, routes};

use super::{
    error::{DanglingUrl, ThemeError},
    files_below, read, read_text,
};
use crate::{diagnostic::nearest, hex::fingerprint};

/// A published file of the theme.
#[derive(Debug)]
pub struct Asset {
    /// Public path with the fingerprint.
    pub path: String,
    /// Value of `Content-Type`.
    pub media_type: &'static str,
    /// The content.
    pub bytes: Vec<u8>,
}

/// Reads the files below `folder`; faults in any of them are added to `faults`.
pub(super) fn read_all(folder: &Path, faults: &mut Vec<ThemeError>) -> BTreeMap<String, Asset> {
    let files = files_below(folder).unwrap_or_else(|fault| {
        faults.push(fault);
        Vec::new()
    });
    let mut assets = BTreeMap::new();
    let (sheets, others): (Vec<_>, Vec<_>) = files.into_iter().partition(|(name, _)| name.ends_with(".css"));
    for (name, path) in others {
        match read(&path).and_then(|bytes| publish(&name, &path, bytes)) {
            Ok(asset) => drop(assets.insert(name, asset)),
            Err(fault) => faults.push(fault),
        }
    }
    // Style sheets come last: they refer to the other files by their fingerprinted paths.
    let mut styles = Vec::new();
    for (name, path) in sheets {
        let text = read_text(&path).map(|text| point_urls(&name, &path, &text, &assets, faults));
        match text.and_then(|text| publish(&name, &path, text.into_bytes())) {
            Ok(asset) => styles.push((name, asset)),
            Err(fault) => faults.push(fault),
        }
    }
    assets.extend(styles);
    assets
}

fn publish(name: &str, path: &Path, bytes: Vec<u8>) -> Result<Asset, ThemeError> {
    let unknown = || ThemeError::UnknownAsset(path.to_owned());
    let (stem, extension) = name.rsplit_once('.').ok_or_else(unknown)?;
    let media_type = media::of_extension(extension).ok_or_else(unknown)?;
    let path = format!("{}/{stem}.{}.{extension}", routes::ASSETS, fingerprint(&bytes));
    Ok(Asset { path, media_type, bytes })
}

/// Replaces each relative `url("…")` of a style sheet with the fingerprinted path; one that leads to no file stays.
fn point_urls(
    sheet: &str,
    path: &Path,
    text: &str,
    assets: &BTreeMap<String, Asset>,
    faults: &mut Vec<ThemeError>,
) -> String {
    let mut out = String::with_capacity(text.len() + 256);
    let mut rest = text;
    while let Some(at) = rest.find("url(") {
        let (before, after) = rest.split_at(at + 4);
        out.push_str(before);
        let end = after.find(')').unwrap_or(after.len());
        let (inside, tail) = after.split_at(end);
        let url = inside.trim().trim_matches(['"', '\'']);
        if url.starts_with("data:") || url.starts_with('/') || url.starts_with('#') {
            out.push_str(inside);
        } else if let Some(asset) = assets.get(&resolve(sheet, url)) {
            out.push('"');
            out.push_str(&asset.path);
            out.push('"');
        } else {
            let line = text[..text.len() - after.len()].matches('\n').count() + 1;
            let names = assets.keys().map(String::as_str);
            let meant =
                nearest(&resolve(sheet, url), names).map(|name| "../".repeat(sheet.matches('/').count()) + name);
            let place = format!("{}:{line}", path.display());
            faults.push(ThemeError::DanglingUrl(DanglingUrl { place, url: url.to_owned(), meant }));
        }
        rest = tail;
    }
    out.push_str(rest);
    out
}

/// Returns the name, relative to the assets folder, of the file that `sheet` refers to as `url`.
fn resolve(sheet: &str, url: &str) -> String {
    let mut parts: Vec<&str> = sheet.split('/').collect();
    parts.pop();
    for part in url.split('/') {
        match part {
            "." => {}
            ".." => {
                parts.pop();
            }
            name => parts.push(name),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn style_sheet_names_files_relative_to_itself() {
        assert_eq!(resolve("css/site.css", "../fonts/text.woff2"), "fonts/text.woff2");
        assert_eq!(resolve("site.css", "./mark.svg"), "mark.svg");
    }
}
