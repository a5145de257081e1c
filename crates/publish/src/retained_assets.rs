//! Assets of earlier builds that stay: a cached page must find the style sheet, the fonts and the script of its time.
//!
//! Pictures do not stay. What a firm takes off its site, a portrait for example, must be gone with the build that takes
//! it off, and a page that shows a picture's description in its place for five minutes can still be read.
//!
//! The name of an asset holds its fingerprint, so an old one collides with no other. It is removed by the first build
//! that is made a day after the first build without it; a page may be cached for five minutes, and for hours by a cache
//! that lost its origin.

use contract::{
    manifest::{Class, Route},
    media,
    retained_assets::{RetainedAsset, RetainedAssets},
};

use super::manifest::bytes;

/// How long an asset stays, in seconds.
const RETENTION_SECONDS: i64 = 24 * 60 * 60;
/// How many bytes may stay in total, compressed forms included: a day of designing a style sheet with
/// `watch` makes many.
const MAX_RETAINED_BYTES: u64 = 64 << 20;

/// Returns what stays while the next build, which answers where `is_next` says so, replaces the one with `assets`:
/// everything that either build, or an earlier one, may be asked for.
pub(super) fn through_the_change(
    assets: &[Route],
    kept: &RetainedAssets,
    is_next: impl Fn(&str) -> bool,
    now: i64,
) -> RetainedAssets {
    let leaving = assets.iter().filter(|route| is_look(route) && !is_next(&route.path));
    let is_asset = |path: &str| assets.iter().any(|route| route.path == path);
    let mut staying: Vec<RetainedAsset> =
        leaving.map(|route| RetainedAsset { since: now, route: route.clone() }).collect();
    staying.extend(kept.assets.iter().filter(|asset| !is_asset(&asset.route.path)).cloned());
    staying.sort_unstable_by(|one, other| one.route.path.cmp(&other.route.path));
    RetainedAssets { assets: staying, ..RetainedAssets::default() }
}

/// Returns what stays beside the next build from now on.
pub(super) fn beside(is_next: impl Fn(&str) -> bool, kept: RetainedAssets, now: i64) -> RetainedAssets {
    let mut assets = kept.assets;
    assets.retain(|asset| now.saturating_sub(asset.since) < RETENTION_SECONDS && !is_next(&asset.route.path));
    // The newest first, until there is no more room.
    assets.sort_by(|one, other| (other.since, &one.route.path).cmp(&(one.since, &other.route.path)));
    let mut room = MAX_RETAINED_BYTES;
    assets.retain(|asset| {
        let size = asset.route.variants.iter().map(bytes).fold(0, u64::saturating_add);
        let fits = size <= room;
        room = if fits { room - size } else { 0 };
        fits
    });
    assets.sort_unstable_by(|one, other| one.route.path.cmp(&other.route.path));
    RetainedAssets { assets, ..RetainedAssets::default() }
}

/// Whether a route is a style sheet, a font or a script.
fn is_look(route: &Route) -> bool {
    let is_look = |media_type: &str| [media::CSS, media::WOFF2, media::JAVASCRIPT].contains(&media_type);
    route.class == Class::Asset && route.variants.iter().all(|variant| is_look(&variant.media_type))
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::manifest::{Digest, Variant};

    fn asset(path: &str, size: u64) -> Route {
        let variant = Variant {
            file: path.trim_start_matches('/').to_owned(),
            media_type: media::CSS.to_owned(),
            size,
            digest: Digest::default(),
            encodings: contract::manifest::Encodings::default(),
            locale: None,
            link: None,
            location: None,
            tokens: None,
        };
        Route { path: path.to_owned(), class: Class::Asset, axis: None, variants: vec![variant] }
    }

    fn assets(paths: &[&str]) -> Vec<Route> {
        paths.iter().map(|path| asset(path, 10)).collect()
    }

    fn build(before: &[Route], kept: &RetainedAssets, next: &[Route], now: i64) -> RetainedAssets {
        let is_next = |path: &str| next.iter().any(|route| route.path == path);
        beside(is_next, through_the_change(before, kept, is_next, now), now)
    }

    fn paths(kept: &RetainedAssets) -> Vec<(&str, i64)> {
        kept.assets.iter().map(|asset| (asset.route.path.as_str(), asset.since)).collect()
    }

    #[test]
    fn asset_that_left_stays_for_a_day_however_many_builds_come() {
        let (one, two) = (assets(&["/a.css"]), assets(&["/b.css"]));
        let kept = build(&one, &RetainedAssets::default(), &two, 100);
        assert_eq!(paths(&kept), [("/a.css", 100)]);
        let kept = build(&two, &kept, &two, 200);
        assert_eq!(paths(&kept), [("/a.css", 100)]);
        let three = assets(&["/c.css"]);
        let kept = build(&two, &kept, &three, 300);
        assert_eq!(paths(&kept), [("/a.css", 100), ("/b.css", 300)]);
        assert_eq!(paths(&build(&three, &kept, &three, 100 + RETENTION_SECONDS)), [("/b.css", 300)]);
    }

    #[test]
    fn picture_that_left_is_gone() {
        let mut one = assets(&["/a.css", "/portrait.png"]);
        one[1].variants[0].media_type = "image/png".to_owned();
        assert_eq!(paths(&build(&one, &RetainedAssets::default(), &assets(&[]), 100)), [("/a.css", 100)]);
    }

    #[test]
    fn asset_that_comes_back_is_not_kept_and_pages_never_are() {
        let (one, two) = (assets(&["/a.css"]), assets(&["/b.css"]));
        let kept = build(&one, &RetainedAssets::default(), &two, 100);
        assert_eq!(paths(&build(&two, &kept, &one, 200)), [("/b.css", 200)]);
    }

    #[test]
    fn oldest_go_when_there_is_no_room() {
        let kept = |path, since, size| RetainedAsset { since, route: asset(path, size) };
        let assets = vec![kept("/a", 1, 1), kept("/b", 2, MAX_RETAINED_BYTES), kept("/c", 3, 1), kept("/d", 4, 1)];
        let left = beside(|_| false, RetainedAssets { assets, ..RetainedAssets::default() }, 5);
        assert_eq!(paths(&left), [("/c", 3), ("/d", 4)]);
    }
}
