//! Published files of a theme, with fingerprints in their names.

use std::collections::BTreeMap;

use content::Lines;
use contract::{media, routes};
use findings::{Code, Finding, Place, messages, nearest};
use site::fingerprint;

use super::sources::Sources;

const FOLDER: &str = "assets/";

#[derive(Clone, Debug)]
pub struct Asset {
    /// Public path with the fingerprint.
    pub path: String,
    /// Value of `Content-Type`.
    pub media_type: &'static str,
    pub bytes: Vec<u8>,
}

/// Returns the published files below `assets/`; adds faults to `findings`.
pub(super) fn all(sources: &Sources, findings: &mut Vec<Finding>) -> BTreeMap<String, Asset> {
    let files = sources.files().filter_map(|(name, source)| Some((name.strip_prefix(FOLDER)?, source)));
    let (sheets, others): (Vec<_>, Vec<_>) = files.partition(|(name, _)| name.ends_with(".css"));
    let mut assets = BTreeMap::new();
    for (name, source) in others {
        match publish(name, source.bytes.to_vec()) {
            Ok(asset) => drop(assets.insert(name.to_owned(), asset)),
            Err(fault) => findings.push(*fault),
        }
    }
    // Style sheets come last: they contain the fingerprinted paths of the other files.
    let mut styles = Vec::new();
    for (name, source) in sheets {
        let text = point_urls(name, source.text(), &assets, findings);
        match publish(name, text.into_bytes()) {
            Ok(asset) => styles.push((name.to_owned(), asset)),
            Err(fault) => findings.push(*fault),
        }
    }
    assets.extend(styles);
    assets
}

/// Returns a file with its fingerprinted path; `name` is relative to `assets/`.
pub(super) fn publish(name: &str, bytes: Vec<u8>) -> Result<Asset, Box<Finding>> {
    let known = name.rsplit_once('.').and_then(|(stem, ending)| Some((stem, ending, media::of_extension(ending)?)));
    let Some((stem, extension, media_type)) = known else {
        let place = Place::file(format!("{FOLDER}{name}"));
        let finding = Finding::new(Code::ASSET_TYPE, place, messages::asset_not_published());
        return Err(Box::new(finding.help(messages::asset_not_published_help())));
    };
    let path = format!("{}/{stem}.{}.{extension}", routes::ASSETS, fingerprint(&bytes));
    Ok(Asset { path, media_type, bytes })
}

/// Replaces each relative `url("…")` of a style sheet with the fingerprinted path; adds a finding for an unknown file.
fn point_urls(sheet: &str, text: &str, assets: &BTreeMap<String, Asset>, findings: &mut Vec<Finding>) -> String {
    let lines = Lines::of(text);
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
            let start = text.len() - after.len();
            let place = Place::new(format!("{FOLDER}{sheet}"), lines.span(text, start..start + inside.len()));
            let message = messages::sheet_names_no_file(url);
            let names = assets.keys().map(String::as_str);
            let nearest_name =
                nearest(&resolve(sheet, url), names).map(|name| "../".repeat(sheet.matches('/').count()) + name);
            findings.push(Finding::new(Code::ASSET_NOT_FOUND, place, message).did_you_mean(nearest_name.as_deref()));
        }
        rest = tail;
    }
    out.push_str(rest);
    out
}

/// Returns the name, relative to `assets/`, of the file that `sheet` refers to as `url`.
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
    fn url_of_a_style_sheet_is_relative_to_its_folder() {
        assert_eq!(resolve("css/site.css", "../fonts/text.woff2"), "fonts/text.woff2");
        assert_eq!(resolve("site.css", "./mark.svg"), "mark.svg");
    }
}
